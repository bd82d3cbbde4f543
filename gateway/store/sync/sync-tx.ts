/**
 * The tables of `SyncTx` in SQLite, for one project and one transaction. Documents are in the rows of their collections, and what the
 * replication knows about them is in the tables of `tables.ts`.
 */
import type { CollectionName } from '#contract/base/view.ts';
import { NEW_SITE_CHANNEL } from '#domain/sync/channels.ts';
import { compareClaims } from '#domain/sync/claims.ts';
import { machineryScope } from '#domain/sync/digest-items.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { type Counted, isCounted } from '#domain/sync/ledger.ts';
import { lifeOf } from '#domain/sync/node.ts';
import type { Implied } from '#domain/sync/pack.ts';
import { type Doc, keyOf, latestOf, makeDoc } from '#domain/sync/registers/documents.ts';
import type { Stamp } from '#domain/sync/registers/registers.ts';
import type {
  Claim,
  CloudChannel,
  Gap,
  Item,
  Ledger,
  Life,
  LogRow,
  NodeRow,
  OwedStore,
  Position,
  Quarantined,
  Removal,
  SiteChannel,
  Sum,
  SyncTx,
} from '#domain/sync/store.ts';
import { minus, one, plus } from '#domain/sync/sums.ts';
import { CLOCK_KEY, NO_TIME } from '#store/sqlite/commit.ts';
import type { MergedRows } from '#store/sqlite/merged-rows.ts';
import type { Row } from '#store/sqlite/row-writer.ts';
import { DigestTable } from './digest-table.ts';
import { impliedBy, rowOf, splitKey } from './doc-rows.ts';
import { deadOf, decodeState, encodeState, GONE, isGone, REMOVALS } from './doc-state.ts';
import { LocalState } from './local-state.ts';
import { LogTable } from './log-table.ts';
import { type Side, SideTable } from './side-table.ts';
import { owedIn, StateTable } from './state-table.ts';
import type { SyncDb } from './sync-db.ts';
import { Words } from './words.ts';

const NO_CHANNEL: CloudChannel = { tokens: [], quarantined: [], bundles: [] };
/** The greatest time of a document that is ahead of the clock of this node. */
export const AHEAD_KEY = 'sync_ahead';

export interface TxOptions {
  readonly db: SyncDb;
  readonly rows: MergedRows;
  readonly project: string;
  readonly p: number;
  readonly env: Pick<SyncEnv, 'ownership' | 'now' | 'role'>;
}

/** True for the key of a document that may be a fact that the ledger counts. */
const isFactKey = (key: string): boolean => key.startsWith('events/') || key.startsWith('telemetry/');

/** How the ledger counts a fact that is here and that a commit in the log has. */
function countedBy({ life, state, n, items: [item] }: Side): Counted | undefined {
  return n === null || item === undefined || isGone(state) ? undefined : { life, hash: item.hash };
}

/** True for a live document whose values became null, because they never come from above. Nobody reads such a document. */
const isEmptied = ({ collection, registers }: Doc): boolean =>
  collection === 'live' && [...registers.values()].every(([value]) => value?.v === null);

export class SqliteSyncTx implements SyncTx {
  readonly #o: TxOptions;
  readonly #db: SyncDb;
  readonly #words: Words;
  readonly #sides: SideTable;
  readonly #digests: DigestTable;
  readonly #log: LogTable;
  readonly #state: StateTable;
  readonly owed: OwedStore;
  readonly #local: LocalState;
  readonly #docs = new Map<string, Doc | undefined>();
  /** Rows that the commit of this node writes itself, by key of the document. */
  readonly #given = new Map<string, Row>();
  #node: NodeRow | undefined;
  #head: Position | undefined;
  #latest = '';

  constructor(options: TxOptions) {
    const { db, p } = options;
    this.#o = options;
    this.#db = db;
    this.#words = new Words(db);
    this.#sides = new SideTable(db, this.#words, p);
    this.#digests = new DigestTable(db, this.#words, p);
    this.#log = new LogTable(db, this.#words, p);
    this.#state = new StateTable(db, p);
    this.owed = owedIn(this.#state);
    this.#local = new LocalState(options, () => this.node());
  }

  /** Notes a row that the commit of this node writes: `put` stores only what the replication knows about the document. */
  give(key: string, row: Row): void {
    this.#given.set(key, row);
  }

  node(): NodeRow {
    if (this.#node === undefined) {
      const row = this.#db.peek('SELECT node FROM sync_projects WHERE no=?', this.#o.p);
      const clock = String(this.#db.getMeta(CLOCK_KEY) ?? NO_TIME);
      this.#node = { ...(JSON.parse(String(row?.[0])) as Omit<NodeRow, 'clock'>), clock };
    }
    return this.#node;
  }

  setNode(row: NodeRow): void {
    const { clock, ...node } = row;
    const old = this.node();
    if (clock !== old.clock) this.#db.setMeta(CLOCK_KEY, clock);
    const isSame =
      node.life === old.life && node.id === old.id && node.fresh === old.fresh && node.floors === old.floors;
    if (!isSame) this.#db.execute('UPDATE sync_projects SET node=? WHERE no=?', JSON.stringify(node), this.#o.p);
    if (node.floors !== old.floors) this.#sides.forgetGone(node.floors);
    this.#node = row;
  }

  get(key: string): Doc | undefined {
    if (this.#docs.has(key)) return this.#docs.get(key);
    const doc = this.#read(key);
    this.#docs.set(key, doc);
    return doc;
  }

  #read(key: string): Doc | undefined {
    const side = this.#sides.read(key);
    if (side === undefined || isGone(side.state)) return undefined;
    const [collection, id] = splitKey(key);
    let base = { life: side.life, hlc: side.hlc };
    const dead = deadOf(side.state);
    if (dead !== undefined) {
      const { object, rev, grave } = dead;
      const registers = decodeState(this.#words, new Map(), base, side.state);
      return makeDoc({ collection, id, object }, registers, rev, grave);
    }
    const row = this.#o.rows.read(collection, id);
    if (row === undefined || row._deleted) return undefined;
    const kind = kindOf(this.#o.env, collection, row.object);
    // A live document that was written after `fold.ts` has read it: its value has the time of its row.
    const hlc = row.hlc.slice(0, 16);
    if (collection === 'live' && side.state === null && hlc > side.hlc) base = { life: lifeOf(this), hlc };
    const registers = decodeState(this.#words, impliedBy(kind, row), base, side.state);
    return makeDoc({ collection, id, object: row.object }, registers, row.revision);
  }

  put(doc: Doc, items: readonly Item[]): void {
    const key = keyOf(doc);
    const old = this.#sides.read(key);
    this.#digests.replace(old?.items ?? [], items);
    const row = this.#given.get(key) ?? this.#writeRow(doc);
    const isHere = row !== undefined && !row._deleted && !doc.dead;
    const implied: Implied = isHere ? impliedBy(kindOf(this.#o.env, doc.collection, doc.object), row) : new Map();
    const dead = isHere ? undefined : { object: doc.object, rev: doc.rev, grave: doc.grave };
    const { base, state } = encodeState(this.#words, implied, doc.registers, dead);
    const leaf = items[0]?.leaf ?? old?.leaf ?? 0;
    const side = { ...base, state, n: old?.n ?? null, leaf, items };
    if (side.n !== null && isCounted(doc)) this.#hold(old && countedBy(old), countedBy(side));
    this.#sides.write(key, side, doc.dead && !doc.grave);
    this.#docs.set(key, isHere ? { ...doc, rev: row.revision } : doc);
    const latest = latestOf(doc);
    if (latest > this.#latest) this.#latest = latest;
  }

  /** Changes the sums of the facts that this node made and still has. */
  #hold(before: Counted | undefined, next: Counted | undefined): void {
    if (before?.hash === next?.hash && before?.life === next?.life) return;
    if (before !== undefined) this.#digests.changeHeld(before.life, (sum) => minus(sum, one(before.hash)));
    if (next !== undefined) this.#digests.changeHeld(next.life, (sum) => plus(sum, one(next.hash)));
  }

  /** Writes the row of a document that other nodes changed. Returns undefined for a deleted document that has no row here. */
  #writeRow(doc: Doc): Row | undefined {
    const { rows, project } = this.#o;
    const name = doc.collection as CollectionName;
    const previous = rows.read(name, doc.id);
    const isEmpty = isEmptied(doc);
    if ((doc.dead || isEmpty) && (previous === undefined || previous._deleted)) return undefined;
    const written = rowOf(kindOf(this.#o.env, doc.collection, doc.object), doc, project, previous);
    const row = rows.write(name, isEmpty ? { ...written, deleted: true, data: {} } : written);
    if (name === 'records' && row.object === 'equipment') this.#local.addSilent(doc.id);
    if (name === 'records' && row.object === 'device' && !doc.dead) this.#local.nameDevice(doc.id, row.data);
    return row;
  }

  remove(key: string, as?: Removal['as'], leaf = 0): void {
    const old = this.#sides.read(key);
    if (old === undefined) {
      const unknown = { life: lifeOf(this), hlc: NO_TIME, n: null, leaf, items: [] };
      if (as === 'replaced') this.#sides.write(key, { ...unknown, state: as });
      return;
    }
    const counted = countedBy(old);
    if (counted !== undefined && this.#isFact(key)) this.#hold(counted, undefined);
    const items = as === 'aged' ? old.items : [];
    this.#digests.replace(old.items, items);
    const [collection, id] = splitKey(key);
    this.#o.rows.erase(collection, id);
    this.#docs.set(key, undefined);
    if (old.n === null && as === undefined) this.#sides.remove(key);
    else this.#sides.write(key, { ...old, state: as ?? GONE, items });
  }

  removal(key: string): Removal | undefined {
    const side = this.#sides.read(key);
    const as = REMOVALS.find((each) => each === side?.state);
    if (side === undefined || as === undefined) return undefined;
    const { life, hlc } = side;
    return { as, life: side.n === null ? undefined : life, ...(as === 'aged' && { made: { life, hlc } }) };
  }

  items(key: string): readonly Item[] {
    return this.#sides.read(key)?.items ?? [];
  }

  keysOf(home: string): readonly string[] {
    return this.#digests.ofMachine(machineryScope(home));
  }

  deadKeys(before: string, after: string, limit: number): readonly string[] {
    return this.#sides.deadKeys(before, after, limit);
  }

  factsBelow(collection: string, leaf: number): readonly string[] {
    return this.#digests.below(collection, leaf);
  }

  held(): ReadonlyMap<string, Sum> {
    return this.#digests.held();
  }

  head(): Position {
    if (this.#head === undefined) {
      const row = this.#db.peek('SELECT n, chain FROM sync_projects WHERE no=?', this.#o.p);
      this.#head = { n: Number(row?.[0] ?? 0), chain: String(row?.[1] ?? '') };
    }
    return this.#head;
  }

  append(row: LogRow): void {
    this.#log.append(row);
    this.#db.execute('UPDATE sync_projects SET n=?, chain=? WHERE no=?', row.n, row.chain, this.#o.p);
    this.#head = { n: row.n, chain: row.chain };
    for (const member of row.members) {
      if (member.collection === 'records') continue;
      const key = keyOf(member);
      const side = this.#sides.read(key);
      const isFact = isFactKey(key);
      if (side === undefined || (side.n !== null && !(isFact && row.from === this.node().id))) continue;
      this.#sides.setRow(key, side, row.n);
      if (isFact && this.#isFact(key)) this.#hold(countedBy(side), countedBy({ ...side, n: row.n }));
    }
  }

  #isFact(key: string): boolean {
    const doc = this.get(key);
    return doc !== undefined && isCounted(doc);
  }

  trimLog(last: number): void {
    this.#log.trim(last);
  }

  row(n: number): LogRow | undefined {
    return this.#log.row(n);
  }

  rows(after: number, limit: number): readonly LogRow[] {
    return this.#log.rows(after, limit);
  }

  laneRows(lane: number, after: number, limit: number): readonly LogRow[] {
    return this.#log.laneRows(lane, after, limit);
  }

  laneCount(lane: number, after: number): number {
    return this.#log.laneCount(lane, after);
  }

  hasKey(key: string): boolean {
    return this.#log.has(key);
  }

  rowOfFact(key: string): number | undefined {
    return this.#sides.read(key)?.n ?? undefined;
  }

  leaves(scope: string, from: number): ReturnType<SyncTx['leaves']> {
    return this.#digests.leaves(scope, from);
  }

  leafItems(scope: string, leaf: number): ReturnType<SyncTx['leafItems']> {
    return this.#digests.items(scope, leaf);
  }

  siteChannel(): SiteChannel {
    const text = String(this.#db.peek('SELECT site FROM sync_projects WHERE no=?', this.#o.p)?.[0] ?? '');
    return text === '' ? NEW_SITE_CHANNEL : (JSON.parse(text) as SiteChannel);
  }

  setSiteChannel(channel: SiteChannel): void {
    this.#db.execute('UPDATE sync_projects SET site=? WHERE no=?', JSON.stringify(channel), this.#o.p);
  }

  cloudChannel(gateway: string): CloudChannel {
    return this.#state.get('cloud', gateway) ?? NO_CHANNEL;
  }

  setCloudChannel(gateway: string, channel: CloudChannel): void {
    this.#state.set('cloud', gateway, channel);
  }

  life(gateway: string): Life | undefined {
    return this.#state.get('life', gateway);
  }

  setLife(gateway: string, life: Life): void {
    this.#state.set('life', gateway, life);
  }

  setConflicted(key: string, is: boolean): void {
    if (is) this.#state.set('conflict', key, key);
    else this.#state.remove('conflict', key);
  }

  conflicted(): readonly string[] {
    return this.#state.all('conflict');
  }

  quarantined(): readonly Quarantined[] {
    // PostgreSQL keeps no order of rows. A fact must not be tried before the record for which it waits.
    return this.#state.all('quarantine').sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  }

  setQuarantined(entry: Quarantined): void {
    const place = this.#state.get('quarantine', entry.key)?.place ?? this.#db.nextSeq();
    this.#state.set('quarantine', entry.key, { ...entry, place });
  }

  dropQuarantined(key: string): void {
    this.#state.remove('quarantine', key);
  }

  ledgers(): readonly Ledger[] {
    return this.#state.all('ledger');
  }

  setLedger(ledger: Ledger): void {
    this.#state.set('ledger', ledger.life, ledger);
  }

  gaps(): readonly Gap[] {
    return this.#state.all('gap');
  }

  setGap(gap: Gap): void {
    this.#state.set('gap', gap.id, gap);
  }

  claims(name: string): readonly Claim[] {
    const rows = this.#db.peekAll('SELECT hlc, id FROM sync_claims WHERE p=? AND name=?', this.#o.p, name);
    return rows.map(([hlc, id]) => ({ hlc: String(hlc), id: String(id) })).sort(compareClaims);
  }

  setClaims(name: string, claims: readonly Claim[]): void {
    this.#local.touch(name);
    this.#db.execute('DELETE FROM sync_claims WHERE p=? AND name=?', this.#o.p, name);
    for (const { hlc, id } of claims)
      this.#db.execute('INSERT INTO sync_claims VALUES (?, ?, ?, ?)', this.#o.p, name, hlc, id);
  }

  /** The time and the life that most values of a document have; undefined for a document that the replication does not know. */
  baseOf(key: string): Stamp | undefined {
    const side = this.#sides.read(key);
    return side === undefined || isGone(side.state) ? undefined : { life: side.life, hlc: side.hlc };
  }

  /** Brings the documents of names up to date. */
  settleNames(): void {
    this.#local.settleNames((name) => this.claims(name)[0]?.id);
  }

  /** Ends the transaction: a later write of a document that is ahead of the clock must be later than the document. */
  finish(): void {
    this.settleNames();
    const ahead = String(this.#db.getMeta(AHEAD_KEY) ?? '');
    if (this.#latest > this.node().clock && this.#latest > ahead) this.#db.setMeta(AHEAD_KEY, this.#latest);
  }
}
