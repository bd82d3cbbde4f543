import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import type { EquipmentLive, LiveStatus } from '#contract/fleet/equipment.ts';
import { as, eventTypes, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

function facts(more: Partial<EquipmentLive> = {}): EquipmentLive {
  return {
    live_status: 'running',
    live_status_since: '2026-11-21T13:59:00.000Z',
    last_live_data_at: '2026-11-21T13:59:59.000Z',
    values: {},
    dtcs: null,
    dtc_counts: null,
    ...more,
  };
}

test('[A4] a machine without data is unknown, and every value is null', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  assert.equal(machine.name, 'HT-14');
  assert.equal(machine.live_status, 'unknown');
  assert.equal(machine.last_live_data_at, null);
  assert.equal(machine.engine_hours, null);
  assert.equal(machine.dtc_counts, null);
  assert.deepEqual(machine.device_ids, []);
  const { history_from, ...read } = await rig.call('equipment_get', { id: machine.id });
  assert.equal(history_from, null);
  assert.deepEqual({ ...read, created_at: '', updated_at: '' }, { ...machine, created_at: '', updated_at: '' });
});

test('[A843] each value has its freshness at the time of the call, its expected interval and its stale limit', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const now = Date.parse((await rig.call('equipment_get', { id })).updated_at);
  const read = async (age_s: number, expected_interval_s?: number) => {
    const observed_at = new Date(now - age_s * 1000).toISOString();
    const value = {
      value: 40,
      observed_at,
      received_at: observed_at,
      device_id: 'dev_1',
      run_id: null,
      ref: null,
      bus: 0,
      source_address: 0,
      pgn: null,
      spn: null,
      raw: null,
      ...(expected_interval_s === undefined ? {} : { expected_interval_s }),
    };
    rig.live.equipment.set(id, facts({ values: { 'fuel.level': value, 'engine.load': value } }));
    const { fields } = (await rig.call('equipment_get', { id })).context;
    return ['fuel_remaining_pct', 'engine_load_pct'].map((field) => {
      const found = fields?.[field];
      return [found?.freshness, found?.expected_interval_s, found?.stale_after_s];
    });
  };
  assert.deepEqual(await read(30), [
    ['ageing', 1, 60],
    ['ageing', 1, 60],
  ]);
  assert.deepEqual(await read(900), [
    ['stale', 1, 60],
    ['none', 1, 60],
  ]);
  assert.deepEqual(await read(900, 120), [
    ['ageing', 120, 1200],
    ['ageing', 120, 1200],
  ]);
  const machine = await rig.call('equipment_get', { id });
  assert.equal(machine.expected_interval_s, 5);
});

test('[A4] live values are joined into a flat object, each with its source', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const source = {
    observed_at: '2026-11-21T13:59:58.000Z',
    received_at: '2026-11-21T13:59:59.000Z',
    device_id: 'dev_1',
    run_id: 'run_1',
    ref: '7:1024#3',
    bus: 0,
    source_address: 0,
    pgn: 65253,
    spn: 247,
    raw: 4384,
  };
  rig.live.equipment.set(id, facts({ values: { 'engine.hours': { value: 219.2, ...source } } }));
  const machine = await rig.call('equipment_get', { id });
  assert.equal(machine.engine_hours, 219.2);
  assert.equal(machine.live_status, 'running');
  assert.deepEqual(machine.context.fields, {
    engine_hours: {
      ...source,
      freshness: 'fresh',
      expected_interval_s: 60,
      interval_basis: 'default',
      stale_after_s: 600,
    },
  });
  assert.deepEqual([machine.context.run_id, machine.context.device_id], ['run_1', 'dev_1']);
  assert.deepEqual(machine.context.lineage, [
    { run_id: 'run_1', task_id: null, device_id: 'dev_1', values: 1, observed_at: source.observed_at, ref: source.ref },
  ]);
  assert.equal(machine.revision, 1);
});

test('[A866] the lineage of a machine has a row for each run and device, with the message of its newest value', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const place = { bus: 0, source_address: 0, pgn: null, spn: null, raw: null };
  const value = (run_id: string | null, device_id: string, second: number, ref: string | null) => {
    const observed_at = `2026-11-21T13:59:${second}.000Z`;
    return { value: 1, ...place, run_id, device_id, observed_at, received_at: observed_at, ref };
  };
  rig.live.equipment.set(
    id,
    facts({
      values: {
        'engine.speed': value('run_1', 'dev_1', 50, '7:10#0'),
        'engine.load': value('run_1', 'dev_1', 52, '7:20#0'),
        'fuel.level': value('run_1', 'dev_1', 51, '7:15#0'),
        'engine.hours': value(null, 'dev_1', 59, null),
        'position.latitude': value('run_2', 'dev_2', 40, 'art_1#4'),
      },
    }),
  );
  const { context } = await rig.call('equipment_get', { id });
  const at = (second: number) => `2026-11-21T13:59:${second}.000Z`;
  assert.deepEqual(
    [...(context.lineage ?? [])].sort((a, b) => b.values - a.values || (a.run_id === null ? -1 : 1)),
    [
      { run_id: 'run_1', task_id: null, device_id: 'dev_1', values: 3, observed_at: at(52), ref: '7:20#0' },
      { run_id: null, task_id: null, device_id: 'dev_1', values: 1, observed_at: at(59), ref: null },
      { run_id: 'run_2', task_id: null, device_id: 'dev_2', values: 1, observed_at: at(40), ref: 'art_1#4' },
    ],
  );
  const silent = await rig.call('equipment_create', { unit_number: 'HT-15' });
  assert.deepEqual((await rig.call('equipment_get', { id: silent.id })).context.lineage, []);
});

/** What the pipeline tells of a machine, as the fold commits it. */
async function tellLive(rig: Rig, id: string, from: LiveStatus, to: LiveStatus, occurred_at: string): Promise<void> {
  rig.live.equipment.set(id, facts({ live_status: to, live_status_since: occurred_at }));
  const data = { type: 'live_status_changed', subject: { object: 'equipment', id }, occurred_at, data: { from, to } };
  const event = makeId('event', rig.clock(), new Uint8Array(randomBytes(10)));
  await rig.store.view(rig.project).commit([{ collection: 'events', id: event, object: 'event', data, expected: 0 }]);
}

test('[A164] utilization is the working share of the known time, with minutes on request', async () => {
  await using rig = await openRig();
  // The day shift of the rig's project began at 06:00 UTC, eight hours ago.
  rig.now = Date.parse('2026-11-21T05:00:00.000Z');
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14', status: 'in_use' });
  rig.now = Date.parse('2026-11-21T14:00:00.000Z');
  const get = () => rig.call('equipment_get', { id, include: 'calc' });
  assert.deepEqual(
    [(await get()).utilization_pct, (await get()).calc],
    [null, { utilization: null, engine_hours: null }],
  );
  await tellLive(rig, id, 'unknown', 'running', '2026-11-21T10:00:00.000Z');
  await tellLive(rig, id, 'running', 'idle', '2026-11-21T13:00:00.000Z');
  const machine = await get();
  assert.equal(machine.utilization_pct, 75);
  const { counted_until, ...utilization } = machine.calc?.utilization ?? assert.fail();
  assert.deepEqual(utilization, {
    shift: 'day',
    starts_at: '2026-11-21T06:00:00.000Z',
    ends_at: '2026-11-21T18:00:00.000Z',
    minutes: { working: 180, idle: 60, off: 0, down: 0, standby: 0, unknown: 240 },
    formula: '100 * working / (working + idle + off + down + standby)',
    basis: 'history_and_log',
  });
  assert.equal(counted_until.slice(0, 16), '2026-11-21T14:00');

  // What is told from now on is added, and what comes out of turn is put where it belongs.
  rig.now += 60 * 60_000;
  await tellLive(rig, id, 'idle', 'running', '2026-11-21T14:00:00.000Z');
  assert.equal((await get()).utilization_pct, 80);
  await rig.call('equipment_append_event', { id, type: 'downtime.started', occurred_at: '2026-11-21T11:00:00.000Z' });
  await rig.call('equipment_append_event', { id, type: 'downtime.ended', occurred_at: '2026-11-21T12:00:00.000Z' });
  assert.equal((await get()).utilization_pct, 60);
  const { data } = await rig.call('equipment_list', {});
  assert.deepEqual([data[0]?.utilization_pct, data[0]?.calc], [60, undefined]);

  // The night shift counts from its own beginning, and a project without shifts has none.
  rig.now = Date.parse('2026-11-21T19:00:00.000Z');
  assert.equal((await get()).utilization_pct, 100);
  await rig.call('projects_update', {
    id: rig.project,
    shift_pattern: [{ name: 'early', starts: '05:00', ends: '06:00' }],
  });
  assert.deepEqual(
    [(await get()).utilization_pct, (await get()).calc],
    [null, { utilization: null, engine_hours: null }],
  );
});

test('[A164] the time before a machine was created is unknown, whatever its status', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'WL-02', status: 'down' });
  rig.now += 60 * 60_000;
  rig.live.equipment.set(id, facts({ live_status: 'off' }));
  const { minutes } = (await rig.call('equipment_get', { id, include: 'calc' })).calc?.utilization ?? assert.fail();
  assert.deepEqual(minutes, { working: 0, idle: 0, off: 0, down: 60, standby: 0, unknown: 480 });
});

test('[A169] concurrent requests read the log of a machine once and miss no event', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  // The clock goes on: of two events of one millisecond nobody could say which came first.
  await tellLive(rig, id, 'unknown', 'running', '2026-11-21T12:00:00.000Z');
  const asked = Array.from({ length: 5 }, () => rig.shifts.spent(rig.project, [id]));
  await tellLive(rig, id, 'running', 'off', '2026-11-21T13:00:00.000Z');
  const hours = (spent: Awaited<(typeof asked)[number]>) => Math.round((spent.get(id)?.working ?? 0) / 3_600_000);
  for (const spent of await Promise.all(asked)) assert.ok([1, 2].includes(hours(spent)));
  assert.equal(hours(await rig.shifts.spent(rig.project, [id])), 1);
});

test('[A5] unit numbers and aliases are unique without regard to case and spaces; 409 names the holder', async () => {
  await using rig = await openRig();
  const first = await rig.call('equipment_create', { unit_number: 'HT-14', aliases: ['Truck 14'] });
  for (const unit_number of ['HT-14', 'ht-14', 'truck  14', ' Ｔruck 14 '])
    await assert.rejects(rig.call('equipment_create', { unit_number }), (error: OperationError) => {
      assert.equal(error.code, 'already_exists');
      assert.match(error.message, /HT-14/);
      assert.equal(error.details[0]?.held_by, first.id);
      return true;
    });
  await assert.rejects(rig.call('equipment_create', { unit_number: 'X', aliases: ['HT-14'] }), code('already_exists'));
  await rig.call('equipment_create', { unit_number: 'HT-14' }, { project: rig.other });
});

test('[A7] of two concurrent calls for a unit number one gets it, and the other error names the holder', async () => {
  await using rig = await openRig();
  const made = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) => rig.call('equipment_create', { unit_number: 'HT-14', name: `machine ${i}` })),
  );
  const winners = made.filter((result) => result.status === 'fulfilled');
  assert.equal(winners.length, 1);
  const holder = winners[0]?.value.id;
  for (const result of made)
    if (result.status === 'rejected') {
      assert.equal(result.reason.code, 'already_exists');
      assert.equal(result.reason.details[0].held_by, holder);
    }
  assert.equal((await rig.call('equipment_list', {})).data.length, 1);
});

test('[A7] a unit number that is no longer used can be used again', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14', aliases: ['14'] });
  await rig.call('equipment_update', { id, unit_number: 'HT-15', aliases: [] });
  const second = await rig.call('equipment_create', { unit_number: '14', aliases: ['HT-14'] });
  await rig.call('equipment_update', { id: second.id, unit_number: 'EX-1', aliases: [] });
  const back = await rig.call('equipment_update', { id, unit_number: 'HT-14', aliases: ['14'] });
  assert.equal(back.unit_number, 'HT-14');
  await assert.rejects(rig.call('equipment_update', { id: second.id, aliases: ['14'] }), code('already_exists'));
});

test('[A2] each kind of change has its event, committed with it', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const commits: string[][] = [];
  rig.store.changes((changes) => commits.push(changes.map(({ collection }) => collection).sort()));
  await rig.call('equipment_update', { id, status: 'down', reason: 'hydraulic leak', model: 'HD785-8' });
  assert.deepEqual(commits, [['events', 'events', 'records']]);
  const log = await rig.call('equipment_events', { id });
  assert.deepEqual(log.data.map(({ type }) => type).sort(), ['created', 'status_changed', 'updated']);
  const moved = log.data.find(({ type }) => type === 'status_changed');
  assert.deepEqual(moved?.data, { from: 'available', to: 'down', reason: 'hydraulic leak' });
  assert.deepEqual(moved?.actor, { type: 'workspace', id: 'key_owner', name: 'owner' });
  assert.equal(moved?.source, 'headframe');
  assert.deepEqual(log.data.find(({ type }) => type === 'updated')?.data, { fields: ['model'] });
});

test('[A2] a change that changes nothing writes nothing', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14', labels: { crew: 'a' } });
  const before = rig.store.stats().commits;
  const same = await rig.call('equipment_update', { id: machine.id, unit_number: 'HT-14', labels: { crew: 'a' } });
  assert.equal(same.revision, machine.revision);
  assert.equal(rig.store.stats().commits, before);
});

test('[A3] a stale If-Match is refused with the current revision', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await rig.call('equipment_update', { id, name: 'first' }, { if_match: 1 });
  await assert.rejects(
    rig.call('equipment_update', { id, name: 'second' }, { if_match: 1 }),
    (error: OperationError) => {
      assert.equal(error.code, 'revision_mismatch');
      assert.deepEqual(error.details, [{ current_revision: 2 }]);
      return true;
    },
  );
});

test('[A3] of two writers with the same If-Match one succeeds; without If-Match both do', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const guarded = await Promise.allSettled(
    ['a', 'b', 'c'].map((name) => rig.call('equipment_update', { id, name }, { if_match: 1 })),
  );
  assert.equal(guarded.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of guarded) if (result.status === 'rejected') assert.equal(result.reason.code, 'revision_mismatch');
  await Promise.all([
    rig.call('equipment_update', { id, model: 'HD785' }),
    rig.call('equipment_update', { id, oem_name: 'Komatsu' }),
  ]);
  const machine = await rig.call('equipment_get', { id });
  assert.deepEqual([machine.model, machine.oem_name, machine.revision], ['HD785', 'Komatsu', 4]);
});

test('[A11] telemetry fields are refused by name', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  for (const field of ['live_status', 'last_live_data_at', 'engine_hours', 'dtcs']) {
    const input = { id, [field]: null } as { id: string };
    await assert.rejects(rig.call('equipment_update', input), (error: OperationError) => {
      assert.equal(error.code, 'read_only_field');
      assert.equal(error.param, field);
      return true;
    });
  }
});

test('[A11] only an admin with a reason sets a decommissioned machine to available', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14', status: 'decommissioned' });
  const back = { id, status: 'available', reason: 'sold back to us' } as const;
  await assert.rejects(rig.call('equipment_update', { id, status: 'in_use' }), code('parameter_invalid'));
  await assert.rejects(rig.call('equipment_update', back, as('supervisor')), code('permission_denied'));
  await assert.rejects(rig.call('equipment_update', { id, status: 'available' }), code('parameter_missing'));
  assert.equal((await rig.call('equipment_update', back, as('admin'))).status, 'available');
  assert.deepEqual(await eventTypes(rig, 'equipment_events', id), ['created', 'status_changed']);
});

test('[A8] pages neither repeat nor hide a machine while others are added', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 7; i++) await rig.call('equipment_create', { unit_number: `HT-${i}` });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(cursor);
    seen.push(...page.data.map(({ unit_number }) => unit_number));
    cursor = page.next_cursor;
    assert.equal(page.has_more, cursor !== null);
    await rig.call('equipment_create', { unit_number: `NEW-${seen.length}` });
  } while (cursor !== null);
  assert.deepEqual(seen, ['HT-6', 'HT-5', 'HT-4', 'HT-3', 'HT-2', 'HT-1', 'HT-0']);

  function list(after: string | null) {
    return rig.call('equipment_list', { limit: 3, ...(after === null ? {} : { cursor: after }) });
  }
});

test('[A8] lists filter by creation time in any time offset', async () => {
  await using rig = await openRig();
  const units: { created_at: string }[] = [];
  for (let i = 0; i < 3; i++) {
    units.push(await rig.call('equipment_create', { unit_number: `HT-${i}` }));
    rig.now += 60_000;
  }
  const middle = Date.parse(units[1]?.created_at ?? '') - 30_000;
  const offset = `${new Date(middle + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`;
  const after = await rig.call('equipment_list', { created_after: offset, order: 'asc' });
  assert.deepEqual(
    after.data.map(({ unit_number }) => unit_number),
    ['HT-1', 'HT-2'],
  );
  const before = await rig.call('equipment_list', { created_before: offset });
  assert.deepEqual(
    before.data.map(({ unit_number }) => unit_number),
    ['HT-0'],
  );
});

test('[A9] a list filtered on live status holds only what has it, page after page', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 9; i++) {
    const { id, project_id } = await rig.call('equipment_create', { unit_number: `HT-${i}` });
    if (i % 2 === 1) continue;
    const data = facts();
    rig.live.equipment.set(id, data);
    await rig.store.commit([{ collection: 'live', id, object: 'equipment', project_id, data: { ...data } }]);
  }
  const units = async (live_status: 'running' | 'unknown') => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const query: { cursor?: string } = cursor === null ? {} : { cursor };
      const page: { data: { unit_number: string }[]; next_cursor: string | null } = await rig.call('equipment_list', {
        live_status,
        limit: 2,
        ...query,
      });
      found.push(...page.data.map(({ unit_number }) => unit_number));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  };
  assert.deepEqual(await units('running'), ['HT-8', 'HT-6', 'HT-4', 'HT-2', 'HT-0']);
  assert.deepEqual(await units('unknown'), ['HT-7', 'HT-5', 'HT-3', 'HT-1']);
  const newest = (await rig.call('equipment_list', { unit_number: 'ht-8' })).data[0];
  assert.ok(newest);
  rig.live.equipment.set(newest.id, facts({ live_status: 'idle' }));
  assert.deepEqual(await units('running'), ['HT-6', 'HT-4', 'HT-2', 'HT-0']);
});

test('[A5] a machine is found by its unit number or an alias', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14', aliases: ['Truck 14'] });
  const found = async (unit_number: string) =>
    (await rig.call('equipment_list', { unit_number })).data.map((m) => m.id);
  assert.deepEqual(await found('HT-14'), [id]);
  assert.deepEqual(await found('truck 14'), [id]);
  assert.deepEqual(await found('HT-1'), []);
});

test('[A107] a machine is assigned to people and places of its project, each change with its event', async () => {
  await using rig = await openRig();
  const pit = await rig.call('locations_create', { name: 'Pit' });
  const ada = await rig.call('operators_create', { name: 'Ada' });
  const theirs = await rig.call('operators_create', { name: 'Eve' }, { project: rig.other });
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await assert.rejects(rig.call('equipment_update', { id, operator_id: theirs.id }), code('not_found'));
  await assert.rejects(rig.call('equipment_update', { id, location_id: ada.id }), code('not_found'));
  const on = await rig.call('equipment_update', { id, operator_id: ada.id, location_id: pit.id, model: 'X' });
  assert.deepEqual([on.operator_id, on.location_id], [ada.id, pit.id]);
  assert.ok(on.operator_since !== null);
  const listed = async (query: object) => (await rig.call('equipment_list', query)).data.map((each) => each.id);
  assert.deepEqual(await listed({ operator_id: ada.id, location_id: pit.id }), [id]);
  const off = await rig.call('equipment_update', { id, operator_id: null });
  assert.deepEqual([off.operator_id, off.operator_since], [null, null]);
  assert.deepEqual(await listed({ operator_id: ada.id }), []);
  assert.deepEqual(await eventTypes(rig, 'equipment_events', id), [
    'created',
    'assigned_operator',
    'assigned_location',
    'updated',
    'unassigned_operator',
  ]);
  const moved = await rig.call('equipment_events', { id, type: 'updated' });
  assert.deepEqual(moved.data[0]?.data, { fields: ['model'] });
});

test('[A107] meters are listed with source and time; meters without data are not listed', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const at = { received_at: '2026-11-21T13:59:59.000Z', run_id: null, ref: null, bus: null, source_address: null };
  const observed_at = '2026-11-21T13:59:58.000Z';
  rig.live.equipment.set(
    id,
    facts({
      values: {
        'engine.hours': { value: 219.2, observed_at, device_id: 'dev_1', ...at, pgn: 65253, spn: 247, raw: 4384 },
        'vehicle.odometer': { value: 12.5, observed_at, device_id: 'dev_2', ...at, pgn: null, spn: null, raw: null },
        'engine.speed': { value: 900, observed_at, device_id: 'dev_1', ...at, pgn: 61444, spn: 190, raw: 7200 },
      },
    }),
  );
  const machine = await rig.call('equipment_get', { id });
  const same = { observed_at, since: observed_at, offset: 0, needs_review: null };
  assert.deepEqual(machine.meters, [
    {
      kind: 'engine_hours',
      basis: 'control_unit',
      value: 219.2,
      unit: 'h',
      reading: 219.2,
      device_id: 'dev_1',
      ...same,
    },
    { kind: 'odometer_km', basis: 'feed', value: 12.5, unit: 'km', reading: 12.5, device_id: 'dev_2', ...same },
  ]);
  assert.equal(machine.utilization_pct, null);
});

test('[A102] media accepts artifacts of the project, and no URL and no artifact of another project', async () => {
  await using rig = await openRig();
  const upload = async (project: string): Promise<string> => {
    const { id } = await rig.call('devices_create', { name: 'Camera' }, { project });
    const picture = { id, name: 'a.txt', content_base64: btoa('picture') };
    const { artifact } = await rig.call('devices_upload_media', picture, { project });
    return artifact?.id ?? assert.fail('nothing was stored');
  };
  const [own, theirs] = [await upload(rig.project), await upload(rig.other)];
  const make = (media: string[]) => rig.call('equipment_create', { unit_number: 'HT-14', context: { media } });
  await assert.rejects(make(['https://example.org/a.jpg']), code('parameter_invalid'));
  await assert.rejects(make([theirs]), code('not_found'));
  const machine = await make([own, own]);
  assert.deepEqual(machine.context.media, [own]);
  const bare = await rig.call('equipment_update', { id: machine.id, context: { media: [] } });
  assert.deepEqual(bare.context.media, []);
  const told = await rig.call('equipment_append_event', { id: machine.id, type: 'note', context: { media: [own] } });
  assert.deepEqual(told.context.media, [own]);
  await assert.rejects(
    rig.call('equipment_append_event', { id: machine.id, type: 'note', context: { media: [theirs] } }),
    code('not_found'),
  );
});
