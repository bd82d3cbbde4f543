/**
 * What a node stores for the sync service, as one transaction of one project sees it. Storage engines implement `SyncTx`; the functions of
 * this room read and write through it and do nothing else, so a transaction that is run again has the same result.
 *
 * Reads are synchronous. An engine whose reads are not (PostgreSQL) loads the rows that a message names before it runs the transaction; a
 * row that is not loaded makes its `SyncTx` throw, and the engine loads that row and runs the transaction again.
 */
import type { Doc, Part } from '#domain/sync/registers/documents.ts';
import type { Stamp } from '#domain/sync/registers/registers.ts';

export interface Life {
  readonly number: number;
  readonly token: string;
}

/** A position in the log of a node. `chain` is a hash over all keys up to `n`, so that no other log has the same position by accident. */
export interface Position {
  readonly n: number;
  readonly chain: string;
}

/** A document that a commit wrote, with the paths that it wrote; absent: all of them. */
export interface Member {
  readonly collection: string;
  readonly id: string;
  readonly paths?: readonly string[];
}

/** A commit in the log of a node. */
export interface LogRow extends Position, Stamp {
  /** 32 hex digits: life, time and content of the commit. */
  readonly key: string;
  readonly lane: number;
  /**
   * The life of the box that gave the commit to this node; the id of the node for its own commits. A box does not get back what it gave in
   * its life. Of two boxes with one identity, the other one does. `unknownLife` for a bundle of a life that was not confirmed.
   */
  readonly from: string;
  readonly members: readonly Member[];
}

/** A commit on its way from one node to another. */
export interface Commit extends Stamp {
  readonly key: string;
  readonly lane: number;
  readonly docs: readonly Part[];
}

export interface NodeRow {
  readonly id: string;
  readonly life: Life;
  /** True from the begin of a life until the other end has confirmed it by the end of a repair. */
  readonly fresh: boolean;
  /** The last time that this node gave or received, 16 hex digits. */
  readonly clock: string;
  /** Per scope: items of leaves below this one were removed here because of their age. */
  readonly floors: Readonly<Record<string, number>>;
}

/** Number of items, and the sum of their hashes modulo 2^128. */
export interface Sum {
  readonly n: number;
  readonly sum: bigint;
}

/** What this node has made in one life, in collections of facts. */
export interface Ledger {
  readonly life: string;
  readonly made: Sum;
  readonly purged: Sum;
}

/** How a fact was removed for good, and the life that counted it when it was made. */
export interface Removal {
  /**
   * aged: by age, at this end only. Its digest item stays, so both ends stay equal, and a fact that the other end lost is found. replaced: its
   * content is in another fact, so neither end has it.
   */
  readonly as: 'aged' | 'replaced';
  readonly life: string | undefined;
  /** The time and the life of the fact that its digest item stands for, so that an earlier one is told from a later one. Only if aged. */
  readonly made?: Stamp | undefined;
}

/** Items that were given up. A span has no list, because nobody knows what was lost: the disk with it is gone. */
export interface Gap {
  readonly id: string;
  readonly life: string;
  readonly reason: 'bound' | 'restore';
  readonly from: string;
  readonly to: string;
  readonly items: Readonly<Record<string, string>>;
}

/** A token of a page or a repair, and how far the log of the site was sent when it was written, by lane. */
export interface Token {
  readonly token: string;
  readonly sent: readonly number[];
  /** The place of the token in the order in which the cloud took them; absent in tokens before the last repair. */
  readonly place?: number | undefined;
}

/** What the backups of the cloud have: the rows up to `sent`, by lane. `token` is the last one that they have, as the cloud named it. */
export type Covered = Pick<Token, 'token' | 'sent'>;

/** The state of a channel (one gateway and one project) at the site. */
export interface SiteChannel {
  /** In the order of the cloud, the newest last; at most 40. */
  readonly tokens: readonly Token[];
  /** Up to which row of the log the cloud has everything, by lane. */
  readonly sent: readonly number[];
  /** Pages that are not answered yet, or the end of a repair; at most 16. */
  readonly pending: readonly Pending[];
  readonly pulled: Position;
  /** Positions up to which this site had everything, and where a bundle of the cloud may begin; the newest last, at most 24. */
  readonly known?: readonly Position[] | undefined;
  /** The life of the cloud that the last repair confirmed. */
  readonly cloud?: Life | undefined;
  /** Some of the tokens before those, since the last repair; at most 32. */
  readonly older?: readonly Token[] | undefined;
  /** What the backups of the cloud have, as the cloud said at the last contact. */
  readonly covered?: Covered | undefined;
  /** Numbers of log rows after `sent` that the cloud has, because a page overtook another one. */
  readonly carried: readonly number[];
  /** The courier bundle that the cloud took last, as far as this site knows. */
  readonly bundle?: Taken | undefined;
  /** What this site gave to couriers; absent before the first bundle. */
  readonly courier?: Courier | undefined;
  /** Until the next repair: up to which row the cloud had confirmed any when one of its bundles showed a loss. It may lack them. */
  readonly lost?: number | undefined;
  /** Tokens and repairs that this box has sent; at most 160. If the cloud names another, this box was put back. */
  readonly issued: readonly string[];
  /** The greatest time of a value that left this site, in a page, a repair or a bundle. Absent before the first one. */
  readonly given?: string | undefined;
  /** How many repairs were asked for, for example because a check has found a difference; and how many of them are done. */
  readonly asked: number;
  readonly repaired: number;
  /** This box was told that another box has its identity. */
  readonly fenced: boolean;
  /** Documents that the other end asked for as a whole. */
  readonly whole: readonly string[];
  /** Of how many documents the cloud noted only the keys, because its quarantine is full, as far as this site knows. Absent: none. */
  readonly owed?: number | undefined;
}

/** What a site gave to couriers. */
export interface Courier {
  /** How many bundles there were. */
  readonly made: number;
  /** The ids of the newest bundles; at most 160. */
  readonly issued: readonly string[];
  /** What the cloud had at bundles that it confirmed, since the last repair; at most 32. */
  readonly confirmed?: readonly Confirmed[] | undefined;
  /** A bundle of the cloud with a smaller number promises nothing any more. */
  readonly answer?: number | undefined;
  /** Bundles whose rows the cloud has not confirmed, or has confirmed before earlier rows; at most 40, the newest last. */
  readonly volumes: readonly Volume[];
}

/** At a bundle with this place, the cloud had the rows up to `sent`, if it also had the tokens up to a place. */
export interface Confirmed extends Token {
  readonly tokens: number;
}

/** A bundle, and its place in the order in which the cloud took them. */
export interface Taken {
  readonly id: string;
  readonly place: number;
}

/** What a bundle of a site says: its life, its number, and the last bundle that the site knows to be at the cloud. */
export interface Told {
  readonly life: number;
  readonly made: number;
  readonly acked?: Taken | undefined;
}

/** Which rows of the log a bundle has. Rows in between that it does not have were at the cloud already. */
export interface Volume {
  readonly id: string;
  readonly spans: readonly Span[];
  /** The cloud has it. */
  readonly acked: boolean;
}

/** The rows of a lane after `from`, up to `to`. */
export interface Span {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

export interface Pending extends Token {
  /** The log rows of the page. None after the connection ended: the rows are sent in another page, and this one may still arrive late. */
  readonly rows: readonly number[];
  /** A small page of safety and alerts, for a connection of its own. */
  readonly urgent?: boolean | undefined;
  /** Set for the end of a repair: what holds when the cloud confirms it. */
  readonly repaired?: Repaired | undefined;
}

/** What holds at the site when the cloud confirms a repair. */
export interface Repaired {
  readonly pulled: Position;
  readonly cloud: Life;
  /** How many repairs were asked for when this one began. */
  readonly asked: number;
  /** The id of the last bundle that the site knew to be at the cloud when the repair began. The repair has brought all of it. */
  readonly bundle?: string | undefined;
}

/** What a backup of the cloud has: the tokens up to a place, and the bundles up to another one. */
export interface BackedUp {
  readonly token: string;
  readonly place: number;
  readonly bundles?: number | undefined;
}

/** The state of a channel at the cloud. */
export interface CloudChannel {
  /** The newest last; at most 40. */
  readonly tokens: readonly string[];
  /** How many tokens there were. */
  readonly count?: number | undefined;
  /** The answer to the page with the last token. */
  readonly quarantined: readonly string[];
  /** The last step of a repair that is not ended: `<repair>.<number>`. */
  readonly step?: string | undefined;
  /** Courier bundles that were taken as a whole, the newest last; at most 40. */
  readonly bundles: readonly string[];
  /** How many bundles were taken. */
  readonly taken?: number | undefined;
  /** Bundles of which some pages were taken, but not the last one; at most 40. */
  readonly begun?: readonly string[] | undefined;
  /** What the site said in the newest of its bundles that were taken. */
  readonly told?: Told | undefined;
  /** The bundles that were the last one in a bundle for the site, the newest last; at most 40. A site knows no others to be here. */
  readonly named?: readonly Taken[] | undefined;
  /** Up to which row of this log the site had everything when it made the bundle that was taken last. */
  readonly reached?: Position | undefined;
  /** How many bundles were begun for the site. */
  readonly answers?: number | undefined;
  /** The last token and bundle in each of the last two backups, and their places; the newest last. */
  readonly backups?: readonly BackedUp[] | undefined;
}

/** A commit, or documents of a repair, that this node could not take. */
export interface Quarantined {
  readonly key: string;
  readonly from: string;
  readonly life: string;
  readonly reason: string;
  readonly commit: Commit;
  /** Its number in the order of arrival, which a store that keeps no order gives. */
  readonly place?: number | undefined;
}

/** What another node owes this one: documents of which this node noted only the keys, because its quarantine was full. */
export interface Owing {
  /** The node that owes. */
  readonly from: string;
  readonly count: number;
  /** The number of the last note. */
  readonly last: number;
  /** The number of the last note before the begin of the last repair. */
  readonly begun: number;
  /** The quarantine was tried again since, so a repair may bring some of the documents. */
  readonly isDue: boolean;
}

/** The number of a note, and 1 if later changes of the document, and facts about it, must wait. */
export type OwedKey = readonly [n: number, holdsUp: 0 | 1];

/** One entry of a digest: a hash over id, time and content of a document. */
export interface Item {
  readonly scope: string;
  readonly leaf: number;
  readonly hash: bigint;
}

/** A claim of a unique name. The holder is the claim with the smallest time. */
export interface Claim {
  readonly hlc: string;
  readonly id: string;
}

/** The notes of what other nodes owe this one; see `owed.ts`. */
export interface OwedStore {
  /** Undefined if a node owes nothing. */
  owing(from: string): Owing | undefined;
  owings(): readonly Owing[];
  setOwing(from: string, owing: Owing | undefined): void;
  /** The keys in a row of notes. */
  keys(row: string): Readonly<Record<string, OwedKey>>;
  setKeys(row: string, keys: Readonly<Record<string, OwedKey>>): void;
}

export interface SyncTx {
  node(): NodeRow;
  setNode(row: NodeRow): void;

  get(key: string): Doc | undefined;
  /** Stores a document and its digest items, and updates the sums of their leaves. */
  put(doc: Doc, items: readonly Item[]): void;
  /** Removes a document. With `as` it is a fact that does not come back. A fact that is replaced may be unknown here; it gets this leaf. */
  remove(key: string, as?: Removal['as'], leaf?: number): void;
  /** Undefined for a document that was not removed for good. */
  removal(key: string): Removal | undefined;
  items(key: string): readonly Item[];
  /** The keys of documents with values of the machinery of a node. */
  keysOf(home: string): readonly string[];
  /** The keys after `after`, in their order, of deleted documents that were made before a time and are no graves. */
  deadKeys(before: string, after: string, limit: number): readonly string[];
  /** The keys of documents of a collection of facts in leaves below this one. */
  factsBelow(collection: string, leaf: number): readonly string[];
  /** The sum of the facts that this node counted when it made them and still has, by life. */
  held(): ReadonlyMap<string, Sum>;

  head(): Position;
  append(row: LogRow): void;
  /** Removes the rows up to this number. The head stays. */
  trimLog(last: number): void;
  /** Undefined for a row that was removed. */
  row(n: number): LogRow | undefined;
  /** Rows after a number, in their order. */
  rows(after: number, limit: number): readonly LogRow[];
  /** Rows of one lane after a number, in their order. */
  laneRows(lane: number, after: number, limit: number): readonly LogRow[];
  laneCount(lane: number, after: number): number;
  hasKey(key: string): boolean;
  /** The number of the newest row of this node that has this fact as a member; without one, that of the first row of another node. */
  rowOfFact(key: string): number | undefined;

  /** The leaves of a scope from `from` on, sorted. */
  leaves(scope: string, from: number): readonly (readonly [leaf: number, sum: Sum])[];
  /** The keys and hashes of a leaf, sorted by key. */
  leafItems(scope: string, leaf: number): readonly (readonly [key: string, hash: bigint])[];

  siteChannel(): SiteChannel;
  setSiteChannel(channel: SiteChannel): void;
  cloudChannel(gateway: string): CloudChannel;
  setCloudChannel(gateway: string, channel: CloudChannel): void;
  life(gateway: string): Life | undefined;
  setLife(gateway: string, life: Life): void;

  /** Notes whether a document has entries in the inbox. */
  setConflicted(key: string, is: boolean): void;
  /** The keys of documents with entries in the inbox, the earliest noted first. */
  conflicted(): readonly string[];

  quarantined(): readonly Quarantined[];
  setQuarantined(entry: Quarantined): void;
  dropQuarantined(key: string): void;
  readonly owed: OwedStore;

  ledgers(): readonly Ledger[];
  setLedger(ledger: Ledger): void;
  gaps(): readonly Gap[];
  setGap(gap: Gap): void;

  claims(name: string): readonly Claim[];
  setClaims(name: string, claims: readonly Claim[]): void;
}
