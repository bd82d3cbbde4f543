/**
 * The executor: takes runs of files from the queue, one at a time, and has a thread read each. What comes of it goes the way of every
 * message, through the journal, so that there is one writer of facts and history.
 *
 *   queue ─▶ thread: file -> parts ─▶ accept (journal) ─▶ fold ─▶ facts, history
 *              ◀─ taken ──────────────┘   every SETTLE parts: until they are in the store
 */
import type { ArtifactData } from '#contract/artifact.ts';
import { busSettings } from '#contract/bus.ts';
import type { DeviceData } from '#contract/device.ts';
import type { EquipmentData } from '#contract/equipment.ts';
import { makeId } from '#contract/ids.ts';
import { type IngestMessage, NotTaken } from '#contract/ingest.ts';
import type { Project } from '#contract/project.ts';
import type { RunData } from '#contract/task.ts';
import type { Change, Stored } from '#contract/view.ts';
import { isTimeZone } from '#contract/zones.ts';
import { fileOf } from '#domain/decode-task.ts';
import { hasEnded, type Said } from '#domain/run.ts';
import { isoTime } from '#domain/times.ts';
import type { Store } from '#store/open-store.ts';
import type { DecodeProgress } from './decode-job.ts';
import { completedOutcome, refusedOutcome } from './decode-outcome.ts';
import { decodeInThread, FileRefused, ThreadDied, ThreadSilent } from './decode-thread.ts';
import { dbcOf } from './device-dbc.ts';
import { spansOf } from './device-spans.ts';
import { createQueue, type Working } from './queue.ts';

export interface RunsOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'node' | 'changes'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Journals a message; rejects with `NotTaken` when it may be taken later. */
  readonly accept: (message: IngestMessage) => Promise<void>;
  /** Resolves when everything accepted is in the store with what follows from it. */
  readonly settled: () => Promise<void>;
  /** What a run brought into history. */
  readonly counted: (run: string) => { readonly added: number; readonly known: number };
  /** Where the bytes of a content lie; undefined when there are none. */
  readonly locate: (sha256: string) => Promise<string | undefined>;
  /** What opens the locked files of a device. */
  readonly passwords: (project_id: string, device: string) => Promise<readonly string[]>;
  /** The file of the thread, and milliseconds between tries where there is no room and between words of progress; tests put others there. */
  readonly worker?: URL;
  readonly retryMs?: number;
  readonly progressMs?: number;
}

/** Parts after which the thread waits until they are in the store: what is on its way stays small. */
const SETTLE = 8;
const RETRY_MS = 5_000;
const PROGRESS_MS = 2_000;
const SILENCE_S = 300;
/** Without any change the queue is looked at this often; and of what does not pass is told so often. */
const LOOK_MS = 60_000;

/** Why the work on a run ends early. */
class Stop extends Error {
  readonly why: 'canceled' | 'stopping' | 'wall';
  constructor(why: Stop['why']) {
    super(why);
    this.why = why;
  }
}

/** The time zone of a project. Project records are among those of the node, not in the view of the project. */
async function zoneOf({ node }: Pick<Store, 'node'>, project_id: string): Promise<string> {
  const project = await node.get<Pick<Project, 'timezone'>>('records', project_id);
  const timezone = project?.data.timezone ?? 'UTC';
  return isTimeZone(timezone) ? timezone : 'UTC';
}

/** Takes up what the last process left, and begins; disposing it ends the run at hand and queues it again. */
export function startRuns(options: RunsOptions): AsyncDisposable {
  const { store, clock, random, log, accept, settled } = options;
  const retryMs = options.retryMs ?? RETRY_MS;
  const progressMs = options.progressMs ?? PROGRESS_MS;
  const queue = createQueue({ store, clock, newId: (kind, place) => makeId(kind, clock(), random(10), place) });
  const stopping = new AbortController();
  let wake = Promise.withResolvers<void>();
  let current: { readonly id: string; readonly abort: AbortController } | undefined;

  const unfollow = store.changes((changes: readonly Change[]) => {
    for (const { collection, document } of changes) {
      if (collection !== 'records' || document.object !== 'run') continue;
      const run = document.data as unknown as RunData;
      if (run.status === 'pending') wake.resolve();
      else if (document.id === current?.id && run.status === 'canceled') current.abort.abort(new Stop('canceled'));
    }
  });

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }

  /** Journals a part of a file; where there is no room it waits, for the file stays. */
  async function journal(working: Working, device: Stored<DeviceData>, payload: Uint8Array, signal: AbortSignal) {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await accept({
          device: device.id,
          device_id: device.data.device_id,
          project_id: device.project_id,
          topic: 'recording',
          payload,
          received_at_ms: clock(),
        });
      } catch (error) {
        if (!(error instanceof NotTaken)) throw error;
        await queue.progress(working, { status_text: 'Waits: the gateway has no room for more numbers now.' });
        await pause(retryMs, signal);
      }
    }
  }

  async function decode(working: Working, signal: AbortSignal): Promise<void> {
    const { run, file, project_id } = working;
    const view = store.view(project_id);
    const artifact = await view.get<ArtifactData>('records', file.artifact_id);
    const device = await view.get<DeviceData>('records', file.device_id);
    const path = artifact === undefined ? undefined : await options.locate(artifact.data.sha256);
    if (artifact === undefined || device === undefined || path === undefined) {
      const message = 'The file, or the device that recorded it, is not there any more.';
      await queue.end(working, { status: 'failed', code: 'recording_missing', message });
      return;
    }
    const began = performance.now();
    const name = artifact.data.name ?? artifact.id;
    let parts = 0;
    let told = began;
    let last: DecodeProgress = { frames: 0, at_us: null, share: 0 };
    const tell = async () => {
      if (performance.now() - told < progressMs) return;
      told = performance.now();
      const at = last.at_us === null ? '' : `, now at ${isoTime(last.at_us)}`;
      const status_text = `Decodes ${name}: ${last.frames.toLocaleString('en')} frames${at}.`;
      const pct = Math.min(99, Math.round(last.share * 100));
      await queue.progress(working, { status_text, current_step: name, progress_pct: pct });
    };
    let telling: Promise<void> = Promise.resolve();
    const job = {
      path,
      passwords: await options.passwords(project_id, device.id),
      artifact: artifact.id,
      run: run.id,
      device: device.id,
      timezone: await zoneOf(store, project_id),
      received_us: clock() * 1000,
      spans: await spansOf(view, device),
      conversion: busSettings(device.data.settings).dtc_conversion,
      dbc: await dbcOf(view, device.id),
    };
    try {
      const report = await decodeInThread(job, {
        signal,
        silence_s: run.data.timeouts.liveness_s ?? SILENCE_S,
        ...(options.worker === undefined ? {} : { worker: options.worker }),
        async take(part) {
          await journal(working, device, part, signal);
          if (++parts % SETTLE === 0) await settled();
        },
        progress(next) {
          last = next;
          telling = telling.then(tell).catch((error: unknown) => {
            log('warn', 'the progress of a run could not be stored', { run: run.id, error: String(error) });
          });
        },
      });
      await settled();
      await telling;
      const ids = [...report.machines.keys()].filter((id) => id !== null);
      const around = {
        artifact_id: artifact.id,
        name,
        device_id: device.id,
        history: options.counted(run.id),
        machines: await view.getMany<EquipmentData>('records', ids),
        wall_ms: Math.round(performance.now() - began),
      };
      const outcome = completedOutcome(report, around);
      const word: Said = { role: 'assistant', kind: 'message', text: outcome.output.summary, final: true };
      await queue.end(working, outcome, [word]);
    } catch (error) {
      await telling;
      if (!(error instanceof FileRefused)) throw error;
      await queue.end(working, refusedOutcome(error, path, name));
    }
  }

  /** What is not the file's doing. */
  async function giveBack(working: Working, error: unknown): Promise<void> {
    if (error instanceof ThreadDied) return queue.replace(working, 'run_invocation_died', error.message);
    if (error instanceof ThreadSilent) return queue.replace(working, 'run_liveness_timeout', error.message);
    if (!(error instanceof Stop)) throw error;
    if (error.why === 'stopping')
      return queue.replace(working, 'run_evicted_by_deploy', 'The gateway was stopped while the run worked.');
    if (error.why === 'wall') {
      const message = 'The run took longer than its limit.';
      const fired = { limits: 'wall_s' };
      await queue.end(working, { status: 'failed', code: 'backend_wall_clock_timeout', message, fired });
    }
  }

  async function work(run: Stored<RunData>): Promise<void> {
    const abort = new AbortController();
    current = { id: run.id, abort };
    const stop = () => abort.abort(new Stop('stopping'));
    stopping.signal.addEventListener('abort', stop, { once: true });
    const wall_s = run.data.limits.wall_s;
    const wall = wall_s === null ? undefined : setTimeout(() => abort.abort(new Stop('wall')), wall_s * 1000);
    try {
      const working = await queue.start(run);
      if (working === undefined) return;
      try {
        await decode(working, abort.signal);
      } catch (error) {
        await giveBack(working, error);
      }
    } finally {
      clearTimeout(wall);
      stopping.signal.removeEventListener('abort', stop);
      current = undefined;
    }
  }

  async function adopt(): Promise<void> {
    for (const orphan of await queue.orphans()) {
      if (hasEnded(orphan.run.data) || fileOf(orphan.run.data) === undefined) continue;
      await queue.replace(orphan, 'run_invocation_died', 'The gateway ended while the run worked.');
    }
  }

  async function loop(): Promise<void> {
    let complained = Number.NEGATIVE_INFINITY;
    for (let adopted = false; !stopping.signal.aborted; ) {
      try {
        if (!adopted) await adopt();
        adopted = true;
        const run = await queue.next();
        if (run !== undefined) await work(run);
        else {
          const timer = setTimeout(() => wake.resolve(), LOOK_MS);
          await wake.promise;
          clearTimeout(timer);
          wake = Promise.withResolvers();
        }
      } catch (error) {
        // The store or the journal: its run is taken up again as one that died.
        if (performance.now() - complained >= LOOK_MS) {
          complained = performance.now();
          log('error', 'a run could not go on', { error: error instanceof Error ? error.message : String(error) });
        }
        adopted = false;
        await pause(retryMs, stopping.signal);
      }
    }
  }

  const looping = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      wake.resolve();
      await looping;
      unfollow();
    },
  };
}
