/** The order of the machines in trouble over time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BANDS, type Grade } from '#contract/work/attention.ts';
import { rank } from '#domain/attention/ranking.ts';
import { compareScored, gradeOf, type Scored } from '#domain/attention/score.ts';
import {
  ENTER_MS,
  LEAD,
  LEAD_MS,
  LEAVE_MS,
  MOVE_MS,
  type Steady,
  startSteady,
  step,
} from '#domain/attention/steady.ts';
import { NOW } from '#test/domain/board/board-kit.ts';

/** A machine with these points; 0 base points: it needs nobody. */
function scored(id: string, base: number, more = 0, since_ms: number | null = NOW): Scored {
  const grade: Grade | null = base === 0 ? null : gradeOf(base);
  const [least, most] = grade === null ? [0, 0] : BANDS[grade];
  return {
    id,
    unit_number: id,
    grade,
    score: Math.max(least, Math.min(most, base + more)),
    parts: { base, worse: 0, danger: 0, owner: 0, age: 0, extra: more },
    reasons: [],
    since_ms: base === 0 ? null : since_ms,
    owner: null,
    passed: null,
  };
}

const ids = ({ shown }: Steady) => shown.map(({ id }) => id);

/** Runs the state machine once a second; `at` gives the scores of each second. */
function run(seconds: number, at: (s: number) => Scored[], from?: Steady): Steady[] {
  const states: Steady[] = [];
  let state = from ?? startSteady(at(0), NOW);
  states.push(state);
  for (let s = 1; s <= seconds; s++) {
    state = step(state, at(s), NOW + s * 1000);
    states.push(state);
  }
  return states;
}

test('[V26] act enters at once, look after 10 s', () => {
  const states = run(20, (s) => (s === 0 ? [scored('a', 0), scored('b', 0)] : [scored('a', 60), scored('b', 35)]));
  assert.deepEqual(ids(states[0] as Steady), []);
  assert.deepEqual(ids(states[1] as Steady), ['a']);
  assert.deepEqual(ids(states[10] as Steady), ['a']);
  assert.deepEqual(ids(states[11] as Steady), ['a', 'b']);
});

test('[V26] a look that ends within 10 s never shows', () => {
  const states = run(60, (s) => [scored('a', s % 9 === 0 ? 0 : 35)]);
  assert.ok(states.every((state) => ids(state).length === 0));
});

test('[V26] a machine leaves when it has needed nobody for 60 s, keeps its place until then, and remembers who was on it', () => {
  const states = run(70, (s) => [{ ...scored('a', s < 5 ? 60 : 0), owner: s < 5 ? 'Ana' : null }, scored('b', 0)]);
  assert.deepEqual(
    (states[64] as Steady).shown.map(({ id, over_ms, owner }) => [id, over_ms, owner]),
    [['a', NOW + 5_000, 'Ana']],
  );
  assert.deepEqual(ids(states[65] as Steady), []);
});

test('[V26] trouble that comes again within the minute takes its tile again', () => {
  const states = run(30, (s) => [scored('a', s >= 5 && s < 20 ? 0 : 60)]);
  assert.deepEqual(
    (states[30] as Steady).shown.map(({ id, over_ms }) => [id, over_ms]),
    [['a', null]],
  );
});

test('[V26] two machines swap when the lower one has led by 8 for 20 s, and by 7 never', () => {
  const start = [scored('a', 60, 10), scored('b', 60, 5)];
  const led = run(40, (s) => (s === 0 ? start : [scored('a', 60, 10), scored('b', 60, 18)]));
  assert.deepEqual(ids(led[20] as Steady), ['a', 'b']);
  assert.deepEqual(ids(led[21] as Steady), ['b', 'a']);
  const near = run(200, (s) => (s === 0 ? start : [scored('a', 60, 10), scored('b', 60, 17)]));
  assert.ok(near.every((state) => ids(state)[0] === 'a'));
});

test('[V26] a machine that becomes graver moves at once', () => {
  const states = run(3, (s) => [scored('a', 60), scored('b', s < 2 ? 35 : 70)]);
  // It was shown as the second; then its brakes failed.
  assert.deepEqual(ids(states[1] as Steady), ['a']);
  assert.deepEqual(ids(states[2] as Steady), ['b', 'a']);
});

test('[V26] a machine that enters with grade look does not take the first place without a clear lead', () => {
  const states = run(30, (s) => [scored('a', 35, 0, NOW - 60_000), scored('b', s < 2 ? 0 : 35, 5)]);
  assert.deepEqual(ids(states[30] as Steady), ['a', 'b']);
});

test('[V26] a machine that is over makes room for the next after 20 s', () => {
  const states = run(40, (s) => [scored('a', s < 5 ? 70 : 0), scored('b', 60)]);
  assert.deepEqual(ids(states[24] as Steady), ['a', 'b']);
  assert.deepEqual(ids(states[25] as Steady), ['b', 'a']);
});

test('[V26] a deleted machine disappears at once', () => {
  const states = run(2, (s) => (s < 2 ? [scored('a', 60), scored('b', 50)] : [scored('b', 50)]));
  assert.deepEqual(ids(states[2] as Steady), ['b']);
});

/** A random story: the base points and further points of some machines, which change at random seconds. */
const story = fc.record({
  machines: fc.integer({ min: 1, max: 7 }),
  changes: fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 240 }),
      machine: fc.nat(6),
      base: fc.constantFrom(0, 0, 12, 25, 35, 50, 60, 70),
      more: fc.nat(25),
    }),
    { maxLength: 40 },
  ),
});

function tell({ machines, changes }: typeof story extends fc.Arbitrary<infer S> ? S : never) {
  return (s: number): Scored[] =>
    Array.from({ length: machines }, (_, i) => {
      const last = changes
        .filter(({ at, machine }) => machine === i && at <= s)
        .sort((a, b) => a.at - b.at)
        .at(-1);
      return scored(`m${i}`, last?.base ?? 0, last?.more ?? 0, NOW + (last?.at ?? 0) * 1000);
    });
}

test('[V26] in any story nothing enters, leaves or moves faster than its rule', () => {
  fc.assert(
    fc.property(story, (one) => {
      const at = tell(one);
      const states = run(260, at);
      let moved = Number.NEGATIVE_INFINITY;
      for (let s = 1; s < states.length; s++) {
        const [before, after] = [ids(states[s - 1] as Steady), ids(states[s] as Steady)];
        const now = new Map(at(s).map((machine) => [machine.id, machine]));
        const was = new Map(at(s - 1).map((machine) => [machine.id, machine]));
        const needs = (id: string, second: number) =>
          ['act', 'look'].includes(at(second).find((machine) => machine.id === id)?.grade ?? '');
        for (const id of after.filter((shown) => !before.includes(shown))) {
          // Nothing enters early.
          if (now.get(id)?.grade === 'act') continue;
          for (let back = 0; back <= ENTER_MS / 1000; back++) assert.ok(needs(id, s - back), `${id} entered early`);
        }
        for (const id of before.filter((shown) => !after.includes(shown)))
          for (let back = 0; back < LEAVE_MS / 1000; back++) assert.ok(!needs(id, s - back), `${id} left early`);
        // Everything that must act now is there at once.
        for (const { id, grade } of now.values()) if (grade === 'act') assert.ok(after.includes(id));
        // Two machines that change their order: because of a new reason to act now, or as the one move in 15 s.
        const graver = ({ id, grade, parts }: Scored) =>
          grade === 'act' && (was.get(id)?.grade !== 'act' || parts.base > (was.get(id)?.parts.base ?? 0));
        const both = before.filter((id) => after.includes(id));
        const swapped = both.flatMap((upper, i) =>
          both
            .slice(i + 1)
            .filter((lower) => after.indexOf(lower) < after.indexOf(upper))
            .map((lower) => [upper, lower] as const),
        );
        const calm = swapped.filter(([, lower]) => !graver(now.get(lower) as Scored));
        if (calm.length === 0) continue;
        assert.ok(s * 1000 - moved >= MOVE_MS, `moved twice in ${s * 1000 - moved} ms`);
        moved = s * 1000;
        assert.equal(new Set(calm.map(([, lower]) => lower)).size, 1, 'one machine moves');
        for (const [upper, lower] of calm)
          for (let back = 0; back < LEAD_MS / 1000; back++) {
            const [low, high] = [lower, upper].map((id) => at(s - back).find((machine) => machine.id === id) as Scored);
            const leads =
              !needs(upper, s - back) ||
              (low?.grade === high?.grade
                ? (low?.score ?? 0) - (high?.score ?? 0) >= LEAD
                : compareScored(low as Scored, high as Scored) < 0);
            assert.ok(leads, `${lower} passed ${upper} early`);
          }
      }
    }),
    { numRuns: 200 },
  );
});

test('[V26] a process that starts in any story shows the plain order, and the same as another that starts then', () => {
  fc.assert(
    fc.property(story, fc.integer({ min: 0, max: 240 }), (one, s) => {
      const at = tell(one)(s);
      const now_ms = NOW + s * 1000;
      const first = startSteady(at, now_ms);
      assert.deepEqual(startSteady(at.toReversed(), now_ms).shown, first.shown);
      const due = at
        .filter(
          ({ grade, since_ms }) => grade === 'act' || (grade === 'look' && now_ms - (since_ms ?? now_ms) >= ENTER_MS),
        )
        .sort(compareScored);
      assert.deepEqual(
        ids(first),
        due.map(({ id }) => id),
      );
      // A state that does not change has the machines of a new process, once every wait has passed. Only a machine that entered with grade
      // look, and leads the first one of its grade by less than 8 points, is at another place.
      const later = ids(run(70, () => at, first).at(-1) as Steady);
      const plain = at.filter(({ grade }) => grade === 'act' || grade === 'look').sort(compareScored);
      assert.deepEqual([...later].sort(), plain.map(({ id }) => id).sort());
      const [top] = later;
      const rest = plain.filter(({ id }) => id !== top).map(({ id }) => id);
      assert.deepEqual(later.slice(1), rest);
      const [best, own] = [plain[0], plain.find(({ id }) => id === top)];
      assert.ok(best?.id === own?.id || (own?.grade === 'look' && (best?.score ?? 0) - (own?.score ?? 0) < LEAD));
    }),
    { numRuns: 200 },
  );
});

test('[V26] a clock that was set back delays nothing', () => {
  const state = run(5, () => [scored('a', 60), scored('b', 60, 20)]).at(-1) as Steady;
  const back = step(state, [scored('a', 60), scored('b', 60, 20), scored('c', 35)], NOW - 3_600_000);
  const later = step(back, [scored('a', 60), scored('b', 60, 20), scored('c', 35)], NOW - 3_600_000 + ENTER_MS);
  assert.ok(ids(later).includes('c'));
});

test('[V26] the ranking gives each machine in trouble its place', () => {
  const first = rank(undefined, [scored('a', 60), scored('b', 0), scored('c', 70)], NOW);
  assert.deepEqual(
    [...first.machines.values()].map(({ id, place }) => [id, place]),
    [
      ['a', 2],
      ['b', null],
      ['c', 1],
    ],
  );
  const second = rank(first, [scored('a', 60), scored('b', 0), scored('c', 0)], NOW + 1000);
  assert.equal(second.in_trouble, 1);
  assert.deepEqual(second.machines.get('c')?.over, { at_ms: NOW + 1000, owner: null });
});

test('[V30] when no machine is in trouble any more, the ranking knows since when, and what ended last', () => {
  const says = { code: 'report' as const, params: { title: 'Brakes bad' } };
  const bad = (id: string, began_ms: number): Scored => ({
    ...scored(id, 70, 0, began_ms),
    owner: 'Ana Ruiz',
    reasons: [{ grade: 'act', points: 70, cause: 'safety', says, since_ms: began_ms, owner: 'Ana Ruiz' }],
  });
  let ranking = rank(undefined, [scored('a', 0), scored('b', 0)], NOW);
  assert.deepEqual(ranking.calm, { since_ms: NOW }, 'it knows nothing from before its start');
  const began = NOW + 60_000;
  ranking = rank(ranking, [bad('a', began), bad('b', began)], began);
  const [first, last] = [began + 120_000, began + 130_000];
  ranking = rank(ranking, [scored('a', 0), bad('b', began)], first);
  ranking = rank(ranking, [scored('a', 0), scored('b', 0)], last);
  assert.deepEqual(ranking.machines.get('b')?.over, { at_ms: last, owner: 'Ana Ruiz', says });
  assert.equal(ranking.calm.last, undefined, 'it still shows both machines as back to normal');
  ranking = rank(ranking, [scored('a', 0), scored('b', 0)], first + LEAVE_MS);
  ranking = rank(ranking, [scored('a', 0), scored('b', 0)], last + LEAVE_MS);
  assert.deepEqual(ranking.steady.shown, []);
  assert.deepEqual(ranking.calm, {
    since_ms: last,
    last: { unit_number: 'b', says, over_ms: last, took_ms: 130_000, owner: 'Ana Ruiz' },
  });
});

test('[V30] a machine that is deleted while it is in trouble leaves without an end', () => {
  const ranking = rank(rank(undefined, [scored('a', 60)], NOW), [], NOW + 1000);
  assert.deepEqual(ranking.calm, { since_ms: NOW + 1000 });
});
