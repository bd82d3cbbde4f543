/** The pace of a peer: who sends or reads too slowly gives up its place, so that it is held by work and not by waiting. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';

/** How slowly a peer may send. */
export interface Pace {
  /** Longest time without a byte, in ms. */
  readonly silenceMs: number;
  /** Fewest bytes in a window of waiting time. */
  readonly bytes: number;
  readonly windowMs: number;
}

/** The pace of bodies on the HTTP server. */
const BODY: Pace = {
  silenceMs: LIMITS.body_silence.value * 1_000,
  bytes: LIMITS.body_pace.value * LIMITS.body_silence.value,
  windowMs: LIMITS.body_silence.value * 1_000,
};

/** A peer did not keep the pace. */
export class TooSlow extends Error {
  constructor() {
    super('the peer is too slow');
    this.name = 'TooSlow';
  }
}

/** A peer went away, or sent bytes that are no HTTP, in the middle of a body. */
export class BrokenOff extends Error {
  constructor(cause: unknown) {
    super('the body ended early', { cause });
    this.name = 'BrokenOff';
  }
}

/**
 * The bytes of a request as they come; throws `TooSlow` when they come too slowly, and `BrokenOff` when they end early.
 * The socket lives on, so that a refusal can be sent.
 */
export async function* paced(request: IncomingMessage, pace: Pace = BODY): AsyncGenerator<Buffer> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  // Only the time that the sender takes counts, not that of the disk.
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
    // Without this the iterator keeps its `readable` listener, and what is left of the body can no longer be read away. It is not
    // awaited: after a silence it ends only when the peer sends again.
    chunks.return?.().catch(() => {});
  }
}

/** Resolves when the reader of an answer has room again or is gone; one that takes nothing for `silenceMs` is cut off. */
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
