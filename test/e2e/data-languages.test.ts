/** The languages of the pages of rules, devices, buses, DBC files and Connect: walks them in a pseudo language. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';
import { addMachine, connectDevice, eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { createS3 } from '#test/support/s3.ts';
import { withoutBrowser } from './browser.ts';
import { traffic } from './bus-traffic.ts';
import { go, openIn, walkOf } from './office-walk.ts';
import { renamePeoplesTexts, TITLE } from './untranslated.ts';

const HOUR_MS = 3_600_000;
const RING: [number, number][] = [
  [24.9, 60.2],
  [24.91, 60.2],
  [24.91, 60.21],
  [24.9, 60.2],
];

/** A DBC file whose names have no words: two mappable signals, one that J1939 names, and one that the gateway ignores. */
const DBC = `VERSION "7"
BU_: E
BO_ 2364539904 M1: 8 E
 SG_ S1 : 24|16@1+ (0.125,0) [0|8031.875] "rpm" E
 SG_ S2 : 0|8@1+ (1,0) [0|0] "" E
BO_ 2566844414 M2: 8 E
 SG_ S3 : 24|8@1+ (0.04,0) [0|10] "bar" E
 SG_ S4 : 60|16@1+ (1,0) [0|0] "" E
BA_DEF_ SG_ "SPN" INT 0 524287;
BA_ "SPN" SG_ 2364539904 S1 190;
`;

/** Makes rules of each kind, and a machine with history. Returns the rule that is muted. */
async function makeRules(client: Client): Promise<string> {
  const hot = await addMachine(client, 'HT-14');
  await addMachine(client, 'HT-15');
  const place = await client.call('locations_create', {
    name: TITLE,
    geofence: { type: 'Polygon', coordinates: [RING] },
  });
  const plan = await client.call('maintenance_plans_create', {
    name: TITLE,
    equipment_id: hot.equipment_id,
    every_hours: 250,
  });
  const start = Date.now() - 30 * HOUR_MS;
  const points = Array.from({ length: 1_800 }, (_, i) => ({
    ts: start + i * 1_000,
    values: { 'engine.coolant_temperature': i > 900 && i < 1_300 ? 108 : 88 },
  }));
  await client.call('devices_telemetry', { id: hot.device, points });
  await eventually(
    () => client.call('equipment_get', { id: hot.equipment_id }),
    (machine) => machine.coolant_temperature_c === 88,
  );
  const coolant = { signal: 'engine.coolant_temperature', name: TITLE } as const;
  const over = { ...coolant, op: 'gt', value: 107, clear_value: 100 } as const;
  await client.call('equipment_update', { id: hot.equipment_id, kind: 'haul_truck', location_id: place.id });
  const rule = await client.call('alert_rules_create', {
    ...over,
    for_seconds: 30,
    no_data_seconds: 300,
    actions: ['webhook', 'ticket', 'mqtt'],
    scope: { equipment_ids: [hot.equipment_id], kinds: ['haul_truck'], location_ids: [place.id] },
  });
  await client.call('alert_rules_create', { ...over, op: 'lte', clear_value: null, enabled: false, severity: 'info' });
  const rises = { direction: 'rise', by: 10, within_seconds: 60, across_gaps: false } as const;
  await client.call('alert_rules_create', { ...coolant, change: rises });
  await client.call('alert_rules_create', { ...coolant, change: { ...rises, direction: 'fall', across_gaps: true } });
  await client.call('alert_rules_create', { name: TITLE, signal: 'dtc.active', spn: 100, fmi: 1, for_seconds: 10 });
  await client.call('alert_rules_create', { name: TITLE, signal: 'dtc.amber', op: 'gte', value: 2 });
  for (const event of ['enter', 'leave'] as const)
    await client.call('alert_rules_create', {
      name: TITLE,
      signal: 'position.geofence',
      geofence: { location_id: place.id, event },
      for_seconds: event === 'enter' ? 0 : 600,
    });
  for (const [plan_id, from] of [
    [plan.id, 'due'],
    [null, 'overdue'],
  ] as const)
    await client.call('alert_rules_create', {
      name: TITLE,
      signal: 'maintenance.service',
      service: { plan_id, from, ...(from === 'due' && { hours_left: 50, days_left: 7 }) },
      actions: ['ticket'],
    });
  await renamePeoplesTexts(client);
  const until = new Date(Date.now() + 8 * HOUR_MS).toISOString();
  const now = await client.call('alert_rules_get', { id: rule.id });
  const mute = [{ from: null, until, equipment_id: hot.equipment_id, reason: TITLE }];
  await client.call('alert_rules_update', { id: rule.id, mute }, { if_match: now.revision });
  return rule.id;
}

test('[U303] [U304] the pages of alert rules and the trial of a rule are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-words-'));
  try {
    await using gateway = await startGateway(folder);
    const { project } = await gateway.client.call('projects_create', { name: TITLE, units: 'us' });
    const client = gateway.project(project.id);
    const id = await makeRules(client);
    await using office = await openIn(gateway.node.http, 'en-XA');
    const { page } = office;
    const { look, end } = walkOf(page);
    await go(page, 'alerts/rules');
    await page.locator('li.rule').nth(9).waitFor();
    await look('rules');
    await go(page, `alerts/rules/${id}`);
    await page.locator('.panel-box form').waitFor();
    await look('rule');
    await page.locator('.panel-box form input[inputmode]').first().fill('106');
    const { revision } = await client.call('alert_rules_get', { id });
    await client.call('alert_rules_update', { id, op: 'gte', severity: 'info' }, { if_match: revision });
    await page.locator('.met li').nth(1).waitFor();
    await look('rule-changed');
    await go(page, 'alerts/rules/new');
    const form = page.locator('.panel-box form');
    const tries = page.locator('.try-rule > button');
    const watches = form.locator('fieldset.pick').first().locator('input');
    await form.locator('summary').click();
    await form.locator('input[inputmode]').first().fill('105');
    await tries.click();
    await page.locator('.trial-alerts li').first().waitFor();
    await look('rule-signal');
    await watches.nth(1).check();
    await form.locator('input[inputmode]').first().fill('10');
    await tries.click();
    await page.locator('.trials').waitFor();
    await look('rule-change');
    await watches.nth(2).check();
    await form.locator('input[inputmode]').first().fill('100');
    await tries.click();
    await page.locator('.trial-result .aside').waitFor();
    await look('rule-code');
    await watches.nth(3).check();
    await form.locator('select').selectOption({ index: 1 });
    await look('rule-fence');
    await watches.nth(4).check();
    await tries.click();
    await page.locator('.trial-result .sentence').first().waitFor();
    await look('rule-service');
    await form.locator('input[inputmode]').first().fill('12.345');
    await form.locator('button[type=submit]').click();
    await form.locator('.problem').waitFor();
    await look('rule-refused');
    await go(page, 'alerts/rules/none');
    await page.locator('.problem').waitFor();
    await look('rule-gone');
    end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[U304] the pages of devices, buses, DBC files and Connect are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE });
  const client = gateway.project(project.id);
  await using office = await openIn(gateway.node.http, 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  for (const [name, hash, shows] of [
    ['devices-empty', 'devices', '.nothing'],
    ['bus-empty', 'bus', '.nothing'],
    ['dbc-empty', 'dbc', '.nothing'],
    ['connect', 'connect', 'textarea.mono'],
  ] as const) {
    await go(page, hash, `main ${shows}`);
    await look(name);
  }
  await page.locator('main form button[type=submit]').click();
  await page.locator('main form').waitFor({ state: 'detached' });
  await look('connect-key');

  const machine = await addMachine(client, 'HT-01');
  const quiet = await addMachine(client, 'HT-02');
  await client.call('devices_quarantine', { id: quiet.device, quarantined: true, reason: TITLE });
  const logger = await loggerOf(client, gateway);
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const topic = `v1/devices/${machine.device_id}/can`;
  const send = () => mqtt.publishAsync(topic, Buffer.from(traffic(Date.now() - 12_000, 12)), { qos: 1 });
  await send();
  await go(page, 'devices');
  await page.locator('tbody tr').nth(2).waitFor();
  await look('devices');
  await page.locator('.head button').click();
  for (const [i, kind] of ['camera', 'generic', 'can_logger'].entries()) {
    await page.locator('main form input').first().fill(`7${i}`);
    await page.locator('main form select').first().selectOption(kind);
    await page.locator('main form button[type=submit]').click();
    await page.locator('.made').waitFor();
    await look(`device-made-${kind}`);
    await page.locator('.made button.primary').click();
    await page.locator('.head button').click();
  }
  await go(page, `bus/${machine.device}`);
  await page.locator('tbody tr').first().waitFor();
  await eventually(
    async () => (await page.locator('.bus .load progress').first().getAttribute('value')) !== '0' || send(),
    (is) => is === true,
  );
  await look('bus');
  await go(page, `bus/${quiet.device}`);
  await page.locator('.nothing').waitFor();
  await look('bus-no-frames');
  await go(page, `devices/${quiet.device}`);
  await page.locator('.problem').first().waitFor();
  await look('device-quarantined');
  await logger.look(page, look);
  await dbcPages(page, client, look);
  await mqtt.endAsync();
  end();
});

type Look = (name: string) => Promise<void>;

/** Opens each part of the page that a person can open. */
const openParts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const part of document.querySelectorAll<HTMLDetailsElement>('main details')) part.open = true;
  });

/** A logger with a configuration, a new pair of keys, a file and an offered firmware. */
async function loggerOf(client: Client, gateway: TestGateway) {
  const { device } = await client.call('devices_provision', { serial: '29691316', name: TITLE });
  const { id } = device;
  const info = await client.call('devices_provision_info', { device_id: id });
  const claim_id = info.hmac.secret_ref.split('/').at(-1) ?? '';
  const { secret } = await client.call('devices_hmac_claim', { id, claim_id });
  const s3 = createS3({ port: gateway.node.bucketPort, access: info.hmac.access_key_id, secret: secret ?? '' });
  const put = async (name: string, body: Buffer | object) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const answer = await s3.send({ method: 'PUT', key: `${device.device_id}/${name}`, body: bytes });
    assert.equal(answer.status, 200, answer.text);
  };
  const config = { general: { security: {} }, connect: { wifi: { keyformat: 0, accesspoint: [] } } };
  return {
    async look(page: Page, look: Look): Promise<void> {
      await go(page, `devices/${id}`);
      await page.locator('textarea.config').waitFor();
      await look('device-new');
      const save = page.locator('textarea.config ~ .actions button.primary');
      await page.locator('textarea.config').fill('{');
      await save.click();
      await page.locator('.panel-box:has(textarea.config) .problem').waitFor();
      await put('device.json', { id: '29691316', type: '0000001F', fw_ver: '01.09.01', hw_ver: '00.03' });
      await put('config-01.09.json', config);
      const line = (i: number) => `(${1_760_000_000 + i}.000000) can1 0CF00400#F07D84B01300F084\n`;
      const frames = Array.from({ length: 200 }, (_, i) => line(i)).join('');
      await put('00000012/00000001-68E77800.MF4', Buffer.from(frames));
      const stored = await client.call('devices_config_get', { id });
      await client.call('devices_config_put', { id, config }, { if_match: stored.revision });
      await client.call('devices_bucket_key_roll', { id, overlap_hours: 72 });
      await page.reload();
      await page.locator('.file-state').first().waitFor();
      await page.locator('input[type=password]').waitFor({ state: 'attached' });
      await openParts(page);
      await page.locator('tbody tr').first().waitFor();
      await page.locator('input[type=password]').fill('x'.repeat(12));
      await page.locator('form:has(input[type=password]) button[type=submit]').click();
      await page.locator('form p[role=status]').waitFor();
      // Parts that came since are closed.
      await openParts(page);
      await page.locator('.form > button').last().click();
      await page.locator('.form p[role=status]').last().waitFor();
      await look('device-logger');
    },
  };
}

/** Walks the pages of a DBC file: its import with an error, its mapping, trial and use, and a second version. */
async function dbcPages(page: Page, client: Client, look: Look): Promise<void> {
  await go(page, 'dbc');
  const choose = (text: string) =>
    page
      .locator('input[accept=".dbc"]')
      .setInputFiles({ name: `${TITLE}.dbc`, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const send = page.locator('main form button[type=submit]');
  await choose(DBC.replace('16@1+', '16@5+'));
  await send.click();
  await page.locator('figcaption').waitFor();
  await look('dbc-refused');
  await choose(DBC);
  await page.locator('figcaption').waitFor({ state: 'detached' });
  await send.click();
  await page.locator('.offered').waitFor();
  await look('dbc-new');
  await page.locator('.offered li button').click();
  await page.locator('input[type=search] ~ *, .table select').first().waitFor();
  const [file] = (await client.call('dbc_list', {})).data;
  const mapping = [
    { message: 'M1', signal: 'S1', to: 'engine.speed' as const },
    { message: 'M2', signal: 'S3', to: 'engine.oil_pressure' as const, preferred: true },
  ];
  await client.call('dbc_map', { id: file?.id ?? '', mapping });
  await page.locator('.met-mapping').waitFor({ timeout: 30_000 });
  await look('dbc-conflict');
  await page.locator('.met-mapping button').first().click();
  const trial = page.locator('.panel-box:has(.pair) button.primary');
  await trial.click();
  await page.locator('.result').waitFor();
  for (const summary of await page.locator('.result summary').all()) await summary.click();
  await look('dbc-tried');
  await page.locator('.who input').nth(1).check();
  await page.locator('.devices input').first().check();
  await page.locator('.panel-box:has(.who) button.primary').click();
  await page.locator('.panel-box:has(.who) .arrived').waitFor();
  await look('dbc-used');
  await client.call('dbc_import', { name: TITLE, text: DBC });
  await go(page, 'dbc');
  await page.locator('tbody tr').nth(1).waitFor();
  await look('dbc-list');
  await page.locator('tbody tr a').first().click();
  await page.locator('.versions li').nth(1).waitFor();
  await look('dbc-second');
  await page.evaluate(() => {
    location.hash = 'dbc/none';
  });
  await page.locator('.problem').waitFor();
  await look('dbc-gone');
}
