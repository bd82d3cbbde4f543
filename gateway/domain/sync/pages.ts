/** Pages: which rows of the log the next one of a site has, and commits as the other end gets them, with the current values of their fields. */

import { type Doc, keyOf, type Part, partOf } from '#domain/sync/registers/documents.ts';
import { isMachinerys } from '#domain/sync/registers/registers.ts';
import { ALL_LANES, doneOf, rowsWithout } from './channels.ts';
import type { SyncEnv } from './env.ts';
import { ALERT_LANE, nextLane } from './lanes.ts';
import type { Commit, LogRow, Pending, SiteChannel, SyncTx } from './store.ts';

/**
 * Builds commits from rows of the log. A commit's record is never older than its event, because the page has the current values. Documents
 * in `whole` are sent as a whole, because the receiver lacks them.
 */
export function commitsOf(
  tx: SyncTx,
  rows: readonly LogRow[],
  whole: readonly string[],
  outgoing: (doc: Doc, part: Part) => Part | undefined,
): Commit[] {
  return rows.map(({ key, life, hlc, lane, members }) => ({
    key,
    life,
    hlc,
    lane,
    docs: members.flatMap((member) => {
      const name = keyOf(member);
      const doc = tx.get(name);
      const part = doc && outgoing(doc, partOf(doc, whole.includes(name) ? undefined : member.paths));
      return part === undefined || part.registers.size === 0 ? [] : [part];
    }),
  }));
}

/** About how many bytes of text a page carries, unless one commit has more. Compressed, a page is a quarter of it. */
export const PAGE_BYTES = 256 << 10;

/**
 * Builds commits from the first of these rows, as many as have at most `most` bytes of text together; at least one. Documents that are left
 * out count, too, and no row is read after the page is full, so a page takes a bounded memory, whatever it leaves out.
 */
export function firstCommits(
  tx: SyncTx,
  rows: readonly LogRow[],
  whole: readonly string[],
  outgoing: (doc: Doc, part: Part) => Part | undefined,
  most: number,
): Commit[] {
  const found: Commit[] = [];
  let bytes = 0;
  const counted = (doc: Doc, part: Part): Part | undefined => {
    const sent = outgoing(doc, part);
    if (sent === undefined) bytes += bytesOfPart(part);
    return sent;
  };
  for (const row of rows)
    for (const commit of commitsOf(tx, [row], whole, counted)) {
      bytes += bytesOf(commit);
      if (bytes > most && found.length > 0) return found;
      found.push(commit);
    }
  return found;
}

/** About the number of bytes of a commit as text. */
export const bytesOf = ({ docs }: Commit): number => docs.reduce((bytes, part) => bytes + bytesOfPart(part), 60);

function bytesOfPart({ id, registers }: Part): number {
  let bytes = 60 + id.length;
  for (const [path, register] of registers)
    for (const { v, anc } of register) bytes += path.length + 20 + 8 * anc.length + bytesOfValue(v);
  return bytes;
}

/** A long text, such as the samples of an hour, is not copied to find out its length. */
const bytesOfValue = (v: unknown): number => (typeof v === 'string' ? v.length + 2 : (JSON.stringify(v)?.length ?? 4));

/** What a node sends of a document: of the values of machinery only those of this node. A fact that goes only up is not sent down. */
export function outgoingOf(env: SyncEnv, self: string): (doc: Doc, part: Part) => Part | undefined {
  return (doc, part) => {
    if (env.role === 'cloud' && env.ownership.kind(doc.collection, doc.object)?.whole?.direction === 'up')
      return undefined;
    if (doc.home === '' || doc.home === self) return part;
    const registers = new Map([...part.registers].filter(([path]) => !isMachinerys(path)));
    return registers.size === part.registers.size ? part : { ...part, registers };
  };
}

/** Whole documents of a repair as commits of their own, so that one bad document holds up no other. */
export function repairCommits(env: SyncEnv, parts: readonly Part[]): Commit[] {
  return parts.map((part) => {
    let latest = { hlc: '', life: '' };
    for (const register of part.registers.values())
      for (const { hlc, life } of register) if (hlc > latest.hlc) latest = { hlc, life };
    const marks = [...part.registers.values()].flatMap((register) => register.map(({ id }) => id)).sort();
    const key = env.rules.commitKey(latest.life, latest.hlc, `repair ${keyOf(part)} ${marks.join(' ')}`);
    return { ...latest, key, lane: 2, docs: [part] };
  });
}

/** How much one page carries. */
export interface PageSize {
  /** Commits of a page. */
  readonly page: number;
  /** Bytes of text of a page that has more than one commit. */
  readonly bytes: number;
}

export interface PageOf {
  readonly token: string;
  /** How many pages were made before, for the share of the lanes that are not urgent. */
  readonly count: number;
  /** Set for a page of safety and alerts: only rows after this number. Older ones wait with all others, so that a new alert does not. */
  readonly after?: number | undefined;
  /** The last row that the page may have; later rows wait, so that several of them share a page. */
  readonly upTo?: number | undefined;
}

/** A page of rows that are neither confirmed nor in a pending page; undefined if there are none. */
export function newPage(
  tx: SyncTx,
  env: SyncEnv,
  channel: SiteChannel,
  size: PageSize,
  of: PageOf,
): Pending | undefined {
  const taken = [...channel.carried, ...channel.pending.flatMap(({ rows }) => rows)];
  const done = ALL_LANES.map((lane) => doneOf(channel, lane, taken));
  const isUrgent = of.after !== undefined;
  const upTo = of.upTo ?? Number.POSITIVE_INFINITY;
  const rowsOf = (lane: number, limit: number): LogRow[] => {
    if (isUrgent && lane > ALERT_LANE) return [];
    const from = Math.max(channel.sent[lane] ?? 0, of.after ?? 0);
    return rowsWithout(tx, lane, from, done[lane] ?? NONE, limit).filter(({ n }) => n <= upTo);
  };
  const waiting = ALL_LANES.map((lane) => rowsOf(lane, 1).length > 0);
  const lane = nextLane(waiting, of.count);
  if (lane === undefined) return undefined;
  const first = rowsOf(lane, size.page);
  const commits = firstCommits(tx, first, channel.whole, outgoingOf(env, tx.node().id), size.bytes);
  const rows = first.slice(0, commits.length).map(({ n }) => n);
  const sent = sentWith(tx, channel, lane, rows);
  return { token: of.token, sent, rows, ...(isUrgent && { urgent: true }) };
}

/** What the cloud has of each lane for certain when it has this page, whatever becomes of the pages beside it. */
function sentWith(tx: SyncTx, channel: SiteChannel, lane: number, rows: readonly number[]): number[] {
  const has = doneOf(channel, lane, [...channel.carried, ...rows]);
  return ALL_LANES.map((each) => {
    const before = channel.sent[each] ?? 0;
    const [gap] = rowsWithout(tx, each, before, each === lane ? has : NONE, 1);
    if (gap === undefined) return Math.max(before, tx.head().n);
    return each === lane ? Math.max(before, gap.n - 1) : before;
  });
}

const NONE: ReadonlySet<number> = new Set();
