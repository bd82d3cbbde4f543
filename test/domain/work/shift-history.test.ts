/** The minutes of shifts computed from history: random traces with gaps, repeats, reordering and clock jumps, on days of 23 to 25 hours. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EQUIPMENT_STATUS } from '#contract/fleet/equipment.ts';
import { withRunStates } from '#domain/work/run-facts.ts';
import { partSpent } from '#domain/work/shift-tally.ts';
import {
  classMinutes,
  classSpent,
  partMinutes,
  shiftStretches,
  shiftWindow,
  type TimeFact,
  usageMinutes,
} from '#domain/work/shift-time.ts';
import { randomOf } from '#test/support/random-of.ts';
import { randomTrace, runsOfTrace, shuffled, TRACES, type TraceValue } from '#test/support/run-trace.ts';

const sum = (minutes: Record<string, number>) => Object.values(minutes).reduce((a, b) => a + b, 0);

/** Shifts on days on which the clocks change, and on other days. */
const SHIFTS = [
  ['2026-03-29', { starts: '00:00', ends: '00:00' }, 'Europe/Berlin', 23],
  ['2026-10-25', { starts: '00:00', ends: '00:00' }, 'Europe/Berlin', 25],
  ['2026-03-28', { starts: '18:00', ends: '06:00' }, 'Europe/Berlin', 11],
  ['2026-10-24', { starts: '18:00', ends: '06:00' }, 'Europe/Berlin', 13],
  ['2026-04-04', { starts: '18:30', ends: '06:30' }, 'Australia/Lord_Howe', 12.5],
  ['2026-11-21', { starts: '06:00', ends: '18:00' }, 'Asia/Kathmandu', 12],
] as const;

/** A trace with gaps, values that come twice, and a part that is moved because the clock of the device jumped. One value a second. */
function disturbed(seed: number, length_s: number): TraceValue[] {
  const random = randomOf(seed);
  const trace = randomTrace(seed, length_s);
  const jump = Math.floor((random() - 0.5) * 7_200) * 1_000_000;
  const [a, b] = [random() * length_s * 1e6, random() * length_s * 1e6];
  const moved = trace.map((one) =>
    one.t_us > Math.min(a, b) && one.t_us < Math.max(a, b) ? { ...one, t_us: one.t_us + jump } : one,
  );
  const gap = random() * length_s * 1e6;
  const kept = moved.filter(({ t_us }) => t_us < gap || t_us > gap + random() * 1.8e9);
  const seen = new Set<string>();
  return kept.filter(({ signal, t_us }) => {
    const key = `${signal} ${Math.floor(t_us / 1e6)}`;
    return t_us >= 0 && !seen.has(key) && seen.add(key);
  });
}

test('[A827] the minutes of a machine add up to the shift for any trace, and the order of arrival changes nothing', () => {
  let known = 0;
  for (let seed = 1; seed <= TRACES; seed++) {
    const random = randomOf(seed + 7);
    const [date, times, zone, hours] = SHIFTS[seed % SHIFTS.length] as (typeof SHIFTS)[number];
    const [from_ms, to_ms] = shiftWindow(date, times, zone);
    assert.equal((to_ms - from_ms) / 3_600_000, hours);
    const start_s = from_ms / 1_000 - 1_800;
    // The trace covers a part of the shift, so that the test is fast; the rest is a gap.
    const trace = disturbed(seed, 5_400);
    const facts: TimeFact[] = Array.from({ length: Math.floor(random() * 5) }, () => ({
      at_ms: from_ms + Math.floor(random() * (to_ms - from_ms)),
      ...(random() < 0.5
        ? { status: EQUIPMENT_STATUS[Math.floor(random() * EQUIPMENT_STATUS.length)] ?? 'in_use' }
        : { downtime: random() < 0.5 }),
    }));
    const minutesOf = (values: readonly TraceValue[], told: readonly TimeFact[]) => {
      const runs = runsOfTrace(values, start_s, 1_800, 1_800 + hours * 3_600);
      const before = { status: 'in_use', live: 'unknown', downtime: false } as const;
      const joined = withRunStates({ before, facts: told, cut_ms: null }, runs);
      const stretches = shiftStretches(joined.before, joined.facts, from_ms, to_ms);
      return [
        classMinutes(classSpent(stretches)),
        usageMinutes(stretches),
        partMinutes(partSpent(stretches)),
        stretches,
      ] as const;
    };
    const ordered = minutesOf(trace, facts);
    const [classes, usage, parts] = ordered;
    for (const minutes of [classes, usage, parts]) assert.equal(sum(minutes), hours * 60, `seed ${seed}`);
    const { down, service, ...others } = parts;
    assert.deepEqual({ ...others, down: down + service }, classes);
    assert.deepEqual([usage.unknown, usage.productive], [classes.unknown, classes.working]);
    assert.equal(usage.operating_delay + usage.unscheduled, classes.off);
    const repeated = trace.filter(() => random() < 0.1);
    assert.deepEqual(minutesOf(shuffled([...trace, ...repeated], random), facts), ordered, `seed ${seed}`);
    known += hours * 60 - classes.unknown;
  }
  assert.ok(known > 30 * TRACES, `${known} known minutes`);
});
