import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Input, Output } from '#contract/operations.ts';
import { TIME_USAGE } from '#contract/work/shift-report.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const at = (time: string) => `2026-11-20T${time}:00.000Z`;

/** The night shift of 19 November in UTC: 18:00 to 06:00. */
const SHIFT = {
  name: 'night',
  date: '2026-11-19',
  starts_at: '2026-11-19T18:00:00.000Z',
  ends_at: at('06:00'),
  timezone: 'UTC',
};

async function site(rig: Rig, options = {}) {
  const location = await rig.call('locations_create', { name: `Pit ${rig.now}` }, options);
  const machine = await rig.call(
    'equipment_create',
    { unit_number: `HT-${rig.now}`, location_id: location.id },
    options,
  );
  return { location_id: location.id, machine: machine.id };
}

function usage(more: Partial<Record<(typeof TIME_USAGE)[number], number>>) {
  return {
    ...(Object.fromEntries(TIME_USAGE.map((name) => [name, 0])) as Record<(typeof TIME_USAGE)[number], number>),
    ...more,
  };
}

test('[A165] a report is submitted once per location, day and shift, and is returned unchanged', async () => {
  await using rig = await openRig();
  const { location_id, machine } = await site(rig);
  const stopped = [
    {
      equipment_id: machine,
      started_at: at('01:00'),
      ended_at: at('01:47'),
      category: 'unscheduled_downtime' as const,
    },
  ];
  const time_usage = [{ equipment_id: machine, minutes: usage({ productive: 673, unscheduled_downtime: 47 }) }];
  const report = await rig.call('shift_reports_create', { location_id, shift: SHIFT, stopped, time_usage });
  assert.equal(report.stopped[0]?.minutes, 47);
  assert.equal(report.time_usage[0]?.kpi.physical_availability, 0.935);
  await assert.rejects(rig.call('shift_reports_create', { location_id, shift: SHIFT }), (error: OperationError) => {
    assert.equal(error.details[0]?.held_by, report.id);
    return error.code === 'already_exists';
  });
  await rig.call('shift_reports_create', { location_id, shift: { ...SHIFT, name: 'second night' } });
  const read = await rig.call('shift_reports_get', { id: report.id });
  assert.deepEqual({ ...read, created_at: '', updated_at: '' }, { ...report, created_at: '', updated_at: '' });
  const list = await rig.call('shift_reports_list', { location_id, shift_date: '2026-11-19', shift: 'night' });
  assert.deepEqual(
    list.data.map(({ id }) => id),
    [report.id],
  );
  const log = await rig.call('shift_reports_events', { id: report.id });
  assert.deepEqual(
    log.data.map(({ type }) => type),
    ['submitted'],
  );
});

test('[A166] inconsistent times and minutes that do not add up are refused with the field', async () => {
  await using rig = await openRig();
  const { location_id, machine } = await site(rig);
  const stop = (started_at: string, ended_at: string) => [
    { equipment_id: machine, started_at, ended_at, category: 'standby' as const },
  ];
  const wrong: [string, Partial<Input<'shift_reports_create'>>][] = [
    ['shift.ends_at', { shift: { ...SHIFT, ends_at: SHIFT.starts_at } }],
    ['shift.ends_at', { shift: { ...SHIFT, ends_at: at('18:00').replace('20T', '21T') } }],
    ['shift', { shift: { ...SHIFT, starts_at: '2026-11-19T18:00:01.000Z' } }],
    ['shift.starts_at', { shift: { ...SHIFT, starts_at: '2026-11-22T18:00:00Z', ends_at: '2026-11-23T06:00:00Z' } }],
    ['shift.date', { shift: { ...SHIFT, timezone: 'Australia/Perth' } }],
    ['timezone', { shift: { ...SHIFT, timezone: 'Mars/Olympus' } }],
    ['stopped[0].ended_at', { stopped: stop(at('02:00'), at('01:00')) }],
    ['stopped[0]', { stopped: stop(at('05:00'), at('07:00')) }],
    ['time_usage[0].minutes', { time_usage: [{ equipment_id: machine, minutes: usage({ productive: 719 }) }] }],
    [
      'time_usage[1].equipment_id',
      { time_usage: [1, 2].map(() => ({ equipment_id: machine, minutes: usage({ unknown: 720 }) })) },
    ],
  ];
  for (const [param, more] of wrong)
    await assert.rejects(
      rig.call('shift_reports_create', { location_id, shift: SHIFT, ...more }),
      (error: OperationError) => {
        assert.deepEqual([error.code, error.param], ['parameter_invalid', param]);
        return true;
      },
    );
  assert.equal((await rig.call('shift_reports_list', {})).data.length, 0);
});

test('[A166] a report may only name objects of the project', async () => {
  await using rig = await openRig();
  const { location_id, machine } = await site(rig);
  const foreign = await site(rig, { project: rig.other });
  const create = (more: Partial<Input<'shift_reports_create'>>) =>
    rig.call('shift_reports_create', { location_id, shift: SHIFT, ...more });
  const stop = { equipment_id: machine, started_at: at('01:00'), ended_at: at('02:00'), category: 'standby' as const };
  for (const more of [
    { location_id: foreign.location_id },
    { time_usage: [{ equipment_id: foreign.machine, minutes: usage({ unknown: 720 }) }] },
    { moved: [{ equipment_id: foreign.machine, material: 'ore' }] },
    { moved: [{ material: 'ore', to_location_id: foreign.location_id }] },
    { crew: [{ operator_id: 'op_none' }] },
    { stopped: [{ ...stop, repair_ticket_id: 'rt_none' }] },
    { stopped: [{ ...stop, alert_ids: ['alr_none'] }] },
    { supervisor_id: 'op_00000000000000000000000000' },
  ])
    await assert.rejects(create(more), code('not_found'));
  const report = await create({ supervisor_id: 'Grace' });
  for (const call of [
    rig.call('shift_reports_get', { id: report.id }, { project: rig.other }),
    rig.call('shift_reports_append_event', { id: report.id, type: 'note' }, { project: rig.other }),
  ])
    await assert.rejects(call, code('not_found'));
});

test('[A167] an amendment is returned with the report, whose fields stay as submitted', async () => {
  await using rig = await openRig();
  const { location_id, machine } = await site(rig);
  const report = await rig.call('shift_reports_create', { location_id, shift: SHIFT, fuel_l: 100 });
  const { id } = report;
  const amend = (data: Record<string, unknown>, options = {}) =>
    rig.call('shift_reports_append_event', { id, type: 'amended', data }, options);
  for (const data of [
    {},
    { changes: {} },
    { reason: 'x', changes: { location_id } },
    { reason: 'x', changes: { fuel_l: -1 } },
    { reason: 'x', changes: { time_usage: [{ equipment_id: machine, minutes: usage({ unknown: 3 }) }] } },
  ])
    await assert.rejects(amend(data), code('parameter_invalid'));
  await assert.rejects(amend({ reason: 'x', changes: {} }, as('operator')), code('permission_denied'));
  await amend({ reason: 'second tank', changes: { fuel_l: 140 } }, as('supervisor'));
  await rig.call('shift_reports_append_event', { id, type: 'acknowledged' }, as('operator'));
  const read = await rig.call('shift_reports_get', { id });
  assert.equal(read.fuel_l, 100);
  assert.equal(read.revision, 1);
  assert.deepEqual(
    read.amendments.map(({ by, reason, changes }) => [by, reason, changes]),
    [['supervisor', 'second tank', { fuel_l: 140 }]],
  );
  assert.deepEqual(
    read.acknowledgements.map(({ by }) => by),
    ['operator'],
  );
  await rig.call('shift_reports_create', { location_id, shift: { ...SHIFT, name: 'day' } });
  const list = await rig.call('shift_reports_list', { order: 'asc' });
  assert.deepEqual(
    list.data.map(({ amendments }) => amendments.length),
    [1, 0],
  );
});

test('[A740] a report is returned with its newest amendments, and with more_amendments if there are older ones', async () => {
  await using rig = await openRig();
  const { location_id } = await site(rig);
  const { id } = await rig.call('shift_reports_create', { location_id, shift: SHIFT });
  const small = await rig.call('shift_reports_create', { location_id, shift: { ...SHIFT, name: 'day' } });
  // About 100 KB each: 20 are twice the bound.
  const crew = Array.from({ length: 20 }, () => '');
  const moved = Array.from({ length: 1_000 }, () => ({ material: 'overburden of the north pit, 1st bench, wet clay' }));
  for (const [i] of crew.entries())
    await rig.call('shift_reports_append_event', {
      id,
      type: 'amended',
      data: { reason: `correction ${i}`, changes: { moved, fuel_l: i } },
    });
  // What anybody may append pushes out no amendment.
  for (let i = 0; i < 12; i++)
    await rig.call(
      'shift_reports_append_event',
      { id, type: 'acknowledged', data: { text: 'x'.repeat(200_000) } },
      as('operator'),
    );
  const read = await rig.call('shift_reports_get', { id });
  const bytes = JSON.stringify(read.amendments).length;
  assert.ok(bytes > 0.7 * LIMITS.amendments.value && bytes <= LIMITS.amendments.value, `${bytes} bytes`);
  const reasons = read.amendments.map(({ reason }) => reason);
  assert.deepEqual(reasons, crew.map((_, i) => `correction ${i}`).slice(-reasons.length));
  assert.equal(read.more_amendments, true);
  assert.ok(read.acknowledgements.length > 0 && read.acknowledgements.length < 12);
  assert.equal(read.more_acknowledgements, true);
  const log = await rig.call('shift_reports_events', { id, type: 'amended', limit: 200 });
  assert.equal(log.data.length, crew.length);
  const list = await rig.call('shift_reports_list', { order: 'asc' });
  assert.deepEqual(
    list.data.map((report) => [report.id, report.amendments.length, report.more_amendments]),
    [
      [id, reasons.length, true],
      [small.id, 0, false],
    ],
  );
});

test('[A740] a list of reports with many amendments has short pages and omits no report', async () => {
  await using rig = await openRig();
  const { location_id } = await site(rig);
  const moved = Array.from({ length: 1_000 }, () => ({ material: 'x'.repeat(80) }));
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) {
    const { id } = await rig.call('shift_reports_create', { location_id, shift: { ...SHIFT, name: `night ${i}` } });
    ids.push(id);
    for (const reason of i % 2 ? ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'] : [])
      await rig.call('shift_reports_append_event', { id, type: 'amended', data: { reason, changes: { moved } } });
  }
  const seen: [string, string | undefined][] = [];
  let cursor: string | null = null;
  do {
    const page: Output<'shift_reports_list'> = await rig.call('shift_reports_list', {
      order: 'asc',
      ...(cursor === null ? {} : { cursor }),
    });
    assert.ok(JSON.stringify(page).length < 1.4 * LIMITS.page_bytes.value);
    seen.push(...page.data.map(({ id, amendments }): [string, string | undefined] => [id, amendments.at(-1)?.reason]));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(
    seen,
    ids.map((id, i) => [id, i % 2 ? 'eighth' : undefined]),
  );
});

test('[A168] a draft is computed from the logs of the machines and can be submitted unchanged', async () => {
  await using rig = await openRig();
  rig.now = Date.parse('2026-11-19T12:00:00Z');
  const { location_id, machine } = await site(rig);
  const below = await rig.call('locations_create', { name: 'Bench 3', parent_id: location_id });
  const silent = await rig.call('equipment_create', { unit_number: 'A-1', location_id: below.id });
  await rig.call('equipment_create', { unit_number: 'elsewhere' });
  const live = async (time: string, from: string, to: string) => {
    rig.now = Date.parse(time);
    await rig.store.view(rig.project).commit([
      {
        collection: 'events',
        id: `evt_${rig.now}`,
        object: 'event',
        data: {
          type: 'live_status_changed',
          subject: { object: 'equipment', id: machine },
          occurred_at: time,
          data: { from, to },
        },
      },
    ]);
  };
  await live('2026-11-19T17:00:00.000Z', 'unknown', 'running');
  await live('2026-11-19T20:00:00.000Z', 'running', 'idle');
  await live('2026-11-19T21:00:00.000Z', 'idle', 'off');
  rig.now = Date.parse('2026-11-19T22:00:00Z');
  await rig.call('equipment_update', { id: machine, status: 'down' });
  rig.now = Date.parse('2026-11-19T23:30:00Z');
  await rig.call('equipment_update', { id: machine, status: 'in_use' });
  await live(at('00:30'), 'off', 'unknown');
  rig.now = Date.parse(at('02:00'));
  // Told later, of an earlier time.
  const downtime = (type: string, time: string) =>
    rig.call('equipment_append_event', { id: machine, type, occurred_at: at(time) });
  await downtime('downtime.started', '01:00');
  await downtime('downtime.ended', '01:30');
  rig.now = Date.parse('2026-11-21T08:00:00Z');
  await rig.call('equipment_update', { id: machine, status: 'available' });
  const draft = await rig.call('shift_reports_draft', { location_id, shift: 'night', date: '2026-11-19' });
  assert.deepEqual([draft.complete, draft.computed_until], [true, at('06:00')]);
  assert.deepEqual(draft.report.shift, SHIFT);
  assert.deepEqual(
    draft.time_classes.map(({ equipment_id, minutes }) => [equipment_id, minutes]),
    [
      [silent.id, { working: 0, idle: 0, off: 0, down: 0, standby: 0, unknown: 720 }],
      [machine, { working: 120, idle: 60, off: 60, down: 120, standby: 60, unknown: 300 }],
    ],
  );
  assert.deepEqual(
    draft.report.stopped.map(({ started_at, ended_at }) => [started_at, ended_at]),
    [
      ['2026-11-19T22:00:00', '2026-11-19T23:30:00'],
      ['2026-11-20T01:00:00', '2026-11-20T01:30:00'],
    ].map((pair) => pair.map((time) => `${time}.000Z`)),
  );
  assert.equal((await rig.call('shift_reports_list', {})).data.length, 0);
  const report = await rig.call('shift_reports_create', draft.report);
  assert.equal(report.time_usage.length, 2);
});

test('[A168] the draft of a running shift ends now; a future or unknown shift is refused', async () => {
  await using rig = await openRig();
  const { location_id } = await site(rig);
  const draft = (shift: string, date: string) => rig.call('shift_reports_draft', { location_id, shift, date });
  const running = await draft('day', '2026-11-21');
  assert.deepEqual([running.complete, running.computed_until], [false, '2026-11-21T14:00:00.000Z']);
  assert.equal(running.time_classes[0]?.minutes.unknown, 480);
  assert.equal(running.report.time_usage[0]?.minutes.unknown, 720);
  await assert.rejects(draft('night', '2026-11-21'), code('parameter_invalid'));
  await assert.rejects(draft('late', '2026-11-20'), (error: OperationError) => {
    assert.deepEqual(error.details, [{ allowed: ['day', 'night'] }]);
    return true;
  });
  const foreign = { project: rig.other };
  await assert.rejects(
    rig.call('shift_reports_draft', { location_id, shift: 'day', date: '2026-11-21' }, foreign),
    code('not_found'),
  );
});

test('[A168] a project of an earlier version has two shifts of twelve hours', async () => {
  await using rig = await openRig();
  const { location_id } = await site(rig);
  const project = await rig.store.node.get<{ shift_pattern?: unknown }>('records', rig.project);
  assert.ok(project);
  const { shift_pattern: _, ...data } = project.data;
  await rig.store.node.commit([{ collection: 'records', id: rig.project, object: 'project', data }]);
  const { report } = await rig.call('shift_reports_draft', { location_id, shift: 'night', date: '2026-11-19' });
  assert.deepEqual(report.shift, SHIFT);
});

test('[A168] a draft uses the shifts of the project in the time zone of the location', async () => {
  await using rig = await openRig();
  const { project } = await rig.call(
    'projects_create',
    { timezone: 'Europe/Berlin', shift_pattern: [{ name: 'all day', starts: '00:00', ends: '00:00' }] },
    { project: null },
  );
  const options = { project: project.id };
  const pit = await rig.call('locations_create', { name: 'Pit' }, options);
  const far = await rig.call('locations_create', { name: 'Far', timezone: 'Australia/Perth' }, options);
  const bench = await rig.call('locations_create', { name: 'Bench', parent_id: far.id }, options);
  const window = async (location_id: string, date: string) => {
    const { report } = await rig.call('shift_reports_draft', { location_id, shift: 'all day', date }, options);
    return [report.shift.starts_at, report.shift.ends_at, report.shift.timezone];
  };
  assert.deepEqual(await window(pit.id, '2026-10-25'), [
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
    'Europe/Berlin',
  ]);
  assert.deepEqual(await window(bench.id, '2026-10-25'), [
    '2026-10-24T16:00:00.000Z',
    '2026-10-25T16:00:00.000Z',
    'Australia/Perth',
  ]);
});
