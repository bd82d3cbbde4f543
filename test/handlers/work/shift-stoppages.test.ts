import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_EVIDENCE } from '#contract/work/shift-draft.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const DAY = { shift: 'day', date: '2026-11-21' } as const;
const at = (time: string) => `2026-11-21T${time}:00.000Z`;

/** A machine in the day shift of 21 November (06:00 to 18:00 UTC), which somebody sets to down from 09:00 to 11:00. */
async function stopped(rig: Rig) {
  rig.now = Date.parse(at('05:00'));
  const location = await rig.call('locations_create', { name: 'Pit' });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-104', location_id: location.id });
  await rig.call('equipment_update', { id: machine.id, status: 'in_use' });
  const draft = () => rig.call('shift_reports_draft', { location_id: location.id, ...DAY });
  return { location_id: location.id, id: machine.id, draft };
}

async function commitAlert(rig: Rig, machine_id: string, id: string, raised_at: string, cleared_at: string | null) {
  rig.now = Date.parse(raised_at);
  await rig.store.view(rig.project).commit([
    {
      collection: 'live',
      id,
      object: 'alert',
      data: {
        machine_id,
        rule_name: `rule of ${id}`,
        severity: 'warning',
        signal_name: 'engine.coolant_temperature',
        condition: 'threshold',
        threshold: 105,
        raised_at,
        cleared_at,
        state: cleared_at ? 'cleared' : 'active',
      },
    },
  ]);
}

async function commitCode(rig: Rig, id: string, type: string, time: string, spn: number) {
  rig.now = Date.parse(at(time));
  await rig.store.view(rig.project).commit([
    {
      collection: 'events',
      id: `evt_${type}_${spn}_${rig.now}`,
      object: 'event',
      data: {
        type,
        subject: { object: 'equipment', id },
        occurred_at: at(time),
        actor: { type: 'device', id: 'dev_1', name: null },
        data: { spn, fmi: 1, device_id: 'dev_1', bus: 0, source_address: 0 },
      },
    },
  ]);
}

test('[A828] a stoppage of a draft carries who reported it, and the tickets, alerts and trouble codes that overlap it', async () => {
  await using rig = await openRig();
  const { id, draft } = await stopped(rig);
  await commitAlert(rig, id, 'alr_before', at('06:30'), at('08:00'));
  await commitAlert(rig, id, 'alr_during', at('08:55'), at('09:30'));
  await commitCode(rig, id, 'dtc.activated', '07:00', 100);
  await commitCode(rig, id, 'dtc.cleared', '07:30', 100);
  await commitCode(rig, id, 'dtc.activated', '08:50', 110);
  rig.now = Date.parse(at('09:00'));
  await rig.call('equipment_update', { id, status: 'down' }, as('mechanic', { name: 'Grace' }));
  const ticket = await rig.call('repair_tickets_create', { equipment_id: id, title: 'Coolant leak' });
  rig.now = Date.parse(at('11:00'));
  await rig.call('equipment_update', { id, status: 'in_use' });
  rig.now = Date.parse(at('11:30'));
  const later = await rig.call('repair_tickets_create', { equipment_id: id, title: 'Wiper' });
  await commitAlert(rig, id, 'alr_after', at('11:40'), null);
  rig.now = Date.parse(at('19:00'));
  const { stoppages, report } = await draft();
  assert.equal(stoppages.length, 1);
  const [stop] = stoppages;
  assert.ok(stop);
  assert.deepEqual(
    [stop.unit_number, stop.minutes, stop.category, stop.more],
    ['HT-104', 120, 'unscheduled_downtime', false],
  );
  assert.deepEqual(
    stop.reported.map(({ by, type }) => [by, type]),
    [['Grace', 'status_changed']],
  );
  assert.deepEqual(
    stop.tickets.map((one) => [one.id, one.number, one.title]),
    [[ticket.id, ticket.number, 'Coolant leak']],
  );
  assert.ok(!stop.tickets.some((one) => one.id === later.id));
  assert.deepEqual(
    stop.alerts.map((one) => one.id),
    ['alr_during'],
  );
  assert.deepEqual(
    stop.codes.map(({ spn, fmi, since, until }) => [spn, fmi, since, until]),
    [[110, 1, at('08:50'), null]],
  );
  const [submitted] = report.stopped;
  assert.deepEqual([submitted?.repair_ticket_id, submitted?.alert_ids], [ticket.id, ['alr_during']]);
  assert.match(submitted?.evidence.join('\n') ?? '', /reported by Grace[\s\S]*SPN 110 FMI 1/);
  await rig.call('shift_reports_create', report);
});

test('[A828] a stoppage lists at most ten items of each kind, and says that there are more', async () => {
  await using rig = await openRig();
  const { id, draft } = await stopped(rig);
  rig.now = Date.parse(at('09:00'));
  await rig.call('equipment_update', { id, status: 'down' });
  for (let i = 0; i < MOST_EVIDENCE + 1; i++) await commitAlert(rig, id, `alr_${i}`, at('09:10'), null);
  rig.now = Date.parse(at('12:00'));
  const [stop] = (await draft()).stoppages;
  assert.deepEqual([stop?.alerts.length, stop?.more], [MOST_EVIDENCE, true]);
});

test('[A829] a draft names what changed since the last look of the caller; other people and other shifts have their own looks', async () => {
  await using rig = await openRig();
  const { id, location_id, draft } = await stopped(rig);
  rig.now = Date.parse(at('10:00'));
  const look = (options = {}) => rig.call('shift_reports_look', { location_id, ...DAY }, options);
  assert.deepEqual((await draft()).changes, { since: null, of: null, items: [], more: false });
  await look();
  rig.now = Date.parse(at('10:30'));
  const seen = await draft();
  assert.deepEqual([seen.changes.of, seen.changes.items], ['look', []]);
  // Somebody reports an earlier downtime.
  for (const [type, time] of [
    ['downtime.started', '08:00'],
    ['downtime.ended', '08:45'],
  ] as const)
    await rig.call('equipment_append_event', { id, type, occurred_at: at(time) });
  const expected = [
    {
      equipment_id: id,
      unit_number: 'HT-104',
      from: at('08:00'),
      to: at('08:45'),
      was: 'unknown',
      now: 'down',
      cause: 'report',
      stored_by: null,
    },
  ];
  assert.deepEqual((await draft()).changes.items, expected);
  assert.equal((await look(as('supervisor'))).changes.since, null);
  await assert.rejects(look(as('viewer')), (error: { code?: string }) => error.code === 'permission_denied');
  const told = await look();
  assert.deepEqual(told.changes.items, expected);
  assert.deepEqual((await draft()).changes.items, []);
  // The record keeps the newest four shifts.
  for (const date of ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'])
    await rig.call('shift_reports_look', { location_id, shift: 'day', date });
  assert.equal((await draft()).changes.since, null);
});

test('[A829] a submitted report stays as it is; what history says now is shown beside it', async () => {
  await using rig = await openRig();
  const { id, location_id, draft } = await stopped(rig);
  rig.now = Date.parse(at('19:00'));
  const report = await rig.call('shift_reports_create', (await draft()).report);
  const compare = () => rig.call('shift_reports_changes', { id: report.id });
  const equal = await compare();
  assert.deepEqual([equal.changes.of, equal.changes.items, equal.machines], ['report', [], []]);
  rig.now = Date.parse(at('20:00'));
  for (const [type, time] of [
    ['downtime.started', '08:00'],
    ['downtime.ended', '09:00'],
  ] as const)
    await rig.call('equipment_append_event', { id, type, occurred_at: at(time) });
  const after = await compare();
  assert.deepEqual(
    after.changes.items.map(({ from, to, was, now }) => [from, to, was, now]),
    [[at('08:00'), at('09:00'), 'unknown', 'down']],
  );
  assert.deepEqual(
    after.machines.map(({ reported, now }) => [reported.unscheduled_downtime, now.unscheduled_downtime]),
    [[0, 60]],
  );
  assert.deepEqual(await rig.call('shift_reports_get', { id: report.id }), report);
  // A report of an earlier build has no record of its classes; its minutes are still compared.
  await rig.store
    .view(rig.project)
    .commit([{ collection: 'local', id: `shift_basis_${report.id}`, object: 'shift_basis', data: {}, deleted: true }]);
  const old = await compare();
  assert.deepEqual([old.changes.since, old.machines.length], [null, 1]);
  assert.ok(location_id);
});

test('[A873] the story of a machine has its states, and the alerts, repairs and codes of the time', async () => {
  await using rig = await openRig();
  const { id } = await stopped(rig);
  await commitAlert(rig, id, 'alr_before', at('04:30'), at('05:30'));
  await commitAlert(rig, id, 'alr_during', at('08:55'), at('09:30'));
  await commitCode(rig, id, 'dtc.activated', '08:50', 110);
  rig.now = Date.parse(at('09:00'));
  await rig.call('equipment_update', { id, status: 'down' });
  const ticket = await rig.call('repair_tickets_create', { equipment_id: id, title: 'Coolant leak' });
  rig.now = Date.parse(at('11:00'));
  await rig.call('equipment_update', { id, status: 'in_use' });
  rig.now = Date.parse(at('11:45'));
  const story = await rig.call('equipment_story', { id });
  assert.deepEqual([story.from, story.to, story.shift?.name], [at('06:00'), at('11:45'), 'day']);
  assert.deepEqual(story.states, [
    { from: at('06:00'), to: at('09:00'), state: 'unknown' },
    { from: at('09:00'), to: at('11:00'), state: 'down' },
    { from: at('11:00'), to: at('11:45'), state: 'unknown' },
  ]);
  assert.deepEqual(story.alerts, [
    {
      id: 'alr_during',
      text: 'rule of alr_during',
      severity: 'warning',
      signal: 'engine.coolant_temperature',
      limit: 105,
      since: at('08:55'),
      until: at('09:30'),
    },
  ]);
  assert.deepEqual(
    story.tickets.map(({ id: one, text, since, until }) => [one, text, since, until]),
    [[ticket.id, `${ticket.number} Coolant leak`, ticket.flagged_at, null]],
  );
  assert.deepEqual(
    story.codes.map(({ spn, fmi, since, until }) => [spn, fmi, since, until]),
    [[110, 1, at('08:50'), null]],
  );
  const early = await rig.call('equipment_story', { id, from: at('04:00'), to: at('05:15') });
  assert.deepEqual(
    early.alerts.map((one) => one.id),
    ['alr_before'],
  );
});

test('[A873] a story of more than 7 days, or one that ends before it begins, is refused', async () => {
  await using rig = await openRig();
  const { id } = await stopped(rig);
  rig.now = Date.parse(at('11:00'));
  for (const input of [
    { from: '2026-11-10T00:00:00.000Z' },
    { from: at('10:00'), to: at('09:00') },
    { from: at('12:00') },
  ])
    await assert.rejects(
      rig.call('equipment_story', { id, ...input }),
      (error: { code?: string }) => error.code === 'parameter_invalid',
    );
});
