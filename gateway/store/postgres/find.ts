/**
 * List queries in PostgreSQL. Conditions on fields with a column are a part of the statement. PostgreSQL has no column for the other fields,
 * so their conditions are checked here: the statement returns the rows in windows until enough of them match.
 */

import type { CollectionName, Condition, FindQuery, OtherThan, Scalar } from '#contract/base/view.ts';
import { checkLimit } from '#store/base/envelope.ts';
import { isOther, MOST_OTHERS, otherField, withTexts } from '#store/base/other-values.ts';
import { columnValue, indexedPaths, readerOf } from '#store/sqlite/columns.ts';
import { literal } from '#store/sqlite/table.ts';
import { fromTextKey } from '#store/sqlite/text-key.ts';
import { type ColumnSpec, documentColumn, PROJECT, SCHEMA } from './tables.ts';
import { fromColumn, NUMBER_TAG, TEXT_TAG, toKey, toText } from './values.ts';

/** The rows of one window, if rows must be checked here. */
const WINDOW = 500;
const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
type Operator = keyof typeof OPERATORS;

/** A found row: text, checksum and bytes of the document, and of its live document if the query has conditions on it. */
export type FoundRow = readonly [
  data: unknown,
  sum: unknown,
  body: unknown,
  live: unknown,
  created_at: unknown,
  id: unknown,
];

export interface FindSource {
  read(sql: string, values: readonly unknown[]): Promise<unknown[][]>;
}

/** A statement in the making. */
class Statement {
  readonly values: unknown[] = [];
  readonly where: string[] = [];

  /** Adds a value and returns its name in the statement. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A condition that is checked here. */
interface Check {
  readonly side: 'record' | 'live';
  readonly read: (document: object) => ReturnType<typeof columnValue>;
  readonly condition: Condition;
}

/** Runs a list query. `project` null: all projects. */
export async function runFind<T>(
  source: FindSource,
  project: string | null,
  collection: CollectionName,
  given: FindQuery,
  parse: (row: FoundRow) => T,
): Promise<T[]> {
  checkLimit(given.limit);
  checkBy(collection, given);
  const query = await listed(source, collection, given);
  const all = [...Object.values(query.where ?? {}), ...Object.values(query.live ?? {})];
  if (all.some(isImpossible)) return [];
  const checks: Check[] = [];
  const found: T[] = [];
  let after = query.after;
  let offset = 0;
  for (;;) {
    const statement = new Statement();
    checks.length = 0;
    const tail = build(statement, checks, project, collection, { ...query, ...(after !== undefined && { after }) });
    const size = checks.length === 0 ? query.limit : Math.max(WINDOW, query.limit);
    const skip = query.by === undefined ? '' : ` OFFSET ${offset}`;
    const rows = (await source.read(`${tail} LIMIT ${size}${skip}`, statement.values)) as unknown as FoundRow[];
    for (const row of rows) {
      if (checks.every((check) => passes(check, row))) found.push(parse(row));
      if (found.length === query.limit) return found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < size || checks.length === 0) return found;
    after = { created_at: String(last[4]), id: String(last[5]) };
    offset += size;
  }
}

/** Returns the query with lists in place of its conditions "a text other than these" (`other-values.ts`). */
async function listed(source: FindSource, collection: CollectionName, query: FindQuery): Promise<FindQuery> {
  const path = otherField(query, new Set(indexedPaths(collection)[query.object]));
  const column = path === undefined ? undefined : documentColumn(collection, path);
  if (path === undefined || column?.type !== 'key') return query;
  const next = (from: string): string =>
    `SELECT r.${column.name} FROM ${SCHEMA}."${collection}" r WHERE r.del=0 AND r.object=${literal(query.object)} AND r.${column.name} ${from} AND r.${column.name} < $2 ORDER BY r.${column.name} LIMIT 1`;
  const rows = await source.read(
    `WITH RECURSIVE texts(text) AS ((${next('>= $1')}) UNION ALL SELECT (${next('> texts.text')}) FROM texts WHERE texts.text IS NOT NULL) SELECT text FROM texts WHERE text IS NOT NULL LIMIT ${MOST_OTHERS + 1}`,
    [Buffer.of(TEXT_TAG), Buffer.of(TEXT_TAG + 1)],
  );
  const texts = rows.map(([text]) => fromTextKey(String(fromColumn('key', text))));
  return withTexts(query, path, texts);
}

function checkBy(collection: CollectionName, { object, by, where }: FindQuery): void {
  if (by === undefined) return;
  if (indexedPaths(collection)[object]?.includes(by) && where?.[by] !== undefined) return;
  throw new RangeError(`a list sorted by ${by} needs an index on this field and a condition on it`);
}

/** Returns the statement without its limit. */
function build(
  statement: Statement,
  checks: Check[],
  project: string | null,
  collection: CollectionName,
  { object, where, live, order, by, after }: FindQuery,
): string {
  const conditions = statement.where;
  const body = (alias: string, of: CollectionName): string => (of === 'telemetry' ? `${alias}.body` : 'NULL');
  conditions.push('r.del=0', `r.object=${statement.value(object)}`);
  if (project !== null) conditions.push(`r.${PROJECT}=${statement.value(toText(project))}`);
  for (const [path, condition] of Object.entries(where ?? {}))
    addCondition(statement, checks, 'record', collection, path, condition);
  let from = `${SCHEMA}."${collection}" r`;
  if (live !== undefined) {
    from += ` JOIN ${SCHEMA}."live" l ON l.${PROJECT}=r.${PROJECT} AND l.id=r.id AND l.del=0 AND l.object=r.object`;
    for (const [path, condition] of Object.entries(live))
      addCondition(statement, checks, 'live', 'live', path, condition);
  }
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  if (after !== undefined && by === undefined) {
    const [created, id] = [
      statement.value(toText(textOf(after.created_at))),
      statement.value(toText(textOf(after.id))),
    ];
    conditions.push(`(r.created_at, r.id) ${order === 'asc' ? '>' : '<'} (${created}, ${id})`);
  }
  const sort =
    by === undefined ? `r.created_at ${direction}, r.id ${direction}` : `r."${by}", r.${PROJECT}, r.created_at, r.id`;
  const data = live === undefined ? 'NULL' : 'l.data';
  return `SELECT r.data, r.sum, ${body('r', collection)}, ${data}, r.created_at, r.id FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${sort}`;
}

const textOf = (text: string): string => String(columnValue(text) ?? '');

function addCondition(
  statement: Statement,
  checks: Check[],
  side: Check['side'],
  collection: CollectionName,
  path: string,
  condition: Condition,
): void {
  if (!/^[\w.]+$/.test(path))
    throw new RangeError(`the path ${path} has characters other than letters, digits, _ and dots`);
  const column = documentColumn(collection, path);
  if (column === undefined) {
    checks.push({ side, read: readerOf(path), condition });
    return;
  }
  const name = `${side === 'live' ? 'l' : 'r'}.${column.name}`;
  if (isList(condition)) addList(statement, column, name, condition);
  else if (isOther(condition)) addOther(statement, column, name, condition);
  else if (isScalar(condition)) statement.where.push(equals(statement, column, name, condition));
  else for (const [operator, bound] of boundsOf(condition)) addRange(statement, column, name, operator, bound);
}

/** Returns a value as the column stores it; undefined if the column cannot have it. */
function stored({ type }: ColumnSpec, value: Scalar): unknown {
  const known = columnValue(value);
  if (type === 'key') return toKey(known);
  return typeof known === 'string' ? toText(known) : undefined;
}

function equals(statement: Statement, column: ColumnSpec, name: string, value: Scalar): string {
  if (value === null) return `${name} IS NULL`;
  const known = stored(column, value);
  return known === undefined ? 'FALSE' : `${name} = ${statement.value(known)}`;
}

function addList(statement: Statement, column: ColumnSpec, name: string, values: readonly Scalar[]): void {
  const known = values
    .flatMap((value) => (value === null ? [] : [stored(column, value)]))
    .filter((one) => one !== undefined);
  const list = `${name} = ANY(${statement.value(known)}::${column.type === 'key' ? 'bytea[]' : 'text[]'})`;
  statement.where.push(values.includes(null) ? `(${list} OR ${name} IS NULL)` : list);
}

function addOther(statement: Statement, column: ColumnSpec, name: string, { otherThan }: OtherThan): void {
  const known = otherThan.map((value) => stored(column, value));
  const list = `${name} <> ALL(${statement.value(known)}::${column.type === 'key' ? 'bytea[]' : 'text[]'})`;
  statement.where.push(list);
  if (column.type !== 'key') return;
  statement.where.push(`${name} >= ${statement.value(Buffer.of(TEXT_TAG))}`);
  statement.where.push(`${name} < ${statement.value(Buffer.of(TEXT_TAG + 1))}`);
}

function addRange(statement: Statement, column: ColumnSpec, name: string, operator: Operator, bound: Scalar): void {
  const value = stored(column, bound);
  statement.where.push(value === undefined ? 'FALSE' : `${name} ${OPERATORS[operator]} ${statement.value(value)}`);
  if (column.type !== 'key') return;
  // A range of numbers has no texts, and a range of texts no numbers.
  const tag = typeof bound === 'string' ? TEXT_TAG : NUMBER_TAG;
  statement.where.push(
    `${name} >= ${statement.value(Buffer.of(tag))} AND ${name} < ${statement.value(Buffer.of(tag + 1))}`,
  );
}

function boundsOf(condition: Condition): [Operator, Scalar][] {
  if (isScalar(condition) || isList(condition) || isOther(condition)) return [];
  return (Object.keys(OPERATORS) as Operator[]).flatMap((name): [Operator, Scalar][] => {
    const bound = condition[name];
    return bound === undefined ? [] : [[name, bound]];
  });
}

/** True if no document can match. */
function isImpossible(condition: Condition): boolean {
  return isList(condition) ? condition.length === 0 : boundsOf(condition).some(([, bound]) => bound === null);
}

function passes({ side, read, condition }: Check, [data, , , live]: FoundRow): boolean {
  const value = read(JSON.parse(String(side === 'live' ? live : data)) as object);
  if (isList(condition)) return condition.some((one) => columnValue(one) === value);
  if (isScalar(condition)) return columnValue(condition) === value;
  if (isOther(condition))
    return typeof value === 'string' && condition.otherThan.every((one) => columnValue(one) !== value);
  return boundsOf(condition).every(([name, bound]) => {
    const limit = columnValue(bound);
    if (value === null || limit === null || typeof value !== typeof limit) return false;
    const order = orderOf(value, limit);
    if (name === 'gt') return order > 0;
    if (name === 'gte') return order >= 0;
    return name === 'lt' ? order < 0 : order <= 0;
  });
}

const orderOf = (a: string | number, b: string | number): number =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);

const isScalar = (condition: Condition): condition is Scalar => condition === null || typeof condition !== 'object';
const isList = (condition: Condition): condition is readonly Scalar[] => Array.isArray(condition);
