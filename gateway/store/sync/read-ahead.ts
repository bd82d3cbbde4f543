/**
 * Reads the rows that a transaction with commits of a gateway will need. The workspace of a transaction in PostgreSQL then gets them in two
 * steps, and the transaction runs once. A row that is forgotten here costs one more run, and a row too many costs its reading; neither
 * changes a result.
 */

import { COLLECTIONS, type CollectionName } from '#contract/base/view.ts';
import { claimsOf } from '#domain/sync/claims.ts';
import type { Brought } from '#domain/sync/cloud.ts';
import { leafOf, machineryScope, scopeOf } from '#domain/sync/digest-items.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import { isCounted } from '#domain/sync/ledger.ts';
import { isOwed, owedBy } from '#domain/sync/owed.ts';
import { keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { isMachinerys, nodeOf, type Value } from '#domain/sync/registers/registers.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import type { RowWriterOptions } from '#store/sqlite/row-writer.ts';
import { DigestTable } from './digest-table.ts';
import { nameDocument } from './local-state.ts';
import { LogTable } from './log-table.ts';
import { SideTable } from './side-table.ts';
import { Words } from './words.ts';

export interface ReadAheadOptions {
  readonly rows: RowWriterOptions;
  readonly project: string;
  readonly p: number;
  readonly env: SyncEnv;
  readonly tx: SyncTx;
}

export function readAhead(options: ReadAheadOptions, { gateway, commits }: Brought): void {
  const { rows, p, tx } = options;
  const words = new Words(rows.connection);
  const log = new LogTable(rows.connection, words, p);
  const tables: Tables = {
    sides: new SideTable(rows.connection, words, p),
    digests: new DigestTable(rows.connection, words, p),
  };
  words.load();
  tx.head();
  tx.life(gateway);
  tx.cloudChannel(gateway);
  tx.quarantined();
  const owes = owedBy(tx, gateway) > 0;
  tx.gaps();
  for (const { key, docs } of commits(options.env)) {
    log.has(key);
    for (const part of docs) {
      if (owes) isOwed(tx, gateway, keyOf(part));
      readPart(options, tables, part);
    }
  }
}

interface Tables {
  readonly sides: SideTable;
  readonly digests: DigestTable;
}

function readPart(options: ReadAheadOptions, { sides, digests }: Tables, part: Part): void {
  const { collection, id, object, registers } = part;
  if (!(COLLECTIONS as readonly string[]).includes(collection)) return;
  const { env } = options;
  const side = sides.read(keyOf(part));
  readRow(options, collection, id);
  if (collection === 'records' && object === 'equipment') readRow(options, 'live', id);
  if (side === undefined) {
    const leaf = leafOf(part);
    const machinery = [...registers].find(([path]) => isMachinerys(path))?.[1];
    if (machinery === undefined || registers.size > 1) digests.sumOf(scopeOf(env, part), leaf);
    if (machinery !== undefined) digests.sumOf(machineryScope(nodeOf((machinery[0] as Value).life)), leaf);
    const fact = isCounted(part) ? registers.get('=')?.[0] : undefined;
    if (fact !== undefined) digests.heldOf(fact.life);
  } else for (const { scope, leaf } of side.items) digests.sumOf(scope, leaf);
  readNames(options, part);
}

/** Reads who has the names that a document gets, and those that it gives up. */
function readNames({ rows, project, env, tx }: ReadAheadOptions, part: Part): void {
  const names = claimsOf(env, { ...part, dead: false });
  if (names.size === 0) return;
  const old = tx.get(keyOf(part));
  for (const name of new Set([...names.keys(), ...(old === undefined ? [] : claimsOf(env, old).keys())])) {
    tx.claims(name);
    const id = nameDocument(project, name);
    if (id !== undefined) rows.instances.local.internals.table.peek(rows.connection, id);
  }
}

function readRow({ rows }: ReadAheadOptions, collection: string, id: string): void {
  rows.instances[collection as CollectionName].internals.table.peek(rows.connection, id);
}
