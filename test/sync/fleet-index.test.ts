/** What head office has in memory for its lists over all sites, and its bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Output } from '#contract/operations.ts';
import { openFleetIndex } from '#sync/fleet/fleet-index.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const BOUNDS = { ofProject: 3, all: 5, againMs: 0 };

const machineOf = async ({ call }: Rig, project: string, unit_number: string): Promise<string> =>
  ((await call('equipment_create', { unit_number }, { project })) as { id: string }).id;

const ticketOf = async ({ call }: Rig, project: string, equipment_id: string): Promise<string> =>
  ((await call('repair_tickets_create', { equipment_id, title: 'Mirror' }, { project })) as { id: string }).id;

/** The ids of the newest tickets of a project. Two may be made in one millisecond. */
async function newestOf({ call }: Rig, project: string, count: number): Promise<string[]> {
  const { data } = (await call('repair_tickets_list', { limit: 10 }, { project })) as Output<'repair_tickets_list'>;
  const order = data.map(({ flagged_at, id }) => [`${flagged_at} ${id}`, id] as const).sort();
  return order.slice(-count).map(([, id]) => id);
}

test('[Y151] head office keeps a bounded number of open tickets in memory, says so, and counts them all the same', async () => {
  await using rig = await openRig();
  const { project, other } = rig;
  const [one, two] = [await machineOf(rig, project, 'HT-1'), await machineOf(rig, other, 'HT-2')];
  const tickets = [];
  for (let n = 0; n < 4; n++) tickets.push(await ticketOf(rig, project, one));
  using filled = await openFleetIndex(rig.store, () => null, BOUNDS);
  using followed = await openFleetIndex(rig.store, () => null, BOUNDS);
  for (let n = 0; n < 3; n++) await ticketOf(rig, other, two);
  for (const index of [filled, followed]) {
    assert.deepEqual([index.isCut(project), index.isCut(other)], [true, true]);
    // The first project has the newest three of its four tickets in memory, and for the second one there are two places of three.
    const kept = [...(await index.open(project)).tickets].map(({ id }) => id);
    assert.deepEqual(kept.sort(), (await newestOf(rig, project, 3)).sort());
    assert.deepEqual(await index.openTickets(project, [one]), new Map([[one, 4]]));
    assert.deepEqual(await index.openTickets(other, [two]), new Map([[two, 3]]));
  }
  // Two tickets less: both projects fit again when they are read the next time.
  for (const id of tickets.slice(0, 2))
    await rig.call('repair_tickets_update', { id, status: 'canceled' }, { project });
  for (const index of [filled, followed]) {
    assert.equal([...(await index.open(project)).tickets].length, 2);
    assert.equal([...(await index.open(other)).tickets].length, 3);
    assert.deepEqual([index.isCut(project), index.isCut(other)], [false, false]);
    assert.deepEqual(await index.openTickets(project, [one]), new Map([[one, 2]]));
  }
});

test('[Y151] a new ticket takes the place of the oldest one in memory, before anything is read again', async () => {
  await using rig = await openRig();
  const { project } = rig;
  const machine = await machineOf(rig, project, 'HT-1');
  using index = await openFleetIndex(rig.store, () => null, { ...BOUNDS, againMs: Number.POSITIVE_INFINITY });
  for (let n = 0; n < 5; n++) await ticketOf(rig, project, machine);
  const kept = [...(await index.open(project)).tickets].map(({ id }) => id);
  assert.deepEqual([kept.sort(), index.isCut(project)], [(await newestOf(rig, project, 3)).sort(), true]);
});
