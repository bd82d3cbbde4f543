import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { OwnWork } from '#contract/context.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { Input } from '#contract/operations.ts';
import { createMaintenanceTickets } from '#handlers/work/maintenance-tickets.ts';
import { as, eventTypes, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string, param?: string) => (error: OperationError) =>
  error.code === wanted && (param === undefined || error.param === param);

const DAY_MS = 86_400_000;

async function truck(rig: Rig, unit_number = 'HT-104'): Promise<string> {
  return (await rig.call('equipment_create', { unit_number, kind: 'haul_truck' })).id;
}

/** Sets what the machine reports. */
function reports(rig: Rig, id: string, hours: number, km?: number): void {
  const value = (number: number): LiveValue => ({
    value: number,
    observed_at: new Date(rig.now).toISOString(),
    received_at: new Date(rig.now).toISOString(),
    device_id: 'dev_x',
    run_id: null,
    ref: null,
    bus: 0,
    source_address: 0,
    pgn: 65253,
    spn: 247,
    raw: null,
  });
  const live: EquipmentLive = {
    live_status: 'running',
    live_status_since: null,
    last_live_data_at: null,
    values: { 'engine.hours': value(hours), ...(km === undefined ? {} : { 'vehicle.odometer': value(km) }) },
    dtcs: null,
    dtc_counts: null,
  };
  rig.live.equipment.set(id, live);
}

const OIL: Input<'maintenance_plans_create'> = {
  name: 'Engine oil',
  kind: 'haul_truck',
  every_hours: 250,
  every_months: 3,
};

/** The state of the first plan of a machine. */
async function stateOf(rig: Rig, equipment_id: string) {
  const { data } = await rig.call('maintenance_list', { equipment_id });
  const plan = data[0]?.plans[0];
  assert.ok(plan !== undefined);
  return plan;
}

/** Makes the tickets that are due, as the gateway does every minute. */
async function makeTickets(rig: Rig, agesKnown = true): Promise<void> {
  const ownWork: OwnWork = rig.ownWork;
  const live = { equipment: (id: string) => rig.live.equipment.get(id), device: () => undefined };
  await createMaintenanceTickets({ store: rig.store, live, ownWork, clock: rig.clock, agesKnown: () => agesKnown })();
}

async function tickets(rig: Rig) {
  return (await rig.call('repair_tickets_list', {})).data;
}

test('[A510] a plan for a kind applies to its machines, and says what is due after a service is recorded', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  await rig.call('equipment_create', { unit_number: 'EX-1', kind: 'excavator' });
  const plan = await rig.call('maintenance_plans_create', OIL);
  const before = await stateOf(rig, id);
  assert.deepEqual([before.state, before.reason], ['unknown', 'no_hour_meter']);
  reports(rig, id, 12_000);
  assert.equal((await stateOf(rig, id)).reason, 'no_service');
  const done = await rig.call('maintenance_plans_record', { id: plan.id, equipment_id: id, done_by: 'Ana Ruiz' });
  const [first] = done.plans;
  assert.deepEqual(
    [first?.state, first?.last_service?.hours, first?.last_service?.done_by],
    ['ok', 12_000, 'Ana Ruiz'],
  );
  reports(rig, id, 12_251);
  const due = await stateOf(rig, id);
  assert.deepEqual([due.state, due.due_by, due.limits[0]?.left], ['due', 'hours', -1]);
  const all = await rig.call('maintenance_list', {});
  assert.deepEqual(
    all.data.map(({ unit_number, state }) => [unit_number, state]),
    [['HT-104', 'due']],
  );
  assert.deepEqual(await eventTypes(rig, 'equipment_events', id), ['created', 'service.done']);
});

test('[A511] a plan without a limit, with two intervals of time, or without machines is refused by name', async () => {
  await using rig = await openRig();
  const refused = (input: Partial<Input<'maintenance_plans_create'>>, name: string, param: string) =>
    assert.rejects(rig.call('maintenance_plans_create', { name: 'Oil', ...input }), code(name, param));
  await refused({ kind: 'haul_truck' }, 'parameter_missing', 'every_hours');
  await refused({ every_hours: 250 }, 'parameter_invalid', 'equipment_id');
  await refused({ kind: 'haul_truck', every_days: 30, every_months: 1 }, 'parameter_invalid', 'every_days');
  await refused({ equipment_id: 'eq_none', every_hours: 250 }, 'not_found', 'equipment_id');
  const plan = await rig.call('maintenance_plans_create', OIL);
  await assert.rejects(
    rig.call('maintenance_plans_update', { id: plan.id, every_hours: null, every_months: null }),
    code('parameter_missing'),
  );
  await assert.rejects(rig.call('maintenance_plans_create', OIL, as('operator')), code('permission_denied'));
  await rig.call('maintenance_plans_delete', { id: plan.id });
  await assert.rejects(rig.call('maintenance_plans_get', { id: plan.id }), code('not_found'));
});

test('[A511] a project has at most 200 plans', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 200; i++) await rig.call('maintenance_plans_create', OIL);
  await assert.rejects(rig.call('maintenance_plans_create', OIL), code('limit_reached'));
});

test('[A512] a service has a plausible reading, belongs to the machine, and an older one changes only the log', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const other = await rig.call('equipment_create', { unit_number: 'EX-1', kind: 'excavator' });
  const plan = await rig.call('maintenance_plans_create', OIL);
  reports(rig, id, 12_000);
  const record = (more: object) => rig.call('maintenance_plans_record', { id: plan.id, equipment_id: id, ...more });
  await assert.rejects(record({ hours: 120_000 }), code('parameter_invalid', 'hours'));
  const yesterday = new Date(rig.now - DAY_MS).toISOString();
  await assert.rejects(record({ done_at: yesterday }), code('parameter_missing', 'hours'));
  await assert.rejects(
    record({ done_at: new Date(rig.now + DAY_MS).toISOString() }),
    code('parameter_invalid', 'done_at'),
  );
  await assert.rejects(record({ equipment_id: other.id }), code('parameter_invalid', 'equipment_id'));
  await record({ done_at: yesterday, hours: 11_990 });
  assert.equal((await stateOf(rig, id)).last_service?.hours, 11_990);
  await record({ done_at: new Date(rig.now - 30 * DAY_MS).toISOString(), hours: 11_500 });
  assert.equal((await stateOf(rig, id)).last_service?.hours, 11_990);
  assert.deepEqual(await eventTypes(rig, 'equipment_events', id), ['created', 'service.done', 'service.done']);
  await assert.rejects(
    rig.call('maintenance_plans_record', { id: plan.id, equipment_id: id }, as('operator')),
    code('permission_denied'),
  );
});

test('[A513] a due service makes one ticket, also after a restart and a jump of the clock, and the next service makes one again', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const plan = await rig.call('maintenance_plans_create', { ...OIL, instructions: 'Change the filter too.' });
  reports(rig, id, 12_000);
  await rig.call('maintenance_plans_record', { id: plan.id, equipment_id: id });
  await makeTickets(rig);
  assert.equal((await tickets(rig)).length, 0);
  reports(rig, id, 12_250);
  await makeTickets(rig);
  await makeTickets(rig);
  rig.now += 400 * DAY_MS;
  await makeTickets(rig);
  rig.now -= 800 * DAY_MS;
  await makeTickets(rig);
  rig.now += 400 * DAY_MS;
  const [ticket, ...more] = await tickets(rig);
  assert.equal(more.length, 0);
  assert.ok(ticket !== undefined);
  assert.deepEqual(
    [ticket.title, ticket.type, ticket.source],
    ['Engine oil', 'preventive', { kind: 'pm', ref: plan.id }],
  );
  assert.match(
    ticket.description,
    /^Due at 12250 engine hours; the machine reported 12250 at .*\n\nChange the filter too\.$/,
  );
  assert.equal((await stateOf(rig, id)).ticket_id, ticket.id);
  await rig.call('repair_tickets_update', { id: ticket.id, status: 'in_progress' });
  reports(rig, id, 12_258);
  await rig.call('repair_tickets_update', { id: ticket.id, status: 'fixed' });
  const fixed = await stateOf(rig, id);
  assert.deepEqual([fixed.state, fixed.last_service?.hours, fixed.last_service?.ticket_id], ['ok', 12_258, ticket.id]);
  assert.equal(fixed.ticket_id, null);
  reports(rig, id, 12_600);
  await makeTickets(rig);
  await makeTickets(rig);
  assert.equal((await tickets(rig)).length, 2);
});

test('[A513] two gateways loops at once make one ticket', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const plan = await rig.call('maintenance_plans_create', OIL);
  reports(rig, id, 12_000);
  await rig.call('maintenance_plans_record', { id: plan.id, equipment_id: id });
  reports(rig, id, 12_300);
  await Promise.all([makeTickets(rig), makeTickets(rig), makeTickets(rig)]);
  assert.equal((await tickets(rig)).length, 1);
});

test('[A513] a date makes no ticket while the clock is not trusted, and a plan with action none makes none at all', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const due_on = new Date(rig.now - DAY_MS).toISOString().slice(0, 10);
  await rig.call('maintenance_plans_create', { name: 'Certificate', equipment_id: id, due_on });
  await rig.call('maintenance_plans_create', { name: 'Wash', equipment_id: id, due_on, action: 'none' });
  await makeTickets(rig, false);
  assert.equal((await tickets(rig)).length, 0);
  await makeTickets(rig);
  assert.deepEqual(
    (await tickets(rig)).map(({ title }) => title),
    ['Certificate'],
  );
});

test('[A514] a decommissioned machine and a disabled plan have nothing due', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const due_on = new Date(rig.now - DAY_MS).toISOString().slice(0, 10);
  const plan = await rig.call('maintenance_plans_create', { name: 'Certificate', kind: 'haul_truck', due_on });
  assert.equal((await stateOf(rig, id)).state, 'overdue');
  await rig.call('maintenance_plans_update', { id: plan.id, enabled: false });
  assert.deepEqual((await rig.call('maintenance_list', {})).data, []);
  await rig.call('maintenance_plans_update', { id: plan.id, enabled: true });
  await rig.call('equipment_update', { id, status: 'decommissioned' });
  await makeTickets(rig);
  assert.deepEqual([(await rig.call('maintenance_list', {})).data, await tickets(rig)], [[], []]);
});
