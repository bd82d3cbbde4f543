/** The digest items of documents, and the sums of their leaves. An item is a part of the row of its document. */
import type { Item, Sum } from '#domain/sync/store.ts';
import { minus, NOTHING, one, plus } from '#domain/sync/sums.ts';
import type { Row } from '#store/sqlite/rows.ts';
import type { SyncDb } from './sync-db.ts';
import type { Words } from './words.ts';

const BYTES = 16;

export const toBytes = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex');

export const toBigInt = (bytes: unknown): bigint => BigInt(`0x${Buffer.from(bytes as Uint8Array).toString('hex')}`);

const sumOf = (row: Row | undefined): Sum =>
  row === undefined ? NOTHING : { n: Number(row[0]), sum: toBigInt(row[1]) };

/** The scope of values of machinery begins with this character; such an item is in columns of its own. */
export const isMachineScope = (scope: string): boolean => scope.startsWith('!');

export class DigestTable {
  readonly #db: SyncDb;
  readonly #words: Words;
  readonly #p: number;

  constructor(db: SyncDb, words: Words, p: number) {
    this.#db = db;
    this.#words = words;
    this.#p = p;
  }

  /** Changes the sums of leaves after the items of a document changed. */
  replace(old: readonly Item[], items: readonly Item[]): void {
    for (const { scope, leaf, hash } of old) {
      const next = items.find((item) => item.scope === scope && item.leaf === leaf);
      if (next === undefined) this.#change(scope, leaf, (sum) => minus(sum, one(hash)));
      else if (next.hash !== hash) this.#change(scope, leaf, (sum) => plus(minus(sum, one(hash)), one(next.hash)));
    }
    for (const { scope, leaf, hash } of items)
      if (!old.some((item) => item.scope === scope && item.leaf === leaf))
        this.#change(scope, leaf, (sum) => plus(sum, one(hash)));
  }

  /** The sum of the facts that this node made in a life and still has. */
  heldOf(life: string): Sum {
    const no = this.#words.number(life);
    return sumOf(this.#db.peek('SELECT n, sum FROM sync_held WHERE p=? AND life=?', this.#p, no));
  }

  /** Changes the sum of the facts that this node made in a life and still has. */
  changeHeld(life: string, change: (sum: Sum) => Sum): void {
    const no = this.#words.number(life);
    const { n, sum } = change(this.heldOf(life));
    const sql = 'INSERT INTO sync_held VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n=excluded.n, sum=excluded.sum';
    this.#db.execute(sql, this.#p, no, n, toBytes(sum));
  }

  held(): Map<string, Sum> {
    const rows = this.#db.peekAll('SELECT life, n, sum FROM sync_held WHERE p=?', this.#p);
    return new Map(rows.map(([life, ...sum]) => [this.#words.word(Number(life)), sumOf(sum)]));
  }

  /** The sum of a leaf. */
  sumOf(scope: string, leaf: number): Sum {
    const no = this.#words.number(scope);
    const sql = 'SELECT n, sum FROM sync_leaves WHERE p=? AND scope=? AND leaf=?';
    return sumOf(this.#db.peek(sql, this.#p, no, leaf));
  }

  #change(scope: string, leaf: number, change: (sum: Sum) => Sum): void {
    const no = this.#words.number(scope);
    const { n, sum } = change(this.sumOf(scope, leaf));
    if (n === 0) this.#db.execute('DELETE FROM sync_leaves WHERE p=? AND scope=? AND leaf=?', this.#p, no, leaf);
    else
      this.#db.execute(
        'INSERT INTO sync_leaves VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n=excluded.n, sum=excluded.sum',
        ...[this.#p, no, leaf, n, toBytes(sum)],
      );
  }

  leaves(scope: string, from: number): (readonly [leaf: number, sum: Sum])[] {
    const no = this.#words.find(scope);
    if (no === undefined) return [];
    const sql = 'SELECT leaf, n, sum FROM sync_leaves WHERE p=? AND scope=? AND leaf>=? ORDER BY leaf';
    return this.#db.peekAll(sql, this.#p, no, from).map(([leaf, ...sum]) => [Number(leaf), sumOf(sum)]);
  }

  /** The keys of documents of a collection in leaves below this one. */
  below(collection: string, leaf: number): string[] {
    const scopes = this.#db.peekAll(
      'SELECT no FROM sync_words WHERE word=? OR (word>=? AND word<?)',
      ...[collection, `${collection}!`, `${collection}"`],
    );
    const sql = 'SELECT key FROM sync_docs INDEXED BY sync_docs_scope WHERE p=? AND scope=? AND leaf<?';
    return scopes.flatMap(([no]) => this.#db.peekAll(sql, this.#p, Number(no), leaf).map(([key]) => String(key)));
  }

  /** The keys of documents in a scope of machinery. */
  ofMachine(scope: string): string[] {
    const no = this.#words.find(scope);
    if (no === undefined) return [];
    const sql = 'SELECT key FROM sync_docs INDEXED BY sync_docs_machine WHERE p=? AND machine=?';
    return this.#db.peekAll(sql, this.#p, no).map(([key]) => String(key));
  }

  items(scope: string, leaf: number): (readonly [key: string, hash: bigint])[] {
    const no = this.#words.find(scope);
    if (no === undefined) return [];
    const [column, hash] = isMachineScope(scope) ? ['machine', 'machine_hash'] : ['scope', 'hash'];
    const sql = `SELECT key, ${hash} FROM sync_docs INDEXED BY sync_docs_${column} WHERE p=? AND ${column}=? AND leaf=?`;
    const found = this.#db
      .peekAll(sql, this.#p, no, leaf)
      .map(([key, bytes]) => [String(key), toBigInt(bytes)] as const);
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
