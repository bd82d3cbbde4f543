/**
 * The ledger of facts: made = held + purged + gaps, for each life. `made` counts when a fact is committed, so that a fact that vanished is
 * found even when nothing of it is left.
 */

import { type Doc, keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { nodeOf } from '#domain/sync/registers/registers.ts';
import { formatTime, parseTime } from '#store/base/hlc.ts';
import { doneOf } from './channels.ts';
import { leafOfTime, leafStart } from './digest-items.ts';
import type { SyncEnv } from './env.ts';
import type { Removal, SiteChannel, SyncTx } from './store.ts';
import { minus, NOTHING, one, plus } from './sums.ts';

/** True for facts that the ledger counts. */
export const isCounted = ({ collection, registers }: Part): boolean =>
  (collection === 'events' || collection === 'telemetry') && registers.has('=');

/** A fact that this node made, as a ledger counts it. */
export interface Counted {
  readonly life: string;
  readonly hash: bigint;
}

/** Counts the facts of a commit of this node in the ledger of the life that made them. */
export function countMade(tx: SyncTx, docs: readonly Doc[]): void {
  for (const doc of docs) {
    const counted = isCounted(doc) ? countedOf(tx, keyOf(doc)) : undefined;
    if (counted !== undefined) changeMade(tx, counted, plus);
  }
}

/** Facts that this node makes now. One that it made before and gave up is there again. */
export function leaveGapsAgain(tx: SyncTx, docs: readonly Doc[]): void {
  for (const doc of docs)
    if (isCounted(doc) && tx.rowOfFact(keyOf(doc)) !== undefined)
      for (const before of leaveGaps(tx, keyOf(doc))) changeMade(tx, before, minus);
}

function changeMade(tx: SyncTx, { life, hash }: Counted, change: typeof plus): void {
  const ledger = tx.ledgers().find((each) => each.life === life) ?? { life, made: NOTHING, purged: NOTHING };
  tx.setLedger({ ...ledger, made: change(ledger.made, one(hash)) });
}

/** How a ledger counts a fact that is here; undefined for a fact that this node did not make. */
export function countedOf(tx: SyncTx, key: string): Counted | undefined {
  const life = countedLife(tx, key);
  const [item] = tx.items(key);
  return life === undefined || item === undefined ? undefined : { life, hash: item.hash };
}

/**
 * A fact that this node made arrived again with another time or life: the same history that a copy of this disk made, or the same fact that
 * another system sent to both ends. One of the two counts, so the ledger counts it as that one.
 */
export function countAgain(tx: SyncTx, key: string, before: Counted | undefined): void {
  const now = countedOf(tx, key);
  if (before === undefined || now === undefined || (before.life === now.life && before.hash === now.hash)) return;
  changeMade(tx, before, minus);
  changeMade(tx, now, plus);
}

/** The life of a fact that this node made and counted; undefined for all others. */
export function countedLife(tx: SyncTx, key: string): string | undefined {
  const doc = tx.get(key);
  if (doc === undefined || !isCounted(doc) || tx.rowOfFact(key) === undefined) return undefined;
  return doc.registers.get('=')?.[0]?.life;
}

/** How long the digest items of history stay after it was made. */
const FORGET_MS = 800 * 86_400_000;
const LEAVES_OF_A_DAY = 20;

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

/** True if the cloud has confirmed a fact, as far as this site knows. */
function isSent(tx: SyncTx, key: string, channel: SiteChannel, sent: readonly number[]): boolean {
  const n = tx.rowOfFact(key);
  // A fact without a row was here before the first repair, or came with a repair.
  if (n === undefined) return channel.cloud !== undefined;
  const row = tx.row(n);
  // The rows that the cloud has in all lanes are removed.
  if (row === undefined) return n <= Math.min(...sent);
  return n <= (sent[row.lane] ?? 0);
}

function isConfirmed(tx: SyncTx, key: string, channel: SiteChannel): boolean {
  // The cloud noted only the keys of some documents, and this site does not know of which.
  if ((channel.owed ?? 0) > 0) return false;
  const n = tx.rowOfFact(key);
  // The cloud lost something that it had confirmed, and this site does not know what, until a repair.
  if (channel.lost !== undefined && (n ?? 0) <= channel.lost) return false;
  if (isSent(tx, key, channel, channel.sent)) return true;
  const row = n === undefined ? undefined : tx.row(n);
  return row !== undefined && doneOf(channel, row.lane, channel.carried).has(row.n);
}

/** True if the backups of the cloud have a fact. Of one without a row this site does not know when the cloud got it. */
const isCovered = (tx: SyncTx, key: string, channel: SiteChannel): boolean =>
  channel.covered !== undefined &&
  (channel.owed ?? 0) === 0 &&
  tx.rowOfFact(key) !== undefined &&
  isSent(tx, key, channel, channel.covered.sent);

/** Returns those of these facts that a deletion by age may remove now. The others wait until head office has them, or its backup. */
export function removableFacts(tx: SyncTx, { role, rules, now }: SyncEnv, keys: readonly string[]): string[] {
  if (role === 'cloud') return [...keys];
  const channel = tx.siteChannel();
  return keys.filter((key) => {
    const doc = tx.get(key);
    if (doc === undefined || !isCounted(doc)) return true;
    const safety = {
      isCovered: isCovered(tx, key, channel),
      isConfirmed: isConfirmed(tx, key, channel),
      age_ms: now - parseTime(doc.hlc).ms,
    };
    return rules.mayRemove(safety);
  });
}

/**
 * Removes facts because of their age or a bound. One that the cloud has confirmed does not come back, and is no gap. All others are given up:
 * the gap record is in the same transaction.
 */
export function dropFacts(tx: SyncTx, env: SyncEnv, keys: readonly string[]): void {
  const channel = tx.siteChannel();
  const isKept = (key: string): boolean => env.role === 'cloud' || isConfirmed(tx, key, channel);
  const lost = keys.filter((key) => !isKept(key));
  for (const key of keys) if (isKept(key)) removeForGood(tx, key, 'aged');
  const items = lost.flatMap((key) => givenUp(tx, key, countedLife(tx, key), tx.get(key)?.hlc));
  for (const key of lost) tx.remove(key);
  writeGaps(tx, env, items);
  raiseFloor(tx, env, 'telemetry');
}

/** History that both ends removed long ago is not compared any more, so its items go. */
function raiseFloor(tx: SyncTx, { role, now }: SyncEnv, collection: string): void {
  const node = tx.node();
  const floor = leafOfTime(formatTime({ ms: Math.max(0, now - FORGET_MS), counter: 0 }));
  if (role === 'cloud' || floor - (node.floors[collection] ?? 0) < LEAVES_OF_A_DAY) return;
  if (tx.factsBelow(collection, floor).some((key) => tx.removal(key) === undefined)) return;
  tx.setNode({ ...node, floors: { ...node.floors, [collection]: floor } });
}

/** Removes a fact for good, and counts it. */
export function removeForGood(tx: SyncTx, key: string, as: Removal['as'], leaf?: number): void {
  const item = tx.items(key)[0];
  if (item !== undefined) countPurged(tx, countedLife(tx, key), item.hash);
  tx.remove(key, as, leaf);
}

function countPurged(tx: SyncTx, life: string | undefined, hash: bigint, change = plus): void {
  const ledger = tx.ledgers().find((each) => each.life === life);
  if (ledger !== undefined) tx.setLedger({ ...ledger, purged: change(ledger.purged, one(hash)) });
}

/** A fact that was removed by age does not count as removed any more. Returns how its ledger counted it. */
export function leaveAged(tx: SyncTx, key: string): Counted | undefined {
  const removal = tx.removal(key);
  const [item] = tx.items(key);
  if (removal?.as !== 'aged' || removal.life === undefined || item === undefined) return undefined;
  countPurged(tx, removal.life, item.hash, minus);
  return { life: removal.life, hash: item.hash };
}

/** A fact of declared gaps arrives late, or its content does: it leaves them. Returns how ledgers count it. */
export function leaveGaps(tx: SyncTx, key: string): Counted[] {
  const left: Counted[] = [];
  for (const gap of tx.gaps()) {
    const hash = gap.items[key];
    if (hash === undefined) continue;
    const { [key]: _, ...items } = gap.items;
    tx.setGap({ ...gap, items });
    if (gap.life !== '') left.push({ life: gap.life, hash: BigInt(`0x${hash}`) });
  }
  return left;
}

/** Facts that were removed here by age, and that the cloud lost since: nobody has them any more. */
export function giveUpAged(tx: SyncTx, env: SyncEnv, keys: readonly string[]): void {
  const items: GivenUp[] = [];
  for (const key of keys) {
    const removal = tx.removal(key);
    if (removal?.as !== 'aged') continue;
    leaveAged(tx, key);
    items.push(...givenUp(tx, key, removal.life));
    tx.remove(key);
  }
  writeGaps(tx, env, items);
}

interface GivenUp {
  readonly key: string;
  /** Empty for a fact that no ledger counts. */
  readonly life: string;
  readonly hlc: string;
  readonly hash: string;
}

function givenUp(tx: SyncTx, key: string, life = '', hlc = ''): GivenUp[] {
  const [item] = tx.items(key);
  if (item === undefined) return [];
  return [
    { key, life, hlc: hlc || formatTime({ ms: leafStart(item.leaf), counter: 0 }), hash: item.hash.toString(16) },
  ];
}

function writeGaps(tx: SyncTx, env: SyncEnv, items: readonly GivenUp[]): void {
  for (const [life, list] of Map.groupBy(items, (each) => each.life)) {
    const times = list.map(({ hlc }) => hlc).sort();
    tx.setGap({
      id: `gap_${env.token()}`,
      life,
      reason: 'bound',
      from: times[0] ?? '',
      to: times.at(-1) ?? '',
      items: Object.fromEntries(list.map(({ key, hash }) => [key, hash])),
    });
  }
}

/** The keys of earlier facts whose content a fact of history has: a day is stored anew each hour. */
export function replacedKeys({ collection, id, data }: { collection: string; id: string; data: unknown }): string[] {
  const { replaces } = (data as { readonly seal?: { readonly replaces?: unknown } } | undefined)?.seal ?? {};
  if (collection !== 'telemetry' || !Array.isArray(replaces)) return [];
  return replaces.filter((each) => each !== id).map((each) => keyOf({ collection, id: String(each) }));
}

/** Removes the earlier facts of the same author whose content a fact has, and keeps away those that come later. */
export function dropReplaced(tx: SyncTx, part: Part): void {
  const { v: data, life = '' } = part.registers.get('=')?.[0] ?? {};
  const leaf = tx.items(keyOf(part))[0]?.leaf;
  for (const key of replacedKeys({ ...part, data })) {
    if (tx.removal(key)?.as === 'replaced') continue;
    const old = tx.get(key)?.registers.get('=')?.[0];
    if (old !== undefined && nodeOf(old.life) !== nodeOf(life)) continue;
    for (const { life: of, hash } of leaveGaps(tx, key)) countPurged(tx, of, hash);
    removeForGood(tx, key, 'replaced', leaf);
  }
}
