/**
 * Decodes a file for one run (one attempt to carry out a task, here to decode a recorded file). A thread decodes the file and sends the
 * result in parts. Each part is written to the journal (the files with all accepted messages) like a message of a device. So the fold (the
 * code that applies the messages of the journal) stays the only writer of values and history.
 *
 *   thread: file -> parts ─▶ accept (journal) ─▶ fold ─▶ facts, history
 *              ◀─ taken ──────┘   every SETTLE parts: wait until they are in the store
 */

import type { Stored } from '#contract/base/view.ts';
import { isTimeZone } from '#contract/base/zones.ts';
import { busSettings } from '#contract/fleet/bus.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import type { Project } from '#contract/site/project.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { isoTime } from '#domain/base/times.ts';
import { fileOf } from '#domain/runs/decode-task.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import type { Store } from '#store/open-store.ts';
import type { DecodeProgress } from './decode-job.ts';
import { completedOutcome, refusedOutcome } from './decode-outcome.ts';
import { decodeInThread, FileRefused } from './decode-thread.ts';
import { dbcOf } from './device-dbc.ts';
import { spansOf } from './device-spans.ts';
import type { Queue, Working } from './queue.ts';

/** The services of the gateway that the decoding of a file needs. */
export interface FileRunOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'node' | 'nodeId' | 'changes'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Writes a message to the journal; rejects with `NotTaken` if the journal cannot store it now and the caller should try again. */
  readonly accept: (message: IngestMessage) => Promise<void>;
  /** Resolves when the fold has applied all accepted messages and their results are in the store. */
  readonly settled: () => Promise<void>;
  /** Returns how many samples of a run were new, so that they were added to history, and how many samples history already had. */
  readonly counted: (run: string) => { readonly added: number; readonly known: number };
  /** Returns the path of the file with this content; undefined when the content is not stored. */
  readonly locate: (sha256: string) => Promise<string | undefined>;
  /** Returns the passwords for encrypted files of a device. */
  readonly passwords: (project_id: string, device: string) => Promise<readonly string[]>;
  /**
   * Only tests set these options: the file of the worker, the milliseconds before a refused part is tried again, and the milliseconds
   * between two writes of the progress.
   */
  readonly worker?: URL;
  readonly retryMs?: number;
  readonly progressMs?: number;
}

/**
 * After this many parts, the run waits until their results are in the store. So only a limited number of parts is in memory, or in the
 * journal and not yet in the store.
 */
const SETTLE = 8;
/** If the journal refuses a part of a file, the run passes it to the journal again after this time, in milliseconds. */
export const RETRY_MS = 5_000;
const PROGRESS_MS = 2_000;
const SILENCE_S = 300;

/**
 * Returns the time zone of a project. The record of a project is stored among the data of the gateway itself (`node`), not among the data
 * of the project, so the function reads it through the view of the node.
 */
export async function zoneOf({ node }: Pick<Store, 'node'>, project_id: string): Promise<string> {
  const project = await node.get<Pick<Project, 'timezone'>>('records', project_id);
  const timezone = project?.data.timezone ?? 'UTC';
  return isTimeZone(timezone) ? timezone : 'UTC';
}

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

/** The arguments of `decodeFile` for one run. */
export interface FileRunStart {
  readonly working: Working;
  readonly artifact: Stored<ArtifactData> | undefined;
  readonly signal: AbortSignal;
  /** Receives the processor time that the thread has used so far, in milliseconds; called about four times a second. */
  readonly spent: (cpu_ms: number) => void;
}

/** Decodes the file of a run and ends the run; rejects with the reason of the abort, or with an error that the file did not cause. */
export async function decodeFile(options: FileRunOptions, queue: Queue, start: FileRunStart): Promise<void> {
  const { store, clock, accept, settled } = options;
  const { working, artifact, signal, spent } = start;
  const { run, project_id } = working;
  const file = fileOf(run.data);
  if (file === undefined) throw new Error(`cannot execute run ${run.id}: its data names no file`);
  const view = store.view(project_id);
  const device = await view.get<DeviceData>('records', file.device_id);
  const path = artifact === undefined ? undefined : await options.locate(artifact.data.sha256);
  if (artifact === undefined || device === undefined || path === undefined) {
    const message = 'The file, or the device that recorded it, no longer exists.';
    await queue.end(working, { status: 'failed', code: 'recording_missing', message });
    return;
  }
  const began = performance.now();
  const name = artifact.data.name ?? artifact.id;
  let parts = 0;
  const progress = createProgressWords(options, queue, working, name);

  /**
   * Writes a part of the file to the journal. If the journal has no space, tries again until it has space. No data is lost by waiting,
   * because the file stays on disk.
   */
  async function take(payload: Uint8Array, to: Stored<DeviceData>): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        await accept({
          device: to.id,
          device_id: to.data.device_id,
          project_id,
          topic: 'recording',
          payload,
          received_at_ms: clock(),
        });
        break;
      } catch (error) {
        if (!(error instanceof NotTaken)) throw error;
        await queue.progress(working, {
          status_text: 'Waits: the gateway has no disk space or memory for more values now.',
        });
        await pause(options.retryMs ?? RETRY_MS, signal);
      }
    }
    if (++parts % SETTLE === 0) await settled();
  }

  const { dtc_conversion, gnss_channels } = busSettings(device.data.settings);
  const job = {
    path,
    passwords: await options.passwords(project_id, device.id),
    artifact: artifact.id,
    run: run.id,
    device: device.id,
    timezone: await zoneOf(store, project_id),
    received_us: clock() * 1000,
    spans: await spansOf(view, device),
    conversion: dtc_conversion,
    gnss: gnss_channels,
    dbc: await dbcOf(view, device.id),
  };
  try {
    const report = await decodeInThread(job, {
      signal,
      spent,
      silence_s: run.data.timeouts.liveness_s ?? SILENCE_S,
      ...(options.worker === undefined ? {} : { worker: options.worker }),
      take: (part) => take(part, device),
      progress: progress.next,
    });
    await settled();
    await progress.written();
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
    const word: NewEntry = { role: 'assistant', kind: 'message', text: outcome.output.summary, final: true };
    await queue.end(working, outcome, [word]);
  } catch (error) {
    // Wait for the pending write of the progress. It changes the revision of the run, so ending the run before it would cause a write
    // conflict.
    await progress.written();
    if (!(error instanceof FileRefused)) throw error;
    await queue.end(working, refusedOutcome(error, path, name));
  }
}

/** Writes the progress of a run to the store, one write at a time and at limited intervals. */
function createProgressWords({ log, progressMs }: FileRunOptions, queue: Queue, working: Working, name: string) {
  let writtenAt = performance.now();
  let last: DecodeProgress = { frames: 0, at_us: null, share: 0 };
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    if (performance.now() - writtenAt < (progressMs ?? PROGRESS_MS)) return;
    writtenAt = performance.now();
    const at = last.at_us === null ? '' : `, now at ${isoTime(last.at_us)}`;
    const status_text =
      last.frames === 0
        ? `Compares the clock of ${name} with the clocks in it.`
        : `Decodes ${name}: ${last.frames.toLocaleString('en')} frames${at}.`;
    const pct = Math.min(99, Math.round(last.share * 100));
    await queue.progress(working, { status_text, current_step: name, progress_pct: pct });
  };
  return {
    next(progress: DecodeProgress) {
      last = progress;
      writing = writing.then(write).catch((error: unknown) => {
        log('warn', 'the progress of a run could not be stored', { run: working.run.id, error: String(error) });
      });
    },
    /** Resolves when no progress write is pending. */
    written: () => writing,
  };
}
