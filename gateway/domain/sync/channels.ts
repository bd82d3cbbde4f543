/** Channels: the tokens that both ends store, and at the site what waits, what is on its way, and what the cloud has confirmed. */
import { keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { coveredBy, withOlder } from './backups.ts';
import type { SyncEnv } from './env.ts';
import { LANES } from './lanes.ts';
import type { HelloAnswer, Placed } from './messages.ts';
import { endOwed } from './owed.ts';
import type {
  CloudChannel,
  Courier,
  Life,
  LogRow,
  Pending,
  Position,
  Repaired,
  SiteChannel,
  Span,
  SyncTx,
  Taken,
  Volume,
} from './store.ts';

const NONE_SENT: readonly number[] = Array.from({ length: LANES }, () => 0);
export const ALL_LANES: readonly number[] = [...NONE_SENT.keys()];

/** The state of a channel before the first contact. */
export const NEW_SITE_CHANNEL: SiteChannel = {
  tokens: [],
  sent: NONE_SENT,
  pending: [],
  pulled: { n: 0, chain: '' } satisfies Position,
  carried: [],
  issued: [],
  asked: 0,
  repaired: 0,
  fenced: false,
  whole: [],
};

export const NO_COURIER: Courier = { made: 0, issued: [], volumes: [] };

/** How many tokens each end keeps of a channel. An older backup needs the same repair as one that nobody knows. */
const MOST_TOKENS = 40;

export const withToken = <T>(tokens: readonly T[], token: T): T[] => [...tokens, token].slice(-MOST_TOKENS);

/** The token of a page: `<session>.<number>`. A session is the time from a hello to the end of the connection. */
export const tokenOf = (session: string, number: number): string => `${session}.${number}`;

/** A token with its place; undefined if the cloud does not have it. */
export function placed({ tokens, count = 0 }: CloudChannel, token: string): Placed | undefined {
  const at = tokens.lastIndexOf(token);
  return at < 0 ? undefined : { token, place: count - (tokens.length - 1 - at) };
}

/** True if the cloud took this bundle, and at this place. Undefined stands for none. */
export function hasBundle({ bundles, taken = 0, named = [] }: CloudChannel, bundle: Taken | undefined): boolean {
  if (bundle === undefined) return true;
  // The cloud knows only its last bundles, and those that it named to the site.
  if (bundle.place <= taken - MOST_TOKENS)
    return named.some(({ id, place }) => id === bundle.id && place === bundle.place);
  return bundle.place <= taken && bundles.at(bundle.place - taken - 1) === bundle.id;
}

/** The tokens that the cloud took after one; undefined if it does not have that one. */
export function tokensAfter({ tokens }: CloudChannel, token: string | undefined): readonly string[] | undefined {
  if (token === undefined) return tokens;
  const at = tokens.lastIndexOf(token);
  return at < 0 ? undefined : tokens.slice(at + 1);
}

const sessionOf = (token: string): string => token.replace(/[.][^.]*$/, '');

/** Pages of one session after a page of another one arrived in between. A box has fewer on their way when it begins a session. */
const MOST_BESIDE = 12;

/**
 * True if pages of another session keep arriving between those of this one. Two boxes with one identity do so, when both always have
 * something to send and so never begin a new session. The box must then say hello, which finds them out.
 */
export function isBeside({ tokens }: CloudChannel, token: string): boolean {
  const session = sessionOf(token);
  const isOwn = (one: string): boolean => sessionOf(one) === session;
  const first = tokens.findIndex(isOwn);
  if (first < 0) return false;
  const other = tokens.findIndex((one, i) => i > first && !isOwn(one));
  return other >= 0 && tokens.slice(other).filter(isOwn).length >= MOST_BESIDE;
}

/** What a box remembers of what it sent: more than the cloud can name. */
const MOST_ISSUED = 160;

export const withIssued = ({ issued }: SiteChannel, token: string): string[] =>
  issued.includes(token) ? [...issued] : [...issued, token].slice(-MOST_ISSUED);

/** Pages of earlier sessions that may still arrive. */
const MOST_LATE = 12;

/** True for a page that is expected to arrive, and for the end of a repair. */
export const isOpen = ({ rows, repaired }: Pending): boolean => rows.length > 0 || repaired !== undefined;

/** The pages after the connection ended: each may arrive late, but its rows are sent in another page, whose size fits the link better. */
const lateOf = (pending: readonly Pending[]): Pending[] =>
  pending.flatMap((page) => (page.repaired === undefined ? [{ ...page, rows: [] }] : [])).slice(-MOST_LATE);

/** What the cloud had of this gateway, but this box did not send. It is noted, so that the next contact does not find it again. */
export const learned = (token: string): string => `~${token}`;

export function issue(tx: SyncTx, token: string): void {
  const channel = tx.siteChannel();
  tx.setSiteChannel({ ...channel, issued: withIssued(channel, token) });
}

/** Positions that a site keeps: more than it names between two bundles of the cloud. */
const MOST_KNOWN = 24;

/** Adds a position up to which this site has everything. */
export const withKnown = ({ known = [] }: SiteChannel, { n, chain }: Position): readonly Position[] =>
  [...known.filter((each) => each.n !== n || each.chain !== chain), { n, chain }].slice(-MOST_KNOWN);

/** Notes the times of values that leave this site. */
export function noteGiven(tx: SyncTx, parts: readonly Part[]): void {
  const channel = tx.siteChannel();
  let given = channel.given ?? '';
  for (const { registers } of parts)
    for (const register of registers.values()) for (const { hlc } of register) if (hlc > given) given = hlc;
  if (given !== (channel.given ?? '')) tx.setSiteChannel({ ...channel, given });
}

export type Done = Pick<ReadonlySet<number>, 'has'>;

/** The first rows of a lane after a number that are not in `done`, at most `limit`. */
export function rowsWithout(tx: SyncTx, lane: number, from: number, done: Done, limit: number): LogRow[] {
  const found: LogRow[] = [];
  for (let after = from; found.length < limit; ) {
    const rows = tx.laneRows(lane, after, limit);
    for (const row of rows) if (!done.has(row.n) && found.length < limit) found.push(row);
    if (rows.length < limit) break;
    after = rows.at(-1)?.n ?? after;
  }
  return found;
}

/** The first rows of a lane that the cloud has not confirmed, at most `limit`. */
export const waitingOf = (tx: SyncTx, channel: SiteChannel, lane: number, limit: number): LogRow[] =>
  rowsWithout(tx, lane, channel.sent[lane] ?? 0, doneOf(channel, lane, channel.carried), limit);

/** The rows of a lane after `sent` that the cloud has: those of `rows`, and those of bundles that it confirmed. */
export function doneOf(channel: SiteChannel, lane: number, rows: Iterable<number>): Done {
  const done = new Set(rows);
  const spans = ackedSpans(channel, lane);
  if (spans.length === 0) return done;
  return { has: (n) => done.has(n) || spans.some(({ from, to }) => n > from && n <= to) };
}

const ackedSpans = ({ courier }: SiteChannel, lane: number): Span[] =>
  (courier?.volumes ?? []).flatMap(({ acked, spans }) => (acked ? spans.filter((span) => span.lane === lane) : []));

/** How many rows of each lane wait. */
export function waitingCounts(tx: SyncTx, channel: SiteChannel): number[] {
  const { sent, carried } = channel;
  const rows = carried.flatMap((n) => tx.row(n) ?? []);
  return ALL_LANES.map((lane) => {
    const first = sent[lane] ?? 0;
    const inSpans = doneOf(channel, lane, []);
    let waiting = tx.laneCount(lane, first);
    for (const row of rows) if (row.lane === lane && row.n > first && !inSpans.has(row.n)) waiting--;
    for (const { from, to } of joined(ackedSpans(channel, lane), first))
      waiting -= tx.laneCount(lane, from) - tx.laneCount(lane, to);
    return waiting;
  });
}

/** Spans in their order, without what is before `first` and without what two of them have in common. */
function joined(spans: readonly Span[], first: number): Span[] {
  const found: Span[] = [];
  let last = first;
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const from = Math.max(last, span.from);
    if (span.to <= from) continue;
    found.push({ ...span, from });
    last = span.to;
  }
  return found;
}

/** Up to which row of a lane the cloud has everything. Notes the rows of `carried` that it passed. */
function advance(
  tx: SyncTx,
  channel: SiteChannel,
  lane: number,
  carried: ReadonlySet<number>,
  passed: Set<number>,
): number {
  const spans = joined(ackedSpans(channel, lane), channel.sent[lane] ?? 0);
  for (let last = channel.sent[lane] ?? 0, limit = 1; ; limit = 100) {
    // The rows of a bundle are not read: there may be millions of them.
    const span = spans.find(({ from, to }) => from <= last && to > last);
    if (span !== undefined) last = span.to;
    const rows = tx.laneRows(lane, last, limit);
    let isInSpan = false;
    for (const { n } of rows) {
      isInSpan = spans.some(({ from, to }) => n > from && n <= to);
      if (isInSpan) {
        // Between the bundle and the rows before it there are no others.
        last = n;
        break;
      }
      if (!carried.has(n)) return last;
      passed.add(n);
      last = n;
    }
    if (!isInSpan && rows.length < limit) return Math.max(last, tx.head().n);
  }
}

/** Moves `sent` over everything that the cloud has, and forgets bundles of which nothing is left to confirm. */
export function advanceAll(
  tx: SyncTx,
  channel: SiteChannel,
  carried: ReadonlySet<number>,
): Pick<SiteChannel, 'sent' | 'carried' | 'courier'> {
  const passed = new Set<number>();
  const sent = ALL_LANES.map((lane) => advance(tx, channel, lane, carried, passed));
  const least = Math.min(...sent);
  const { courier } = channel;
  return {
    sent,
    carried: [...carried].filter((n) => n > least && !passed.has(n)),
    courier: courier && { ...courier, volumes: unconfirmed(courier, sent) },
  };
}

type Moved = Partial<SiteChannel> & Pick<SiteChannel, 'sent'>;

/**
 * The other end has a page, or has ended a repair. Returns false if another token has this place: the cloud was put back since, without the
 * connection having ended, and does not have the other page any more.
 */
export function confirm(tx: SyncTx, page: Pending, place: number | undefined): boolean {
  const channel = tx.siteChannel();
  const { token, sent, repaired } = page;
  const isTaken = repaired === undefined && channel.tokens.some((each) => place !== undefined && each.place === place);
  const rest = channel.pending.filter((each) => each.token !== token);
  const next = repaired === undefined ? confirmPage(tx, channel, page) : afterRepair(channel, sent, repaired);
  const before =
    repaired === undefined ? channel.tokens : channel.tokens.map((each) => ({ ...each, place: undefined }));
  const all = inOrder([...before, { token, sent, place }]);
  tx.setSiteChannel({
    ...channel,
    ...next,
    tokens: all.slice(-MOST_TOKENS),
    older: repaired === undefined ? withOlder(channel.older ?? [], all.slice(0, -MOST_TOKENS)) : undefined,
    pending: rest,
    ...(repaired && { pulled: repaired.pulled, cloud: repaired.cloud, repaired: repaired.asked, covered: undefined }),
    // A repair that began before the loss may have compared documents that were lost afterwards.
    ...(repaired?.asked === channel.asked && { lost: undefined }),
  });
  if (repaired !== undefined) tx.setNode({ ...tx.node(), fresh: false });
  // A repair compares documents, not commits: the cloud has these commits, and no other end asks a site for them.
  tx.trimLog(Math.min(...next.sent));
  return !isTaken;
}

/**
 * The repair has brought all that bundles had which the site knew to be at the cloud when it began, so the token of its end stands for them.
 * A bundle that was confirmed since is still named at each contact, because the cloud may be put back to a time between the two.
 */
const afterRepair = (
  { carried, courier, bundle, cloud }: SiteChannel,
  sent: readonly number[],
  repaired: Repaired,
): Moved => ({
  sent,
  carried: carried.filter((n) => n > Math.min(...sent)),
  whole: [],
  bundle: bundle?.id === repaired.bundle ? undefined : bundle,
  courier: courier && {
    ...{ ...courier, volumes: unconfirmed(courier, sent), confirmed: undefined },
    // A cloud that was put back has a new life, and numbers its bundles from an earlier number on.
    answer: cloud?.token === repaired.cloud.token ? courier.answer : undefined,
  },
});

/** The bundles with rows that the cloud has not confirmed. */
const unconfirmed = ({ volumes }: Courier, sent: readonly number[]): Volume[] =>
  volumes.filter(({ spans }) => spans.some(({ lane, to }) => to > (sent[lane] ?? 0)));

function confirmPage(tx: SyncTx, channel: SiteChannel, { rows }: Pending): Moved {
  const carried = new Set([...channel.carried, ...rows]);
  const given = new Set(rows.flatMap((n) => tx.row(n)?.members.map(keyOf) ?? []));
  return { ...advanceAll(tx, channel, carried), whole: channel.whole.filter((key) => !given.has(key)) };
}

/** Moves the last token before those that the cloud took later. */
function inOrder<T extends { readonly place?: number | undefined }>(tokens: readonly T[]): T[] {
  const last = tokens.at(-1);
  let at = tokens.length - 1;
  while (last?.place !== undefined && at > 0 && (tokens[at - 1]?.place ?? 0) > last.place) at--;
  return last === undefined ? [] : [...tokens.slice(0, at), last, ...tokens.slice(at, -1)];
}

/** The end of a repair with the life of the cloud that it confirms. */
export const withLife = (pending: Pending, cloud: Life): Pending =>
  pending.repaired === undefined ? pending : { ...pending, repaired: { ...pending.repaired, cloud } };

/** Confirms what arrived. The end of a repair that did not is not repeated: the next contact decides anew. Returns as `confirm`. */
export function takeArrived(
  tx: SyncTx,
  env: SyncEnv,
  { arrived, cloud, backed_up, answers, owed }: HelloAnswer,
): boolean {
  let isInOrder = true;
  for (const { token, place } of arrived) {
    const page = tx.siteChannel().pending.find((each) => each.token === token);
    if (page === undefined) continue;
    isInOrder = confirm(tx, withLife(page, cloud.life), place) && isInOrder;
    if (page.repaired !== undefined) endOwed(tx, env, cloud.id);
  }
  const channel = tx.siteChannel();
  const covered = isInOrder ? coveredBy(channel, backed_up) : undefined;
  // Pages that overtook others leave the number of notes larger, until the cloud says it again.
  const most = isInOrder ? owed : Math.max(owed ?? 0, channel.owed ?? 0);
  // A bundle of the cloud that was begun before this contact promises nothing any more.
  const courier = answers === undefined ? channel.courier : { ...(channel.courier ?? NO_COURIER), answer: answers + 1 };
  tx.setSiteChannel({ ...channel, pending: lateOf(channel.pending), covered, owed: most, courier });
  return isInOrder;
}
