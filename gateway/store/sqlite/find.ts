/**
 * Runs list queries as SQL on the tables of the store, without RxDB. The list order is (created_at, id).
 *
 *   with a condition on an indexed field   uses the index of the field (field, project, created_at, id)
 *   without                                uses the list index (project, object, created_at, id)
 *
 * Every statement names its index, so that SQLite's query planner cannot choose another one as the data changes.
 *
 * For a condition with a list of values, one statement runs for each value. For a condition "a text other than these", the different texts
 * of the field are read first (`other-values.ts`). For a query over all projects, one statement runs for each project. The rows of these
 * statements are then merged in list order.
 *
 * The table `live` has the current state of each machine and device, under the id of its record. A condition on this live document is a
 * join with the table `live`. If few live documents match, the join starts from the index of `live`, otherwise from the list.
 */
import type { CollectionName, Condition, FindQuery, OtherThan, Scalar } from '#contract/base/view.ts';
import { checkLimit } from '#store/base/envelope.ts';
import { isOther, MOST_OTHERS, otherField, withTexts } from '#store/base/other-values.ts';
import { columnValue, indexedPaths } from './columns.ts';
import type { Reader } from './rows.ts';
import { literal, type Table } from './table.ts';
import { fromTextKey } from './text-key.ts';
import { MAX_COST_PER_TURN } from './turn-budget.ts';

/** If fewer live documents than this match, a join starts from the live documents. */
const FEW = 1000;
/** For a list of more values than this, the store does not run one statement for each value. The condition then filters rows. */
const MAX_SEARCHES = 50;
/**
 * The largest number of index entries that one statement filters. This takes 5 to 10 ms, and no other code of the process runs during it.
 */
export const WINDOW = 4000;

type SqlValue = string | number;

/** A found row: the columns `Table.content`. If several searches are merged, it also has `created_at` and `id`. */
export type Found = readonly [
  data: string,
  checksum: number | null,
  body: Uint8Array | null,
  created_at?: string,
  id?: string,
];

export interface FindContext {
  readonly read: <T>(run: (read: Reader) => T, cost?: number) => Promise<T>;
  readonly collection: CollectionName;
  readonly table: Table;
  readonly live: Table;
  /** The project to search; null for all projects. */
  readonly project: string | null;
}

/** Runs a list query. Throws `RangeError` for a limit outside 1 to 1,000. */
export async function runFind(context: FindContext, given: FindQuery): Promise<Found[]> {
  checkLimit(given.limit);
  const query = await listed(context, given);
  if ([query.where, query.live].some((conditions) => Object.values(conditions ?? {}).some(isImpossible))) return [];
  const first = query.after && { created_at: key(query.after.created_at), id: key(query.after.id) };
  const walks = await context.read((read) => {
    const searches = searchesOf(read, context, query);
    const merged = searches.length > 1;
    return searches.map((search) => step(read, context, { query, search, merged, found: [], next: first }));
  });
  // A step may filter WINDOW index entries, which takes the whole time budget of one turn of the event loop. So each step counts as a full
  // turn.
  for (const walk of walks)
    while (walk.next) await context.read((read) => step(read, context, walk), MAX_COST_PER_TURN);
  const found = walks.flatMap((walk) => walk.found);
  if (walks.length === 1) return found;
  const sign = query.order === 'asc' ? 1 : -1;
  return found.sort((a, b) => sign * compare(a, b)).slice(0, query.limit);
}

/** Returns the query with lists in place of its conditions "a text other than these" (`other-values.ts`). */
async function listed(context: FindContext, query: FindQuery): Promise<FindQuery> {
  const path = otherField(query, new Set(indexedPaths(context.collection)[query.object]));
  if (path === undefined) return query;
  return withTexts(query, path, await context.read((read) => textsOf(read, context.table, query.object, path)));
}

/** Returns the different texts of an indexed field, with one search for each. After `MOST_OTHERS` it stops. */
function textsOf(read: Reader, table: Table, object: string, path: string): string[] {
  const column = of('r', table, path);
  const kind = `r.del=0 AND ${of('r', table, 'object')}=${literal(object)}`;
  const next = (sign: string, from: string): unknown =>
    read.get(
      `SELECT min(${column}) FROM ${table.name} r INDEXED BY ${table.index(`${object}:${path}`)} WHERE ${kind} AND ${column} ${sign} ?`,
      from,
    )?.[0];
  const texts: string[] = [];
  let last = next('>=', '');
  for (; typeof last === 'string' && texts.length <= MOST_OTHERS; last = next('>', last)) texts.push(fromTextKey(last));
  return texts;
}

/**
 * One search in one index. A query is split into several searches: one for each project, and for each value if the condition on the indexed
 * field has a list of values.
 */
interface Search {
  readonly project: string | null;
  readonly index: string;
  readonly conditions: readonly (readonly [path: string, condition: Condition])[];
  /** The number of leading conditions that the index answers. The statement filters rows by the other conditions. */
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

/**
 * Returns the indexed condition that usually matches the fewest rows: first a condition with a single value, then a short list, then a
 * range.
 */
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

/** Returns the condition on the field by which the query sorts. Throws `RangeError` if the query has no condition on this field. */
function boundOf(
  indexed: ReadonlySet<string>,
  conditions: readonly (readonly [string, Condition])[],
  by: string,
): readonly [string, Condition] {
  const bound = conditions.find(([path]) => path === by && indexed.has(path));
  if (bound === undefined)
    throw new RangeError(`a list sorted by ${by} needs an index on this field and a condition on it`);
  return bound;
}

function valuesOf(condition: Condition): Condition[] {
  return isList(condition) ? [...new Set(condition)] : [condition];
}

/** A position in the list order, given as the values of the columns `created_at` and `id`. */
interface Place {
  readonly created_at: SqlValue;
  readonly id: SqlValue;
}

/** The progress of one search. */
interface Walk {
  readonly query: FindQuery;
  readonly search: Search;
  /** True if the rows of several searches are merged. */
  readonly merged: boolean;
  readonly found: Found[];
  /** The position after which the next step begins; undefined if the search has ended or enough rows are found. */
  next: Place | undefined;
}

/**
 * Runs one step of a search. If the statement must filter the rows of the index, a step reads at most WINDOW entries of the index.
 * Otherwise a search for a rare value in a long list would block the process. If no filter is needed, one step is the complete search.
 *
 *   window 1 -> matches -> window 2 -> matches -> ... until enough rows are found or the index ends
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

/** Returns true if the chosen index returns the rows in list order. */
function walksInOrder({ project, conditions, searched }: Search): boolean {
  return project !== null && conditions.slice(0, searched).every(([, condition]) => isScalar(condition));
}

/**
 * Returns the last index entry of the window (the WINDOW entries that this step reads); undefined if the rest of the index fits into one
 * window.
 */
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
  const sql = `SELECT ${table.contentOfR}${merged ? `, ${created}, r.id` : ''} FROM ${from} WHERE ${where.text} ORDER BY ${order} LIMIT ?`;
  return read.all(sql, ...where.values, query.limit - found.length) as unknown as Found[];
}

/** Returns the conditions that the chosen index answers, and the ORDER BY terms. */
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
  // Rows with the same value in this field are returned in the order of the index.
  if (query.by !== undefined) return { where, created, order: of('r', table, query.by) };
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  return { where, created, order: `${created} ${direction}, r.id ${direction}` };
}

/** Returns the conditions of a join on the live document. */
function liveSide({ live, project }: FindContext, query: FindQuery): Where {
  const side = new Where();
  side.add('l.del=0');
  side.add(`${of('l', live, 'object')}=${literal(query.object)}`);
  if (project !== null) side.add(`${of('l', live, 'project_id')}=?`, project);
  for (const [path, condition] of Object.entries(query.live ?? {})) addCondition(side, 'l', live, path, condition);
  return side;
}

/**
 * Returns the index of `live` from which a join starts. Returns undefined if many live documents match, or if the search uses the index of
 * a field.
 */
function liveDriver(read: Reader, context: FindContext, query: FindQuery, search: Search): string | undefined {
  const { table, live } = context;
  const choice = chooseField(new Set(indexedPaths('live')[query.object]), Object.entries(query.live ?? {}));
  if (!choice || search.index !== table.index('list')) return undefined;
  const driver = `${live.name} l INDEXED BY ${live.index(`${query.object}:${choice[0]}`)}`;
  const side = liveSide(context, query);
  const probe = `SELECT count(*) FROM (SELECT 1 FROM ${driver} WHERE ${side.text} LIMIT ${FEW})`;
  return Number(read.get(probe, ...side.values)?.[0]) < FEW ? driver : undefined;
}

/** Returns all projects that have documents, with one search in the index for each project. */
function allProjects(read: Reader, table: Table): string[] {
  const column = of('r', table, 'project_id');
  const sql = `SELECT min(${column}) FROM ${table.name} r INDEXED BY ${table.index('list')} WHERE r.del=0 AND ${column} > ?`;
  const projects: string[] = [];
  for (let last: unknown = read.get(sql, '')?.[0]; typeof last === 'string'; last = read.get(sql, last)?.[0]) {
    projects.push(last);
  }
  return projects;
}

function compare([, , , created = '', id = '']: Found, [, , , otherCreated = '', otherId = '']: Found): number {
  if (created !== otherCreated) return created < otherCreated ? -1 : 1;
  return id < otherId ? -1 : id > otherId ? 1 : 0;
}

/** Collects the conditions and values of a WHERE clause. */
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

/** Returns the SQL expression of a field: its column, or for a field without a column the value from the JSON text. */
function of(alias: string, table: Table, path: string): string {
  const column = table.column(path);
  if (column) return `${alias}.${column}`;
  if (!/^[\w.]+$/.test(path))
    throw new RangeError(`the path ${path} has characters other than letters, digits, _ and dots`);
  const steps = path.split('.').map((step) => `."${step}"`);
  return `text_key(json_extract(${alias}.data, '$${steps.join('')}'))`;
}

function addCondition(where: Where, alias: string, table: Table, path: string, condition: Condition): void {
  const column = of(alias, table, path);
  if (isList(condition)) addList(where, column, condition);
  else if (isOther(condition)) addOther(where, column, condition);
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

function addOther(where: Where, column: string, { otherThan }: OtherThan): void {
  where.add(`${column} >= '' AND ${column} NOT IN (${otherThan.map(() => '?').join(', ')})`, ...otherThan.map(key));
}

function addRange(where: Where, column: string, operator: string, bound: Scalar): void {
  where.add(`${column} ${operator} ?`, key(bound ?? 0));
  // SQLite sorts all numbers before all texts. This condition excludes numbers from a range of texts, and texts from a range of numbers.
  where.add(typeof bound === 'string' ? `${column} >= ''` : `${column} < ''`);
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Returns the SQL operators and bounds of a range. The list is empty if the condition is a value or a list of values. */
function boundsOf(condition: Condition): [operator: string, bound: Scalar][] {
  if (isScalar(condition) || isList(condition) || isOther(condition)) return [];
  const bounds: [string, Scalar][] = [];
  for (const [name, operator] of Object.entries(OPERATORS)) {
    const bound = condition[name as keyof typeof OPERATORS];
    if (bound !== undefined) bounds.push([operator, bound]);
  }
  return bounds;
}

/** Returns true if no document can match the condition, because it is an empty list of values or a range with a bound of null. */
function isImpossible(condition: Condition): boolean {
  return isList(condition) ? condition.length === 0 : boundsOf(condition).some(([, bound]) => bound === null);
}
