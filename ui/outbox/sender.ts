/**
 * Sends the writes, one after the other, and repeats each until the gateway has answered. A repeat is harmless, because the gateway carries
 * out each id once. So this page needs no answer to be safe, and two pages may send the same write.
 *
 * A record whose write the gateway cannot take now is held back alone; the writes of other records go on. The sender stops only if the
 * gateway does not answer a small request.
 */

import { createCarry } from './carry.ts';
import type { GatewayClock } from './clock.ts';
import { createHolds } from './holds.ts';
import type { Item } from './item.ts';
import { createOutcomes, SIGN_MS } from './outcomes.ts';
import { type Answer, createPost, type SenderHeaders } from './post.ts';
import type { Store } from './store.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After so many records in a row that the gateway cannot take now, the sender pauses. */
const MOST_LATER = 5;

/** How the last round ended. */
export type Line = 'idle' | 'sending' | 'unreachable' | 'waiting';

export function createSender(options: {
  store: Store;
  clock: GatewayClock;
  headers: SenderHeaders;
  /** Called after each change of a stored write, with the write if it has an outcome. */
  changed(item?: Item, answer?: Answer): void;
}) {
  const { store, clock, changed } = options;
  const post = createPost(options);
  const outcomes = createOutcomes(store, changed);
  const { begin, sign } = outcomes;
  const holds = createHolds();
  const carry = createCarry(post, outcomes, holds);
  let line: Line = 'idle';
  let running = false;
  /** True from the first write of a round on. */
  let sends = false;
  let again = false;
  let stopped = false;
  let wait_ms = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const become = (next: Line): void => {
    if (line === next) return;
    line = next;
    changed();
  };

  const pause = (): number => {
    wait_ms = Math.min(LONGEST_WAIT_MS, wait_ms * 2);
    return wait_ms * (0.5 + Math.random() / 2);
  };

  /** Sends what can be sent. Returns after how many milliseconds to try again; null if nothing waits. */
  async function round(): Promise<number | null> {
    /** Records that wait for a person, or were tried in this round. */
    const asked = new Set<string>();
    let later = 0;
    for (;;) {
      const item = holds.next(await store.list(), asked);
      if (item === undefined || later >= MOST_LATER) {
        become(later > 0 || holds.left() !== null ? 'waiting' : 'idle');
        if (item !== undefined) return pause();
        const left = holds.left() ?? (asked.size > 0 ? LONGEST_WAIT_MS : null);
        return left === null ? null : Math.max(FIRST_WAIT_MS, Math.min(left, LONGEST_WAIT_MS));
      }
      // The time since the person wrote counts by the clock of the gateway, so its time must be known before the first write is sent.
      if (clock.isOld() && !(await post.hello())) {
        become('unreachable');
        return pause();
      }
      const begun = await begin(item.seq);
      if (begun === undefined) return FIRST_WAIT_MS;
      if (begun === null) continue;
      become('sending');
      sends = true;
      const signs = setInterval(() => void sign().catch(() => undefined), SIGN_MS);
      const end = await carry(begun).finally(() => clearInterval(signs));
      if (end === 'unreachable') {
        become('unreachable');
        return pause();
      }
      if (end === 'sent') wait_ms = FIRST_WAIT_MS;
      else asked.add(item.subject);
      later = end === 'later' ? later + 1 : end === 'sent' ? 0 : later;
    }
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    if (running) {
      again = true;
      return;
    }
    running = true;
    let next: number | null = LONGEST_WAIT_MS;
    do {
      again = false;
      next = await round().catch(() => LONGEST_WAIT_MS);
      if (sends) await sign(0).catch(() => undefined);
      sends = false;
    } while (again && line !== 'unreachable' && !stopped);
    running = false;
    if (next !== null && !stopped) timer = setTimeout(() => void run(), again ? FIRST_WAIT_MS : next);
  }

  const wake = (): void => {
    wait_ms = FIRST_WAIT_MS;
    void run();
  };
  const seen = (): void => {
    if (!document.hidden) wake();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', seen);
  return {
    wake,
    line: () => line,
    readNow: post.readNow,
    stop() {
      stopped = true;
      clearTimeout(timer);
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', seen);
    },
  };
}
