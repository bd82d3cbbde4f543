/** The logger's own GNSS in files that a device uploads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLogFile } from '#bridge/log-file.ts';
import type { Stored } from '#contract/base/view.ts';
import type { RunData } from '#contract/work/task.ts';
import { gnssField, positionFrame } from '#test/domain/gnss/gnss-kit.ts';
import { recording, recordingPath, withoutRecordings } from '#test/support/recordings.ts';
import { openRuns } from './rig.ts';

const FILE = 'mf4/7512BE4D_00000427_00000001.fw0108-gnss.MF4';
const FROM = Date.parse('2024-09-07T00:00:00Z');
const TO = Date.parse('2024-09-08T00:00:00Z');

interface GnssDetails {
  readonly positions: number;
  readonly fix_types: Record<string, number>;
  readonly accuracy_m: { least: number; most: number };
  readonly altitude_m: { least: number; most: number };
  readonly speeds: number;
  readonly speed_kmh: { least: number; most: number };
  readonly clock_ahead: { readings: number; first_s: number; last_s: number; least_s: number; most_s: number };
}

const gnssOf = ({ data }: Stored<RunData>) => (data.output?.details?.gnss ?? null) as GnssDetails | null;

/** A position in the file, with the GNSS time that the receiver sent last before it (null: none yet); read without the code of the gateway. */
interface Position {
  readonly degrees: readonly [latitude: number, longitude: number];
  readonly gnss_s: number | null;
}

async function positionsOf(path: string): Promise<Position[]> {
  const found: Position[] = [];
  let gnss_s: number | null = null;
  await using log = await openLogFile(path, {});
  for await (const batch of log.batches())
    for (let i = 0; i < batch.count; i++) {
      if (batch.bus[i] !== 9) continue;
      const payload = batch.payload(i);
      if (batch.id[i] === 0x066 && gnssField(payload, 'timeConfirmed') === 1)
        gnss_s = gnssField(payload, 'epoch') / 1000 + 1_577_840_400;
      if (batch.id[i] !== 0x067 || gnssField(payload, 'positionValid') === 0) continue;
      const degrees = (name: 'latitude' | 'longitude', half: number) => (gnssField(payload, name) - half * 1e6) / 1e6;
      found.push({ degrees: [degrees('latitude', 90), degrees('longitude', 180)], gnss_s });
    }
  return found;
}

test('[D182] [D184] an uploaded file of a logger with GNSS gives its machine positions, and nothing becomes live', {
  skip: withoutRecordings,
}, async (t) => {
  const expected = JSON.parse(recording('expected/7512BE4D.gnss.json').toString());
  await using rig = await openRuns();
  const machine = await rig.machine('CAR-1');
  const device = await rig.device('7512BE4D', [['2024-01-01T00:00:00Z', machine]]);
  rig.start();
  const artifact = await rig.upload(device, '00000001.MF4', recording(FILE));
  const run = await rig.ended(artifact);
  assert.equal(run.data.status, 'completed');

  const frames = await positionsOf(recordingPath(FILE));
  assert.equal(frames.length, expected.valid);
  const { ingest } = rig.site;
  const latitudes = await ingest.history(machine, 'position.latitude', FROM, TO);
  const longitudes = await ingest.history(machine, 'position.longitude', FROM, TO);
  // Each stored position is a position of the file, in the order of the file, within a second of the GNSS time of its frame.
  let at = 0;
  let compared = 0;
  latitudes.t.forEach((second, i) => {
    const is = ({ degrees }: Position) => degrees[0] === latitudes.v[i] && degrees[1] === longitudes.v[i];
    const next = frames.findIndex((one, k) => k >= at && (one.gnss_s === null || one.gnss_s > second - 1) && is(one));
    assert.ok(next >= 0, `the position of second ${second} is in the file`);
    at = next;
    const gnss_s = frames[next]?.gnss_s ?? null;
    if (gnss_s === null) return;
    compared++;
    const off_s = gnss_s - second;
    assert.ok(off_s > -1 && off_s < 1.5, `second ${second} is ${off_s} s from the GNSS time of its position`);
  });
  assert.ok(compared > latitudes.t.length - 30);
  assert.deepEqual(longitudes.t, latitudes.t);
  assert.ok(latitudes.t.length > 1_800);

  const live = rig.site.ingest.live.equipment(machine);
  assert.deepEqual([live?.live_status, live?.last_live_data_at], ['unknown', null]);
  const [last_s, , last_latitude, last_longitude] = expected.last;
  const { 'position.latitude': latitude, 'position.longitude': longitude } = live?.values ?? {};
  assert.ok(Math.abs((latitude?.value ?? 0) - last_latitude) < 1e-9);
  assert.ok(Math.abs((longitude?.value ?? 0) - last_longitude) < 1e-9);
  const corrected_s = Date.parse(latitude?.observed_at ?? '') / 1000;
  const [, most_ahead_s] = expected.clock_minus_gnss_s;
  assert.ok(last_s - corrected_s > 7 && last_s - corrected_s <= most_ahead_s, `corrected by ${last_s - corrected_s} s`);
  assert.deepEqual([latitude?.bus, latitude?.source_address, latitude?.pgn, latitude?.spn], [9, null, null, null]);
  assert.equal(latitude?.run_id, run.id);
  assert.ok((live?.values['vehicle.speed']?.value ?? -1) >= 0, 'no better source of the speed');

  const gnss = gnssOf(run) as GnssDetails;
  assert.equal(gnss.positions, expected.positions);
  assert.deepEqual([gnss.fix_types.none, gnss.fix_types['3d']], [expected.fix_types['0'], expected.fix_types['3']]);
  assert.deepEqual([gnss.accuracy_m.least, gnss.accuracy_m.most], expected.accuracy);
  assert.ok(Math.abs(gnss.altitude_m.least - expected.altitude[0]) < 1e-9);
  assert.ok(Math.abs(gnss.altitude_m.most - expected.altitude[1]) < 1e-9);
  assert.equal(gnss.speeds, expected.speed_valid);
  assert.ok(Math.abs(gnss.speed_kmh.most - expected.speed_max_mps * 3.6) < 1e-9);
  await rig.again(artifact);
  const counts = (await rig.ended(artifact)).data.seed_graph?.counts;
  assert.deepEqual(
    [counts?.samples_added, counts?.samples_known],
    [0, counts?.samples],
    'nothing is new the second time',
  );
  assert.deepEqual(rig.site.ingest.live.equipment(machine), live);
  t.diagnostic(
    `${latitudes.t.length} positions of ${gnss.positions} are in history; ${compared} compared with their GNSS time`,
  );
});

test('[Q18] a run reports how far the clock of the logger is from GNSS time', { skip: withoutRecordings }, async () => {
  const expected = JSON.parse(recording('expected/7512BE4D.gnss.json').toString());
  await using rig = await openRuns();
  const device = await rig.device('7512BE4D', [['2024-01-01T00:00:00Z', await rig.machine('CAR-1')]]);
  rig.start();
  const run = await rig.ended(await rig.upload(device, '00000001.MF4', recording(FILE)));
  const { clock_ahead } = gnssOf(run) as GnssDetails;
  const [least, most] = expected.clock_minus_gnss_s;
  assert.equal(clock_ahead.readings, expected.time_confirmed);
  assert.deepEqual(
    [clock_ahead.least_s, clock_ahead.most_s],
    [least, most].map((s: number) => Number(s.toFixed(3))),
  );
  assert.deepEqual([clock_ahead.first_s, clock_ahead.last_s], [8.786, 7.825]);
  const gaps = run.data.gaps.filter(({ code }) => code === 'recording_clock_off');
  assert.equal(gaps.length, 1);
  assert.match(gaps[0]?.message ?? '', /8\.786 s ahead of GNSS time .* 7\.825 s ahead of it at the last/);
  const { samples = 0 } = run.data.seed_graph?.counts ?? {};
  assert.match(gaps[0]?.message ?? '', new RegExp(`${samples.toLocaleString('en')} samples have corrected times\\.$`));
  assert.match(
    run.data.output?.summary ?? '',
    /The clock of the logger was 8\.6 s ahead of GNSS time; .* corrected times\.$/,
  );
  const { clock_correction } = (run.data.output?.details ?? {}) as { clock_correction: Record<string, unknown> };
  const { stretches, ...rest } = clock_correction;
  assert.deepEqual(rest, {
    clock: 'gnss',
    control_unit: null,
    not_used_because: null,
    readings: expected.time_confirmed,
    corrected_samples: samples,
    stretches_total: 1,
  });
  const [stretch] = stretches as {
    ahead_first_s: number;
    ahead_last_s: number;
    uncertainty_s: number;
    corrected: boolean;
  }[];
  assert.equal(stretch?.corrected, true);
  assert.ok((stretch?.uncertainty_s ?? 9) < 0.5);
});

test('[D180] the same frames in a file that no CANedge wrote give nothing, until a setting of the device names the channel', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  rig.start();
  const at = Date.parse('2026-11-20T06:00:00Z') / 1000;
  const data = Buffer.from(positionFrame(56.1, 10.2)).toString('hex').toUpperCase();
  const text = Array.from({ length: 20 }, (_, i) => `(${(at + i).toFixed(6)}) can9 067#${data}\n`).join('');
  const artifact = await rig.upload(device, 'a.log', Buffer.from(text));
  const before = await rig.ended(artifact);
  assert.equal(gnssOf(before), null);
  assert.equal(before.data.seed_graph?.counts.samples, 0);
  const gnss_channels = [{ bus: 9, frames: 'canedge_internal' }];
  await rig.site.call('devices_settings_update', { id: device.device, settings: { gnss_channels } });
  await rig.again(artifact);
  const after = await rig.ended(artifact);
  assert.equal(after.data.seed_graph?.counts.samples, 40, 'twenty seconds with two coordinates');
  assert.equal(rig.site.ingest.live.equipment(machine)?.values['position.latitude']?.value, 56.1);
});
