/** Alert rules on services: when an alert is raised, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertServiceFound, ServiceCondition } from '#contract/work/alert-conditions.ts';
import type { MaintenancePlanData } from '#contract/work/maintenance.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import { random as next, streamOf } from '#domain/base/random.ts';
import type { MeterNow } from '#domain/work/maintenance.ts';
import { judgeService, type ServiceFacts } from '#domain/work/service-alerts.ts';
import { TEST_SEED } from '#test/support/seed.ts';

const PLAN: MaintenancePlanData = {
  name: 'Engine oil',
  instructions: '',
  equipment_id: null,
  kind: 'haul_truck',
  every_hours: 250,
  every_km: null,
  every_days: null,
  every_months: null,
  due_on: null,
  due_set_at: null,
  margin_pct: 10,
  action: 'none',
  priority: 'medium',
  enabled: true,
};
const RULE: ServiceCondition = { plan_id: null, from: 'due', hours_left: null, km_left: null, days_left: null };

const hours = (value: number): MeterNow => ({ value, observed_at: '2026-11-21T06:00:00.000Z', per_day: null });
const origin = (segment: number, opened_because: 'first' | 'reconciled' | 'rolled_back' = 'first') => ({
  basis: 'control_unit' as const,
  reading: 0,
  offset: 0,
  since: '2026-11-01T00:00:00.000Z',
  segment,
  opened_because,
  needs_review: null,
});

const factsOf = (more: Partial<ServiceFacts> = {}): ServiceFacts => ({
  plan_id: 'mpl_1',
  plan: PLAN,
  services: 1,
  service: { done_at: '2026-09-01T10:00:00.000Z', done_on: '2026-09-01', hours: 1_000, km: 0 },
  hours: null,
  km: null,
  today: '2026-11-21',
  origins: { hours: origin(1), km: null },
  late: { hours: false, km: false },
  ...more,
});

const found = (rule: Partial<ServiceCondition>, facts: Partial<ServiceFacts>) =>
  judgeService({ ...RULE, ...rule }, factsOf(facts), null).found;

/** The alert of a rule at this meter. */
function openAt(value: number, rule: Partial<ServiceCondition> = {}): AlertServiceFound {
  const one = found(rule, { hours: hours(value) });
  assert.ok(one);
  return one;
}

test('[D244] a limit is reached at its state or with its lead; hours, distance and days have their own lead', () => {
  const states = (rule: Partial<ServiceCondition>) =>
    [1_199, 1_200, 1_225, 1_250, 1_275].map((value) => found(rule, { hours: hours(value) }) !== null);
  assert.deepEqual(states({}), [false, false, false, true, true]);
  assert.deepEqual(states({ from: 'due_soon' }), [false, false, true, true, true]);
  assert.deepEqual(states({ from: 'overdue' }), [false, false, false, false, true]);
  assert.deepEqual(states({ hours_left: 50 }), [false, true, true, true, true]);
  assert.deepEqual(states({ km_left: 5_000, days_left: 300 }), [false, false, false, true, true]);
  const dated = { plan: { ...PLAN, every_hours: null, due_on: '2026-12-01', due_set_at: '2026-11-01T00:00:00.000Z' } };
  assert.equal(found({}, dated), null);
  const soon = found({ days_left: 10 }, dated);
  assert.deepEqual([soon?.by, soon?.due_on, soon?.left, soon?.now], ['date', '2026-12-01', 10, null]);
  assert.equal(found({ days_left: 300 }, { ...dated, today: null }), null, 'a date is unknown without a trusted clock');
});

test('[D244] an unknown limit raises nothing and ends nothing', () => {
  const eager = { from: 'due_soon', hours_left: 100_000 } as const;
  const unknowns: Partial<ServiceFacts>[] = [
    { hours: null },
    { hours: hours(9_000), service: null, services: 0 },
    { hours: hours(9_000), service: { done_at: '', done_on: '2026-09-01', hours: null, km: null } },
    { hours: hours(500) },
  ];
  const open = openAt(1_260);
  for (const facts of unknowns) {
    assert.equal(found(eager, facts), null);
    const { clear } = judgeService(
      RULE,
      factsOf({ services: 1, ...facts, ...(facts.services === 0 && { services: 1 }) }),
      open,
    );
    assert.equal(clear, null);
  }
});

test('[D244] an alert ends by a service, a changed plan, a changed rule, or a person who corrects the meter', () => {
  const open = openAt(1_260);
  const clear = (facts: Partial<ServiceFacts>, rule: Partial<ServiceCondition> = {}, of = open) =>
    judgeService({ ...RULE, ...rule }, factsOf({ hours: hours(1_261), ...facts }), of).clear;
  const done = { done_at: '2026-11-21T07:00:00.000Z', done_on: '2026-11-21', hours: 1_261, km: 0 };
  assert.equal(clear({}), null);
  assert.equal(clear({ services: 2, service: done }), 'service_done');
  assert.equal(clear({ plan: { ...PLAN, every_hours: 300 } }), 'plan_changed');
  assert.equal(clear({ plan: { ...PLAN, every_hours: null, every_days: 1_000 } }), 'plan_changed');
  assert.equal(
    clear({ plan: { ...PLAN, margin_pct: 50 } }, { from: 'overdue' }, openAt(1_276, { from: 'overdue' })),
    null,
  );
  assert.equal(clear({}, { from: 'overdue' }), 'rule_changed');
  assert.equal(
    clear(
      { hours: hours(1_277), plan: { ...PLAN, margin_pct: 20 } },
      { from: 'overdue' },
      openAt(1_276, { from: 'overdue' }),
    ),
    'plan_changed',
  );
  assert.equal(clear({ hours: hours(1_100), origins: { hours: origin(2, 'rolled_back'), km: null } }), null);
  assert.equal(
    clear({ hours: hours(1_100), origins: { hours: origin(2, 'reconciled'), km: null } }),
    'meter_corrected',
  );
  // The service that is recorded may be due again at once, because the reading was lower.
  const again = judgeService(RULE, factsOf({ hours: hours(1_600), services: 2, service: done }), open);
  assert.deepEqual([again.clear, again.found?.services], ['service_done', 2]);
});

test('[D244] a limit that is reached in time decides before one that a late value reached', () => {
  const plan = { ...PLAN, every_days: 30 };
  const both = judgeService(RULE, factsOf({ plan, hours: hours(1_400), late: { hours: true, km: false } }), null);
  assert.deepEqual([both.found?.by, both.late], ['date', false]);
  const only = judgeService(RULE, factsOf({ hours: hours(1_400), late: { hours: true, km: false } }), null);
  assert.deepEqual([only.found?.by, only.late], ['hours', true]);
});

test('[D244] in 1,000 random lives a meter that rolls back or is unknown raises each occurrence at most once', () => {
  const random = streamOf(TEST_SEED, 244);
  for (let life = 0; life < 1_000; life++) {
    let value = 1_000;
    let services = 1;
    let start = 1_000;
    let open: AlertServiceFound | null = null;
    const raised: number[] = [];
    for (let step = 0; step < 60; step++) {
      const dice = next(random);
      if (dice < 0.15) value -= next(random) * 400;
      else value += next(random) * 60;
      const isUnknown = dice > 0.9;
      if (dice > 0.85 && dice < 0.9) {
        services++;
        start = value;
      }
      const facts = factsOf({
        hours: isUnknown ? null : hours(value),
        services,
        service: { done_at: '2026-09-01T10:00:00.000Z', done_on: '2026-09-01', hours: start, km: 0 },
        origins: { hours: origin(step, 'rolled_back'), km: null },
      });
      const verdict = judgeService(RULE, facts, open);
      if (isUnknown) assert.equal(verdict.found, null);
      if (verdict.clear !== null) open = null;
      if (open === null && verdict.found !== null) {
        open = verdict.found;
        raised.push(services);
      }
    }
    assert.equal(new Set(raised).size, raised.length, `life ${life}: ${raised}`);
  }
});

test('[D244] the text names plan, limit, meter, unit, basis and what is left', () => {
  assert.equal(
    serviceWords(openAt(1_251.26)),
    'Engine oil is due at 1250 h: engine hours 1251.3 h (from the control unit), 1.3 h past',
  );
  assert.equal(
    serviceWords({ ...openAt(1_200, { hours_left: 50 }), basis: 'counted', needs_review: true }),
    'Engine oil is due at 1250 h: engine hours 1200 h (counted by the gateway; a person must check this meter), 50 h left',
  );
  const date = { ...openAt(1_300), by: 'date', meter: null, basis: null, now: null, due_at: null } as const;
  assert.equal(
    serviceWords({ ...date, due_on: '2026-12-01', left: -1 }),
    'Engine oil is due on 2026-12-01, 1 day past',
  );
  assert.equal(serviceWords({ ...date, due_on: '2026-12-01', left: 0 }), 'Engine oil is due on 2026-12-01, today');
});
