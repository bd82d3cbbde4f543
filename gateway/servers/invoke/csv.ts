/** Writes a list as CSV (RFC 4180) for spreadsheets. The declared schema determines the columns. */
import { csvLine } from '#contract/csv.ts';
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, schemaOf } from './json-schemas.ts';

/** A column: the path of its value inside an item, for example `['location', 'name']`. */
type Column = readonly string[];

/**
 * The fields of nested objects get separate columns up to this depth. A deeper object, and every array, becomes one cell with JSON text.
 */
const DEPTH = 3;

/** Returns the columns of a list operation, in the order of its declared fields. */
export function csvColumns(name: OperationName): readonly Column[] {
  const output = schemaOf(name, 'output');
  const defs = output.$defs ?? {};
  const item = (output.properties.data as { items?: JsonSchema }).items ?? {};
  return columnsOf(item, defs, []);
}

function columnsOf(node: JsonSchema, defs: Readonly<Record<string, JsonSchema>>, path: Column): Column[] {
  const schema = resolve(node, defs);
  const { properties } = schema as { properties?: Record<string, JsonSchema> };
  if (properties === undefined || path.length === DEPTH) return [path];
  return Object.entries(properties).flatMap(([key, child]) => columnsOf(child, defs, [...path, key]));
}

/** Replaces a `$ref` by the schema to which it refers. Replaces a schema "X or null" by the schema X. */
function resolve(node: JsonSchema, defs: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (typeof node.$ref === 'string') return resolve(defs[node.$ref.slice('#/$defs/'.length)] ?? {}, defs);
  const [only, ...more] = ((node.anyOf as JsonSchema[] | undefined) ?? []).filter(({ type }) => type !== 'null');
  return only === undefined || more.length > 0 ? node : resolve(only, defs);
}

/** Returns the first line of the CSV file, which has the names of the columns. */
export function csvHead(columns: readonly Column[]): string {
  return csvLine(columns.map((path) => path.join('.')));
}

/** Returns the CSV line of one item. A null or absent value is an empty cell. */
export function csvRow(columns: readonly Column[], item: unknown): string {
  return csvLine(columns.map((path) => path.reduce<unknown>(inside, item)));
}

function inside(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
