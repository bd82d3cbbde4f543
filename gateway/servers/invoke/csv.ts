/** A list as CSV (RFC 4180), for spreadsheets: columns from the declared shape, and no cell that a spreadsheet would run. */
import type { OperationName } from '#contract/operations.ts';
import { type JsonSchema, schemaOf } from './json-schemas.ts';

/** Where a cell is found in an item. */
type Column = readonly string[];

/** Objects are unfolded so deep; what lies deeper, and every array, stands as JSON in one cell. */
const DEPTH = 3;

/** The columns of a list operation, in the order of the declaration. */
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

/** Through references, and past the null of what may be null. */
function resolve(node: JsonSchema, defs: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (typeof node.$ref === 'string') return resolve(defs[node.$ref.slice('#/$defs/'.length)] ?? {}, defs);
  const [only, ...more] = ((node.anyOf as JsonSchema[] | undefined) ?? []).filter(({ type }) => type !== 'null');
  return only === undefined || more.length > 0 ? node : resolve(only, defs);
}

/** The first line. */
export function csvHead(columns: readonly Column[]): string {
  return line(columns.map((path) => path.join('.')));
}

/** One item as a line; what is null or absent is an empty cell. */
export function csvRow(columns: readonly Column[], item: unknown): string {
  return line(columns.map((path) => cell(path.reduce<unknown>(inside, item))));
}

function inside(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP: CSV Injection); numbers are no text here. */
function harmless(text: string): string {
  return /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

function line(cells: readonly string[]): string {
  return `${cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')}\r\n`;
}
