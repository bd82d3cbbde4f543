/**
 * The executor: takes runs of files from the queue by turns of their devices, and works on two at a time.
 *
 *   waiting ─▶ turns ─▶ place "short" ─▶ ended
 *      ▲                   │ over its share of the processor
 *      │                   ├─ the other place is free ─▶ place "long" ─▶ ended
 *      └─── gives back ────┘ it is not, and others wait
 *
 * So a long file never holds up a short one of another device for more than `SHARE_MS` of processor time for each device that waits.
 */

import { makeId } from '#contract/base/ids.ts';
import type { Change, Stored } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { RunData } from '#contract/work/task.ts';
import { fileOf } from '#domain/runs/decode-task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { decodeFile, type FileRunOptions, pause, RETRY_MS } from './decode-file.ts';
import { ThreadDied, ThreadSilent } from './decode-thread.ts';
import { createQueue, type Working, waitingRunOf } from './queue.ts';
import { type Place, Turns, type WaitingRun } from './turns.ts';

export interface RunsOptions extends FileRunOptions {
  readonly random: (bytes: number) => Uint8Array;
  /** Processor time that a run may take in the place for short ones, in milliseconds; tests put another there. */
  readonly shareMs?: number;
  /** Processor time that a run of a file of so many bytes may take, in seconds; tests put another there. */
  readonly ceiling?: (bytes: number) => number;
}

/** The work on files. */
export interface Runs extends AsyncDisposable {
  /** Runs of this device (its record id) that wait. */
  waiting(device: string): number;
}

/** 300 MB of candump text, or more frames than a logger puts into one file. */
const SHARE_MS = 2_000;
/** A thread costs this before it has read anything; it counts, so that many small files are no less than one large one. */
const START_MS = 100;
/** Without any change the queue is looked at this often; and of what does not pass is told so often. */
const LOOK_MS = 60_000;
const CEILING_S = 60;
const CEILING_S_PER_MB = 2;

/** Plain text takes 0.01 s a megabyte and text packed to a fortieth 0.3 s, on the machine of docs/performance.md. */
const ceilingOf = (bytes: number) => Math.ceil(CEILING_S + (bytes / 1e6) * CEILING_S_PER_MB);

/** Why the work on a run ends early. */
class Stop extends Error {
  readonly why: 'canceled' | 'stopping' | 'wall' | 'cpu' | 'turn';
  constructor(why: Stop['why']) {
    super(why);
    this.why = why;
  }
}

/** A run that works. */
interface Job {
  readonly waiting: WaitingRun;
  readonly abort: AbortController;
  place: Place;
}

/** Takes up what the last process left, and begins; disposing it ends the runs at hand and queues them again. */
export function startRuns(options: RunsOptions): Runs {
  const { store, clock, random, log } = options;
  const retryMs = options.retryMs ?? RETRY_MS;
  const shareMs = options.shareMs ?? SHARE_MS;
  const ceiling = options.ceiling ?? ceilingOf;
  const queue = createQueue({ store, clock, newId: (kind, place) => makeId(kind, clock(), random(10), place) });
  const turns = new Turns();
  const stopping = new AbortController();
  const jobs = new Map<string, Job>();
  const works = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();
  let complained = Number.NEGATIVE_INFINITY;
  /** False until the runs that wait are known, and when the store may hold runs that nobody works on. */
  let known = false;
  let failed = false;

  const unfollow = store.changes((changes: readonly Change[]) => {
    for (const { collection, document } of changes) {
      if (collection !== 'records' || document.object !== 'run') continue;
      const run = document as unknown as Stored<RunData>;
      const waiting = run.data.status === 'pending' ? waitingRunOf(run) : undefined;
      if (waiting === undefined) turns.remove(run.id);
      else {
        turns.add(waiting);
        wake.resolve();
      }
      if (run.data.status === 'canceled') jobs.get(run.id)?.abort.abort(new Stop('canceled'));
    }
  });

  const isFree = (place: Place) => ![...jobs.values()].some((job) => job.place === place);

  /** Counts what a run uses; one that is over its share goes to the other place, or waits again when others want its own. */
  function createMeter(job: Job, cpu_s: number): (cpu_ms: number) => void {
    let counted = 0;
    return (cpu_ms) => {
      turns.charge(job.waiting.device, cpu_ms - counted);
      counted = cpu_ms;
      if (cpu_ms > cpu_s * 1_000) job.abort.abort(new Stop('cpu'));
      if (job.place === 'long' || cpu_ms < shareMs) return;
      if (isFree('long')) {
        job.place = 'long';
        wake.resolve();
      } else if (turns.next('short') !== undefined) job.abort.abort(new Stop('turn'));
    };
  }

  /** What is not the file's doing. */
  async function endEarly(working: Working, cpu_s: number, error: unknown): Promise<void> {
    if (error instanceof ThreadDied) return queue.replace(working, 'run_invocation_died', error.message);
    if (error instanceof ThreadSilent) return queue.replace(working, 'run_liveness_timeout', error.message);
    if (!(error instanceof Stop)) throw error;
    if (error.why === 'stopping')
      return queue.replace(working, 'run_evicted_by_deploy', 'The gateway was stopped while the run worked.');
    if (error.why === 'turn')
      return queue.giveBack(working, 'Waits: the file is a long one, and shorter files of other devices go first.');
    if (error.why === 'cpu') {
      const message = `The run used ${cpu_s} s of processor time, which is the most that a file of this size may take. What was read until then is kept.`;
      await queue.end(working, { status: 'failed', code: 'run_cpu_ceiling', message, fired: { limits: 'cpu_s' } });
    }
    if (error.why === 'wall') {
      const message = 'The run took longer than its limit.';
      const fired = { limits: 'wall_s' };
      await queue.end(working, { status: 'failed', code: 'backend_wall_clock_timeout', message, fired });
    }
  }

  async function work(job: Job): Promise<void> {
    const { waiting, abort } = job;
    const run = await queue.pending(waiting);
    const file = run && fileOf(run.data);
    if (run === undefined || file === undefined) return;
    const artifact = await store.view(run.project_id).get<ArtifactData>('records', file.artifact_id);
    const cpu_s = ceiling(artifact?.data.bytes ?? 0);
    const stop = () => abort.abort(new Stop('stopping'));
    stopping.signal.addEventListener('abort', stop, { once: true });
    const { wall_s } = run.data.limits;
    const wall = wall_s === null ? undefined : setTimeout(() => abort.abort(new Stop('wall')), wall_s * 1000);
    try {
      const working = await queue.start(run, cpu_s);
      if (working === undefined) return;
      try {
        turns.charge(waiting.device, START_MS);
        const { signal } = abort;
        await decodeFile(options, queue, { working, artifact, signal, spent: createMeter(job, cpu_s) });
      } catch (error) {
        await endEarly(working, cpu_s, error);
      }
    } finally {
      clearTimeout(wall);
      stopping.signal.removeEventListener('abort', stop);
    }
  }

  /** The store or the journal failed: a run that nobody works on is taken up again as one that died. */
  function complain(error: unknown): void {
    known = false;
    failed = true;
    if (performance.now() - complained < LOOK_MS) return;
    complained = performance.now();
    log('error', 'a run could not go on', { error: error instanceof Error ? error.message : String(error) });
  }

  function begin(waiting: WaitingRun, place: Place): void {
    const job: Job = { waiting, place, abort: new AbortController() };
    jobs.set(waiting.id, job);
    turns.begin(waiting.device);
    turns.remove(waiting.id);
    const done = work(job)
      .catch(complain)
      .finally(() => {
        jobs.delete(waiting.id);
        turns.end(waiting.device);
        works.delete(done);
        wake.resolve();
      });
    works.add(done);
  }

  async function learn(): Promise<void> {
    for (const orphan of await queue.orphans()) {
      const { id, data } = orphan.run;
      if (jobs.has(id) || hasEnded(data)) continue;
      await queue.replace(orphan, 'run_invocation_died', 'The gateway ended while the run worked.');
    }
    turns.clear();
    for await (const waiting of queue.waiting()) if (!jobs.has(waiting.id)) turns.add(waiting);
    known = true;
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      wake = Promise.withResolvers();
      if (failed) await pause(retryMs, stopping.signal);
      failed = false;
      try {
        if (!known) await learn();
      } catch (error) {
        complain(error);
        continue;
      }
      for (const place of ['short', 'long'] as const) {
        const next = isFree(place) ? turns.next(place) : undefined;
        if (next !== undefined) begin(next, place);
      }
      const timer = setTimeout(() => wake.resolve(), LOOK_MS);
      await wake.promise;
      clearTimeout(timer);
    }
  }

  const looping = loop();
  return {
    waiting: (device) => turns.waiting(device),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      wake.resolve();
      await looping;
      await Promise.all(works);
      unfollow();
    },
  };
}
