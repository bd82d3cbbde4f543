/** Notices a page that hangs: asks it for an answer in intervals, and reports it when the answer is late. */

export interface WatchdogOptions {
  /** Asks the page; resolves when it has answered. */
  readonly ask: () => Promise<unknown>;
  readonly hung: () => void;
  /** Milliseconds between two questions. */
  readonly every_ms: number;
  /** Milliseconds after which a missing answer means that the page hangs. */
  readonly patience_ms: number;
}

/** Starts to ask. A question that fails is not a hang: the page is gone or loads, and other events report that. */
export function startWatchdog({ ask, hung, every_ms, patience_ms }: WatchdogOptions): Disposable {
  let late: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (late !== undefined) return;
    const answered = () => {
      clearTimeout(late);
      late = undefined;
    };
    late = setTimeout(() => {
      late = undefined;
      hung();
    }, patience_ms);
    ask().then(answered, answered);
  }, every_ms);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      clearTimeout(late);
    },
  };
}
