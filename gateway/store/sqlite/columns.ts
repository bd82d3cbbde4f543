/** The columns of a table: which fields of a document have a column, and which value the column stores. */

import type { RxDocumentData, RxJsonSchema } from 'rxdb/plugins/core';
import { COLUMNS, INDEXES } from '#contract/base/indexes.ts';
import type { CollectionName } from '#contract/base/view.ts';
import { textKey } from './text-key.ts';

/** The type of the values in a column. `any`: the schema does not describe the field. */
type ColumnType = 'string' | 'number' | 'boolean' | 'any';
export type ColumnValue = string | number | null;

export interface Field {
  readonly type: ColumnType;
  /** True if the field may be null. */
  readonly nullable: boolean;
  /** True if a document may lack the field. */
  readonly optional: boolean;
}

/** An index that the RxDB schema does not have. */
export interface IndexSpec {
  /** Name of the index, unique within the collection. */
  readonly name: string;
  /** Dotted paths of the indexed fields, in the order of the index. */
  readonly paths: readonly string[];
  /** If set, the index contains only documents of this kind. */
  readonly object?: string;
}

export interface Column extends Field {
  readonly path: string;
  /** The name of the column in SQL, without quotes. */
  readonly plain: string;
  /** The name of the column in SQL, in quotes. */
  readonly name: string;
  /** Returns the value of this column for a document. */
  read(document: object): ColumnValue;
}

/** The keywords of JSON Schema that this file reads. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

/** Returns an SQL identifier in quotes. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns a column name for a path. SQLite ignores case in names, so the function puts `^` before each capital letter to keep different
 * paths distinct.
 */
export function distinct(name: string): string {
  return name.replaceAll(/[A-Z^]/g, '^$&');
}

/** Returns the path of the field that a column stores; undefined for the columns that every table has. */
export function pathOf(plain: string): string | undefined {
  return plain.startsWith('.') ? plain.slice(1).replaceAll(/\^(.)/g, '$1') : undefined;
}

/**
 * Returns the field at a dotted path if the schema guarantees one scalar type there. Returns undefined if the field may have several types,
 * or if an array may be on the path.
 */
export function fieldAt<T>(schema: Readonly<RxJsonSchema<RxDocumentData<T>>>, path: string): Field | undefined {
  let node: SchemaNode = schema as SchemaNode;
  let optional = false;
  for (const part of path.split('.')) {
    if (node !== schema && node.type !== 'object') return undefined;
    const properties = node.properties;
    if (!properties || !Object.hasOwn(properties, part)) return undefined;
    optional ||= !node.required?.includes(part);
    node = properties[part] ?? {};
  }
  const types = typeof node.type === 'string' ? [node.type] : (node.type ?? []);
  const kinds = new Set(types.map((type) => (type === 'integer' ? 'number' : type)));
  const nullable = kinds.delete('null');
  const [type, ...others] = kinds;
  if (others.length > 0 || (type !== 'string' && type !== 'number' && type !== 'boolean')) return undefined;
  return { type, nullable, optional };
}

/**
 * Returns a value in the form in which a column stores it: a string as its text key (see `text-key.ts`), a boolean as 0 or 1, objects and
 * NaN as NULL.
 */
export function columnValue(value: unknown): ColumnValue {
  if (typeof value === 'string') return textKey(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'boolean' ? Number(value) : null;
}

/** Returns the columns of a table: one for each path in the schema's indexes or in `extra`, without the paths in `fixed`. */
export function columnsOf<T>(
  schema: Readonly<RxJsonSchema<RxDocumentData<T>>>,
  extra: readonly string[],
  fixed: ReadonlySet<string>,
): Column[] {
  const paths = new Set([...(schema.indexes ?? []).flat(), ...extra]);
  return [...paths]
    .filter((path) => !fixed.has(path))
    .map((path) => ({
      path,
      // The dot distinguishes the names of these columns from the columns that every table has, such as `id`.
      plain: `.${distinct(path)}`,
      name: quote(`.${distinct(path)}`),
      ...(fieldAt(schema, path) ?? { type: 'any', nullable: true, optional: true }),
      read: readerOf(path),
    }));
}

/** Returns a function that reads the column value of a path from a document. */
export function readerOf(path: string): (document: object) => ColumnValue {
  const parts = path.split('.');
  return (document) => {
    let value: unknown = document;
    for (const part of parts) {
      if (typeof value !== 'object' || value === null) return null;
      value = (value as Record<string, unknown>)[part];
    }
    return columnValue(value);
  };
}

const LIST = ['project_id', 'object', 'created_at', 'id'] as const;

/** Returns the indexes of a collection: the list index, and one index for each field that the contract lists in `INDEXES`. */
export function indexSpecs(collection: CollectionName): IndexSpec[] {
  const specs: IndexSpec[] = [{ name: 'list', paths: LIST }];
  for (const [object, paths] of Object.entries(indexedPaths(collection))) {
    for (const path of paths) {
      specs.push({ name: `${object}:${path}`, paths: [path, 'project_id', 'created_at', 'id'], object });
    }
  }
  return specs;
}

/** Returns the fields of a collection that have a column without an index. */
export function plainColumns(collection: CollectionName): readonly string[] {
  const all: Partial<Record<CollectionName, readonly string[]>> = COLUMNS;
  return all[collection] ?? [];
}

/** Returns the fields of a collection that have an index, by kind of document. */
export function indexedPaths(collection: CollectionName): Readonly<Record<string, readonly string[]>> {
  const all: Partial<Record<CollectionName, Readonly<Record<string, readonly string[]>>>> = INDEXES;
  return all[collection] ?? {};
}
