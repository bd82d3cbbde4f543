import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

async function flag(rig: Rig, more: object = {}) {
  const machine = await rig.call('equipment_create', { unit_number: `HT-${rig.now}` });
  return rig.call('repair_tickets_create', { title: 'Oil leak', equipment_id: machine.id, ...more });
}

async function kinds(rig: Rig, id: string): Promise<string[]> {
  return (await rig.call('repair_tickets_events', { id, order: 'asc' })).data.map(({ type }) => type);
}

async function mechanic(rig: Rig, name: string): Promise<string> {
  return (await rig.call('mechanics_create', { name })).id;
}

test('[A150] a ticket changes from flagged to closed, and a forbidden change names the allowed ones', async () => {
  await using rig = await openRig();
  const { id, status } = await flag(rig);
  assert.equal(status, 'flagged');
  await assert.rejects(rig.call('repair_tickets_update', { id, status: 'closed' }), (error: OperationError) => {
    assert.deepEqual([error.code, error.status], ['invalid_transition', 409]);
    assert.deepEqual(error.details, [{ from: 'flagged', to: 'closed', allowed: ['in_progress', 'canceled'] }]);
    return true;
  });
  for (const next of ['in_progress', 'fixed', 'in_progress', 'fixed', 'closed'] as const)
    assert.equal((await rig.call('repair_tickets_update', { id, status: next })).status, next);
  assert.deepEqual(await kinds(rig, id), [
    'flagged',
    'status_changed',
    'status_changed',
    'status_changed',
    'reopened',
    'status_changed',
    'status_changed',
  ]);
});

test('[A150] a closed ticket accepts only comments, and a new ticket can name it', async () => {
  await using rig = await openRig();
  const ticket = await flag(rig);
  const { id } = ticket;
  await rig.call('repair_tickets_update', { id, status: 'canceled' });
  const again = await rig.call('repair_tickets_update', { id, status: 'canceled' });
  assert.equal(again.revision, 2);
  for (const change of [{ title: 'x' }, { status: 'in_progress' }, { status: 'canceled', title: 'x' }] as const)
    await assert.rejects(rig.call('repair_tickets_update', { id, ...change }), (error: OperationError) => {
      assert.deepEqual(error.details[0]?.allowed, []);
      return error.code === 'invalid_transition';
    });
  await rig.call('repair_tickets_append_event', { id, type: 'comment', data: { text: 'wrong machine' } });
  const next = await rig.call('repair_tickets_create', {
    title: 'Oil leak',
    equipment_id: ticket.equipment_id,
    related_to: id,
  });
  assert.equal(next.related_to, id);
  await assert.rejects(
    rig.call('repair_tickets_create', { title: 'x', equipment_id: ticket.equipment_id, related_to: 'rt_none' }),
    code('not_found'),
  );
  const source = { kind: 'alert' as const, ref: 'alr_none' };
  await assert.rejects(
    rig.call('repair_tickets_create', { title: 'x', equipment_id: ticket.equipment_id, source }),
    code('not_found'),
  );
});

test('[A151] on_hold needs a reason, which is removed with the status', async () => {
  await using rig = await openRig();
  const { id } = await flag(rig);
  await rig.call('repair_tickets_update', { id, status: 'in_progress' });
  await assert.rejects(rig.call('repair_tickets_update', { id, status: 'on_hold' }), code('parameter_missing'));
  await assert.rejects(rig.call('repair_tickets_update', { id, hold_reason: 'parts' }), code('parameter_invalid'));
  const held = await rig.call('repair_tickets_update', { id, status: 'on_hold', hold_reason: 'parts' });
  assert.equal(held.hold_reason, 'parts');
  const other = await rig.call('repair_tickets_update', { id, hold_reason: 'vendor' });
  assert.equal(other.hold_reason, 'vendor');
  assert.equal((await rig.call('repair_tickets_update', { id, title: 'Oil leak, left' })).hold_reason, 'vendor');
  const back = await rig.call('repair_tickets_update', { id, status: 'in_progress' });
  assert.equal(back.hold_reason, null);
  assert.equal(back.started_at, held.started_at);
});

test('[A152] ticket numbers are unique, also for concurrent calls, and end with the node', async () => {
  await using rig = await openRig();
  const { id: equipment_id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, i) => rig.call('repair_tickets_create', { title: `flag ${i}`, equipment_id })),
  );
  const numbers = made.map(({ number }) => number);
  assert.equal(new Set(numbers).size, 12);
  for (const number of numbers) assert.match(number, new RegExp(`^RT-\\d+-${rig.store.nodeId.slice(-4)}$`));
  const found = await rig.call('repair_tickets_list', { number: numbers[3] ?? '' });
  assert.deepEqual(
    found.data.map(({ id }) => id),
    [made[3]?.id],
  );
});

test('[A153] the hour meter of a ticket names its source', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const create = { title: 'Oil leak', equipment_id: id };
  assert.equal((await rig.call('repair_tickets_create', create)).meter_at_flag, null);
  const observed_at = '2026-11-21T13:00:00.000Z';
  const hours: LiveValue = {
    value: 219.2,
    observed_at,
    received_at: observed_at,
    device_id: 'dev_1',
    run_id: null,
    ref: null,
    bus: 0,
    source_address: 0,
    pgn: 65253,
    spn: 247,
    raw: 4384,
  };
  const live: EquipmentLive = {
    live_status: 'running',
    live_status_since: null,
    last_live_data_at: null,
    values: { 'engine.hours': hours },
    dtcs: null,
    dtc_counts: null,
  };
  rig.live.equipment.set(id, live);
  const fromUnit = await rig.call('repair_tickets_create', create);
  assert.deepEqual(fromUnit.meter_at_flag, { hours: 219.2, basis: 'control_unit', observed_at });
  rig.live.equipment.set(id, { ...live, values: { 'engine.hours': { ...hours, spn: null } } });
  assert.equal((await rig.call('repair_tickets_create', create)).meter_at_flag?.basis, 'feed');
  const flagged_at = '2026-11-21T06:00:00.000Z';
  const read = await rig.call('repair_tickets_create', { ...create, meter_hours: 218, flagged_at });
  assert.deepEqual(read.meter_at_flag, { hours: 218, basis: 'manual', observed_at: flagged_at });
  // A ticket that an earlier version stored, with that version's words.
  const view = rig.store.view(rig.project);
  for (const [earlier, now] of [
    ['ecu', 'control_unit'],
    ['telemetry', 'feed'],
    ['counted', 'counted'],
  ]) {
    const stored = await view.get<object>('records', read.id);
    assert.ok(stored);
    const { id: ticket, object, revision: expected } = stored;
    const data = { ...stored.data, meter_at_flag: { ...read.meter_at_flag, basis: earlier } };
    await view.commit([{ collection: 'records', id: ticket, object, data, expected }]);
    assert.equal((await rig.call('repair_tickets_get', { id: ticket })).meter_at_flag?.basis, now);
  }
  // Updating another field of the ticket works.
  const updated = await rig.call('repair_tickets_update', { id: read.id, title: 'Oil leak at the filter' });
  assert.equal(updated.meter_at_flag?.basis, 'counted');
});

test('[A154] downtime is the time that people set the machine to down, from creation to repair', async () => {
  await using rig = await openRig();
  const ticket = await flag(rig);
  const { id, equipment_id } = ticket;
  const set = (status: 'down' | 'available' | 'in_use' | 'maintenance') =>
    rig.call('equipment_update', { id: equipment_id, status });
  const later = (minutes: number) => {
    rig.now += minutes * 60_000;
  };
  later(10);
  await set('in_use');
  later(10);
  await set('down');
  later(30);
  await set('maintenance');
  later(15);
  await rig.call('repair_tickets_update', { id, status: 'in_progress' });
  await set('available');
  later(20);
  const fixed = await rig.call('repair_tickets_update', { id, status: 'fixed' });
  assert.equal(fixed.downtime_minutes, 45);
  const open = await rig.call('repair_tickets_update', { id, status: 'in_progress' });
  assert.deepEqual([open.downtime_minutes, open.fixed_at], [null, null]);
  await set('down');
  later(5);
  const again = await rig.call('repair_tickets_update', { id, status: 'fixed' });
  assert.equal(again.downtime_minutes, 50);
});

test('[A155] assignment, labor and parts write one event of their kind each', async () => {
  await using rig = await openRig();
  const { id } = await flag(rig);
  const who = await mechanic(rig, 'Ada');
  await rig.call('repair_tickets_update', { id, assigned_mechanic_ids: [who, who] });
  const first = await rig.call('repair_tickets_update', {
    id,
    labor: [{ mechanic_id: who, minutes: 30 }],
    parts: [{ name: 'Hose', part_number: '7T-11' }],
  });
  assert.deepEqual(first.assigned_mechanic_ids, [who]);
  const used = first.parts.map((part) => ({ ...part, status: 'used' as const }));
  await rig.call('repair_tickets_update', { id, parts: used, title: 'Oil leak at the cooler' });
  const same = await rig.call('repair_tickets_update', { id, parts: used });
  assert.equal(same.revision, 4);
  await rig.call('repair_tickets_update', { id, labor: [] });
  assert.deepEqual(await kinds(rig, id), [
    'flagged',
    'assigned',
    'labor.logged',
    'part.requested',
    'part.used',
    'updated',
    'updated',
  ]);
  const changes = await rig.call('repair_tickets_events', { id, type: 'updated', order: 'asc' });
  assert.deepEqual(
    changes.data.map(({ data }) => data),
    [{ fields: ['title'] }, { fields: ['labor'] }],
  );
  await assert.rejects(
    rig.call('repair_tickets_append_event', { id, type: 'part.used', data: {} }),
    code('read_only_kind'),
  );
});

test('[A156] operators create tickets, mechanics work on them, other roles are refused', async () => {
  await using rig = await openRig();
  const { id: equipment_id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const who = await mechanic(rig, 'Ada');
  const create = { title: 'Oil leak', equipment_id };
  const { id, reported_by } = await rig.call('repair_tickets_create', create, as('operator'));
  assert.equal(reported_by, 'operator');
  await assert.rejects(
    rig.call('repair_tickets_create', { ...create, assigned_mechanic_ids: [who] }, as('operator')),
    code('permission_denied'),
  );
  await assert.rejects(
    rig.call('repair_tickets_update', { id, status: 'canceled' }, as('operator')),
    code('permission_denied'),
  );
  await assert.rejects(rig.call('repair_tickets_create', create, as('viewer')), code('permission_denied'));
  await rig.call('repair_tickets_update', { id, assigned_mechanic_ids: [who], status: 'in_progress' }, as('mechanic'));
  const mine = await rig.call('repair_tickets_list', { mechanic_id: who, status: 'in_progress' });
  assert.deepEqual(
    mine.data.map((ticket) => ticket.id),
    [id],
  );
  const labor = Array.from({ length: 201 }, () => ({ minutes: 1 }));
  await assert.rejects(rig.call('repair_tickets_update', { id, labor }), code('parameter_invalid'));
});

test('[A1] a ticket cannot name machines, locations, people or tickets of another project', async () => {
  await using rig = await openRig();
  const foreign = { project: rig.other };
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' }, foreign);
  const who = (await rig.call('mechanics_create', { name: 'Ada' }, foreign)).id;
  const hidden = await rig.call('repair_tickets_create', { title: 'x', equipment_id: machine.id }, foreign);
  await assert.rejects(rig.call('repair_tickets_get', { id: hidden.id }), code('not_found'));
  await assert.rejects(rig.call('repair_tickets_update', { id: hidden.id, title: 'y' }), code('not_found'));
  await assert.rejects(rig.call('repair_tickets_events', { id: hidden.id }), code('not_found'));
  await assert.rejects(rig.call('repair_tickets_create', { title: 'x', equipment_id: machine.id }), code('not_found'));
  const { id } = await flag(rig);
  for (const change of [
    { related_to: hidden.id },
    { assigned_mechanic_ids: [who] },
    { labor: [{ mechanic_id: who, minutes: 5 }] },
    { reported_by: who },
    { location_id: 'loc_none' },
    { context: { media: ['art_00000000000000000000000000'] } },
  ])
    await assert.rejects(rig.call('repair_tickets_update', { id, ...change }), code('not_found'));
  assert.equal((await rig.call('repair_tickets_list', {})).data.length, 1);
});

test('[A3] a change of a ticket with an old revision answers 412', async () => {
  await using rig = await openRig();
  const { id } = await flag(rig);
  await rig.call('repair_tickets_update', { id, title: 'y' }, { if_match: 1 });
  await assert.rejects(
    rig.call('repair_tickets_update', { id, title: 'z' }, { if_match: 1 }),
    code('revision_mismatch'),
  );
});
