/** The machines in trouble of all sites of head office: the first list after a start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createShiftTallies } from '#handlers/work/shift-tallies.ts';
import { createFleetTrouble } from '#screens/fleet-trouble.ts';
import { openFleetIndex } from '#sync/fleet/fleet-index.ts';
import { openRig } from '#test/support/handler-rig.ts';

const SITES = 40;
const NO_LIVE = { equipment: () => undefined, device: () => undefined, watch: () => () => undefined };

test('[Y251] the shifts of sites are read 16 at a time and once', async () => {
  await using rig = await openRig();
  for (let i = 0; i < SITES; i++) {
    const { project } = await rig.call('projects_create', { name: `Site ${i}` });
    const to = { project: project.id };
    const { id } = (await rig.call('equipment_create', { unit_number: `HT-${i}` }, to)) as { id: string };
    await rig.call('repair_tickets_create', { equipment_id: id, title: 'Brake fades', safety_critical: true }, to);
  }
  using fleet = await openFleetIndex(rig.store, () => null);
  let reads = 0;
  let now = 0;
  let most = 0;
  const node: Pick<typeof rig.store.node, 'get'> = {
    async get(collection, id) {
      reads++;
      most = Math.max(most, ++now);
      const found = await rig.store.node.get<never>(collection, id);
      now--;
      return found;
    },
  };
  const { store } = rig;
  const read = async () => ({ samples: [], states: [] });
  using shifts = createShiftTallies({
    store: { node, view: (id) => store.view(id), changes: (listener) => store.changes(listener) },
    ...{ live: NO_LIVE as never, runStates: { read } as never, clock: () => rig.now },
  });
  const trouble = createFleetTrouble({ fleet, live: NO_LIVE as never, shifts, clock: () => rig.now });
  assert.equal((await trouble(fleet.projects())).length, SITES);
  assert.deepEqual([reads, most], [SITES, 16]);
  rig.now += 60_000;
  assert.equal((await trouble(fleet.projects())).length, SITES);
  assert.equal(reads, SITES, 'the shifts are still known after the scores are too old');
});
