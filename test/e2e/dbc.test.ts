/** A DBC file from a person's disk to a machine's number: refused with its line, imported, mapped, tried on real traffic, used, logs read again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MqttClient } from 'mqtt';
import type { Client } from '#contract/client.ts';
import { addMachine, batches, connectDevice, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { shot, sizesThatStickOut, startBrowser, withoutBrowser } from './browser.ts';

const LINES = 12_000;

/** The beginning of a recording, as if its last frame had been sent now. */
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

test('[U50] a DBC file is refused by its line, imported, mapped, tried on real traffic, used, and earlier logs are read again', {
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

  await using chromium = await startBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#dbc`, { viewport: { width: 1440, height: 900 } });
  const { page } = watched;
  const box = (name: string) => page.getByRole('region', { name });
  await page.getByLabel('Key', { exact: true }).fill(OWNER_KEY);
  await page.keyboard.press('Enter');
  await page.getByText('No DBC files yet').waitFor();
  await shot(page, 'dbc-empty');

  // A file that somebody's editor has broken: the place is shown with its neighbours.
  const broken = source.toString('latin1').replace('SPN190_EngineSpeed : 24|16@1+', 'SPN190_EngineSpeed : 24|16@5+');
  const line = broken.slice(0, broken.indexOf('16@5+')).split('\n').length;
  const choose = page.getByLabel('Choose a DBC file');
  await choose.setInputFiles({ name: 'drill.dbc', mimeType: 'text/plain', buffer: Buffer.from(broken, 'latin1') });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('figcaption', { hasText: `Line ${line}, column` }).waitFor();
  assert.match((await page.locator('.lines [aria-current]').textContent()) ?? '', /SPN190_EngineSpeed/);
  await shot(page, 'dbc-refused');

  // The next one is dropped.
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

  // The file's own suggestion, and one that the gateway knows of by nothing but this file.
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
  // Somebody else maps meanwhile: it is said before it is written over, and what was chosen is still there.
  const [first] = (await client.call('dbc_list', {})).data;
  await client.call('dbc_map', { id: first?.id ?? '', mapping: [] });
  await client.call('dbc_map', {
    id: first?.id ?? '',
    mapping: [{ message: 'EEC1', signal: 'SPN190_EngineSpeed', to: 'engine.speed' }],
  });
  await page.getByRole('button', { name: 'Save the mapping' }).click();
  await box('Mapping').getByText('Somebody else changed this file meanwhile: 1 signal mapped').waitFor();
  await page.getByRole('button', { name: 'Go on with mine' }).click();
  await page.getByRole('button', { name: 'Save the mapping' }).click();
  await page.getByText('3 signals mapped').waitFor();

  await page.getByRole('button', { name: 'Try it' }).click();
  const tried = box('Trial').getByRole('status');
  await tried.getByText(/frames read/).waitFor();
  assert.match((await tried.textContent()) ?? '', new RegExp(`${LINES / 1000}\u2009000 frames read`));
  const pressure = tried.getByRole('row', { name: /SPN157/ });
  assert.match((await pressure.textContent()) ?? '', /65\u2009\d{3}.* to 6\d\u2009\d{3}.* kPa as ours/);
  await box('Use').getByText('1 signal had impossible numbers').waitFor();
  await tried.scrollIntoViewIfNeeded();
  await shot(page, 'dbc-trial');

  // What cannot be is taken out again before the file counts.
  await page.getByRole('button', { name: /^Remove EFL_P2/ }).click();
  await page.getByRole('button', { name: 'Save the mapping' }).click();
  await page.getByText('2 signals mapped').waitFor();
  await box('Use').getByText('The mapping was changed after the trial').waitFor();
  await page.getByRole('button', { name: 'Try it' }).click();
  await box('Use').getByText('The mapping was changed').waitFor({ state: 'detached' });
  await page.getByLabel('these devices').check();
  await box('Use').getByLabel(machine.device_id).check();
  await page.getByRole('button', { name: 'Take into use' }).click();
  await page.getByText(`In use for ${machine.device_id}`).waitFor();

  // From now on the machine has the number, and says by which file.
  const [file] = (await client.call('dbc_list', {})).data;
  await send(mqtt, machine.device_id);
  const found = await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    (one) => one.hydraulic_temperature_c !== null,
  );
  assert.ok((found.hydraulic_temperature_c ?? 0) > 108 && (found.hydraulic_temperature_c ?? 0) < 109);
  assert.match(found.context.fields?.hydraulic_temperature_c?.dbc ?? '', new RegExp(`^${file?.id} AT1OG2.SPN3246`));

  // The log that came before is read again by it.
  const runs = async () => (await client.call('tasks_get', { task_id })).run;
  const before = await eventually(runs, (run) => run?.status === 'completed', 60);
  await box('Earlier logs').getByRole('button', { name: 'Read again' }).click();
  const after = await eventually(runs, (run) => run?.status === 'completed' && run.id !== before?.id, 60);
  // A person asked for it: it replaces no run that died (R27).
  assert.equal(after?.retry.retry_of, null);
  await box('Earlier logs').getByText('read', { exact: false }).first().waitFor();
  await box('Earlier logs').scrollIntoViewIfNeeded();
  await shot(page, 'dbc-live');

  await page.getByRole('button', { name: 'Take out of use' }).click();
  await page.getByText('This version was in use: its mapping stays').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'dbc'), []);
  assert.deepEqual(
    watched.complaints.filter((text) => !/400|401|412/.test(text)),
    [],
  );
});
