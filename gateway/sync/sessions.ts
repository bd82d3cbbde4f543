/**
 * The contact of a site with head office about one project: asks the protocol for the next request, sends it, and gives back the answer, each
 * in a transaction of its own. Several pages are on their way at the same time, because an answer may take a second.
 */
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import type { ComparisonStuck } from '#domain/sync/digest.ts';
import type { Answer, Request } from '#domain/sync/messages.ts';
import { PAGE_BYTES } from '#domain/sync/pages.ts';
import { SiteLink } from '#domain/sync/site.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { decodeAnswer, encodeRequest } from '#sync/wire/messages.ts';
import { WireError } from '#sync/wire/wire-error.ts';
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, Retry } from './retry.ts';

/** How a message is sent: `urgent` on a connection of its own. */
export interface Way {
  readonly urgent?: boolean;
  readonly signal?: AbortSignal;
}

/** What a drain sends: the log up to the row that was its last one when the drain began. */
interface Reach {
  head?: number;
  /** Later rows are there now. */
  isPassed: boolean;
}

/** Sends one message and returns the answer. */
export type Send = (message: Buffer, way?: Way) => Promise<Buffer>;

/** Commits of a page, and documents of a step of a repair. */
const PAGE = 250;
const GIVE = 50;
/** Pages on their way at the same time, besides an urgent one and a pull. */
const FLIGHT = 3;
/** An urgent page is small, so that it passes a slow link at once. */
const URGENT = { page: 50, bytes: 8 << 10 };
/** A page should pass the link in this time, so that little is sent again after a cut. */
const FAST_MS = 1_500;
const SLOW_MS = 5_000;
const LEAST_BYTES = 8 << 10;
const FIRST_BYTES = 64 << 10;

/** The session of one project. */
export class Session {
  readonly project: string;
  readonly #store: SyncStore;
  readonly #link: SiteLink;
  readonly #sizes = { page: PAGE, bytes: FIRST_BYTES, give: GIVE, flight: FLIGHT, urgent: URGENT };

  /**
   * Another box with the identity of this one interrupts its repairs, and this one interrupts the repairs of that one. Each waits for a random
   * time before it begins again, so that one of the two comes to the end of a repair.
   */
  readonly #interrupted = new Retry(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  #notBefore = 0;
  #stuck: ComparisonStuck | undefined;
  #isPassed = false;
  #page_ms = 0;
  #greeted_ms = Number.NEGATIVE_INFINITY;

  constructor(project: string, store: SyncStore) {
    this.project = project;
    this.#store = store;
    this.#link = new SiteLink(this.#sizes);
  }

  /** Id of head office; empty before the first answer. */
  get cloud(): string {
    return this.#link.cloud;
  }

  /** True if nothing waits at either end, as far as the last contact knows. */
  get isIdle(): boolean {
    return this.#link.isIdle;
  }

  /** Pages can be sent. */
  get isLinked(): boolean {
    return this.#link.isLinked;
  }

  get isRepairing(): boolean {
    return this.#link.isRepairing || this.stuck !== undefined;
  }

  /** Set while this session waits because a comparison made no progress. */
  get stuck(): ComparisonStuck | undefined {
    return this.wait_ms > 0 ? this.#stuck : undefined;
  }

  /** Sends nothing for some time, because a comparison made no progress. */
  rest(ms: number, stuck: ComparisonStuck): void {
    this.#notBefore = performance.now() + ms;
    this.#stuck = stuck;
  }

  /** How much head office has given back to a box that had nothing. */
  get givenBack(): GivenBack | undefined {
    return this.#link.givenBack;
  }

  /** The last drain left changes that were made while it ran. */
  get hasLater(): boolean {
    return this.#isPassed;
  }

  /** How long this session waits before its next request, in ms. */
  get wait_ms(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  /** How long the last page took, in ms. */
  get page_ms(): number {
    return this.#page_ms;
  }

  /** When the last hello that was answered was sent, on the monotonic clock. */
  get greeted_ms(): number {
    return this.#greeted_ms;
  }

  /** The connection is gone: the next exchange begins with a hello. */
  close(): void {
    this.#link.close();
  }

  /** There may be something new at head office. A session with nothing to do begins anew, because head office may have been put back. */
  refresh(): void {
    if (this.#link.isIdle) this.#link.close();
    else this.#link.pullAgain();
  }

  /**
   * Sends what waits now, and receives until nothing is left there; at most about `most` requests. Changes that are made meanwhile wait for
   * the next drain, so that several of them share a page. Returns how many requests there were.
   */
  async drain(send: Send, most: number, isStopping: () => boolean): Promise<number> {
    let asked = 0;
    const failed = new AbortController();
    const way = { signal: failed.signal };
    const reach: Reach = { isPassed: false };
    const hasMore = async (): Promise<boolean> => {
      if (asked >= most || isStopping() || failed.signal.aborted || this.wait_ms > 0) return false;
      asked++;
      if (await this.exchange(send, way, reach)) return true;
      asked--;
      return false;
    };
    while (!this.#link.isLinked && (await hasMore()));
    const worker = async (): Promise<void> => {
      try {
        while (await hasMore());
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: FLIGHT + 1 }, worker));
    const first = ends.find((end) => end.status === 'rejected');
    // The requests beside the one that failed were given up; only its error says why.
    if (first !== undefined) throw failed.signal.reason;
    this.#isPassed = reach.isPassed;
    return asked;
  }

  /** One request and its answer. Returns false when there is nothing to do beside the requests that are on their way. */
  async exchange(send: Send, way: Way = {}, reach?: Reach): Promise<boolean> {
    const { project } = this;
    const request = await this.#store.run(project, (tx, env) => {
      const head = reach && tx.head().n;
      if (reach !== undefined && head !== undefined) {
        reach.head ??= head;
        reach.isPassed = head > reach.head;
      }
      return this.#link.next(tx, env, { urgent: way.urgent, upTo: reach?.head });
    });
    if (request === undefined) return false;
    try {
      const bytes = encodeRequest({ project, request });
      const from = performance.now();
      const answer = decodeAnswer(await send(bytes, way));
      if (request.type === 'push' && way.urgent !== true) this.#fit(performance.now() - from);
      if (request.type === 'hello') this.#greeted_ms = from;
      const isInterrupted = this.isRepairing && answer.type === 'refused' && answer.code === 'session_changed';
      await this.#take(request, answer);
      if (isInterrupted) this.#notBefore = performance.now() + this.#interrupted.failed();
      else if (this.isLinked) this.#interrupted.worked();
      // The next request names the new position, so head office learns now that its changes are here.
      if (answer.type === 'pull' && answer.commits.length > 0) this.#link.pullAgain();
      this.#sizes.give = Math.min(GIVE, this.#sizes.give + 1);
    } catch (error) {
      if (this.#link.dropEarly(request)) return false;
      this.#link.close();
      if (request.type === 'push') this.#fit(Number.POSITIVE_INFINITY);
      // Documents are larger than usual: a step of a repair takes fewer of them.
      if (error instanceof WireError && error.code === 'message_too_large') this.#sizes.give = 1;
      throw error;
    }
    return true;
  }

  /** Fits the size of the next pages to the time that one took. */
  #fit(ms: number): void {
    this.#page_ms = ms;
    const { bytes } = this.#sizes;
    if (ms > SLOW_MS) this.#sizes.bytes = Math.max(LEAST_BYTES, bytes >> 1);
    else if (ms < FAST_MS) this.#sizes.bytes = Math.min(PAGE_BYTES, bytes << 1);
  }

  async #take(request: Request, answer: Answer): Promise<void> {
    try {
      await this.#store.run(this.project, (tx, env) => this.#link.take(tx, env, request, answer));
    } catch (error) {
      if (!(await this.#store.run(this.project, (tx) => this.#link.failed(tx, error)))) throw error;
    }
  }
}
