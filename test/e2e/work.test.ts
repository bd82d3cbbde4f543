/** Alerts and repair tickets in the browser, from an alert over MQTT to a closed ticket. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';
import { addMachine, connectDevice, eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { shot, sticksOut, withoutBrowser } from './browser.ts';
import { openOffice } from './shared-browser.ts';

const HOT = {
  name: 'Coolant too hot',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  clear_value: 100,
  severity: 'critical',
} as const;

async function publish(gateway: TestGateway, device: { device_id: string; key: string }, celsius: number) {
  const mqtt = await connectDevice(gateway.node.mqttPort, device);
  const values = { 'engine.coolant_temperature': celsius };
  await mqtt.publishAsync(`v1/devices/${device.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
  await mqtt.endAsync();
}

async function site(gateway: TestGateway): Promise<Client> {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  return gateway.project(project.id);
}

/** Makes reads of a ticket fail until the returned function is called. */
async function hold(page: Page, id: string): Promise<() => void> {
  let held = true;
  await page.route(`**/api/v1/repair-tickets/${id}`, (route) =>
    held && route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  return () => {
    held = false;
  };
}

/** Console messages other than those of requests that the test refuses or drops on purpose. */
const unexpected = (complaints: readonly string[]) =>
  complaints.filter((text) => !/\b(401|409|412)\b|ERR_FAILED/.test(text));

test('[U60] [U62] [U65] an alert appears without a reload, is acknowledged, and its ticket goes through all steps', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const machine = await addMachine(client, 'HT-01');
  await addMachine(client, 'HT-02');
  const spare = await client.call('devices_provision', { serial: 'SPARE-1', name: 'Spare logger', kind: 'can_logger' });
  await client.call('alert_rules_create', HOT);
  await using watched = await openOffice(gateway.node.http, 'alerts');
  const { page } = watched;
  await page.getByText('No active alerts').waitFor();
  await shot(page, 'work-alerts-empty');

  await publish(gateway, machine, 109);
  await publish(gateway, { device_id: spare.device.device_id, key: spare.credential.key ?? '' }, 111);
  const card = page.locator('li.alert').filter({ hasText: 'HT-01' });
  await card.getByText('Coolant 109 °C').waitFor();
  const nobody = page.locator('li.alert').filter({ hasText: 'No machine, device Spare logger' });
  await nobody.waitFor();
  await page.getByRole('link', { name: 'Alerts 2 not acknowledged' }).waitFor();
  await shot(page, 'work-alerts');

  await card.getByRole('button', { name: 'Acknowledge' }).click();
  await card.getByText(/acknowledged .* by HEADFRAME_API_KEY/).waitFor();
  await nobody.getByRole('button', { name: 'Add a note' }).click();
  await nobody.getByLabel('Note for the log').fill('on the bench');
  await nobody.getByRole('button', { name: 'Acknowledge with note' }).click();
  await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
  const log = await client.call('devices_events', { id: spare.device.id, type: 'alert.acknowledged' });
  assert.equal(log.data[0]?.data.note, 'on the bench');

  await card.getByRole('link', { name: 'Create a ticket' }).click();
  await page.getByLabel('HT-01', { exact: true }).and(page.locator(':checked')).waitFor();
  assert.equal(await page.getByLabel('What is wrong').inputValue(), 'Coolant too hot: Coolant 109 °C');
  await shot(page, 'work-ticket-new');
  await page.getByRole('button', { name: 'Create ticket for HT-01' }).dblclick();
  await page.getByRole('heading', { name: 'HT-01 Coolant too hot: Coolant 109 °C' }).waitFor();
  const { data: tickets } = await client.call('repair_tickets_list', {});
  assert.equal(tickets.length, 1, 'a double click creates one ticket');
  assert.deepEqual([tickets[0]?.source.kind, tickets[0]?.priority], ['alert', 'critical']);
  const id = tickets[0]?.id ?? '';
  const status = async () => (await client.call('repair_tickets_get', { id })).status;

  const steps = page.getByRole('region', { name: 'Next steps' });
  const offered = () => steps.getByRole('button').allTextContents();
  await steps.getByRole('button', { name: 'Start work' }).waitFor();
  assert.deepEqual(await offered(), ['Start work', 'Cancel ticket']);
  await steps.getByRole('button', { name: 'Start work' }).click();
  await steps.getByRole('button', { name: 'Put on hold' }).click();
  const sure = steps.getByRole('button', { name: 'Put on hold' }).last();
  assert.equal(await sure.isDisabled(), true, 'a hold needs a reason');
  await steps.getByLabel('Parts').check();
  await steps.getByLabel('Reason').fill('hose comes on Tuesday');
  await shot(page, 'work-ticket-hold');
  await sure.click();
  await page.getByText('In progress to On hold, waiting for: parts: hose comes on Tuesday').waitFor();
  assert.equal(await status(), 'on_hold');
  await steps.getByRole('button', { name: 'Resume' }).click();
  // The step also saves unsaved text.
  await page.getByLabel('What was done').fill('Hose changed');
  await steps.getByRole('button', { name: 'Mark as fixed' }).click();
  await steps.getByRole('button', { name: 'Reopen' }).waitFor();
  // The page shows a step as soon as the browser has stored it.
  const fixed = async () => (await client.call('repair_tickets_get', { id })).failure.remedy === 'Hose changed';
  await until(fixed, 'the gateway has the step and the text', 100);
  await page.getByLabel('Note', { exact: true }).fill('Ran it for an hour, stays at 92.');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Ran it for an hour' }).waitFor();
  await steps.getByRole('button', { name: 'Close ticket' }).click();
  await steps.getByLabel('Signed off by').fill('Ana Silva');
  await steps.getByRole('button', { name: 'Close ticket' }).last().click();
  await page.getByText('This ticket cannot change any more.').waitFor();
  await until(async () => (await status()) === 'closed', 'the gateway has closed the ticket', 100);
  const closed = await client.call('repair_tickets_get', { id });
  assert.deepEqual([closed.status, closed.signature?.name], ['closed', 'Ana Silva']);
  await shot(page, 'work-ticket-closed');

  // Without the stream the page reads every two seconds, so that it soon notices that the gateway does not answer.
  await page.route('**/api/v1/project-live', (route) => route.abort());
  await page.goto(`${gateway.node.http}/#alerts/rules`);
  await page.reload();
  const rule = page.locator('li.rule').filter({ hasText: HOT.name });
  await rule.getByRole('button', { name: 'Switch off' }).click();
  await rule.getByText('Switched off', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Back to alerts' }).click();
  await page.getByText('No active alerts').waitFor();
  const over = page.getByRole('region', { name: 'Cleared' }).getByText('the rule was changed').first();
  await over.waitFor();
  await page.route('**/api/**', (route) => route.abort());
  await page.getByText(/Not live since \d\d:\d\d:\d\d, retrying\./).waitFor();
  assert.equal(await over.isVisible(), true, 'the last data stays');
  await shot(page, 'work-alerts-lost');
  await page.unroute('**/api/**');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'HT-01' }).click();
  await page.getByRole('link', { name: 'New ticket' }).waitFor();
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U64] two people edit one ticket: the second one sees the changes of the first and loses no edit', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const { equipment_id } = await addMachine(client, 'HT-01');
  const { id, revision } = await client.call('repair_tickets_create', { title: 'Leak', equipment_id });
  await using first = await openOffice(gateway.node.http, `tickets/${id}`);
  await using second = await openOffice(gateway.node.http, `tickets/${id}`);
  for (const { page } of [first, second]) await page.getByRole('heading', { name: 'HT-01 Leak' }).waitFor();

  const release = await hold(first.page, id);
  await first.page.getByLabel('Description').fill('Left side, under the pump');
  await first.page.getByRole('radio', { name: 'Low' }).check();
  await second.page.getByRole('radio', { name: 'High' }).check();
  await second.page.getByLabel('What is wrong').fill('Leak at the water pump');
  await second.page.getByRole('button', { name: 'Save changes' }).click();
  await eventually(
    () => client.call('repair_tickets_get', { id }),
    (now) => now.revision > revision,
  );

  // This page learns of the change from the 412 answer: its reads fail until then.
  await first.page.route(`**/api/v1/repair-tickets/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback();
    const response = await route.fetch();
    if (response.status() === 412) release();
    return route.fulfill({ response });
  });
  await first.page.getByRole('button', { name: 'Save changes' }).click();
  const changes = first.page.getByRole('alert', { name: 'Changes by others' });
  await changes.getByText('Priority: Medium → High').waitFor();
  await changes.getByText('Yours: Low').waitFor();
  await changes.getByText('What is wrong: Leak → Leak at the water pump').waitFor();
  await shot(first.page, 'work-ticket-met');
  assert.equal((await client.call('repair_tickets_get', { id })).priority, 'high', 'nothing was overwritten');
  assert.equal(await first.page.getByLabel('Description').inputValue(), 'Left side, under the pump');
  assert.equal(await first.page.getByRole('radio', { name: 'Low' }).isChecked(), true);
  assert.equal(await first.page.getByLabel('What is wrong').inputValue(), 'Leak at the water pump');

  await changes.getByRole('button', { name: 'Use theirs' }).click();
  await first.page.getByRole('button', { name: 'Save changes' }).click();
  const both = await eventually(
    () => client.call('repair_tickets_get', { id }),
    (now) => now.description !== '',
  );
  assert.deepEqual(
    [both.title, both.priority, both.description],
    ['Leak at the water pump', 'high', 'Left side, under the pump'],
  );
  for (const { complaints } of [first, second]) assert.deepEqual(unexpected(complaints), []);
});

test('[U61] [U64] the rule form describes the rule while a person types, and reports changes of another person', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  await addMachine(client, 'HT-01');
  await using watched = await openOffice(gateway.node.http, 'alerts/rules/new');
  const { page } = watched;
  await page.getByLabel('Signal').selectOption({ label: 'Fuel (%)' });
  await page.getByLabel('below the limit', { exact: true }).check();
  await page.getByRole('textbox', { name: 'Limit' }).fill('15');
  const does = 'The gateway raises a warning alert when Fuel is below 15 % for 30 s, on all machines.';
  await page.locator('.sentence').getByText(does).waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByRole('heading', { name: 'Fuel below 15 %' }).waitFor();
  const { data } = await client.call('alert_rules_list', { signal: 'fuel.level' });
  const rule = data[0];
  assert.deepEqual([rule?.op, rule?.value, rule?.for_seconds], ['lt', 15, 30]);

  const id = rule?.id ?? '';
  let held = true;
  await page.route('**/api/v1/alert-rules?*', (route) => (held ? route.abort() : route.continue()));
  await page.getByRole('textbox', { name: 'Limit' }).fill('20');
  await client.call('alert_rules_update', { id, severity: 'critical' }, { if_match: rule?.revision ?? 0 });
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByRole('alert', { name: 'Changes by others' }).getByText('Severity: warning → critical').waitFor();
  held = false;
  assert.equal((await client.call('alert_rules_get', { id })).value, 15, 'nothing was overwritten');
  assert.equal(await page.getByRole('textbox', { name: 'Limit' }).inputValue(), '20');
  await page.getByRole('button', { name: 'Save rule' }).click();
  const saved = await eventually(
    () => client.call('alert_rules_get', { id }),
    ({ value }) => value === 20,
  );
  assert.equal(saved.severity, 'critical');
  await page.getByRole('button', { name: 'Mute for 8 h' }).click();
  await page.getByText(/^Muted until /).waitFor();
  assert.equal((await client.call('alert_rules_get', { id })).mute.length, 1);
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U61] [U65] a rule on a trouble code is made in the form; its alert names the code, and the ticket takes it over', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const machine = await addMachine(client, 'HT-01');
  await using watched = await openOffice(gateway.node.http, 'alerts/rules/new');
  const { page } = watched;
  await page.getByLabel('A trouble code').check();
  await page.getByRole('textbox', { name: 'SPN' }).fill('100');
  await page.getByRole('textbox', { name: 'FMI' }).fill('1');
  await page.getByLabel('At once').check();
  const does =
    'when the trouble code SPN 100 (Engine oil pressure 1) with FMI 1 (far too low) is active, on all machines.';
  await page.locator('.sentence').getByText(does).waitFor();
  await shot(page, 'work-rule-code');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByRole('heading', { name: 'Trouble code SPN 100' }).waitFor();
  const [rule] = (await client.call('alert_rules_list', { signal: 'dtc.active' })).data;
  assert.deepEqual([rule?.spn, rule?.fmi, rule?.value], [100, 1, null]);

  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const line = `(${(Date.now() / 1000).toFixed(6)}) can0 18FECA03#00FF64000101FFFF\n`;
  await mqtt.publishAsync(`v1/devices/${machine.device_id}/can`, line, { qos: 1 });
  await mqtt.endAsync();
  await page.goto(`${gateway.node.http}/#alerts`);
  const card = page.locator('li.alert').filter({ hasText: 'HT-01' });
  await card.getByText('Engine oil pressure 1: far too low (SPN 100 / FMI 1), from address 3').waitFor();
  await shot(page, 'work-alert-code');
  await card.getByRole('link', { name: 'Create a ticket' }).click();
  await page.getByLabel('HT-01', { exact: true }).and(page.locator(':checked')).waitFor();
  await page.getByRole('button', { name: 'Create ticket for HT-01' }).click();
  const { data } = await eventually(
    () => client.call('repair_tickets_list', {}),
    (list) => list.data.length > 0,
  );
  assert.deepEqual([data[0]?.failure.spn, data[0]?.failure.fmi], [100, 1]);
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U62] the ticket page records work and parts, shows pictures, and logs each change', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const { equipment_id } = await addMachine(client, 'HT-01');
  const camera = await client.call('devices_provision', { serial: 'CAM-1', kind: 'camera', name: 'Workshop' });
  await client.call('mechanics_create', { name: 'Ana Silva' });
  await using watched = await openOffice(gateway.node.http, 'tickets');
  const { page } = watched;
  await page.getByText('No open tickets').waitFor();
  const sent = await fetch(`${gateway.node.http}/api/v1/devices/stream`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${camera.credential.key}`,
      'content-type': 'image/jpeg',
      'idempotency-key': 'frame-1',
      'x-sequence': '1',
      'x-captured-at': new Date().toISOString(),
    },
    body: new Blob([Uint8Array.from(await page.screenshot({ type: 'jpeg', quality: 50 }))]),
  });
  assert.equal(sent.status, 202, await sent.text());
  const pictures = await eventually(
    () => client.call('artifacts_list', {}),
    ({ data }) => data.length > 0,
  );
  const media = pictures.data.map((one) => one.id);
  const { id } = await client.call('repair_tickets_create', { title: 'Leak', equipment_id, context: { media } });
  await page.getByRole('link', { name: /HT-01.*Leak/ }).click();
  const drawn = page.getByAltText('File 1');
  await drawn.waitFor();
  await eventually(
    () => drawn.evaluate((one) => (one as HTMLImageElement).naturalWidth),
    (width) => width > 0,
  );

  await page.getByText('Add work').click();
  await page.getByRole('radio', { name: '30 min' }).check();
  await page.getByLabel('Mechanic').selectOption({ label: 'Ana Silva' });
  await page.getByRole('button', { name: 'Save work' }).click();
  await page.getByText('30 min of work by Ana Silva').waitFor();
  await page.getByText('Add a part').click();
  await page.getByLabel('Part', { exact: true }).fill('Return hose');
  await page.getByLabel('Quantity').fill('1,5');
  await page.getByRole('button', { name: 'Save part' }).click();
  await page.getByText('Part requested: 1.5 × Return hose').waitFor();
  await page.getByRole('button', { name: 'Mark as used: Return hose' }).click();
  await page.getByText('Part used: 1.5 × Return hose').waitFor();
  await page.getByLabel('Ana Silva').check();
  await page.getByRole('button', { name: 'In 1 day' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Assigned to Ana Silva').waitFor();
  const ticket = await client.call('repair_tickets_get', { id });
  assert.deepEqual(
    [ticket.labor.length, ticket.parts.map(({ status }) => status), ticket.assigned_mechanic_ids.length],
    [1, ['used'], 1],
  );
  assert.ok(Date.parse(ticket.due_at ?? '') > Date.now());
  assert.equal(await page.getByRole('alert').count(), 0, 'the page reports no change by others');
  await shot(page, 'work-ticket-work');
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U99] a ticket file that is not a picture is only offered for download, whatever its type and name claim', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const { device, equipment_id } = await addMachine(client, 'HT-01');
  const page_html = '<!doctype html><title>Sign in</title><h1>Your key</h1>';
  const media: string[] = [];
  for (const content_type of ['text/html', 'image/png']) {
    const content_base64 = Buffer.from(page_html).toString('base64');
    const file = { id: device, content_base64, content_type, name: `note-${media.length}.html` };
    media.push((await client.call('devices_upload_media', file)).artifact?.id ?? '');
  }
  const { id } = await client.call('repair_tickets_create', { title: 'Leak', equipment_id, context: { media } });
  await using watched = await openOffice(gateway.node.http, `tickets/${id}`);
  const { page } = watched;
  for (const name of ['note-0.html', 'note-1.html']) {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: new RegExp(`^Download ${name}`) }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), name);
  }
  assert.equal(page.context().pages().length, 1, 'no other page opened');
  assert.equal(await page.locator('.ticket-media a, .ticket-media img').count(), 0);
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U63] a form without an answer keeps its text, and sending it again creates one ticket', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  await addMachine(client, 'HT-01');
  await using watched = await openOffice(gateway.node.http, 'tickets/new');
  const { page } = watched;
  await page.getByLabel('HT-01', { exact: true }).check();
  await page.getByLabel('Brakes').check();
  let lost = 0;
  await page.route('**/api/v1/repair-tickets', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    // The gateway gets the first request; the page gets no answer.
    if (lost++ === 0) await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Create ticket for HT-01' }).click();
  await page.getByText('Not sent: the gateway does not answer.').waitFor();
  await shot(page, 'work-ticket-lost');
  await page.reload();
  await page.getByLabel('Title').and(page.locator(':not([value=""])')).waitFor();
  assert.equal(await page.getByLabel('Title').inputValue(), 'Brakes', 'kept over a reload');
  await page.getByLabel('Title').fill('Brakes, front left');
  await page.getByRole('button', { name: 'Create ticket for HT-01' }).click();
  await page.getByText('Not sent: the gateway does not answer.').waitFor();
  await page.unroute('**/api/v1/repair-tickets');
  await page.getByRole('button', { name: 'Create ticket for HT-01' }).click();
  await page.getByRole('heading', { name: 'HT-01 Brakes' }).waitFor();
  assert.equal(
    await page.getByLabel('What is wrong').inputValue(),
    'Brakes, front left',
    'text typed after the first request',
  );
  const { data: tickets } = await client.call('repair_tickets_list', {});
  assert.deepEqual(
    tickets.map(({ title }) => title),
    ['Brakes'],
  );
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'HT-01 Brakes, front left' }).waitFor();
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U66] a person creates a ticket with three taps, or with the keyboard alone', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  for (const unit of ['HT-01', 'HT-02']) await addMachine(client, unit);
  await using watched = await openOffice(gateway.node.http, 'tickets/new', {
    viewport: { width: 1024, height: 768 },
    hasTouch: true,
  });
  const { page } = watched;
  await page.getByLabel('HT-02', { exact: true }).tap();
  await page.getByLabel('Tyre or track').tap();
  await page.getByRole('button', { name: 'Create ticket for HT-02' }).tap();
  await page.getByRole('heading', { name: 'HT-02 Tyre or track' }).waitFor();

  await page.evaluate(() => {
    location.hash = 'tickets/new';
  });
  await page.getByLabel('HT-01', { exact: true }).focus();
  await page.keyboard.press('Space');
  await page.getByText('Open tickets of this machine').waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'HT-01 Leak' }).waitFor();
  const { data } = await client.call('repair_tickets_list', { order: 'asc' });
  assert.deepEqual(
    data.map(({ title, status }) => [title, status]),
    [
      ['Tyre or track', 'flagged'],
      ['Leak', 'flagged'],
    ],
  );
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U67] the alerts page shows open safety critical repairs above all alerts', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const { id: equipment_id } = await client.call('equipment_create', { unit_number: 'LD-07' });
  const { id: other } = await client.call('equipment_create', { unit_number: 'HT-01' });
  const brake = { equipment_id, title: 'Service brake fails on the ramp', safety_critical: true } as const;
  const ticket = await client.call('repair_tickets_create', brake);
  await client.call('repair_tickets_create', { equipment_id: other, title: 'Cabin light' });
  await using watched = await openOffice(gateway.node.http, 'alerts');
  const { page } = watched;
  const safety = page.getByRole('region', { name: 'Safety critical repairs' });
  await safety.getByText('Service brake fails on the ramp').waitFor();
  assert.equal(await safety.getByRole('link').count(), 1);
  const raised = page.getByRole('region', { name: 'Active now' });
  assert.ok(((await safety.boundingBox())?.y ?? 0) < ((await raised.boundingBox())?.y ?? 0), 'above active alerts');
  await shot(page, 'work-alerts-safety');
  await safety.getByRole('link').click();
  await page.getByRole('heading', { name: 'LD-07 Service brake fails on the ramp' }).waitFor();
  await page.goto(`${gateway.node.http}/#alerts/${other}`);
  await page.getByText('No active alerts').waitFor();
  assert.equal(await safety.count(), 0, 'not for another machine');
  await page.goto(`${gateway.node.http}/#alerts`);
  await safety.waitFor();
  for (const status of ['in_progress', 'fixed'] as const) {
    const { revision } = await client.call('repair_tickets_get', { id: ticket.id });
    await client.call('repair_tickets_update', { id: ticket.id, status }, { if_match: revision });
  }
  await safety.waitFor({ state: 'detached' });
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U66] alert and ticket pages fit 320, 1024 and 1440 px, with targets of at least 44 px', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const machine = await addMachine(client, 'HT-01');
  await client.call('alert_rules_create', { ...HOT, name: 'Coolant much too hot for a machine under load' });
  const mechanic = await client.call('mechanics_create', { name: 'Mirjam van der Heijden-Castellanos' });
  const made = await client.call('repair_tickets_create', {
    title: 'Hydraulics slow when cold, and a knock in the main pump that comes and goes',
    equipment_id: machine.equipment_id,
    safety_critical: true,
    assigned_mechanic_ids: [mechanic.id],
  });
  await publish(gateway, machine, 109);
  for (const width of [320, 1024, 1440]) {
    await using watched = await openOffice(gateway.node.http, 'alerts', { viewport: { width, height: 900 } });
    const { page } = watched;
    await page.locator('li.alert').first().waitFor();
    const places: [string, string][] = [
      ['alerts', 'Active now'],
      ['alerts/rules/new', 'New rule'],
      ['tickets', 'Flagged'],
      ['tickets/new', 'New ticket'],
      [`tickets/${made.id}`, 'Log'],
    ];
    for (const [hash, heading] of places) {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await page.getByRole('heading', { name: heading }).first().waitFor();
      await page.locator('main .mark, main .pick').first().waitFor();
      const over = await sticksOut(page);
      assert.ok(over <= 0, `${hash} at ${width}: ${over} px`);
      const small = await page.evaluate(() =>
        [
          ...document.querySelectorAll(
            'main button, main a.button, main select, main .pick label, main summary, main .ticket-link',
          ),
        ].flatMap((one) => {
          const { height } = one.getBoundingClientRect();
          return height === 0 || height >= 43.5 ? [] : [`${one.textContent?.slice(0, 30)}: ${height}`];
        }),
      );
      assert.deepEqual(small, [], `${hash} at ${width}`);
      await shot(page, `work-${hash.replaceAll('/', '-').replace(made.id, 'one')}-${width}`);
    }
  }
});
