/** A simulated world without faults, in which a test writes one case by hand. */
import { markBackup, noteBackup } from '#domain/sync/backups.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import { Random } from '#test/sim/random.ts';
import type { End } from './end.ts';
import { type MakeTwin, World } from './world.ts';

export interface Calm {
  readonly world: World;
  readonly site: End;
  readonly other: End;
  readonly cloud: End;
}

/** A world without faults; the same seed for all tests. */
export function calm(make?: MakeTwin, quarantine = SYNC_RULES.quarantine): Calm {
  const world = new World(new Random(7), { rules: { quarantine } }, make);
  world.faults = 0;
  for (const end of world.ends) end.newer = false;
  const [site, other] = world.sites as [End, End];
  return { world, site, other, cloud: world.cloud };
}

export const machine = (id: string, data: object = {}): LocalWrite => ({
  collection: 'records',
  id,
  object: 'equipment',
  data: { name: id, unit_number: id, aliases: [], status: 'available', labels: {}, ...data },
});
export const note = (id: string, subject: string): LocalWrite => ({
  collection: 'events',
  id,
  object: 'event',
  data: { type: 'note', subject: { object: 'equipment', id: subject }, data: {} },
});

export const commit = (world: World, end: End, ...writes: LocalWrite[]): void => world.commit(end, writes, true);

export const name = (end: End, id: string): unknown =>
  end.twin.docs.get(`records/${id}`)?.registers.get('name')?.at(-1)?.v;
export const talk = (world: World, ...sites: End[]): void => {
  for (const site of sites) world.contact(site, 1_000);
};

/** The cloud makes backups of what the site A has sent until now. With two, no older one is left. */
export function backUp({ twin }: End, count = 2): void {
  for (let i = 0; i < count; i++) twin.run((tx) => noteBackup(tx, 'gw_A', markBackup(tx, 'gw_A')));
}
