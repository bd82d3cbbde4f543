/** What becomes of deleted records at a site and at head office, on real stores. */
import assert from 'node:assert/strict';
import type { Write } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';
import { createGraveSweep } from '#sweeps/grave-sweep.ts';
import { type Ends, PROJECT, talk, unsoundOf, verdictOf } from '#test/store/sync-kit.ts';

const DAY_MS = 86_400_000;
/** More than one step of the sweep reads. */
const BOARDS = 130;

const board = (id: string, name: string): Write => ({
  collection: 'records',
  id,
  object: 'dashboard',
  data: { name, widgets: [], theme: 'tv-dark' },
});

/** The state of a record, and the values of its name, also of a deleted one. */
const namesOf = (store: Store, id: string) =>
  store.sync.run(PROJECT, (tx) => {
    const doc = tx.get(`records/${id}`);
    return { dead: doc?.dead, grave: doc?.grave, names: (doc?.registers.get('name') ?? []).map(({ v }) => v) };
  });

/** Asserts that both ends keep the fields of deleted records for 400 days, and that an old copy does not bring one back afterwards. */
export async function checkGraves({ site, cloud, options }: Ends<Store>): Promise<void> {
  const here = site.view(PROJECT);
  await here.commit(Array.from({ length: BOARDS }, (_, i) => board(`dash_${i}`, `Board ${i}`)));
  await talk(site, cloud);
  // Two people give one board two names; the site deletes it when it has seen both.
  await here.commit([board('dash_0', 'of the site')]);
  await cloud.view(PROJECT).commit([board('dash_0', 'of head office')]);
  await talk(site, cloud);
  await here.commit(
    Array.from({ length: BOARDS }, (_, i): Write => ({ ...board(`dash_${i}`, ''), data: {}, deleted: true })),
  );
  await talk(site, cloud);
  const kept = { dead: true, grave: false, names: ['of the site', 'of head office'] };
  for (const store of [site, cloud]) {
    const { names, ...state } = await namesOf(store, 'dash_0');
    assert.deepEqual({ ...state, names: names.toSorted() }, { ...kept, names: kept.names.toSorted() });
  }
  const dig = async (store: Store, clock: () => number, agesKnown = true) => {
    const sweep = createGraveSweep({ store, clock, agesKnown: () => agesKnown });
    return [await sweep(), await sweep()];
  };
  const ends = [
    [site, options.site],
    [cloud, options.cloud],
  ] as const;
  for (const [, each] of ends) each.time += 399 * DAY_MS;
  for (const [store, { clock }] of ends) assert.deepEqual(await dig(store, clock), [0, 0]);
  for (const [, each] of ends) each.time += 2 * DAY_MS;
  assert.deepEqual(await dig(cloud, options.cloud.clock, false), [0, 0], 'the age of a deletion is not known');
  assert.deepEqual(await dig(cloud, options.cloud.clock), [BOARDS, 0]);
  assert.deepEqual(await namesOf(cloud, 'dash_0'), { dead: true, grave: true, names: [] });
  // The site has still all fields, and both ends are equal.
  await talk(site, cloud);
  assert.equal(await verdictOf(site, cloud), 'complete');
  assert.equal((await namesOf(site, 'dash_0')).names.length, 2);
  assert.deepEqual(await dig(site, options.site.clock), [BOARDS, 0]);
  assert.equal(await verdictOf(site, cloud), 'complete');
  for (const store of [site, cloud]) assert.deepEqual(await unsoundOf(store), []);
}
