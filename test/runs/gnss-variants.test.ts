/** GNSS logs that differ: layouts of the file, the offset of the clock, the fix, and receivers that show a wrong week. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mdf4WriterOptions } from '#codec/mdf4/writer.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { RunData } from '#contract/work/task.ts';
import { writeMdf4 } from '#test/codec/mdf4-files.ts';
import { gnssFrame, positionFrame } from '#test/domain/gnss/gnss-kit.ts';
import { openRuns } from './rig.ts';

const EPOCH_S = 1_577_840_400;
const TRUE_S = Date.parse('2026-11-20T22:10:00Z') / 1000;
const SECONDS = 240;
const WEEK_S = 7 * 86_400;
/** The place of the program name in the header of an MF4 file. */
const PROGRAM_AT = 16;

interface Variant {
  readonly name: string;
  /** How far the clock of the logger is ahead of the true time, in seconds, at a second of the log. */
  readonly ahead: (second: number) => number;
  /** The fix at a second; null for no fix, so the receiver knows neither time nor position. */
  readonly fix?: (second: number) => 2 | 3 | 5 | null;
  /** How far the time of the receiver is from the true time, in seconds. */
  readonly wrong?: (second: number) => number;
  readonly file: Partial<Mdf4WriterOptions>;
  /** The clock that corrects the log; null if the log keeps its times. */
  readonly clock: 'gnss' | null;
}

const latitudeAt = (second: number) => -33.5 + second / 10_000;
const longitudeAt = (second: number) => -70.25 - second / 20_000;
const hasPosition = (fix: number | null) => fix === 2 || fix === 3;

/** The log: the engine speed once a second, and the frames of the receiver five times a second. */
function logOf({ ahead, fix = () => 3, wrong = () => 0, file }: Variant): Buffer {
  const batch = new FrameBatch();
  const push = (t_s: number, bus: number, id: number, flags: number, data: Uint8Array) =>
    batch.push(Math.round(t_s * 1e6), bus, id, flags, data, 0, data.length);
  for (let s = 0; s < SECONDS; s++)
    for (let part = 0; part < 5; part++) {
      const true_s = TRUE_S + s + part / 5;
      const at = true_s + ahead(s);
      const raw = (800 + s) * 8;
      if (part === 0)
        push(at, 1, 0x0cf00400, FRAME.extended, Uint8Array.of(255, 255, 255, raw & 255, raw >> 8, 255, 255, 255));
      const now = fix(s);
      const known = now === null ? 0 : 1;
      push(at + 0.001, 9, 0x65, 0, gnssFrame(0, { fix: now ?? 0, satellites: now === null ? 0 : 9 }));
      const epoch = Math.round((true_s + wrong(s) - EPOCH_S) * 1000);
      push(at + 0.002, 9, 0x66, 0, gnssFrame(1, { timeValid: known, timeConfirmed: known, epoch: known * epoch }));
      const place = hasPosition(now) ? positionFrame(latitudeAt(s), longitudeAt(s), 3) : new Uint8Array(8);
      push(at + 0.003, 9, 0x67, 0, place);
    }
  const started_us = Math.round((TRUE_S + ahead(0)) * 1e6);
  const bytes = Buffer.from(writeMdf4(batch, { started_us, channels: [1, 2, 9], ...file }));
  bytes.write('CE      ', PROGRAM_AT, 'latin1');
  return bytes;
}

const VARIANTS: readonly Variant[] = [
  { name: 'ahead, sorted', ahead: () => 19.5, file: { order: 'sorted' }, clock: 'gnss' },
  { name: 'behind, unsorted', ahead: () => -19.4, file: { order: 'unsorted' }, clock: 'gnss' },
  { name: 'drift', ahead: (s) => 19.4 + s / 1_200, file: { layout: 'grouped' }, clock: 'gnss' },
  { name: 'no fix at first', ahead: () => 8, fix: (s) => (s < 60 ? null : 3), file: { zip: 'deflate' }, clock: 'gnss' },
  {
    name: 'fix lost',
    ahead: () => -4_000,
    fix: (s) => (s < 40 || s > 200 ? 3 : null),
    file: { order: 'unsorted', unfinished: true },
    clock: 'gnss',
  },
  { name: 'time only, then 2D', ahead: () => 86_400 * 400, fix: (s) => (s < 30 ? 5 : 2), file: {}, clock: 'gnss' },
  { name: 'never a fix', ahead: () => 19.5, fix: () => null, file: {}, clock: null },
  {
    name: 'a wrong week at first',
    ahead: () => 7.5,
    wrong: (s) => (s < 30 ? -1_024 * WEEK_S : 0),
    file: {},
    clock: 'gnss',
  },
  { name: 'a wrong week all the time', ahead: () => 0, wrong: () => -1_024 * WEEK_S, file: {}, clock: null },
  { name: 'a right clock', ahead: () => 0.05, file: {}, clock: null },
];

interface Correction {
  readonly clock: string | null;
  readonly corrected_samples: number;
  readonly not_used_because: string | null;
}

test('[D182] [Q19] GNSS logs of any layout, fix and clock have their positions at the true time, or say that it is not known', async () => {
  await using rig = await openRuns();
  rig.start();
  for (const variant of VARIANTS) {
    const { name, ahead, fix = () => 3, clock } = variant;
    const machine = await rig.machine(`M-${name}`);
    const device = await rig.device(name.replaceAll(/\W+/g, '-'), [['2015-01-01T00:00:00Z', machine]]);
    const { data }: { data: RunData } = await rig.ended(await rig.upload(device, '00000001.MF4', logOf(variant)));
    assert.equal(data.status, 'completed', name);
    const correction = (data.output?.details?.clock_correction ?? null) as Correction | null;
    const used = correction?.corrected_samples ? correction.clock : null;
    assert.equal(used, clock, `${name}: ${JSON.stringify(correction)}`);
    const history = async (signal: 'engine.speed' | 'position.latitude' | 'position.longitude') => {
      const { t, v } = await rig.site.ingest.history(
        machine,
        signal,
        Date.parse('2015-01-01'),
        Date.parse('2030-01-01'),
      );
      return t.map((second, i) => [second, v[i] as number] as const);
    };
    // Without a trusted clock the times stay as the logger reported them.
    const timeOf = (s: number) => Math.floor(TRUE_S + s + (clock === null ? ahead(s) : 0));
    const seconds = Array.from({ length: SECONDS }, (_, s) => s);
    const near = (
      found: readonly (readonly [number, number])[],
      wanted: readonly (readonly [number, number])[],
      what: string,
    ) => {
      assert.equal(found.length, wanted.length, `${name}: ${what}`);
      for (const [i, [second, value]] of found.entries()) {
        const [at, expected] = wanted[i] as readonly [number, number];
        assert.ok(Math.abs(second - at) <= 1, `${name}: ${what} ${i} is at ${second} instead of ${at}`);
        assert.ok(Math.abs(value - expected) < 1e-9, `${name}: ${what} ${i} is ${value} instead of ${expected}`);
      }
    };
    near(
      await history('engine.speed'),
      seconds.map((s) => [timeOf(s), 800 + s]),
      'engine speed',
    );
    const placed = seconds.filter((s) => hasPosition(fix(s)));
    const degrees = (value: number) => Number(value.toFixed(6));
    near(
      await history('position.latitude'),
      placed.map((s) => [timeOf(s), degrees(latitudeAt(s))]),
      'latitude',
    );
    near(
      await history('position.longitude'),
      placed.map((s) => [timeOf(s), degrees(longitudeAt(s))]),
      'longitude',
    );
    if (clock === null && Math.abs(ahead(0)) > 1 && correction !== null)
      assert.notEqual(correction.not_used_because, null, `${name} says why the clock is not used`);
    // The history says that it was corrected, by how much, and how certain that is.
    const query = { project_id: rig.site.project, equipment_id: machine, signals: ['engine.speed' as const] };
    const range = { from_ms: timeOf(0) * 1000 - 5_000, to_ms: timeOf(SECONDS) * 1000 + 5_000 };
    const { series } = await rig.site.ingest.readTelemetry({ ...query, ...range, step_s: null, now_ms: range.to_ms });
    const [row] = series[0]?.corrected ?? [];
    if (clock === null) assert.equal(row, undefined, name);
    else {
      const off_ms = [ahead(0), ahead(SECONDS - 1)].map((s) => -s * 1000);
      assert.equal(row?.clock, 'gnss', name);
      assert.ok(Math.abs((row?.least_ms ?? 0) - Math.min(...off_ms)) <= (row?.uncertainty_ms ?? 0) + 250, name);
      assert.ok(Math.abs((row?.most_ms ?? 0) - Math.max(...off_ms)) <= (row?.uncertainty_ms ?? 0) + 250, name);
      assert.equal(row?.values, SECONDS, name);
    }
  }
});
