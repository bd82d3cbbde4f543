import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaintenancePlanData } from '#contract/work/maintenance.ts';
import { random as next, streamOf } from '#domain/base/random.ts';
import {
  addMonths,
  gravest,
  isDue,
  judgePlan,
  type LastService,
  type MeterNow,
  occurrenceOf,
  type PlanFacts,
} from '#domain/work/maintenance.ts';
import { LEAST_KNOWN_MS, type MeterHour, meterUse } from '#domain/work/meter-use.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const PLAN: MaintenancePlanData = {
  name: 'Engine oil',
  instructions: '',
  equipment_id: null,
  kind: 'haul_truck',
  every_hours: null,
  every_km: null,
  every_days: null,
  every_months: null,
  due_on: null,
  due_set_at: null,
  margin_pct: 10,
  action: 'ticket',
  priority: 'medium',
  enabled: true,
};

const meter = (value: number, per_day: number | null = null): MeterNow => ({
  value,
  observed_at: '2026-11-21T06:00:00.000Z',
  per_day,
});

const SERVICE: LastService = {
  done_at: '2026-09-01T10:00:00.000Z',
  done_on: '2026-09-01',
  hours: 1_000,
  km: 50_000,
};

function judged(plan: Partial<MaintenancePlanData>, facts: Partial<PlanFacts>) {
  return judgePlan({ ...PLAN, ...plan }, { service: SERVICE, hours: null, km: null, today: '2026-11-21', ...facts });
}

test('[D240] hours decide: ok, due soon within the margin, due at the limit, overdue after the margin', () => {
  const at = (value: number) => judged({ every_hours: 250 }, { hours: meter(value) }).state;
  assert.deepEqual([1_000, 1_224.9, 1_225, 1_249.9, 1_250, 1_274.9, 1_275, 1_400].map(at), [
    'ok',
    'ok',
    'due_soon',
    'due_soon',
    'due',
    'due',
    'overdue',
    'overdue',
  ]);
});

test('[D240] months are calendar months of the site, and a short month ends earlier', () => {
  assert.equal(addMonths('2026-11-30', 3), '2027-02-28');
  assert.equal(addMonths('2027-11-30', 3), '2028-02-29');
  assert.equal(addMonths('2026-08-31', 1), '2026-09-30');
  const [limit] = judged({ every_months: 3 }, {}).limits;
  assert.deepEqual([limit?.due_on, limit?.left, limit?.state], ['2026-12-01', 10, 'ok']);
  assert.equal(judged({ every_months: 3 }, { today: '2026-11-22' }).state, 'due_soon');
  assert.equal(judged({ every_months: 3 }, { today: '2026-12-01' }).state, 'due');
  assert.equal(judged({ every_months: 3 }, { today: '2026-12-10' }).state, 'overdue');
});

test('[D240] the limit that comes first decides, and an expected date comes from the use', () => {
  const both = { every_hours: 250, every_months: 3 };
  const busy = judged(both, { hours: meter(1_180, 20) });
  assert.deepEqual([busy.state, busy.due_by, busy.expected_on], ['ok', 'hours', '2026-11-25']);
  const slow = judged(both, { hours: meter(1_180, 1) });
  assert.deepEqual([slow.due_by, slow.expected_on], ['date', '2026-12-01']);
  const past = judged(both, { hours: meter(1_260, 20) });
  assert.deepEqual([past.state, past.due_by, past.expected_on], ['due', 'hours', null]);
});

test('[D241] a state that cannot be known is unknown and says why, but hides nothing that is due', () => {
  const why = (facts: Partial<PlanFacts>) => {
    const { state, reason } = judged({ every_hours: 250 }, facts);
    return [state, reason];
  };
  assert.deepEqual(why({}), ['unknown', 'no_hour_meter']);
  assert.deepEqual(why({ hours: meter(1_100), service: null }), ['unknown', 'no_service']);
  assert.deepEqual(why({ hours: meter(1_100), service: { ...SERVICE, hours: null } }), [
    'unknown',
    'no_reading_at_service',
  ]);
  assert.deepEqual(why({ hours: meter(970) }), ['unknown', 'meter_below_service']);
  assert.deepEqual(why({ hours: meter(980) }), ['ok', null]);
  const both = { every_hours: 250, every_months: 3 };
  assert.equal(judged(both, {}).state, 'unknown');
  assert.equal(judged(both, { today: '2026-12-01' }).state, 'due');
  assert.equal(judged({ every_months: 3 }, { today: null }).reason, 'clock_not_trusted');
  assert.equal(judged({ every_hours: 250 }, { hours: meter(1_251), today: null }).state, 'due');
});

test('[D242] a fixed date is fulfilled only by a service that was done after the date was set', () => {
  const plan = { due_on: '2026-12-01', due_set_at: '2026-10-01T00:00:00.000Z' };
  assert.equal(judged(plan, {}).state, 'due_soon');
  assert.equal(judged(plan, { service: null, today: '2026-12-01' }).state, 'due');
  assert.equal(judged(plan, { today: '2026-12-02' }).state, 'overdue');
  const done = judged(plan, { service: { ...SERVICE, done_at: '2026-11-20T00:00:00.000Z' }, today: '2026-12-02' });
  assert.deepEqual([done.state, done.limits], ['ok', []]);
  assert.notEqual(occurrenceOf({ ...PLAN, ...plan }, 1), occurrenceOf({ ...PLAN, ...plan, due_on: '2027-12-01' }, 1));
});

test('[D240] 1,000 random plans: more use never makes a service less due, and a service makes it ok', () => {
  const stream = streamOf(12);
  const random = () => next(stream);
  for (let i = 0; i < 1_000; i++) {
    const every = 1 + Math.floor(random() * 2_000);
    const start = random() * 20_000;
    const plan = { every_hours: every, margin_pct: 1 + random() * 49 };
    const order = ['ok', 'due_soon', 'due', 'overdue'];
    let before = 0;
    for (let used = 0; used < every * 2; used += every / 7) {
      const service = { ...SERVICE, hours: start };
      const { state, limits } = judged(plan, { service, hours: meter(start + used, random() * 24) });
      const at = order.indexOf(state);
      assert.ok(at >= before, `${state} after ${order[before]}`);
      assert.equal(isDue(state), start + used >= start + every);
      assert.ok(Math.abs((limits[0]?.left ?? Number.NaN) - (every - used)) <= 0.051);
      assert.equal(gravest([state, 'unknown']), state === 'ok' ? 'unknown' : state);
      before = at;
    }
    const fresh = judged(plan, { service: { ...SERVICE, hours: start + every }, hours: meter(start + every) });
    assert.equal(fresh.state, 'ok');
  }
});

/** A simulated meter of 14 days: true growth for each clock hour, and which hours are heard. */
function simulate(random: () => number, { ecu }: { readonly ecu: boolean }) {
  const hours: MeterHour[] = [];
  let value = random() * 10_000;
  let knownGrowth = 0;
  let knownHours = 0;
  let gapGrowth = 0;
  let gapHours = 0;
  for (let h = 0; h < 14 * 24; h++) {
    const works = random() < 0.5;
    const heard = random() < 0.85;
    const lowest = value;
    const grows = works && (ecu || heard) ? random() : 0;
    value += grows;
    if (heard) {
      if (gapHours > 0) {
        if (ecu && gapGrowth === 0 && hours.length > 0) knownHours += gapHours;
        gapHours = gapGrowth = 0;
      }
      hours.push({ t_ms: h * HOUR_MS, lowest, last: value });
      knownGrowth += grows;
      knownHours++;
    } else {
      gapHours++;
      gapGrowth += grows;
    }
  }
  return { hours, per_day: (knownGrowth * 24) / knownHours, knownHours };
}

test('[D243] 1,000 random histories: use comes from the known time only, and a gap counts only if the machine stood', () => {
  const stream = streamOf(9);
  const random = () => next(stream);
  for (let i = 0; i < 1_000; i++) {
    const ecu = i % 2 === 0;
    const { hours, per_day, knownHours } = simulate(random, { ecu });
    const use = meterUse(hours, { counts_itself: ecu, most_per_h: 1.05 });
    assert.ok(use !== null);
    // A gap in which the meter grew by less than the resolution of the meter counts as standing.
    if (!ecu) assert.equal(use.known_ms, knownHours * HOUR_MS);
    assert.ok(use.known_ms >= knownHours * HOUR_MS);
    assert.ok(Math.abs(use.per_day - per_day) <= per_day * 0.06 + 0.05, `${use.per_day} of ${per_day}`);
  }
});

test('[D243] use is unknown below a day, a swapped meter and an impossible rise do not count', () => {
  const flat = (from: number, count: number, value: number): MeterHour[] =>
    Array.from({ length: count }, (_, i) => ({ t_ms: (from + i) * HOUR_MS, lowest: value, last: value }));
  const options = { counts_itself: true, most_per_h: 1.05 };
  assert.equal(meterUse([], options), null);
  assert.equal(meterUse(flat(0, 23, 100), options), null);
  assert.deepEqual(meterUse(flat(0, 24, 100), options), { per_day: 0, known_ms: LEAST_KNOWN_MS });
  const swapped = meterUse([...flat(0, 30, 9_000), ...flat(30, 30, 12)], options);
  assert.deepEqual(swapped, { per_day: 0, known_ms: 59 * HOUR_MS });
  const jumped = meterUse([...flat(0, 30, 9_000), ...flat(30, 30, 20_000)], options);
  assert.deepEqual(jumped, { per_day: 0, known_ms: 59 * HOUR_MS });
  // The meter of a control unit shows the same value before and after the gap: the machine stood. A counted meter says nothing.
  const parked = [...flat(0, 12, 100), ...flat(60, 12, 100)];
  assert.equal(meterUse(parked, options)?.known_ms, 3 * DAY_MS);
  assert.equal(meterUse(parked, { ...options, counts_itself: false })?.known_ms, DAY_MS);
});
