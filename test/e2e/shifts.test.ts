/** Shifts in the browser: the draft, what changed since the last look, and a report beside history. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('[U150] [U370] a draft shows times, stoppages and what changed since the last look; a report is shown beside history and printed', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const now = Date.now();
  // One shift a day, which began three to four hours ago.
  const starts = new Date(Math.floor(now / HOUR) * HOUR - 3 * HOUR).toISOString().slice(11, 16);
  const shift_pattern = [{ name: 'all day', starts, ends: starts }];
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    timezone: 'UTC',
    shift_pattern,
  });
  const client = await gateway.project(project.id);
  const machine = await addMachine(client, 'HT-104');
  const { equipment_id } = machine;
  const place = await client.call('locations_create', { name: 'North bench' });
  await client.call('equipment_update', { id: equipment_id, status: 'in_use' });
  const report = (type: 'downtime.started' | 'downtime.ended', ago_ms: number) =>
    client.call('equipment_append_event', {
      id: equipment_id,
      type,
      occurred_at: new Date(now - ago_ms).toISOString(),
    });
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const send = (points: object[]) =>
    mqtt.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ points }), { qos: 1 });
  await send([{ values: { 'engine.speed': 1_500 } }]);
  await report('downtime.started', 40 * MINUTE);
  await report('downtime.ended', 20 * MINUTE);
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines/${equipment_id}`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = watched;
  await signIn(page);
  await page.getByLabel('Location').selectOption('North bench');
  await eventually(
    () => client.call('equipment_get', { id: equipment_id }),
    ({ location_id }) => location_id === place.id,
  );
  await page.goto(`${gateway.node.http}/#shifts`);
  await page.getByRole('link', { name: 'HT-104' }).first().waitFor();
  await page.getByText(/HT-104 down, .*20 min/).waitFor();
  await page.getByText(/Downtime reported by .* at/).waitFor();
  assert.equal(await page.getByText('Changed since your last look').count(), 0);
  // The page remembers the first look at once.
  const input = { location_id: place.id, shift: 'all day', date: '' };
  const date = await page.getByLabel('Begins on').inputValue();
  const draft = () => client.call('shift_reports_draft', { ...input, date });
  await eventually(draft, ({ changes }) => changes.since !== null);
  // The device sends half an hour that it had kept.
  const from = now - 2 * HOUR;
  for (let minute = 0; minute < 30; minute++)
    await send(
      Array.from({ length: 60 }, (_, i) => ({
        observed_at: new Date(from + minute * MINUTE + i * 1_000).toISOString(),
        values: { 'engine.speed': 1_500 },
      })),
    );
  await mqtt.endAsync();
  const isKnown = ({ time_classes }: Awaited<ReturnType<typeof draft>>) =>
    (time_classes[0]?.minutes.working ?? 0) >= 30;
  await eventually(draft, isKnown);
  await page.reload();
  await page.getByText(/Changed since your last look/).waitFor();
  await page.getByText(/HT-104 was unknown, is working now/).waitFor();
  await page.getByText(/New data (arrived|was in history)/).waitFor();
  await shot(page, 'shifts-draft');
  assert.deepEqual(await sizesThatStickOut(page, 'shifts-draft'), []);
  await page.getByRole('button', { name: 'I have seen these changes' }).click();
  await page.getByText(/Changed since your last look/).waitFor({ state: 'detached' });
  const { report: body } = await draft();
  const submitted = await client.call('shift_reports_create', { ...body, summary: 'Loader broke down once.' });
  await report('downtime.started', 60 * MINUTE);
  await report('downtime.ended', 50 * MINUTE);
  await page.goto(`${gateway.node.http}/#shifts/${submitted.id}`);
  await page.getByText('Loader broke down once.').waitFor();
  await page.getByText(/HT-104 was unknown, is down now/).waitFor();
  await page.getByText(/unscheduled downtime 20 min, now 30 min/).waitFor();
  await shot(page, 'shifts-report');
  assert.deepEqual(await sizesThatStickOut(page, 'shifts-report'), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  const row = page.getByRole('row', { name: /^HT-104/ });
  await row.getByText('20 min', { exact: true }).waitFor();
  await page.getByText(/^North bench, /).waitFor();
  const saved = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
  };
  const times = await saved('Times as CSV');
  assert.equal(times.name, `shift-${date}-all-day-times.csv`);
  const [head = '', line = ''] = times.text.split('\r\n');
  const cells = new Map(head.split(',').map((column, i) => [column, line.split(',')[i]]));
  assert.deepEqual([cells.get('machine'), cells.get('unscheduled_downtime_min')], ['HT-104', '20']);
  const stoppages = await saved('Stoppages as CSV');
  assert.match(stoppages.text.split('\r\n')[1] ?? '', /,HT-104,.*,20,unscheduled_downtime,$/);
  // The button prints. On paper, the report has its site, its machines and its stoppages, and nothing to click.
  await page.evaluate(() => {
    globalThis.print = () => document.body.setAttribute('data-printed', '');
  });
  await page.getByRole('button', { name: 'Print or save as PDF' }).click();
  await page.locator('body[data-printed]').waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const text of [/^North Pit, printed /, 'Loader broke down once.', 'Times in the report'])
    assert.ok(await page.getByText(text).isVisible(), `${text} is on paper`);
  assert.ok(await row.isVisible(), 'the minutes of the machine are on paper');
  for (const gone of ['button', 'nav', 'header', '.link-state'])
    assert.equal(await page.locator(`.office ${gone}:visible`).count(), 0, `no ${gone} on paper`);
  await shot(page, 'shifts-report-paper');
  const complaints = watched.complaints.filter((text) => !/\b401\b/.test(text));
  assert.deepEqual(complaints, []);
});

test('[U470] the target of the site is set on the page Site, and Shifts and the TV compare with it', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const now = Date.now();
  // The shift began half an hour before the first data.
  const starts = new Date(now - 150 * MINUTE).toISOString().slice(11, 16);
  const { project } = await gateway.client.call('projects_create', {
    ...{ name: 'North Pit', timezone: 'UTC', shift_pattern: [{ name: 'all day', starts, ends: starts }] },
  });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-104');
  const place = await client.call('locations_create', { name: 'North bench' });
  await client.call('equipment_update', { id: machine.equipment_id, status: 'in_use', location_id: place.id });
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  // An hour of work, then an hour of idling.
  for (let minute = 0; minute < 120; minute += 10)
    await mqtt.publishAsync(
      `v1/devices/${machine.device_id}/telemetry`,
      JSON.stringify({
        points: Array.from({ length: 120 }, (_, i) => ({
          observed_at: new Date(now - 121 * MINUTE + minute * MINUTE + i * 5_000).toISOString(),
          values: { 'engine.speed': minute < 60 ? 1_500 : 700, 'engine.load': minute < 60 ? 60 : 5 },
        })),
      }),
      { qos: 1 },
    );
  await mqtt.endAsync();
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#site`, { viewport: { width: 1440, height: 900 } });
  const { page } = watched;
  await signIn(page);
  const field = page.getByLabel('Target: share of the shift in which machines work');
  await field.fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The target is from 1 to 100 %.').waitFor();
  await field.fill('75');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. TVs show the change').waitFor();
  await shot(page, 'site-target');
  await page.goto(`${gateway.node.http}/#shifts`);
  const worked =
    /^Machines worked (\d+) % of the known time\. (?:19|20|21) % of the time is not known\. That is (\d+) below the target of 75 %\.$/;
  const text = await page.getByText(worked).textContent();
  const [, percent = '', below = ''] = worked.exec(text ?? '') ?? [];
  assert.equal(Number(percent) + Number(below), 75);
  assert.ok(Number(percent) >= 40 && Number(percent) <= 60, `${text}`);

  // The TV says the same percentage, and marks it as below the target.
  const board = (await client.call('dashboards_list', {})).data.find(({ name }) => name === 'This shift');
  assert.ok(board);
  const { url } = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
  await using tv = await chromium.open(url ?? '', { viewport: { width: 1920, height: 1080 } });
  await tv.page.locator(`.kpi[data-level="warning"][aria-label^="Work in known time: ${percent} %"]`).waitFor();
  await tv.page.locator('.kpi .note >> text=/^(19|20|21) % unknown$/').waitFor();
  await tv.page.locator('.kpi[aria-label^="Longest down this shift: 0 min"]').waitFor();
  await shot(tv.page, 'wall-this-shift');
});

test('[U445] the page of shifts shows planned service as the board and the story do, and not as down', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const starts = new Date(Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR).toISOString().slice(11, 16);
  const shift_pattern = [{ name: 'all day', starts, ends: starts }];
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    timezone: 'UTC',
    shift_pattern,
  });
  const client = await gateway.project(project.id);
  const location_id = (await client.call('locations_create', { name: 'North bench' })).id;
  const since = (ago_ms: number) => new Date(Date.now() - ago_ms).toISOString();
  for (const [unit_number, status, minutes] of [
    ['HT-05', 'maintenance', 92],
    ['WL-02', 'down', 62],
  ] as const) {
    const { id } = await client.call('equipment_create', { unit_number, location_id });
    await client.call('equipment_update', { id, status, status_since: since(minutes * MINUTE) });
    const { states } = await client.call('equipment_story', { id });
    assert.equal(states.at(-1)?.state, status === 'down' ? 'down' : 'service');
  }
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#shifts`, { viewport: { width: 1440, height: 900 } });
  const { page } = watched;
  await signIn(page);
  const cell = (unit: string, label: string) =>
    page.getByRole('row', { name: unit }).locator(`[data-label="${label}"]`).textContent();
  await page.getByRole('row', { name: 'HT-05' }).waitFor();
  assert.match((await cell('HT-05', 'Service')) ?? '', /^1 h 3\d min$/);
  assert.equal(await cell('HT-05', 'Down'), '–');
  assert.match((await cell('WL-02', 'Down')) ?? '', /^1 h 0\d min$/);
  assert.equal(await cell('WL-02', 'Service'), '–');
  await page.getByRole('img', { name: /Service 1 h 3\d min/ }).waitFor();
  await page.getByText(/HT-05 planned service, /).waitFor();
  await shot(page, 'office-shift-service');
});
