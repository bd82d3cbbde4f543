/** Documents of the replication as rows of the store, and back. */
import { type CollectionName, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { KindRule } from '#contract/ownership/rule.ts';
import type { Implied } from '#domain/sync/pack.ts';
import { createdPath } from '#domain/sync/registers/created.ts';
import type { Doc } from '#domain/sync/registers/documents.ts';
import { assemble, type Data, decompose } from '#domain/sync/registers/paths.ts';
import { DELETED, nodeOf, type Registers, shownOf, type Value } from '#domain/sync/registers/registers.ts';
import { withBytes, withText } from '#store/base/body.ts';
import { parseTime } from '#store/base/hlc.ts';
import type { MergedRow } from '#store/sqlite/merged-rows.ts';
import type { Row } from '#store/sqlite/row-writer.ts';

/** Splits the key of a document. */
export function splitKey(key: string): [collection: CollectionName, id: string] {
  const at = key.indexOf('/');
  return [key.slice(0, at) as CollectionName, key.slice(at + 1)];
}

const isoOf = (hlc: string): string => new Date(parseTime(hlc).ms).toISOString();

/** The values that the stored data of a document has. */
export function impliedBy(kind: KindRule, row: Pick<Stored, 'data' | 'created_at'>): Implied {
  const implied = decompose(kind, withText(row).data as Data);
  const created = createdPath(kind);
  return created === undefined ? implied : implied.set(created, row.created_at);
}

/** Returns the row of a document that other nodes changed. */
export function rowOf(kind: KindRule, doc: Doc, project: string, previous: Row | undefined): MergedRow {
  const { collection, id, object, registers } = doc;
  const { first, last } = spanOf(registers);
  const created = registers.get(createdPath(kind) ?? '')?.[0]?.v;
  return {
    id,
    project_id: collection === 'records' && object === 'project' && id === project ? NODE_PROJECT : project,
    object,
    hlc: `${last.hlc}-${nodeOf(last.life)}`,
    origin: nodeOf(last.life),
    created_at: typeof created === 'string' ? created : (previous?.created_at ?? isoOf(first.hlc)),
    updated_at: isoOf(last.hlc),
    revision: doc.rev,
    deleted: doc.dead,
    data: doc.dead ? {} : dataOf(kind, registers, previous),
  };
}

/** The data of a document from the values that screens show, with the fields that each node has for itself. */
function dataOf(kind: KindRule, registers: Registers, previous: Row | undefined): Record<string, unknown> {
  const data: Record<string, unknown> = { ...assemble(kind, registers) };
  for (const [field, { owner, start, empty }] of Object.entries(kind.fields ?? {})) {
    if (empty === true && data[field] === null) data[field] = {};
    const own = owner === 'node' ? (previous?.data[field] ?? start) : undefined;
    if (own !== undefined) data[field] = own;
  }
  return withBytes({ data }).data;
}

/** The oldest and the newest value of a document. */
function spanOf(registers: Registers): { readonly first: Value; readonly last: Value } {
  let first: Value | undefined;
  let last: Value | undefined;
  for (const [path, register] of registers) {
    const value = path === DELETED ? register.at(-1) : shownOf(register);
    if (value === undefined) continue;
    if (first === undefined || value.hlc < first.hlc) first = value;
    if (last === undefined || value.hlc > last.hlc) last = value;
  }
  return { first: first as Value, last: last as Value };
}
