/**
 * A site waits here for hints of head office, with one request after the other. An answer tells that there is something new, and for which
 * projects somebody at head office looks at live values.
 */
import type { BoxReport } from '#contract/site/sync-boxes.ts';
import type { GatewayReport, LinkUse } from '#contract/site/sync-report.ts';
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, pause, Retry } from './retry.ts';
import { LinkError, type Transport } from './transport.ts';

/** The site calls head office at least once in this time. If the link costs money, this call is one short request, and no request waits for hints. */
export const CONTACT_MS: Readonly<Record<LinkUse, number>> = { free: 60_000, metered: 900_000, used_up: 3_600_000 };
/** If the link costs money, the site looks after this time whether a call is due. */
const LOOK_MS = 10_000;

export interface HintOptions {
  readonly transport: Transport;
  readonly clock: () => number;
  /** What this gateway says about itself, each time that it waits for a hint. */
  readonly report: () => Promise<GatewayReport>;
  /** How this box names itself. A box that is fenced makes no report: it is not the site. */
  readonly box: () => Promise<BoxReport>;
  /** Head office named the box that a person chose. */
  readonly chosen: (mark: string) => Promise<void>;
  /** What may be sent: metered: the site asks seldom for news. used_up: only alerts are sent. */
  readonly spending: () => LinkUse;
  /** Writes changed values of each of these projects to the store each 2 s, for so many seconds. */
  readonly writeLive: (live: ReadonlyMap<string, number>) => void;
}

/** What a hint, or the lack of one, means for the exchange. */
interface HintEvents {
  /** There may be something new at head office. */
  news(): void;
  /** Somebody at head office begins to look at live values. */
  watched(): void;
  /** Head office answered the short call of a link that costs money. */
  called(at_ms: number): void;
  /** Head office refused the credential. */
  revoked(): void;
  /** True if a hello was sent to head office for each project since this time on the monotonic clock, and answered. False without a project. */
  greetedSince(ms: number): boolean;
  /** A call failed, so nobody knows whether there is a connection. */
  doubt(): Promise<void>;
}

/**
 * True if a state has a change of head office that is newer than those of another one. A state has the time of the newest change for each
 * project, separated by dots; a time that head office does not know is empty.
 */
export function isNewerState(state: string, than = ''): boolean {
  const before = than.split('.');
  const times = state.split('.');
  // The times of another number of projects cannot be compared.
  if (than !== '' && times.length !== before.length) return true;
  return times.some((time, i) => time > (before[i] ?? ''));
}

export class HintListener {
  readonly #options: HintOptions;
  readonly #events: HintEvents;
  #stopping = false;
  /** Ends the request that waits for a hint. */
  #waiting = new AbortController();
  /** The time on the monotonic clock until which somebody at head office looks at live values. */
  #live_until = 0;

  constructor(options: HintOptions, events: HintEvents) {
    this.#options = options;
    this.#events = events;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stopping = true;
    this.#waiting.abort();
  }

  /** Asks anew at once, with a new report. */
  again(): void {
    this.#waiting.abort();
  }

  /** True while somebody at head office looks at live values, and the link may be used for them. */
  get isWatched(): boolean {
    return performance.now() < this.#live_until && this.#options.spending() === 'free';
  }

  /** Somebody at head office looks at live values of these projects for some seconds. */
  #show(live: ReadonlyMap<string, number>): void {
    if (live.size === 0 || this.#options.spending() !== 'free') return;
    const wasWatched = this.isWatched;
    this.#live_until = performance.now() + 1_000 * Math.max(...live.values());
    this.#options.writeLive(live);
    if (!wasWatched) this.#events.watched();
  }

  /** If the link costs money, the site asks for hints seldom, with requests that are answered at once. */
  async #run(): Promise<void> {
    const { transport, clock, report, box, chosen, spending: spendingNow } = this.#options;
    let known: string | undefined;
    /** What was known before the last call failed, and when that was on the monotonic clock; undefined before the first failure. */
    let failed: { readonly known: string | undefined; readonly at_ms: number } | undefined;
    let called: { readonly at_ms: number; readonly spending: LinkUse } | undefined;
    const retry = new Retry(FIRST_WAIT_MS, LONGEST_WAIT_MS);
    while (!this.#stopping) {
      this.#waiting = new AbortController();
      const { signal } = this.#waiting;
      const spending = spendingNow();
      try {
        const isDue = called?.spending !== spending || Math.abs(clock() - called.at_ms) >= CONTACT_MS[spending];
        if (spending !== 'free' && !isDue) {
          await pause(LOOK_MS, signal);
          continue;
        }
        const after = spending === 'free' ? known : undefined;
        const live_s = Math.max(0, Math.floor((this.#live_until - performance.now()) / 1_000));
        const own = await box();
        const said = own.fenced_at === null ? { ...(await report()), live_s } : {};
        const { state, live, kept } = await transport.hint(after, said, signal, own);
        this.#show(live);
        if (kept !== undefined) await chosen(kept);
        retry.worked();
        called = { at_ms: clock(), spending };
        if (spending !== 'free') this.#events.called(called.at_ms);
        if (state === known) continue;
        // A hello asks for everything that head office had then. So after an outage, the first state tells something new only if it has a
        // newer change, or if no hello came since.
        const isAsked =
          failed !== undefined &&
          known === undefined &&
          spending === 'free' &&
          this.#events.greetedSince(failed.at_ms) &&
          !isNewerState(state, failed.known);
        if (!isAsked) this.#events.news();
        known = state;
      } catch (error) {
        if (signal.aborted) continue;
        if (error instanceof LinkError && error.fault === 'revoked') this.#events.revoked();
        // Another process of head office may answer next, or the same one after a restart: its first answer comes at once.
        failed = { known: known ?? failed?.known, at_ms: performance.now() };
        known = undefined;
        if (spending !== 'free' && !retry.isFailing) await this.#events.doubt();
        await pause(retry.failed() + 50, signal);
      }
    }
  }
}
