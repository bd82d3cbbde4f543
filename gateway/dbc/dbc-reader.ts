/**
 * Parses, searches and tests DBC files in threads, so that a large file does not block the event loop:
 *
 *   import, search, mapping ── queue of 8 ──▶ one thread, which caches the last two files
 *   tests on traffic ──────── 2 at a time ──▶ a thread each
 */

import { OperationError } from '#contract/base/errors.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import type { DbcReader } from '#contract/context.ts';
import { createDbcThread } from './dbc-thread.ts';

const QUEUE = 8;
const TRIALS = 2;
/** The time limit of a request, in milliseconds. Reading the largest file takes half a second, but a slow host under load needs more. */
const READ_MS = 20_000;
const TRIAL_MS = 120_000;
/** A thread ends after this time without a request. A person who maps a file sends one every few seconds. */
const IDLE_MS = 60_000;

const busy = (message: Sayable): OperationError => new OperationError('rate_limited', message);

/** Creates a reader; its threads start with the first request. */
export function createDbcReader(options: {
  /** Returns the path of a log on this disk. */
  readonly locate: (sha256: string) => Promise<string | undefined>;
  /** Time limits in milliseconds and the file of the thread; only tests set these three. */
  readonly read_ms?: number;
  readonly trial_ms?: number;
  readonly worker?: URL;
}): DbcReader & AsyncDisposable {
  const { worker } = options;
  const reading = createDbcThread({ answer_ms: options.read_ms ?? READ_MS, idle_ms: IDLE_MS, worker });
  const trials = new Set<AsyncDisposable>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function enqueue<T>(ask: () => Promise<T>): Promise<T> {
    if (waiting >= QUEUE)
      throw busy(say('{queue} requests for DBC files are waiting; try again in a moment.', { queue: QUEUE }));
    waiting++;
    const answer = last.then(ask).finally(() => {
      waiting--;
    });
    last = answer.catch(() => undefined);
    return answer;
  }

  return {
    read: (text, mapping) => enqueue(() => reading.ask({ of: { text }, ask: { kind: 'read', mapping } })),
    layout: ({ sha256, text }, mapping) =>
      enqueue(() => reading.ask({ of: { sha256 }, ask: { kind: 'read', mapping } }, { text })),
    signals: ({ sha256, text }, q) =>
      enqueue(() => reading.ask({ of: { sha256 }, ask: { kind: 'signals', q } }, { text })),
    async trial({ sha256, text }, mapping, from) {
      if (trials.size >= TRIALS) throw busy('Two tests of DBC files are running; try again in a moment.');
      await using thread = createDbcThread({ answer_ms: options.trial_ms ?? TRIAL_MS, idle_ms: IDLE_MS, worker });
      trials.add(thread);
      try {
        if (!('log' in from))
          return await thread.ask({ of: { sha256 }, ask: { kind: 'trial', mapping, log: null } }, { text, ...from });
        const path = await options.locate(from.log);
        if (path === undefined) return undefined;
        const log = { path, passwords: from.passwords };
        return await thread.ask({ of: { sha256 }, ask: { kind: 'trial', mapping, log } }, { text });
      } finally {
        trials.delete(thread);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([reading, ...trials].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
