import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EQUIPMENT_STATUS, LIVE_STATUS } from '#contract/fleet/equipment.ts';
import { SHIFT_CLASSES, TIME_USAGE } from '#contract/work/shift-report.ts';
import { stretchesOf } from '#domain/machine/run-states.ts';
import { withRunStates } from '#domain/work/run-facts.ts';
import { partSpent, utilizationOf } from '#domain/work/shift-tally.ts';
import {
  classesOf,
  classMinutes,
  classSpent,
  localDate,
  partMinutes,
  shiftKpi,
  shiftStretches,
  shiftWindow,
  usageMinutes,
} from '#domain/work/shift-time.ts';

const HOUR = 3_600_000;
const says = fc.record({
  status: fc.constantFrom(...EQUIPMENT_STATUS),
  live: fc.constantFrom(...LIVE_STATUS),
  downtime: fc.boolean(),
});
const fact = fc.record(
  {
    at_ms: fc.integer({ min: -2 * HOUR, max: 14 * HOUR }),
    status: fc.constantFrom(...EQUIPMENT_STATUS),
    live: fc.constantFrom(...LIVE_STATUS),
    downtime: fc.boolean(),
  },
  { requiredKeys: ['at_ms'] },
);
const sum = (minutes: Record<string, number>) => Object.values(minutes).reduce((a, b) => a + b, 0);

test('[A160] classes add up to the window without gaps, for any events in any order', () => {
  fc.assert(
    fc.property(says, fc.array(fact, { maxLength: 40 }), fc.integer({ min: 1, max: 720 }), (before, facts, length) => {
      const to = length * 60_000;
      const stretches = shiftStretches(before, facts, 0, to);
      let at = 0;
      for (const [i, { from_ms, to_ms, usage }] of stretches.entries()) {
        assert.equal(from_ms, at);
        assert.ok(to_ms > from_ms);
        if (i > 0) assert.notEqual(usage, stretches[i - 1]?.usage);
        at = to_ms;
      }
      assert.equal(at, to);
      for (const minutes of [classMinutes(classSpent(stretches)), usageMinutes(stretches)]) {
        assert.equal(sum(minutes), length);
        for (const value of Object.values(minutes)) assert.ok(Number.isInteger(value) && value >= 0);
      }
      assert.deepEqual(Object.keys(classMinutes(classSpent(stretches))), [...SHIFT_CLASSES]);
      assert.deepEqual(Object.keys(usageMinutes(stretches)), [...TIME_USAGE]);
    }),
  );
});

test('[A825] history replaces the live status of the log where it knows it; every moment keeps one class', () => {
  fc.assert(
    fc.property(
      says,
      fc.array(fact, { maxLength: 40 }),
      fc.array(fc.record({ at_ms: fc.integer({ min: 0, max: 12 * HOUR }), live: fc.constantFrom(...LIVE_STATUS) })),
      (before, facts, changes) => {
        const to = 12 * HOUR;
        const runs = stretchesOf(changes, 0, to);
        const joined = withRunStates({ before, facts, cut_ms: null }, runs);
        const stretches = shiftStretches(joined.before, joined.facts, 0, to);
        assert.equal(sum(classSpent(stretches)), to);
        const log = shiftStretches(before, facts, 0, to);
        for (const run of runs) {
          const inRun = ({ from_ms }: { from_ms: number }) => from_ms >= run.from_ms && from_ms < run.to_ms;
          if (run.live === 'unknown') {
            for (const one of stretches.filter(inRun)) {
              const logged = log.find(({ from_ms, to_ms }) => from_ms <= one.from_ms && one.from_ms < to_ms);
              assert.equal(one.usage, logged?.usage);
            }
          } else for (const one of stretches.filter(inRun)) assert.notEqual(one.class, 'unknown');
        }
      },
    ),
  );
});

test('[A825] after the last fact that was read from a long log the time is unknown, also if history knows it', () => {
  const before = { status: 'in_use', live: 'running', downtime: false } as const;
  const runs = [{ from_ms: 0, to_ms: 3 * HOUR, live: 'running' }] as const;
  const joined = withRunStates({ before, facts: [], cut_ms: HOUR }, runs);
  const stretches = shiftStretches(joined.before, joined.facts, 0, 3 * HOUR);
  assert.deepEqual(
    stretches.map((one) => [one.class, one.to_ms]),
    [
      ['working', HOUR],
      ['unknown', 3 * HOUR],
    ],
  );
});

test("[A164] utilization is working by known time; unknown time is nobody's idleness", () => {
  const spent = { working: 0, idle: 0, off: 0, down: 0, standby: 0, unknown: 0, service: 0 };
  assert.equal(utilizationOf(spent), null);
  assert.equal(utilizationOf({ ...spent, unknown: HOUR }), null);
  assert.equal(utilizationOf({ ...spent, working: 2 * HOUR, idle: HOUR, unknown: 5 * HOUR }), 66.7);
  assert.equal(utilizationOf({ ...spent, down: HOUR }), 0);
  assert.equal(utilizationOf({ ...spent, service: HOUR, working: HOUR }), 50);
});

test('[A430] planned service is separate on screens and down in reports; a downtime in service is down', () => {
  const parked = { status: 'in_use', live: 'off', downtime: false } as const;
  const spent = partSpent(
    shiftStretches({ ...parked, status: 'maintenance' }, [{ at_ms: HOUR, downtime: true }], 0, 3 * HOUR),
  );
  assert.deepEqual([spent.service, spent.down], [HOUR, 2 * HOUR]);
  assert.deepEqual([classesOf(spent).down, partMinutes(spent).service], [3 * HOUR, 60]);
});

test('[A160] rounding moves no class by a minute or more', () => {
  fc.assert(
    fc.property(says, fc.array(fact, { maxLength: 40 }), (before, facts) => {
      const stretches = shiftStretches(before, facts, 0, 12 * HOUR);
      const minutes = classMinutes(classSpent(stretches));
      for (const name of SHIFT_CLASSES) {
        const ms = stretches.filter((s) => s.class === name).reduce((t, s) => t + s.to_ms - s.from_ms, 0);
        assert.ok(Math.abs(minutes[name] - ms / 60_000) < 1);
      }
    }),
  );
});

test('[A161] time without data is unknown, and reported downtime overrides a running engine', () => {
  const parked = { status: 'in_use', live: 'off', downtime: false } as const;
  const classes = (more: object) => shiftStretches({ ...parked, ...more }, [], 0, HOUR).map((s) => [s.class, s.usage]);
  assert.deepEqual(classes({}), [['off', 'operating_delay']]);
  assert.deepEqual(classes({ live: 'unknown' }), [['unknown', 'unknown']]);
  assert.deepEqual(classes({ status: 'available' }), [['standby', 'standby']]);
  assert.deepEqual(classes({ status: 'available', live: 'unknown' }), [['unknown', 'unknown']]);
  assert.deepEqual(classes({ status: 'down', live: 'running' }), [['down', 'unscheduled_downtime']]);
  assert.deepEqual(classes({ status: 'maintenance', live: 'unknown' }), [['down', 'scheduled_downtime']]);
  assert.deepEqual(classes({ downtime: true }), [['down', 'unscheduled_downtime']]);
  assert.deepEqual(classes({ live: 'running', status: 'available' }), [['working', 'productive']]);
});

test('[A162] ratios use the known time and are null without known time', () => {
  const none = Object.fromEntries(TIME_USAGE.map((name) => [name, 0])) as ReturnType<typeof usageMinutes>;
  assert.deepEqual(shiftKpi({ ...none, unknown: 720 }), {
    physical_availability: null,
    use_of_availability: null,
    operating_utilisation: null,
    known: 0,
  });
  const kpi = shiftKpi({
    ...none,
    productive: 401,
    non_productive: 22,
    operating_delay: 35,
    standby: 40,
    unscheduled_downtime: 47,
    unknown: 175,
  });
  assert.deepEqual(kpi, {
    physical_availability: 0.914,
    use_of_availability: 0.92,
    operating_utilisation: 0.84,
    known: 0.757,
  });
});

test('[A163] shifts on days of 23 and 25 hours have the right length', () => {
  const whole = { starts: '00:00', ends: '00:00' };
  const hours = (date: string, zone: string, times = whole) => {
    const [from, to] = shiftWindow(date, times, zone);
    return (to - from) / HOUR;
  };
  assert.equal(hours('2026-03-29', 'Europe/Berlin'), 23);
  assert.equal(hours('2026-10-25', 'Europe/Berlin'), 25);
  assert.equal(hours('2026-11-21', 'Europe/Berlin'), 24);
  assert.equal(hours('2026-10-04', 'Australia/Lord_Howe'), 23.5);
  const night = { starts: '18:00', ends: '06:00' };
  assert.equal(hours('2026-03-28', 'Europe/Berlin', night), 11);
  assert.equal(hours('2026-10-24', 'Europe/Berlin', night), 13);
  // The clocks jump over midnight: the day begins when they have.
  const [from] = shiftWindow('2018-11-04', whole, 'America/Sao_Paulo');
  assert.equal(new Date(from).toISOString(), '2018-11-04T03:00:00.000Z');
  assert.equal(localDate(from, 'America/Sao_Paulo'), '2018-11-04');
  // A begin within the hour that does not exist is the moment of the jump.
  const [jumped] = shiftWindow('2026-03-29', { starts: '02:30', ends: '10:00' }, 'Europe/Berlin');
  assert.equal(new Date(jumped).toISOString(), '2026-03-29T01:00:00.000Z');
});

test('[A163] dates of the first century are not moved to the twentieth', () => {
  for (const date of ['0001-01-02', '0050-06-15', '0099-12-31', '0100-01-01'])
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      const [from, to] = shiftWindow(date, { starts: '00:00', ends: '00:00' }, zone);
      assert.equal(to - from, 24 * HOUR);
      assert.equal(localDate(from, zone), date);
    }
});

test('[A163] the shifts of a pattern follow each other without gap or overlap through a year in any zone', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Asia/Kathmandu',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.nat(365),
      fc.uniqueArray(fc.nat(1439), { minLength: 2, maxLength: 4 }),
      (zone, day, marks) => {
        const at = (minute: number) =>
          `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const sorted = marks.toSorted((a, b) => a - b);
        const date = (offset: number) => new Date(Date.UTC(2026, 0, 1 + day + offset)).toISOString().slice(0, 10);
        let end: number | undefined;
        for (const offset of [0, 1])
          sorted.forEach((mark, i) => {
            const times = { starts: at(mark), ends: at(sorted[(i + 1) % sorted.length] ?? 0) };
            const [from, to] = shiftWindow(date(offset), times, zone);
            if (end !== undefined) assert.equal(from, end);
            assert.ok(to >= from);
            end = to;
          });
      },
    ),
    { numRuns: 300 },
  );
});
