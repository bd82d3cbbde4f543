/** Who is on the trouble of a machine, and how the API tells how urgent it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, eventTypes, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const ANA = { ...as('mechanic'), caller: { ...as('mechanic').caller, id: 'usr_ana', name: 'Ana Ruiz' } };
const BEN = { ...as('operator'), caller: { ...as('operator').caller, id: 'usr_ben', name: 'Ben Kato' } };

async function broken() {
  const rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await rig.call('repair_tickets_create', { equipment_id: id, title: 'Brake leaks', safety_critical: true });
  const attention = async () => (await rig.call('equipment_get', { id, include: 'attention' })).attention;
  return { rig, id, attention };
}

test('[A870] a person takes a machine, hands it over and gives it back; the log has it', async () => {
  const { rig, id, attention } = await broken();
  await using _ = rig;
  assert.equal((await rig.call('equipment_get', { id })).taken, null);
  assert.equal((await attention())?.reasons[0]?.owner, null);
  const taken = await rig.call('equipment_take', { id, note: 'On my way' }, ANA);
  assert.equal(taken.taken?.by, 'Ana Ruiz');
  assert.equal((await attention())?.reasons[0]?.owner, 'Ana Ruiz');
  assert.equal((await attention())?.parts.owner, -8);
  await rig.call('equipment_take', { id }, BEN);
  assert.equal((await attention())?.reasons[0]?.owner, 'Ben Kato');
  await assert.rejects(rig.call('equipment_release', { id }, ANA), code('permission_denied'));
  assert.equal((await rig.call('equipment_release', { id }, BEN)).taken, null);
  assert.equal((await attention())?.reasons[0]?.owner, null);
  await rig.call('equipment_release', { id }, BEN);
  assert.deepEqual(await eventTypes(rig, 'equipment_events', id), ['created', 'taken', 'taken', 'released']);
  const { data } = await rig.call('equipment_events', { id, type: 'taken' });
  assert.deepEqual(
    data.map((event) => event.data).toSorted((a, b) => String(a.by).localeCompare(String(b.by))),
    [
      { by: 'Ana Ruiz', note: 'On my way' },
      { by: 'Ben Kato', from: 'Ana Ruiz' },
    ],
  );
});

test('[A870] the person who took a machine and fixes its last open ticket is no longer on it', async () => {
  const { rig, id } = await broken();
  await using _ = rig;
  const [first] = (await rig.call('repair_tickets_list', { equipment_id: id })).data;
  const second = await rig.call('repair_tickets_create', { equipment_id: id, title: 'Lamp broken' });
  const taken = async () => (await rig.call('equipment_get', { id })).taken?.by ?? null;
  const step = (ticket: string, status: 'in_progress' | 'fixed', who: typeof ANA) =>
    rig.call('repair_tickets_update', { id: ticket, status }, who);
  const MECHANIC = { ...BEN, caller: { ...ANA.caller, id: 'usr_ben', name: 'Ben Kato' } };
  await rig.call('equipment_take', { id }, ANA);
  await step(second.id, 'in_progress', MECHANIC);
  await step(second.id, 'fixed', MECHANIC);
  assert.equal(await taken(), 'Ana Ruiz', 'another person fixed a ticket');
  const third = await rig.call('repair_tickets_create', { equipment_id: id, title: 'Mirror broken' });
  await step(third.id, 'in_progress', ANA);
  await step(third.id, 'fixed', ANA);
  assert.equal(await taken(), 'Ana Ruiz', 'a ticket is still open');
  await step(first?.id ?? '', 'in_progress', ANA);
  await step(first?.id ?? '', 'fixed', ANA);
  assert.equal(await taken(), null);
  const { data } = await rig.call('equipment_events', { id, type: 'released' });
  assert.deepEqual(data[0]?.data, { from: 'Ana Ruiz', ticket_id: first?.id });
});

test('[A870] a supervisor ends what somebody else has taken; a viewer and an agent take nothing', async () => {
  const { rig, id } = await broken();
  await using _ = rig;
  await rig.call('equipment_take', { id }, ANA);
  for (const role of ['viewer', 'agent'] as const)
    await assert.rejects(rig.call('equipment_take', { id }, as(role)), code('permission_denied'));
  assert.equal((await rig.call('equipment_release', { id }, as('supervisor'))).taken, null);
});

test('[A871] include=attention gives the score with its parts, the place and the reasons', async () => {
  const { rig, id, attention } = await broken();
  await using _ = rig;
  const found = await attention();
  assert.deepEqual([found?.grade, found?.place, found?.in_trouble, found?.score], ['act', 1, 1, 70]);
  assert.deepEqual(found?.parts, { base: 70, worse: 0, danger: 0, owner: 0, age: 0, extra: 0 });
  assert.deepEqual(found?.reasons[0]?.says, { code: 'report', params: { title: 'Brake leaks' } });
  const calm = await rig.call('equipment_create', { unit_number: 'HT-15' });
  const { data } = await rig.call('equipment_list', { include: 'attention', order: 'asc' });
  assert.deepEqual(
    data.map((machine) => [machine.unit_number, machine.attention?.score, machine.attention?.place]),
    [
      ['HT-14', 70, 1],
      ['HT-15', 0, null],
    ],
  );
  assert.equal((await rig.call('equipment_get', { id: calm.id })).attention, undefined);
  await rig.call('equipment_update', { id: calm.id, status: 'down' });
  const down = await rig.call('equipment_get', { id: calm.id, include: 'attention' });
  assert.deepEqual([down.attention?.place, down.attention?.in_trouble], [2, 2]);
  assert.equal(down.attention?.reasons[0]?.since, down.status_since);
  assert.equal((await rig.call('equipment_get', { id })).attention, undefined);
});

test('[A872] boards and the API show one ranking, which follows a change at once', async () => {
  const { rig, id, attention } = await broken();
  await using _ = rig;
  await rig.attention.open(rig.project);
  assert.deepEqual(rig.attention.standing(rig.project, id).attention?.place, (await attention())?.place);
  const ranked = new Promise<string>((resolve) => {
    const stop = rig.attention.onRanked((project_id) => {
      if (rig.attention.standing(rig.project, id).reasons.length < 2) return;
      stop();
      resolve(project_id);
    });
  });
  await rig.call('repair_tickets_create', { equipment_id: id, title: 'Tyre', priority: 'critical' });
  assert.equal(await ranked, rig.project);
  assert.equal((await attention())?.parts.extra, 2);
  // A project whose ranking is not open shows nothing.
  assert.deepEqual(rig.attention.standing(rig.other, id), { reasons: [] });
});
