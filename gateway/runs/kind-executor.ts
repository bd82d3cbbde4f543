/**
 * Executes the runs of one kind, two at a time. The place "short" is for short runs: a run there that has used its share of processor time
 * (`SHARE_MS`) moves to the place "long", which accepts any run. The devices take turns: the next run is a run of the device that has used
 * the least processor time.
 *
 *   waiting ─▶ turns ─▶ place "short" ──▶ ended
 *      ▲                   │ over its share of the processor
 *      │                   ├─ place "long" is free ─▶ place "long" ─▶ ended
 *      └─── gives back ────┘ place "long" is taken, and other runs wait
 *
 * So a short run waits for at most `SHARE_MS` of processor time of each other device.
 */
import { makeId } from '#contract/base/ids.ts';
import { StoreError } from '#contract/base/store-error.ts';
import type { Change, Stored } from '#contract/base/view.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { RunData } from '#contract/work/task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { isOwn } from '#domain/runs/writes.ts';
import { type FileRunOptions, pause, RETRY_MS } from './decode-file.ts';
import { ThreadDied, ThreadSilent } from './decode-thread.ts';
import { createQueue, type Queue, type Working } from './queue.ts';
import type { PreparedRun, RunKind } from './run-kind.ts';
import { type Place, Turns, type WaitingRun } from './turns.ts';

/**
 * Milliseconds of processor time that a run may use in the place for short runs. This is enough for 300 MB of candump text, or for more
 * frames than a logger puts into one file.
 */
const SHARE_MS = 2_000;
/**
 * The milliseconds of processor time that the start of a thread takes. The executor adds them to the processor time of the device for each
 * run. Otherwise many small files would count less than one large file, although each of them needs a thread.
 */
const START_MS = 100;
/**
 * The loop looks for runs when a run changes, and at the latest after this many milliseconds. The number is also the shortest time between
 * two log lines about failures.
 */
const LOOK_MS = 60_000;
/** If a run cannot be started this many times in a row, it ends as failed. Otherwise it would be tried again for ever. */
const MAX_STARTS = 3;

/** Why a run is stored as running although nothing executes it. */
interface Loss {
  readonly code: RunErrorCode;
  readonly message: string;
}
const ENDED_WITH_GATEWAY: Loss = { code: 'run_invocation_died', message: 'The gateway ended while the run worked.' };

export type ExecutorOptions = Pick<FileRunOptions, 'store' | 'clock' | 'log' | 'retryMs'> & {
  readonly random: (bytes: number) => Uint8Array;
  /** The processor time that a run may use in the place for short runs, in milliseconds. Tests pass another value. */
  readonly shareMs?: number;
  /** Milliseconds of a second of the limits and timeouts of runs. Tests pass fewer than 1,000. */
  readonly secondMs?: number;
};

/** The reason with which a run is aborted before its end. */
class Stop extends Error {
  readonly why: 'canceled' | 'stopping' | 'wall' | 'cpu' | 'turn';
  constructor(why: Stop['why']) {
    super(why);
    this.why = why;
  }
}

/** A run that is being executed. */
interface Job {
  readonly waiting: WaitingRun;
  readonly abort: AbortController;
  place: Place;
}

/** Executes the runs of one kind that belong to this node (gateway), also the runs that the previous process did not finish. */
export class KindExecutor {
  private readonly options: ExecutorOptions;
  private readonly kind: RunKind;
  private readonly queue: Queue;
  private readonly turns = new Turns();
  private readonly stopping = new AbortController();
  private readonly jobs = new Map<string, Job>();
  private readonly works = new Set<Promise<void>>();
  private readonly unfollow: () => void;
  private readonly looping: Promise<void>;
  private wake = Promise.withResolvers<void>();
  private loggedAt = Number.NEGATIVE_INFINITY;
  /**
   * True if the waiting runs were read from the store. After a failure of the store it is false: a stored run may then be marked as running
   * although nothing executes it, so the loop must read the runs again.
   */
  private known = false;
  private failed = false;
  /** Runs of this process that stopped without an end in the store: at most those that were executed when the store failed. */
  private readonly lost = new Map<string, Loss>();
  /** How many times in a row a waiting run could not be started. */
  private readonly unstarted = new Map<string, number>();

  constructor(options: ExecutorOptions, kind: RunKind) {
    const { store, clock, random } = options;
    this.options = options;
    this.kind = kind;
    const newId: Parameters<typeof createQueue>[0]['newId'] = (of, place) => makeId(of, clock(), random(10), place);
    this.queue = createQueue({ store, clock, kind, newId });
    this.unfollow = store.changes((changes) => this.follow(changes));
    this.looping = this.loop();
  }

  /** Returns the number of waiting runs of a device. `device` is the record id of the device. */
  waiting(device: string): number {
    return this.turns.waiting(device);
  }

  /** Stops the current runs and queues a replacement for each of them. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake.resolve();
    await this.looping;
    await Promise.all(this.works);
    this.unfollow();
  }

  private follow(changes: readonly Change[]): void {
    for (const { collection, document } of changes) {
      if (collection !== 'records' || document.object !== 'run') continue;
      const run = document as unknown as Stored<RunData>;
      if (!isOwn(run.data, this.options.store.nodeId)) continue;
      const waiting = run.data.status === 'pending' ? this.kind.waitingRunOf(run) : undefined;
      if (waiting === undefined) this.turns.remove(run.id);
      else {
        this.turns.add(waiting);
        this.wake.resolve();
      }
      if (run.data.status !== 'pending') this.unstarted.delete(run.id);
      if (run.data.status !== 'running') this.lost.delete(run.id);
      if (run.data.status === 'running' && !this.jobs.has(run.id) && this.kind.waitingRunOf(run) !== undefined) {
        // The other end of the link gave the run back, because this node lost it. Nothing executes it.
        this.known = false;
        this.wake.resolve();
      }
      if (run.data.status === 'canceled') this.jobs.get(run.id)?.abort.abort(new Stop('canceled'));
    }
  }

  private isFree(place: Place): boolean {
    return ![...this.jobs.values()].some((job) => job.place === place);
  }

  /**
   * Returns a function that adds the processor time of a run to its device. A run that has used `shareMs` moves to the place for long runs.
   * If that place is taken and other runs wait, the run stops and waits again.
   */
  private createMeter(job: Job, cpu_s: number): (cpu_ms: number) => void {
    const shareMs = this.options.shareMs ?? SHARE_MS;
    let counted = 0;
    return (cpu_ms) => {
      this.turns.charge(job.waiting.device, cpu_ms - counted);
      counted = cpu_ms;
      if (cpu_ms > cpu_s * 1_000) job.abort.abort(new Stop('cpu'));
      if (job.place === 'long' || cpu_ms < shareMs) return;
      if (this.isFree('long')) {
        job.place = 'long';
        this.wake.resolve();
      } else if (this.turns.next('short') !== undefined) job.abort.abort(new Stop('turn'));
    };
  }

  /** Ends a run that was stopped before it was complete, or puts it back into the queue. */
  private async endEarly(working: Working, cpu_s: number, error: unknown): Promise<void> {
    const { queue } = this;
    const { messages } = this.kind;
    const { id } = working.run;
    if (error instanceof ThreadDied)
      return this.replace(working, { code: 'run_invocation_died', message: error.message });
    if (error instanceof ThreadSilent)
      return this.replace(working, { code: 'run_liveness_timeout', message: error.message });
    if (!(error instanceof Stop)) {
      const message = 'The run stopped because of an error in the gateway. The log of the gateway names the error.';
      this.lost.set(id, { code: 'run_invocation_died', message });
      throw error;
    }
    if (error.why === 'stopping') {
      const message = 'The gateway was stopped while the run worked.';
      return this.replace(working, { code: 'run_evicted_by_deploy', message });
    }
    if (error.why === 'turn') {
      const message = 'The run made room for shorter runs, and could not be put back into the queue.';
      return queue.giveBack(working, messages.givenBack).catch((fault: unknown) => {
        this.lost.set(id, { code: 'run_continuation_no_queue', message });
        throw fault;
      });
    }
    if (error.why === 'cpu') {
      const message = messages.overCeiling(cpu_s);
      await queue.end(working, { status: 'failed', code: 'run_cpu_ceiling', message, fired: { limits: 'cpu_s' } });
    }
    if (error.why === 'wall') {
      const message = `The run took longer than its limit of ${working.run.data.limits.wall_s} s.`;
      const code = this.kind.overWall ?? 'backend_wall_clock_timeout';
      const fired = { limits: 'wall_s' };
      await queue.end(working, { status: 'failed', code, message, fired });
    }
  }

  /** Ends a run that stopped without an outcome, and queues its replacement. If the store fails, the loop tries it again. */
  private async replace(working: Working, loss: Loss): Promise<void> {
    const { id } = working.run;
    try {
      await this.queue.replace(working, loss.code, loss.message);
    } catch (error) {
      const message = `${loss.message} The gateway could not store this at first.`;
      this.lost.set(id, loss.code === 'run_recovery_unwritable' ? loss : { code: 'run_recovery_unwritable', message });
      throw error;
    }
  }

  /** Marks a waiting run as running. Returns undefined if the run has ended, also because it could not be started several times. */
  private async start(run: Stored<RunData>): Promise<(PreparedRun & { readonly working: Working }) | undefined> {
    const { queue, unstarted } = this;
    try {
      const prepared = await this.kind.prepare(run);
      const working = await queue.start(run, prepared.cpu_s);
      return working && { ...prepared, working };
    } catch (error) {
      // A store that refuses writes will accept them again.
      if (error instanceof StoreError) throw error;
      const times = (unstarted.get(run.id) ?? 0) + 1;
      unstarted.set(run.id, times);
      if (times < MAX_STARTS) throw error;
      await queue.endWaiting(run, {
        status: 'failed',
        code: 'run_never_started',
        message: `The gateway could not start the run ${times} times. The log of the gateway names the error.`,
      });
      this.report(error);
      return undefined;
    }
  }

  private async work(job: Job): Promise<void> {
    const { queue } = this;
    const { waiting, abort } = job;
    const run = await queue.pending(waiting);
    if (run === undefined || this.kind.waitingRunOf(run) === undefined) return;
    const started = await this.start(run);
    if (started === undefined) return;
    const { working, cpu_s, work } = started;
    const stop = () => abort.abort(new Stop('stopping'));
    this.stopping.signal.addEventListener('abort', stop, { once: true });
    if (this.stopping.signal.aborted) stop();
    const { wall_s } = run.data.limits;
    const wall =
      wall_s === null
        ? undefined
        : setTimeout(() => abort.abort(new Stop('wall')), wall_s * (this.options.secondMs ?? 1000));
    try {
      this.turns.charge(waiting.device, START_MS);
      abort.signal.throwIfAborted();
      await work({ queue, working, signal: abort.signal, spent: this.createMeter(job, cpu_s) });
    } catch (error) {
      await this.endEarly(working, cpu_s, error);
    } finally {
      clearTimeout(wall);
      this.stopping.signal.removeEventListener('abort', stop);
    }
  }

  /** Called after a failure of the store or the journal. The loop then reads the queue again and replaces runs that nothing executes. */
  private recover(error: unknown): void {
    this.known = false;
    this.failed = true;
    this.report(error);
  }

  private report(error: unknown): void {
    if (performance.now() - this.loggedAt < LOOK_MS) return;
    this.loggedAt = performance.now();
    this.options.log('error', 'the execution of runs stopped because of an error; the gateway reads the queue again', {
      error: error instanceof Error ? error.message : String(error),
    });
  }

  private begin(waiting: WaitingRun, place: Place): void {
    const job: Job = { waiting, place, abort: new AbortController() };
    this.jobs.set(waiting.id, job);
    this.turns.begin(waiting.device);
    this.turns.remove(waiting.id);
    const done = this.work(job)
      .catch((error: unknown) => this.recover(error))
      .finally(() => {
        this.jobs.delete(waiting.id);
        this.turns.end(waiting.device);
        this.works.delete(done);
        this.wake.resolve();
      });
    this.works.add(done);
  }

  /** Queues a replacement for each run that is stored as running although nothing executes it, and then reads the waiting runs. */
  private async readQueue(): Promise<void> {
    const { queue, jobs, turns } = this;
    // A run that comes back while this reads makes it read once more.
    this.known = true;
    for (const orphan of await queue.orphans()) {
      const { id, data } = orphan.run;
      if (jobs.has(id) || hasEnded(data)) continue;
      await this.replace(orphan, this.lost.get(id) ?? ENDED_WITH_GATEWAY);
    }
    turns.clear();
    for await (const waiting of queue.waiting()) if (!jobs.has(waiting.id)) turns.add(waiting);
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.wake = Promise.withResolvers();
      if (this.failed) await pause(this.options.retryMs ?? RETRY_MS, signal);
      this.failed = false;
      try {
        if (!this.known) await this.readQueue();
      } catch (error) {
        this.recover(error);
        continue;
      }
      for (const place of ['short', 'long'] as const) {
        const next = this.isFree(place) ? this.turns.next(place) : undefined;
        if (next !== undefined) this.begin(next, place);
      }
      const timer = setTimeout(() => this.wake.resolve(), LOOK_MS);
      await this.wake.promise;
      clearTimeout(timer);
    }
  }
}
