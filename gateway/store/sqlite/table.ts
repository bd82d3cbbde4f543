/** The table of one collection: its columns and indexes, and the statements that write a document into it. */
import type { RxDocumentData, RxJsonSchema } from 'rxdb/plugins/core';
import { type Column, columnsOf, distinct, type Field, fieldAt, quote } from './columns.ts';
import type { Connection } from './connection.ts';
import { textKey } from './text-key.ts';

/** An index beyond those of the RxDB schema. */
export interface IndexSpec {
  /** Unique within the collection. */
  readonly name: string;
  /** Dotted paths, first to last. */
  readonly paths: readonly string[];
  /** Only documents of this `object`. */
  readonly object?: string;
}

/** What every RxDB document has. */
export interface Document {
  readonly _deleted: boolean;
  readonly _rev: string;
  readonly _meta: { readonly lwt: number };
}

/** Fixed columns by path; the primary key is added per table. */
const FIXED = { _deleted: 'del', '_meta.lwt': 'lwt' } as const;

export class Table {
  /** Quoted SQL name. */
  readonly name: string;
  /** Path of the primary key. */
  readonly primary: string;
  /** Quoted name of the table of attachments, when the schema has them. */
  readonly attachments: string | undefined;
  readonly columns: readonly Column[];
  readonly #plain: string;
  readonly #specs: readonly IndexSpec[];
  readonly #schema: Readonly<RxJsonSchema<RxDocumentData<unknown>>>;
  readonly #byPath: ReadonlyMap<string, string>;
  readonly #insert: string;
  readonly #select: string;

  constructor(
    plainName: string,
    primary: string,
    schema: Readonly<RxJsonSchema<RxDocumentData<unknown>>>,
    specs: readonly IndexSpec[],
  ) {
    this.#plain = distinct(plainName);
    this.name = quote(this.#plain);
    this.primary = primary;
    this.#schema = schema;
    this.#specs = specs;
    this.attachments = schema.attachments ? quote(`${this.#plain}/attachments`) : undefined;
    const extra = specs.flatMap((spec) => [...spec.paths, ...(spec.object === undefined ? [] : ['object'])]);
    this.columns = columnsOf(schema, extra, new Set([primary, ...Object.keys(FIXED)]));
    this.#byPath = new Map([
      [primary, 'id'],
      ...Object.entries(FIXED),
      ...this.columns.map((column): [string, string] => [column.path, column.name]),
    ]);
    const names = this.columns.map((column) => `, ${column.name}`).join('');
    const marks = ', ?'.repeat(this.columns.length);
    this.#insert = `INSERT INTO ${this.name} (id, seq, rev, del, lwt, data${names}) VALUES (?, ?, ?, ?, ?, ?${marks})`;
    this.#select = `SELECT rev, data FROM ${this.name} WHERE id=?`;
  }

  /** Quoted column that holds this path, if one does. */
  column(path: string): string | undefined {
    return this.#byPath.get(path);
  }

  /** What the schema promises at this path. */
  field(path: string): Field | undefined {
    return fieldAt(this.#schema, path);
  }

  /** Creates what is missing and drops indexes no longer wanted; inside a write. */
  prepare(connection: Connection): void {
    connection.execute(
      `CREATE TABLE IF NOT EXISTS ${this.name}
       (id TEXT PRIMARY KEY NOT NULL, seq INTEGER NOT NULL, rev TEXT NOT NULL, del INTEGER NOT NULL, lwt REAL NOT NULL, data TEXT NOT NULL)`,
    );
    if (this.attachments) {
      connection.execute(
        `CREATE TABLE IF NOT EXISTS ${this.attachments}
         (document TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, type TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (document, name))`,
      );
    }
    this.#addColumns(connection);
    this.#buildIndexes(connection);
  }

  drop(connection: Connection): void {
    connection.execute(`DROP TABLE IF EXISTS ${this.name}`);
    if (this.attachments) connection.execute(`DROP TABLE IF EXISTS ${this.attachments}`);
  }

  /** Revision and stored text of a document, as the running transaction sees it. */
  peek(connection: Connection, id: string): { rev: string; data: string } | undefined {
    const row = connection.peek(this.#select, textKey(id));
    return row && { rev: String(row[0]), data: String(row[1]) };
  }

  /** Writes a new document inside a write. */
  insert(connection: Connection, seq: number, id: string, document: Document, data = JSON.stringify(document)): void {
    const values = this.columns.map((column) => column.read(document));
    const deleted = Number(document._deleted);
    connection.execute(this.#insert, textKey(id), seq, document._rev, deleted, document._meta.lwt, data, ...values);
  }

  /** Replaces a document inside a write and leaves the indexes of unchanged columns alone. */
  update(
    connection: Connection,
    seq: number,
    id: string,
    document: Document,
    previous: Document,
    data = JSON.stringify(document),
  ): void {
    let changed = '';
    const values: (string | number | null)[] = [];
    if (document._deleted !== previous._deleted) {
      changed += ', del=?';
      values.push(Number(document._deleted));
    }
    for (const column of this.columns) {
      const value = column.read(document);
      if (value === column.read(previous)) continue;
      changed += `, ${column.name}=?`;
      values.push(value);
    }
    const sql = `UPDATE ${this.name} SET seq=?, rev=?, lwt=?, data=?${changed} WHERE id=?`;
    connection.execute(sql, seq, document._rev, document._meta.lwt, data, ...values, textKey(id));
  }

  #addColumns(connection: Connection): void {
    const present = new Set(
      connection.peekAll(`SELECT name FROM pragma_table_info(?)`, this.#plain).map(([name]) => name),
    );
    const added = this.columns.filter((column) => !present.has(column.plain));
    for (const { name } of added) connection.execute(`ALTER TABLE ${this.name} ADD COLUMN ${name}`);
    if (added.length > 0) this.#fill(connection, added);
  }

  /** Gives columns that came later the values of the documents that were there before; a chunk at a time in memory. */
  #fill(connection: Connection, added: readonly Column[]): void {
    const update = `UPDATE ${this.name} SET ${added.map((column) => `${column.name}=?`).join(', ')} WHERE id=?`;
    let after: string | null = '';
    while (after !== null) {
      const rows = connection.peekAll(`SELECT id, data FROM ${this.name} WHERE id>? ORDER BY id LIMIT 500`, after);
      for (const [id, data] of rows) {
        const document: object = JSON.parse(String(data));
        connection.execute(update, ...added.map((column) => column.read(document)), String(id));
      }
      const last = rows.at(-1);
      after = last ? String(last[0]) : null;
    }
  }

  #buildIndexes(connection: Connection): void {
    const wanted = this.#wantedIndexes();
    const sql = "SELECT name, sql FROM sqlite_schema WHERE type='index' AND tbl_name=? AND sql IS NOT NULL";
    const present = new Map(connection.peekAll(sql, this.#plain).map(([name, text]) => [String(name), String(text)]));
    for (const [name, text] of present) {
      if (wanted.get(name) !== text) connection.execute(`DROP INDEX ${quote(name)}`);
    }
    for (const [name, text] of wanted) if (present.get(name) !== text) connection.execute(text);
  }

  #wantedIndexes(): Map<string, string> {
    const wanted = new Map<string, string>();
    const add = (name: string, columns: readonly string[], where = '', unique = ''): void => {
      const full = `${this.#plain}:${name}`;
      wanted.set(full, `CREATE ${unique}INDEX ${quote(full)} ON ${this.name} (${columns.join(', ')})${where}`);
    };
    add('seq', ['seq'], '', 'UNIQUE ');
    add('tombstones', ['lwt'], ' WHERE del=1');
    for (const index of this.#schema.indexes ?? []) {
      const paths = [index].flat();
      // RxDB adds an index for its own change feed; ours is seq
      if (paths.includes('_meta.lwt')) continue;
      // and one for the order of ids, which the primary key has
      if (paths.every((path) => path === '_deleted' || path === this.primary)) continue;
      add(paths.join(','), this.#columnsFor(paths));
    }
    for (const spec of this.#specs) {
      const where = spec.object === undefined ? 'del=0' : `${this.column('object')}=${literal(spec.object)} AND del=0`;
      add(spec.name, this.#columnsFor(spec.paths), ` WHERE ${where}`);
    }
    return wanted;
  }

  /** Quoted full name of one of the indexes given as a spec. */
  index(name: string): string {
    return quote(`${this.#plain}:${name}`);
  }

  #columnsFor(paths: readonly string[]): string[] {
    return paths.map((path) => this.column(path) ?? 'id');
  }
}

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
