/** The page Now, the list of machines, and the story of a machine, in the order and with the numbers of the wall. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { createClient } from '#contract/client.ts';
import { startGateway, type TestGateway, type TestMachine } from '#test/support/gateway.ts';
import { axeViolations, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { type Scene, setScene, TROUBLE } from './wall-scene.ts';

const LOOKS = ['dark', 'light'] as const;

/** Checks a page in dark and light: nothing sticks out on a desktop, a tablet and a phone, and axe finds nothing. Keeps pictures. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="tv-${colorScheme}"]`).waitFor();
    assert.deepEqual(await sizesThatStickOut(page, `${name}-${colorScheme}`), [], `${name}, ${colorScheme}`);
    assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
  }
}

test('[U96] the page Now has the order, the sentences and the counts of the wall, and the list of machines has the same order', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  await using wall = await chromium.open(gateway.node.http + scene.wall);
  const counts = wall.page.locator('header .counts');
  await counts.filter({ hasText: /^Act now: 4Look soon: 3Fine: 5$/ }).waitFor();
  await using office = await chromium.open(`${gateway.node.http}/#now`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  await page
    .locator('.now-counts')
    .filter({ hasText: /^Act now: 4Look soon: 3Fine: 5$/ })
    .waitFor();
  const [hero] = await page.locator('.troubles .says .link').allTextContents();
  assert.equal(hero, await wall.page.textContent('.layer.shown .trouble.urgent h2'));
  const row = page.locator('.troubles .machine-trouble', { hasText: TROUBLE.safety });
  await row.getByText('Service brake fails on the ramp, still running').waitFor();
  await row.getByRole('button', { name: 'I take it', exact: true }).click();
  await row.getByText(/is on it/).waitFor();
  await wall.page
    .locator(`.layer.shown .trouble:has(h2:text-is("${TROUBLE.safety}")) .owner >> text=/is on it/`)
    .waitFor();
  assert.equal(await page.locator('.now-rest li').count(), 5);
  await looksRight(page, 'now');

  const troubles = await page.locator('.troubles .says .link').allTextContents();
  await page.getByRole('link', { name: 'Machines', exact: true }).click();
  await page.locator('tbody tr').nth(11).waitFor();
  const units = await page.locator('tbody th .link').allTextContents();
  assert.deepEqual(units.slice(0, troubles.length), troubles);
  assert.equal(await page.locator('tbody .needs').count(), troubles.length);
  await page
    .locator('tbody tr', { hasText: TROUBLE.silent })
    .locator('.needs', { hasText: 'No data. Nobody on it yet.' })
    .waitFor();
  await page.locator('.now-rest').waitFor({ state: 'detached' });
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

/** Stores the last three hours of a machine: it works in the pit, stands still at the crusher, and its coolant gets hot. */
async function hoursBefore({ client, machines }: Scene, gateway: TestGateway, unit: string): Promise<void> {
  const machine = machines.get(unit) as TestMachine;
  const [lat, lon] = [-23.36, 119.73];
  const square = (east: number) => {
    const at = (x: number, y: number): [number, number] => [lon + (east + x) / 102_080, lat + y / 111_195];
    return {
      type: 'Polygon' as const,
      coordinates: [[at(-400, -600), at(400, -600), at(400, 600), at(-400, 600), at(-400, -600)]],
    };
  };
  const pit = await client.call('locations_create', { name: 'Pit North', geofence: square(0) });
  const operator = await client.call('operators_create', { name: 'Rui Costa' });
  const set = { id: machine.equipment_id, location_id: pit.id, operator_id: operator.id };
  await client.call('equipment_update', set);
  await client.call('locations_create', { name: 'Crusher', geofence: square(2_000) });
  const now = Date.now();
  const points = Array.from({ length: 175 }, (_, i) => {
    const minute = i - 180;
    const isIdle = minute > -110 && minute < -80;
    const hot = minute > -60 ? (minute + 60) * 0.35 : 0;
    return {
      observed_at: new Date(now + minute * 60_000).toISOString(),
      values: {
        'engine.speed': isIdle ? 800 : 1_500 + 200 * Math.sin(i / 3),
        'engine.load': isIdle ? 12 : 60 + 20 * Math.sin(i / 2),
        'engine.coolant_temperature': 84 + hot + Math.sin(i),
        'engine.fuel_rate': isIdle ? 6 : 45 + 5 * Math.sin(i / 2),
        'fuel.level': 95 - i / 9,
        'electrical.battery': 27.8,
        'position.latitude': lat,
        'position.longitude': lon + (minute > -125 && minute < -70 ? 2_000 : 0) / 102_080,
      },
    };
  });
  const device = createClient({ base_url: gateway.node.http, key: machine.key });
  for (let i = 0; i < points.length; i += 60)
    await device.call('devices_telemetry', { id: machine.device, points: points.slice(i, i + 60) });
  await client.call('equipment_append_event', {
    id: machine.equipment_id,
    type: 'downtime.started',
    occurred_at: new Date(now - 80 * 60_000).toISOString(),
  });
  await client.call('equipment_append_event', {
    id: machine.equipment_id,
    type: 'downtime.ended',
    occurred_at: new Date(now - 62 * 60_000).toISOString(),
  });
  await client.call('repair_tickets_create', { equipment_id: machine.equipment_id, title: 'Hydraulic hose' });
}

/** A candump log with one minute of engine speed, two hours ago. */
function log(): string {
  const from = Date.now() / 1000 - 7_200;
  return Array.from({ length: 60 }, (_, i) => `(${(from + i).toFixed(6)}) can0 0CF00400#F07D84B01300F084\n`).join('');
}

test('[U97] [U373] [U466] [U467] the page of a machine shows its states, places, signals and what happened on one time axis', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  await hoursBefore(scene, gateway, TROUBLE.stopLamp);
  const id = scene.machines.get(TROUBLE.stopLamp)?.equipment_id ?? '';
  await using office = await chromium.open(`${gateway.node.http}/#story/${id}/day`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = office;
  await signIn(page);
  const story = page.locator('.story');
  await page.locator('.story [aria-pressed="true"]:text-is("Day")').waitFor();
  await story.locator('.states [data-state="working"]').first().waitFor();
  await story.locator('.states [data-state="down"][title^="Down 18 min"]').waitFor();
  await story.locator('.places [title^="Crusher"]').waitFor();
  await story.locator('.places [title^="Pit North"]').first().waitFor();
  for (const name of ['Coolant', 'Engine speed', 'Engine load', 'Fuel', 'Fuel rate'])
    await story.locator('.story-name', { hasText: new RegExp(`^${name}$`) }).waitFor();
  await story.locator('.story-line path').first().waitFor({ state: 'attached' });
  await story.locator('.story-codes li', { hasText: 'Engine oil pressure 1: far too low' }).waitFor();
  // [U466] The code is one bar with its words on the axis, and one entry below it.
  const code = story.locator('.story-items.codes');
  assert.equal(await code.count(), 1);
  assert.match((await code.locator('.story-text').textContent()) ?? '', /^Engine oil pressure 1: far too low$/);
  const [whole, active] = await Promise.all(
    ['.story-item.code', '.story-on'].map((part) => code.locator(part).first().boundingBox()),
  );
  assert.ok((whole?.width ?? 0) >= (active?.width ?? 0) && (active?.width ?? 0) > 0);
  // [U467] The head says what the machine is, where people say that it is, its hours, and its operator.
  await page.locator('.head-trouble', { hasText: /Pit North, [\d\s]+\.\d\sh, operator Rui Costa/ }).waitFor();
  await story.locator('.story-item.alert.critical[title="Red stop lamp"]').waitFor();
  await story.locator('.story-codes dt', { hasText: 'Engine speed' }).waitFor();
  await page.locator('.story-log li', { hasText: 'Reported down' }).waitFor();

  // A log that a person drops anywhere on the page is uploaded, decoded, and stands on the axis at the time of its data.
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'dozer.log'));
    return data;
  }, log());
  await page.locator('body').dispatchEvent('drop', { dataTransfer: dropped });
  await page.locator('.story-drop [role="status"]', { hasText: /dozer\.log is (on the gateway|decoded)/ }).waitFor();
  await story.locator('.story-item.file:not(.waiting)[title="dozer.log"]').waitFor();
  // The note follows the decoding to its end, and says what was in the log.
  await page.locator('.story-drop [role="status"]', { hasText: /dozer\.log is decoded\. .* frames/ }).waitFor();
  await looksRight(page, 'story');

  // The cursor, by keyboard: it names the moment, and the values are those of the moment.
  const cursor = page.getByRole('slider', { name: 'Moment' });
  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await page.waitForURL(new RegExp(`#story/${id}/week$`));
  await page.locator('.story [aria-pressed="true"]:text-is("Week")').waitFor();
  await cursor.focus();
  await page.keyboard.press('Home');
  await story.locator('.story-now', { hasText: /^at \d\d:\d\d$/ }).waitFor();
  await story.locator('.story-cursor', { hasText: /: No data$/ }).waitFor();
  await page.keyboard.press('End');
  await story.locator('.story-now', { hasText: /^now$/ }).waitFor();
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U97] every missing value of a machine leads to the step at which its data stops, and the address keeps the question', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const id = scene.machines.get(TROUBLE.silent)?.equipment_id ?? '';
  await using office = await chromium.open(`${gateway.node.http}/#story/${id}`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = office;
  await signIn(page);
  await page.getByRole('heading', { name: TROUBLE.silent, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'No data: why? Coolant' }).click();
  await page.getByRole('heading', { name: 'Why is Coolant grey?' }).waitFor();
  await page.locator('.story-chain .chain li.first .remedy').waitFor();
  await page.waitForURL(new RegExp(`#story/${id}/shift/engine.coolant_temperature$`));
  await looksRight(page, 'story-why');
  await page.reload();
  await page.getByRole('heading', { name: 'Why is Coolant grey?' }).waitFor();

  // A machine without a logger says so, and its story has what people reported.
  const { id: bare } = await scene.client.call('equipment_create', { unit_number: 'XX-01' });
  await page.goto(`${gateway.node.http}/#story/${bare}`);
  await page.getByText('No logger is linked to this machine, so its story').waitFor();
  await looksRight(page, 'story-empty');
  await page.getByRole('link', { name: 'All machines' }).click();
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});
