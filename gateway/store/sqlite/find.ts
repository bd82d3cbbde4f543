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
import { INDEXES } from '#contract/base/indexes.ts';
import type { CollectionName, Condition, FindQuery, Scalar } from '#contract/base/view.ts';
import { checkLimit } from '#store/base/envelope.ts';
import { columnValue } from './columns.ts';
import type { Reader } from './rows.ts';
import { type IndexSpec, literal, type Table } from './table.ts';
import { MAX_COST_PER_TURN } from './turn-budget.ts';

/** Up to this many matching live documents, a join starts from them. */
const FEW = 1000;
/** More values than this in one condition are filtered instead of searched one by one. */
const MAX_SEARCHES = 50;
/** Index entries that are filtered in one piece: 5 to 10 ms. */
export const WINDOW = 4000;

const LIST = ['project_id', 'object', 'created_at', 'id'] as const;

type SqlValue = string | number;

/** A found row: stored JSON and its checksum; its place in the list order where several searches are merged. */
export type Found = readonly [data: string, checksum: number | null, created_at?: string, id?: string];

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
  readonly read: <T>(run: (read: Reader) => T, cost?: number) => Promise<T>;
  readonly collection: CollectionName;
  readonly table: Table;
  readonly live: Table;
  /** Null: all projects. */
  readonly project: string | null;
}

/** Runs a list query; throws `RangeError` for a limit that is not 1 to 1,000. */
export async function runFind(context: FindContext, query: FindQuery): Promise<Found[]> {
  checkLimit(query.limit);
  if ([query.where, query.live].some((conditions) => Object.values(conditions ?? {}).some(isImpossible))) return [];
  const first = query.after && { created_at: key(query.after.created_at), id: key(query.after.id) };
  const walks = await context.read((read) => {
    const searches = searchesOf(read, context, query);
    const merged = searches.length > 1;
    return searches.map((search) => step(read, context, { query, search, merged, found: [], next: first }));
  });
  // a window fills a turn
  for (const walk of walks)
    while (walk.next) await context.read((read) => step(read, context, walk), MAX_COST_PER_TURN);
  const found = walks.flatMap((walk) => walk.found);
  if (walks.length === 1) return found;
  const sign = query.order === 'asc' ? 1 : -1;
  return found.sort((a, b) => sign * compare(a, b)).slice(0, query.limit);
}

/** One statement's part of a query: a project, and the condition that chooses the index. */
interface Search {
  readonly project: string | null;
  readonly index: string;
  readonly conditions: readonly (readonly [path: string, condition: Condition])[];
  /** So many of the conditions, from the first, the index answers; the others are filtered. */
  readonly searched: number;
}

function searchesOf(read: Reader, context: FindContext, query: FindQuery): Search[] {
  const { collection, project, table } = context;
  const conditions = Object.entries(query.where ?? {});
  const indexed = new Set(indexedPaths(collection)[query.object]);
  const choice = query.by === undefined ? chooseField(indexed, conditions) : boundOf(indexed, conditions, query.by);
  if (choice) {
    const index = table.index(`${query.object}:${choice[0]}`);
    const rest = conditions.filter((entry) => entry !== choice);
    return valuesOf(choice[1]).map((value) => ({
      project,
      index,
      conditions: [[choice[0], value], ...rest],
      searched: 1,
    }));
  }
  const projects = project === null ? allProjects(read, table) : [project];
  return projects.map((one) => ({ project: one, index: table.index('list'), conditions, searched: 0 }));
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

/** The condition on the field that gives the order. */
function boundOf(
  indexed: ReadonlySet<string>,
  conditions: readonly (readonly [string, Condition])[],
  by: string,
): readonly [string, Condition] {
  const bound = conditions.find(([path]) => path === by && indexed.has(path));
  if (bound === undefined) throw new RangeError(`a list in the order of ${by} needs an index and a bound of it`);
  return bound;
}

function valuesOf(condition: Condition): Condition[] {
  return isList(condition) ? [...new Set(condition)] : [condition];
}

/** A place in the list order, as the columns hold it. */
interface Place {
  readonly created_at: SqlValue;
  readonly id: SqlValue;
}

interface Walk {
  readonly query: FindQuery;
  readonly search: Search;
  /** Others are walked, too. */
  readonly merged: boolean;
  readonly found: Found[];
  /** Where the next step begins; undefined at the list's end, and when enough is found. */
  next: Place | undefined;
}

/**
 * One step of a search. Where a condition is filtered along an index, a step is a window of that index, so that a rare
 * match in a long list does not hold up the process; else it is the whole search.
 *
 *   [ next .. edge ] -> matches, [ edge .. edge ] -> matches, ... until enough or the end
 */
function step(read: Reader, context: FindContext, walk: Walk): Walk {
  const { query, search, found, next } = walk;
  const driver = liveDriver(read, context, query, search);
  const filtered = query.live !== undefined || search.conditions.length > search.searched;
  const windowed = filtered && driver === undefined && walksInOrder(search);
  const edge = windowed ? edgeOf(read, context, query, search, next) : undefined;
  found.push(...selectRows(read, context, walk, driver, edge));
  walk.next = found.length < query.limit ? edge : undefined;
  return walk;
}

/** True when the rows of the chosen index come in list order as they are. */
function walksInOrder({ project, conditions, searched }: Search): boolean {
  return project !== null && conditions.slice(0, searched).every(([, condition]) => isScalar(condition));
}

/** The last entry of the index that a window reaches; undefined when the rest fits into one. */
function edgeOf(
  read: Reader,
  { table }: FindContext,
  query: FindQuery,
  search: Search,
  next: Place | undefined,
): Place | undefined {
  const { where, order, created } = searchedPart(table, query, search, next);
  const sql = `SELECT ${created}, r.id FROM ${table.name} r INDEXED BY ${search.index} WHERE ${where.text} ORDER BY ${order} LIMIT 1 OFFSET ?`;
  const row = read.get(sql, ...where.values, WINDOW - 1);
  return row && { created_at: String(row[0]), id: String(row[1]) };
}

function selectRows(
  read: Reader,
  context: FindContext,
  { query, search, merged, found, next }: Walk,
  driver: string | undefined,
  edge: Place | undefined,
): Found[] {
  const { table, live } = context;
  const { where, order, created } = searchedPart(table, query, search, next);
  for (const [path, condition] of search.conditions.slice(search.searched)) {
    addCondition(where, 'r', table, path, condition);
  }
  if (edge) where.add(`(${created}, r.id) ${query.order === 'asc' ? '<=' : '>='} (?, ?)`, edge.created_at, edge.id);
  let from = `${table.name} r INDEXED BY ${search.index}`;
  if (query.live) {
    where.addAll(liveSide(context, query));
    where.add('r.id=l.id');
    from = driver ? `${driver} CROSS JOIN ${table.name} r` : `${from} CROSS JOIN ${live.name} l`;
  }
  const sql = `SELECT r.data, r.sum${merged ? `, ${created}, r.id` : ''} FROM ${from} WHERE ${where.text} ORDER BY ${order} LIMIT ?`;
  return read.all(sql, ...where.values, query.limit - found.length) as unknown as Found[];
}

/** What the chosen index answers of a search, and the order of its rows. */
function searchedPart(table: Table, query: FindQuery, search: Search, next: Place | undefined) {
  const where = new Where();
  where.add('r.del=0');
  where.add(`${of('r', table, 'object')}=${literal(query.object)}`);
  if (search.project !== null) where.add(`${of('r', table, 'project_id')}=?`, search.project);
  for (const [path, condition] of search.conditions.slice(0, search.searched)) {
    addCondition(where, 'r', table, path, condition);
  }
  const created = of('r', table, 'created_at');
  if (next) where.add(`(${created}, r.id) ${query.order === 'asc' ? '>' : '<'} (?, ?)`, next.created_at, next.id);
  // what is equal there comes as the index has it
  if (query.by !== undefined) return { where, created, order: of('r', table, query.by) };
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  return { where, created, order: `${created} ${direction}, r.id ${direction}` };
}

/** What a join with `live` asks of the live document. */
function liveSide({ live, project }: FindContext, query: FindQuery): Where {
  const side = new Where();
  side.add('l.del=0');
  side.add(`${of('l', live, 'object')}=${literal(query.object)}`);
  if (project !== null) side.add(`${of('l', live, 'project_id')}=?`, project);
  for (const [path, condition] of Object.entries(query.live ?? {})) addCondition(side, 'l', live, path, condition);
  return side;
}

/** The live index to start a join from, when few documents match there and the search has no index of its own. */
function liveDriver(read: Reader, context: FindContext, query: FindQuery, search: Search): string | undefined {
  const { table, live } = context;
  const choice = chooseField(new Set(indexedPaths('live')[query.object]), Object.entries(query.live ?? {}));
  if (!choice || search.index !== table.index('list')) return undefined;
  const driver = `${live.name} l INDEXED BY ${live.index(`${query.object}:${choice[0]}`)}`;
  const side = liveSide(context, query);
  const probe = `SELECT count(*) FROM (SELECT 1 FROM ${driver} WHERE ${side.text} LIMIT ${FEW})`;
  return Number(read.get(probe, ...side.values)?.[0]) < FEW ? driver : undefined;
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

function compare([, , created = '', id = '']: Found, [, , otherCreated = '', otherId = '']: Found): number {
  if (created !== otherCreated) return created < otherCreated ? -1 : 1;
  return id < otherId ? -1 : id > otherId ? 1 : 0;
}
