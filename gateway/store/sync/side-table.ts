/** The rows of `sync_docs`: what the replication knows about each document, besides the data in its row. */
import type { Item, NodeRow } from '#domain/sync/store.ts';
import { isMachineScope, toBigInt, toBytes } from './digest-table.ts';
import { GONE, REMOVALS } from './doc-state.ts';
import type { SyncDb } from './sync-db.ts';
import type { Words } from './words.ts';

export interface Side {
  /** The life and the time of most values of the document. */
  readonly life: string;
  readonly hlc: string;
  /** See `doc-state.ts`. */
  readonly state: string | null;
  /** The number of the row of the log that has this fact (see `rowOfFact`); null if no commit in the log has it. */
  readonly n: number | null;
  readonly leaf: number;
  readonly items: readonly Item[];
}

const GONE_STATES = [GONE, ...REMOVALS].map((state) => `'${state}'`).join();
const COLUMNS = 'life, hlc, state, n, leaf, scope, hash, machine, machine_hash';

export class SideTable {
  readonly #db: SyncDb;
  readonly #words: Words;
  readonly #p: number;
  readonly #sides = new Map<string, Side | undefined>();

  constructor(db: SyncDb, words: Words, p: number) {
    this.#db = db;
    this.#words = words;
    this.#p = p;
  }

  read(key: string): Side | undefined {
    if (this.#sides.has(key)) return this.#sides.get(key);
    const row = this.#db.peek(`SELECT ${COLUMNS} FROM sync_docs WHERE p=? AND key=?`, this.#p, key);
    const side = row && this.#sideOf(row);
    this.#sides.set(key, side);
    return side;
  }

  #sideOf([life, hlc, state, n, leaf, scope, hash, machine, machineHash]: readonly unknown[]): Side {
    const items: Item[] = [];
    const at = Number(leaf);
    if (scope !== null) items.push({ scope: this.#words.word(Number(scope)), leaf: at, hash: toBigInt(hash) });
    if (machine !== null)
      items.push({ scope: this.#words.word(Number(machine)), leaf: at, hash: toBigInt(machineHash) });
    return {
      life: this.#words.word(Number(life)),
      hlc: String(hlc),
      state: state === null ? null : String(state),
      n: n === null ? null : Number(n),
      leaf: at,
      items,
    };
  }

  write(key: string, side: Side, isDead = false): void {
    const [item, machine] = [false, true].map((of) => side.items.find(({ scope }) => isMachineScope(scope) === of));
    this.#db.execute(
      `INSERT OR REPLACE INTO sync_docs (p, key, ${COLUMNS}, dead) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[this.#p, key, this.#words.number(side.life), side.hlc, side.state, side.n, side.leaf],
      ...(item === undefined ? [null, null] : [this.#words.number(item.scope), toBytes(item.hash)]),
      ...(machine === undefined ? [null, null] : [this.#words.number(machine.scope), toBytes(machine.hash)]),
      isDead ? 1 : null,
    );
    this.#sides.set(key, side);
  }

  setRow(key: string, side: Side, n: number): void {
    this.#db.execute('UPDATE sync_docs SET n=? WHERE p=? AND key=?', n, this.#p, key);
    this.#sides.set(key, { ...side, n });
  }

  remove(key: string): void {
    this.#db.execute('DELETE FROM sync_docs WHERE p=? AND key=?', this.#p, key);
    this.#sides.set(key, undefined);
  }

  deadKeys(before: string, after: string, limit: number): string[] {
    const sql =
      'SELECT key FROM sync_docs INDEXED BY sync_docs_dead WHERE p=? AND dead=1 AND hlc<? AND key>? ORDER BY key LIMIT ?';
    return this.#db.peekAll(sql, this.#p, before, after, limit).map(([key]) => String(key));
  }

  /** Below the floor of a collection nothing comes back, so nothing must be known about what was removed there. */
  forgetGone(floors: NodeRow['floors']): void {
    for (const [collection, floor] of Object.entries(floors)) {
      const sql = `DELETE FROM sync_docs WHERE p=? AND key>=? AND key<? AND leaf<? AND state IN (${GONE_STATES})`;
      this.#db.execute(sql, this.#p, `${collection}/`, `${collection}0`, floor);
    }
    this.#sides.clear();
  }
}
