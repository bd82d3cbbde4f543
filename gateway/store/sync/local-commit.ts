/**
 * Follows the commits of this node: each document that is copied gets its registers, digest items and claims, and each commit a row in the
 * log, in the transaction of the commit.
 *
 * Two collections cost a commit nothing, because they are written for each message of a device: `live` and `telemetry`. `fold.ts` reads their
 * change feed later.
 */
import type { ProjectWrite } from '#contract/base/view.ts';
import type { KindRule } from '#contract/ownership/rule.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { laneOf } from '#domain/sync/lanes.ts';
import { countMade } from '#domain/sync/ledger.ts';
import { appendRow, lifeOf, storeDoc, unsentAt } from '#domain/sync/node.ts';
import { type Doc, deleteDoc, keyOf, latestOf } from '#domain/sync/registers/documents.ts';
import { createDoc, type Edited, editDoc } from '#domain/sync/registers/edit.ts';
import type { Stamp, Value } from '#domain/sync/registers/registers.ts';
import { withText } from '#store/base/body.ts';
import { CLOCK_KEY, type CommitFollower, type FollowedCommit, NO_TIME } from '#store/sqlite/commit.ts';
import type { MergedRows } from '#store/sqlite/merged-rows.ts';
import type { Row } from '#store/sqlite/row-writer.ts';
import { docOfRow, isFolded, withCreated } from './new-docs.ts';
import type { Projects } from './projects.ts';
import type { SyncDb } from './sync-db.ts';
import { AHEAD_KEY, type SqliteSyncTx } from './sync-tx.ts';

export interface FollowerOptions {
  readonly db: SyncDb;
  readonly projects: Projects;
  readonly env: (now: number) => SyncEnv;
  /** Opens the tables of a project in the running transaction. */
  readonly open: (project: string, env: SyncEnv, rows: MergedRows) => SqliteSyncTx;
}

/** True if a commit of this node must write registers for the document. */
function isFollowed(env: SyncEnv, { collection, object }: Pick<ProjectWrite, 'collection' | 'object'>): boolean {
  return !isFolded(collection) && env.ownership.kind(collection, object)?.whole?.owner !== 'node';
}

export function createFollower(options: FollowerOptions): CommitFollower {
  const { projects, env } = options;
  return {
    begin(writes, now, rows) {
      const found = writes.flatMap((write) => {
        const project = projects.of(write);
        return project === undefined ? [] : [{ project, write }];
      });
      if (found.length === 0) return undefined;
      const followed = new LocalCommit(options, env(now), rows);
      for (const { project, write } of found)
        if (isFollowed(followed.env, write) || followed.isBehind) followed.open(project, write);
      return followed.isEmpty ? undefined : followed;
    },
  };
}

interface Part {
  readonly tx: SqliteSyncTx;
  readonly edits: Map<string, Edited>;
  life: string;
}

class LocalCommit implements FollowedCommit {
  readonly env: SyncEnv;
  readonly #options: FollowerOptions;
  readonly #rows: MergedRows;
  readonly #parts = new Map<string, Part>();
  #after = '';
  #hlc = '';

  constructor(options: FollowerOptions, env: SyncEnv, rows: MergedRows) {
    this.#options = options;
    this.env = env;
    this.#rows = rows;
  }

  /** True if a document may be later than the clock of this node: only one that follows a clock that was ahead can be. */
  get isBehind(): boolean {
    const { db } = this.#options;
    return String(db.getMeta(AHEAD_KEY) ?? '') > String(db.getMeta(CLOCK_KEY) ?? NO_TIME);
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  open(project: string, { collection, id }: ProjectWrite): void {
    const { open } = this.#options;
    const part = this.#parts.get(project) ?? { tx: open(project, this.env, this.#rows), edits: new Map(), life: '' };
    this.#parts.set(project, part);
    if (!this.isBehind) return;
    const old = part.tx.get(keyOf({ collection, id }));
    const latest = old === undefined ? '' : latestOf(old);
    if (latest > this.#after) this.#after = latest;
  }

  start(last: string): string {
    const { rules, now } = this.env;
    this.#hlc = rules.nextHlc(last, now, this.#after === '' ? [] : [this.#after]);
    for (const part of this.#parts.values()) part.life = lifeOf(part.tx);
    return this.#hlc;
  }

  note(write: ProjectWrite, previous: Row | undefined, document: Row): void {
    const project = this.#options.projects.of(write);
    const part = project === undefined ? undefined : this.#parts.get(project);
    if (part === undefined || !isFollowed(this.env, write)) return;
    const { tx, edits, life } = part;
    const { env } = this;
    const key = keyOf(write);
    const stamp: Stamp = { life, hlc: this.#hlc };
    let old = tx.get(key);
    if (old === undefined && previous !== undefined && !previous._deleted) {
      // The document was there before its project took part, and is not counted yet.
      old = docOfRow(env, write.collection, previous, life);
      tx.give(key, previous);
      storeDoc(tx, env, old);
    }
    if (old === undefined && document._deleted) return;
    tx.give(key, document);
    const kind = kindOf(env, write.collection, write.object);
    const edited = editOf(kind, old, write, document, stamp, unsentAt(tx, life));
    // The stored data changes also when no field that is copied does.
    storeDoc(tx, env, edited.doc);
    if (edited.paths?.length === 0) return;
    const before = edits.get(key);
    const paths = before?.paths && edited.paths ? [...new Set([...before.paths, ...edited.paths])] : undefined;
    edits.set(key, { doc: edited.doc, paths: before === undefined ? edited.paths : paths });
  }

  end(): string {
    const { rules, now } = this.env;
    for (const { tx, edits, life } of this.#parts.values()) {
      if (edits.size === 0) continue;
      const list = [...edits.values()];
      const docs = list.map(({ doc }) => doc);
      appendRow(tx, this.env, { life, hlc: this.#hlc, from: tx.node().id, lane: laneOf(docs) }, list);
      countMade(tx, docs);
      tx.settleNames();
    }
    // A document from a clock that is far ahead does not move this clock, but the write has a later time than that document.
    const { db } = this.#options;
    const clock = rules.receive(rules.nextHlc(String(db.getMeta(CLOCK_KEY) ?? NO_TIME), now, []), now, this.#hlc);
    if (this.#hlc > clock && this.#hlc > String(db.getMeta(AHEAD_KEY) ?? '')) db.setMeta(AHEAD_KEY, this.#hlc);
    return clock;
  }
}

function editOf(
  kind: KindRule,
  old: Doc | undefined,
  write: ProjectWrite,
  document: Row,
  stamp: Stamp,
  isUnsent: (value: Value) => boolean,
): Edited {
  if (document._deleted) {
    if (old === undefined || old.dead) return { doc: old as Doc, paths: [] };
    return { doc: deleteDoc(old, stamp), paths: ['_deleted'] };
  }
  const { data } = withText(document);
  if (old === undefined) {
    const { doc } = createDoc(kind, write, data, stamp);
    return { doc: withCreated(kind, doc, document.created_at, stamp), paths: undefined };
  }
  return editDoc(kind, old, data, stamp, write.chosen, isUnsent);
}
