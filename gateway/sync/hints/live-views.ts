/**
 * The live views of head office: for which projects somebody looks at live values now. A view is a lease that ends by itself, because a page
 * that closes cannot always say so. It is stored, so that the process that the gateway of the project asks knows it, whatever process the
 * page asks.
 */
import type { LiveView, SyncLiveViewData } from '#contract/site/sync-live.ts';
import type { GatewayReport } from '#contract/site/sync-report.ts';
import type { LiveAsked } from '#contract/sync-services.ts';
import type { Store } from '#store/open-store.ts';

/** A view ends after this time, unless a page asks again. */
const VIEW_MS = 60_000;
/** A view that is asked for again is stored when it ends sooner than this. */
const STORE_MS = 40_000;
/** The gateway is told that a view goes on if it would end so much earlier at the site. */
export const LEAD_MS = 15_000;

const OBJECT = 'sync_live_view';
const idOf = (project_id: string): string => `${OBJECT}_${project_id}`;
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

interface Lease {
  readonly until_ms: number;
  readonly since_ms: number;
  /** When a gateway was told first; null before. */
  readonly told_ms: number | null;
}

const SENTENCES = {
  ask: 'The bytes of this link are counted. A live view uses some of them.',
  asked: 'Head office has asked the site for live values.',
  live: 'The site sends live values every 2 s.',
  away: 'Live view is not possible: the site has no connection now.',
  metered: 'Live view is not possible: the link of this site costs money by the byte, and the site calls seldom.',
  used_up: 'Live view is not possible: the bytes of this month for the link of this site are used up.',
  version:
    'Live view is not possible: the version of this site cannot send live values when it is asked. Update the site.',
} as const satisfies Record<LiveView['state'], string>;

export class LiveViews implements Disposable {
  readonly #store: Pick<Store, 'node' | 'changes'>;
  readonly #clock: () => number;
  readonly #leases = new Map<string, Lease>();
  /** When values of machines of a project arrived last. */
  readonly #arrived_ms = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  readonly #unwatch: (() => void)[];
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ store, clock }: { readonly store: Pick<Store, 'node' | 'changes'>; readonly clock: () => number }) {
    this.#store = store;
    this.#clock = clock;
    this.#unwatch = [
      store.changes((changes) => {
        // A machine that never reported has a live document too.
        for (const { collection, document } of changes)
          if (collection === 'live' && document.object === 'equipment' && document.data.last_live_data_at != null)
            this.#arrived_ms.set(document.project_id, clock());
      }),
      store.node.changes((changes) => {
        for (const { collection, document } of changes)
          if (collection === 'local' && document.object === OBJECT)
            this.#hear(document.data as unknown as SyncLiveViewData);
      }),
    ];
  }

  /** Takes what another process of head office stored. A view ends in time also if the clock of that process is wrong. */
  #hear({ project_id, until, since, told_at }: SyncLiveViewData): void {
    const now = this.#clock();
    const known = this.#leases.get(project_id);
    const until_ms = Math.min(Date.parse(until), now + VIEW_MS);
    if (until_ms <= now) return;
    const told_ms = told_at === null ? null : Date.parse(told_at);
    const isKnown = known !== undefined && known.until_ms > now;
    this.#leases.set(project_id, {
      until_ms: Math.max(until_ms, known?.until_ms ?? 0),
      since_ms: Date.parse(since),
      told_ms: told_ms ?? (isKnown ? known.told_ms : null),
    });
    this.#wake();
  }

  /** Calls the listener when a view begins or goes on. */
  watch(listener: () => void): void {
    this.#watchers.add(listener);
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #active(project_id: string): Lease | undefined {
    const lease = this.#leases.get(project_id);
    if (lease === undefined || lease.until_ms > this.#clock()) return lease;
    this.#leases.delete(project_id);
    return undefined;
  }

  #keep(project_id: string, lease: Lease, isNews: boolean): void {
    this.#leases.set(project_id, lease);
    if (!isNews) return;
    const data: SyncLiveViewData = {
      project_id,
      until: new Date(lease.until_ms).toISOString(),
      since: new Date(lease.since_ms).toISOString(),
      told_at: iso(lease.told_ms),
    };
    const write = { collection: 'local' as const, id: idOf(project_id), object: OBJECT, data: { ...data } };
    // The view is in memory. If it cannot be stored, another process does not know it; the next request stores it again.
    this.#writing = this.#writing.then(() => this.#store.node.commit([write])).catch(() => {});
  }

  /** Somebody looks at the live values of this project now. */
  ask(project_id: string): void {
    const now = this.#clock();
    const known = this.#active(project_id);
    const lease = { until_ms: now + VIEW_MS, since_ms: known?.since_ms ?? now, told_ms: known?.told_ms ?? null };
    const isNews = known === undefined || known.until_ms - now < STORE_MS;
    this.#keep(project_id, isNews ? lease : (known as Lease), isNews);
    if (isNews) this.#wake();
  }

  /** True if somebody looks at one of these projects, and its gateway was not told yet. */
  isUntold(projects: readonly string[]): boolean {
    return projects.some((id) => this.#active(id)?.told_ms === null);
  }

  /** Returns for how many milliseconds somebody looks at one of these projects; 0 if nobody does. */
  left(projects: readonly string[]): number {
    const now = this.#clock();
    return Math.max(0, ...projects.map((id) => (this.#active(id)?.until_ms ?? now) - now));
  }

  /** Returns for how many seconds the gateway sends live values of each of these projects, and notes that it was told. */
  tell(projects: readonly string[]): ReadonlyMap<string, number> {
    const now = this.#clock();
    const found = new Map<string, number>();
    for (const id of projects) {
      const lease = this.#active(id);
      if (lease === undefined) continue;
      found.set(id, Math.ceil((lease.until_ms - now) / 1_000));
      if (lease.told_ms === null) this.#keep(id, { ...lease, told_ms: now }, true);
    }
    return found;
  }

  /**
   * A person looks at a project: asks its gateway for live values if that is possible, and returns the state. `report` is what the gateway
   * said last about itself; undefined if it has no connection.
   */
  state({ project_id, pays }: LiveAsked, report: Partial<GatewayReport> | undefined): LiveView {
    const { link, live } = report ?? {};
    const refused =
      report === undefined
        ? 'away'
        : link === 'metered' || link === 'used_up'
          ? link
          : live === undefined
            ? 'version'
            : undefined;
    if (refused === undefined && (live === 'free' || pays)) this.ask(project_id);
    const lease = this.#active(project_id);
    const state = refused ?? (lease === undefined ? 'ask' : lease.told_ms === null ? 'asked' : 'live');
    return {
      project_id,
      state,
      sentence: SENTENCES[state],
      since: state === 'live' ? iso(lease?.told_ms ?? null) : null,
      values_at: iso(this.#arrived_ms.get(project_id) ?? null),
    };
  }

  /** Waits until everything is stored. */
  async close(): Promise<void> {
    this[Symbol.dispose]();
    await this.#writing;
  }

  [Symbol.dispose](): void {
    for (const unwatch of this.#unwatch) unwatch();
  }
}
