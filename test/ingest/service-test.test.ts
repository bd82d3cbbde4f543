/** The trial of alert rules on services, over stored meters and recorded services. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSite } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SIGNAL = 'maintenance.service';

test('[A863] the trial says when the totals of the meter reached each service, and names the plans that it could not try', async () => {
  await using site = await startSite();
  const start = site.time.ms - 3 * DAY_MS;
  const identity = await site.device('ht-1', 'HT-1');
  // An engine hour in each hour. After 30 h the control unit is replaced by one that begins at 4 h; the total continues.
  const points = Array.from({ length: 3 * 24 * 6 }, (_, i) => {
    const hours = i / 6;
    const reading = hours < 30 ? 1_000 + hours : 4 + hours - 30;
    return { observed_at: new Date(start + hours * HOUR_MS).toISOString(), values: { 'engine.hours': reading } };
  });
  await site.send(identity, 'telemetry', JSON.stringify({ points }));
  await site.settle();
  const id = site.machine('HT-1');
  await site.addMachine('HT-2');
  const plan = (name: string, equipment_id: string, every_hours: number | null, more = {}) =>
    site.call('maintenance_plans_create', { name, equipment_id, every_hours, action: 'none', ...more });
  const oil = await plan('Engine oil', id, 20);
  await plan('Filter', id, 500);
  await plan('Tyres', id, null, { every_km: 100 });
  const done = (hours: number, at_h: number) =>
    site.call('maintenance_plans_record', {
      id: oil.id,
      equipment_id: id,
      hours,
      done_at: new Date(start + at_h * HOUR_MS).toISOString(),
    });
  await done(1_000, 0);
  await done(1_025, 25);
  const from = new Date(start).toISOString();
  const result = await site.call('alert_rules_test', { rule: { signal: SIGNAL, service: {} }, from });
  const [first, ...others] = result.machines;
  assert.deepEqual(others, [], 'HT-2 has no plan, so it has no result');
  assert.equal(first?.unit_number, 'HT-1');
  const rows = first?.alerts.map(({ raised_at, cleared_at, condition, value, service }) => ({
    at_h: (Date.parse(raised_at) - start) / HOUR_MS,
    until_h: cleared_at === null ? null : (Date.parse(cleared_at) - start) / HOUR_MS,
    condition,
    value,
    due_at: service?.due_at,
    plan: service?.plan_name,
    basis: service?.basis,
  }));
  const common = { condition: 'service', plan: 'Engine oil', basis: 'feed' };
  assert.deepEqual(
    rows?.map(({ value: _, ...row }) => row),
    [
      { at_h: 20, until_h: 25, due_at: 1_020, ...common },
      { at_h: rows?.[1]?.at_h, until_h: null, due_at: 1_045, ...common },
    ],
  );
  // Two readings of ten minutes decide that the control unit was replaced. So the total continues a little later than the engine.
  assert.ok(Math.abs((rows?.[1]?.at_h ?? 0) - 45) <= 0.5, `${rows?.[1]?.at_h}`);
  assert.ok(
    (rows?.[1]?.value ?? 0) >= 1_045 && (rows?.[1]?.value ?? 0) < 1_045.5,
    'the value is the total, not the reading',
  );
  assert.ok((first?.coverage ?? 0) > 0.95, `${first?.coverage}`);
  assert.deepEqual(
    result.not_judged
      .filter(({ code }) => code === 'not_tried')
      .map(({ text }) => text)
      .sort(),
    [
      'Filter on HT-1 was not tried: no service was recorded before or in this time.',
      'HT-2 was not tried: it has no enabled maintenance plan of this rule.',
      'Tyres on HT-1 was not tried: history has no distance of this time.',
    ],
  );
  // With a lead the alert comes earlier.
  const lead = await site.call('alert_rules_test', {
    rule: { signal: SIGNAL, service: { plan_id: oil.id, hours_left: 5 } },
    equipment_ids: [id],
    from,
  });
  assert.equal(lead.machines[0]?.alerts[0]?.raised_at, new Date(start + 15 * HOUR_MS).toISOString());
  assert.deepEqual((await site.call('alerts_list', {})).data, [], 'the trial stores nothing');
});

test('[A863] the trial of a date gives the local day on which the service became due, without any reading', async () => {
  await using site = await startSite();
  const id = await site.addMachine('HT-1');
  const today = Math.floor(site.time.ms / DAY_MS) * DAY_MS;
  const due_on = new Date(today - 2 * DAY_MS).toISOString().slice(0, 10);
  await site.call('maintenance_plans_create', { name: 'Inspection', equipment_id: id, due_on, action: 'none' });
  const rule = await site.call('alert_rules_create', { name: 'Due', signal: SIGNAL, service: {} });
  const result = await site.call('alert_rules_test', { rule_id: rule.id });
  const [machine] = result.machines;
  assert.deepEqual(
    machine?.alerts.map(({ raised_at, cleared_at, value, service }) => [raised_at, cleared_at, value, service?.due_on]),
    [[new Date(today - 2 * DAY_MS).toISOString(), null, null, due_on]],
  );
  assert.deepEqual([machine?.coverage, machine?.values], [1, 0]);
  // A time before the plan's meters were stored is refused by name, and is no silent zero.
  await site.call('maintenance_plans_create', { name: 'Oil', equipment_id: id, every_hours: 100, action: 'none' });
  const earlier = await site.call('alert_rules_test', {
    rule: { signal: SIGNAL, service: {} },
    from: new Date(today - 30 * DAY_MS).toISOString(),
    to: new Date(today - 30 * DAY_MS + MINUTE_MS * 60).toISOString(),
  });
  assert.equal(earlier.machines[0]?.alerts_total, 0);
  assert.deepEqual(
    earlier.not_judged.filter(({ code }) => code === 'not_tried').map(({ text }) => text),
    ['Oil on HT-1 was not tried: history has no engine hours of this time.'],
  );
});
