/**
 * The ledger of facts: made = held + purged + gaps, for each life. `made` counts when a fact is committed, so that a fact that vanished is
 * found even when nothing of it is left.
 */
import { formatTime, parseTime } from '#store/base/hlc.ts';
import { doneOf } from './channels.ts';
import { leafOfTime, leafStart } from './digest-items.ts';
import { type Doc, keyOf, type Part } from './documents.ts';
import type { SyncEnv } from './env.ts';
import { nodeOf } from './registers.ts';
import type { Removal, SiteChannel, SyncTx } from './store.ts';
import { minus, NOTHING, one, plus } from './sums.ts';

/** True for facts that the ledger counts. */
export const isCounted = ({ collection, registers }: Part): boolean =>
  (collection === 'events' || collection === 'telemetry') && registers.has('=');

/** Counts a fact in the ledger of the life that made it. */
export function countMade(tx: SyncTx, doc: Doc, life: string): void {
  if (!isCounted(doc)) return;
  const [item] = tx.items(keyOf(doc));
  if (item === undefined) return;
  const ledger = tx.ledgers().find((one) => one.life === life) ?? { life, made: NOTHING, purged: NOTHING };
  tx.setLedger({ ...ledger, made: plus(ledger.made, one(item.hash)) });
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
  if (isSent(tx, key, channel, channel.sent)) return true;
  const n = tx.rowOfFact(key);
  const row = n === undefined ? undefined : tx.row(n);
  return row !== undefined && doneOf(channel, row.lane, channel.carried).has(row.n);
}

/** True if a backup of the cloud has a fact. */
function isCovered(tx: SyncTx, key: string, channel: SiteChannel): boolean {
  const inBackup = channel.tokens.find(({ token }) => token === channel.covered);
  if (inBackup === undefined) return false;
  // A fact without a row came from the cloud, at the last repair or before. The tokens since then have places.
  return tx.rowOfFact(key) === undefined ? inBackup.place !== undefined : isSent(tx, key, channel, inBackup.sent);
}

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

function countPurged(tx: SyncTx, life: string | undefined, hash: bigint): void {
  const ledger = tx.ledgers().find((each) => each.life === life);
  if (ledger !== undefined) tx.setLedger({ ...ledger, purged: plus(ledger.purged, one(hash)) });
}

/** A fact of declared gaps arrives late, or its content does: it leaves them. Returns what they said about it. */
export function leaveGaps(tx: SyncTx, key: string): Pick<GivenUp, 'life' | 'hash'>[] {
  const left: Pick<GivenUp, 'life' | 'hash'>[] = [];
  for (const gap of tx.gaps()) {
    const hash = gap.items[key];
    if (hash === undefined) continue;
    const { [key]: _, ...items } = gap.items;
    tx.setGap({ ...gap, items });
    left.push({ life: gap.life, hash });
  }
  return left;
}

/** Facts that were removed here by age, and that the cloud lost since: nobody has them any more. */
export function giveUpAged(tx: SyncTx, env: SyncEnv, keys: readonly string[]): void {
  const items: GivenUp[] = [];
  for (const key of keys) {
    const removal = tx.removal(key);
    if (removal?.as !== 'aged') continue;
    const [item] = tx.items(key);
    const ledger = tx.ledgers().find(({ life }) => life === removal.life);
    if (ledger !== undefined && item !== undefined)
      tx.setLedger({ ...ledger, purged: minus(ledger.purged, one(item.hash)) });
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
    for (const { life: of, hash } of leaveGaps(tx, key)) countPurged(tx, of, BigInt(`0x${hash}`));
    removeForGood(tx, key, 'replaced', leaf);
  }
}
