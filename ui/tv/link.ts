/**
 * The stream of a page, kept alive: own watchdog, own backoff. The browser's own reconnect is not used, because a dead
 * TCP connection stays "open" for it.
 */
import { type LiveEvents, SILENCE_MS } from '#contract/site/live.ts';

/** The part of EventSource that is used. */
export interface Source {
  addEventListener(name: string, listener: (event: { data: string }) => void): void;
  onerror: ((event: Event) => void) | null;
  close(): void;
}

/** What the gateway answers when asked without a stream. */
export type Probe = 'there' | 'gone' | 'unreachable';

export interface LinkOptions {
  open(): Source;
  /** Asks why a stream ended. */
  probe(): Promise<Probe>;
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  random(): number;
  onEvent<K extends keyof LiveEvents>(name: K, data: LiveEvents[K]): void;
}

export interface Link {
  /** Called often: notices silence and reconnects when it is time. */
  check(): void;
  /** Milliseconds since anything was heard; Infinity before the first. */
  silence(): number;
  readonly attempts: number;
  /** What the gateway answered when the stream ended last; null when it was not asked. */
  readonly answered: Probe | null;
  close(): void;
}

const NAMES = ['snapshot', 'delta', 'heartbeat', 'resync', 'gone'] as const;
const FIRST_MS = 1_000;
/** On a LAN the gateway is either there or not: a screen that waits longer than this after its return looks broken. */
const MOST_MS = 5_000;

/** Milliseconds to wait before attempt n, counted from 0: 1 s to 5 s, spread so that a room of TVs does not come at once. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.max(FIRST_MS, Math.round(full * (0.5 + 0.5 * random)));
}

/** Starts the stream; `check` drives it. */
export function startLink(options: LinkOptions): Link {
  let source: Source | null = null;
  let heard = Number.NEGATIVE_INFINITY;
  let opened = 0;
  let attempts = 0;
  let retryAt = 0;
  let ended = false;
  let answered: Probe | null = null;

  const drop = () => {
    source?.close();
    source = null;
    retryAt = options.monotonic() + backoff(attempts, options.random());
    attempts += 1;
  };

  const end = (reason: string) => {
    if (ended) return;
    ended = true;
    source?.close();
    source = null;
    options.onEvent('gone', { reason });
  };

  const connect = () => {
    const mine = options.open();
    source = mine;
    opened = options.monotonic();
    for (const name of NAMES) {
      mine.addEventListener(name, (event) => {
        if (source !== mine) return;
        heard = options.monotonic();
        if (name === 'snapshot') attempts = 0;
        const data = JSON.parse(event.data) as never;
        if (name === 'gone') end((data as LiveEvents['gone']).reason);
        else if (name === 'resync') drop();
        else options.onEvent(name, data);
      });
    }
    mine.onerror = () => {
      if (source !== mine) return;
      drop();
      // Only the gateway itself can say that a share ended; silence never does.
      void options.probe().then((answer) => {
        answered = answer;
        if (answer === 'gone') end('not_found');
      });
    };
  };

  connect();
  return {
    check() {
      if (ended) return;
      const now = options.monotonic();
      if (source === null) {
        if (now >= retryAt) connect();
      } else if (now - Math.max(heard, opened) > SILENCE_MS) drop();
    },
    silence: () => options.monotonic() - heard,
    get attempts() {
      return attempts;
    },
    get answered() {
      return answered;
    },
    close() {
      ended = true;
      source?.close();
      source = null;
    },
  };
}
