/** Hooks of the office: polled reads, and writes that a person sends. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ANY_KIND, useLiveStore } from './project-live.ts';
import { errorText } from './session.ts';

/** The state of a read that is repeated. After a failed read `data` stays as it was, and `problem` is set. */
export interface Polled<T> {
  readonly data: T | null;
  readonly problem: string | null;
  /** `performance.now()` at the last answer of the gateway; null before the first answer. */
  readonly at: number | null;
  /** True if the live stream reports changes of the data, so that the page reads it only once a minute while the stream is live. */
  readonly streamed: boolean;
  reload(): void;
}

/** Longest time between a failed read and the next read, in milliseconds. */
const AGAIN_MS = 3_000;
/** A read without an answer after this time, in milliseconds, counts as failed, because a broken connection reports no error. */
const READ_MS = 15_000;

/**
 * The interval of reads while the live stream reports changes, in milliseconds. If the report of a change was lost, the page is correct
 * again after this time.
 */
const RESTING_MS = 60_000;

/**
 * Reads now and every `everyMs` while the page is visible. `kinds` names the kinds of objects on which the read depends. If `kinds` is
 * given, the hook reads when the live stream reports a change of an object of these kinds, and also once a minute. It then reads every
 * `everyMs` only while the stream is not live.
 */
export function usePolled<T>(
  read: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
  of: readonly unknown[],
  kinds?: readonly string[],
): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, 'reload' | 'streamed'>>({ data: null, problem: null, at: null });
  const [again, setAgain] = useState(0);
  const store = useLiveStore();
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading = false;
    let changedMeanwhile = false;
    const round = async () => {
      clearTimeout(timer);
      if (reading) {
        changedMeanwhile = true;
        return;
      }
      reading = true;
      changedMeanwhile = false;
      let failed = false;
      if (!document.hidden || again > 0) {
        try {
          const data = await latest.current(AbortSignal.timeout(READ_MS));
          if (!stopped) setState({ data, problem: null, at: performance.now() });
        } catch (error) {
          failed = true;
          if (!stopped) setState((before) => ({ ...before, problem: errorText(error) }));
        }
      }
      reading = false;
      if (stopped) return;
      const rests = kinds !== undefined && store.state.live && !document.hidden;
      const waitMs = failed ? Math.min(everyMs, AGAIN_MS) : changedMeanwhile ? 0 : rests ? RESTING_MS : everyMs;
      timer = setTimeout(() => void round(), waitMs);
    };
    void round();
    let wasLive = store.state.live;
    const unsubscribe = store.subscribe((changed) => {
      const concerned =
        kinds?.some((kind) => changed.has(kind)) === true || (kinds !== undefined && changed.has(ANY_KIND));
      // The stream has ended. Start to read every `everyMs` now, and do not wait until `RESTING_MS` is over.
      const lost = wasLive && !store.state.live;
      wasLive = store.state.live;
      if (concerned || (lost && kinds !== undefined)) void round();
    });
    const shown = () => {
      if (!document.hidden) void round();
    };
    document.addEventListener('visibilitychange', shown);
    return () => {
      stopped = true;
      clearTimeout(timer);
      unsubscribe();
      document.removeEventListener('visibilitychange', shown);
    };
  }, [again, store, ...of]);
  const reload = useCallback(() => setAgain((n) => n + 1), []);
  return { ...state, streamed: kinds !== undefined, reload };
}

/** Returns the state of a write: `busy` while it is in progress, `problem` after it failed. */
export function useSend(): {
  readonly busy: boolean;
  readonly problem: string | null;
  send(act: () => Promise<void>): void;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = (act: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    act().then(
      () => setBusy(false),
      (error: unknown) => {
        setBusy(false);
        setProblem(errorText(error));
      },
    );
  };
  return { busy, problem, send };
}

/** Returns the time by the gateway's clock, in milliseconds since 1970. The component renders again every second. */
export function useNow(now: () => number): number {
  const [at, setAt] = useState(now());
  useEffect(() => {
    const timer = setInterval(() => setAt(now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return at;
}
