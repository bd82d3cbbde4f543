/** The pages of admins and of head office in a pseudo language: no text is forgotten, and everything fits. */
import assert from 'node:assert/strict';
import { connect as dial, type Socket } from 'node:net';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import mqtt from 'mqtt';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { soon, until } from '#test/support/until.ts';
import { apart, End, twoEnds } from '#test/sync/ends.ts';
import { twoBoxes } from '#test/sync/two-boxes.ts';
import { withoutBrowser } from './browser.ts';
import { go, openIn, walkOf } from './office-walk.ts';
import { TITLE } from './untranslated.ts';

const urlOf = ({ port }: End): string => `http://127.0.0.1:${port}`;

/** Two certain machines, one that the text has no number for, people, a shift, a screen, and a sentence without meaning. */
const SITE_TEXT = `HT-01 to HT-02 are Cat 777G haul trucks. The screener is a Powerscreen of size 1400.
Day shift 07:00 to 15:00. Operators: Анна Руис (HT-01). Mechanic: Лена Мосс. Everybody sang.
Screens:
- canteen: machine status, alerts, fuel, hours and open repair tickets`;

test('[U292] [U310] [U311] the pages of the agent and of a setup are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  await using model = await startModelServer((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { text: TITLE }
      : {
          calls: [
            { name: 'equipment_update', input: { id: 'HT-07', status: 'down', reason: TITLE } },
            { name: 'repair_tickets_create', input: { title: TITLE, equipment_id: 'HT-07' } },
            { name: 'equipment_get', input: { id: 'HT-99' } },
            { name: 'equipment_append_event', input: { id: 'HT-07', type: 'note', data: { text: TITLE } } },
          ],
        },
  );
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE });
  const site = gateway.project(project.id);
  await site.call('equipment_create', { unit_number: 'HT-07' });
  await using office = await openIn(gateway.node.http, 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  await go(page, 'agent');
  await look('agent-none');
  const actions = page.locator('section[aria-labelledby="custom-actions"]');
  await actions.locator('.head button').click();
  await look('agent-action-form');
  const named = { label: TITLE, emoji: '🔎', prompt: TITLE } as const;
  const { id } = await site.call('custom_actions_create', { ...named, scope: 'equipment', placement: ['equipment'] });
  const { id: subject_id } = (await site.call('equipment_list', {})).data[0] ?? { id: '' };
  const failed = await site.call('custom_actions_run', { id, subject_id });
  await until(
    async () => (await site.call('tasks_get', { task_id: failed.id })).run?.status === 'failed',
    'the run without a model has failed',
  );
  await go(page, `machines/${subject_id}`);
  await page.locator('.place-actions .badge-word').waitFor();
  await look('machine-actions');
  await go(page, 'agent');
  await actions.locator('.rows .badge-word').waitFor();
  await look('agent-actions');
  const provider = { kind: 'openai', url: model.url, model: TITLE } as const;
  await site.call('review_configuration_update', { id: project.id, provider }, { if_match: 0 });
  const ask = page.locator('section.panel-box').nth(1);
  await ask.locator('input').fill(TITLE);
  await ask.locator('select').selectOption('write');
  await ask.locator('button').click();
  const transcript = page.locator('section.panel-box[aria-label]');
  const undo = transcript.locator('button:not(.buttons button)');
  await undo.waitFor();
  await look('agent-task');
  await undo.click();
  await transcript.getByRole('alertdialog').waitFor();
  await look('agent-undo');
  await transcript.locator('button.primary').click();
  await until(
    async () => (await site.call('equipment_list', {})).data[0]?.status === 'available',
    'the task is undone',
  );
  await page.waitForTimeout(2_500);
  await look('agent-undone');

  await go(page, 'setup');
  await page.locator('textarea').fill(SITE_TEXT);
  await look('setup');
  await page.locator('form button').click();
  await page.locator('.plan-equipment').first().waitFor();
  await page.locator('.plan-proposals').waitFor();
  await look('setup-plan');
  // What must be corrected, and what is left out.
  const names = page.locator('.plan-table td:first-child input[maxlength]');
  const typed = await names.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
  for (const i of typed.keys()) await names.nth(i).fill('');
  await page.locator('.plan-shifts input[type="time"]').first().fill('15:00');
  await page.locator('.plan-boards .pick input').first().uncheck();
  for (const tick of await page.locator('.plan-equipment .plan-keep input').all()) await tick.uncheck();
  await page.locator('.plan-wrong').first().waitFor();
  await look('setup-wrong');
  for (const tick of await page.locator('.plan-equipment .plan-keep input').all()) await tick.check();
  for (const [i, text] of typed.entries()) await names.nth(i).fill(text);
  await page.locator('.plan-shifts input[type="time"]').first().fill('07:00');
  await page.locator('.plan-boards .pick input').first().check();
  await page.locator('.setup-split button.primary').click();
  await page.locator('p.arrived').waitFor();
  await look('setup-made');
  end();
});

/** A loopback address that counts as another computer in this test. */
const ELSEWHERE = '127.0.0.9';
const isExposed = (socket: Socket) => !(socket instanceof TLSSocket) && socket.remoteAddress === ELSEWHERE;

test('[U292] [U310] [U311] the pages of users, tablets, keys, encryption and health are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway(undefined, { isExposed });
  const { client, node } = gateway;
  const { project } = await client.call('projects_create', { name: TITLE });
  await client.call('projects_create', { name: `${TITLE} 2` });
  const site = gateway.project(project.id);
  const machine = await addMachine(site, 'HT-01');
  const far = () => dial({ port: node.mqttPort, host: '127.0.0.1', localAddress: ELSEWHERE });
  const { device_id, key } = machine;
  const device = new mqtt.MqttClient(far, { username: device_id, password: key, reconnectPeriod: 0 });
  await soon(new Promise((done) => device.once('connect', done)), 'the login of the device');
  await device.publishAsync(`v1/devices/${device_id}/telemetry`, 'no JSON', { qos: 1 });
  await using office = await openIn(node.http, 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  await page.waitForFunction(() => document.querySelector('header select') !== null);
  await page.locator('header select').selectOption(project.id);
  for (const name of ['users', 'tablets', 'keys']) {
    await go(page, name);
    await look(`${name}-first`);
  }
  const user = await client.call('users_create', { name: TITLE, role: 'mechanic' });
  const gone = await client.call('users_create', { name: `${TITLE} 2`, role: 'viewer' });
  await client.call('users_update', { id: gone.id, disabled: true });
  await client.call('users_create', { name: `${TITLE} 3`, role: 'viewer', ends_at: '2090-01-01T00:00:00.000Z' });
  await client.call('keys_create', { name: TITLE, role: 'agent', scopes: ['equipment:read'], expires_in_days: 30 });
  const old = await client.call('keys_create', { name: `${TITLE} 2`, role: 'viewer' });
  await client.call('keys_revoke', { id: old.key.id });
  const tablet = { name: TITLE, roles: ['mechanic' as const], user_ids: [user.id] };
  await site.call('tablets_create', tablet);
  await site.call('tablets_revoke', { id: (await site.call('tablets_create', tablet)).tablet.id });

  await go(page, 'users');
  await page.locator('th button.link').first().click();
  await page.locator('.nested h3').first().waitFor();
  await look('users');
  await page.locator('.nested .actions button').nth(0).click();
  await page.locator('img.qr').waitFor();
  await look('users-invitation');
  await page.locator('.nested .actions button').nth(1).click();
  await page.locator('.once-pin').waitFor();
  await look('users-pin');
  await go(page, 'tablets');
  await page.locator('th button.link').first().click();
  await look('tablets');
  await page.locator('.nested .buttons button').nth(0).click();
  await page.locator('img.qr').waitFor();
  await look('tablets-link');
  await go(page, 'keys');
  await page.locator('td button[aria-expanded]').first().click();
  await page.locator('td button.quiet').first().click();
  await page.locator('.field.copy').waitFor();
  await look('keys');
  await go(page, 'encryption');
  await page.locator('td').first().waitFor();
  for (const button of await page.locator('.panel-box .buttons button').all()) await button.click();
  await look('encryption');
  await until(async () => (await client.call('health_get', {})).sources.length > 0, 'the gateway has a source');
  await go(page, 'health');
  await page.locator('td.figure').first().waitFor();
  await look('health');
  end();
  await device.endAsync(true);
});

const PASSPHRASE = 'green pump under snow';

test('[U292] [U311] the tokens of a person are translated and fit', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: TITLE });
  const user = await gateway.client.call('users_create', { name: TITLE, role: 'admin' });
  const { url } = await gateway.client.call('users_invite', { id: user.id });
  const token = /invite=(.+)$/.exec(url)?.[1] ?? '';
  await using office = await openIn(`${gateway.node.http}/#invite=${token}`, 'en-XA', false);
  const { page } = office;
  const { look, end } = walkOf(page);
  await page.locator('main form').waitFor();
  for (const field of await page.locator('input[type=password]').all()) await field.fill(PASSPHRASE);
  await page.locator('main button.primary').click();
  await page.locator('nav.pages').waitFor();
  await go(page, 'account');
  const tokens = page.locator('section.panel-box').last();
  await tokens.locator('input').fill(TITLE);
  await tokens.locator('button.primary').click();
  await tokens.locator('.field.copy').waitFor();
  await tokens.locator('.file-state li').waitFor();
  await look('account-tokens');
  end();
});

test('[U292] [U310] [U311] the pages of a site and of head office about each other are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await twoEnds();
  const { site, cloud, here, there, project } = ends;
  await site.client().call('projects_update', { id: project, name: TITLE });
  const machine = await addMachine(here, 'HT-01');
  const { equipment_id } = machine;
  const due = { due_at: '2020-01-01T00:00:00.000Z' };
  await here.call('repair_tickets_create', { equipment_id, title: TITLE, safety_critical: true, ...due });
  await here.call('repair_tickets_create', { equipment_id, title: TITLE });
  await here.call('alert_rules_create', { name: TITLE, signal: 'vehicle.speed', op: 'gt', value: 10 });
  const device = await connectDevice(site.mqtt, machine);
  const topic = `v1/devices/${machine.device_id}/telemetry`;
  await device.publishAsync(topic, JSON.stringify({ values: { 'vehicle.speed': 12, 'engine.speed': 900 } }), {
    qos: 1,
  });
  await site.inStep();
  await until(async () => (await there.call('fleet_alerts_list', {})).data.length === 1, 'head office has the alert');
  await site.client().call('sync_verify', {});
  await device.endAsync(true);
  await apart(
    ends,
    () => here.call('equipment_update', { id: equipment_id, name: TITLE }),
    () => there.call('equipment_update', { id: equipment_id, name: `${TITLE} 2` }),
  );
  await using mine = await openIn(urlOf(site), 'en-XA');
  const atSite = walkOf(mine.page);
  const night = { from: '22:00', to: '05:00' };
  const limits = { metered: true, bytes_per_month: 1e9, file_hours: [night], timezone: 'UTC' };
  await site.client().call('sync_budget_set', limits);
  await go(mine.page, 'head-office');
  for (const summary of await mine.page.locator('main summary').all()) await summary.click();
  await atSite.look('site-link');
  const soon_ms = new Date(Date.now() + 3_600_000).toISOString();
  await site.client().call('sync_budget_set', { ...limits, override_until: soon_ms });
  await go(mine.page, 'conflicts');
  await mine.page.locator('li.conflict').waitFor();
  await atSite.look('conflicts');
  await mine.page.locator('li.conflict button').last().click();
  await mine.page.locator('.receipts li').waitFor();
  await atSite.look('conflicts-decided');
  await go(mine.page, 'head-office');
  await atSite.look('site-link-lifted');

  await using office = await openIn(urlOf(cloud), 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  await go(page, 'head-office');
  await page.locator('.fleet tbody tr').waitFor();
  await page.locator('section.panel-box form input').last().fill(TITLE);
  await page.locator('section.panel-box form button.primary').last().click();
  await page.locator('.to-do').waitFor();
  await look('head-office-code');
  await page.locator('.fleet .actions button').first().click();
  await page.waitForTimeout(700);
  await look('head-office-replace');
  for (const name of ['all-machines', 'all-repairs', 'all-alerts', 'conflicts', 'machines']) {
    await go(page, name);
    await look(`head-office-${name}`);
  }
  await cloud.kill();
  await here.call('equipment_create', { unit_number: 'HT-02' });
  await until(async () => (await site.status()).state === 'offline', 'the site is offline');
  await go(mine.page, 'machines');
  await go(mine.page, 'head-office');
  await mine.page.locator('.table').waitFor();
  await atSite.look('site-link-offline');
  await cloud.start();
  await site.inStep();
  await site.client().call('sync_link_remove', {});
  await go(mine.page, 'machines');
  await go(mine.page, 'head-office');
  await mine.page.locator('main form').waitFor();
  await atSite.look('site-link-off');
  atSite.end();
  end();
});

test('[U292] [U311] two boxes with one identity, and a box that replaces another one, are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  await using boxes = await twoBoxes();
  const { cloud } = boxes;
  await using office = await openIn(urlOf(cloud), 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  await go(page, 'head-office');
  await page.locator('.box.fenced button').click();
  await page.locator('dialog.ask').waitFor();
  await look('boxes-ask');
  await page.locator('dialog.ask .buttons button').last().click();
  await look('boxes');
  await using box = await new End({}).start();
  await using mine = await openIn(`${urlOf(box)}/#replace`, 'en-XA');
  await mine.page.locator('main.card form').waitFor();
  const replaced = walkOf(mine.page);
  await replaced.look('replace-box');
  end();
  replaced.end();
  assert.deepEqual(mine.complaints, []);
});
