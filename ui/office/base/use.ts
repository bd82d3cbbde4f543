/** Hooks of the office: what is read again and again, and what a person sends. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ANY_KIND, useLiveStore } from './project-live.ts';
import { sayError } from './session.ts';

/** The state of something that is read again and again; old data stays while the gateway is away, with the problem beside it. */
export interface Polled<T> {
  readonly data: T | null;
  readonly problem: string | null;
  /** `performance.now()` of the last answer; null before the first. */
  readonly at: number | null;
  reload(): void;
}

/** After a failed read the next one comes by then, however seldom they are. */
const AGAIN_MS = 3_000;
/** A read that is not answered by then has failed: a lost link says nothing. */
const READ_MS = 15_000;

/** While the live stream reports changes, a read without one comes this seldom: it heals what a lost report would leave stale. */
const RESTING_MS = 60_000;

/**
 * Reads now and every `everyMs`, only while the page is looked at. With `kinds`, the objects that the read depends on, it reads again
 * when the live stream reports a change of one of them, and once a minute; it polls every `everyMs` only while the stream is away.
 */
export function usePolled<T>(
  read: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
  of: readonly unknown[],
  kinds?: readonly string[],
): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, 'reload'>>({ data: null, problem: null, at: null });
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
          if (!stopped) setState((before) => ({ ...before, problem: sayError(error) }));
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
      // The stream went away: polling takes over now, not after the long rest.
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
  return { ...state, reload };
}

/** Something a person sends: busy while under way, the problem when it failed. */
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
        setProblem(sayError(error));
      },
    );
  };
  return { busy, problem, send };
}

/** The gateway's time, drawn anew every second. */
export function useNow(now: () => number): number {
  const [at, setAt] = useState(now());
  useEffect(() => {
    const timer = setInterval(() => setAt(now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return at;
}
