/** The ribbons of machines: spans of whole minutes that add up to the minutes of the sum bar and of the shift report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EQUIPMENT_STATUS, LIVE_STATUS } from '#contract/fleet/equipment.ts';
import { SHIFT_PARTS, type ShiftSpan } from '#contract/work/shift-report.ts';
import { MOST_SPANS, shiftUse } from '#domain/work/shift-spans.ts';
import { NO_TIME, partSpent } from '#domain/work/shift-tally.ts';
import { classesOf, classMinutes, classSpent, partMinutes, partOf, shiftStretches } from '#domain/work/shift-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const says = fc.record({
  status: fc.constantFrom(...EQUIPMENT_STATUS),
  live: fc.constantFrom(...LIVE_STATUS),
  downtime: fc.boolean(),
});
const fact = (most_ms: number) =>
  fc.record(
    {
      at_ms: fc.integer({ min: 0, max: most_ms }),
      status: fc.constantFrom(...EQUIPMENT_STATUS),
      live: fc.constantFrom(...LIVE_STATUS),
      downtime: fc.boolean(),
    },
    { requiredKeys: ['at_ms'] },
  );
/** The stretches of a shift with up to `most` changes, which may end in the middle of a minute. */
const shift = (most: number) =>
  fc
    .tuple(says, fc.array(fact(12 * HOUR), { maxLength: most }), fc.integer({ min: 1, max: 12 * HOUR }))
    .map(([before, facts, to_ms]) => shiftStretches(before, facts, 0, to_ms));

function sums(spans: readonly ShiftSpan[]) {
  const all = { ...NO_TIME };
  for (const [part, minutes] of spans) all[part] += minutes;
  return all;
}
const lengthOf = (spans: readonly ShiftSpan[]) => spans.reduce((sum, [, minutes]) => sum + minutes, 0);

test('[V39] the spans of a ribbon add up to the minutes of the sum bar and of the shift report, class by class', () => {
  fc.assert(
    fc.property(shift(40), (stretches) => {
      fc.pre(stretches.length <= MOST_SPANS);
      const { minutes, spans } = shiftUse(stretches);
      assert.deepEqual(minutes, partMinutes(partSpent(stretches)));
      assert.deepEqual(sums(spans), minutes);
      assert.deepEqual(classesOf(sums(spans)), { ...NO_TIME_OF_CLASSES, ...classMinutes(classSpent(stretches)) });
      for (const [i, [part, length]] of spans.entries()) {
        assert.ok(Number.isInteger(length) && (length > 0 || (part === 'down' && length === 0)));
        assert.notEqual(part, spans[i - 1]?.[0], 'neighbours have different classes');
      }
    }),
  );
});
const { service: _, ...NO_TIME_OF_CLASSES } = NO_TIME;

test('[V39] a span begins at most one minute for each class before or after its time', () => {
  fc.assert(
    fc.property(shift(30), (stretches) => {
      fc.pre(stretches.length <= MOST_SPANS);
      const { spans } = shiftUse(stretches);
      // The spans cover the shift in order, so the class at a moment is that of history, except near a change.
      const changes = stretches.map(({ from_ms }) => from_ms / MINUTE);
      let at = 0;
      for (const [part, minutes] of spans) {
        const middle = at + minutes / 2;
        const near = changes.some((change) => Math.abs(change - middle) <= SHIFT_PARTS.length);
        const found = stretches.find(({ from_ms, to_ms }) => from_ms <= middle * MINUTE && middle * MINUTE < to_ms);
        if (!near && found !== undefined) assert.equal(part, partOf(found), `minute ${middle}`);
        at += minutes;
      }
    }),
  );
});

test('[V39] a ribbon has at most 48 spans and keeps its length; no down time is lost, and down time takes a joined span', () => {
  fc.assert(
    fc.property(shift(2_000), (stretches) => {
      const { minutes, spans } = shiftUse(stretches);
      assert.ok(spans.length <= MOST_SPANS, `${spans.length} spans`);
      assert.equal(lengthOf(spans), lengthOf(SHIFT_PARTS.map((part) => [part, minutes[part]])));
      assert.ok((sums(spans).down ?? 0) >= minutes.down, 'joined spans never have less down time');
      const wasDown = stretches.some((one) => partOf(one) === 'down');
      assert.equal(
        spans.some(([part]) => part === 'down'),
        wasDown,
      );
    }),
    { numRuns: 60 },
  );
});

test('[V39] a short breakdown stays as long as it was while other short spans are joined', () => {
  const running = { status: 'in_use', live: 'running', downtime: false } as const;
  // A machine that stops for a minute every five minutes for eight hours, and is down for two minutes after four hours.
  const stops = Array.from({ length: 96 }, (_, i) => [
    { at_ms: i * 5 * MINUTE + 4 * MINUTE, live: 'idle' as const },
    { at_ms: (i + 1) * 5 * MINUTE, live: 'running' as const },
  ]).flat();
  const down = [
    { at_ms: 4 * HOUR, downtime: true },
    { at_ms: 4 * HOUR + 2 * MINUTE, downtime: false },
  ];
  const { minutes, spans } = shiftUse(shiftStretches(running, [...stops, ...down], 0, 8 * HOUR));
  assert.deepEqual([minutes.down, minutes.idle], [2, 96]);
  assert.deepEqual(
    spans.map(([part]) => part),
    ['working', 'down', 'working'],
  );
  assert.deepEqual(spans[1], ['down', 2]);
  assert.ok(Math.abs((spans[0]?.[1] ?? 0) - 240) <= 5);
});

test('[V39] a breakdown of some seconds has a span without a minute', () => {
  const running = { status: 'in_use', live: 'running', downtime: false } as const;
  const facts = [
    { at_ms: 10 * MINUTE, downtime: true },
    { at_ms: 10 * MINUTE + 15_000, downtime: false },
  ];
  const { spans } = shiftUse(shiftStretches(running, facts, 0, HOUR));
  assert.deepEqual(spans, [
    ['working', 10],
    ['down', 0],
    ['working', 50],
  ]);
});
