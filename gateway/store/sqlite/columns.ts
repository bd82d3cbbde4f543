/** Which paths of a document are real columns, and what value a column holds for a document. */
import type { RxDocumentData, RxJsonSchema } from 'rxdb/plugins/core';
import { textKey } from './text-key.ts';

/** What a column can hold; `any` is a path that the schema does not describe. */
type ColumnType = 'string' | 'number' | 'boolean' | 'any';
export type ColumnValue = string | number | null;

export interface Field {
  readonly type: ColumnType;
  /** May be null in a document. */
  readonly nullable: boolean;
  /** May be absent from a document. */
  readonly optional: boolean;
}

export interface Column extends Field {
  readonly path: string;
  /** Name in the table, unquoted. */
  readonly plain: string;
  /** Quoted SQL name. */
  readonly name: string;
  read(document: object): ColumnValue;
}

/** The parts of a JSON schema that are looked at here. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

/** An SQL identifier in quotes. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name that SQLite, which ignores case, tells from every other: capitals are marked. */
export function distinct(name: string): string {
  return name.replaceAll(/[A-Z^]/g, '^$&');
}

/** The path that a column with this plain name holds; undefined for the fixed ones. */
export function pathOf(plain: string): string | undefined {
  return plain.startsWith('.') ? plain.slice(1).replaceAll(/\^(.)/g, '$1') : undefined;
}

/** The scalar field that the schema promises at a dotted path; undefined where a value of another kind, or an array on the way, is possible. */
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

/** A value as a column holds it: text by its key, booleans as 0 and 1, what is no finite scalar as NULL. */
export function columnValue(value: unknown): ColumnValue {
  if (typeof value === 'string') return textKey(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'boolean' ? Number(value) : null;
}

/** Columns of a table: every path of the schema's indexes and of `extra`, each once, without the fixed ones. */
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
      // the dot keeps a document's field apart from the fixed columns
      plain: `.${distinct(path)}`,
      name: quote(`.${distinct(path)}`),
      ...(fieldAt(schema, path) ?? { type: 'any', nullable: true, optional: true }),
      read: readerOf(path),
    }));
}

/** Reads what the column of a path holds for a document. */
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
