/** Small values of a project, by kind and name, as JSON: channels, lives, ledgers, gap records, commits in quarantine, notes of what is owed. */
import type {
  CloudChannel,
  Gap,
  Ledger,
  Life,
  OwedKey,
  OwedStore,
  Owing,
  Quarantined,
  Sum,
} from '#domain/sync/store.ts';
import type { SyncDb } from './sync-db.ts';

/** How values of a kind become JSON. Sums are larger than the numbers of JSON, and registers are maps. */
interface Codec<T> {
  readonly encode: (value: T) => unknown;
  readonly decode: (json: never) => T;
}

const plain = <T>(): Codec<T> => ({ encode: (value) => value, decode: (json: T) => json });

interface JsonSum {
  readonly n: number;
  readonly sum: string;
}
const encodeSum = ({ n, sum }: Sum): JsonSum => ({ n, sum: sum.toString(16) });
const decodeSum = ({ n, sum }: JsonSum): Sum => ({ n, sum: BigInt(`0x${sum}`) });

interface Kinds {
  readonly cloud: CloudChannel;
  readonly life: Life;
  readonly ledger: Ledger;
  readonly gap: Gap;
  readonly quarantine: Quarantined;
  readonly owing: Owing;
  /** A row of keys. */
  readonly owed: Readonly<Record<string, OwedKey>>;
  /** The key of a document with entries in the inbox. */
  readonly conflict: string;
}

const CODECS: { readonly [K in keyof Kinds]: Codec<Kinds[K]> } = {
  cloud: plain(),
  life: plain(),
  gap: plain(),
  owing: plain(),
  owed: plain(),
  conflict: plain(),
  ledger: {
    encode: ({ life, made, purged }) => ({ life, made: encodeSum(made), purged: encodeSum(purged) }),
    decode: ({ life, made, purged }: { life: string; made: JsonSum; purged: JsonSum }) => ({
      life,
      made: decodeSum(made),
      purged: decodeSum(purged),
    }),
  },
  quarantine: {
    encode: ({ commit, ...entry }) => ({
      ...entry,
      commit: { ...commit, docs: commit.docs.map((part) => ({ ...part, registers: [...part.registers] })) },
    }),
    decode: ({ commit, ...entry }: Quarantined) => ({
      ...entry,
      commit: { ...commit, docs: commit.docs.map((part) => ({ ...part, registers: new Map(part.registers) })) },
    }),
  },
};

export class StateTable {
  readonly #db: SyncDb;
  readonly #p: number;

  constructor(db: SyncDb, p: number) {
    this.#db = db;
    this.#p = p;
  }

  get<K extends keyof Kinds>(kind: K, name: string): Kinds[K] | undefined {
    const row = this.#db.peek('SELECT value FROM sync_state WHERE p=? AND kind=? AND name=?', this.#p, kind, name);
    return row && CODECS[kind].decode(JSON.parse(String(row[0])) as never);
  }

  /** Returns all values of a kind, in the order in which their names were first stored. */
  all<K extends keyof Kinds>(kind: K): Kinds[K][] {
    const sql = 'SELECT value FROM sync_state WHERE p=? AND kind=? ORDER BY rowid';
    return this.#db
      .peekAll(sql, this.#p, kind)
      .map(([value]) => CODECS[kind].decode(JSON.parse(String(value)) as never));
  }

  set<K extends keyof Kinds>(kind: K, name: string, value: Kinds[K]): void {
    const sql = 'INSERT INTO sync_state VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value=excluded.value';
    this.#db.execute(sql, this.#p, kind, name, JSON.stringify(CODECS[kind].encode(value)));
  }

  remove(kind: keyof Kinds, name: string): void {
    this.#db.execute('DELETE FROM sync_state WHERE p=? AND kind=? AND name=?', this.#p, kind, name);
  }
}

export const owedIn = (state: StateTable): OwedStore => ({
  owing: (from) => state.get('owing', from),
  owings: () => state.all('owing'),
  setOwing: (from, owing) => (owing === undefined ? state.remove('owing', from) : state.set('owing', from, owing)),
  keys: (row) => state.get('owed', row) ?? {},
  setKeys: (row, keys) => (Object.keys(keys).length === 0 ? state.remove('owed', row) : state.set('owed', row, keys)),
});
