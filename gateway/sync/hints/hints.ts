/**
 * Tells gateways that head office has something new for them. The state of a gateway has the time of the newest change of head office in
 * each of its projects. All processes of a database hear all changes, so they give the same states, and a gateway may ask another process
 * each time. A process that started later knows fewer changes; it never gives an older state than the one that the gateway has.
 */
import { OperationError } from '#contract/base/errors.ts';
import type { Hint } from '#contract/sync-services.ts';
import type { Store } from '#store/open-store.ts';
import { LEAD_MS, type LiveViews } from './live-views.ts';

/** A hint is answered after this time at the latest, so that proxies do not close the connection. */
const HINT_MS = 25_000;
/** Gateways that wait for a hint at the same time. */
const MOST_HINTS = 2_000;
/** The part of a time that sorts: 12 hex digits of milliseconds and 4 of the counter. */
const TIME_LENGTH = 16;

interface HintWait {
  readonly after: string | undefined;
  readonly live_s: number | undefined;
  readonly kept: () => string | undefined;
}

export class Hints implements Disposable {
  /** The time of the newest change of head office by project. */
  readonly #newest = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  readonly #unwatch: () => void;
  readonly #live: Pick<LiveViews, 'left' | 'isUntold' | 'tell'>;

  constructor(store: Pick<Store, 'nodeId' | 'changes'>, live: Pick<LiveViews, 'left' | 'isUntold' | 'tell' | 'watch'>) {
    this.#live = live;
    live.watch(() => this.look());
    this.#unwatch = store.changes((changes) => {
      let changed = false;
      for (const { collection, operation, document } of changes) {
        if (collection === 'local' || document.origin !== store.nodeId) continue;
        // The mark of a file that arrived is not copied, so it is nothing new for a site.
        if (document.object === 'artifact' && operation === 'UPDATE' && document.data.wanted_at == null) continue;
        const project = document.object === 'project' ? document.id : document.project_id;
        const time = document.hlc.slice(0, TIME_LENGTH);
        if (time <= (this.#newest.get(project) ?? '')) continue;
        this.#newest.set(project, time);
        changed = true;
      }
      if (changed) this.look();
    });
  }

  /** Looks for all that wait whether something is new for them. */
  look(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Returns the newer state of what a gateway knows and what this process knows. */
  #state(projects: readonly string[], after: string | undefined): string {
    const known = projects.toSorted().map((project) => this.#newest.get(project) ?? '');
    const before = after?.split('.') ?? [];
    // Another number of projects: the gateway brought one since, so the times belong to other projects.
    if (before.length !== known.length) return known.join('.');
    return known.map((time, i) => (time > (before[i] ?? '') ? time : before[i])).join('.');
  }

  /**
   * Resolves when there is a newer state of these projects than `after`, when somebody looks at live values for longer than the `live_s`
   * seconds that the gateway sends them, when a person chose the box that asks (`kept` is then its mark), or after some seconds.
   */
  async wait(projects: () => readonly string[], { after, live_s, kept }: HintWait, signal: AbortSignal): Promise<Hint> {
    if (this.#waiting.size >= MOST_HINTS)
      throw new OperationError('rate_limited', 'Too many gateways wait for hints. Try again later.');
    const until = AbortSignal.any([signal, AbortSignal.timeout(HINT_MS)]);
    const ends_ms = performance.now() + (live_s ?? 0) * 1_000;
    const isWatched = () =>
      live_s !== undefined &&
      (this.#live.isUntold(projects()) ||
        this.#live.left(projects()) > Math.max(0, ends_ms - performance.now()) + LEAD_MS);
    while (this.#state(projects(), after) === after && !isWatched() && kept() === undefined && !until.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          until.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        until.addEventListener('abort', wake);
      });
    }
    // A gateway that has gone gets no answer, so it is not told.
    const isTold = live_s !== undefined && !signal.aborted;
    const live = isTold ? this.#live.tell(projects()) : new Map<string, number>();
    return { state: this.#state(projects(), after), live, kept: kept() };
  }

  [Symbol.dispose](): void {
    this.#unwatch();
    this.look();
  }
}
