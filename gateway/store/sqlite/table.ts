/** The table of one collection: its columns and indexes, and the statements that write a document into it. */
import type { RxDocumentData, RxJsonSchema } from 'rxdb/plugins/core';
import { splitText } from '#store/base/body.ts';
import { addChecksums } from './add-checksums.ts';
import { checksumOf, checksumsKey } from './checksum.ts';
import {
  type Column,
  type ColumnValue,
  columnsOf,
  distinct,
  type Field,
  fieldAt,
  type IndexSpec,
  pathOf,
  quote,
} from './columns.ts';
import type { Connection } from './connection.ts';
import type { Reader, Row, RowDb } from './rows.ts';
import { textKey } from './text-key.ts';
import { headKey } from './transaction-writer.ts';

/** A document, with those fields of RxDB that the table uses. */
export interface Document {
  readonly _deleted: boolean;
  readonly _rev: string;
  readonly _meta: { readonly lwt: number };
}

/** The stored row of a document: revision, JSON text, checksum and bytes. */
export interface StoredRow {
  readonly rev: string;
  readonly data: Row[number] | undefined;
  readonly checksum: Row[number] | undefined;
  readonly body: Row[number] | undefined;
}

/** What a row stores of a document: its JSON text without its bytes, and its bytes. */
export interface Content {
  readonly text: string;
  readonly body: Uint8Array | null;
}

/** Column with the number of a row in the change feed of its part. A part is one value of the field `partBy`, such as a project. */
const PART_SEQ = 'part_seq';

/** Column with the bytes of a document, see `store/base/body.ts`. It is the last column, so that reads of other columns do not read it. */
const BODY = 'body';

/** Columns that every table has, by path. The column of the primary key is added for each table. */
const FIXED = { _deleted: 'del', '_meta.lwt': 'lwt' } as const;

export class Table {
  /** The name of the table in SQL, in quotes. */
  readonly name: string;
  /** Path of the primary key. */
  readonly primary: string;
  /** SQL name of the table of attachments, in quotes; undefined if the schema has no attachments. */
  readonly attachments: string | undefined;
  readonly columns: readonly Column[];
  /** The column whose values have their own change feeds, such as the project; undefined if the table has only one feed. */
  readonly part: Column | undefined;
  /** True if documents may have bytes. The table then has a column for them. */
  readonly hasBodies: boolean;
  /** The columns that `Connection.parse` needs, as SQL. */
  readonly content: string;
  /** The same columns for a statement in which the table has the alias `r`. */
  readonly contentOfR: string;
  /** True if all rows have checksums. False for some time after a data folder of an earlier version was opened. */
  hasAllChecksums = false;
  /** The name of the table without quotes. */
  readonly plainName: string;
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
    {
      columns = [],
      partPath,
      hasBodies = false,
    }: {
      readonly columns?: readonly string[];
      readonly partPath?: string | undefined;
      readonly hasBodies?: boolean;
    } = {},
  ) {
    this.plainName = distinct(plainName);
    this.hasBodies = hasBodies;
    this.content = hasBodies ? `data, sum, ${BODY}` : 'data, sum, NULL';
    this.contentOfR = hasBodies ? `r.data, r.sum, r.${BODY}` : 'r.data, r.sum, NULL';
    this.name = quote(this.plainName);
    this.primary = primary;
    this.#schema = schema;
    this.#specs = specs;
    this.attachments = schema.attachments ? quote(`${this.plainName}/attachments`) : undefined;
    const indexed = specs.flatMap((spec) => [...spec.paths, ...(spec.object === undefined ? [] : ['object'])]);
    const extra = [...indexed, ...columns];
    if (partPath !== undefined) extra.push(partPath);
    this.columns = columnsOf(schema, extra, new Set([primary, ...Object.keys(FIXED)]));
    this.part = this.columns.find(({ path }) => path === partPath);
    this.#byPath = new Map([
      [primary, 'id'],
      ...Object.entries(FIXED),
      ...this.columns.map((column): [string, string] => [column.path, column.name]),
    ]);
    const names = [
      ...(hasBodies ? [BODY] : []),
      ...(this.part ? [PART_SEQ] : []),
      ...this.columns.map(({ name }) => name),
    ];
    const marks = ', ?'.repeat(names.length);
    this.#insert = `INSERT INTO ${this.name} (id, seq, rev, del, lwt, data, sum${names.map((name) => `, ${name}`).join('')}) VALUES (?, ?, ?, ?, ?, ?, ?${marks})`;
    this.#select = `SELECT rev, ${this.content} FROM ${this.name} WHERE id=?`;
  }

  /** Returns the SQL name of the column for this path, in quotes; undefined if the path has no column. */
  column(path: string): string | undefined {
    return this.#byPath.get(path);
  }

  /** Returns the scalar field that the schema guarantees at this path; undefined if there is none. */
  field(path: string): Field | undefined {
    return fieldAt(this.#schema, path);
  }

  /**
   * Creates the table, and its missing columns and indexes. Drops indexes that are not used any more. Call it only inside the callback of a
   * write (`Writing.run`).
   */
  prepare(connection: Connection): void {
    connection.execute(
      `CREATE TABLE IF NOT EXISTS ${this.name}
       (id TEXT PRIMARY KEY NOT NULL, seq INTEGER NOT NULL, rev TEXT NOT NULL, del INTEGER NOT NULL, lwt REAL NOT NULL, data TEXT NOT NULL, sum INTEGER${this.part ? `, ${PART_SEQ} INTEGER` : ''})`,
    );
    if (this.attachments) {
      connection.execute(
        `CREATE TABLE IF NOT EXISTS ${this.attachments}
         (document TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, type TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (document, name))`,
      );
    }
    this.#addColumns(connection);
    this.#buildIndexes(connection);
    this.addChecksums(connection);
    connection.sealSchema();
  }

  /**
   * Adds checksums to some rows that an earlier version wrote without checksums. Call it only inside the callback of a write
   * (`Writing.run`).
   */
  addChecksums(connection: Connection): void {
    this.hasAllChecksums = addChecksums(connection, this.plainName, this.hasBodies);
  }

  drop(connection: Connection): void {
    connection.execute(`DROP TABLE IF EXISTS ${this.name}`);
    if (this.attachments) connection.execute(`DROP TABLE IF EXISTS ${this.attachments}`);
    connection.execute('DELETE FROM rx_meta WHERE key=?', checksumsKey(this.plainName));
    connection.dropParts(this.plainName);
    connection.sealSchema();
  }

  /** Returns the stored row of a document, including changes of the running transaction. */
  peek(connection: RowDb, id: string): StoredRow | undefined {
    const row = connection.peek(this.#select, textKey(id));
    return row && { rev: String(row[0]), data: row[1], checksum: row[2], body: row[3] };
  }

  /** Returns a document with a damaged JSON text, without its data: the function reads the other fields from the columns of the row. */
  fromColumns<T>(connection: RowDb, id: string): T {
    const names = this.columns.filter(({ path }) => !path.startsWith('data.'));
    const list = names.map(({ name }) => `, ${name}`).join('');
    const row = connection.peek(`SELECT rev, del, lwt${list} FROM ${this.name} WHERE id=?`, textKey(id)) ?? [];
    const [rev, del, lwt, ...values] = row;
    const fields = Object.fromEntries(names.map(({ path }, i) => [path, values[i]]));
    const revision = Number(String(rev).split('-')[0]);
    const fixed = { [this.primary]: id, _rev: rev, _deleted: del === 1, _meta: { lwt }, _attachments: {} };
    return { ...fields, revision, data: {}, ...fixed } as T;
  }

  /** Replaces a document whose JSON text is damaged. Call it only inside the callback of a write (`Writing.run`). */
  replace(connection: RowDb, seq: number, id: string, document: Document, content: Content): void {
    this.erase(connection, id);
    this.insert(connection, seq, id, document, content);
  }

  /** Deletes the row of a document, without a tombstone. Call it only inside the callback of a write (`Writing.run`). */
  erase(connection: RowDb, id: string): void {
    connection.execute(`DELETE FROM ${this.name} WHERE id=?`, textKey(id));
  }

  /** Returns the content of a document that RxDB writes. */
  contentOf(document: Document): Content {
    if (!this.hasBodies || !('data' in document)) return { text: JSON.stringify(document), body: null };
    const { rest, body } = splitText(document.data as Record<string, unknown>);
    return { text: JSON.stringify({ ...document, data: rest }), body };
  }

  /** Inserts a new document. Call it only inside the callback of a write (`Writing.run`). */
  insert(
    connection: RowDb,
    seq: number,
    id: string,
    document: Document,
    { text, body } = this.contentOf(document),
  ): void {
    const values: (ColumnValue | Uint8Array)[] = this.columns.map((column) => column.read(document));
    if (this.part) values.unshift(this.#nextOfPart(connection, document));
    if (this.hasBodies) values.unshift(body);
    const deleted = Number(document._deleted);
    connection.execute(
      this.#insert,
      textKey(id),
      seq,
      document._rev,
      deleted,
      document._meta.lwt,
      text,
      checksumOf(text, body),
      ...values,
    );
  }

  /**
   * Replaces a document. Sets only the columns that changed, so that SQLite does not update the other indexes. Call it only inside the
   * callback of a write (`Writing.run`).
   */
  update(
    connection: RowDb,
    seq: number,
    id: string,
    document: Document,
    previous: Document,
    { text, body } = this.contentOf(document),
  ): void {
    let changed = '';
    const values: (ColumnValue | Uint8Array)[] = [];
    if (this.hasBodies) {
      changed += `, ${BODY}=?`;
      values.push(body);
    }
    if (this.part) {
      changed += `, ${PART_SEQ}=?`;
      values.push(this.#nextOfPart(connection, document));
    }
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
    const sql = `UPDATE ${this.name} SET seq=?, rev=?, lwt=?, data=?, sum=?${changed} WHERE id=?`;
    connection.execute(
      sql,
      seq,
      document._rev,
      document._meta.lwt,
      text,
      checksumOf(text, body),
      ...values,
      textKey(id),
    );
  }

  #nextOfPart(connection: RowDb, document: Document): number {
    return connection.nextOfPart(this.plainName, String(this.part?.read(document) ?? ''));
  }

  /** Returns the changes of one part after a number, oldest first, with tombstones: number, JSON text, checksum and bytes. */
  feed(read: Reader, part: string, after: number, limit: number): Row[] {
    const index = this.index('feed');
    const sql = `SELECT ${PART_SEQ}, ${this.content} FROM ${this.name} INDEXED BY ${index}
      WHERE ${this.part?.name}=? AND ${PART_SEQ}>? ORDER BY ${PART_SEQ} LIMIT ?`;
    return read.all(sql, textKey(part), after, limit);
  }

  /** Returns the number of the last change of a part; 0 if there was none. */
  head(connection: Connection, read: Reader, part: string): number {
    return Number(connection.metaOf(read, headKey(this.plainName, textKey(part))) ?? 0);
  }

  #addColumns(connection: Connection): void {
    const present = new Set(
      connection.peekAll(`SELECT name FROM pragma_table_info(?)`, this.plainName).map(([name]) => name),
    );
    this.#retireColumns(connection, [...present].map(String));
    if (!present.has('sum')) connection.execute(`ALTER TABLE ${this.name} ADD COLUMN sum INTEGER`);
    const added = this.columns.filter((column) => !present.has(column.plain));
    for (const { name } of added) connection.execute(`ALTER TABLE ${this.name} ADD COLUMN ${name}`);
    if (this.hasBodies && !present.has(BODY)) connection.execute(`ALTER TABLE ${this.name} ADD COLUMN ${BODY} BLOB`);
    if (added.length > 0) this.#fill(connection, added);
    if (this.part && !present.has(PART_SEQ)) this.#numberParts(connection, this.part.name);
  }

  /** Renames columns that this version does not write. If a later version uses the column again, it is created and filled anew. */
  #retireColumns(connection: Connection, present: readonly string[]): void {
    const wanted = new Set(this.columns.map(({ plain }) => plain));
    for (const plain of present) {
      if (pathOf(plain) === undefined || wanted.has(plain)) continue;
      let n = 1;
      while (present.includes(`gone ${n}${plain}`)) n++;
      connection.execute(`ALTER TABLE ${this.name} RENAME COLUMN ${quote(plain)} TO ${quote(`gone ${n}${plain}`)}`);
    }
  }

  /**
   * Gives each document a number in the change feed of its part (such as its project). An earlier version created tables without these
   * numbers.
   */
  #numberParts(connection: Connection, part: string): void {
    connection.execute(`ALTER TABLE ${this.name} ADD COLUMN ${PART_SEQ} INTEGER`);
    connection.execute(
      `UPDATE ${this.name} SET ${PART_SEQ}=number FROM
       (SELECT rowid AS row, row_number() OVER (PARTITION BY ${part} ORDER BY seq) AS number FROM ${this.name})
       WHERE rowid=row`,
    );
    const heads = `SELECT ifnull(${part}, ''), max(${PART_SEQ}) FROM ${this.name} GROUP BY ${part}`;
    for (const [key, seq] of connection.peekAll(heads)) {
      connection.setMeta(headKey(this.plainName, String(key)), Number(seq));
    }
  }

  /** Fills added columns from the stored documents, 500 documents at a time, to limit the memory. */
  #fill(connection: Connection, added: readonly Column[]): void {
    const update = `UPDATE ${this.name} SET ${added.map((column) => `${column.name}=?`).join(', ')} WHERE id=?`;
    let after: string | null = '';
    while (after !== null) {
      const sql = `SELECT id, ${this.content} FROM ${this.name} WHERE id>? ORDER BY id LIMIT 500`;
      const rows = connection.peekAll(sql, after);
      for (const [id, data, checksum, body] of rows) {
        const document = connection.parse<object>(data, checksum, body);
        connection.execute(update, ...added.map((column) => column.read(document)), String(id));
      }
      const last = rows.at(-1);
      after = last ? String(last[0]) : null;
    }
  }

  #buildIndexes(connection: Connection): void {
    const wanted = this.#wantedIndexes();
    const sql = "SELECT name, sql FROM sqlite_schema WHERE type='index' AND tbl_name=? AND sql IS NOT NULL";
    const present = new Map(
      connection.peekAll(sql, this.plainName).map(([name, text]) => [String(name), String(text)]),
    );
    for (const [name, text] of present) {
      if (wanted.get(name) !== text) connection.execute(`DROP INDEX ${quote(name)}`);
    }
    for (const [name, text] of wanted) if (present.get(name) !== text) connection.execute(text);
  }

  #wantedIndexes(): Map<string, string> {
    const wanted = new Map<string, string>();
    const add = (name: string, columns: readonly string[], where = '', unique = ''): void => {
      const full = `${this.plainName}:${name}`;
      wanted.set(full, `CREATE ${unique}INDEX ${quote(full)} ON ${this.name} (${columns.join(', ')})${where}`);
    };
    add('seq', ['seq'], '', 'UNIQUE ');
    if (this.part) add('feed', [this.part.name, PART_SEQ], '', 'UNIQUE ');
    add('tombstones', ['lwt'], ' WHERE del=1');
    for (const index of this.#schema.indexes ?? []) {
      const paths = [index].flat();
      // RxDB's schema contains an index for its change feed. This storage uses the index on `seq` instead.
      if (paths.includes('_meta.lwt')) continue;
      // The schema also contains an index for the order of ids. The primary key has that order already.
      if (paths.every((path) => path === '_deleted' || path === this.primary)) continue;
      add(paths.join(','), this.#columnsFor(paths));
    }
    for (const spec of this.#specs) {
      const where = spec.object === undefined ? 'del=0' : `${this.column('object')}=${literal(spec.object)} AND del=0`;
      add(spec.name, this.#columnsFor(spec.paths), ` WHERE ${where}`);
    }
    return wanted;
  }

  /** Returns the SQL name of an index, in quotes. */
  index(name: string): string {
    return quote(`${this.plainName}:${name}`);
  }

  #columnsFor(paths: readonly string[]): string[] {
    return paths.map((path) => this.column(path) ?? 'id');
  }
}

/** Returns a text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
