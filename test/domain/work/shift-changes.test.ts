import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SHIFT_CLASSES, type ShiftClass } from '#contract/work/shift-report.ts';
import { causeOf, changedClasses, packClasses } from '#domain/work/shift-changes.ts';

const START = Date.parse('2026-11-21T06:00:00Z');

/** Classes for each second of a window, as stretches. */
function stretchesOf(lengths: readonly (readonly [ShiftClass, seconds: number])[]) {
  let at = START;
  return lengths.map(([name, seconds]) => {
    const from_ms = at;
    at += seconds * 1_000;
    return { from_ms, to_ms: at, class: name };
  });
}

test('[A829] the changes are exactly the times of at least a minute at which two texts of a shift differ', () => {
  const list = fc.array(fc.tuple(fc.constantFrom(...SHIFT_CLASSES), fc.integer({ min: 1, max: 300 })), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(list, list, (before, now) => {
      const [a, b] = [stretchesOf(before), stretchesOf(now)];
      const found = changedClasses(packClasses(a), packClasses(b), START);
      const secondsOf = (of: typeof a) =>
        of.flatMap((one) => Array(Math.round((one.to_ms - one.from_ms) / 1_000)).fill(one.class));
      const [was, is] = [secondsOf(a), secondsOf(b)];
      const expected: { from: number; to: number; was: string; now: string }[] = [];
      for (let s = 0; s < Math.min(was.length, is.length); s++) {
        if (was[s] === is[s]) continue;
        const last = expected.at(-1);
        if (last?.to === s && last.was === was[s] && last.now === is[s]) last.to = s + 1;
        else expected.push({ from: s, to: s + 1, was: was[s], now: is[s] });
      }
      assert.deepEqual(
        found.map(({ from_ms, to_ms, was, now }) => ({
          from: (from_ms - START) / 1_000,
          to: (to_ms - START) / 1_000,
          was,
          now,
        })),
        expected.filter(({ from, to }) => to - from >= 60),
      );
    }),
    { numRuns: 1_000, seed: 29 },
  );
});

test('[A829] a change names data or a report of a person as its cause; a text has at most 2,000 stretches', () => {
  assert.equal(causeOf({ was: 'unknown', now: 'working' }), 'data');
  assert.equal(causeOf({ was: 'unknown', now: 'standby' }), 'data');
  assert.equal(causeOf({ was: 'unknown', now: 'down' }), 'report');
  assert.equal(causeOf({ was: 'down', now: 'idle' }), 'report');
  assert.equal(causeOf({ was: 'off', now: 'standby' }), 'report');
  const many = stretchesOf(Array.from({ length: 3_000 }, (_, i) => [i % 2 ? 'idle' : 'working', 60] as const));
  assert.equal([...packClasses(many).matchAll(/[a-z]/g)].length, 2_000);
});
