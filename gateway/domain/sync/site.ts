/**
 * The site's side of the protocol: which request comes next, and what an answer changes. The state that must survive is in the store; the
 * state of a repair is only in memory, because a repair that was cut begins again.
 */

import { keyOf } from '#domain/sync/registers/documents.ts';
import { applyCommits, askRepair, NeedWhole } from './apply.ts';
import {
  ALL_LANES,
  confirm,
  isOpen,
  issue,
  learned,
  noteGiven,
  takeArrived,
  tokenOf,
  withIssued,
  withKnown,
  withLife,
} from './channels.ts';
import { wantedParts } from './cloud.ts';
import { unknownBundles } from './courier.ts';
import { nextRanges, startWalk, takeRanges } from './digest.ts';
import { floorOf, scopesOf } from './digest-items.ts';
import type { SyncEnv } from './env.ts';
import { ALERT_LANE } from './lanes.ts';
import { giveUpAged } from './ledger.ts';
import { assertMachinery, beginLife } from './lives.ts';
import type { Answer, Begun, Early, Given, HelloAnswer, Ok, Pulled, Request } from './messages.ts';
import { beginOwed, endOwed, isOwedDue } from './owed.ts';
import { commitsOf, newPage, outgoingOf, type PageSize, repairCommits } from './pages.ts';
import { type Known, nextStep, type Repair } from './repair-state.ts';
import type { Life, Pending, SiteChannel, SyncTx } from './store.ts';

/** The lanes whose commits do not wait for anything. */
const URGENT_LANES: readonly number[] = ALL_LANES.slice(0, ALERT_LANE + 1);

/** How much one message carries. */
export interface Sizes extends PageSize {
  /** Documents of one step of a repair. */
  readonly give: number;
  /** Pages that are on their way at the same time, besides one that is urgent. */
  readonly flight: number;
  /** The size of an urgent page. */
  readonly urgent: PageSize;
}

/** How the next request is made. */
export interface Asking {
  /** Only a small page of safety and alerts. */
  readonly urgent?: boolean | undefined;
  /** The last row of the log that a new page may have. */
  readonly upTo?: number | undefined;
}

export class SiteLink {
  readonly #sizes: Sizes;
  #phase: 'closed' | 'linked' | 'repair' = 'closed';
  #repair: Repair | undefined;
  #cloud = '';
  #pulledAll = false;
  #pages = 0;
  #session = '';
  /**
   * The last number of the log when the session or the repair began, or of what was sent early since. The site sends urgent rows with a
   * later number before all other rows.
   */
  #begun = 0;
  /** Requests whose answers are expected. An answer that comes after `close` is not taken: the cloud may have been put back since. */
  readonly #asked = new Set<Request>();
  /** Requests whose answers are taken. The store may run the transaction again after an error, and it must then do the same. */
  #answered = new WeakSet<Request>();

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  /** True when a contact has nothing more to do. */
  get isIdle(): boolean {
    return this.#phase === 'linked' && this.#pulledAll && this.#asked.size === 0;
  }

  /** True while both ends compare all documents. */
  get isRepairing(): boolean {
    return this.#phase === 'repair';
  }

  /** How many documents a box that had nothing has got back, and how many there are; undefined for all other repairs. */
  get givenBack(): { readonly documents: number; readonly of: number } | undefined {
    const { begun, given } = this.#repair ?? {};
    if (begun?.documents === undefined || given === undefined) return undefined;
    return { documents: given, of: Math.max(given, begun.documents) };
  }

  /** Id of the cloud, after the first hello. */
  get cloud(): string {
    return this.#cloud;
  }

  /** Pages can be sent. */
  get isLinked(): boolean {
    return this.#phase === 'linked';
  }

  /** There may be something new at the cloud. */
  pullAgain(): void {
    this.#pulledAll = false;
  }

  /** An early alert did not arrive, or no answer came. The repair goes on, and the alert is sent in a page after it. */
  dropEarly(request: Request): boolean {
    return request.type === 'early' && this.#asked.delete(request);
  }

  /** The connection is gone. */
  close(): void {
    this.#phase = 'closed';
    this.#repair = undefined;
    this.#pulledAll = false;
    this.#asked.clear();
    this.#answered = new WeakSet();
  }

  /**
   * The next request; undefined when there is nothing to do beside the requests that are on their way, or when another box has the identity of
   * this one. Pages and a pull may be on their way together; all else alone.
   */
  next(tx: SyncTx, env: SyncEnv, asking: Asking = {}): Request | undefined {
    const urgent = asking.urgent === true;
    const channel = tx.siteChannel();
    if (channel.fenced) return undefined;
    const isComparing = this.#repair?.begun !== undefined;
    if (urgent && !isComparing && this.#phase !== 'linked') return undefined;
    if (!urgent && this.#phase !== 'linked' && this.#asked.size > this.#count('early')) return undefined;
    const request =
      (isComparing ? this.#early(tx, env) : undefined) ??
      (urgent && isComparing ? undefined : this.#next(tx, env, channel, asking));
    if (request !== undefined) this.#asked.add(request);
    if (request?.type === 'give') noteGiven(tx, request.parts);
    else if (request?.type === 'push' || request?.type === 'early')
      noteGiven(
        tx,
        request.commits.flatMap(({ docs }) => docs),
      );
    return request;
  }

  #next(tx: SyncTx, env: SyncEnv, channel: SiteChannel, asking: Asking): Request | undefined {
    if (this.#phase === 'closed') return this.#hello(tx, channel);
    if (this.#phase === 'repair') return this.#repairStep(tx, env);
    const page = this.#page(tx, env, channel, asking);
    if (page !== undefined || asking.urgent || this.#pulledAll || this.#count('pull') > 0) return page;
    const { id: gateway, life } = tx.node();
    const { page: limit, bytes } = this.#sizes;
    return { type: 'pull', gateway, life, after: channel.pulled, limit, bytes, whole: channel.whole };
  }

  /** New alerts and facts of safety, while both ends compare all documents. They are sent again in a page after it. */
  #early(tx: SyncTx, env: SyncEnv): Early | undefined {
    const { step } = this.#repair as Repair;
    if (this.#count('early') > 0) return undefined;
    const rows = URGENT_LANES.flatMap((lane) => tx.laneRows(lane, this.#begun, this.#sizes.urgent.page));
    const first = rows.sort((a, b) => a.n - b.n).slice(0, this.#sizes.urgent.page);
    const last = first.at(-1);
    if (last === undefined) return undefined;
    this.#begun = last.n;
    const { id: gateway, life } = tx.node();
    const all = first.flatMap(({ members }) => members.map(keyOf));
    return { type: 'early', gateway, life, step, commits: commitsOf(tx, first, all, outgoingOf(env, gateway)) };
  }

  #count(type: Request['type']): number {
    return [...this.#asked].filter((request) => request.type === type).length;
  }

  #hello(tx: SyncTx, { tokens, pending, pulled, cloud, bundle, asked, repaired }: SiteChannel): Request {
    const { id: gateway, life, fresh } = tx.node();
    const last = tokens.at(-1)?.token;
    const ending = pending.find((page) => page.repaired !== undefined);
    const position = ending?.repaired?.pulled ?? pulled;
    const mine = { gateway, life, fresh, cloud, last, bundle, repair: asked > repaired } as const;
    const waiting = ending === undefined ? pending.map(({ token }) => token) : [ending.token];
    return { type: 'hello', ...mine, pending: waiting, ends: ending !== undefined, pulled: position };
  }

  /** A page that was refused because documents were missing, or a new page of the lane whose turn it is. It is stored before it is sent. */
  #page(tx: SyncTx, env: SyncEnv, channel: SiteChannel, asking: Asking): Request | undefined {
    const urgent = asking.urgent === true;
    const onWay = new Set([...this.#asked].map((request) => (request.type === 'push' ? request.token : '')));
    const mine = channel.pending.filter((page) => isOpen(page) && (page.urgent === true) === urgent);
    const again = mine.find(({ token }) => !onWay.has(token));
    if (again === undefined && mine.length >= (urgent ? 1 : this.#sizes.flight)) return undefined;
    const page = again ?? this.#newPage(tx, env, channel, asking);
    if (page === undefined) return undefined;
    const rows = page.rows.flatMap((n) => tx.row(n) ?? []);
    const { id: gateway, life } = tx.node();
    const commits = commitsOf(tx, rows, channel.whole, outgoingOf(env, gateway));
    const after = channel.tokens.at(-1)?.token;
    return { type: 'push', gateway, life, after, token: page.token, commits, owes: true };
  }

  #newPage(tx: SyncTx, env: SyncEnv, channel: SiteChannel, { urgent, upTo }: Asking): Pending | undefined {
    const token = tokenOf(this.#session, this.#pages);
    const of = { token, count: this.#pages, ...(urgent ? { after: this.#begun } : { upTo }) };
    const page = newPage(tx, env, channel, urgent ? this.#sizes.urgent : this.#sizes, of);
    if (page === undefined) return undefined;
    this.#pages++;
    tx.setSiteChannel({ ...channel, pending: [...channel.pending, page], issued: withIssued(channel, token) });
    return page;
  }

  /** Both ends have the same, so pages can be sent; but a repair that was asked for meanwhile comes first. */
  #begin(tx: SyncTx, env: SyncEnv): void {
    if (isOwedDue(tx, this.#cloud)) askRepair(tx);
    const { asked, repaired } = tx.siteChannel();
    this.#phase = asked > repaired ? 'closed' : 'linked';
    this.#repair = undefined;
    this.#session = env.token();
    this.#begun = tx.head().n;
  }

  /** Takes an answer. `request` is what was asked. */
  take(tx: SyncTx, env: SyncEnv, request: Request, answer: Answer): void {
    if (!this.#asked.delete(request) && !this.#answered.has(request)) return;
    this.#answered.add(request);
    if (request.type === 'early') return;
    if (answer.type === 'refused') {
      const { need } = answer;
      if (answer.code === 'fenced') tx.setSiteChannel({ ...tx.siteChannel(), fenced: true });
      if (need !== undefined) this.#addWhole(tx, need);
      else this.close();
      return;
    }
    if (answer.type === 'hello') this.#takeHello(tx, env, answer);
    else if (answer.type === 'pull') this.#takePulled(tx, env, request, answer);
    else if (answer.type === 'ok') this.#takeOk(tx, env, request, answer);
    else if (this.#repair !== undefined) this.#takeRepair(tx, env, this.#repair, request, answer);
  }

  #addWhole(tx: SyncTx, keys: readonly string[]): void {
    const channel = tx.siteChannel();
    tx.setSiteChannel({ ...channel, whole: [...new Set([...channel.whole, ...keys])] });
  }

  #takeHello(tx: SyncTx, env: SyncEnv, answer: HelloAnswer): void {
    const { verdict, cloud, known, last, received, bundles = [] } = answer;
    this.#cloud = cloud.id;
    const channel = tx.siteChannel();
    if (verdict === 'fenced') {
      tx.setSiteChannel({ ...channel, fenced: true });
      return;
    }
    // The cloud has something of this gateway that this box does not know: it was put back, or another box has its identity.
    const isIssued = (each: string) => [each, learned(each)].some((one) => channel.issued.includes(one));
    const isBehind = received.some((each) => !isIssued(each)) || unknownBundles(tx, bundles).length > 0;
    if ((verdict === 'ok' || verdict === 'arrived') && !isBehind && takeArrived(tx, env, answer)) {
      this.#begin(tx, env);
      return;
    }
    const { fresh, life, clock } = tx.node();
    const knows = last !== undefined && channel.tokens.some(({ token }) => token === last);
    // The site had given up this page or repair, and head office received it late. A repair is enough.
    const isLate = verdict === 'site_behind' || (verdict === 'forked' && channel.tokens.length === 0);
    const isOk = verdict === 'ok' || verdict === 'arrived';
    const seen = isBehind ? 'site_behind' : (isLate && last !== undefined) || isOk ? 'asked' : verdict;
    const found = seen === 'forked' && (knows || last === undefined) ? 'cloud_behind' : seen;
    // A box that never sent anything meets what another one sent: it has its place, and what that one did not send is gone with it.
    const isReplacement = fresh && isBehind && channel.tokens.length + channel.issued.length === 0;
    const isLost = (found === 'site_behind' || found === 'forked') && !fresh;
    for (const each of received) if (!channel.issued.includes(each)) issue(tx, learned(each));
    if (isLost || (fresh && (isBehind || life.number <= known)))
      beginLife(tx, env, known + 1, isLost || isReplacement ? clock : undefined);
    this.#phase = 'repair';
    this.#begun = tx.head().n;
    this.#repair = { verdict: found, step: '', scopes: [], give: [], want: [], given: 0, asked: {} };
  }

  #takePulled(tx: SyncTx, env: SyncEnv, request: Request, { commits, to, more }: Pulled): void {
    const channel = tx.siteChannel();
    if (request.type !== 'pull' || request.after.chain !== channel.pulled.chain) return;
    applyCommits(tx, env, { node: this.#cloud, life: this.#cloud, way: 'page', owes: true }, commits);
    const now = tx.siteChannel();
    const whole = now.whole.filter((key) => !request.whole.includes(key));
    tx.setSiteChannel({ ...now, known: withKnown(now, request.after), pulled: to, whole });
    this.#pulledAll = !more;
  }

  /** A transaction of `take` threw: if documents are missing, they are asked for as a whole. */
  failed(tx: SyncTx, error: unknown): boolean {
    if (!(error instanceof NeedWhole)) return false;
    this.#addWhole(tx, error.keys);
    return true;
  }

  #takeOk(tx: SyncTx, env: SyncEnv, request: Request, { place, life, owed = 0 }: Ok): void {
    if (request.type !== 'push' && request.type !== 'end') return;
    const page = tx.siteChannel().pending.find(({ token }) => token === request.token);
    if (page === undefined) return;
    const isInOrder = confirm(tx, life === undefined ? page : withLife(page, life), place);
    const channel = tx.siteChannel();
    // Answers to pages come in any order, so none of them lowers the number.
    tx.setSiteChannel({ ...channel, owed: request.type === 'end' ? owed : Math.max(owed, channel.owed ?? 0) });
    if (request.type === 'end') {
      endOwed(tx, env, this.#cloud);
      this.#begin(tx, env);
    }
    if (isInOrder) return;
    askRepair(tx);
    this.close();
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
      // Something came out of order since the begin, as from a file of head office. Both ends may have compared the record of the fact before.
      if (tx.siteChannel().asked > repair.begun.asked && give.some((key) => tx.get(key)?.registers.has('='))) {
        this.#phase = 'closed';
        this.#repair = undefined;
        return this.#hello(tx, tx.siteChannel());
      }
      const next = nextStep(repair.step);
      repair.asked = { give, want, next };
      const parts = wantedParts(tx, env, this.#cloud, give, repair.begun.ownHead);
      return { type: 'give', ...asker, step: repair.step, next, head: repair.begun.head.n, parts, want, owes: true };
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
    { head, life: cloud, ownHead, asked, bundle }: Begun & Known,
    asker: { readonly gateway: string; readonly life: Life },
  ): Request {
    const channel = tx.siteChannel();
    const sent = ALL_LANES.map(() => ownHead);
    const pending: Pending = { token: env.token(), sent, rows: [], repaired: { pulled: head, cloud, asked, bundle } };
    tx.setSiteChannel({ ...channel, pending: [pending], issued: withIssued(channel, pending.token) });
    const known = channel.cloud?.number ?? 0;
    return { type: 'end', ...asker, step, token: pending.token, head, cloud, known, verdict };
  }

  #takeRepair(tx: SyncTx, env: SyncEnv, repair: Repair, request: Request, answer: Answer): void {
    if (answer.type === 'begin') {
      // A repair that was begun must end, even if the cloud is put back to a state in which nothing seems wrong.
      askRepair(tx);
      beginOwed(tx, this.#cloud);
      const { asked, bundle } = tx.siteChannel();
      repair.begun = { ...answer, ownHead: tx.head().n, asked, bundle: bundle?.id };
      repair.scopes = scopesOf(tx.node().id, this.#cloud);
    } else if (answer.type === 'digest' && repair.walk !== undefined && repair.asked.ranges !== undefined) {
      takeRanges(tx, repair.walk, repair.asked.ranges, answer.answers);
      if (repair.walk.open.length === 0) {
        const { ours, theirs, both } = repair.walk;
        giveUpAged(tx, env, [...ours]);
        repair.give = [...ours, ...both];
        repair.want = [...[...theirs].filter((key) => !env.rules.staysAway(tx.removal(key))), ...both];
      }
    } else if (answer.type === 'give' && request.type === 'give') {
      this.#takeGiven(tx, env, repair, answer);
    }
  }

  #takeGiven(tx: SyncTx, env: SyncEnv, repair: Repair, { parts }: Given): void {
    applyCommits(
      tx,
      env,
      { node: this.#cloud, life: this.#cloud, way: 'repair', owes: true },
      repairCommits(env, parts),
    );
    assertMachinery(tx, env, parts);
    repair.given += parts.length;
    repair.step = repair.asked.next ?? repair.step;
    repair.give = repair.give.slice(this.#sizes.give);
    repair.want = repair.want.slice(this.#sizes.give);
  }
}
