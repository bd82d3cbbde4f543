/**
 * Sends the writes, one after the other, and repeats each until the gateway has answered. A repeat is harmless, because the gateway carries
 * out each id once. So this page needs no answer to be safe, and two pages may send the same write.
 *
 * A record whose write the gateway cannot take now is held back alone; the writes of other records go on. The sender stops only if the
 * gateway does not answer a small request.
 */
import type { GatewayClock } from './clock.ts';
import { type Item, nextToSend, verdict } from './item.ts';
import { createOutcomes, SIGN_MS } from './outcomes.ts';
import { type Answer, createPost, isSmall, type SenderHeaders } from './post.ts';
import type { Store } from './store.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A record is held back for at most this time, also if the gateway asks for more. */
const LONGEST_HOLD_MS = 3_600_000;
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
  const { store, changed } = options;
  const { clock } = options;
  const { send, readNow, hello } = createPost(options);
  const { storeSent, storeProblem, begin, sign } = createOutcomes(store, changed);
  /** Records that the gateway could not take, and until when they are held back. */
  const holds = new Map<string, { readonly until: number; readonly wait_ms: number }>();
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

  /** Holds a record back: longer after each try, and at least as long as the gateway asks for. */
  function hold(subject: string, retry_ms: number): void {
    const wait_ms = Math.min(LONGEST_WAIT_MS, (holds.get(subject)?.wait_ms ?? FIRST_WAIT_MS / 2) * 2);
    const until = performance.now() + Math.min(LONGEST_HOLD_MS, Math.max(retry_ms, wait_ms));
    holds.set(subject, { until, wait_ms });
  }

  /**
   * Sends one write. `later`: the gateway cannot take it now. `person`: it waits for a person. `unreachable`: the gateway does not answer.
   */
  async function carry(item: Item): Promise<'sent' | 'later' | 'person' | 'unreachable'> {
    const answer = await send(item);
    const { status, code, message, reason, retry_ms } = answer;
    if (status !== null && status < 300 && code === '') {
      holds.delete(item.subject);
      await storeSent(item, answer);
      return 'sent';
    }
    const problem = { code, message };
    const kind = verdict(status, code === 'writing_pass_refused' && reason === 'person' ? 'written_by_other' : code);
    if (kind === 'later') {
      // A photo can be too slow for the link, while everything else still arrives.
      if (status === null && (isSmall(item) || !(await hello()))) return 'unreachable';
      hold(item.subject, retry_ms);
      if (item.problem?.code !== code) await storeProblem(item, answer, { problem });
      return 'later';
    }
    if (kind === 'wait-for-person') {
      const words = status === 401 ? { code: 'sign_in', message: '' } : problem;
      if (item.problem?.code !== words.code) await storeProblem(item, answer, { problem: words });
      return 'person';
    }
    await storeProblem(
      item,
      answer,
      kind === 'conflict'
        ? { state: 'conflict', problem, now: await readNow(item) }
        : { state: 'refused', problem, done_ms: Date.now() },
    );
    return 'person';
  }

  /** Returns the next write to send: first of records that are not held back, then of those that were held back long enough. */
  function next(items: readonly Item[], asked: ReadonlySet<string>): Item | undefined {
    const waiting = new Set(items.filter(({ state }) => state === 'queued').map(({ subject }) => subject));
    for (const subject of [...holds.keys()]) if (!waiting.has(subject)) holds.delete(subject);
    const due = [...holds].filter(([, { until }]) => until > performance.now()).map(([subject]) => subject);
    return nextToSend(items, new Set([...asked, ...holds.keys()])) ?? nextToSend(items, new Set([...asked, ...due]));
  }

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
      const item = next(await store.list(), asked);
      if (item === undefined || later >= MOST_LATER) {
        become(later > 0 || holds.size > 0 ? 'waiting' : 'idle');
        if (item !== undefined) return pause();
        const first = Math.min(...[...holds.values()].map(({ until }) => until - performance.now()), LONGEST_WAIT_MS);
        return holds.size + asked.size > 0 ? Math.max(FIRST_WAIT_MS, first) : null;
      }
      // The time since the person wrote counts by the clock of the gateway, so its time must be known before the first write is sent.
      if (clock.now() === null && !(await hello())) {
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
    readNow,
    stop() {
      stopped = true;
      clearTimeout(timer);
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', seen);
    },
  };
}
