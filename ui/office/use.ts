/** Hooks of the office: what is read again and again, and what a person sends. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
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

/** Reads now and every `everyMs`, only while the page is looked at. */
export function usePolled<T>(
  read: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
  of: readonly unknown[],
): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, 'reload'>>({ data: null, problem: null, at: null });
  const [again, setAgain] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async () => {
      let waitMs = everyMs;
      if (!document.hidden || again > 0) {
        try {
          const data = await latest.current(AbortSignal.timeout(READ_MS));
          if (!stopped) setState({ data, problem: null, at: performance.now() });
        } catch (error) {
          waitMs = Math.min(everyMs, AGAIN_MS);
          if (!stopped) setState((before) => ({ ...before, problem: sayError(error) }));
        }
      }
      if (!stopped) timer = setTimeout(() => void round(), waitMs);
    };
    void round();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [again, ...of]);
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
