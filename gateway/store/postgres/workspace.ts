/**
 * The workspace of a transaction: a small SQLite database in memory that has the rows which the transaction reads. The code of transactions
 * (`store/sqlite/commit.ts`, `store/sync/sync-tx.ts`) is synchronous and the same for both engines. Here it runs on the workspace:
 *
 *   attempt 1: reads rows that are not here -> their statements are noted, and the attempt is undone
 *   the rows are read from PostgreSQL
 *   attempt 2: ... until an attempt finds every row -> the rows that it changed are written to PostgreSQL
 *
 * An attempt goes on after a row that is not here, as if PostgreSQL had none. So it finds most of the rows that it needs at once, and two or
 * three attempts are enough.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { AUDIT_HEAD_KEY } from '#store/base/audit-chain.ts';
import { parseDocument } from '#store/sqlite/damaged-documents.ts';
import type { Row, RowDb } from '#store/sqlite/rows.ts';
import { StatementCache } from '#store/sqlite/statement-cache.ts';
import { TABLES } from '#store/sync/tables.ts';
import { type RowChange, readChangeset } from './changeset.ts';
import { remembered } from './remembered.ts';
import { SPECS, type TableSpec } from './tables.ts';
import type { Value } from './values.ts';

/** A statement that read rows which are not in the workspace. */
export interface Miss {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** One of the calls that share a transaction. */
export interface Call {
  run(): unknown;
  /** The result of `run` in the last attempt, or the error that it threw. */
  outcome: { readonly result: unknown } | { readonly error: unknown };
}

/** What an attempt needs before the next one, or what it changed. */
export type Attempt =
  | { readonly misses: readonly Miss[]; readonly projects: readonly string[] }
  | { readonly changes: readonly RowChange[] };

export class Workspace implements RowDb {
  readonly canRecover = false;
  readonly #database = new DatabaseSync(':memory:', { returnArrays: true });
  readonly #statements = new StatementCache(this.#database);
  readonly #inserts = new Map<string, string>();
  /** The statements whose rows are here. */
  readonly #loaded = new Set<string>();
  readonly #counts = new Map<string, Row>();
  /** The tables of which all rows are here. */
  readonly #complete = new Set<string>();
  #misses = new Map<string, Miss>();
  #start: ReadonlyMap<string, string | number> = new Map();
  #values = new Map<string, string | number>();
  #locked: ReadonlySet<string> = new Set();
  readonly #random: Uint8Array[] = [];
  #randomAt = 0;
  /** Projects whose values the attempt needs and the transaction has not locked. */
  #unlocked = new Set<string>();

  constructor() {
    for (const { create } of SPECS.values()) if (create !== '') this.#database.exec(create);
    for (const sql of TABLES) this.#database.exec(sql);
    for (const { memory, columns } of SPECS.values()) {
      const names = columns.map((column) => `"${column.memory}"`).join(', ');
      const marks = columns.map(() => '?').join(', ');
      this.#inserts.set(memory, `INSERT OR IGNORE INTO "${memory}" (${names}) VALUES (${marks})`);
    }
  }

  /** Begins a transaction over these projects. `values` are the values that `getMeta` returns. */
  begin(projects: ReadonlySet<string>, values: ReadonlyMap<string, string | number>): void {
    this.#database.exec('BEGIN');
    this.#locked = projects;
    this.#start = values;
  }

  /**
   * Returns random bytes. Each attempt of a transaction gets the same ones, because names that are made from them would be other rows in
   * each attempt.
   */
  random(count: number, make: (count: number) => Uint8Array): Uint8Array {
    const known = this.#random[this.#randomAt];
    const bytes = known?.length === count ? known : make(count);
    this.#random[this.#randomAt++] = bytes;
    return bytes;
  }

  /** Forgets all rows. */
  end(): void {
    this.#random.length = 0;
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#loaded.clear();
    this.#counts.clear();
    this.#complete.clear();
    this.#values = new Map();
  }

  close(): void {
    this.#database.close();
  }

  /** The values of `setMeta` and the last numbers after the last attempt. */
  get values(): ReadonlyMap<string, string | number> {
    return this.#values;
  }

  /** Adds the rows that a statement reads. */
  load(miss: Miss, spec: TableSpec, rows: readonly (readonly Value[])[]): void {
    this.#loaded.add(keyOf(miss));
    if (miss.sql === allRows(spec.memory)) this.#complete.add(spec.memory);
    const insert = this.#statements.prepare(this.#inserts.get(spec.memory) as string);
    for (const row of rows) insert.run(...row);
  }

  /** Adds the answer to a statement that counts rows. */
  loadCount(miss: Miss, count: number): void {
    this.#counts.set(keyOf(miss), [count]);
  }

  /**
   * Runs functions that only read what an attempt will need. Returns the statements whose rows are not here. A function that throws has read
   * less than the attempt needs, and the attempt finds the rest.
   */
  look(reads: readonly (() => void)[]): readonly Miss[] {
    this.#restart();
    this.#database.exec('SAVEPOINT look');
    for (const read of reads)
      try {
        read();
      } catch {}
    this.#database.exec('ROLLBACK TO look; RELEASE look');
    return [...this.#misses.values()];
  }

  #restart(): void {
    this.#misses = new Map();
    this.#unlocked = new Set();
    this.#randomAt = 0;
    this.#values = new Map(this.#start);
  }

  /** Runs the calls. A call that throws has changed nothing, and the others go on. */
  attempt(calls: readonly Call[]): Attempt {
    this.#restart();
    this.#database.exec('SAVEPOINT attempt');
    const session = this.#database.createSession();
    try {
      for (const call of calls) this.#runOne(call);
      if (this.#misses.size > 0 || this.#unlocked.size > 0) {
        return { misses: [...this.#misses.values()], projects: [...this.#unlocked] };
      }
      return { changes: readChangeset(session.changeset()) };
    } finally {
      session.close();
      this.#database.exec('ROLLBACK TO attempt; RELEASE attempt');
    }
  }

  #runOne(call: Call): void {
    const before = new Map(this.#values);
    this.#database.exec('SAVEPOINT call');
    try {
      call.outcome = { result: call.run() };
    } catch (error) {
      call.outcome = { error };
      this.#values = before;
      this.#database.exec('ROLLBACK TO call');
    }
    this.#database.exec('RELEASE call');
  }

  execute(sql: string, ...values: SQLInputValue[]): number {
    const read = rowsOf(sql);
    if (read !== undefined)
      this.#note(
        read.sql,
        read.places.map((place) => values[place] as SQLInputValue),
      );
    // The attempt is undone, so that what it writes counts for nothing; it goes on to find the other rows that it needs.
    if (this.#misses.size > 0) return 0;
    return Number(this.#statements.prepare(sql).run(...values).changes);
  }

  peek(sql: string, ...values: SQLInputValue[]): Row | undefined {
    const known = this.#note(sql, values);
    if (known === 'missing') return undefined;
    return known ?? (this.#statements.prepare(sql).get(...values) as unknown as Row | undefined);
  }

  peekAll(sql: string, ...values: SQLInputValue[]): Row[] {
    if (this.#note(sql, values) === 'missing') return [];
    return this.#statements.prepare(sql).all(...values) as unknown as Row[];
  }

  /** Notes a statement whose rows are not here. Returns the answer to a statement that counts rows, if it is known. */
  #note(sql: string, values: readonly SQLInputValue[]): Row | 'missing' | undefined {
    const miss: Miss = { sql: wholeRows(sql), values: values as Value[] };
    const key = keyOf(miss);
    if (this.#loaded.has(key) || this.#complete.has(tableOf(miss.sql))) return undefined;
    const counted = this.#counts.get(key);
    if (counted !== undefined) return counted;
    this.#misses.set(key, miss);
    return 'missing';
  }

  getMeta(key: string): string | number | undefined {
    if (key === AUDIT_HEAD_KEY && !this.#locked.has(AUDIT_ROW)) this.#unlocked.add(AUDIT_ROW);
    return this.#values.get(key);
  }

  setMeta(key: string, value: string | number): void {
    this.#values.set(key, value);
  }

  nextSeq(): number {
    const next = Number(this.#values.get(SEQ) ?? 0) + 1;
    this.#values.set(SEQ, next);
    return next;
  }

  nextOfPart(name: string, part: string): number {
    if (!this.#locked.has(part)) this.#unlocked.add(part);
    const key = feedKey(name, part);
    const next = Math.max(Number(this.#values.get(FLOOR) ?? 0), Number(this.#values.get(key) ?? 0)) + 1;
    this.#values.set(key, next);
    return next;
  }

  parse<T>(data: unknown, checksum: unknown, body: unknown): T {
    return parseDocument<T>(String(data), checksum, body instanceof Uint8Array ? body : null);
  }

  forgetDamaged(): void {}
}

/** The row of `projects` with the last entry of the audit log, whose chain goes through all projects. */
export const AUDIT_ROW = '#audit';
/** The last number of the changes in all collections of the projects. */
export const SEQ = 'seq';
/** Numbers up to this one may have been used by commits that are lost. */
export const FLOOR = 'floor';

/** Returns the key of the last number in the change feed of a project. */
export const feedKey = (table: string, project: string): string => `feed ${table} ${project}`;

/** Returns a text that differs for each statement with its values. A text in it begins with its length, so that no two are confused. */
function keyOf({ sql, values }: Miss): string {
  let key = sql;
  for (const value of values) {
    if (typeof value === 'string') key += `\n${value.length}:${value}`;
    else key += value instanceof Uint8Array ? `\nx${Buffer.from(value).toString('hex')}` : `\n${typeof value}${value}`;
  }
  return key;
}

const COUNTS = /^SELECT COUNT/;
/** Two statements that differ only in their columns read the same rows, because the workspace has complete rows. */
const LIST = /^SELECT .+? FROM/s;

/** Returns the statement that reads the complete rows of a statement; one that counts rows stays as it is. */
const wholeRows = remembered((sql) => (COUNTS.test(sql) ? sql : sql.replace(LIST, 'SELECT * FROM')));

/** A statement that reads rows, and which values of the writing statement it takes. */
interface RowsRead {
  readonly sql: string;
  readonly places: readonly number[];
}

const allRows = (table: string): string => `SELECT * FROM ${table}`;

/** Returns the table of a statement. */
const tableOf = remembered((sql) => /^SELECT .+? FROM (\w+)/.exec(sql)?.[1] ?? '');

const REPLACING = /^INSERT OR REPLACE|ON CONFLICT/;

/** Returns how to read the rows that a statement changes, deletes or replaces; undefined if it only adds rows. */
const rowsOf = remembered((sql): RowsRead | undefined => {
  const change = /^(?:UPDATE|DELETE FROM) ("[^"]+"|\w+)( SET .+?)? (WHERE .+)$/s.exec(sql);
  if (change !== null) {
    const [, table, set = '', where = ''] = change;
    const first = set.split('?').length - 1;
    const count = where.split('?').length - 1;
    return { sql: `SELECT * FROM ${table} ${where}`, places: Array.from({ length: count }, (_, i) => first + i) };
  }
  // A row that is only added replaces none. If its key is in use, PostgreSQL refuses it.
  if (!REPLACING.test(sql)) return undefined;
  const [, table = '', list] = /^INSERT(?: OR REPLACE)? INTO (\w+)(?: \((.+?)\))? VALUES \([?, ]+\)/.exec(sql) ?? [];
  const spec = SPECS.get(table);
  if (spec === undefined || spec.project.as !== 'number') return undefined;
  const columns = list?.split(/,\s*/) ?? spec.columns.map(({ memory }) => memory);
  const keys = [spec.project.column, ...spec.keys];
  return {
    sql: `SELECT * FROM ${table} WHERE ${keys.map((key) => `${key}=?`).join(' AND ')}`,
    places: keys.map((key) => columns.indexOf(key)),
  };
});
