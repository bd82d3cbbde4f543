/**
 * Lists of documents as SQL over the columns of the storage, without RxDB in between.
 *
 *   condition on an indexed field  ->  its index (field, project, created_at, id): rows come in list order
 *   none                           ->  the list index (project, object, created_at, id)
 *
 * - Every statement names its index, so a plan cannot change with the data. A list of values, or a search over all
 *   projects, is one such statement per value and project, merged by (created_at, id).
 * - A condition on a `live` document is one join. It starts from the live index when few documents match there, else
 *   from the records in list order.
 */
import { INDEXES } from '#contract/indexes.ts';
import type { CollectionName, Condition, FindQuery, Scalar } from '#contract/view.ts';
import { columnValue } from './sqlite/columns.ts';
import type { Reader } from './sqlite/connection.ts';
import { type IndexSpec, literal, type Table } from './sqlite/table.ts';

/** The most a find returns. */
const MAX_LIMIT = 1000;
/** Up to this many matching live documents, a join starts from them. */
const FEW = 1000;
/** More values than this in one condition are filtered instead of searched one by one. */
const MAX_SEARCHES = 50;

const LIST = ['project_id', 'object', 'created_at', 'id'] as const;

type SqlValue = string | number;

/** A found row: created_at, id, stored JSON. */
export type Found = readonly [created_at: string, id: string, data: string];

/** The indexes of a house collection: one for plain lists and those that the contract names. */
export function indexSpecs(collection: CollectionName): IndexSpec[] {
  const specs: IndexSpec[] = [{ name: 'list', paths: LIST }];
  for (const [object, paths] of Object.entries(indexedPaths(collection))) {
    for (const path of paths) {
      specs.push({ name: `${object}:${path}`, paths: [path, 'project_id', 'created_at', 'id'], object });
    }
  }
  return specs;
}

function indexedPaths(collection: CollectionName): Readonly<Record<string, readonly string[]>> {
  const all: Partial<Record<CollectionName, Readonly<Record<string, readonly string[]>>>> = INDEXES;
  return all[collection] ?? {};
}

export interface FindContext {
  readonly read: Reader;
  readonly collection: CollectionName;
  readonly table: Table;
  readonly live: Table;
  /** Null: all projects. */
  readonly project: string | null;
}

/** Runs a list query; throws `RangeError` for a limit that is not 1 to 1,000. */
export function runFind(context: FindContext, query: FindQuery): Found[] {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > MAX_LIMIT) {
    throw new RangeError(`limit must be 1 to ${MAX_LIMIT}, not ${query.limit}`);
  }
  if ([query.where, query.live].some((conditions) => Object.values(conditions ?? {}).some(isImpossible))) return [];
  const searches = searchesOf(context, query);
  const found = searches.flatMap((search) => runSearch(context, query, search));
  if (searches.length === 1) return found;
  const sign = query.order === 'asc' ? 1 : -1;
  return found.sort((a, b) => sign * compare(a, b)).slice(0, query.limit);
}

/** One statement's part of a query: a project, and the condition that chooses the index. */
interface Search {
  readonly project: string | null;
  readonly index: string;
  readonly conditions: readonly (readonly [path: string, condition: Condition])[];
}

function searchesOf(context: FindContext, query: FindQuery): Search[] {
  const { collection, project, table, read } = context;
  const conditions = Object.entries(query.where ?? {});
  const indexed = new Set(indexedPaths(collection)[query.object]);
  const choice = chooseField(indexed, conditions);
  if (choice) {
    const index = table.index(`${query.object}:${choice[0]}`);
    const rest = conditions.filter((entry) => entry !== choice);
    return valuesOf(choice[1]).map((value) => ({ project, index, conditions: [[choice[0], value], ...rest] }));
  }
  const projects = project === null ? allProjects(read, table) : [project];
  return projects.map((one) => ({ project: one, index: table.index('list'), conditions }));
}

/** The indexed condition that narrows most: a value, else a few values, else a range. */
function chooseField(
  indexed: ReadonlySet<string>,
  conditions: readonly (readonly [string, Condition])[],
): readonly [string, Condition] | undefined {
  const usable = conditions.filter(([path]) => indexed.has(path));
  return (
    usable.find(([, condition]) => isScalar(condition)) ??
    usable.find(([, condition]) => isList(condition) && condition.length <= MAX_SEARCHES) ??
    usable.find(([, condition]) => boundsOf(condition).length > 0)
  );
}

function valuesOf(condition: Condition): Condition[] {
  return isList(condition) ? [...new Set(condition)] : [condition];
}

function runSearch(context: FindContext, query: FindQuery, search: Search): Found[] {
  const { read, table } = context;
  const where = new Where();
  where.add('r.del=0');
  where.add(`${of('r', table, 'object')}=${literal(query.object)}`);
  if (search.project !== null) where.add(`${of('r', table, 'project_id')}=?`, search.project);
  for (const [path, condition] of search.conditions) addCondition(where, 'r', table, path, condition);
  addKeyset(where, table, query);
  const from = query.live
    ? joinLive(context, query, query.live, search, where)
    : `${table.name} r INDEXED BY ${search.index}`;
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const created = of('r', table, 'created_at');
  const sql = `SELECT ${created}, r.id, r.data FROM ${from} WHERE ${where.text} ORDER BY ${created} ${direction}, r.id ${direction} LIMIT ?`;
  return read.all(sql, ...where.values, query.limit) as unknown as Found[];
}

function addKeyset(where: Where, table: Table, query: FindQuery): void {
  if (!query.after) return;
  const operator = query.order === 'asc' ? '>' : '<';
  const { created_at, id } = query.after;
  where.add(`(${of('r', table, 'created_at')}, r.id) ${operator} (?, ?)`, key(created_at), key(id));
}

/** The FROM of a join with `live`; adds the live conditions to `where`. */
function joinLive(
  context: FindContext,
  query: FindQuery,
  conditions: Readonly<Record<string, Condition>>,
  search: Search,
  where: Where,
): string {
  const { table, live, project, read } = context;
  const side = new Where();
  side.add('l.del=0');
  side.add(`${of('l', live, 'object')}=${literal(query.object)}`);
  if (project !== null) side.add(`${of('l', live, 'project_id')}=?`, project);
  for (const [path, condition] of Object.entries(conditions)) addCondition(side, 'l', live, path, condition);
  where.addAll(side);
  where.add('r.id=l.id');
  const records = `${table.name} r INDEXED BY ${search.index}`;
  const choice = chooseField(new Set(indexedPaths('live')[query.object]), Object.entries(conditions));
  const searched = search.index !== table.index('list');
  if (choice && !searched) {
    const driver = `${live.name} l INDEXED BY ${live.index(`${query.object}:${choice[0]}`)}`;
    const probe = `SELECT count(*) FROM (SELECT 1 FROM ${driver} WHERE ${side.text} LIMIT ${FEW})`;
    if (Number(read.get(probe, ...side.values)?.[0]) < FEW) return `${driver} CROSS JOIN ${table.name} r`;
  }
  return `${records} CROSS JOIN ${live.name} l`;
}

function addCondition(where: Where, alias: string, table: Table, path: string, condition: Condition): void {
  const column = of(alias, table, path);
  if (isList(condition)) addList(where, column, condition);
  else if (isScalar(condition)) addValue(where, column, condition);
  else for (const [operator, bound] of boundsOf(condition)) addRange(where, column, operator, bound);
}

function addValue(where: Where, column: string, value: Scalar): void {
  if (value === null) where.add(`${column} IS NULL`);
  else where.add(`${column}=?`, key(value));
}

function addList(where: Where, column: string, values: readonly Scalar[]): void {
  const known = values.filter((value) => value !== null).map(key);
  const list = `${column} IN (${known.map(() => '?').join(', ')})`;
  where.add(known.length < values.length ? `(${list} OR ${column} IS NULL)` : list, ...known);
}

function addRange(where: Where, column: string, operator: string, bound: Scalar): void {
  where.add(`${column} ${operator} ?`, key(bound ?? 0));
  // SQLite sorts every number before every text; a range stays within its kind
  where.add(typeof bound === 'string' ? `${column} >= ''` : `${column} < ''`);
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The bounds of a range by their operators; none for a value or a list. */
function boundsOf(condition: Condition): [operator: string, bound: Scalar][] {
  if (isScalar(condition) || isList(condition)) return [];
  const bounds: [string, Scalar][] = [];
  for (const [name, operator] of Object.entries(OPERATORS)) {
    const bound = condition[name as keyof typeof OPERATORS];
    if (bound !== undefined) bounds.push([operator, bound]);
  }
  return bounds;
}

/** True when no value can meet it: a list of none, or a range from or to null. */
function isImpossible(condition: Condition): boolean {
  return isList(condition) ? condition.length === 0 : boundsOf(condition).some(([, bound]) => bound === null);
}

/** A column of a table, or the value at a path that has none. */
function of(alias: string, table: Table, path: string): string {
  const column = table.column(path);
  if (column) return `${alias}.${column}`;
  if (!/^[\w.]+$/.test(path)) throw new RangeError(`not a path: ${path}`);
  const steps = path.split('.').map((step) => `."${step}"`);
  return `text_key(json_extract(${alias}.data, '$${steps.join('')}'))`;
}

/** Every project that has documents, one index step each. */
function allProjects(read: Reader, table: Table): string[] {
  const column = of('r', table, 'project_id');
  const sql = `SELECT min(${column}) FROM ${table.name} r INDEXED BY ${table.index('list')} WHERE r.del=0 AND ${column} > ?`;
  const projects: string[] = [];
  for (let last: unknown = read.get(sql, '')?.[0]; typeof last === 'string'; last = read.get(sql, last)?.[0]) {
    projects.push(last);
  }
  return projects;
}

class Where {
  readonly #parts: string[] = [];
  readonly values: SqlValue[] = [];

  add(part: string, ...values: SqlValue[]): void {
    this.#parts.push(part);
    this.values.push(...values);
  }

  addAll(other: Where): void {
    this.#parts.push(...other.#parts);
    this.values.push(...other.values);
  }

  get text(): string {
    return this.#parts.join(' AND ');
  }
}

function key(value: string | number | boolean): SqlValue {
  return columnValue(value) ?? 0;
}

function isScalar(condition: Condition): condition is Scalar {
  return condition === null || typeof condition !== 'object';
}

function isList(condition: Condition): condition is readonly Scalar[] {
  return Array.isArray(condition);
}

function compare(a: Found, b: Found): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
}
