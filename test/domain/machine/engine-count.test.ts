/** Counted engine hours against a reference that sorts all values and adds up the times between neighbours. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random, type Stream, streamOf } from '#domain/base/random.ts';
import {
  countEngine,
  createEngineCount,
  type EngineCount,
  MAX_ROWS,
  restartCount,
  STALE_S,
  setCountBack,
} from '#domain/machine/engine-count.ts';
import { TEST_SEED } from '#test/support/seed.ts';

const START = 1_700_000_040;
type Value = readonly [t_s: number, on: boolean];

function count(values: readonly Value[]): EngineCount {
  const made = createEngineCount();
  for (const [t_s, on] of values) countEngine(made, t_s, on);
  return made;
}

/** The known and the turning seconds, computed from the sorted set of all values. */
function reference(values: readonly Value[]): { known_s: number; on_s: number } {
  const seconds = new Map<number, boolean>();
  for (const [t_s, on] of values) seconds.set(t_s, on || seconds.get(t_s) === true);
  const sorted = [...seconds].sort((a, b) => a[0] - b[0]);
  let known_s = 0;
  let on_s = 0;
  for (const [i, [t_s, on]] of sorted.entries()) {
    const between = (sorted[i + 1]?.[0] ?? Number.POSITIVE_INFINITY) - t_s;
    if (between > STALE_S) continue;
    known_s += between;
    if (on) on_s += between;
  }
  return { known_s, on_s };
}

const sums = ({ known_s, on_s }: EngineCount) => ({ known_s, on_s });
const whole = (stream: Stream, below: number) => Math.floor(random(stream) * below);

function shuffled<T>(stream: Stream, list: readonly T[]): T[] {
  return list
    .map((one) => ({ one, key: random(stream) }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}

/** Some hours of one machine: starts and stops, intervals from 1 to 40 s, gaps of up to an hour. */
function trace(stream: Stream): Value[] {
  const values: Value[] = [];
  const interval = 1 + whole(stream, 40);
  const end = START + 1800 + whole(stream, 10_000);
  let on = false;
  let change = START;
  for (let t_s = START; t_s < end; t_s += interval + (random(stream) < 0.1 ? whole(stream, 5) : 0)) {
    if (t_s >= change) {
      on = !on;
      change = t_s + 20 + whole(stream, 2400);
    }
    if (random(stream) < 0.002) t_s += whole(stream, 3600);
    values.push([t_s, on]);
    if (random(stream) < 0.02) values.push([t_s, random(stream) < 0.5]);
  }
  return values;
}

test('[D260] the count equals the sum over the sorted values, whatever the order and however often a value comes (1,000 traces)', () => {
  for (let i = 0; i < 1000; i++) {
    const stream = streamOf(TEST_SEED, i);
    const values = trace(stream);
    const expected = reference(values);
    const ordered = count(values);
    assert.deepEqual(sums(ordered), expected, `trace ${i}`);
    const repeated = shuffled(stream, [...values, ...values.filter(() => random(stream) < 0.3)]);
    assert.deepEqual(count(repeated), ordered, `trace ${i}, shuffled`);
  }
});

test('[D260] a gap of more than 60 s is never counted, and late values fill it', () => {
  const made = count([
    [START, true],
    [START + 60, true],
    [START + 121, true],
    [START + 180, false],
  ]);
  assert.deepEqual(sums(made), { known_s: 119, on_s: 119 });
  assert.equal(countEngine(made, START + 90, true), true);
  assert.deepEqual(sums(made), { known_s: 180, on_s: 180 });
  assert.equal(countEngine(made, START + 90, true), false, 'a repeated value changes nothing');
  assert.equal(countEngine(made, START + 90, false), false, 'a second with a turning engine stays a turning second');
});

test('[D260] the state has at most 512 rows; what is removed stays in the sum, and older values are not counted', () => {
  const stream = streamOf(TEST_SEED, 5000);
  const made = createEngineCount();
  const values: Value[] = [];
  // Irregular values, and a start or stop in every minute: no two minutes are equal.
  for (let t_s = START; values.length < 40_000; t_s += 5 + whole(stream, 20)) values.push([t_s, random(stream) < 0.5]);
  for (const [t_s, on] of values) {
    countEngine(made, t_s, on);
    assert.ok(made.rows.length <= MAX_ROWS);
  }
  assert.deepEqual(sums(made), reference(values));
  assert.ok(made.from_s > START);
  assert.equal(countEngine(made, START + 1, true), false);
  assert.ok(JSON.stringify(made).length < 40_000);
});

test('[D260] twenty days with a value each second and ten starts a day fit into the rows', () => {
  const made = createEngineCount();
  let on_s = 0;
  for (let day = 0; day < 20; day++)
    for (let start = 0; start < 10; start++) {
      const from = START + day * 86_400 + start * 7200;
      for (let s = 0; s < 1200; s++) countEngine(made, from + s, s < 900);
      on_s += 900;
    }
  assert.equal(made.on_s, on_s);
  assert.ok(made.rows.length <= MAX_ROWS);
});

test('[D261] a reading of a person starts the count again, and keeps what came after the reading', () => {
  const values: Value[] = Array.from({ length: 3600 }, (_, i) => [START + i, true]);
  const made = count(values);
  restartCount(made, START + 3000);
  assert.deepEqual(sums(made), { known_s: 599, on_s: 599 });
  assert.equal(countEngine(made, START + 100, false), false);
});

test('[D260] when the clock was set back, the same times count once more and nothing twice', () => {
  for (let i = 0; i < 200; i++) {
    const stream = streamOf(TEST_SEED, 9000, i);
    const values = trace(stream);
    const made = count(values);
    const last = values.at(-1)?.[0] ?? START;
    const now = START + whole(stream, last - START);
    const before = made.on_s;
    setCountBack(made, now);
    assert.ok(made.on_s <= before && made.on_s >= before - STALE_S);
    const later = values.filter(([t_s]) => t_s > now);
    for (const [t_s, on] of later) countEngine(made, t_s, on);
    const again = reference([...values.filter(([t_s]) => t_s <= now), ...later]).on_s;
    const first = reference(values.filter(([t_s]) => t_s <= now)).on_s;
    const expected = before + again - first;
    assert.ok(Math.abs(made.on_s - expected) <= STALE_S, `trace ${i}`);
  }
});
