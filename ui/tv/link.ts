/**
 * The event stream of a TV, on which the gateway sends the content of a share (a link that shows boards without a login). If no message
 * arrives for some time, it closes the stream and opens a new one, with growing delays between the attempts. The browser's own reconnect is
 * not enough, because the browser does not notice when the other end of a TCP connection has disappeared.
 */
import { type LiveEvents, SILENCE_MS } from '#contract/site/live.ts';

/** The members of EventSource that this module uses. */
export interface Source {
  addEventListener(name: string, listener: (event: { data: string }) => void): void;
  onerror: ((event: Event) => void) | null;
  close(): void;
}

/**
 * The result of a plain request to the stream URL. `there`: the share exists. `gone`: the share no longer exists. `unreachable`: the
 * gateway does not answer.
 */
export type Probe = 'there' | 'gone' | 'unreachable';

export interface LinkOptions {
  open(): Source;
  /** Requests the stream URL after a stream failed, to learn why. */
  probe(): Promise<Probe>;
  /** Returns the milliseconds of a clock that never goes back. */
  monotonic(): number;
  random(): number;
  onEvent<K extends keyof LiveEvents>(name: K, data: LiveEvents[K]): void;
}

export interface Link {
  /**
   * Closes a stream on which no message arrives any more, and opens a new stream when the delay between two attempts is over. The caller
   * must call this method often.
   */
  check(): void;
  /** Returns the milliseconds since the last message; Infinity before the first. */
  silence(): number;
  readonly attempts: number;
  /** The answer of the last probe; null before the first. */
  readonly answered: Probe | null;
  close(): void;
}

const NAMES = ['snapshot', 'delta', 'heartbeat', 'resync', 'gone', 'identify'] as const;
const FIRST_MS = 1_000;
/**
 * The longest delay before a new attempt, in milliseconds. It is short, because people think that a screen is broken if it stays offline
 * after the gateway has come back.
 */
const MOST_MS = 5_000;

/** Returns the delay before attempt n (from 0): 1 s to 5 s, with jitter so that several TVs do not reconnect at once. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.max(FIRST_MS, Math.round(full * (0.5 + 0.5 * random)));
}

/** Opens the event stream of a share link and keeps it open. The caller must call `check` regularly. */
export function startLink(options: LinkOptions): Link {
  let source: Source | null = null;
  let lastMessageMs = Number.NEGATIVE_INFINITY;
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
        lastMessageMs = options.monotonic();
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
      // The screen stops showing a share only if the gateway answers that the share no longer exists. A missing answer may be a network
      // fault.
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
      } else if (now - Math.max(lastMessageMs, opened) > SILENCE_MS) drop();
    },
    silence: () => options.monotonic() - lastMessageMs,
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

/** Requests the stream URL of a share once, to learn whether the share exists. */
export async function probe(url: string): Promise<Probe> {
  const stop = new AbortController();
  try {
    const answer = await fetch(url, { cache: 'no-store', signal: stop.signal });
    // A gateway that is busy or starting answers with 408, 429 or 5xx. Any other status 4xx means that the gateway refuses this link.
    return answer.status >= 400 && answer.status < 500 && answer.status !== 408 && answer.status !== 429
      ? 'gone'
      : 'there';
  } catch {
    return 'unreachable';
  } finally {
    stop.abort();
  }
}
