/** The shift and the map as whole boards of a TV, with data of machines over MQTT. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';
import { addMachine, connectDevice, eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { misfits, shot, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { at } from './tile-site.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SHOWN = '.layer.shown';
const WHOLE = at(0, 0, 12, 6);

/** What a machine does: its engine speed during a number of minutes, and null for a time without data. */
type Story = readonly (readonly [minutes: number, rpm: number | null])[];
const [WORKS, IDLES, STANDS] = [1_500, 700, 0];
const STORIES: Readonly<Record<string, Story>> = {
  'HT-01': [
    [100, WORKS],
    [20, IDLES],
    [60, WORKS],
  ],
  'HT-02': [
    [60, WORKS],
    [30, STANDS],
    [90, WORKS],
  ],
  'LD-07': [
    [120, WORKS],
    [60, STANDS],
  ],
  'EX-02': [
    [90, WORKS],
    [50, null],
    [40, WORKS],
  ],
};

/** Makes a site with a shift of twelve hours that began at least three hours ago. Returns its client and the begin of the story. */
async function shiftSite(gateway: TestGateway): Promise<{ client: Client; from_ms: number; shift_ms: number }> {
  const now = Date.now();
  const begin = Math.floor(now / HOUR) * HOUR - 3 * HOUR;
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    timezone: 'UTC',
    shift_pattern: [{ name: 'day', starts: time(begin), ends: time(begin + 12 * HOUR) }],
  });
  return { client: gateway.project(project.id), from_ms: now - 3 * HOUR, shift_ms: begin };
}

/** Sends the story of a machine over MQTT: a sample every five seconds. */
async function tell(
  gateway: TestGateway,
  client: Client,
  unit: string,
  from_ms: number,
  story: Story,
): Promise<string> {
  const machine = await addMachine(client, unit);
  await client.call('equipment_update', { id: machine.equipment_id, status: 'in_use' });
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  let at_ms = from_ms;
  for (const [minutes, rpm] of story) {
    const points = Array.from({ length: rpm === null ? 0 : minutes * 12 }, (_, i) => ({
      observed_at: new Date(at_ms + i * 5_000).toISOString(),
      values: { 'engine.speed': rpm },
    }));
    for (let i = 0; i < points.length; i += 240)
      await mqtt.publishAsync(
        `v1/devices/${machine.device_id}/telemetry`,
        JSON.stringify({ points: points.slice(i, i + 240) }),
        { qos: 1 },
      );
    at_ms += minutes * MINUTE;
  }
  await mqtt.endAsync();
  return machine.equipment_id;
}

/** Makes a board and returns the address of its link. */
async function shareOf(gateway: TestGateway, client: Client, widgets: object[]): Promise<string> {
  const board = await client.call('dashboards_create', { name: 'Wall', widgets: widgets as never });
  const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
  return gateway.node.http + new URL(share.url ?? '').pathname;
}

/** The spans of a ribbon: the class, and the left end and the width in percent of the shift. */
const ribbonOf = (page: Page, unit: string) =>
  page.locator(`${SHOWN} .ribbons li[aria-label^="${unit}:"] .ribbon > *`).evaluateAll((all) =>
    all.map((one) => ({
      name: one.getAttribute('data-class') ?? '',
      left: Number.parseFloat((one as HTMLElement).style.left),
      width: Number.parseFloat((one as HTMLElement).style.width),
      height: one.getBoundingClientRect().height,
    })),
  );

const TVS = [
  [1920, 1080],
  [1280, 720],
  [3840, 2160],
] as const;

/** Looks at the page on TVs of three sizes. */
async function fitsEverywhere(page: Page, name: string): Promise<void> {
  for (const [width, height] of TVS) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction((wide) => innerWidth === wide, width);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await eventually(
      () => misfits(page, height * 0.037),
      (found) => found.length === 0,
      10,
    ).catch(async () => assert.deepEqual(await misfits(page, height * 0.037), [], `${name} at ${height} lines`));
    await shot(page, `${name}-${height}`);
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
}

test('[U451] [V39] the shift has a ribbon for each machine on one time axis, with the minutes of the shift report', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, from_ms, shift_ms } = await shiftSite(gateway);
  const place = await client.call('locations_create', { name: 'North bench' });
  const ids = new Map<string, string>();
  for (const [unit, story] of Object.entries(STORIES)) {
    const id = await tell(gateway, client, unit, from_ms, story);
    await client.call('equipment_update', { id, location_id: place.id });
    ids.set(unit, id);
  }
  const idOf = (unit: string) => ids.get(unit) ?? '';
  const report = (type: 'downtime.started' | 'downtime.ended', minute: number) =>
    client.call('equipment_append_event', {
      id: idOf('LD-07'),
      type,
      occurred_at: new Date(from_ms + minute * MINUTE).toISOString(),
    });
  await report('downtime.started', 10);
  await report('downtime.ended', 100);
  await client.call('equipment_update', { id: idOf('HT-02'), status: 'down' });
  await using watched = await chromium.open(
    await shareOf(gateway, client, [{ type: 'shift_progress', position: WHOLE }]),
  );
  const { page } = watched;
  const namesOf = async (unit: string) => (await ribbonOf(page, unit)).map(({ name }) => name);
  await eventually(
    () => namesOf('EX-02'),
    (names) => `${names}`.includes('working,unknown,working'),
    90,
  );
  await page.locator(`${SHOWN} .ribbons li`).nth(3).waitFor();

  // The machine in trouble is first, with its shape, and the others follow by unit number.
  const rows = page.locator(`${SHOWN} .ribbons li`);
  await eventually(
    () => rows.locator('.unit').allTextContents(),
    (units) => `${units}` === 'HT-02,EX-02,HT-01,LD-07',
  );
  await rows.first().locator('.mark-critical').first().waitFor();
  assert.equal(await rows.nth(1).locator('span .mark').count(), 0, 'a machine without trouble has no shape');

  // The widths of the spans are the minutes of the row, and those of the draft of the shift report.
  const draft = await client.call('shift_reports_draft', {
    location_id: place.id,
    shift: 'day',
    date: new Date(shift_ms).toISOString().slice(0, 10),
  });
  for (const unit of Object.keys(STORIES)) {
    const label = (await page.locator(`${SHOWN} .ribbons li[aria-label^="${unit}:"]`).getAttribute('aria-label')) ?? '';
    const said = Object.fromEntries(
      [...label.matchAll(/(\w+) (\d+) min/g)].map(([, name = '', n]) => [name, Number(n)] as const),
    );
    const drawn: Record<string, number> = {};
    for (const { name, width } of await ribbonOf(page, unit)) drawn[name] = (drawn[name] ?? 0) + width * 7.2;
    for (const [name, minutes] of Object.entries(said))
      assert.ok(Math.abs((drawn[name.toLowerCase()] ?? 0) - minutes) < 0.01, `${unit} ${name}: ${minutes}`);
    const reported = draft.time_classes.find(({ equipment_id }) => equipment_id === idOf(unit))?.minutes;
    // The draft is some seconds newer, which may move a minute between two classes.
    for (const name of ['working', 'idle'] as const)
      assert.ok(
        Math.abs((said[name === 'working' ? 'Working' : 'Idle'] ?? 0) - (reported?.[name] ?? 0)) <= 1,
        `${unit} ${name} in the report`,
      );
    const all = Object.values(said).reduce((sum, n) => sum + n, 0);
    const share = await page.locator(`${SHOWN} .ribbons li[aria-label^="${unit}:"] .share`).textContent();
    assert.equal(share, `${Math.round((100 * (said.Working ?? 0)) / all)} %`);
  }
  const broken = draft.time_classes.find(({ equipment_id }) => equipment_id === idOf('LD-07'));
  assert.ok(Math.abs((broken?.minutes.down ?? 0) - 90) <= 1, `${broken?.minutes.down}`);

  // A state has a height or a pattern besides its colour.
  const heightOf = async (unit: string, name: string) =>
    (await ribbonOf(page, unit)).find((span) => span.name === name)?.height ?? 0;
  const working = await heightOf('HT-01', 'working');
  assert.ok(Math.abs((await heightOf('HT-01', 'idle')) / working - 0.5) < 0.1);
  assert.ok((await heightOf('LD-07', 'down')) > 1.1 * working);
  const off = page.locator(`${SHOWN} .ribbon [data-class="unknown"]`).first();
  assert.equal(await off.evaluate((one) => getComputedStyle(one).borderTopStyle), 'dashed');
  const down = page.locator(`${SHOWN} .ribbons li[aria-label^="LD-07:"] [data-class="down"]`);
  assert.match((await down.textContent()) ?? '', /^1 h (29|30|31)$/, 'a long breakdown has its duration');
  assert.equal(await down.locator('.mark-critical').count(), 1);

  // One axis: the present time on it, and nothing but the time that is left after it.
  const now = page.locator(`${SHOWN} .now`);
  assert.match((await now.textContent()) ?? '', /^\d\d:\d\d$/);
  assert.match((await now.getAttribute('aria-label')) ?? '', /^3 h \d\d min of 12 h elapsed$/);
  assert.match((await page.textContent(`${SHOWN} .rest`)) ?? '', /^8 h( \d\d min)? left$/);
  assert.ok((await page.locator(`${SHOWN} .shift .tick`).count()) >= 4);
  const line = (await now.boundingBox())?.x ?? 0;
  for (const one of await page.locator(`${SHOWN} .ribbon > *`).all()) {
    const box = await one.boundingBox();
    assert.ok((box?.x ?? 0) + (box?.width ?? 0) <= line + 8, 'no span is in the future');
  }
  await fitsEverywhere(page, 'shift-wall');
  assert.deepEqual(watched.complaints, []);
});

test('[U451] without the gateway for three minutes, the ribbons have no data for this time, and the tile says how old it is', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, from_ms } = await shiftSite(gateway);
  await tell(gateway, client, 'HT-01', from_ms, [[180, WORKS]]);
  const url = await shareOf(gateway, client, [{ type: 'shift_progress', position: WHOLE }]);
  await using watched = await chromium.open('about:blank');
  const { page } = watched;
  await page.clock.install();
  await page.goto(url);
  const last = async () => (await ribbonOf(page, 'HT-01')).at(-1);
  await eventually(last, (span) => span?.name === 'working', 90);
  await page.context().setOffline(true);
  await page.clock.fastForward('10:00');
  await page.locator('.tv[data-live="no"]').waitFor();
  const span = await eventually(last, (one) => one?.name === 'unknown');
  assert.ok(Math.abs((span?.width ?? 0) * 7.2 - 10) <= 2, `${span?.width} % of the shift`);
  await page.locator(`${SHOWN} .shift .legend >> text=/as of \\d+ min ago/`).waitFor();
});

test('[U452] machines that have no room are on further pages of the shift, those in trouble on the first', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway, true);
  const url = await shareOf(gateway, scene.client, [{ type: 'shift_progress', position: WHOLE }]);
  await using watched = await chromium.open(url);
  const { page } = watched;
  await page.locator(`${SHOWN} .ribbons li`).nth(9).waitFor();
  const troubled = [TROUBLE.safety, TROUBLE.critical, TROUBLE.stopLamp, TROUBLE.down, TROUBLE.warning, TROUBLE.silent];
  const units = () => page.locator(`${SHOWN} .ribbons .unit`).allTextContents();
  await eventually(units, (all) => troubled.every((unit) => all.slice(0, 7).includes(unit)));
  assert.equal((await units())[0], TROUBLE.safety);
  await fitsEverywhere(page, 'shift-pages');
  const u = 1080 / 100;
  const size = await page
    .locator(`${SHOWN} .ribbons .unit`)
    .first()
    .evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
  assert.ok(size >= 2.6 * u, `${size} px`);
  const seen: string[] = [];
  for (let i = 1; i <= 4; i += 1) {
    await page.locator(`${SHOWN} .shift .label`, { hasText: `${i} of 4` }).waitFor();
    await page.locator('footer', { hasText: `page ${i} / 4` }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.layer').length === 1);
    seen.push(...(await units()));
    await page.keyboard.press('ArrowRight');
  }
  assert.deepEqual(seen.toSorted(), [...scene.machines.keys()].sort(), 'every machine is on one page');
  assert.deepEqual(watched.complaints, []);
});

test('[U453] [V40] a map that fills its board has the machines in trouble beside it, unless another tile lists them', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const place = await client.call('locations_create', { name: 'Crusher' });
  const idOf = (unit: string) => scene.machines.get(unit)?.equipment_id ?? '';
  await client.call('equipment_update', { id: idOf(TROUBLE.down), location_id: place.id });
  const lost = await client.call('equipment_create', { unit_number: 'XX-99', status: 'down' });
  await using watched = await chromium.open(await shareOf(gateway, client, [{ type: 'map', position: WHOLE }]));
  const { page } = watched;
  const list = page.locator(`${SHOWN} .map-list article`);
  const rowOf = (unit: string) => list.filter({ has: page.locator(`h2:text-is("${unit}")`) });
  await page.locator(`${SHOWN} .map-list >> text=/^and \\d more$/`).waitFor();
  assert.equal(await list.first().locator('h2').textContent(), TROUBLE.safety);
  assert.match((await rowOf(TROUBLE.safety).textContent()) ?? '', /Service brake fails.*Nobody/);
  const count = await list.count();
  const more = Number(/\d/.exec((await page.textContent(`${SHOWN} .map-list > p`)) ?? '')?.[0]);
  assert.equal(count + more, 8, 'seven machines on the map and one without a position');
  // The footer does not repeat them.
  assert.equal(await page.locator('footer .alert, footer .worst').count(), 0);
  const ground = await page.locator(`${SHOWN} .ground`).boundingBox();
  const beside = await page.locator(`${SHOWN} .map-list`).boundingBox();
  assert.ok((ground?.x ?? 0) + (ground?.width ?? 0) <= (beside?.x ?? 0), 'the list covers no part of the map');
  await fitsEverywhere(page, 'map-wall');

  // With fewer machines in trouble the list has all of them, also the one without a position, and the place of each.
  for (const unit of [TROUBLE.warning, TROUBLE.critical, TROUBLE.stopLamp, TROUBLE.silent])
    await client.call('equipment_update', { id: idOf(unit), status: 'decommissioned' });
  await rowOf('XX-99').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.layer.shown .map-list > p').length === 0);
  assert.equal(await rowOf(TROUBLE.down).locator('.where').textContent(), 'Crusher');
  await client.call('equipment_take', { id: idOf(TROUBLE.safety) });
  await rowOf(TROUBLE.safety).locator('.owner:not(.nobody)').waitFor();
  assert.match((await page.textContent('header .counts')) ?? '', /^Act now: 3/, 'the header counts also XX-99');
  await shot(page, 'map-wall-few');
  await client.call('equipment_update', { id: lost.id, status: 'available' });
  await rowOf('XX-99').locator('text=/Back to normal/').waitFor();

  await page.goto(
    await shareOf(gateway, client, [
      { type: 'map', position: at(0, 0, 8, 6) },
      { type: 'machine_list', position: at(8, 0, 4, 6) },
    ]),
  );
  await page.locator(`${SHOWN} .list li`).first().waitFor();
  await page.locator(`${SHOWN} .spot i`).first().waitFor();
  assert.equal(await page.locator(`${SHOWN} .map-list`).count(), 0);
  assert.deepEqual(watched.complaints, []);
});

test('[U454] an old TV shows the sum of the shift, and then the ribbons of eight machines at a time', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, from_ms } = await shiftSite(gateway);
  const id = await tell(gateway, client, 'HT-01', from_ms, [
    [60, WORKS],
    [120, STANDS],
  ]);
  const report = (type: 'downtime.started' | 'downtime.ended', minute: number) =>
    client.call('equipment_append_event', { id, type, occurred_at: new Date(from_ms + minute * MINUTE).toISOString() });
  await report('downtime.started', 90);
  await report('downtime.ended', 150);
  for (let i = 2; i < 12; i += 1) await addMachine(client, `HT-${i}`);
  const url = (await shareOf(gateway, client, [{ type: 'shift_progress', position: WHOLE }])).replace(
    '/tv/',
    '/tv/lite/',
  );
  for (const width of [1920, 1280]) {
    await using watched = await chromium.open(url, {
      javaScriptEnabled: false,
      viewport: { width, height: (width * 9) / 16 },
    });
    const { page } = watched;
    await eventually(
      async () => {
        await page.goto(url);
        return await page.locator('.ribbon').count();
      },
      (ribbons) => ribbons === 8,
      90,
    );
    const row = page.locator('tr', { hasText: 'HT-01' });
    await row.locator('.ribbon rect.down').waitFor();
    assert.match((await row.textContent()) ?? '', /^HT-01Down 1 h\d+ %$/);
    const [high, low] = await Promise.all(
      ['working', 'standby'].map((name) => row.locator(`.ribbon .${name}`).first().getAttribute('height')),
    );
    assert.deepEqual([high, low], ['16', '8']);
    const last = await page.locator('tr').last().boundingBox();
    const tile = await page.locator('.tile').boundingBox();
    assert.ok((last?.y ?? 0) + (last?.height ?? 0) <= (tile?.y ?? 0) + (tile?.height ?? 0) + 1, 'all rows fit');
    await shot(page, `shift-lite-${width}`);
    assert.deepEqual(watched.complaints, []);
  }
});
