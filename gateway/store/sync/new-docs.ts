/** Documents that the replication does not know yet, and those that it learns of later than their commit. */
import type { CollectionName } from '#contract/base/view.ts';
import type { KindRule } from '#contract/ownership/rule.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { createdPath } from '#domain/sync/registers/created.ts';
import { type Doc, makeDoc } from '#domain/sync/registers/documents.ts';
import { createDoc } from '#domain/sync/registers/edit.ts';
import { makeValue, type Register, type Stamp } from '#domain/sync/registers/registers.ts';
import { withText } from '#store/base/body.ts';
import type { Row } from '#store/sqlite/row-writer.ts';

/** The collections that are written for each message of a device. Their commits do nothing for the replication; `fold.ts` reads them later. */
const FOLDED: ReadonlySet<CollectionName> = new Set(['live', 'telemetry']);

export const isFolded = (collection: CollectionName): boolean => FOLDED.has(collection);

/** Returns the document with the time at which it was made. */
export function withCreated(kind: KindRule, doc: Doc, created_at: string, stamp: Stamp): Doc {
  const path = createdPath(kind);
  if (path === undefined) return doc;
  const registers = new Map<string, Register>(doc.registers).set(path, [makeValue(path, created_at, stamp)]);
  return makeDoc(doc, registers, doc.rev);
}

/** Makes the document of a row that the replication does not know yet: all its values have the time of the row. */
export function docOfRow(env: SyncEnv, collection: string, row: Row, life: string): Doc {
  const stamp: Stamp = { life, hlc: row.hlc.slice(0, 16) };
  const kind = kindOf(env, collection, row.object);
  const { doc } = createDoc(kind, { collection, id: row.id, object: row.object }, withText(row).data, stamp);
  return withCreated(kind, { ...doc, rev: row.revision }, row.created_at, stamp);
}
