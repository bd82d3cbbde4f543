import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { operations } from '#contract/operations.ts';
import { as, eventTypes, openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string, param?: string) => (error: OperationError) =>
  error.code === wanted && (param === undefined || error.param === param);

/** A caller without any key and without a project. */
const ANYBODY = { ...as(null, { kind: 'open', id: null, name: 'anonymous' }), project: null } as const;

async function machineWithCode(rig: Rig, unit_number = 'HT-104') {
  const machine = await rig.call('equipment_create', { unit_number, name: 'Truck four', kind: 'haul_truck' });
  const act = (action: 'read-or-create' | 'rotate' | 'revoke' = 'read-or-create') =>
    rig.call('fault_links', { equipment_id: machine.id, action }, as('supervisor'));
  const link = await act();
  const tokenOf = (url: string | null) => /\/report\/(flt_[\w-]{43})$/.exec(url ?? '')?.[1] ?? '';
  return { machine, act, link, tokenOf, token: tokenOf(link.url) };
}

const report = (rig: Rig, token: string, more: object = {}) =>
  rig.call(
    'fault_reports_create',
    { token, problem: 'leak', text: 'Oil below the hoist', reporter: 'Ana', ...more },
    ANYBODY,
  );

test('[A530] the code of a machine is made once, shown again, rotated and revoked by supervisors and admins only', async () => {
  await using rig = await openRig();
  const { machine, act, link, tokenOf, token } = await machineWithCode(rig);
  assert.ok(token.length === 47 && link.qr?.startsWith('<svg'));
  assert.equal((await act()).url, link.url);
  const stored = await rig.store.node.get<{ token: string; token_hash: string }>('local', link.id);
  assert.equal(stored?.data.token_hash, sha256(token));
  assert.ok(!JSON.stringify(stored).includes(token));
  const rotated = await act('rotate');
  assert.notEqual(rotated.url, link.url);
  await assert.rejects(report(rig, token), code('not_found', 'token'));
  await report(rig, tokenOf(rotated.url));
  const revoked = await act('revoke');
  assert.deepEqual([revoked.status, revoked.url, revoked.qr], ['revoked', null, null]);
  await assert.rejects(report(rig, tokenOf(rotated.url)), code('not_found', 'token'));
  for (const role of ['operator', 'mechanic', 'viewer', 'agent'] as const)
    await assert.rejects(rig.call('fault_links', { equipment_id: machine.id }, as(role)), code('permission_denied'));
  await assert.rejects(
    rig.call('fault_links', { equipment_id: machine.id }, { ...as('supervisor'), project: rig.other }),
    code('not_found'),
  );
  assert.deepEqual(await eventTypes(rig, 'equipment_events', machine.id), ['created', 'updated', 'updated', 'updated']);
});

test('[A531] a token reads only unit number, name and choices, and can only report faults of its machine', async () => {
  await using rig = await openRig();
  const { machine, token } = await machineWithCode(rig);
  const page = await rig.call('fault_reports_page', { token }, ANYBODY);
  assert.deepEqual(Object.keys(page).sort(), ['language', 'name', 'object', 'pass', 'problems', 'site', 'unit_number']);
  assert.deepEqual([page.unit_number, page.name, page.problems.length], ['HT-104', 'Truck four', 10]);
  const { unit_number, ticket_number, joined } = await report(rig, token);
  assert.deepEqual([unit_number, joined], ['HT-104', false]);
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  assert.ok(ticket !== undefined);
  assert.deepEqual(
    [ticket.number, ticket.equipment_id, ticket.status, ticket.source.kind, ticket.reported_by, ticket.safety_critical],
    [ticket_number, machine.id, 'flagged', 'qr', 'Ana', false],
  );
  const log = await rig.call('repair_tickets_events', { id: ticket.id });
  assert.deepEqual(log.data[0]?.actor, { type: 'open', id: null, name: 'Ana' });
  // Every write without an account needs a token, a code or a passphrase in its input.
  const open = Object.entries(operations).filter(([, row]) => row.scope === 'none' && row.method === 'POST');
  assert.deepEqual(open.map(([name]) => name).sort(), [
    'account_claim',
    'claim',
    'display_pairings_create',
    'display_pairings_poll',
    'display_report',
    'fault_checks_create',
    'fault_photos_create',
    'fault_reports_create',
    'invitation_accept',
    'invitation_get',
    'local_sign_in',
    'session_create',
    'sync_enrol',
    'tablet_enrol',
  ]);
  for (const bad of [`flt_${'x'.repeat(43)}`, `dsp_${'x'.repeat(43)}`, 'x'.repeat(30)])
    await assert.rejects(report(rig, bad), code('not_found', 'token'));
  await rig.call('equipment_update', { id: machine.id, status: 'decommissioned' });
  await assert.rejects(report(rig, token), code('not_found', 'token'));
});

test('[A532] a repeated report joins the open ticket, another problem or another machine makes its own', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  const other = await machineWithCode(rig, 'HT-105');
  const first = await report(rig, token);
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  const again = await report(rig, token, { text: 'It is worse', reporter: 'Ben' });
  assert.deepEqual([again.ticket_number, again.joined], [first.ticket_number, true]);
  const log = await rig.call('repair_tickets_events', { id: ticket?.id ?? '', type: 'report.joined' });
  assert.deepEqual(log.data[0]?.data, { reported_by: 'Ben', problem: 'leak', text: 'It is worse' });
  assert.equal((await report(rig, token, { problem: 'engine' })).joined, false);
  assert.equal((await report(rig, other.token)).joined, false);
  const missing = report(rig, token, { problem: 'other', text: ' ' });
  await assert.rejects(missing, code('parameter_missing', 'text'));
  await report(rig, token, { problem: 'other', text: 'Radio is dead' });
  assert.equal((await report(rig, token, { problem: 'other', text: 'radio  is DEAD' })).joined, true);
  for (let i = 1; i < 10; i++)
    assert.equal((await report(rig, token, { problem: 'other', text: `No ${i}` })).joined, false);
  assert.equal((await report(rig, token, { problem: 'other', text: 'one more' })).joined, true);
});

test('[A532] a report that the machine has stopped makes a critical ticket, or makes the ticket that it joins critical', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  const ticketOf = async () => (await rig.call('repair_tickets_list', {})).data[0];
  const first = await report(rig, token);
  assert.equal((await ticketOf())?.priority, 'medium');
  const again = await report(rig, token, { stopped: true, reporter: 'Ben' });
  assert.deepEqual([again.ticket_number, again.joined], [first.ticket_number, true]);
  const ticket = await ticketOf();
  assert.equal(ticket?.priority, 'critical');
  const log = await rig.call('repair_tickets_events', { id: ticket?.id ?? '', type: 'report.joined' });
  assert.deepEqual(log.data[0]?.data, {
    ...{ reported_by: 'Ben', problem: 'leak', text: 'Oil below the hoist', stopped: true },
    ...{ priority: 'critical', priority_before: 'medium' },
  });
  assert.equal(ticket?.stopped_at, log.data[0]?.occurred_at);
  await report(rig, token);
  assert.equal((await ticketOf())?.priority, 'critical', 'a later report without it does not lower the priority');
  const other = await machineWithCode(rig, 'HT-105');
  await report(rig, other.token, { problem: 'engine', stopped: true });
  const made = await ticketOf();
  assert.deepEqual([made?.title, made?.priority], ['Engine', 'critical']);
  assert.match(made?.description ?? '', /The machine cannot work\./);
  assert.equal(made?.stopped_at, made?.flagged_at);
  const [flagged] = (await rig.call('repair_tickets_events', { id: made?.id ?? '' })).data;
  assert.equal(flagged?.data.stopped, true);
});

const MINUTE_MS = 60_000;

test('[A948] a report that is older than a change of the priority by a person does not take the change back', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  const { pass } = await rig.call('fault_reports_page', { token }, ANYBODY);
  await report(rig, token, { stopped: true });
  const ticketOf = async () => (await rig.call('repair_tickets_list', {})).data[0];
  const { id = '' } = (await ticketOf()) ?? {};
  rig.now += 10 * MINUTE_MS;
  await rig.call('repair_tickets_update', { id, priority: 'low' }, as('mechanic'));
  // Further changes of other fields do not count.
  rig.now += 10 * MINUTE_MS;
  await rig.call('repair_tickets_update', { id, title: 'Leak at the hoist' }, as('mechanic'));
  const late = (n: number, written_ago_ms: number | null) =>
    report(rig, token, { stopped: true, pass, report_id: `kept-${n}-${'x'.repeat(8)}`, written_ago_ms });
  const joined = async () => (await rig.call('repair_tickets_events', { id, type: 'report.joined' })).data[0];
  const newest = async () => (await joined())?.data ?? {};
  await late(1, 15 * MINUTE_MS);
  assert.equal((await ticketOf())?.priority, 'low');
  assert.deepEqual([(await newest()).priority, (await newest()).priority_kept], [undefined, 'low']);
  // The gateway does not know when this one was written. It may be older than the change.
  rig.now += 1;
  await late(2, null);
  assert.equal((await ticketOf())?.priority, 'low');
  rig.now += 1;
  await late(3, 5 * MINUTE_MS);
  const ticket = await ticketOf();
  assert.equal(ticket?.priority, 'critical', 'it was written after the change');
  assert.equal(ticket?.stopped_at, (await joined())?.occurred_at);
  // A person gave the priority of the report: both say the same.
  await report(rig, token, { problem: 'cab' });
  const cab = (await ticketOf())?.id ?? '';
  await rig.call('repair_tickets_update', { id: cab, priority: 'critical' }, as('mechanic'));
  const before = { stopped: true, pass, report_id: `kept-9-${'x'.repeat(8)}`, written_ago_ms: 5 * MINUTE_MS };
  await report(rig, token, { ...before, problem: 'cab' });
  assert.notEqual((await ticketOf())?.stopped_at, undefined);
  const { priority, priority_before, priority_kept } = await newest();
  assert.deepEqual([priority, priority_before, priority_kept], ['critical', 'low', undefined]);
});

test('[A948] with more changes than the gateway reads, a report counts if it is newer than the oldest of them', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  const { pass } = await rig.call('fault_reports_page', { token }, ANYBODY);
  await report(rig, token);
  const [{ id } = { id: '' }] = (await rig.call('repair_tickets_list', {})).data;
  await rig.call('repair_tickets_update', { id, priority: 'low' }, as('mechanic'));
  rig.now += 10 * MINUTE_MS;
  for (let i = 0; i < 200; i++) await rig.call('repair_tickets_update', { id, title: `Leak ${i}` }, as('mechanic'));
  rig.now += 10 * MINUTE_MS;
  const late = async (n: number, written_ago_ms: number) => {
    await report(rig, token, { stopped: true, pass, report_id: `kept-${n}-${'x'.repeat(8)}`, written_ago_ms });
    return (await rig.call('repair_tickets_get', { id })).priority;
  };
  assert.equal(await late(1, 15 * MINUTE_MS), 'low');
  assert.equal(await late(2, 5 * MINUTE_MS), 'critical');
});

test('[A949] a report that the machine cannot work never joins the ticket of another fault', async () => {
  await using rig = await openRig();
  const { token, machine } = await machineWithCode(rig);
  const other = (text: string, stopped = false) => {
    rig.now += 3 * MINUTE_MS;
    return report(rig, token, { problem: 'other', text, stopped });
  };
  const all = async () => (await rig.call('repair_tickets_list', { equipment_id: machine.id, limit: 100 })).data;
  for (let i = 0; i < 10; i++) assert.equal((await other(`Small ${i}`)).joined, false);
  assert.equal((await other('Small again')).joined, true, 'the bound of other faults');
  for (let i = 0; i < 10; i++) assert.equal((await other(`Grave ${i}`, true)).joined, false);
  const first = (await all()).find(({ title }) => title === 'Grave 9');
  const joined = await other('Grave again', true);
  assert.deepEqual([joined.ticket_number, joined.joined], [first?.number, true]);
  const priorities = async () => (await all()).map(({ title, priority }) => `${title.slice(0, 5)} ${priority}`).sort();
  const expected = [...Array(10).fill('Grave critical'), ...Array(10).fill('Small medium')];
  assert.deepEqual(await priorities(), expected);
  // A report with the words of an open ticket joins it, also at the bound.
  const third = (await all()).find(({ title }) => title === 'Small 3');
  assert.equal((await other('small  3', true)).ticket_number, third?.number);
  assert.equal((await rig.call('repair_tickets_get', { id: third?.id ?? '' })).priority, 'critical');
});

test('[Y250] a report does not join a ticket whose status only a newer version knows, because its work may be done', async () => {
  await using rig = await openRig();
  const { token, machine } = await machineWithCode(rig);
  const first = await report(rig, token);
  const view = rig.store.view(rig.project);
  const [ticket] = await view.find<{ status: string }>('records', { object: 'repair_ticket', limit: 2 });
  assert.ok(ticket);
  const { id, object, data } = ticket;
  await view.commit([{ collection: 'records', id, object, data: { ...data, status: 'waiting' } }]);
  const second = await report(rig, token);
  assert.equal(second.joined, false);
  assert.notEqual(second.ticket_number, first.ticket_number);
  const third = await report(rig, token);
  assert.deepEqual([third.ticket_number, third.joined], [second.ticket_number, true]);
  const listed = async (status: 'unknown' | 'flagged') =>
    (await rig.call('repair_tickets_list', { status, equipment_id: machine.id })).data.map(({ number }) => number);
  assert.deepEqual([await listed('unknown'), await listed('flagged')], [[first.ticket_number], [second.ticket_number]]);
});

test('[A532] a repeated report with the same id gets the first answer and is stored once', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  const report_id = 'a'.repeat(32);
  const first = await report(rig, token, { report_id });
  assert.deepEqual(await report(rig, token, { report_id }), first);
  assert.deepEqual(await Promise.all([report(rig, token, { report_id }), report(rig, token, { report_id })]), [
    first,
    first,
  ]);
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  assert.deepEqual(await eventTypes(rig, 'repair_tickets_events', ticket?.id ?? ''), ['flagged']);
});

test('[A533] a code accepts 30 reports an hour, also after the clock was set back, and several reports at once are all kept', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  await Promise.all(Array.from({ length: 5 }, (_, i) => report(rig, token, { reporter: `P${i}` })));
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  assert.equal(
    (await rig.call('repair_tickets_events', { id: ticket?.id ?? '', type: 'report.joined' })).data.length,
    4,
  );
  for (let i = 5; i < 30; i++) await report(rig, token);
  await assert.rejects(report(rig, token), code('rate_limited'));
  rig.now += 3_600_000;
  await report(rig, token);
  rig.now -= 86_400_000;
  await report(rig, token);
});

test('[H104] a code keeps the answers of its newest 500 kept reports, and takes further reports', async () => {
  await using rig = await openRig();
  const { token } = await machineWithCode(rig);
  const { pass } = await rig.call('fault_reports_page', { token }, ANYBODY);
  const idOf = (i: number) => `report-${i}`;
  const most = LIMITS.fault_receipts_per_link.value;
  for (let i = 0; i < most + 2; i++) {
    if (i % 30 === 0) rig.now += 3_600_001;
    await report(rig, token, { report_id: idOf(i), pass });
  }
  rig.now += 3_600_001;
  const kept = await rig.store.node.find('local', { object: 'fault_receipt', limit: 1_000 });
  assert.equal(kept.length, most);
  assert.ok(kept.every(({ data }) => JSON.stringify(data).length <= 500));
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  const joins = async () => {
    const all: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const input = { id: ticket?.id ?? '', type: 'report.joined', limit: 200, ...(cursor && { cursor }) };
      const page = await rig.call('repair_tickets_events', input);
      all.push(...page.data);
      if (page.next_cursor === null) return all.length;
      cursor = page.next_cursor;
    }
  };
  assert.equal(await joins(), most + 1);
  await report(rig, token, { report_id: idOf(2), pass });
  await report(rig, token, { report_id: idOf(most + 1), pass });
  assert.equal(await joins(), most + 1, 'these are kept');
  await report(rig, token, { report_id: idOf(1), pass });
  assert.equal(await joins(), most + 2, 'the oldest made room, so its repeat joins the ticket');
});
