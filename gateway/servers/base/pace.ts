/**
 * Checks the speed of clients. The gateway disconnects a client that sends or reads too slowly, because each open request uses one of the
 * limited places for concurrent requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';

/** The minimum rate at which a client must send a body. */
export interface Pace {
  /** Longest time without a byte from the client, in ms. */
  readonly silenceMs: number;
  /**
   * The client must send at least this many bytes in each `windowMs` milliseconds. Only the time in which the gateway waits for the client
   * counts.
   */
  readonly bytes: number;
  readonly windowMs: number;
}

/** Minimum rate at which a client must send a body to the HTTP server. */
const BODY: Pace = {
  silenceMs: LIMITS.body_silence.value * 1_000,
  bytes: LIMITS.body_pace.value * LIMITS.body_silence.value,
  windowMs: LIMITS.body_silence.value * 1_000,
};

/** The error for a client that sends too slowly. */
export class TooSlow extends Error {
  constructor() {
    super('the peer is too slow');
    this.name = 'TooSlow';
  }
}

/** The error for a body that ended early: the client disconnected or sent bytes that are not HTTP. */
export class BrokenOff extends Error {
  constructor(cause: unknown) {
    super('the body ended early', { cause });
    this.name = 'BrokenOff';
  }
}

/**
 * Yields the bytes of a request as they arrive. Throws `TooSlow` if they arrive too slowly, and `BrokenOff` if they end early. The
 * socket stays open, so that an error answer can be sent.
 */
export async function* paced(request: IncomingMessage, pace: Pace = BODY): AsyncGenerator<Buffer> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  // Measure only the time of waiting for the client, not the time of writing to disk.
  let waited = 0;
  let inWindow = 0;
  let silence: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const silent = new Promise<'silent'>((resolve) => {
        silence = setTimeout(() => resolve('silent'), pace.silenceMs);
      });
      const asked = performance.now();
      const next = chunks.next().catch((error: unknown) => {
        throw new BrokenOff(error);
      });
      const came = await Promise.race([next, silent]);
      clearTimeout(silence);
      if (came === 'silent') {
        next.catch(() => {});
        throw new TooSlow();
      }
      if (came.done === true) return;
      inWindow += came.value.length;
      waited += performance.now() - asked;
      if (waited > pace.windowMs) {
        if (inWindow < pace.bytes) throw new TooSlow();
        waited = inWindow = 0;
      }
      yield came.value;
    }
  } finally {
    clearTimeout(silence);
    // Release the iterator. Otherwise its `readable` listener stays, and nobody can read and discard the rest of the body. Do not await
    // `return`: if the client has stopped sending, this promise resolves only when the client sends again.
    chunks.return?.().catch(() => {});
  }
}

/** Waits until the client can receive more of an answer or has disconnected. Disconnects a client that reads nothing for `silenceMs`. */
export function drained(response: ServerResponse, silenceMs = LIMITS.reader_silence.value * 1_000): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => response.destroy(), silenceMs);
    const done = () => {
      clearTimeout(late);
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
