/**
 * Describes one kind of runs to the executor (the code that starts runs): the runs that decode a recorded file. A run is one attempt to
 * carry out a task.
 */
import type { ArtifactData } from '#contract/work/artifact.ts';
import { createFileRun, fileOf } from '#domain/runs/decode-task.ts';
import { decodeFile, type FileRunOptions } from './decode-file.ts';
import type { RunKind } from './run-kind.ts';

const CEILING_S = 60;
const CEILING_S_PER_MB = 2;

/**
 * Returns the limit of processor time in seconds for a file of this size. The limit is far above the time that a file normally needs. On
 * the computer of docs/performance.md, 1 MB of text takes 0.01 s, and 1 MB of a gzip file that unpacks to 40 MB takes 0.3 s.
 */
const ceilingOf = (bytes: number): number => Math.ceil(CEILING_S + (bytes / 1e6) * CEILING_S_PER_MB);

export interface DecodeKindOptions extends FileRunOptions {
  /** Returns the limit of the processor time of a run in seconds, for a file of `bytes` bytes. Tests pass another function. */
  readonly ceiling?: (bytes: number) => number;
}

export function decodeKind(options: DecodeKindOptions): RunKind {
  const ceiling = options.ceiling ?? ceilingOf;
  return {
    name: 'decode',
    waitingRunOf({ id, project_id, created_at, data }) {
      const file = fileOf(data);
      return file && { id, project_id, created_at, device: file.device_id, long: data.backend.long === true };
    },
    async prepare(run) {
      const { artifact_id } = fileOf(run.data) ?? {};
      const artifact =
        artifact_id === undefined
          ? undefined
          : await options.store.view(run.project_id).get<ArtifactData>('records', artifact_id);
      return {
        cpu_s: ceiling(artifact?.data.bytes ?? 0),
        work: ({ queue, ...start }) => decodeFile(options, queue, { ...start, artifact }),
      };
    },
    replacement(run, now) {
      const file = fileOf(run);
      if (file === undefined) throw new Error(`cannot replace a run of ${run.task_id}: its data names no file`);
      return createFileRun(run.task_id, file, now);
    },
    messages: {
      started: 'Opens the file.',
      givenBack: 'Waits: this file takes long to decode, and shorter files of other devices are decoded first.',
      overCeiling: (cpu_s) =>
        `The run used ${cpu_s} s of processor time, which is the limit for a file of this size. The values that it read before stay stored.`,
      givenUp: (deaths, last) =>
        `Reading the file failed ${deaths} times, so the gateway does not read it again automatically. The last error: ${last}`,
    },
  };
}
