/** The points of a score, the bands, the trend of a value, and the order of machines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BANDS, GRADES } from '#contract/work/attention.ts';
import { type AttentionMachine, compareScored, type Moment, type Scored, scoreOf } from '#domain/attention/score.ts';
import { type Means, trendOf } from '#domain/attention/trend.ts';
import { ago, alert, machine, NOW, reports, ticket } from '#test/domain/board/board-kit.ts';
import { momentOf, NOTHING_OPEN } from './kit.ts';

/** Means of a coolant temperature that changed evenly by `per_min` up to its present value. */
function rising(now: number, per_min: number, minutes = 15): Means {
  const t = Array.from({ length: minutes }, (_, i) => Math.floor(NOW / 60_000) * 60 - 60 * (minutes - i));
  return { t, v: t.map((s) => now - (per_min * (NOW / 1000 - 30 - s)) / 60) };
}

function hot(
  coolant: number,
  claimed: Partial<AttentionMachine> = {},
  moment: Partial<Moment> = {},
  raised_s = 360,
): Scored {
  const open = { ...NOTHING_OPEN, alerts: [alert('a', { severity: 'critical', raised_at: ago(raised_s) })] };
  return scoreOf(machine('m0', claimed), reports({ 'engine.coolant_temperature': coolant }), open, momentOf(moment));
}

test('[V24] the parts of a score: base, worse, danger, owner, age and further reasons', () => {
  const taken = { by: 'Ana Ruiz', at_ms: NOW - 60_000 };
  // The example of the wall with 12 machines: coolant critical, rising, still running, and Ana is on it.
  const found = hot(110, { taken }, { means: () => rising(110, 2) });
  assert.deepEqual(found.parts, { base: 60, worse: 10, danger: 10, owner: -8, age: 0, extra: 0 });
  assert.equal(found.score, 72);
  assert.equal(hot(110).parts.owner, 8);
  assert.equal(hot(110, {}, {}, 60).parts.owner, 0);
  assert.equal(hot(110, {}, {}, 3_000).parts.age, 5);
  assert.equal(hot(110, {}, {}, 90_000).parts.age, 6);
  assert.equal(hot(110, {}, { means: () => rising(110, -2) }).parts.worse, 0);
  const many = Array.from({ length: 8 }, (_, i) => ticket(`t${i}`, { priority: 'critical', flagged_at: ago(0) }));
  const extra = (count: number) =>
    scoreOf(machine('m0'), reports({}), { alerts: [], tickets: many.slice(0, count) }, momentOf()).parts.extra;
  assert.deepEqual([extra(1), extra(2), extra(4), extra(8)], [0, 2, 6, 6]);
});

test('[V24] an alert that somebody has seen gets no points for a missing owner', () => {
  const seen = alert('a', { raised_at: ago(600), acknowledged_at: ago(300), acknowledged_by: 'Ana Ruiz' });
  const found = scoreOf(machine('m0'), reports({}), { ...NOTHING_OPEN, alerts: [seen] }, momentOf());
  assert.equal(found.parts.owner, 0);
  assert.equal(found.owner, null);
});

const someScored = fc
  .record({
    base: fc.constantFrom(70, 60, 50, 35, 30, 25, 12),
    worse: fc.boolean(),
    running: fc.boolean(),
    taken: fc.boolean(),
    age_s: fc.nat(100_000),
    further: fc.nat(12),
  })
  .map(({ base, worse, running, taken, age_s, further }, i = 0) => ({
    base,
    worse,
    running,
    taken,
    age_s,
    further,
    i,
  }));

test('[V24] points never move a machine out of the band of its grade', () => {
  fc.assert(
    fc.property(someScored, ({ base, worse, running, taken, age_s, further }) => {
      const at = ago(age_s);
      const low = { signal_name: 'fuel.level', value: 5, threshold: 10 } as const;
      const alerts = {
        70: [],
        60: [alert('a', { severity: 'critical', raised_at: at })],
        50: [],
        35: [alert('a', { raised_at: at })],
        30: [],
        25: [alert('a', { ...low, raised_at: at })],
        12: [alert('a', { severity: 'info', raised_at: at })],
      }[base] as ReturnType<typeof alert>[];
      const grave = ticket('t', { safety_critical: true, flagged_at: at });
      const small = Array.from({ length: further }, (_, i) => ticket(`s${i}`, { priority: 'high', flagged_at: at }));
      const status = base === 50 ? 'down' : base === 30 ? 'maintenance' : 'in_use';
      const live_status = running || base === 30 ? 'running' : 'off';
      const found = scoreOf(
        machine('m0', { status, ...(taken && { taken: { by: 'Ana', at_ms: NOW } }) }),
        { ...reports({ 'engine.coolant_temperature': 110 }), live_status },
        { alerts, tickets: base === 70 ? [grave, ...small] : base === 30 ? [] : small },
        momentOf(worse ? { means: () => rising(110, 3) } : {}),
      );
      const grade = base >= 50 ? 'act' : base >= 25 ? 'look' : 'note';
      assert.equal(found.grade, grade);
      const [least, most] = BANDS[grade];
      assert.ok(found.score >= least && found.score <= most, `${found.score}`);
      assert.ok(Number.isInteger(found.score));
    }),
  );
});

test('[V24] bands do not overlap, and every grade has one', () => {
  for (const [i, grade] of GRADES.entries()) {
    const [least, most] = BANDS[grade];
    assert.ok(least <= most);
    const above = GRADES[i - 1];
    if (above !== undefined) assert.equal(most + 1, BANDS[above][0]);
  }
});

const NO_PARTS = { base: 0, worse: 0, danger: 0, owner: 0, age: 0, extra: 0 };
const bare = fc.record({
  grade: fc.option(fc.constantFrom(...GRADES)),
  score: fc.nat(99),
  base: fc.constantFrom(0, 12, 35, 60),
  since_ms: fc.option(fc.integer({ min: NOW - 1_000_000, max: NOW })),
  owner: fc.option(fc.constant('Ana')),
  unit_number: fc.constantFrom('HT-9', 'HT-10', 'EX-1'),
});

test('[V24] the order of machines is total, and it does not depend on the order of the input', () => {
  fc.assert(
    fc.property(fc.array(bare, { minLength: 2, maxLength: 8 }), (many) => {
      const all = many.map(({ base, ...one }, i): Scored => {
        return { ...one, id: `m${i}`, parts: { ...NO_PARTS, base }, reasons: [], passed: null };
      });
      for (const a of all)
        for (const b of all) {
          if (a === b) continue;
          const order = Math.sign(compareScored(a, b));
          assert.equal(order, -Math.sign(compareScored(b, a)));
          assert.notEqual(order, 0);
          for (const c of all)
            if (order < 0 && compareScored(b, c) < 0) assert.ok(compareScored(a, c) < 0, 'not transitive');
        }
      assert.deepEqual(all.toSorted(compareScored), all.toReversed().toSorted(compareScored));
    }),
  );
});

test('[V24] grade, then score, then base, then the time without an owner, then the time open, then the unit number', () => {
  const one = (more: Partial<Scored>): Scored => ({
    id: 'x',
    unit_number: 'HT-5',
    grade: 'look',
    score: 40,
    parts: { ...NO_PARTS, base: 35 },
    reasons: [],
    since_ms: NOW - 60_000,
    owner: null,
    passed: null,
    ...more,
  });
  const order = [
    one({ id: 'act', grade: 'act', score: 50 }),
    one({ id: 'score', score: 41, parts: { ...NO_PARTS, base: 25 } }),
    one({ id: 'base', parts: { ...NO_PARTS, base: 38 } }),
    one({ id: 'unowned', since_ms: NOW - 90_000 }),
    one({ id: 'open', since_ms: NOW - 60_000, unit_number: 'HT-2' }),
    one({ id: 'unit', since_ms: NOW - 60_000, unit_number: 'HT-10' }),
    one({ id: 'owned', since_ms: NOW - 900_000, owner: 'Ana' }),
    one({ id: 'note', grade: 'note', score: 20 }),
    one({ id: 'fine', grade: null, score: 0 }),
  ];
  assert.deepEqual(
    order
      .toReversed()
      .toSorted(compareScored)
      .map(({ id }) => id),
    order.map(({ id }) => id),
  );
});

test('[V25] the trend of a value compares it with five minutes ago, and with five minutes before', () => {
  const of = (means: Means | undefined, now = 110) => trendOf('engine.coolant_temperature', now, means, NOW);
  assert.equal(of(undefined), null);
  assert.equal(of(rising(110, 2, 3)), null);
  assert.equal(of(rising(110, 0)), 'steady');
  assert.equal(of(rising(110, 0.3)), 'still_rising');
  assert.equal(of(rising(110, -2)), 'still_falling');
  const flat: Means = { t: rising(110, 0).t, v: rising(110, 0).v.map(() => 100) };
  assert.equal(of(flat, 110), 'rising');
  assert.equal(of(flat, 101.5), 'rising_slowly');
  assert.equal(of(flat, 98.5), 'falling_slowly');
  assert.equal(of(flat, 90), 'falling');
});
