/**
 * The loop of a site that exchanges data with head office: rounds over all projects, waits, and tries again after an error. Beside it, alerts
 * and facts of safety are sent at once on a connection of their own.
 */
import { NODE_PROJECT } from '#contract/base/view.ts';
import { type LinkState, MOST_PROJECTS } from '#contract/site/sync.ts';
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import { ComparisonStuck } from '#domain/sync/digest.ts';
import { isUrgent } from '#domain/sync/lanes.ts';
import { owedBy } from '#domain/sync/owed.ts';
import type { SiteChannel } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { Progress } from '#sync/boxes/progress.ts';
import { gatherMs } from './gather.ts';
import { CONTACT_MS, HintListener, type HintOptions } from './hint-listener.ts';
import { faultOf } from './link-faults.ts';
import { retryTaken } from './quarantine.ts';
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, Retry } from './retry.ts';
import type { WhyFailed } from './sentences.ts';
import { type Send, Session } from './sessions.ts';

/** Requests of one project before it is the turn of the next one. */
const TURN = 20;
/** Samples and live state are read from the change feed after this time. */
const COUNT_MS = 10_000;
/** The same while somebody at head office looks at live values. */
const LIVE_MS = 2_000;
/** After a comparison that makes no progress, the site tries again after this time. */
const STUCK_MS = 3_600_000;
/** An alert is sent after this time, with what its commit brings besides. */
const URGENT_MS = 20;
/** After this time in step, the site compares everything again. */
const VERIFY_MS = 24 * 3_600_000;

export interface LoopOptions extends HintOptions {
  readonly store: Pick<Store, 'node' | 'changes'>;
  readonly sync: SyncStore;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Compares everything and stores the receipts. */
  readonly verify: () => Promise<void>;
  /** Called each time that nothing is left to exchange. */
  readonly settled: () => Promise<void>;
}

/** What people see of the loop. */
export interface LoopState {
  readonly state: Exclude<LinkState, 'off'>;
  readonly since_ms: number;
  readonly last_contact_ms: number | null;
  readonly in_step_ms: number | null;
  readonly next_try_ms: number | null;
  readonly error: WhyFailed | null;
}

export class SiteLoop {
  readonly #options: LoopOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #progress = new Progress();
  readonly #send: Send;
  #state: LoopState;
  #stopping = false;
  readonly #retry = new Retry(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  #wake: (() => void) | undefined;
  /** Set when there may be something new: at this site, or at head office. */
  #isNew = { here: true, there: true, projects: true };
  /** When the last round began. */
  #round_at = Number.NEGATIVE_INFINITY;
  #counted_ms = 0;
  #verified_ms: number;
  #running: Promise<void> = Promise.resolve();
  /** Work that must not run beside a round. */
  #turn: Promise<unknown> = Promise.resolve();
  #unwatch = (): void => {};
  /** Set when there may be an alert to send. */
  #isUrgent = false;
  #wakeUrgent: (() => void) | undefined;
  readonly #hints: HintListener;
  #urgent: Promise<void> = Promise.resolve();

  constructor(options: LoopOptions) {
    this.#options = options;
    const now = options.clock();
    this.#verified_ms = now;
    this.#state = {
      state: 'connecting',
      since_ms: now,
      last_contact_ms: null,
      in_step_ms: null,
      next_try_ms: null,
      error: null,
    };
    this.#send = async (message, way) => {
      const answer = await options.transport.send(message, way);
      this.#state = { ...this.#state, last_contact_ms: options.clock() };
      return answer;
    };
    this.#hints = new HintListener(options, {
      news: () => {
        this.#isNew.there = true;
        this.#wakeUnlessFailed();
      },
      watched: () => this.#wakeUnlessFailed(),
      called: (at_ms) => {
        this.#state = { ...this.#state, last_contact_ms: at_ms };
      },
      // The next round says to people that the credential ended.
      revoked: () => {
        if (this.#state.next_try_ms === null) this.look();
      },
      greetedSince: (ms) =>
        this.#sessions.size > 0 && [...this.#sessions.values()].every((session) => session.greeted_ms > ms),
      doubt: () => this.#doubt(),
    });
  }

  get state(): LoopState {
    return this.#state;
  }

  sessionOf(project: string): Pick<Session, 'isRepairing' | 'isIdle'> | undefined {
    return this.#sessions.get(project);
  }

  /** How much head office has given back so far in all projects; undefined if it has given nothing back. */
  get givenBack(): GivenBack | undefined {
    for (const [project, session] of this.#sessions)
      if (session.givenBack !== undefined || session.isLinked) this.#progress.note(project, session.givenBack);
    return this.#progress.of(this.#sessions.keys());
  }

  start(): void {
    const { store } = this.#options;
    this.#unwatch = store.changes((changes) => {
      for (const { collection, document } of changes) {
        if (collection === 'records' || collection === 'events') this.#isNew.here = true;
        if (document.object === 'project' && document.project_id === NODE_PROJECT) this.#isNew.projects = true;
        this.#isUrgent ||= isUrgent(document.object, document.data);
      }
      if (this.#isUrgent) this.#wakeUrgent?.();
      const isWaiting = this.#state.next_try_ms === null && this.#state.state !== 'fenced';
      if (this.#isNew.here && isWaiting) this.#wake?.();
    });
    this.#running = this.#run();
    this.#urgent = this.#runUrgent();
    this.#hints.start();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unwatch();
    this.#hints.stop();
    this.#options.transport[Symbol.dispose]();
    this.#wake?.();
    this.#wakeUrgent?.();
    await Promise.all([this.#running, this.#urgent]);
    await this.#turn.catch(() => {});
  }

  /** The time between two reads of samples and live state. */
  get #count_ms(): number {
    return this.#hints.isWatched ? LIVE_MS : COUNT_MS;
  }

  /** The budget of the link has changed: head office is told how often this site calls from now on. */
  budgetChanged(): void {
    this.#hints.again();
    this.#wake?.();
  }

  /** There may be something new at either end. */
  look(): void {
    this.#isNew = { ...this.#isNew, here: true, there: true };
    this.#wakeUnlessFailed();
  }

  /** Begins a round. After an error, the time of the next try is not changed: a hint only says that head office answers. */
  #wakeUnlessFailed(): void {
    if (this.#state.next_try_ms === null) this.#wake?.();
  }

  get #gather_ms(): number {
    const page_ms = Math.max(0, ...[...this.#sessions.values()].map((session) => session.page_ms));
    return gatherMs(performance.now() - this.#round_at, page_ms);
  }

  /** Runs work between two rounds, after a round in which everything was sent. */
  async alone<T>(work: (send: Send) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#prepare();
      // Head office may have commits that this site has not asked for, such as its own.
      this.#isNew.there = true;
      while (await this.#round());
      return work(this.#send);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.catch(() => {}).then(work);
    this.#turn = next;
    return next;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        const more = await this.#inTurn(async () => {
          this.#round_at = performance.now();
          await this.#prepare();
          return await this.#round();
        });
        this.#retry.worked();
        if (more) continue;
        const waits = [...this.#sessions.values()].filter(({ stuck }) => stuck === undefined);
        const wait_ms = Math.max(0, ...waits.map((session) => session.wait_ms));
        if (wait_ms === 0) await this.#settle();
        else this.#become('catching_up', this.#stuck);
        const usual_ms = this.#count_ms;
        await this.#sleep(
          this.#isNew.here || this.#isNew.there ? this.#gather_ms : Math.min(wait_ms || usual_ms, usual_ms),
        );
      } catch (error) {
        if (this.#stopping) return;
        this.#fail(error);
        await this.#sleep((this.#state.next_try_ms ?? 0) - this.#options.clock());
      }
    }
  }

  /** Everything was exchanged, except of a project whose comparison makes no progress. */
  async #settle(): Promise<void> {
    const now = this.#options.clock();
    const isFenced = await this.#has(({ fenced }) => fenced);
    const stuck = this.#stuck;
    this.#become(isFenced ? 'fenced' : stuck === null ? 'in_step' : 'catching_up', stuck);
    const spending = this.#options.spending();
    if (!isFenced) await this.#options.settled();
    if (isFenced || spending === 'used_up') return;
    // Without an open request for hints, the site knows only what head office had at the last contact.
    const in_step_ms = spending === 'free' ? now : this.#state.last_contact_ms;
    // If an end has only notes of some documents, the ends do not have the same.
    const isOwed = await this.#has(({ owed = 0 }, owedHere) => owed + owedHere > 0);
    if (!isOwed && stuck === null) this.#state = { ...this.#state, in_step_ms };
    if (now - this.#verified_ms < VERIFY_MS) return;
    this.#verified_ms = now;
    // The exchange goes on. Alerts must not wait for a comparison that a fault of the other version stops.
    await this.#options.verify().catch((error: unknown) => {
      if (!(error instanceof ComparisonStuck)) throw error;
      this.#options.log('warn', 'a comparison with head office makes no progress', { error: error.message });
    });
  }

  /** True if this holds for the channel of one of the projects, and for the number of documents that head office owes it. */
  async #has(test: (channel: SiteChannel, owed: number) => boolean): Promise<boolean> {
    for (const [project, { cloud }] of this.#sessions)
      if (await this.#options.sync.run(project, (tx) => test(tx.siteChannel(), owedBy(tx, cloud)))) return true;
    return false;
  }

  /** Makes all projects of this gateway take part, and reads what the replication does not know yet. */
  async #prepare(): Promise<void> {
    const { store, sync, clock } = this.#options;
    if (this.#isNew.projects) {
      this.#isNew.projects = false;
      const found = await store.node.find('records', { object: 'project', order: 'asc', limit: MOST_PROJECTS });
      // A box that takes the place of another one does not have the records of its projects yet.
      for (const id of new Set([...found.map(({ id }) => id), ...sync.projects()])) {
        if (!sync.projects().includes(id)) await sync.join(id);
        if (this.#sessions.has(id)) continue;
        await retryTaken(sync, id);
        this.#sessions.set(id, new Session(id, sync));
      }
      this.#counted_ms = 0;
    }
    const now = clock();
    if (now - this.#counted_ms < this.#count_ms && now >= this.#counted_ms) return;
    this.#counted_ms = now;
    for (const project of this.#sessions.keys()) while (await sync.count(project)) if (this.#stopping) return;
  }

  /** Gives each project some requests. Returns true if one of them has more to do. */
  async #round(): Promise<boolean> {
    const spending = this.#options.spending();
    // The bytes of the month are used up: the session must stay open for alerts, and no more.
    if (spending === 'used_up' && [...this.#sessions.values()].every(({ isLinked }) => isLinked)) return false;
    const silent_ms = this.#options.clock() - (this.#state.last_contact_ms ?? 0);
    const polls = this.#isNew.there || (spending === 'free' && silent_ms >= CONTACT_MS.free);
    this.#isNew = { ...this.#isNew, here: false, there: false };
    let more = false;
    for (const session of this.#sessions.values()) {
      if (polls) session.refresh();
      const turn = spending === 'used_up' ? 1 : TURN;
      const asked = await this.#drain(session, turn);
      if (asked > 1 && this.#state.state !== 'catching_up' && !session.isIdle) this.#become('catching_up', null);
      more ||= asked >= TURN && spending !== 'used_up';
      this.#isNew.here ||= session.hasLater;
    }
    return more && !this.#stopping;
  }

  /** A comparison that makes no progress stops the exchange of its own project only. */
  async #drain(session: Session, turn: number): Promise<number> {
    try {
      return await session.drain(this.#send, turn, () => this.#stopping);
    } catch (error) {
      if (!(error instanceof ComparisonStuck)) throw error;
      session.rest(STUCK_MS, error);
      const { project } = session;
      this.#options.log('warn', 'a comparison with head office makes no progress', { project, error: error.message });
      return 0;
    }
  }

  /** Why a project waits, if its comparison makes no progress. */
  get #stuck(): LoopState['error'] {
    const [first] = [...this.#sessions.values()].flatMap(({ stuck }) => stuck ?? []);
    return first === undefined ? null : { code: first.code, message: first.message };
  }

  /** Sends alerts and facts of safety beside the rounds, as long as there is a connection. */
  async #runUrgent(): Promise<void> {
    while (!this.#stopping) {
      if (!this.#isUrgent)
        await new Promise<void>((resolve) => {
          this.#wakeUrgent = resolve;
        });
      this.#wakeUrgent = undefined;
      await new Promise<void>((resolve) => void setTimeout(resolve, URGENT_MS));
      this.#isUrgent = false;
      try {
        for (const session of this.#sessions.values()) await this.#sendUrgent(session);
      } catch {
        // The session is closed, so the next round begins anew and sends what was not answered.
        this.look();
      }
    }
  }

  async #sendUrgent(session: Session): Promise<void> {
    if (this.#stopping || !(session.isLinked || session.isRepairing)) return;
    while (await this.#options.sync.count(session.project)) if (this.#stopping) return;
    while (!this.#stopping && (await session.exchange(this.#send, { urgent: true })));
  }

  #become(state: LoopState['state'], error: LoopState['error'], next_try_ms: number | null = null): void {
    const since_ms = state === this.#state.state ? this.#state.since_ms : this.#options.clock();
    // Head office is told at once.
    if ((state === 'fenced') !== (this.#state.state === 'fenced')) this.#hints.again();
    this.#state = { ...this.#state, state, since_ms, error, next_try_ms };
  }

  #fail(thrown: unknown): void {
    const { log, clock } = this.#options;
    for (const session of this.#sessions.values()) session.close();
    this.#isNew = { here: true, there: true, projects: this.#isNew.projects };
    const { state, code, message, words, isOwn, wait_ms } = faultOf(thrown);
    if (isOwn)
      log('error', 'the exchange with head office failed', { error: String((thrown as Error).stack ?? thrown) });
    const random = this.#retry.failed();
    if (state !== this.#state.state) log('info', 'the link to head office changed', { state, code, error: message });
    this.#become(state, { code, message, words }, clock() + Math.max(50, wait_ms, random));
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#wake = () => {
        clearTimeout(timer);
        // The next round begins a moment later, so that several changes share a page.
        setTimeout(resolve, this.#gather_ms);
        this.#wake = undefined;
      };
      if (this.#stopping) this.#wake();
    });
    this.#wake = undefined;
  }

  /** Nobody knows whether there is a connection: the next round begins with a hello. */
  async #doubt(): Promise<void> {
    await this.#inTurn(async () => {
      for (const session of this.#sessions.values()) session.close();
      this.#isNew.there = true;
    });
    this.#wakeUnlessFailed();
  }
}
