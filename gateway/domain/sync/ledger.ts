/**
 * The ledger of facts: made = held + purged + gaps, for each life. `made` counts when a fact is committed, so that a fact that vanished is
 * found even when nothing of it is left.
 */
import type { SyncEnv } from './env.ts';
import { isCounted } from './node.ts';
import type { LogRow, SyncTx } from './store.ts';
import { minus, NOTHING, one, plus } from './sums.ts';

/** The life of a fact that this node made and counted; undefined for all others. */
export function countedLife(tx: SyncTx, key: string): string | undefined {
  const doc = tx.get(key);
  if (doc === undefined || !isCounted(doc) || tx.rowOfFact(key) === undefined) return undefined;
  return doc.registers.get('=')?.[0]?.life;
}

/** Returns the lives whose ledger does not balance. */
export function balanceOf(tx: SyncTx): string[] {
  const held = tx.held();
  const gaps = tx.gaps();
  return tx.ledgers().flatMap(({ life, made, purged }) => {
    let rest = minus(minus(made, held.get(life) ?? NOTHING), purged);
    for (const gap of gaps)
      if (gap.life === life) for (const hash of Object.values(gap.items)) rest = minus(rest, one(BigInt(`0x${hash}`)));
    return rest.n === 0 && rest.sum === 0n ? [] : [life];
  });
}

/**
 * Removes the facts of a collection that are older than a leaf. A fact of this node goes only when a backup of the cloud has it: the cloud
 * may be put back from that backup. Returns the number of removed facts; 0 if one of them must stay, or if the ledger does not balance.
 */
export function purgeFacts(tx: SyncTx, env: SyncEnv, collection: string, before: number): number {
  const { tokens, covered, sent } = tx.siteChannel();
  // A fact that vanished can come back from the cloud only while both ends compare its time.
  if (balanceOf(tx).length > 0) return 0;
  const inBackup = tokens.find(({ token }) => token === covered);
  /** How far the log was sent: up to which number in the lane of a row, and in all lanes for a row that was removed. */
  const lastOf = (of: readonly number[] | undefined, row: LogRow | undefined): number | undefined =>
    of === undefined ? undefined : row === undefined ? Math.min(...of) : of[row.lane];
  const keys: string[] = [];
  for (const key of tx.factsBelow(collection, before)) {
    if (tx.get(key)?.registers.has('=') !== true) continue;
    const n = tx.rowOfFact(key);
    const row = n === undefined ? undefined : tx.row(n);
    // A fact without a row came from the cloud, at the last repair or before. The tokens since then have places.
    if (n === undefined && inBackup?.place === undefined) return 0;
    if (n !== undefined && !env.rules.mayPurge(n, lastOf(inBackup?.sent, row), lastOf(sent, row))) return 0;
    keys.push(key);
  }
  for (const key of keys) {
    const life = countedLife(tx, key);
    const ledger = tx.ledgers().find((each) => each.life === life);
    const item = tx.items(key)[0];
    if (ledger !== undefined && item !== undefined)
      tx.setLedger({ ...ledger, purged: plus(ledger.purged, one(item.hash)) });
    tx.remove(key);
  }
  const node = tx.node();
  const floor = Math.max(before, node.floors[collection] ?? 0);
  tx.setNode({ ...node, floors: { ...node.floors, [collection]: floor } });
  return keys.length;
}

/** Gives facts up at a bound, before the cloud has them. The gap record is in the same transaction. */
export function dropFacts(tx: SyncTx, env: SyncEnv, keys: readonly string[]): void {
  const byLife = new Map<string, [key: string, hlc: string, hash: string][]>();
  for (const key of keys) {
    const life = countedLife(tx, key);
    const item = tx.items(key)[0];
    if (life === undefined || item === undefined) continue;
    const list = byLife.get(life) ?? [];
    byLife.set(life, list);
    list.push([key, tx.get(key)?.hlc ?? '', item.hash.toString(16)]);
  }
  for (const [life, list] of byLife) {
    const times = list.map(([, hlc]) => hlc).sort();
    tx.setGap({
      id: `gap_${env.token()}`,
      life,
      reason: 'bound',
      from: times[0] ?? '',
      to: times.at(-1) ?? '',
      items: Object.fromEntries(list.map(([key, , hash]) => [key, hash])),
    });
    for (const [key] of list) tx.remove(key);
  }
}
