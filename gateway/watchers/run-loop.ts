/** Runs one task on request. Two runs of the task never overlap: a request during a run causes one more run after it. */
export class RunLoop {
  private readonly task: () => Promise<void>;
  private running: Promise<void> | undefined;
  /** True if `schedule` was called during the current run, so that the task must run once more. */
  private again = false;
  private scheduled: NodeJS.Immediate | undefined;
  private stopped = false;

  /** `task` must not reject. */
  constructor(task: () => Promise<void>) {
    this.task = task;
  }

  /** Runs the task now, or waits for the current run. */
  run(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    this.running ??= this.task().finally(() => {
      this.running = undefined;
      if (this.again) this.schedule();
    });
    return this.running;
  }

  /** Runs the task in the next turn of the event loop, or once more after the current run. */
  schedule(): void {
    this.again = this.running !== undefined;
    if (this.again || this.scheduled !== undefined) return;
    this.scheduled = setImmediate(() => {
      this.scheduled = undefined;
      void this.run();
    });
  }

  /** Prevents further runs; the current run continues, and `settled` waits for its end. */
  stop(): void {
    this.stopped = true;
    clearImmediate(this.scheduled);
  }

  async settled(): Promise<void> {
    await this.running;
  }
}
