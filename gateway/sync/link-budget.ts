/**
 * The budget of a link: counts the bytes of the month, and decides what may be sent. The counts survive a restart; a process that is killed
 * loses those of the last minute, at most 256 KiB of them.
 */
import { offsetsOf } from '#contract/base/zones.ts';
import type { Budget, LinkBudget } from '#contract/site/sync-budget.ts';
import type { FilesPaused } from '#contract/site/sync-files.ts';
import type { LinkUse } from '#contract/site/sync-report.ts';
import type { Store } from '#store/open-store.ts';
import type { Transport } from './transport.ts';

/** About the bytes of the headers of a request and of its answer. */
const HEADERS = 450;
const ANSWER_HEADERS = 350;
/** Counts are stored after this many bytes, or after this time. */
const STORE_BYTES = 256 << 10;
const STORE_MS = 60_000;
/** Of the bytes of a month, files may use what leaves a part for everything else. */
const FILES_PART = 0.8;
/** On a metered link larger files wait until somebody asks for them. */
const SMALL_FILE = 1 << 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const BUDGET = 'sync_budget';
const USAGE = 'sync_usage';

const UNLIMITED: Budget = {
  metered: false,
  bytes_per_month: null,
  file_hours: [],
  timezone: 'UTC',
  override_until: null,
};

interface Usage {
  readonly month: string;
  /** When the count of this month began. */
  readonly since_ms: number;
  sent: number;
  received: number;
  files: number;
}

const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);
const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);

function endOf(month: string): number {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return Date.UTC(year, number, 1);
}

export interface BudgetOptions {
  readonly store: Pick<Store, 'node'>;
  readonly clock: () => number;
}

export class LinkMeter {
  readonly #options: BudgetOptions;
  #budget: Budget = UNLIMITED;
  #usage: Usage;
  #unstored = 0;
  #stored_ms: number;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: BudgetOptions) {
    this.#options = options;
    const now = options.clock();
    this.#stored_ms = now;
    this.#usage = { month: monthOf(now), since_ms: now, sent: 0, received: 0, files: 0 };
  }

  async load(): Promise<void> {
    const { node } = this.#options.store;
    this.#budget = { ...UNLIMITED, ...(await node.get<Budget>('local', BUDGET))?.data };
    const usage = (await node.get<Usage>('local', USAGE))?.data;
    if (usage !== undefined) this.#usage = { ...usage };
    this.#roll();
  }

  get spending(): LinkUse {
    if (this.#isOverridden) return 'free';
    if (this.#isUsedUp) return 'used_up';
    return this.#budget.metered ? 'metered' : 'free';
  }

  /** True if the bytes of the link have a limit, so that people decide whether a live view is worth them. */
  get isCounted(): boolean {
    return !this.#isOverridden && this.#budget.bytes_per_month !== null;
  }

  async set(budget: Budget): Promise<void> {
    await this.#write(BUDGET, budget);
    this.#budget = budget;
  }

  /** True in an emergency, for which a person lifted all limits for some time. */
  get #isOverridden(): boolean {
    const { override_until } = this.#budget;
    return override_until !== null && this.#options.clock() < Date.parse(override_until);
  }

  /** Begins the count of a new month. A clock that was set back does not. */
  #roll(): void {
    const now = this.#options.clock();
    const month = monthOf(now);
    if (month <= this.#usage.month) return;
    this.#usage = { month, since_ms: startOf(month), sent: 0, received: 0, files: 0 };
  }

  count(sent: number, received: number, isFile: boolean): void {
    this.#roll();
    this.#usage.sent += sent;
    this.#usage.received += received;
    if (isFile) this.#usage.files += sent + received;
    this.#unstored += sent + received;
    const now = this.#options.clock();
    if (this.#unstored < STORE_BYTES && Math.abs(now - this.#stored_ms) < STORE_MS) return;
    this.#unstored = 0;
    this.#stored_ms = now;
    this.#storing = this.#write(USAGE, { ...this.#usage }).catch(() => {
      // The count goes on in memory; the next try stores all of it.
    });
  }

  /** Why a file must wait; null if it may go. */
  paused({ bytes, wanted }: { readonly bytes: number; readonly wanted: boolean }): FilesPaused | null {
    this.#roll();
    if (this.#isOverridden) return null;
    const { metered, bytes_per_month: most, file_hours } = this.#budget;
    const used = this.#usage.sent + this.#usage.received;
    if (most !== null && used + bytes > most * (wanted ? 1 : FILES_PART))
      return { why: 'budget', until: new Date(endOf(this.#usage.month)).toISOString() };
    if (wanted) return null;
    const until_ms = file_hours.length === 0 ? undefined : this.#opensAt();
    if (until_ms !== undefined) return { why: 'window', until: new Date(until_ms).toISOString() };
    return metered && bytes > SMALL_FILE ? { why: 'metered', until: null } : null;
  }

  /** When the next hours for files begin; undefined if they are now. */
  #opensAt(): number | undefined {
    const { file_hours, timezone } = this.#budget;
    const now = this.#options.clock();
    const local = now + offsetsOf(timezone)(now);
    const minute = Math.floor((((local % DAY_MS) + DAY_MS) % DAY_MS) / 60_000);
    const minutes = file_hours.map(({ from, to }) => [minuteOf(from), minuteOf(to)] as const);
    const isOpen = minutes.some(([from, to]) =>
      from <= to ? minute >= from && minute < to : minute >= from || minute < to,
    );
    if (isOpen) return undefined;
    const wait = Math.min(...minutes.map(([from]) => (from - minute + 1_440) % 1_440));
    return now - (now % 60_000) + wait * 60_000;
  }

  /** True if only alerts may be sent: the bytes of this month are used up. */
  get #isUsedUp(): boolean {
    this.#roll();
    if (this.#isOverridden) return false;
    const { bytes_per_month: most } = this.#budget;
    return most !== null && this.#usage.sent + this.#usage.received >= most;
  }

  state(): LinkBudget {
    this.#roll();
    const { month, since_ms, sent, received, files } = this.#usage;
    const now = this.#options.clock();
    const used = sent + received;
    const elapsed = now - since_ms;
    const rate = elapsed >= HOUR_MS ? used / elapsed : null;
    const end = endOf(month);
    const { bytes_per_month: most } = this.#budget;
    const left = most === null ? null : Math.max(0, most - used);
    const empty_ms = rate === null || rate === 0 || left === null ? null : now + left / rate;
    const filesWait = !this.#isOverridden && most !== null && used >= most * FILES_PART;
    return {
      ...this.#budget,
      month,
      sent_bytes: sent,
      received_bytes: received,
      file_bytes: files,
      forecast_bytes: rate === null ? null : Math.round(used + rate * Math.max(0, end - now)),
      used_up_at: empty_ms === null || empty_ms >= end ? null : new Date(empty_ms).toISOString(),
      state: this.#isUsedUp ? 'used_up' : filesWait ? 'files_wait' : 'free',
    };
  }

  async #write(id: string, data: object): Promise<void> {
    const { node } = this.#options.store;
    await node.commit([{ collection: 'local', id, object: id, data: { ...data } }]);
  }

  /** Stores the counts. */
  async end(): Promise<void> {
    await this.#storing;
    if (this.#unstored > 0) await this.#write(USAGE, { ...this.#usage });
    this.#unstored = 0;
  }
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Counts what a transport sends and receives, also of requests that fail. */
export function metered(transport: Transport, meter: LinkMeter): Transport {
  async function counted<T>(
    sent: number,
    isFile: boolean,
    work: () => Promise<T>,
    size: (got: T) => number,
  ): Promise<T> {
    let received = 0;
    try {
      const got = await work();
      received = ANSWER_HEADERS + size(got);
      return got;
    } finally {
      meter.count(HEADERS + sent, received, isFile);
    }
  }
  return {
    send: (message, way) =>
      counted(
        message.length,
        false,
        () => transport.send(message, way),
        ({ length }) => length,
      ),
    hint: (after, report, signal, box) =>
      counted(
        0,
        false,
        () => transport.hint(after, report, signal, box),
        () => 0,
      ),
    file: (of) =>
      counted(
        of.body?.length ?? 0,
        true,
        () => transport.file(of),
        ({ body }) => body.length,
      ),
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}
