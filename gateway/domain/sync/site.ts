/**
 * The site's side of the protocol: which request comes next, and what an answer changes. The state that must survive is in the store; the
 * state of a repair is only in memory, because a repair that was cut begins again.
 */
import { applyCommits, askRepair, NeedWhole } from './apply.ts';
import { wantedParts, withToken } from './cloud.ts';
import { nextRanges, startWalk, takeRanges, type Walk } from './digest.ts';
import { homeScope, machineryScope } from './digest-items.ts';
import type { SyncEnv } from './env.ts';
import { LANES, nextLane } from './lanes.ts';
import { assertMachinery, beginLife } from './lives.ts';
import type { Answer, Begun, Given, HelloAnswer, Ok, Pulled, Request, Verdict } from './messages.ts';
import { commitsOf, fitting, outgoingOf, repairCommits } from './pages.ts';
import type { Life, LogRow, Pending, Position, SiteChannel, SyncTx } from './store.ts';

/** How much one message carries. */
export interface Sizes {
  /** Commits of a page. */
  readonly page: number;
  /** Bytes of text of a page that has more than one commit. */
  readonly bytes: number;
  /** Documents of one step of a repair. */
  readonly give: number;
}

interface Repair {
  readonly verdict: Verdict;
  step: string;
  begun?: Begun & { readonly ownHead: number; readonly asked: number };
  scopes: string[];
  walk?: Walk | undefined;
  give: string[];
  want: string[];
  asked: { ranges?: ReturnType<typeof nextRanges>; give?: string[]; want?: string[]; next?: string };
}

/** The scopes that a site and the cloud compare, in the order of a repair: records come before the facts about them. */
export function scopesOf(gateway: string, cloud: string): string[] {
  return ['records', 'live', machineryScope(gateway), machineryScope(cloud), homeScope('telemetry', gateway), 'events'];
}

/** Facts below the floor of either end are not compared. */
export const floorOf = (scope: string, ...floors: readonly Readonly<Record<string, number>>[]): number =>
  Math.max(0, ...floors.map((of) => of[scope.replace(/!.*/, '')] ?? 0));

const NONE_SENT: readonly number[] = Array.from({ length: LANES }, () => 0);
const ALL_LANES: readonly number[] = [...NONE_SENT.keys()];

/** The first rows of a lane that the cloud does not have yet, at most `limit`. */
export function waitingOf(tx: SyncTx, { tokens, carried }: SiteChannel, lane: number, limit: number): LogRow[] {
  const done = new Set(carried);
  let after = tokens.at(-1)?.sent[lane] ?? 0;
  for (;;) {
    const rows = tx.laneRows(lane, after, limit);
    const waiting = rows.filter(({ n }) => !done.has(n));
    // A courier brought all of them: the next ones count.
    if (waiting.length > 0 || rows.length === 0) return waiting;
    after = rows.at(-1)?.n ?? after;
  }
}

/** Rows that the cloud does not have yet, in the order of the log: at most `limit` of each lane. */
export function waitingRows(tx: SyncTx, channel: SiteChannel, limit: number): LogRow[] {
  return ALL_LANES.flatMap((lane) => waitingOf(tx, channel, lane, limit)).sort((a, b) => a.n - b.n);
}

/** How many rows of each lane wait. */
export function waitingCounts(tx: SyncTx, { tokens, carried }: SiteChannel): number[] {
  const sent = tokens.at(-1)?.sent ?? NONE_SENT;
  const counts = ALL_LANES.map((lane) => tx.laneCount(lane, sent[lane] ?? 0));
  for (const n of carried) {
    const lane = tx.row(n)?.lane;
    if (lane !== undefined && n > (sent[lane] ?? 0)) counts[lane] = (counts[lane] ?? 0) - 1;
  }
  return counts;
}

export class SiteLink {
  readonly #sizes: Sizes;
  #phase: 'closed' | 'linked' | 'repair' = 'closed';
  #repair: Repair | undefined;
  #cloud = '';
  #pulledAll = false;
  #pages = 0;

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  /** True when a contact has nothing more to do. */
  get isIdle(): boolean {
    return this.#phase === 'linked' && this.#pulledAll;
  }

  /** True while both ends compare all documents. */
  get isRepairing(): boolean {
    return this.#phase === 'repair';
  }

  /** Id of the cloud, after the first hello. */
  get cloud(): string {
    return this.#cloud;
  }

  /** The connection is gone. */
  close(): void {
    this.#phase = 'closed';
    this.#repair = undefined;
    this.#pulledAll = false;
  }

  /** The next request; undefined when there is nothing to do, or when another box has the identity of this one. */
  next(tx: SyncTx, env: SyncEnv): Request | undefined {
    const channel = tx.siteChannel();
    const { id: gateway, life } = tx.node();
    if (channel.fenced) return undefined;
    if (this.#phase === 'closed') return this.#hello(tx, channel);
    if (this.#phase === 'repair') return this.#repairStep(tx, env);
    if (channel.pending !== undefined || waitingRows(tx, channel, 1).length > 0) return this.#page(tx, env, channel);
    if (this.#pulledAll) return undefined;
    return {
      type: 'pull',
      gateway,
      life,
      after: channel.pulled,
      limit: this.#sizes.page,
      bytes: this.#sizes.bytes,
      whole: channel.whole,
    };
  }

  #hello(tx: SyncTx, { tokens, pending, pulled, cloud, bundle, asked, repaired }: SiteChannel): Request {
    const { id: gateway, life, fresh } = tx.node();
    const last = tokens.at(-1)?.token;
    const ends = pending?.repaired !== undefined;
    const position = pending?.repaired?.pulled ?? pulled;
    const mine = { gateway, life, fresh, cloud, last, bundle, repair: asked > repaired } as const;
    return { type: 'hello', ...mine, pending: pending?.token, ends, pulled: position };
  }

  /** The pending page as it was, or a new page of the lane whose turn it is. The page is stored before it is sent. */
  #page(tx: SyncTx, env: SyncEnv, channel: SiteChannel): Request {
    let { pending } = channel;
    if (pending?.repaired !== undefined || pending === undefined) {
      pending = this.#newPage(tx, env, channel);
      tx.setSiteChannel({ ...channel, pending, issued: withIssued(channel, pending.token) });
    }
    const rows = pending.rows.flatMap((n) => tx.row(n) ?? []);
    const { id: gateway, life } = tx.node();
    const commits = commitsOf(tx, rows, channel.whole, outgoingOf(env, gateway));
    return { type: 'push', gateway, life, after: channel.tokens.at(-1)?.token, token: pending.token, commits };
  }

  #newPage(tx: SyncTx, env: SyncEnv, channel: SiteChannel): Pending {
    const waiting = ALL_LANES.map((lane) => waitingOf(tx, channel, lane, 1).length > 0);
    const lane = nextLane(waiting, this.#pages++) ?? 0;
    const first = waitingOf(tx, channel, lane, this.#sizes.page);
    const commits = commitsOf(tx, first, channel.whole, outgoingOf(env, tx.node().id));
    const page = first.slice(0, fitting(commits, this.#sizes.bytes).length);
    const before = channel.tokens.at(-1)?.sent ?? NONE_SENT;
    const head = tx.head().n;
    // A lane in which nothing waits is sent up to the head of the log.
    const sent = before.map((n, i) => (i === lane ? (page.at(-1)?.n ?? n) : waiting[i] === true ? n : head));
    return { token: env.token(), sent, rows: page.map(({ n }) => n) };
  }

  /** Takes an answer. `request` is what was asked. */
  take(tx: SyncTx, env: SyncEnv, request: Request, answer: Answer): void {
    if (answer.type === 'refused') {
      const { need } = answer;
      if (answer.code === 'fenced') tx.setSiteChannel({ ...tx.siteChannel(), fenced: true });
      if (need !== undefined) this.#addWhole(tx, need);
      else this.close();
      return;
    }
    if (answer.type === 'hello') this.#takeHello(tx, env, answer);
    else if (answer.type === 'pull') this.#takePulled(tx, env, request, answer);
    else if (answer.type === 'ok') this.#takeOk(tx, request, answer);
    else if (this.#repair !== undefined) this.#takeRepair(tx, env, this.#repair, request, answer);
  }

  #addWhole(tx: SyncTx, keys: readonly string[]): void {
    const channel = tx.siteChannel();
    tx.setSiteChannel({ ...channel, whole: [...new Set([...channel.whole, ...keys])] });
  }

  #takeHello(tx: SyncTx, env: SyncEnv, { verdict, cloud, known, last, covered, received }: HelloAnswer): void {
    this.#cloud = cloud.id;
    const channel = tx.siteChannel();
    if (verdict === 'fenced') {
      tx.setSiteChannel({ ...channel, fenced: true });
      return;
    }
    // The cloud has something of this gateway that this box does not know: it was put back, or another box has its identity.
    const isBehind = received.some((each) => ![each, learned(each)].some((one) => channel.issued.includes(one)));
    if ((verdict === 'ok' || verdict === 'arrived') && !isBehind) {
      if (verdict === 'arrived') confirm(tx, withLife(channel.pending as Pending, cloud.life), covered);
      else tx.setSiteChannel({ ...channel, pending: dropRepaired(channel.pending), covered });
      this.#phase = 'linked';
      return;
    }
    const { fresh, life, clock } = tx.node();
    const knows = last !== undefined && channel.tokens.some(({ token }) => token === last);
    // The site had given up this page or repair, and head office received it late. A repair is enough.
    const isLate = verdict === 'site_behind' || (verdict === 'forked' && channel.tokens.length === 0);
    const seen = isBehind ? 'site_behind' : isLate && last !== undefined ? 'asked' : verdict;
    const found = seen === 'forked' && (knows || last === undefined) ? 'cloud_behind' : seen;
    const isLost = (found === 'site_behind' || found === 'forked') && !fresh;
    for (const each of received) if (!channel.issued.includes(each)) issue(tx, learned(each));
    if (isLost || (fresh && (isBehind || life.number <= known)))
      beginLife(tx, env, known + 1, isLost ? clock : undefined);
    this.#phase = 'repair';
    this.#repair = { verdict: found, step: '', scopes: [], give: [], want: [], asked: {} };
  }

  #takePulled(tx: SyncTx, env: SyncEnv, request: Request, { commits, to, more }: Pulled): void {
    const channel = tx.siteChannel();
    if (request.type !== 'pull' || request.after.chain !== channel.pulled.chain) return;
    applyCommits(tx, env, { node: this.#cloud, life: this.#cloud, way: 'page' }, commits);
    tx.setSiteChannel({ ...tx.siteChannel(), pulled: to, whole: [] });
    this.#pulledAll = !more;
  }

  /** A transaction of `take` threw: if documents are missing, they are asked for as a whole. */
  failed(tx: SyncTx, error: unknown): boolean {
    if (!(error instanceof NeedWhole)) return false;
    this.#addWhole(tx, error.keys);
    return true;
  }

  #takeOk(tx: SyncTx, request: Request, answer: Ok): void {
    const { pending } = tx.siteChannel();
    if (pending === undefined || (request.type !== 'push' && request.type !== 'end')) return;
    if (request.token !== pending.token) return;
    confirm(tx, answer.life === undefined ? pending : withLife(pending, answer.life), undefined);
    if (request.type === 'end') {
      this.#phase = 'linked';
      this.#repair = undefined;
    }
  }

  #repairStep(tx: SyncTx, env: SyncEnv): Request {
    const repair = this.#repair as Repair;
    const { id: gateway, life, fresh } = tx.node();
    const asker = { gateway, life };
    if (repair.begun === undefined) {
      const id = env.token();
      repair.step = `${id}.0`;
      issue(tx, id);
      return { type: 'begin', ...asker, fresh, step: repair.step };
    }
    if (repair.give.length + repair.want.length > 0) {
      const give = repair.give.slice(0, this.#sizes.give);
      const want = repair.want.slice(0, this.#sizes.give);
      const next = nextStep(repair.step);
      repair.asked = { give, want, next };
      const parts = wantedParts(tx, env, this.#cloud, give, repair.begun.ownHead);
      return { type: 'give', ...asker, step: repair.step, next, head: repair.begun.head.n, parts, want };
    }
    if (repair.walk === undefined || repair.walk.open.length === 0) {
      const scope = repair.scopes.shift();
      if (scope === undefined) return this.#end(tx, env, repair, repair.begun, asker);
      repair.walk = startWalk(tx, scope, floorOf(scope, tx.node().floors, repair.begun.floors));
    }
    const ranges = nextRanges(repair.walk);
    repair.asked = { ranges };
    return { type: 'digest', ...asker, scope: repair.walk.scope, ranges };
  }

  #end(
    tx: SyncTx,
    env: SyncEnv,
    { step, verdict }: Repair,
    { head, life: cloud, ownHead, asked }: Begun & { readonly ownHead: number; readonly asked: number },
    asker: { readonly gateway: string; readonly life: Life },
  ): Request {
    const channel = tx.siteChannel();
    const sent = Array.from({ length: LANES }, () => ownHead);
    const pending: Pending = { token: env.token(), sent, rows: [], repaired: { pulled: head, cloud, asked } };
    tx.setSiteChannel({ ...channel, pending, issued: withIssued(channel, pending.token) });
    const known = channel.cloud?.number ?? 0;
    return { type: 'end', ...asker, step, token: pending.token, head, cloud, known, verdict };
  }

  #takeRepair(tx: SyncTx, env: SyncEnv, repair: Repair, request: Request, answer: Answer): void {
    if (answer.type === 'begin') {
      // A repair that was begun must end, even if the cloud is put back to a state in which nothing seems wrong.
      askRepair(tx);
      repair.begun = { ...answer, ownHead: tx.head().n, asked: tx.siteChannel().asked };
      repair.scopes = scopesOf(tx.node().id, this.#cloud);
    } else if (answer.type === 'digest' && repair.walk !== undefined && repair.asked.ranges !== undefined) {
      takeRanges(tx, repair.walk, repair.asked.ranges, answer.answers);
      if (repair.walk.open.length === 0) {
        const { ours, theirs, both } = repair.walk;
        repair.give = [...ours, ...both];
        repair.want = [...theirs, ...both];
      }
    } else if (answer.type === 'give' && request.type === 'give') {
      this.#takeGiven(tx, env, repair, answer);
    }
  }

  #takeGiven(tx: SyncTx, env: SyncEnv, repair: Repair, { parts }: Given): void {
    applyCommits(tx, env, { node: this.#cloud, life: this.#cloud, way: 'repair' }, repairCommits(env, parts));
    assertMachinery(tx, env, parts);
    repair.step = repair.asked.next ?? repair.step;
    repair.give = repair.give.slice(this.#sizes.give);
    repair.want = repair.want.slice(this.#sizes.give);
  }
}

/** What a box remembers of what it sent: more than the cloud can name. */
const MOST_ISSUED = 160;

export const withIssued = ({ issued }: SiteChannel, token: string): string[] =>
  issued.includes(token) ? [...issued] : [...issued, token].slice(-MOST_ISSUED);

function issue(tx: SyncTx, token: string): void {
  const channel = tx.siteChannel();
  tx.setSiteChannel({ ...channel, issued: withIssued(channel, token) });
}

/** What the cloud had of this gateway, but this box did not send. It is noted, so that the next contact does not find it again. */
const learned = (token: string): string => `~${token}`;

/** The next step of a repair. */
const nextStep = (step: string): string => step.replace(/[0-9]+$/, (n) => String(Number(n) + 1));

/** The end of a repair that was not confirmed is not repeated: the next contact decides anew. */
const dropRepaired = (pending: Pending | undefined): Pending | undefined =>
  pending?.repaired === undefined ? pending : undefined;

const withLife = (pending: Pending, cloud: Life): Pending =>
  pending.repaired === undefined ? pending : { ...pending, repaired: { ...pending.repaired, cloud } };

/** The other end has what was pending. */
function confirm(tx: SyncTx, { token, sent, repaired }: Pending, covered: string | undefined): void {
  const channel = tx.siteChannel();
  const tokens = withToken(channel.tokens, { token, sent });
  const least = Math.min(...sent);
  tx.setSiteChannel({
    ...channel,
    tokens,
    pending: undefined,
    whole: [],
    covered: covered ?? channel.covered,
    carried: channel.carried.filter((n) => n > least),
    ...(repaired && { pulled: repaired.pulled, cloud: repaired.cloud, repaired: repaired.asked }),
  });
  if (repaired !== undefined) tx.setNode({ ...tx.node(), fresh: false });
  // A repair compares documents, not commits: the cloud has these commits, and no other end asks a site for them.
  tx.trimLog(least);
}

/** The state of a channel before the first contact. */
export const NEW_SITE_CHANNEL: SiteChannel = {
  tokens: [],
  pulled: { n: 0, chain: '' } satisfies Position,
  carried: [],
  issued: [],
  asked: 0,
  repaired: 0,
  fenced: false,
  whole: [],
};
