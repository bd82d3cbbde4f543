/** A DBC file in the browser: import error with its line, import, mapping, trial, use, and decoding logs again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MqttClient } from 'mqtt';
import type { Client } from '#contract/client.ts';
import { addMachine, batches, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const LINES = 12_000;

/** The first lines of a recording, with times moved so that the last frame is sent now. */
function traffic(): Buffer {
  const lines = recording('candump/11111111-dm1-4dtc.candump.log.gz').toString('latin1').split('\n').slice(0, LINES);
  const timeOf = (line: string) => Number(/^\((\d+\.\d+)\)/.exec(line)?.[1]);
  const by = Date.now() / 1000 - timeOf(lines.at(-1) ?? '');
  return Buffer.from(
    `${lines.map((line) => line.replace(/^\(\d+\.\d+\)/, `(${(timeOf(line) + by).toFixed(6)})`)).join('\n')}\n`,
  );
}

async function send(device: MqttClient, device_id: string): Promise<void> {
  for (const text of batches(traffic(), 500))
    await device.publishAsync(`v1/devices/${device_id}/can`, text, { qos: 1 });
}

async function uploadLog(client: Client, device: string): Promise<string> {
  const content = recording('candump/eti-j1939_840-rp1210.candump.log');
  const { artifact } = await client.call('devices_upload_media', {
    id: device,
    name: 'breakdown.log',
    kind: 'file',
    content_base64: content.toString('base64'),
  });
  assert.ok(artifact?.decode_task_id);
  return artifact.decode_task_id;
}

test('[U50] a person imports, maps, tries and uses a DBC file, and decodes earlier logs again', {
  skip: withoutBrowser || withoutRecordings,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  await using _ = { [Symbol.asyncDispose]: () => mqtt.endAsync(true) };
  await send(mqtt, machine.device_id);
  const task_id = await uploadLog(client, machine.device);
  const source = recording('dbc/j1939-equipment-generated.dbc');

  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#dbc`, { viewport: { width: 1440, height: 900 } });
  const { page } = watched;
  const box = (name: string) => page.getByRole('region', { name });
  await signIn(page);
  await page.getByText('No DBC files yet').waitFor();
  await shot(page, 'dbc-empty');

  // A file with a syntax error: the page shows the line and the lines around it.
  const broken = source.toString('latin1').replace('SPN190_EngineSpeed : 24|16@1+', 'SPN190_EngineSpeed : 24|16@5+');
  const line = broken.slice(0, broken.indexOf('16@5+')).split('\n').length;
  const choose = page.getByLabel('Choose a DBC file');
  await choose.setInputFiles({ name: 'drill.dbc', mimeType: 'text/plain', buffer: Buffer.from(broken, 'latin1') });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('figcaption', { hasText: `Line ${line}, column` }).waitFor();
  assert.match((await page.locator('.lines [aria-current]').textContent()) ?? '', /SPN190_EngineSpeed/);
  await shot(page, 'dbc-refused');

  // The correct file is dropped on the page.
  const dropped = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'drill.dbc'));
    return transfer;
  }, source.toString('latin1'));
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
  await page.locator('figcaption').waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Name').inputValue(), 'drill');
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { name: 'drill version 1' }).waitFor();
  await page.getByText('56 messages with 401 signals').waitFor();

  // One suggested signal, and two that a person finds and maps.
  await box('Mapping').getByRole('button', { name: 'Show all 33' }).click();
  await box('Mapping')
    .getByRole('button', { name: /^Add .*SPN175_EngineOilTemperature1$/ })
    .click();
  await page.getByLabel(/Find a signal/).fill('3246');
  await page.getByLabel(/^Map AT1OG2\.SPN3246/).selectOption('vehicle.hydraulic_temperature');
  await page.getByLabel(/Find a signal/).fill('SPN157');
  await page.getByLabel(/^Map EFL_P2\.SPN157/).selectOption('engine.oil_pressure');
  await box('Mapping').getByText('MPa × 1\u2009000 = kPa').waitFor();
  await shot(page, 'dbc-mapping');
  // Another person saves a mapping meanwhile: the page reports the conflict and keeps this person's changes.
  const [first] = (await client.call('dbc_list', {})).data;
  await client.call('dbc_map', { id: first?.id ?? '', mapping: [] });
  await client.call('dbc_map', {
    id: first?.id ?? '',
    mapping: [{ message: 'EEC1', signal: 'SPN190_EngineSpeed', to: 'engine.speed' }],
  });
  await box('Mapping').getByText('Another person saved this mapping with 1 signal').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save mapping' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save mapping' }).click();
  await page.getByText('3 signals mapped').waitFor();

  await page.getByRole('button', { name: 'Try it' }).click();
  const tried = box('Trial').getByRole('status');
  await tried.getByText(/frames read/).waitFor();
  assert.match((await tried.textContent()) ?? '', new RegExp(`${LINES / 1000}\u2009000 frames read`));
  const pressure = tried.getByRole('row', { name: /SPN157/ });
  assert.match((await pressure.textContent()) ?? '', /65\u2009\d{3}.* to 6\d\u2009\d{3}.* kPa converted/);
  await box('Use').getByText('1 signal had impossible values').waitFor();
  await tried.scrollIntoViewIfNeeded();
  await shot(page, 'dbc-trial');

  // The wrong signal is removed before the file is used.
  await page.getByRole('button', { name: /^Remove EFL_P2/ }).click();
  await page.getByRole('button', { name: 'Save mapping' }).click();
  await page.getByText('2 signals mapped').waitFor();
  await box('Use').getByText('The mapping changed after the trial').waitFor();
  await page.getByRole('button', { name: 'Try it' }).click();
  await box('Use').getByText('The mapping changed after').waitFor({ state: 'detached' });
  await page.getByLabel('these devices').check();
  await box('Use').getByLabel(machine.device_id).check();
  await page.getByRole('button', { name: 'Put into use' }).click();
  await page.getByText(`In use for ${machine.device_id}`).waitFor();

  // New data gives the machine a value, and its context names the DBC file.
  const [file] = (await client.call('dbc_list', {})).data;
  await send(mqtt, machine.device_id);
  const found = await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    (one) => one.hydraulic_temperature_c !== null,
  );
  assert.ok((found.hydraulic_temperature_c ?? 0) > 108 && (found.hydraulic_temperature_c ?? 0) < 109);
  assert.match(found.context.fields?.hydraulic_temperature_c?.dbc ?? '', new RegExp(`^${file?.id} AT1OG2.SPN3246`));

  // The log that was uploaded before is decoded again.
  const runs = async () => (await client.call('tasks_get', { task_id })).run;
  const before = await eventually(runs, (run) => run?.status === 'completed', 60);
  await box('Earlier logs').getByRole('button', { name: 'Decode again' }).click();
  const after = await eventually(runs, (run) => run?.status === 'completed' && run.id !== before?.id, 60);
  // The run was requested by a person, so it is not a retry.
  assert.equal(after?.retry.retry_of, null);
  await box('Earlier logs').getByText('decoded', { exact: false }).first().waitFor();
  await box('Earlier logs').scrollIntoViewIfNeeded();
  await shot(page, 'dbc-live');

  await page.getByRole('button', { name: 'Take out of use' }).click();
  await page.getByText('This version was in use, so its mapping cannot change').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'dbc'), []);
  assert.deepEqual(
    watched.complaints.filter((text) => !/400|401|412/.test(text)),
    [],
  );
});
