/** The store of one node in memory: the tables of `SyncTx`, transactions that roll back, and copies of the whole state. */

import { OWNERSHIP, type Ownership } from '#contract/ownership/table.ts';
import { NEW_SITE_CHANNEL } from '#domain/sync/channels.ts';
import type { Brought } from '#domain/sync/cloud.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { countedLife } from '#domain/sync/ledger.ts';
import { commitLocal, type LocalWrite } from '#domain/sync/node.ts';
import { type Doc, keyOf } from '#domain/sync/registers/documents.ts';
import { isInInbox } from '#domain/sync/registers/inbox.ts';
import { assemble, type Data } from '#domain/sync/registers/paths.ts';
import { lifeText } from '#domain/sync/registers/registers.ts';
import type {
  Claim,
  CloudChannel,
  Gap,
  Item,
  Ledger,
  Life,
  LogRow,
  NodeRow,
  OwedKey,
  Owing,
  Position,
  Quarantined,
  Removal,
  SiteChannel,
  Sum,
  SyncTx,
} from '#domain/sync/store.ts';
import { minus, NOTHING, one, plus } from '#domain/sync/sums.ts';

interface Leaf {
  sum: Sum;
  readonly items: Map<string, bigint>;
}

interface Tables {
  node: NodeRow;
  readonly docs: Map<string, Doc>;
  /** What people wrote here, until another end changes the document. */
  readonly written: Map<string, Data>;
  readonly items: Map<string, readonly Item[]>;
  readonly leaves: Map<string, Map<number, Leaf>>;
  readonly log: LogRow[];
  /** Rows up to this number were removed. */
  trimmed: number;
  readonly keys: Map<string, number>;
  readonly facts: Map<string, number>;
  site: SiteChannel;
  readonly clouds: Map<string, CloudChannel>;
  readonly lives: Map<string, Life>;
  readonly quarantine: Map<string, Quarantined>;
  readonly owing: Map<string, Owing>;
  readonly owed: Map<string, Readonly<Record<string, OwedKey>>>;
  readonly ledgers: Map<string, Ledger>;
  readonly gaps: Map<string, Gap>;
  readonly claims: Map<string, readonly Claim[]>;
  readonly removals: Map<string, Removal>;
}

const EMPTY_CHANNEL: CloudChannel = { tokens: [], quarantined: [], bundles: [] };

function newTables(node: NodeRow): Tables {
  return {
    node,
    docs: new Map(),
    written: new Map(),
    items: new Map(),
    leaves: new Map(),
    log: [],
    trimmed: 0,
    keys: new Map(),
    facts: new Map(),
    site: NEW_SITE_CHANNEL,
    clouds: new Map(),
    lives: new Map(),
    quarantine: new Map(),
    owing: new Map(),
    owed: new Map(),
    ledgers: new Map(),
    gaps: new Map(),
    claims: new Map(),
    removals: new Map(),
  };
}

function copyTables(of: Tables): Tables {
  const leaves = new Map(
    [...of.leaves].map(([scope, inner]) => [
      scope,
      new Map([...inner].map(([leaf, { sum, items }]) => [leaf, { sum, items: new Map(items) }])),
    ]),
  );
  const copied = Object.entries(of).map(([name, value]) => [name, value instanceof Map ? new Map(value) : value]);
  return { ...Object.fromEntries(copied), leaves, log: [...of.log] } as Tables;
}

/** The store of a node, as the simulator uses it. */
export interface Twin {
  /** The table of the version of this node. */
  ownership: Ownership;
  readonly tx: SyncTx;
  readonly docs: ReadonlyMap<string, Doc>;
  readonly log: readonly LogRow[];
  readonly allClaims: ReadonlyMap<string, readonly Claim[]>;
  readonly channels: ReadonlyMap<string, CloudChannel>;
  /** The life of the node, as text. */
  readonly life: string;
  /** The data of a document as screens show it. */
  shown(env: SyncEnv, doc: Doc): Data;
  /** Runs a transaction. `ahead`: the commits that it takes, whose rows the twin may read before it. */
  run<T>(work: (tx: SyncTx) => T, ahead?: { readonly env: SyncEnv; readonly brought: Brought }): T;
  /** Commits writes of this node. Returns the row of the log, or undefined if nothing changed. */
  commit(env: SyncEnv, writes: readonly LocalWrite[]): LogRow | undefined;
  /** A copy of the whole state, as a backup of the disk. Returns the function that restores it. */
  backup(): () => void;
  /** A node with the same disk. */
  clone(): Twin;
}

export class MemoryTwin implements Twin {
  ownership = OWNERSHIP;
  #tables: Tables;
  #undo: (() => void)[] = [];

  constructor(id: string, token: string) {
    const life = { number: 1, token };
    this.#tables = newTables({ id, life, fresh: true, clock: '0'.repeat(16), floors: {} });
  }

  commit(env: SyncEnv, writes: readonly LocalWrite[]): LogRow | undefined {
    return this.run((tx) => {
      const row = commitLocal(tx, env, writes);
      for (const write of writes) this.#set(this.#tables.written, keyOf(write), write.data);
      return row;
    });
  }

  shown(env: SyncEnv, doc: Doc): Data {
    return this.#tables.written.get(keyOf(doc)) ?? assemble(kindOf(env, doc.collection, doc.object), doc.registers);
  }

  run<T>(work: (tx: SyncTx) => T): T {
    this.#undo = [];
    try {
      return work(this.tx);
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    }
  }

  backup(): () => void {
    const copy = copyTables(this.#tables);
    return () => {
      this.#tables = copyTables(copy);
    };
  }

  clone(): MemoryTwin {
    const other = new MemoryTwin('', '');
    other.#tables = copyTables(this.#tables);
    return other;
  }

  get docs(): ReadonlyMap<string, Doc> {
    return this.#tables.docs;
  }

  get log(): readonly LogRow[] {
    return this.#tables.log;
  }

  get allClaims(): ReadonlyMap<string, readonly Claim[]> {
    return this.#tables.claims;
  }

  get life(): string {
    const { id, life } = this.#tables.node;
    return lifeText(id, life.number, life.token);
  }

  #set<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const old = map.get(key);
    this.#undo.push(() => (old === undefined ? map.delete(key) : map.set(key, old)));
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }

  /** The keys of some documents. */
  #keys(isWanted: (doc: Doc) => boolean): string[] {
    return [...this.#tables.docs].flatMap(([key, doc]) => (isWanted(doc) ? [key] : []));
  }

  #field<K extends 'node' | 'site' | 'trimmed'>(name: K, value: Tables[K]): void {
    const old = this.#tables[name];
    this.#undo.push(() => {
      this.#tables[name] = old;
    });
    this.#tables[name] = value;
  }

  #setItems(key: string, items: readonly Item[]): void {
    const { items: table } = this.#tables;
    for (const { scope, leaf } of table.get(key) ?? []) this.#leafItem(scope, leaf, key, undefined);
    for (const { scope, leaf, hash } of items) this.#leafItem(scope, leaf, key, hash);
    this.#set(table, key, items.length === 0 ? undefined : items);
  }

  #leafItem(scope: string, leaf: number, key: string, hash: bigint | undefined): void {
    const { leaves } = this.#tables;
    const inner = leaves.get(scope) ?? new Map<number, Leaf>();
    leaves.set(scope, inner);
    const row = inner.get(leaf) ?? { sum: NOTHING, items: new Map() };
    inner.set(leaf, row);
    const old = row.items.get(key);
    const apply = (from: bigint | undefined, to: bigint | undefined): void => {
      if (from !== undefined) row.sum = minus(row.sum, one(from));
      if (to === undefined) row.items.delete(key);
      else {
        row.items.set(key, to);
        row.sum = plus(row.sum, one(to));
      }
    };
    apply(old, hash);
    this.#undo.push(() => apply(hash, old));
  }

  readonly tx: SyncTx = {
    node: () => this.#tables.node,
    setNode: (row) => this.#field('node', row),
    get: (key) => this.#tables.docs.get(key),
    put: (doc, items) => {
      const key = keyOf(doc);
      this.#set(this.#tables.docs, key, doc);
      this.#set(this.#tables.written, key, undefined);
      this.#set(this.#tables.removals, key, undefined);
      this.#setItems(key, items);
    },
    remove: (key, as) => {
      const { docs, removals } = this.#tables;
      const before = removals.get(key);
      const life = docs.has(key) ? countedLife(this.tx, key) : before?.life;
      const made = docs.get(key)?.registers.get('=')?.[0] ?? before?.made;
      this.#set(docs, key, undefined);
      if (as !== 'aged') this.#setItems(key, []);
      this.#set(removals, key, as && { as, life, ...(as === 'aged' && { made }) });
    },
    removal: (key) => this.#tables.removals.get(key),
    items: (key) => this.#tables.items.get(key) ?? [],
    keysOf: (home) => this.#keys((doc) => doc.home === home),
    deadKeys: (before, after, limit) =>
      this.#keys((doc) => doc.dead && !doc.grave && doc.hlc < before)
        .filter((key) => key > after)
        .sort()
        .slice(0, limit),
    factsBelow: (collection, leaf) =>
      this.#keys((doc) => doc.collection === collection && (this.tx.items(keyOf(doc))[0]?.leaf ?? leaf) < leaf),
    held: () => {
      const held = new Map<string, Sum>();
      for (const key of this.#tables.docs.keys()) {
        const life = countedLife(this.tx, key);
        const item = this.tx.items(key)[0];
        if (life !== undefined && item !== undefined) held.set(life, plus(held.get(life) ?? NOTHING, one(item.hash)));
      }
      return held;
    },
    trimLog: (last) => this.#field('trimmed', Math.max(last, this.#tables.trimmed)),
    head: (): Position => this.#tables.log.at(-1) ?? { n: 0, chain: '' },
    append: (row) => {
      const { log, keys, facts } = this.#tables;
      this.#undo.push(() => log.pop());
      log.push(row);
      this.#set(keys, row.key, row.n);
      for (const member of row.members) {
        const key = keyOf(member);
        const isOwn = row.from === this.#tables.node.id;
        if (member.collection !== 'records' && (isOwn || !facts.has(key))) this.#set(facts, key, row.n);
      }
    },
    row: (n) => (n > this.#tables.trimmed ? this.#tables.log[n - 1] : undefined),
    rows: (after, limit) => {
      const from = Math.max(after, this.#tables.trimmed);
      return this.#tables.log.slice(from, from + limit);
    },
    laneRows: (lane, after, limit) =>
      this.#tables.log
        .slice(Math.max(after, this.#tables.trimmed))
        .filter((row) => row.lane === lane)
        .slice(0, limit),
    laneCount: (lane, after) =>
      this.#tables.log.slice(Math.max(after, this.#tables.trimmed)).filter((row) => row.lane === lane).length,
    hasKey: (key) => this.#tables.keys.has(key),
    rowOfFact: (key) => this.#tables.facts.get(key),
    leaves: (scope, from) =>
      [...(this.#tables.leaves.get(scope) ?? [])]
        .filter(([leaf, { sum }]) => leaf >= from && sum.n > 0)
        .sort(([a], [b]) => a - b)
        .map(([leaf, { sum }]) => [leaf, sum] as const),
    leafItems: (scope, leaf) =>
      [...(this.#tables.leaves.get(scope)?.get(leaf)?.items ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
    siteChannel: () => this.#tables.site,
    setSiteChannel: (channel) => this.#field('site', channel),
    cloudChannel: (gateway) => this.#tables.clouds.get(gateway) ?? EMPTY_CHANNEL,
    setCloudChannel: (gateway, channel) => this.#set(this.#tables.clouds, gateway, channel),
    life: (gateway) => this.#tables.lives.get(gateway),
    setLife: (gateway, life) => this.#set(this.#tables.lives, gateway, life),
    setConflicted: () => {},
    conflicted: () => this.#keys(isInInbox),
    quarantined: () => [...this.#tables.quarantine.values()],
    setQuarantined: (entry) => this.#set(this.#tables.quarantine, entry.key, entry),
    dropQuarantined: (key) => this.#set(this.#tables.quarantine, key, undefined),
    owed: {
      owing: (from) => this.#tables.owing.get(from),
      owings: () => [...this.#tables.owing.values()],
      setOwing: (from, owing) => this.#set(this.#tables.owing, from, owing),
      keys: (row) => this.#tables.owed.get(row) ?? {},
      setKeys: (row, keys) => this.#set(this.#tables.owed, row, keys),
    },
    ledgers: () => [...this.#tables.ledgers.values()],
    setLedger: (ledger) => this.#set(this.#tables.ledgers, ledger.life, ledger),
    gaps: () => [...this.#tables.gaps.values()],
    setGap: (gap) => this.#set(this.#tables.gaps, gap.id, gap),
    claims: (name) => this.#tables.claims.get(name) ?? [],
    setClaims: (name, claims) => this.#set(this.#tables.claims, name, claims.length === 0 ? undefined : claims),
  };

  get channels(): ReadonlyMap<string, CloudChannel> {
    return this.#tables.clouds;
  }
}
