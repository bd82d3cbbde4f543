/**
 * Bundles that a person carries between the ends. A bundle has pages with whole documents, which are joined in any order and beside the
 * network. A bundle of a site counts at the cloud when its last page is there. The next bundle of the cloud names it, and the site then knows
 * that its rows have arrived.
 */

import { keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { numberOf } from '#domain/sync/registers/registers.ts';
import { applyCommits, isEarlier } from './apply.ts';
import { backedUp, coveredBy, withConfirmed } from './backups.ts';
import {
  ALL_LANES,
  advanceAll,
  doneOf,
  hasBundle,
  NO_COURIER,
  noteGiven,
  rowsWithout,
  withKnown,
  withToken,
} from './channels.ts';
import { isOurs, isTrimmed, rowsAfter, senderOf } from './cloud.ts';
import type { SyncEnv } from './env.ts';
import { holdsPart } from './holds.ts';
import { isSameLife, unknownLife } from './lives.ts';
import { lifeOf } from './node.ts';
import { firstCommits, outgoingOf, type PageSize } from './pages.ts';
import type {
  BackedUp,
  CloudChannel,
  Commit,
  Life,
  Position,
  SiteChannel,
  Span,
  SyncTx,
  Taken,
  Told,
  Volume,
} from './store.ts';

/** What the begin of a bundle of a site says. */
export interface BundleHead {
  readonly id: string;
  readonly gateway: string;
  readonly life: Life;
  /** The last bundle that the cloud has, as far as the site knows. */
  readonly acked?: Taken | undefined;
  readonly pulled: Position;
}

/** What the begin of a bundle of the cloud says. */
export interface AnswerHead {
  readonly cloud: string;
  /** The bundles that the cloud took last, the newest last. */
  readonly acks: readonly string[];
  /** How many bundles the cloud took. */
  readonly place: number;
  /** Bundles of which the cloud has some pages. */
  readonly begun: readonly string[];
  /** A bundle that the site believes to be at the cloud, but that is not: the cloud was put back. */
  readonly lost?: string | undefined;
  readonly after: Position;
  /** The number of this bundle among those for the site. Absent from an earlier version, which promises nothing in bundles. */
  readonly answer?: number | undefined;
  /** What the backups of the cloud have; absent: they promise nothing. */
  readonly backed_up?: BackedUp | undefined;
  /** The life of the cloud. Without it, or after another life, the bundle promises nothing. */
  readonly life?: Life | undefined;
}

export interface AnswerPage {
  readonly after: Position;
  /** The first digits of the hash of the log at each row of the page, so that a site finds its own position inside the page. */
  readonly marks: string;
  readonly to: Position;
  readonly commits: readonly Commit[];
}

/** Bundles that a site keeps in mind. An answer to an older one confirms nothing, so its rows are sent again. */
const MOST_VOLUMES = 40;
/** Ids of bundles that a site keeps: more than the cloud can name. */
const MOST_BUNDLES = 160;

/** Digits of a mark. */
const MARK = 16;
const NOBODY = '';
/** The position before the first row of a log. */
const LOG_START: Position = { n: 0, chain: '' };

/**
 * Begins a bundle of a site. `after`: up to which row of each lane the volume before has them. The caller stores nothing outside before this
 * transaction is done, because the cloud may name the bundle afterwards.
 */
export function openBundle(
  tx: SyncTx,
  env: SyncEnv,
  after: readonly number[] = [],
): { readonly head: BundleHead; readonly from: readonly number[] } {
  const { id: gateway, life } = tx.node();
  const channel = tx.siteChannel();
  const { courier = NO_COURIER, bundle: acked, pulled } = channel;
  const made = courier.made + 1;
  const id = `${lifeOf(tx)}/${made}/${env.token()}`;
  tx.setSiteChannel({
    ...channel,
    known: withKnown(channel, pulled),
    courier: { ...courier, made, issued: [...courier.issued, id].slice(-MOST_BUNDLES) },
  });
  const from = ALL_LANES.map((lane) => Math.max(channel.sent[lane] ?? 0, after[lane] ?? 0));
  return { head: { id, gateway, life, acked, pulled }, from };
}

/** The next page of a bundle with rows of a lane after a number; undefined if none waits after it. */
export function bundlePage(
  tx: SyncTx,
  env: SyncEnv,
  lane: number,
  after: number,
  size: PageSize,
): { readonly commits: Commit[]; readonly to: number } | undefined {
  const channel = tx.siteChannel();
  const first = Math.max(channel.sent[lane] ?? 0, after);
  const rows = rowsWithout(tx, lane, first, doneOf(channel, lane, channel.carried), size.page);
  if (rows.length === 0) return undefined;
  const whole = rows.flatMap(({ members }) => members.map(keyOf));
  const commits = firstCommits(tx, rows, whole, outgoingOf(env, tx.node().id), size.bytes);
  noteGiven(
    tx,
    commits.flatMap(({ docs }) => docs),
  );
  return { commits, to: rows[commits.length - 1]?.n ?? first };
}

/** Ends a bundle that has the rows of the lanes after `from`, up to `to`. Its last bytes are written after this transaction. */
export function closeBundle(tx: SyncTx, id: string, from: readonly number[], to: readonly number[]): void {
  const channel = tx.siteChannel();
  const { courier = NO_COURIER } = channel;
  const spans = ALL_LANES.flatMap((lane): Span[] => {
    const span = { lane, from: from[lane] ?? 0, to: to[lane] ?? 0 };
    return span.to > span.from ? [span] : [];
  });
  if (spans.length === 0) return;
  const volumes = bounded([...courier.volumes, { id, spans, acked: false }]);
  tx.setSiteChannel({ ...channel, courier: { ...courier, volumes } });
}

function bounded(volumes: readonly Volume[]): readonly Volume[] {
  if (volumes.length <= MOST_VOLUMES) return volumes;
  const oldest = volumes.find(({ acked }) => !acked) ?? volumes[0];
  return volumes.filter((volume) => volume !== oldest);
}

/** Takes a page of a bundle at the cloud. Returns the keys of the commits that went into quarantine. */
export function takeBundlePage(tx: SyncTx, env: SyncEnv, head: BundleHead, commits: readonly Commit[]): string[] {
  const fenced = !isSameLife(tx.life(head.gateway), head.life);
  const channel = tx.cloudChannel(head.gateway);
  const { bundles, begun = [] } = channel;
  // A box that is put back must learn that the cloud has something of it, even if the rest of the bundle never comes.
  if (!fenced && ![...bundles, ...begun].includes(head.id))
    tx.setCloudChannel(head.gateway, { ...channel, begun: withToken(begun, head.id) });
  const sender = fenced ? { node: head.gateway, life: unknownLife(head.gateway) } : senderOf(head);
  return applyCommits(tx, env, { ...sender, way: 'bundle', fenced }, commits);
}

/**
 * Ends a bundle at the cloud, after all its pages. Returns false if the life of the box does not count: then the machinery of the box was left
 * out, and the bundle is not confirmed.
 */
export function endBundle(tx: SyncTx, head: BundleHead): boolean {
  const { id, gateway, life, acked, pulled } = head;
  if (!isSameLife(tx.life(gateway), life)) return false;
  const channel = tx.cloudChannel(gateway);
  if (channel.bundles.includes(id)) return true;
  tx.setCloudChannel(gateway, {
    ...channel,
    // A box that was put back has less than before. A position of a log that this cloud lost says nothing about the log that is here now.
    reached: isOurs(tx, pulled) || isTrimmed(tx, pulled) ? pulled : undefined,
    told: newestTold(channel.told, { life: life.number, made: madeOf(id), acked }),
    begun: channel.begun?.filter((each) => each !== id),
    bundles: withToken(channel.bundles, id),
    taken: (channel.taken ?? 0) + 1,
  });
  return true;
}

/** An older bundle of a site, which is read late, does not say what the site knows now. */
const newestTold = (old: Told | undefined, told: Told): Told =>
  old !== undefined && (old.life > told.life || (old.life === told.life && old.made > told.made)) ? old : told;

/**
 * Begins a bundle of the cloud for a gateway. `fetched`: up to which row of this log the gateway has fetched it over the network. `before`:
 * where the volume before ended; then the bundle begins there and nowhere else. Returns undefined if the gateway needs a contact first: none
 * was ever completed, or the rows after the position are gone, or no position of the gateway is in the rest of this log, so nobody knows
 * whether the gateway has what was in them.
 */
export function openAnswer(
  tx: SyncTx,
  gateway: string,
  fetched: Position | undefined,
  before?: Position | undefined,
): AnswerHead | undefined {
  if (tx.life(gateway) === undefined) return undefined;
  const channel = tx.cloudChannel(gateway);
  const { bundles: acks, taken = 0, begun = [], told, reached, answers = 0 } = channel;
  // After this cloud was put back, the site may know rows that are not in this log.
  const positions = before === undefined ? [reached, fetched, LOG_START] : [before];
  const known = positions.flatMap((each) => (each && isOurs(tx, each) ? [each] : []));
  const [last] = known.sort((a, b) => b.n - a.n);
  if (last === undefined) return undefined;
  const answer = answers + 1;
  tx.setCloudChannel(gateway, { ...channel, answers: answer, named: withNamed(channel) });
  const lost = hasBundle(channel, told?.acked) ? undefined : told?.acked?.id;
  const { id: cloud, life } = tx.node();
  const said = { acks, place: taken, begun, lost, answer, backed_up: backedUp(channel), life };
  return { cloud, ...said, after: { n: last.n, chain: last.chain } };
}

/**
 * The next page of a bundle of the cloud, with whole documents; undefined after the last one. Returns 'gone' if the log no longer has the
 * rows after this position: it has a bound, and may have grown by more than that since the page before. The page also has the commits that
 * the gateway gave: a box that was put back lacks them, and a bundle cannot ask it.
 */
export function answerPage(
  tx: SyncTx,
  env: SyncEnv,
  after: Position,
  { page, bytes }: PageSize,
): AnswerPage | 'gone' | undefined {
  if (!isOurs(tx, after)) return 'gone';
  if (after.n === tx.head().n) return undefined;
  const rows = tx.rows(after.n, page);
  const whole = rows.flatMap(({ members }) => members.map(keyOf));
  const found = rowsAfter(tx, env, NOBODY, { after, limit: page, bytes, whole });
  const marks = rows.flatMap(({ n, chain }) => (n <= found.to.n ? [chain.slice(0, MARK)] : []));
  return { after, marks: marks.join(''), ...found };
}

/** Adds the last bundle to those that the cloud named as the last one. */
function withNamed({ bundles, taken = 0, named = [] }: CloudChannel): readonly Taken[] {
  const id = bundles.at(-1);
  return id === undefined || named.at(-1)?.place === taken ? named : withToken(named, { id, place: taken });
}

/** The parts of the id of a bundle: its life, and its number among those of the box. */
const partsOf = (id: string): readonly [life: string, made: number] => {
  const [, life = '', made = ''] = /^(.+)\/(\d+)\/[^/]+$/.exec(id) ?? [];
  return [life, Number(made)];
};
const madeOf = (id: string): number => partsOf(id)[1];

/** True for a bundle that this box made. Of an earlier life it does not matter, because a repair came after it. */
function isMine(tx: SyncTx, { courier = NO_COURIER }: SiteChannel, id: string): boolean {
  const [life, made] = partsOf(id);
  if (life !== '' && numberOf(life) < tx.node().life.number) return true;
  return courier.issued.includes(id) || (life === lifeOf(tx) && made <= courier.made - MOST_BUNDLES);
}

/** Bundles that the cloud names, but that this box did not make: it was put back, or another box has its identity. */
export const unknownBundles = (tx: SyncTx, ids: readonly string[]): string[] =>
  ids.filter((id) => !isMine(tx, tx.siteChannel(), id));

/**
 * True if this box had everything up to this position. A larger position of its own does not say so: it may be of a log that the cloud has
 * lost.
 */
const isKnown = ({ known = [], pulled }: SiteChannel, { n, chain }: Position): boolean =>
  n === 0 || [pulled, ...known].some((each) => each.n === n && each.chain === chain);

/**
 * Takes the begin of a bundle of the cloud: what it confirms. Otherwise it changes nothing and says why. put_back: the cloud has a bundle that
 * this box does not know, so this box was put back from a backup. gap: commits before this bundle are not here.
 */
export function takeAnswer(tx: SyncTx, answer: AnswerHead): 'taken' | 'put_back' | 'gap' {
  const { acks, place, begun, lost, after } = answer;
  const channel = tx.siteChannel();
  const { courier = NO_COURIER, bundle } = channel;
  if (unknownBundles(tx, [...acks, ...begun]).length > 0) return 'put_back';
  if (!isKnown(channel, after)) return 'gap';
  const isNewer = bundle === undefined || place >= bundle.place;
  // An older answer does not have the bundle yet, so it says nothing about it.
  // The cloud names only its last bundles, and of an older one it says itself that it lost it.
  const isNamed = bundle !== undefined && bundle.place > place - MOST_VOLUMES;
  const isLost =
    bundle !== undefined &&
    (lost === bundle.id || (isNewer && isNamed && acks.at(bundle.place - place - 1) !== bundle.id));
  const last = acks.at(-1);
  const volumes = courier.volumes.map((volume) => (acks.includes(volume.id) ? { ...volume, acked: true } : volume));
  const next: SiteChannel = {
    ...channel,
    known: withKnown(channel, after),
    carried: isLost ? [] : channel.carried,
    courier: { ...courier, volumes: isLost ? [] : volumes, ...(isLost && { confirmed: undefined }) },
    ...(isLost && { covered: undefined, lost: Math.max(...channel.sent) }),
    bundle: isNewer || isLost ? (last === undefined ? undefined : { id: last, place }) : bundle,
    asked: channel.asked + (isLost ? 1 : 0),
  };
  const all = { ...next, ...advanceAll(tx, next, new Set(next.carried)) };
  const moved = isLost ? all : promised(all, answer);
  tx.setSiteChannel(moved);
  // As with pages: the cloud has these rows, and a repair compares documents.
  tx.trimLog(Math.min(...moved.sent));
  return 'taken';
}

/**
 * Takes what the backups of the cloud have. A bundle that is older than another one or than a contact may only take the promise away, because
 * it may be withdrawn since. So may one of another life of the cloud: after the cloud was put back, it counts bundles from an earlier number on.
 */
function promised(channel: SiteChannel, { acks, place, answer, backed_up, life }: AnswerHead): SiteChannel {
  if (answer === undefined || life === undefined) return channel;
  if (!isSameLife(channel.cloud, life)) return { ...channel, covered: undefined };
  const last = acks.at(-1);
  const { courier = NO_COURIER } = channel;
  const isLatest = answer >= (courier.answer ?? 0) && place >= (channel.bundle?.place ?? 0);
  const confirmed =
    last === undefined || channel.bundle?.id !== last ? courier.confirmed : withConfirmed(channel, { id: last, place });
  const next = { ...channel, courier: { ...courier, confirmed, answer: Math.max(answer, courier.answer ?? 0) } };
  const covered = coveredBy(next, backed_up);
  if (isLatest) return { ...next, covered };
  return covered?.token === channel.covered?.token ? next : { ...next, covered: undefined };
}

/** True if the rows of a page go on from this position of the log: it is the begin of the page, or one of its rows. */
function hasPosition({ after, marks, to }: AnswerPage, { n, chain }: Position): boolean {
  if (n === after.n) return chain === after.chain;
  const at = (n - after.n - 1) * MARK;
  return n > after.n && n <= to.n && marks.slice(at, at + MARK) === chain.slice(0, MARK);
}

/** True if a page with this document changes nothing here: the values are here, or the fact was here and was removed for good. */
const isHere = (tx: SyncTx, part: Part): boolean =>
  holdsPart(tx.get(keyOf(part)), part) || (tx.removal(keyOf(part)) !== undefined && !isEarlier(tx, part));

/** Takes a page of a bundle of the cloud. */
export function takeAnswerPage(tx: SyncTx, env: SyncEnv, cloud: string, page: AnswerPage): string[] {
  const { to, commits } = page;
  const isNew = commits.some(({ docs }) => docs.some((part) => !isHere(tx, part)));
  const quarantined = applyCommits(tx, env, { node: cloud, life: cloud, way: 'bundle' }, commits);
  const channel = tx.siteChannel();
  // A repair that is not confirmed replaces the position, and may have compared these documents before they came.
  const isInOrder = channel.asked === channel.repaired && hasPosition(page, channel.pulled);
  if (isInOrder) tx.setSiteChannel({ ...channel, pulled: to });
  // The cloud may have lost commits that came out of order: a repair compares them. A page that brought nothing was read before.
  else if (isNew) tx.setSiteChannel({ ...channel, asked: channel.asked + 1 });
  return quarantined;
}
