/** Two real stores, a site and head office, that exchange messages of the replication without a network. */
import assert from 'node:assert/strict';
import type { Write } from '#contract/base/view.ts';
import { broughtBy, handleRequest, needAnswer } from '#domain/sync/cloud.ts';
import { CustodyCheck } from '#domain/sync/custody.ts';
import { itemsOf, machineryScope } from '#domain/sync/digest-items.ts';
import { balanceOf } from '#domain/sync/ledger.ts';
import { SiteLink } from '#domain/sync/site.ts';
import { NOTHING, one, plus } from '#domain/sync/sums.ts';
import { type FileStore, openStore, type Store, type StoreOptions } from '#store/open-store.ts';
import { settings, temporaryFolder } from './kit.ts';

export const PROJECT = 'project_1';

/** Counts all documents that the replication does not know yet. */
export async function countAll(store: Store, project = PROJECT): Promise<void> {
  while (await store.sync.count(project)) {
    // Each call is one short transaction.
  }
}

/** A contact of a site with head office, until nothing is left to do. */
export async function talk(site: Store, cloud: Store, project = PROJECT): Promise<void> {
  await countAll(site, project);
  await countAll(cloud, project);
  const link = new SiteLink({ page: 20, bytes: 64_000, give: 20, flight: 1, urgent: { page: 5, bytes: 4_000 } });
  for (;;) {
    const request = await site.sync.run(project, (tx, env) => link.next(tx, env));
    if (request === undefined) return;
    let answer: Parameters<SiteLink['take']>[3];
    try {
      answer = await cloud.sync.run(project, (tx, env) => handleRequest(tx, env, request), broughtBy(request));
    } catch (error) {
      const need = needAnswer(error);
      if (need === undefined) throw error;
      answer = need;
    }
    try {
      await site.sync.run(project, (tx, env) => link.take(tx, env, request, answer));
    } catch (error) {
      if (!(await site.sync.run(project, (tx) => link.failed(tx, error)))) throw error;
    }
  }
}

/** The verdict of a check of custody by the site. */
export async function verdictOf(site: Store, cloud: Store, project = PROJECT): Promise<string> {
  const check = new CustodyCheck(site.nodeId, cloud.nodeId);
  for (;;) {
    const request = await site.sync.run(project, (tx) => check.next(tx));
    if (request === undefined) return await site.sync.run(project, (tx) => check.result(tx).verdict);
    const answer = await cloud.sync.run(project, (tx, env) => handleRequest(tx, env, request), broughtBy(request));
    await site.sync.run(project, (tx) => check.take(tx, answer));
  }
}

/** Random bytes that differ from those of the other stores of a test. */
function randomOf(seed: number): StoreOptions['random'] {
  let count = seed << 8;
  return (n) => Uint8Array.from({ length: n }, (_, i) => (i < 4 ? ++count >>> (8 * i) : seed));
}

export interface Ends<Cloud extends Store = FileStore> extends AsyncDisposable {
  readonly site: FileStore;
  readonly cloud: Cloud;
  readonly options: { readonly site: ReturnType<typeof settings>; readonly cloud: ReturnType<typeof settings> };
}

/** A site and head office with one project in common. */
export async function openEnds(): Promise<Ends>;
export async function openEnds<Cloud extends Store>(
  openCloud: (options: StoreOptions) => Promise<Cloud>,
): Promise<Ends<Cloud>>;
export async function openEnds(openCloud: (options: StoreOptions) => Promise<Store> = openStore): Promise<Ends<Store>> {
  await using opened = new AsyncDisposableStack();
  const optionsOf = (role: 'site' | 'cloud', seed: number) => {
    const options = { ...settings(opened.use(temporaryFolder()).path), role, random: randomOf(seed) };
    options.clock = () => options.time;
    return options;
  };
  const options = { site: optionsOf('site', 1), cloud: optionsOf('cloud', 2) };
  const site = opened.use(await openStore(options.site));
  const cloud = opened.use(await openCloud(options.cloud));
  for (const store of [site, cloud]) await store.sync.join(PROJECT);
  const resources = opened.move();
  return { site, cloud, options, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/**
 * Compares what the replication stored with the documents: returns a sentence for each digest item or sum that does not fit, and for each
 * number that is missing in the log. Empty if everything fits.
 */
export async function unsoundOf(store: Store): Promise<string[]> {
  await countAll(store);
  const { nodeId } = store;
  return await store.sync.run(PROJECT, (tx, env) => {
    const wrong: string[] = [];
    for (const scope of ['records', 'live', 'events', machineryScope(nodeId)])
      for (const [leaf, sum] of tx.leaves(scope, 0)) {
        const items = tx.leafItems(scope, leaf);
        const total = items.reduce((all, [, hash]) => plus(all, one(hash)), NOTHING);
        if (total.n !== sum.n || total.sum !== sum.sum) wrong.push(`the sum of leaf ${leaf} of ${scope}`);
        for (const [key, hash] of items) {
          const doc = tx.get(key);
          if (doc === undefined && tx.removal(key)?.as === 'aged') continue;
          const made = doc && itemsOf(env, key, doc, tx.items(key)).find((item) => item.scope === scope);
          if (made?.hash !== hash) wrong.push(`the item of ${key}`);
        }
      }
    const rows = tx.rows(0, 1_000_000);
    // A site removes the rows that head office has.
    const { n: head } = tx.head();
    const from = rows[0]?.n ?? head + 1;
    if (rows.some(({ n }, i) => n !== from + i) || from + rows.length !== head + 1) wrong.push('the log has a gap');
    if (balanceOf(tx).length > 0) wrong.push('the ledger does not balance');
    return wrong;
  });
}

/** Asserts that the oldest rows of the log go, and that the head stays. `machine` makes the write of a machine. */
export async function checkTrimmedLog(cloud: Store, machine: (id: string) => Write): Promise<void> {
  for (let i = 1; i <= 6; i++) await cloud.view(PROJECT).commit([machine(`eq_${i}`)]);
  const ns = () => cloud.sync.run(PROJECT, (tx) => tx.rows(0, 100).map(({ n }) => n));
  assert.deepEqual(await ns(), [1, 2, 3, 4, 5, 6]);
  await cloud.sync.run(PROJECT, (tx) => tx.trimLog(4));
  assert.deepEqual(await ns(), [5, 6]);
  assert.deepEqual(await cloud.sync.run(PROJECT, (tx) => [tx.head().n, tx.row(4)]), [6, undefined]);
}

/** Asserts when a store looks at the records that were changed. `machine` makes the write of a machine; `wait` moves the clock. */
export async function checkLooks(
  store: Store,
  machine: (id: string) => Write,
  wait: (ms: number) => void,
): Promise<void> {
  await store.sync.join(PROJECT);
  await countAll(store);
  const change = () => store.view(PROJECT).commit(Array.from({ length: 250 }, (_, i) => machine(`eq_${i}`)));
  /** How many transactions found something to look at. */
  const looks = async (): Promise<number> => {
    let count = 0;
    while (await store.sync.count(PROJECT)) count++;
    return count;
  };
  await change();
  wait(3_599_000);
  assert.equal(await looks(), 0, 'this process looked less than an hour ago');
  wait(1_000);
  assert.equal(await looks(), 3, '100 records in each transaction');
  wait(3_600_000);
  assert.equal(await looks(), 0, 'nothing was changed');
  await change();
  wait(-7_200_000);
  assert.equal(await looks(), 3, 'the clock was set back');
}
