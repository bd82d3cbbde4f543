/**
 * The workspace of a transaction: tables in memory that have the rows which the transaction reads. The code of transactions
 * (`store/sqlite/commit.ts`, `store/sync/sync-tx.ts`) is synchronous and the same for both engines. Here it runs on the workspace:
 *
 *   attempt 1: reads rows that are not here -> their statements are noted, and the attempt is undone
 *   the rows are read from PostgreSQL
 *   attempt 2: ... until an attempt finds every row -> the rows that it changed are written to PostgreSQL
 *
 * An attempt goes on after a row that is not here, as if PostgreSQL had none. So it finds most of the rows that it needs at once, and two or
 * three attempts are enough.
 */
import type { SQLInputValue } from 'node:sqlite';
import { AUDIT_HEAD_KEY } from '#store/base/audit-chain.ts';
import { parseDocument } from '#store/sqlite/damaged-documents.ts';
import type { Row, RowDb } from '#store/sqlite/rows.ts';
import { keyText, MemoryRows, type RowChange } from './memory-rows.ts';
import { remembered } from './remembered.ts';
import { parseStatement, type Statement } from './statement-parser.ts';
import { runSelect, runWrite } from './statements.ts';
import { SPECS, type TableSpec } from './tables.ts';
import { rowValue, type Value } from './values.ts';

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
  readonly #rows = new MemoryRows();
  /** The statements whose rows are here. */
  readonly #loaded = new Set<string>();
  readonly #counts = new Map<string, Row>();
  /** The tables of which all rows are here. */
  readonly #complete = new Set<string>();
  /** The words that some of the projects of the transaction have and others lack. */
  readonly #partial = new Map<string, RowChange>();
  #misses = new Map<string, Miss>();
  #start: ReadonlyMap<string, string | number> = new Map();
  #values = new Map<string, string | number>();
  #locked: ReadonlySet<string> = new Set();
  readonly #random: Uint8Array[] = [];
  #randomAt = 0;
  /** Projects whose values the attempt needs and the transaction has not locked. */
  #unlocked = new Set<string>();

  /** Begins a transaction over these projects. `values` are the values that `getMeta` returns. */
  begin(projects: ReadonlySet<string>, values: ReadonlyMap<string, string | number>): void {
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
    this.#rows.clear();
    this.#loaded.clear();
    this.#counts.clear();
    this.#complete.clear();
    this.#partial.clear();
    this.#values = new Map();
  }

  /** The values of `setMeta` and the last numbers after the last attempt. */
  get values(): ReadonlyMap<string, string | number> {
    return this.#values;
  }

  /**
   * Adds the rows that a statement reads. `projects`: how many projects take part in the replication. The workspace has one row for a word,
   * so the code of transactions finds it although one of these projects may lack it, and writes rows of that project with its number. So
   * each of them gets the word.
   */
  load(miss: Miss, spec: TableSpec, rows: readonly (readonly Value[])[], projects: number): void {
    this.#loaded.add(keyOf(miss));
    if (miss.sql === allRows(spec.memory)) this.#complete.add(spec.memory);
    const table = this.#rows.table(spec.memory);
    for (const row of rows) {
      const key = table.keyOf(row);
      if (table.get(key) === undefined) table.set(key, row);
    }
    if (spec.project.as !== 'none') return;
    for (const [key, [row = [], ...others]] of Map.groupBy(rows, (row) => table.keyOf(row)))
      if (1 + others.length < projects)
        this.#partial.set(key, { table: spec.memory, operation: 'insert', values: row });
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
    for (const read of reads)
      try {
        read();
      } catch {}
    this.#rows.undo(0);
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
    try {
      for (const call of calls) this.#runOne(call);
      if (this.#misses.size > 0 || this.#unlocked.size > 0) {
        return { misses: [...this.#misses.values()], projects: [...this.#unlocked] };
      }
      const changes = this.#rows.changes();
      return { changes: changes.length === 0 ? [] : [...changes, ...this.#partial.values()] };
    } finally {
      this.#rows.undo(0);
    }
  }

  #runOne(call: Call): void {
    const before = new Map(this.#values);
    const mark = this.#rows.mark();
    try {
      call.outcome = { result: call.run() };
    } catch (error) {
      call.outcome = { error };
      this.#values = before;
      this.#rows.undo(mark);
    }
  }

  execute(sql: string, ...values: SQLInputValue[]): number {
    const { statement, reads } = prepare(sql);
    if (statement.kind === 'select') throw new Error(`this statement changes nothing: ${sql}`);
    const given = values.map(rowValue);
    if (reads !== undefined)
      this.#note(
        reads.whole,
        reads.places.map((place) => given[place] as Value),
      );
    // The attempt is undone, so that what it writes counts for nothing; it goes on to find the other rows that it needs.
    if (this.#misses.size > 0) return 0;
    return runWrite(this.#rows, statement, given);
  }

  peek(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#read(sql, values)[0];
  }

  peekAll(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#read(sql, values);
  }

  #read(sql: string, values: readonly SQLInputValue[]): Row[] {
    const { statement, whole } = prepare(sql);
    if (statement.kind !== 'select' || whole === undefined) throw new Error(`this statement reads nothing: ${sql}`);
    const given = values.map(rowValue);
    const known = this.#note(whole, given);
    if (known === 'missing') return [];
    return known === 'here' ? runSelect(this.#rows, statement, given) : [known];
  }

  /** Notes a statement whose rows are not here. Returns the answer to a statement that counts rows, if it is known. */
  #note({ sql, table }: Whole, values: readonly Value[]): Row | 'missing' | 'here' {
    const miss: Miss = { sql, values };
    const key = keyOf(miss);
    if (this.#loaded.has(key) || this.#complete.has(table)) return 'here';
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

const keyOf = ({ sql, values }: Miss): string => `${sql}\n${keyText(values)}`;

/** A statement that reads complete rows. */
interface Whole {
  readonly sql: string;
  readonly table: string;
}

interface Prepared {
  readonly statement: Statement;
  /** For a statement that reads: the one that reads the complete rows. */
  readonly whole: Whole | undefined;
  /** For a statement that writes: how to read the rows that it changes, deletes or replaces, and which of its values that takes. */
  readonly reads: { readonly whole: Whole; readonly places: readonly number[] } | undefined;
}

const prepare = remembered((sql): Prepared => {
  const statement = parseStatement(sql);
  const whole = statement.kind === 'select' ? { sql: wholeRows(sql), table: statement.table } : undefined;
  const read = rowsOf(sql);
  const reads = read && { whole: { sql: read.sql, table: statement.table }, places: read.places };
  return { statement, whole, reads };
});

const COUNTS = /^SELECT COUNT/;
/** Two statements that differ only in their columns read the same rows, because the workspace has complete rows. */
const LIST = /^SELECT .+? FROM/s;

/** Returns the statement that reads the complete rows of a statement; one that counts rows stays as it is. */
const wholeRows = (sql: string): string => (COUNTS.test(sql) ? sql : sql.replace(LIST, 'SELECT * FROM'));

/** A statement that reads rows, and which values of the writing statement it takes. */
interface RowsRead {
  readonly sql: string;
  readonly places: readonly number[];
}

const allRows = (table: string): string => `SELECT * FROM ${table}`;

const REPLACING = /^INSERT OR REPLACE|ON CONFLICT/;

/** Returns how to read the rows that a statement changes, deletes or replaces; undefined if it only adds rows. */
function rowsOf(sql: string): RowsRead | undefined {
  const change = /^(?:UPDATE|DELETE FROM) ("[^"]+"|\w+)( SET .+?)? (WHERE .+)$/s.exec(sql);
  if (change !== null) {
    const [, table, set = '', where = ''] = change;
    const first = set.split('?').length - 1;
    const count = where.split('?').length - 1;
    return { sql: `SELECT * FROM ${table} ${where}`, places: Array.from({ length: count }, (_, i) => first + i) };
  }
  // A row that is only added replaces none. If its key is in use, PostgreSQL refuses it.
  if (!REPLACING.test(sql)) return undefined;
  const [, table = '', list] =
    /^INSERT(?: OR REPLACE)? INTO "?(\w+)"?(?: \((.+?)\))? VALUES \([?, ]+\)/.exec(sql) ?? [];
  const spec = SPECS.get(table);
  if (spec === undefined || spec.project.as !== 'number') return undefined;
  const columns = list?.split(/,\s*/) ?? spec.columns.map(({ memory }) => memory);
  const keys = [spec.project.column, ...spec.keys];
  return {
    sql: `SELECT * FROM ${table} WHERE ${keys.map((key) => `${key}=?`).join(' AND ')}`,
    places: keys.map((key) => columns.indexOf(key)),
  };
}
