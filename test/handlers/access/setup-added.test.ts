/** Objects that a person added to the plan of a setup: they have no words of the text. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startSetups } from '#gateway/runs/setup-kind.ts';
import { createSetupWriter } from '#handlers/setup/setup-writer.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';

const start = (rig: Rig): AsyncDisposable =>
  startSetups({
    store: rig.store,
    clock: rig.clock,
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    log: () => undefined,
    retryMs: 20,
    write: createSetupWriter(rig.ownWork),
    reader: createSiteReader(),
  });

async function ended(rig: Rig, task_id: string) {
  const read = () => rig.call('tasks_get', { task_id });
  await until(async () => (await read()).run?.terminal_event_count === 1, 'the setup ends');
  return (await read()).run;
}

test('[A984] an object that was added to a checked plan is made, and its evidence says that it came from the plan', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const prompt = 'Harrow Hill Quarry. Two pits, North Pit and East Pit. HT-01 to HT-03 are Cat 777G haul trucks.';
  const read = await rig.call('projects_setup_plan', { project_id: rig.project, prompt });
  const added = {
    equipment: [...read.equipment, { unit_number: 'DZ-1', kind: 'dozer' as const, location: 'Workshop' }],
    locations: [...read.locations, { name: 'Workshop', kind: 'workshop' as const }],
    operators: [{ name: 'Ana Ruiz', machine: 'DZ-1' }],
    mechanics: [{ name: 'Lena Moss' }],
    shifts: [{ name: 'day', starts: '07:00', ends: '15:00' }],
    boards: [{ place: 'Workshop', shows: ['tickets' as const] }],
    facts: [{ fact: 'The gate closes at 22:00.' }],
  };
  const { setup } = await rig.call('projects_setup_apply', { project_id: rig.project, plan: added });
  const run = await ended(rig, setup.task.id);
  assert.deepEqual([run?.status, run?.gaps], ['completed', []]);
  const status = await rig.call('projects_setup_status', { project_id: rig.project });
  const sourceOf = (id: string | undefined) => {
    const [one, ...more] = status.evidence.filter(({ created_ids }) => id !== undefined && created_ids.includes(id));
    assert.deepEqual(more, []);
    return [one?.source, one?.excerpt];
  };
  const { created } = status;
  assert.deepEqual(sourceOf(created.equipment.at(-1)), ['plan', null]);
  assert.deepEqual(sourceOf(created.equipment[0])[0], 'prompt');
  const places = (await rig.call('locations_list', {})).data;
  const shop = places.find(({ name }) => name === 'Workshop')?.id;
  assert.deepEqual(sourceOf(shop), ['plan', null]);
  for (const list of ['operators', 'mechanics', 'shifts', 'dashboards', 'learnings'] as const)
    assert.deepEqual(sourceOf(created[list].at(-1)), ['plan', null], list);
  assert.deepEqual(sourceOf(created.playlists[0]), ['default', null], 'each setup makes the playlist');
  const machines = (await rig.call('equipment_list', {})).data;
  const dozer = machines.find(({ unit_number }) => unit_number === 'DZ-1');
  assert.equal(dozer?.location_id, shop);
  const [operator] = (await rig.call('operators_list', {})).data;
  assert.equal(dozer?.operator_id, operator?.id);
  const [learning] = (await rig.call('learnings_list', {})).data;
  assert.deepEqual(learning?.evidence, [{ source: 'plan of the setup', excerpt: null }]);
});

test('[A984] the overview of a plan without screens came from no plan and no text', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const plan = { equipment: [{ unit_number: 'DZ-1', kind: 'dozer' as const }] };
  const { setup } = await rig.call('projects_setup_apply', { project_id: rig.project, plan });
  await ended(rig, setup.task.id);
  const { created, evidence } = await rig.call('projects_setup_status', { project_id: rig.project });
  const of = (id: string | undefined) => evidence.find(({ created_ids }) => created_ids.includes(id ?? ''))?.source;
  assert.deepEqual([of(created.equipment[0]), of(created.dashboards[0])], ['plan', 'default']);
});
