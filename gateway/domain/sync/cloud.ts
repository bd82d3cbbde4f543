/** The cloud's side of the protocol: the answer to each request, as one transaction. */

import { type Doc, keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { lifeText } from '#domain/sync/registers/registers.ts';
import { applyCommits, NeedWhole } from './apply.ts';
import { backedUp } from './backups.ts';
import { hasBundle, isBeside, placed, tokensAfter, withToken } from './channels.ts';
import { answerRanges } from './digest.ts';
import { countOf } from './digest-items.ts';
import type { SyncEnv } from './env.ts';
import { holdsPart } from './holds.ts';
import { beginLife, isSameLife } from './lives.ts';
import type {
  Answer,
  Begin,
  Digest,
  Early,
  End,
  Give,
  Hello,
  HelloAnswer,
  Holds,
  Pull,
  Push,
  Refused,
  Request,
  Verdict,
} from './messages.ts';
import { beginOwed, endOwed, isOwedDue, owedBy } from './owed.ts';
import { firstCommits, outgoingOf, PAGE_BYTES, repairCommits } from './pages.ts';
import type { CloudChannel, Commit, Life, Position, SyncTx } from './store.ts';

const CHANGED: Refused = { type: 'refused', code: 'session_changed' };
const FENCED: Refused = { type: 'refused', code: 'fenced' };

/** Answers a request. Throws `NeedWhole`; the caller then rolls the transaction back and answers with `needAnswer`. */
export function handleRequest(tx: SyncTx, env: SyncEnv, request: Request): Answer {
  switch (request.type) {
    case 'hello':
      return hello(tx, request);
    case 'push':
      return push(tx, env, request);
    case 'pull':
      return pull(tx, env, request);
    case 'begin':
      return begin(tx, request);
    case 'digest':
      return digest(tx, request);
    case 'give':
      return give(tx, env, request);
    case 'end':
      return end(tx, env, request);
    case 'early':
      return early(tx, env, request);
    case 'holds':
      return holds(tx, request);
  }
}

/** The commits that a transaction takes, and the gateway that gives them. */
export interface Brought {
  readonly gateway: string;
  readonly commits: (env: SyncEnv) => readonly Commit[];
}

/** The commits that a request brings, and the gateway that brings them; undefined if it brings none. */
export function broughtBy(request: Request): Brought | undefined {
  const { gateway } = request;
  if (request.type === 'push' || request.type === 'early') return { gateway, commits: () => request.commits };
  return request.type === 'give' ? { gateway, commits: (env) => repairCommits(env, request.parts) } : undefined;
}

/** The answer after `NeedWhole`; undefined for any other error. */
export const needAnswer = (error: unknown): Refused | undefined =>
  error instanceof NeedWhole ? { type: 'refused', code: 'need', need: error.keys } : undefined;

/** Who gives commits. */
export const senderOf = ({ gateway, life }: { gateway: string; life: Life }): { node: string; life: string } => ({
  node: gateway,
  life: lifeText(gateway, life.number, life.token),
});

/** A box whose life is older than the one that the cloud knows, or another one with the same number: another box has its identity. */
function isFenced(tx: SyncTx, gateway: string, life: Life, fresh: boolean): boolean {
  const known = tx.life(gateway);
  if (known === undefined || fresh) return false;
  return life.number < known.number || (life.number === known.number && life.token !== known.token);
}

/** True if no other life of this gateway has the same number or a larger one. */
function isNewest(tx: SyncTx, gateway: string, life: Life): boolean {
  const known = tx.life(gateway);
  return known === undefined || life.number > known.number || isSameLife(known, life);
}

/** True if this life takes part: the cloud has confirmed it. */
const isConfirmed = (tx: SyncTx, { gateway, life }: { gateway: string; life: Life }): boolean =>
  isSameLife(tx.life(gateway), life);

/** The position is a row of this log, and all later ones are here. */
export function isOurs(tx: SyncTx, { n, chain }: Position): boolean {
  return n === 0 ? !isTrimmed(tx, { n, chain }) : tx.row(n)?.chain === chain;
}

/** The row after this position, or that of the position itself, was removed because the log has a bound. */
export const isTrimmed = (tx: SyncTx, { n }: Position): boolean => {
  const [first] = tx.rows(0, 1);
  return first !== undefined && first.n > 1 && n < first.n;
};

/** Compares what both ends remember. Writes nothing: a repair that this answer asks for may be cut, and must be asked for again. */
function hello(tx: SyncTx, request: Hello): HelloAnswer {
  const { gateway } = request;
  const channel = tx.cloudChannel(gateway);
  const { id, life } = tx.node();
  const last = channel.tokens.at(-1);
  const bundles = [...channel.bundles, ...(channel.begun ?? [])];
  const arrived = request.pending.flatMap((token) => placed(channel, token) ?? []);
  const answer = { type: 'hello', cloud: { id, life }, known: tx.life(gateway)?.number ?? 0, last } as const;
  return {
    ...answer,
    verdict: verdictOf(tx, request, channel),
    arrived,
    ...owedOf(tx, gateway),
    backed_up: backedUp(channel),
    ...(channel.answers !== undefined && { answers: channel.answers }),
    received: receivedOf(channel),
    ...(bundles.length > 0 && { bundles }),
  };
}

/** How many documents a gateway owes this cloud. */
function owedOf(tx: SyncTx, gateway: string): { readonly owed?: number } {
  const owed = owedBy(tx, gateway);
  return owed === 0 ? {} : { owed };
}

const receivedOf = ({ tokens, step }: CloudChannel): string[] => [
  ...tokens.slice(-1),
  ...(step === undefined ? [] : [repairOf(step)]),
];

/** The repair of a step. */
const repairOf = (step: string): string => step.replace(/[.].*$/, '');

function verdictOf(tx: SyncTx, request: Hello, channel: CloudChannel): Verdict {
  const { gateway, life, fresh, cloud, pending } = request;
  const last = channel.tokens.at(-1);
  const isOld = isTrimmed(tx, request.pulled);
  const remembers = (isOld || isOurs(tx, request.pulled)) && hasBundle(channel, request.bundle);
  if (isFenced(tx, gateway, life, fresh)) return 'fenced';
  if (request.ends && last !== undefined && last === pending[0])
    return remembers && isConfirmed(tx, request) ? 'arrived' : 'cloud_behind';
  const later = tokensAfter(channel, request.last);
  if (later === undefined) return 'forked';
  if (request.ends ? later.length > 0 : !later.every((token) => pending.includes(token)))
    return request.last === undefined ? 'forked' : 'site_behind';
  if (last === undefined) return 'first';
  if (fresh) return 'site_new_life';
  if (!isSameLife(tx.node().life, cloud)) return 'cloud_new_life';
  if (!isConfirmed(tx, request) || !remembers) return 'cloud_behind';
  return request.repair || isOld || isOwedDue(tx, gateway) ? 'asked' : 'ok';
}

function push(tx: SyncTx, env: SyncEnv, request: Push): Answer {
  const { gateway, after, token, commits } = request;
  if (isFenced(tx, gateway, request.life, false)) return FENCED;
  const channel = tx.cloudChannel(gateway);
  const known = placed(channel, token);
  if (known !== undefined) {
    const isLast = token === channel.tokens.at(-1);
    const quarantined = isLast ? channel.quarantined : [];
    return { type: 'ok', place: known.place, quarantined, ...owedOf(tx, gateway) };
  }
  if (tokensAfter(channel, after) === undefined || isBeside(channel, token) || !isConfirmed(tx, request))
    return CHANGED;
  const quarantined = applyCommits(tx, env, { ...senderOf(request), way: 'page', owes: request.owes }, commits);
  const place = addToken(tx, gateway, token, { quarantined });
  return { type: 'ok', place, quarantined, ...owedOf(tx, gateway) };
}

/** Stores a token, and returns its place. */
function addToken(tx: SyncTx, gateway: string, token: string, more: Partial<CloudChannel>): number {
  const channel = tx.cloudChannel(gateway);
  const count = (channel.count ?? 0) + 1;
  tx.setCloudChannel(gateway, { ...channel, ...more, tokens: withToken(channel.tokens, token), count });
  return count;
}

function pull(tx: SyncTx, env: SyncEnv, { gateway, life, after, limit, bytes, whole }: Pull): Answer {
  if (isFenced(tx, gateway, life, false)) return FENCED;
  if (!isOurs(tx, after)) return CHANGED;
  const page = rowsAfter(tx, env, senderOf({ gateway, life }).life, { after, limit, bytes, whole });
  return { type: 'pull', ...page, more: page.to.n < tx.head().n };
}

/** The commits after a position that a box did not give itself, and the position after them. */
export function rowsAfter(
  tx: SyncTx,
  env: SyncEnv,
  giver: string,
  { after, limit, bytes, whole }: Pick<Pull, 'after' | 'limit' | 'bytes' | 'whole'>,
): { readonly to: Position; readonly commits: Commit[] } {
  const all = tx.rows(after.n, limit);
  // Samples and statistics, which are nearly all bytes of a log, are not read, because they never go down.
  const given = all.flatMap((row) =>
    row.from === giver
      ? []
      : [{ ...row, members: row.members.filter((one) => !env.ownership.isOnlyUp(one.collection)) }],
  );
  const page = firstCommits(tx, given, whole, outgoingOf(env, tx.node().id), Math.min(bytes, PAGE_BYTES));
  const next = given[page.length];
  const rows = next === undefined ? all : all.filter(({ n }) => n < next.n);
  const commits = page.filter(({ docs }) => docs.length > 0);
  const last = rows.at(-1);
  return { to: last === undefined ? after : { n: last.n, chain: last.chain }, commits };
}

function begin(tx: SyncTx, { gateway, life, fresh, step }: Begin): Answer {
  if (isFenced(tx, gateway, life, fresh)) return FENCED;
  if (!isNewest(tx, gateway, life)) return CHANGED;
  tx.setCloudChannel(gateway, { ...tx.cloudChannel(gateway), step });
  beginOwed(tx, gateway);
  const { life: own, floors } = tx.node();
  const documents = fresh && !isConfirmed(tx, { gateway, life }) ? countOf(tx, gateway) : undefined;
  return { type: 'begin', head: tx.head(), life: own, floors, ...(documents !== undefined && { documents }) };
}

const digest = (tx: SyncTx, { scope, ranges }: Digest): Answer => ({
  type: 'digest',
  answers: answerRanges(tx, scope, ranges),
});

function give(tx: SyncTx, env: SyncEnv, request: Give): Answer {
  const { gateway, step, next, head, parts, want, owes } = request;
  const channel = tx.cloudChannel(gateway);
  if (channel.step !== step || !isNewest(tx, gateway, request.life)) return CHANGED;
  applyCommits(tx, env, { ...senderOf(request), way: 'repair', owes }, repairCommits(env, parts));
  tx.setCloudChannel(gateway, { ...channel, step: next });
  return { type: 'give', parts: wantedParts(tx, env, gateway, want, head) };
}

/** Documents that a repair gives. A fact whose commit came after the begin is left out: it comes with its record in a page. */
export function wantedParts(tx: SyncTx, env: SyncEnv, receiver: string, keys: readonly string[], head: number): Part[] {
  const outgoing = outgoingOf(env, tx.node().id);
  return keys.flatMap((key) => {
    const doc = tx.get(key);
    if (doc === undefined || (tx.rowOfFact(key) ?? 0) > head) return [];
    const part = doc.home === receiver || isOf(doc, receiver) ? doc : outgoing(doc, doc);
    return part === undefined || part.registers.size === 0 ? [] : [part];
  });
}

/** True for a fact that this node made: it gets it back. */
const isOf = ({ registers }: Doc, node: string): boolean =>
  registers.get('=')?.[0]?.life.startsWith(`${node}.`) === true;

function end(tx: SyncTx, env: SyncEnv, request: End): Answer {
  const { gateway, life, step, token, head, cloud, known, verdict } = request;
  const channel = tx.cloudChannel(gateway);
  if (token === channel.tokens.at(-1))
    return { type: 'ok', place: channel.count ?? 0, quarantined: [], ...owedOf(tx, gateway), life: tx.node().life };
  if (channel.step !== step || !isOurs(tx, head) || !isSameLife(tx.node().life, cloud)) return CHANGED;
  if (!isNewest(tx, gateway, life)) return FENCED;
  tx.setLife(gateway, life);
  endOwed(tx, env, gateway);
  const place = addToken(tx, gateway, token, { step: undefined, quarantined: [] });
  // This end was put back and did not know it: all sites that have seen more must repair.
  if (verdict === 'cloud_behind' || verdict === 'forked') beginLife(tx, env, known + 1);
  return { type: 'ok', place, quarantined: [], ...owedOf(tx, gateway), life: tx.node().life };
}

/** Joins commits that do not wait for the end of a repair. A box takes part in a repair before its life is confirmed. */
function early(tx: SyncTx, env: SyncEnv, request: Early): Answer {
  const { gateway, life, step, commits } = request;
  const current = tx.cloudChannel(gateway).step;
  if (current === undefined || repairOf(current) !== repairOf(step) || !isNewest(tx, gateway, life)) return CHANGED;
  const quarantined = applyCommits(tx, env, { ...senderOf(request), way: 'bundle' }, commits);
  return { type: 'ok', place: 0, quarantined };
}

function holds(tx: SyncTx, { gateway, parts }: Holds): Answer {
  const missing = parts.filter((part) => !holdsPart(tx.get(keyOf(part)), part)).map(keyOf);
  const quarantined = tx
    .quarantined()
    .filter(({ from }) => from === gateway)
    .map(({ key }) => key);
  return { type: 'holds', missing, quarantined, ...owedOf(tx, gateway), head: tx.head() };
}
