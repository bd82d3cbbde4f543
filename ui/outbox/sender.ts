/**
 * Sends the writes, one after the other, and repeats each until the gateway has answered. A repeat is harmless, because the gateway carries
 * out each id once. So this page needs no answer to be safe, and two pages may send the same write.
 */
import type { GatewayClock } from './clock.ts';
import { type Item, nextToSend, verdict } from './item.ts';
import { createOutcomes } from './outcomes.ts';
import { type Answer, createPost, type SenderHeaders } from './post.ts';
import type { Store } from './store.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** How the last round ended. */
export type Line = 'idle' | 'sending' | 'unreachable' | 'waiting';

export function createSender(options: {
  store: Store;
  clock: GatewayClock;
  headers: SenderHeaders;
  /** Called after each change of a stored write, with the write if it has an outcome. */
  changed(item?: Item, answer?: Answer): void;
}) {
  const { store, changed } = options;
  const { send, readNow } = createPost(options);
  const { storeSent, storeProblem, lease } = createOutcomes(store, changed);
  let line: Line = 'idle';
  let running = false;
  let again = false;
  let stopped = false;
  let wait_ms = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const become = (next: Line): void => {
    if (line === next) return;
    line = next;
    changed();
  };

  /** Sends one write. Returns true if its record can go on, and a time to wait if all of them must wait. */
  async function carry(
    item: Item,
  ): Promise<{ readonly goes: boolean; readonly wait: Line | null; readonly retry_ms: number }> {
    const answer = await send(item);
    const { status, code, message, reason, retry_ms } = answer;
    if (status !== null && status < 300 && code === '') {
      await storeSent(item, answer);
      return { goes: true, wait: null, retry_ms: 0 };
    }
    const problem = { code, message };
    const kind = verdict(status, code === 'writing_pass_refused' && reason === 'person' ? 'written_by_other' : code);
    if (kind === 'later') return { goes: false, wait: status === null ? 'unreachable' : 'waiting', retry_ms };
    if (kind === 'wait-for-person') {
      const words = status === 401 ? { code: 'sign_in', message: '' } : problem;
      if (item.problem?.code !== words.code) await storeProblem(item, answer, { problem: words });
      return { goes: false, wait: null, retry_ms };
    }
    await storeProblem(
      item,
      answer,
      kind === 'conflict'
        ? { state: 'conflict', problem, now: await readNow(item) }
        : { state: 'refused', problem, done_ms: Date.now() },
    );
    return { goes: false, wait: null, retry_ms };
  }

  /** Sends what can be sent. Returns after how many milliseconds to try again; null if nothing waits. */
  async function round(): Promise<number | null> {
    const held = new Set<string>();
    for (;;) {
      const items = await store.list();
      const item = nextToSend(items, held);
      if (item === undefined) {
        become('idle');
        return held.size > 0 ? LONGEST_WAIT_MS : null;
      }
      if (!(await lease())) return FIRST_WAIT_MS;
      become('sending');
      const { goes, wait, retry_ms } = await carry(item);
      if (goes) wait_ms = FIRST_WAIT_MS;
      else held.add(item.subject);
      if (wait === null) continue;
      become(wait);
      wait_ms = Math.min(LONGEST_WAIT_MS, wait_ms * 2);
      return Math.max(retry_ms, wait_ms * (0.5 + Math.random() / 2));
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
    readNow,
    stop() {
      stopped = true;
      clearTimeout(timer);
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', seen);
    },
  };
}
