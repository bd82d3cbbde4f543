/**
 * Takes the commits of the other end. A commit is taken as a whole or goes into quarantine as a whole; a commit in quarantine blocks nothing
 * but later commits of the same documents.
 */

import { part, type ToldPart, textOf } from '#contract/base/told.ts';
import { type Doc, keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { isNeverDown, ruleOfPath } from '#domain/sync/registers/paths.ts';
import {
  compareStamps,
  isMachinerys,
  nodeOf,
  numberOf,
  type Register,
  type Value,
} from '#domain/sync/registers/registers.ts';
import { leafOfTime } from './digest-items.ts';
import { kindOf, type SyncEnv } from './env.ts';
import { holdsPart } from './holds.ts';
import { laneOf } from './lanes.ts';
import { countAgain, countedOf, dropReplaced, isCounted, leaveAged, leaveGaps, removeForGood } from './ledger.ts';
import { beginLife, isUnknownLife } from './lives.ts';
import { appendRow, lifeOf, storeDoc } from './node.ts';
import { askOwed, isOwed, noteOwed, settleOwed } from './owed.ts';
import { SYNC_RULES } from './rules.ts';
import type { Commit, Quarantined, SyncTx } from './store.ts';

export interface Source {
  /** The node that sent the commits, and its life. */
  readonly node: string;
  readonly life: string;
  /** page: in order, after a position. repair: whole documents after a digest. bundle: by courier, in any order. */
  readonly way: 'page' | 'repair' | 'bundle';
  /** True if another box has the identity of the sender; its machinery does not count. */
  readonly fenced?: boolean;
  /**
   * The sender keeps what this node only notes, until a repair has brought it. Without it, a commit for which there is no room in the
   * quarantine lets the whole page fail.
   */
  readonly owes?: boolean | undefined;
}

/** The node lacks documents of which it got only some fields. The transaction is rolled back, and the sender sends them as a whole. */
export class NeedWhole extends Error {
  readonly keys: readonly string[];
  constructor(keys: readonly string[]) {
    super(`documents are needed as a whole: ${keys.join(', ')}`);
    this.name = 'NeedWhole';
    this.keys = keys;
  }
}

const NEEDS_WHOLE = 'needs_whole';
const WAITS = 'waits_for_quarantined';
/** The sender of a bundle does not hear of notes, so a commit of it that waits for a noted document is kept. */
const WAITS_FOR_NOTED = 'waits_for_noted';

const { quarantine: MOST } = SYNC_RULES;

export class QuarantineFull extends Error {
  readonly code = 'limit_reached';
  readonly words: ToldPart;
  constructor() {
    const [commits = '', keys = ''] = [MOST.commits, MOST.keys].map((n) => n.toLocaleString('en'));
    const words = part(
      'the quarantine is full: it keeps {commits} changes that this version cannot take, and the names of {keys} further records. What came now is not taken, and nothing is lost: the other end keeps it. Update this end, and start it again.',
      { commits, keys },
    );
    super(textOf(words));
    this.words = words;
    this.name = 'QuarantineFull';
  }
}

/** Applies commits and returns the keys of those that could not be taken. Throws `NeedWhole` or `QuarantineFull`. */
export function applyCommits(tx: SyncTx, env: SyncEnv, source: Source, commits: readonly Commit[]): string[] {
  const quarantined: string[] = [];
  const missing: string[] = [];
  const held = heldKeys(tx);
  const kept = new Set(tx.quarantined().map(({ key }) => key));
  const { node: from, life } = source;
  for (const commit of commits) {
    const waits = waitsForOwed(tx, from, commit);
    const waiting = source.owes === true ? WAITS : WAITS_FOR_NOTED;
    const reason = waits ? waiting : reasonAgainst(tx, env, source, commit, held);
    if (reason !== undefined) {
      quarantined.push(commit.key);
      const holdsUp = !REFUSALS.has(reason);
      const keys = commit.docs.map(keyOf);
      const isFull = !kept.has(commit.key) && kept.size >= env.rules.quarantine.commits;
      // What waits for a document that is only noted is noted, too, unless its sender would not hear of it.
      if (isFull || (waits && source.owes === true)) {
        if (source.owes !== true || !noteOwed(tx, env, from, keys, holdsUp)) throw new QuarantineFull();
        continue;
      }
      tx.setQuarantined({ key: commit.key, from, life, reason, commit });
      kept.add(commit.key);
      if (holdsUp) for (const key of keys) held.add(key);
    } else takeCommit(tx, env, source, commit, missing);
    // Only a repair gives the newest of a document: a page or a bundle may be older than what was noted.
    if (source.way === 'repair') for (const part of commit.docs) if (part.whole) settleOwed(tx, from, keyOf(part));
  }
  if (missing.length > 0) throw new NeedWhole(missing);
  const seen = newestOwnLife(tx.node().id, commits);
  if (seen > tx.node().life.number) beginLife(tx, env, seen + 1, env.role === 'site' ? tx.node().clock : undefined);
  return quarantined;
}

/** A commit with some fields of a document that is only noted, or with a fact about it. A document that comes as a whole has what was noted. */
function waitsForOwed(tx: SyncTx, from: string, { docs }: Commit): boolean {
  const brought = new Set(docs.flatMap((part) => (part.whole ? [keyOf(part)] : [])));
  const needed = docs.flatMap((part) => [keyOf(part), subjectOf(part) ?? keyOf(part)]);
  return needed.some((key) => !brought.has(key) && isOwed(tx, from, key));
}

/**
 * Commits that hold up no later commit of their documents: those that no version of the program takes, and those that wait for a document
 * that only another commit can bring.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'not_yours',
  'never_downward',
  'clock_out_of_range',
  NEEDS_WHOLE,
  WAITS_FOR_NOTED,
]);

/** The documents of commits in quarantine. */
const heldKeys = (tx: SyncTx): Set<string> =>
  new Set(tx.quarantined().flatMap(({ reason, commit }) => (REFUSALS.has(reason) ? [] : commit.docs.map(keyOf))));

/** The largest number of a life of this node in the values of others. If it is larger than the own number, this node was put back. */
function newestOwnLife(self: string, commits: readonly Commit[]): number {
  let newest = 0;
  for (const { docs } of commits)
    for (const { registers } of docs)
      for (const register of registers.values())
        for (const { life } of register) if (nodeOf(life) === self) newest = Math.max(newest, numberOf(life));
  return newest;
}

/** The next contact of this site compares both ends and repairs what differs. */
export function askRepair(tx: SyncTx): void {
  const channel = tx.siteChannel();
  tx.setSiteChannel({ ...channel, asked: channel.asked + 1 });
}

/**
 * Tries the commits in quarantine again, after a change of the version or on demand. Returns how many were taken. The cloud may have been
 * put back since it sent such a commit, so a site then asks for a repair. `isStart`: this may be a newer version than before.
 */
export function retryQuarantine(tx: SyncTx, env: SyncEnv, isStart = true): number {
  let waiting = tx.quarantined();
  for (const { key } of waiting) tx.dropQuarantined(key);
  const all = waiting.length;
  // A commit may have overtaken the one that made its document, so it waits for the others, and facts about the document wait with it.
  for (let before = -1; waiting.length !== before; ) {
    before = waiting.length;
    const lacking = new Set(waiting.flatMap(({ commit }) => lackingOf(tx, env, commit)));
    waiting = waiting.filter((entry) => !retry(tx, env, entry, lacking));
  }
  for (const entry of waiting) tx.setQuarantined({ ...entry, reason: NEEDS_WHOLE });
  const taken = all - tx.quarantined().length;
  if (isStart || taken > 0) askOwed(tx);
  if (taken > 0 && env.role === 'site') askRepair(tx);
  return taken;
}

/** The documents of which a commit has some fields, and of which this node needs all. */
const lackingOf = (tx: SyncTx, { rules }: SyncEnv, { docs }: Commit): string[] =>
  docs.flatMap((part) => ('missing' in rules.join(tx.get(keyOf(part)), part) ? [keyOf(part)] : []));

/** Tries a commit again. Returns false if it must wait for a document that is not here; `lacking` are those of all commits. */
function retry(tx: SyncTx, env: SyncEnv, entry: Quarantined, lacking: ReadonlySet<string>): boolean {
  const { commit, from, life } = entry;
  // A repair has brought all of it.
  if (commit.docs.every((part) => holdsPart(tx.get(keyOf(part)), part))) return true;
  const source: Source = { node: from, life, way: 'bundle', fenced: isUnknownLife(life) };
  const isNoted = entry.reason === WAITS_FOR_NOTED && waitsForOwed(tx, from, commit);
  const reason = isNoted ? WAITS_FOR_NOTED : reasonAgainst(tx, env, source, commit, heldKeys(tx));
  const brought = new Set(commit.docs.flatMap((part) => (part.whole ? [keyOf(part)] : [])));
  const subjects = commit.docs.flatMap((part) => subjectOf(part) ?? []);
  if (reason !== undefined) tx.setQuarantined({ ...entry, reason });
  else if (lackingOf(tx, env, commit).length > 0 || subjects.some((key) => lacking.has(key) && !brought.has(key)))
    return false;
  else takeCommit(tx, env, source, commit, []);
  return true;
}

function reasonAgainst(
  tx: SyncTx,
  env: SyncEnv,
  source: Source,
  commit: Commit,
  held: ReadonlySet<string>,
): string | undefined {
  if (env.rules.isBeyond(commit.hlc, env.now)) return 'clock_out_of_range';
  for (const part of commit.docs) {
    if (held.has(keyOf(part))) return WAITS;
    const subject = subjectOf(part);
    if (subject !== undefined && held.has(subject)) return WAITS;
    const kind = env.ownership.kind(part.collection, part.object);
    if (part.collection === 'local' || kind?.whole?.owner === 'node') return 'not_yours';
    const refused = machineryAgainst(tx, env, source, part) ?? timeAgainst(env, part) ?? env.check(part);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The key of the record that a fact is about. */
function subjectOf({ registers }: Pick<Part, 'registers'>): string | undefined {
  const { subject } = (registers.get('=')?.[0]?.v ?? {}) as { subject?: { id?: string } };
  return subject?.id === undefined ? undefined : `records/${subject.id}`;
}

function timeAgainst({ rules, now }: SyncEnv, { registers }: Part): string | undefined {
  for (const register of registers.values())
    if (register.some(({ hlc }) => rules.isBeyond(hlc, now))) return 'clock_out_of_range';
  return undefined;
}

/** Refuses values of machinery by any node but their home. */
function machineryAgainst(tx: SyncTx, env: SyncEnv, source: Source, part: Part): string | undefined {
  const self = tx.node().id;
  const home = tx.get(keyOf(part))?.home ?? '';
  for (const [path, register] of part.registers) {
    if (!isMachinerys(path)) continue;
    const writer = nodeOf((register[0] as Value).life);
    if (writer === self) continue;
    if (!env.rules.mayWriteMachinery(writer, source.node)) return 'not_yours';
    if (home !== '' && !env.rules.mayWriteMachinery(writer, home)) return 'not_yours';
    if (env.role === 'cloud') continue;
    const kind = env.ownership.kind(part.collection, part.object);
    const direction = kind === undefined ? undefined : ruleOfPath(kind, path)?.direction;
    const refused = env.rules.againstDown(direction, isNeverDown(kind, path));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function takeCommit(tx: SyncTx, env: SyncEnv, source: Source, commit: Commit, missing: string[]): void {
  const { rules } = env;
  const edits: { doc: Doc; paths: readonly string[] | undefined }[] = [];
  const back: Doc[] = [];
  for (const given of commit.docs) {
    const part = withoutOwnMachinery(tx, env, source, given);
    const key = keyOf(part);
    if (part.registers.size === 0 || isBelowFloor(tx, part)) continue;
    if (rules.staysAway(tx.removal(key))) {
      if (source.way === 'repair' || isEarlier(tx, part)) noteOther(tx, env, part);
      continue;
    }
    const old = tx.get(key);
    const joined = rules.join(old, part);
    if ('missing' in joined) {
      missing.push(key);
      continue;
    }
    const isFact = isCounted(part);
    if (joined.doc !== old) {
      const counted = isFact ? (leaveGaps(tx, key)[0] ?? countedOf(tx, key)) : undefined;
      storeDoc(tx, env, joined.doc);
      countAgain(tx, key, counted);
      if (isFact && old === undefined && tx.rowOfFact(key) !== undefined) back.push(joined.doc);
    }
    // Also for a fact that is here: two boxes with one disk make the same history, and know of different earlier history.
    if (isFact) dropReplaced(tx, part);
    if (joined.changed.length > 0)
      edits.push({ doc: joined.doc, paths: old === undefined ? undefined : joined.changed });
  }
  const node = tx.node();
  const clock = rules.receive(node.clock, env.now, commit.hlc);
  if (clock !== node.clock) tx.setNode({ ...node, clock });
  if (env.role === 'site') {
    noteBack(tx, env, back);
    return;
  }
  // A known commit can bring values of later commits, which may never come themselves: other sites must hear of them.
  const isKnown = tx.hasKey(commit.key);
  const listed = isKnown || source.way === 'repair' ? edits : commit.docs.flatMap((part) => memberOf(tx, part));
  if (listed.length === 0) return;
  const { life, hlc, lane } = commit;
  const key = isKnown ? rules.commitKey(life, hlc, `again ${marksOf(edits)}`) : commit.key;
  appendRow(tx, env, { life, hlc, lane, from: source.life, key }, listed);
  const kept =
    source.way === 'repair' ? [] : commit.docs.flatMap((part) => (isOther(tx, part) ? memberOf(tx, part) : []));
  const again = rules.commitKey(life, hlc, `kept ${marksOf(kept)}`);
  // The sender must hear of it, although it may have given this end both.
  if (kept.length > 0 && !tx.hasKey(again))
    appendRow(tx, env, { life, hlc, lane, from: tx.node().id, key: again }, kept);
}

/**
 * Facts that this site made and sent, that were gone here, and that came back: they are sent again. So the tokens until now do not say that
 * a backup of head office has them, because head office may have been without them, too. Their records go with them, because head office may
 * have lost these, too.
 */
function noteBack(tx: SyncTx, env: SyncEnv, docs: readonly Doc[]): void {
  if (docs.length === 0) return;
  const { id, clock } = tx.node();
  const subjects = new Set(docs.flatMap((doc) => subjectOf(doc) ?? []));
  const records = [...subjects].flatMap((key) => tx.get(key) ?? []);
  const edits = [...records, ...docs].map((doc) => ({ doc, paths: undefined }));
  appendRow(tx, env, { life: lifeOf(tx), hlc: clock, lane: laneOf(docs), from: id }, edits);
}

/** True for a fact that was removed here by age with a later time than the one of this part: it was made twice, and the earlier one counts. */
export function isEarlier(tx: SyncTx, part: Part): boolean {
  const { made } = tx.removal(keyOf(part)) ?? {};
  const fact = part.registers.get('=')?.[0];
  return made !== undefined && fact !== undefined && compareStamps(fact, made) < 0;
}

/** A fact that was removed here by age, and that the other end has with another time: the digest item that stays here is that one. */
function noteOther(tx: SyncTx, env: SyncEnv, part: Part): void {
  const key = keyOf(part);
  // A fact has one value, so a page that names it brings all of it.
  const joined = env.rules.join(undefined, { ...part, whole: true });
  if (tx.removal(key)?.as !== 'aged' || 'missing' in joined) return;
  const before = leaveAged(tx, key);
  storeDoc(tx, env, joined.doc);
  countAgain(tx, key, before);
  removeForGood(tx, key, 'aged');
}

/** True for a fact that this node has with an earlier time, because it was made twice. */
function isOther(tx: SyncTx, part: Part): boolean {
  const here = tx.get(keyOf(part))?.registers.get('=')?.[0];
  return isCounted(part) && here !== undefined && here.id !== part.registers.get('=')?.[0]?.id;
}

const marksOf = (edits: readonly { readonly doc: Doc }[]): string =>
  edits.map(({ doc }) => `${keyOf(doc)} ${doc.vid} ${doc.machine}`).join('\n');

function memberOf(tx: SyncTx, part: Part): { doc: Doc; paths: readonly string[] | undefined }[] {
  const doc = tx.get(keyOf(part));
  return doc === undefined ? [] : [{ doc, paths: part.whole ? undefined : [...part.registers.keys()] }];
}

/**
 * Own machinery that comes back: only a repair brings it, after this node was put back from a backup, and only what this node has no value
 * of. What must never come from above does not.
 */
function withoutOwnMachinery(tx: SyncTx, env: SyncEnv, source: Source, part: Part): Part {
  const self = tx.node().id;
  const drops = (path: string, register: Register): boolean => {
    if (!isMachinerys(path)) return false;
    if (nodeOf((register[0] as Value).life) !== self) return source.fenced === true;
    if (source.way !== 'repair' || tx.get(keyOf(part))?.registers.has(path)) return true;
    return isNeverDown(kindOf(env, part.collection, part.object), path);
  };
  if (![...part.registers].some(([path, register]) => drops(path, register))) return part;
  const registers = new Map([...part.registers].filter(([path, register]) => !drops(path, register)));
  return { ...part, registers };
}

/** True for a fact of a time whose facts were removed here by age. */
function isBelowFloor(tx: SyncTx, part: Part): boolean {
  const fact = part.registers.get('=')?.[0];
  if (fact === undefined || part.collection === 'records') return false;
  return leafOfTime(fact.hlc) < (tx.node().floors[part.collection] ?? 0);
}
