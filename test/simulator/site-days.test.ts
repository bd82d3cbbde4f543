/** Crews and breakdowns over a day and a night of a small site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { fleetOf } from '#simulator/fleet.ts';
import { operatorOf, shiftAt } from '#simulator/people.ts';
import { createSite, type SiteSnapshot, type Truth, type TruthChange } from '#simulator/site.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 5, 1, 15, 30);
const HOURS = 15;
const SEED = 11;
// A truck and its excavator that break often, and a loader that nobody drives at night.
const roster = fleetOf(SEED, 4)
  .filter((_, i) => i !== 2)
  .map((row, i) => ({ ...row, mtbf_h: i === 2 ? 1e6 : 1, nights: i !== 2 }));

const changes: TruthChange[][] = roster.map(() => []);
const site = createSite({
  seed: SEED,
  start_ms: START_MS,
  roster,
  onChange: (change) => changes[change.machine]?.push(change),
});
const batches = roster.map(() => new FrameBatch());
const truths: Truth[][] = roster.map(() => []);
let middle: SiteSnapshot | undefined;
for (let to = START_MS; to <= START_MS + HOURS * HOUR_MS; to += 60_000) {
  // Every group each half minute: enough for codes and meters.
  site.advance(to, batches, 30_000);
  for (const [i, list] of truths.entries()) list.push(site.truth(i));
  if (to === START_MS + 13 * HOUR_MS) middle = JSON.parse(JSON.stringify(site.snapshot()));
}

test('[G2] meters never fall in truth, and hours grow only while the engine is on', () => {
  for (const list of truths)
    for (const [i, now] of list.entries()) {
      const before = list[Math.max(0, i - 1)] as Truth;
      assert.ok(now.engine_hours >= before.engine_hours && now.fuel_used_l >= before.fuel_used_l);
      assert.ok(now.engine_hours - before.engine_hours <= 1 / 60 + 1e-9);
      assert.ok(now.idle_hours <= now.engine_hours && now.fuel_level >= 0 && now.fuel_level <= 100);
    }
});

test('[G2] the changes that are told add up to the truth', () => {
  for (const [i, list] of changes.entries()) {
    const told = (list.at(-1) as TruthChange).truth;
    const now = site.truth(i);
    for (const key of ['status', 'codes', 'lamps', 'breakdown', 'operator', 'powered'] as const)
      assert.deepEqual(told[key], now[key]);
    assert.ok(list.length > 4);
  }
});

test('[G1] a site restored from the middle of its night ends where the first did', () => {
  const from = middle as SiteSnapshot;
  const again = createSite({ seed: SEED, start_ms: from.now_ms, from, roster });
  again.advance(
    site.now_ms,
    roster.map(() => new FrameBatch()),
    30_000,
  );
  assert.deepEqual(again.snapshot(), site.snapshot());
});

test('[G3] shifts alternate at 06:00 and 18:00 local, and crews change by the week', () => {
  const at = (iso: string, zone_h = 0) => shiftAt(Date.parse(iso), zone_h * HOUR_MS);
  assert.equal(at('2026-06-01T05:59:59Z').name, 'night');
  assert.equal(at('2026-06-01T06:00:00Z').name, 'day');
  assert.equal(at('2026-06-01T17:59:59Z').name, 'day');
  assert.equal(at('2026-06-01T18:00:00Z').name, 'night');
  assert.equal(at('2026-05-31T22:00:00Z', 8).name, 'day');
  assert.equal(at('2026-06-01T06:00:00Z').index, at('2026-06-01T05:59:59Z').index + 1);
  const crews = new Set(Array.from({ length: 28 }, (_, i) => shiftAt(START_MS + i * 12 * HOUR_MS, 0).crew));
  assert.deepEqual([...crews].sort(), ['A', 'B', 'C', 'D']);
});

test('[G3] the operator of the day hands over to the one of the night, and nobody drives in between', () => {
  const [first = null, ...rest] = (changes[0] as TruthChange[]).map((change) => change.truth.operator);
  const day = shiftAt(START_MS, 0);
  assert.equal(first?.crew, day.crew);
  assert.equal(first?.id, operatorOf(0, SEED, day).id);
  const later = rest.filter((operator, i) => operator?.id !== (i === 0 ? first : rest[i - 1])?.id);
  assert.deepEqual(
    later.slice(0, 2).map((operator) => operator?.crew ?? null),
    [null, shiftAt(START_MS + 12 * HOUR_MS, 0).crew],
  );
  for (const { truth } of changes.flat()) {
    if (truth.phase === 'handover' || truth.phase === 'unmanned') assert.equal(truth.operator, null);
    if (truth.status === 'running') assert.notEqual(truth.operator, null);
  }
});

test('[G3] a machine without a night crew is switched off for the night and comes back in the morning', () => {
  const loader = (changes[2] as TruthChange[]).filter(
    (change, i, all) => change.truth.powered !== all[i - 1]?.truth.powered,
  );
  assert.deepEqual(
    loader.map((change) => change.truth.powered),
    [true, false, true],
  );
  const [, off, on] = loader as [TruthChange, TruthChange, TruthChange];
  const hour = (change: TruthChange) => (change.at_ms / HOUR_MS) % 24;
  assert.ok(hour(off) > 17.7 && hour(off) < 18.7, `off at ${hour(off)}`);
  assert.ok(hour(on) > 5.7 && hour(on) < 6.3, `on at ${hour(on)}`);
});

test('[G4] a breakdown warns, gets worse, stops the machine, is repaired, and its codes go', () => {
  const truck = (changes[0] as TruthChange[]).filter(
    (change, i, all) => change.truth.breakdown !== all[i - 1]?.truth.breakdown,
  );
  const stages = truck.map((change) => change.truth.breakdown);
  assert.deepEqual(stages.slice(0, 5), ['sound', 'warns', 'worse', 'stopped', 'sound']);
  const [, warns, worse, stopped, sound] = truck as [TruthChange, TruthChange, TruthChange, TruthChange, TruthChange];
  assert.ok(stopped.at_ms - warns.at_ms >= 900_000, 'codes come long before the standstill');
  assert.ok(sound.at_ms - stopped.at_ms >= 2_700_000, 'mechanics need their time');
  assert.deepEqual(
    [warns, worse, stopped, sound].map(({ truth }) => truth.codes.length > 0),
    [true, true, true, false],
  );
  assert.equal(stopped.truth.status, 'off');
  assert.equal(worse.truth.lamps.red ?? worse.truth.lamps.amber, true);
});

test('[G4] the bus tells the codes of the truth, and is silent under repair', () => {
  const told: { t_ms: number; codes: string }[] = [];
  createDecoder().decode(batches[0] as FrameBatch, {
    signal() {},
    faults: ({ t_us, dtcs }) =>
      told.push({
        t_ms: t_us / 1000,
        codes: dtcs.map((dtc) => `${dtc.spn}/${dtc.fmi}/${dtc.occurrence_count}`).join(),
      }),
  });
  const truck = changes[0] as TruthChange[];
  const truthAt = (ms: number) => (truck.findLast((change) => change.at_ms <= ms) as TruthChange).truth;
  let compared = 0;
  for (const { t_ms, codes } of told) {
    // A message of several packets says what was so when it began.
    const truth = truthAt(t_ms - 400);
    if (truth !== truthAt(t_ms)) continue;
    assert.equal(codes, truth.codes.map((code) => `${code.spn}/${code.fmi}/${code.count}`).join());
    assert.ok(truth.powered);
    compared++;
  }
  assert.ok(compared > 1_000);
  assert.ok(new Set(told.map((one) => one.codes)).size > 2);
});

test('a larger fleet of a seed has the machines of the smaller one', () => {
  assert.deepEqual(fleetOf(4, 30).slice(0, 7), fleetOf(4, 7));
  assert.equal(new Set(fleetOf(4, 200).map((row) => row.unit)).size, 200);
  assert.notDeepEqual(fleetOf(5, 7), fleetOf(4, 7));
  const clocks = new Set(fleetOf(4, 60).map((row) => row.logger.clock.kind));
  assert.equal(clocks.size, 6);
});
