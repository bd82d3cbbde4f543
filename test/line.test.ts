/** The straight line: recordings of real machines, over MQTT into a running gateway, out of the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Equipment } from '#contract/fleet/equipment.ts';
import {
  addMachine,
  batches,
  connectDevice,
  eventually,
  startGateway,
  type TestGateway,
  type TestMachine,
} from '#test/support/gateway.ts';
import { BROKEN_PEDAL, OWN_VIN, ownRecording } from '#test/support/own-recordings.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

interface Played {
  readonly gateway: TestGateway;
  readonly machine: TestMachine;
  readonly equipment: Equipment;
  readonly device: Awaited<ReturnType<ReturnType<TestGateway['project']>['call']>> & object;
}

/** Sends a recording as candump text and reads the machine back once every message is part of the facts. */
async function play(gateway: TestGateway, text: Buffer, unit: string): Promise<Played> {
  const { project } = await gateway.client.call('projects_create', { name: `Site of ${unit}` });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, unit);
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const messages = batches(text, 50);
  await Promise.all(
    messages.map((message) => mqtt.publishAsync(`v1/devices/${machine.device_id}/can`, message, { qos: 1 })),
  );
  await mqtt.endAsync();
  const device = await eventually(
    () => client.call('devices_get', { id: machine.device }),
    (d) => d.metrics.messages_total === messages.length,
    60,
  );
  const equipment = await client.call('equipment_get', { id: machine.equipment_id });
  return { gateway, machine, equipment, device };
}

/** Completed transport messages of a device by PGN, as its state tells them. */
const completed = (device: Played['device']): Record<string, number> =>
  (device as { state: { bus?: { transport_completed?: Record<string, number> } } }).state.bus?.transport_completed ??
  {};

test('a simulated machine: every number of the API is what is true of it, names its frame, and none is from a pedal in error', async () => {
  await using gateway = await startGateway();
  const { text, truth, batch } = ownRecording();
  const { equipment, device } = await play(gateway, text, 'SIM-1');
  const near = (value: unknown, wanted: number, step: number) =>
    assert.ok(typeof value === 'number' && Math.abs(value - wanted) <= step, `${value} is not near ${wanted}`);
  // Meters come once a minute, in steps.
  near(equipment.engine_hours, truth.engine_hours, 0.05 + 1 / 60);
  near(equipment.idle_hours, truth.idle_hours, 0.05 + 1 / 60);
  near(equipment.fuel_remaining_pct, truth.fuel_level, 0.4);
  near(equipment.fuel_used_l, truth.fuel_used_l, 0.5 + 10);
  assert.deepEqual(
    equipment.dtcs?.map(({ spn, fmi, occurrence_count }) => [spn, fmi, occurrence_count]).sort(),
    truth.codes.map(({ spn, fmi, count }) => [spn, fmi, count]).sort(),
  );
  assert.deepEqual([equipment.dtc_counts?.mil, equipment.dtc_counts?.previously_active], [1, 1]);
  assert.deepEqual([equipment.live_status, equipment.last_live_data_at], ['unknown', null], 'a log of the past');
  assert.equal(completed(device)['65260'], 4, 'vehicle identification by BAM');
  assert.equal((device as { state: { bus?: { vin?: string } } }).state.bus?.vin, OWN_VIN);
  const fields = Object.values(equipment.context.fields ?? {});
  assert.ok(fields.length > 8);
  for (const source of fields) {
    if (source?.ref === undefined || source.ref === null) continue;
    assert.match(source.ref, /^\S+:\d+#\d+$/);
    assert.notEqual(source.source_address, BROKEN_PEDAL);
  }
  assert.equal((device as { metrics: { frames_total: number } }).metrics.frames_total, batch.count);
});

test('a John Deere 6130 with its key on: hours and temperatures as recorded, no number from a pedal in error', {
  skip: withoutRecordings,
}, async () => {
  await using gateway = await startGateway();
  const { equipment, device } = await play(gateway, recording('candump/FCBF0606-jd6130.candump.log'), 'JD-1');
  assert.equal(equipment.engine_hours, 219.2);
  assert.equal(equipment.coolant_temperature_c, 85);
  assert.equal(equipment.fuel_temperature_c, 41);
  assert.equal(equipment.fuel_rate_lph, 0);
  assert.equal(completed(device)['65251'], 13, 'engine configuration 1 by BAM');
  assert.equal(completed(device)['65260'], 3, 'vehicle identification by BAM');
  assert.equal(equipment.live_status, 'unknown', 'a recording of 2021 makes no machine live');
  assert.equal(equipment.last_live_data_at, null);
  assert.equal(JSON.stringify(equipment).includes('pedal'), false);
  const source = equipment.context.fields?.engine_hours;
  assert.equal(source?.observed_at?.slice(0, 10), '2021-06-01');
  assert.equal(source?.pgn, 65253);
  assert.equal(source?.spn, 247);
  assert.equal(source?.source_address, 0);
  assert.equal(source?.raw, 4384);
  assert.match(source?.ref ?? '', /^\S+:\d+#\d+$/);
});

test('an idling engine: fuel, DEF, speed, distance and four trouble codes as recorded', {
  skip: withoutRecordings,
}, async () => {
  await using gateway = await startGateway();
  const { equipment } = await play(gateway, recording('candump/11111111-dm1-4dtc.candump.log.gz'), 'ID-1');
  assert.equal(round(equipment.fuel_rate_lph), 2.65);
  assert.equal(round(equipment.fuel_remaining_pct), 74.8);
  assert.equal(equipment.def_remaining_pct, 100);
  assert.equal(equipment.engine_rpm, 649);
  assert.equal(equipment.odometer_km, 13832.875);
  assert.equal(equipment.battery_v, 13.25);
  assert.equal(equipment.dtc_counts?.active, 4);
  assert.equal(equipment.dtc_counts?.mil, 1);
  assert.deepEqual(
    equipment.dtcs
      ?.map((dtc) => [dtc.spn, dtc.fmi, dtc.occurrence_count])
      .sort((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1])),
    [
      [609, 9, 1],
      [609, 12, 3],
      [980, 9, 126],
      [3216, 20, 2],
    ],
  );
});

test('a requested read-out: idle hours and total fuel as answered', { skip: withoutRecordings }, async () => {
  await using gateway = await startGateway();
  const { equipment } = await play(gateway, recording('candump/eti-j1939_840-rp1210.candump.log'), 'ET-1');
  assert.equal(round(equipment.idle_hours), 11.65);
  assert.equal(equipment.fuel_used_l, 19945);
});

/** Physical values are exact to 1e-9; the expectation is written with the digits that people read. */
function round(value: unknown): number {
  assert.equal(typeof value, 'number');
  return Math.round((value as number) * 1e9) / 1e9;
}
