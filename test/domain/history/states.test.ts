/** Runs of states: the same for any order, repetition and division of the reports, and equal to a simple computation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { STORED_STATES } from '#contract/base/signals.ts';
import { NO_ORIGIN, type Origin, Origins } from '#domain/history/origins.ts';
import { openRollup, sealRollup } from '#domain/history/rollup.ts';
import { encodeSegment, openSegment } from '#domain/history/segment.ts';
import {
  clippedRuns,
  filteredRuns,
  joinRuns,
  StateColumn,
  type StateRuns,
  withoutOrigins,
} from '#domain/history/states.ts';

const SIGNAL = 'engine.speed';
/** The signal is sent once a second, so reports of one run are at most two seconds apart. */
const WITHIN = 2;
const BASE = 1_800_000_000;
const ORIGINS: Origin[] = [0, 1].map((sa) => ({ ...NO_ORIGIN, device: 'dev_1', bus: 0, sa, pgn: 61_444, spn: 190 }));

interface Report {
  readonly second: number;
  readonly state: number;
  readonly origin: number;
}

const reports = fc.array(
  fc.record({
    second: fc.integer({ min: BASE, max: BASE + 120 }),
    state: fc.nat(STORED_STATES.length - 1),
    origin: fc.nat(1),
  }),
  { minLength: 1, maxLength: 150 },
);

function collect(list: readonly Report[]): StateRuns {
  const column = new StateColumn(SIGNAL);
  for (const { second, state, origin } of list) column.add(second, state, origin);
  return column.series();
}

/** The runs by a simple computation: the seconds of one state and origin in order, divided where two are further apart. */
function expected(list: readonly Report[]): string[] {
  const runs: string[] = [];
  for (const same of Map.groupBy(list, ({ state, origin }) => `${state} ${origin}`)) {
    const seconds = [...new Set(same[1].map(({ second }) => second))].sort((a, b) => a - b);
    let from = seconds[0] as number;
    seconds.forEach((second, i) => {
      const next = seconds[i + 1];
      if (next !== undefined && next - second <= WITHIN) return;
      runs.push(`${same[0]} ${from} ${second}`);
      from = next ?? 0;
    });
  }
  return runs.sort();
}

const textOf = ({ from, to, state, o }: StateRuns): string[] =>
  from.map((first, i) => `${state[i]} ${o[i]} ${first} ${to[i]}`).sort();

test('[D199] runs equal a simple computation over the set of reports, in any order, repeated, and divided between segments', () => {
  fc.assert(
    fc.property(reports, fc.nat(149), fc.infiniteStream(fc.nat()), (list, cut, order) => {
      const keys = new Map(list.map((one) => [one, order.next().value as number]));
      const shuffled = [...list].sort((a, b) => (keys.get(a) as number) - (keys.get(b) as number));
      const wanted = expected(list);
      assert.deepEqual(textOf(collect(list)), wanted);
      assert.deepEqual(textOf(collect([...shuffled, ...list])), wanted);
      const origins = new Origins();
      for (const origin of ORIGINS) origins.indexOf(origin);
      const parts = [shuffled.slice(0, cut), shuffled.slice(cut), shuffled.slice(0, 9)]
        .filter(({ length }) => length > 0)
        .map((part) => ({ states: [collect(part)], origins: ORIGINS }));
      const [joined] = joinRuns(parts, origins);
      assert.deepEqual(textOf(joined as StateRuns), wanted);
    }),
    { numRuns: 1_000 },
  );
});

test('[D199] runs survive the encoding of a segment and of a rollup, and other data is not changed by them', async () => {
  await fc.assert(
    fc.asyncProperty(reports, async (list) => {
      const states = [collect(list)];
      const content = { series: [], minutes: [], origins: ORIGINS, raw: [] };
      const opened = openSegment(encodeSegment({ ...content, states }));
      assert.deepEqual([opened?.states(), opened?.signals, opened?.minutes()], [states, [], []]);
      const rollup = openRollup(await sealRollup({ ...content, states }, async () => {}));
      assert.deepEqual([rollup?.states(), rollup?.signals], [states, []]);
      assert.deepEqual(openSegment(encodeSegment(content))?.states(), []);
    }),
    { numRuns: 100 },
  );
});

test('[D199] runs can be clipped to a range, and divided by their origin', () => {
  fc.assert(
    fc.property(reports, fc.nat(120), fc.nat(120), (list, a, b) => {
      const [from, to] = [BASE + Math.min(a, b), BASE + Math.max(a, b) + 1];
      const seconds = (runs: readonly StateRuns[]) =>
        new Set(
          runs.flatMap(({ from: first, to: last }) =>
            first.flatMap((second, i) =>
              Array.from({ length: (last[i] as number) - second + 1 }, (_, k) => second + k),
            ),
          ),
        );
      const all = [collect(list)];
      const inside = [...seconds(all)].filter((second) => second >= from && second < to);
      assert.deepEqual([...seconds(clippedRuns(all, from, to))].sort(), inside.sort());
      const own = list.filter(({ origin }) => origin === 1);
      assert.deepEqual(
        filteredRuns(all, (o) => o === 1),
        own.length === 0 ? [] : [collect(own)],
      );
      const ranges = withoutOrigins(all[0] as StateRuns);
      assert.deepEqual(ranges, withoutOrigins(collect(list.map((one) => ({ ...one, origin: 0 })))));
    }),
    { numRuns: 300 },
  );
});
