/** What both ends do with documents: commit their own writes, and take the commits of others. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { type Doc, deleteDoc, keyOf, latestOf, makeDoc } from '#domain/sync/registers/documents.ts';
import { createDoc, type Edited, editDoc } from '#domain/sync/registers/edit.ts';
import { isInInbox } from '#domain/sync/registers/inbox.ts';
import type { Data } from '#domain/sync/registers/paths.ts';
import { lifeText, type Stamp, type Value } from '#domain/sync/registers/registers.ts';
import { updateClaims } from './claims.ts';
import { itemsOf } from './digest-items.ts';
import { kindOf, type SyncEnv } from './env.ts';
import { laneOf } from './lanes.ts';
import { countMade, dropReplaced, leaveGapsAgain } from './ledger.ts';
import type { LogBound, SyncRules } from './rules.ts';
import type { Commit, LogRow, Member, SyncTx } from './store.ts';

/** A write of this node. Without `data` and `machinery` it deletes the document. */
export interface LocalWrite {
  readonly collection: string;
  readonly id: string;
  readonly object: string;
  readonly data?: Data;
  /** Paths with a conflict that the author decided. */
  readonly chosen?: readonly string[];
}

/** Later than every time. */
const LATEST = '~';

export const lifeOf = (tx: SyncTx): string => {
  const { id, life } = tx.node();
  return lifeText(id, life.number, life.token);
};

/** Stores a document with its digest items and the claims of its names, and notes whether it has entries in the inbox. */
export function storeDoc(tx: SyncTx, env: SyncEnv, doc: Doc): void {
  const key = keyOf(doc);
  const old = tx.get(key);
  tx.put(doc, itemsOf(env, key, doc, tx.items(key)));
  updateClaims(tx, env, old, doc);
  const isConflicted = isInInbox(doc);
  if (isConflicted !== (old !== undefined && isInInbox(old))) tx.setConflicted(key, isConflicted);
}

/** Commits writes of this node: all documents get one time. Returns the row of the log, or undefined if nothing changed. */
export function commitLocal(tx: SyncTx, env: SyncEnv, writes: readonly LocalWrite[]): LogRow | undefined {
  const { rules } = env;
  const olds = writes.map((write) => tx.get(keyOf(write)));
  const node = tx.node();
  const overwritten = olds.flatMap((old) => (old === undefined ? [] : [latestOf(old)]));
  const hlc = rules.nextHlc(node.clock, env.now, overwritten);
  const stamp: Stamp = { life: lifeOf(tx), hlc };
  const edits: Edited[] = [];
  for (const [i, write] of writes.entries()) {
    const edited = editOf(tx, env, olds[i], write, stamp);
    if (edited.paths?.length !== 0) edits.push(edited);
  }
  if (edits.length === 0) return undefined;
  for (const { doc } of edits) storeDoc(tx, env, doc);
  // A document from a clock that is far ahead does not move this clock, but the write has a later time than that document.
  const own = rules.nextHlc(node.clock, env.now, []);
  tx.setNode({ ...tx.node(), clock: rules.receive(own, env.now, hlc) });
  const row = appendRow(tx, env, { ...stamp, from: node.id, lane: laneOf(edits.map(({ doc }) => doc)) }, edits);
  const docs = edits.map(({ doc }) => doc);
  countMade(tx, docs);
  for (const doc of docs) dropReplaced(tx, doc);
  return row;
}

/** Tells whether a value that was written in this life never left this site. Head office does not know. */
export const unsentAt =
  (tx: SyncTx, life: string): ((value: Value) => boolean) =>
  (value) =>
    value.life === life && value.hlc > (tx.siteChannel().given ?? LATEST);

function editOf(tx: SyncTx, env: SyncEnv, old: Doc | undefined, write: LocalWrite, stamp: Stamp): Edited {
  if (write.data === undefined) {
    if (old === undefined || old.dead) return { doc: old as Doc, paths: [] };
    return { doc: deleteDoc(old, stamp), paths: ['_deleted'] };
  }
  const kind = kindOf(env, write.collection, write.object);
  if (old === undefined) return createDoc(kind, write, write.data, stamp);
  return editDoc(kind, old, write.data, stamp, write.chosen, unsentAt(tx, stamp.life));
}

/** What the key of a commit covers besides its time. */
const coveredBy = (edits: readonly Pick<Edited, 'doc' | 'paths'>[]): string =>
  canonicalJson(
    edits.map(({ doc, paths }) => [
      keyOf(doc),
      paths === undefined ? doc.vid + doc.machine : paths.map((path) => doc.registers.get(path)?.map(({ id }) => id)),
    ]),
  );

/** The key that a commit has, if none of its values was replaced since. */
export function computedKey({ commitKey }: SyncRules, { life, hlc, docs }: Omit<Commit, 'key'>): string {
  const edits = docs.map((part) => ({
    doc: makeDoc(part, part.registers, part.rev),
    paths: part.whole ? undefined : [...part.registers.keys()],
  }));
  return commitKey(life, hlc, coveredBy(edits));
}

/** Adds a row to the log. Its key covers the documents with the paths and values that the commit wrote. */
export function appendRow(
  tx: SyncTx,
  { role, rules }: SyncEnv,
  of: Stamp & { readonly from: string; readonly lane: number; readonly key?: string },
  edits: readonly Edited[],
): LogRow {
  const key = of.key ?? rules.commitKey(of.life, of.hlc, coveredBy(edits));
  const head = tx.head();
  const members = edits.map(
    ({ doc: { collection, id }, paths }): Member => ({ collection, id, ...(paths && { paths }) }),
  );
  const row: LogRow = {
    n: head.n + 1,
    chain: rules.chain(head.chain, key),
    key,
    life: of.life,
    hlc: of.hlc,
    lane: of.lane,
    from: of.from,
    members,
  };
  if (of.from === tx.node().id)
    leaveGapsAgain(
      tx,
      edits.map(({ doc }) => doc),
    );
  tx.append(row);
  if (role === 'cloud' && row.n % rules.log.every === 0) boundLog(tx, rules.log);
  return row;
}

/** Removes the oldest rows of a log that is longer than its bound; of a much longer one only some, because this is a part of a commit. */
function boundLog(tx: SyncTx, { rows, every }: LogBound): void {
  const [first] = tx.rows(0, 1);
  if (first !== undefined) tx.trimLog(Math.min(tx.head().n - rows, first.n + 2 * every));
}
