/** The log of a project: the commits that this node made or took, in their order. */
import type { LogRow, Member } from '#domain/sync/store.ts';
import type { Row } from '#store/sqlite/rows.ts';
import type { SyncDb } from './sync-db.ts';
import type { Words } from './words.ts';

const COLUMNS = 'n, key, chain, life, hlc, lane, giver, members';
const HEX = /^(?:[0-9a-f]{2})*$/;

/** A text of hex digits as bytes, which take half the space; another text as it is. */
const pack = (text: string): string | Uint8Array => (HEX.test(text) ? Buffer.from(text, 'hex') : text);
const unpack = (value: Row[number] | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);

export class LogTable {
  readonly #db: SyncDb;
  readonly #words: Words;
  readonly #p: number;

  constructor(db: SyncDb, words: Words, p: number) {
    this.#db = db;
    this.#words = words;
    this.#p = p;
  }

  append({ n, key, chain, life, hlc, lane, from, members }: LogRow): void {
    this.#db.execute(
      `INSERT INTO sync_log (p, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[this.#p, n, pack(key), pack(chain), this.#words.number(life), hlc, lane, this.#words.number(from)],
      JSON.stringify(members.map(({ collection, id, paths }) => [collection, id, ...(paths ?? [])])),
    );
  }

  row(n: number): LogRow | undefined {
    const row = this.#db.peek(`SELECT ${COLUMNS} FROM sync_log WHERE p=? AND n=?`, this.#p, n);
    return row && this.#rowOf(row);
  }

  rows(after: number, limit: number): LogRow[] {
    const sql = `SELECT ${COLUMNS} FROM sync_log WHERE p=? AND n>? ORDER BY n LIMIT ?`;
    return this.#db.peekAll(sql, this.#p, after, limit).map((row) => this.#rowOf(row));
  }

  trim(last: number): void {
    this.#db.execute('DELETE FROM sync_log WHERE p=? AND n<=?', this.#p, last);
  }

  laneRows(lane: number, after: number, limit: number): LogRow[] {
    const sql = `SELECT ${COLUMNS} FROM sync_log INDEXED BY sync_log_lane WHERE p=? AND lane=? AND n>? ORDER BY n LIMIT ?`;
    return this.#db.peekAll(sql, this.#p, lane, after, limit).map((row) => this.#rowOf(row));
  }

  laneCount(lane: number, after: number): number {
    const sql = 'SELECT COUNT(*) FROM sync_log INDEXED BY sync_log_lane WHERE p=? AND lane=? AND n>?';
    return Number(this.#db.peek(sql, this.#p, lane, after)?.[0] ?? 0);
  }

  has(key: string): boolean {
    return this.#db.peek('SELECT 1 FROM sync_log WHERE p=? AND key=? LIMIT 1', this.#p, pack(key)) !== undefined;
  }

  #rowOf([n, key, chain, life, hlc, lane, giver, members]: Row): LogRow {
    return {
      n: Number(n),
      key: unpack(key),
      chain: unpack(chain),
      life: this.#words.word(Number(life)),
      hlc: String(hlc),
      lane: Number(lane),
      from: this.#words.word(Number(giver)),
      members: (JSON.parse(String(members)) as [string, string, ...string[]][]).map(
        ([collection, id, ...paths]): Member => ({ collection, id, ...(paths.length > 0 && { paths }) }),
      ),
    };
  }
}
