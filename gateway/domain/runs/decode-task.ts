/** The task that decodes a log file into signal values. Each log has one task, created in the same commit as the record of the file. */

import type { Write } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { createRun } from './run.ts';
import { ownerOf, queueWrites, type RunTools } from './writes.ts';

/** Value of `backend.preset` that marks a run as one that decodes a file. */
const FILE = 'file';
/** The name and version of the decoder, stored with each run. Increase the version when the decoder computes other values than before. */
const DECODER = 'j1939/1';

/** The fields that a decode run adds to `backend`: the file and the device that recorded it. */
export interface FileRun {
  readonly artifact_id: string;
  readonly device_id: string;
}

/** Content types of CAN bus logs. */
const LOG_TYPES: ReadonlySet<string> = new Set([
  'application/x-mf4',
  'text/x-candump',
  'text/x-vector-asc',
  'text/x-peak-trc',
]);
/** The content type of a gzip file does not tell whether the file contains a log, so the file name decides. */
const PACKED_LOG = /\.(log|candump|asc|trc|txt|mf4)\.gz$/i;

/** Returns true if the gateway decodes the file right after its upload, because the file is a bus log and belongs to a device. */
export function isRecording({
  kind,
  content_type,
  device_id,
  name,
}: Pick<ArtifactData, 'kind' | 'content_type' | 'device_id' | 'name'>): boolean {
  if (device_id === null) return false;
  if (kind === 'mf4' || LOG_TYPES.has(content_type)) return true;
  return content_type === 'application/gzip' && PACKED_LOG.test(name ?? '');
}

/** Returns the task id of a file. It is computed from the id of the file, so that two callers cannot create two tasks for one file. */
export function decodeTaskId(artifact_id: string): string {
  return `tsk_${artifact_id.slice(artifact_id.indexOf('_') + 1)}`;
}

/** Returns the id of the file to which a decode task with this id belongs. This is the inverse of `decodeTaskId`. */
export function decodedFileId(task_id: string): string {
  return `art_${task_id.slice(task_id.indexOf('_') + 1)}`;
}

/** Returns the file that a run decodes; undefined if the run does not decode a file. */
export function fileOf({ backend }: Pick<RunData, 'backend'>): FileRun | undefined {
  const { preset, artifact_id, device_id } = backend;
  if (preset !== FILE || typeof artifact_id !== 'string' || typeof device_id !== 'string') return undefined;
  return { artifact_id, device_id };
}

/** Creates a pending run that decodes a file. `given` overrides fields, for example `retry` of a run that replaces another run. */
export function createFileRun(task_id: string, file: FileRun, now: string, given: Partial<RunData> = {}): RunData {
  const backend = { platform: 'headframe', harness: DECODER, provider: 'headframe', model: null, preset: FILE };
  return createRun({ kind: 'decode', task_id, queued_at: now, backend: { ...backend, ...file }, ...given });
}

/**
 * Returns the writes that create the task of a file with its first run. The caller adds them to the commit that creates the record of the
 * file.
 */
export function decodeTaskWrites(
  tools: RunTools,
  artifact_id: string,
  { name, device_id, subject }: Pick<ArtifactData, 'name' | 'device_id' | 'subject'>,
  created_by: TaskData['created_by'] = { type: 'service', id: null, name: 'headframe' },
): Write[] {
  if (device_id === null) throw new Error(`file ${artifact_id} belongs to no device, so it cannot be decoded`);
  const task_id = decodeTaskId(artifact_id);
  const run_id = tools.newId('run');
  const data: TaskData = {
    ...ownerOf(tools),
    kind: 'decode',
    title: `Decode ${name ?? artifact_id}`,
    prompt: null,
    created_by,
    auto_paused: false,
    links: { artifact_id, device_id, ...(subject?.object === 'equipment' ? { equipment_id: subject.id } : {}) },
    latest_run_id: run_id,
  };
  return [
    { collection: 'records', id: task_id, object: 'task', data: { ...data }, expected: 0 },
    ...queueWrites(tools, run_id, createFileRun(task_id, { artifact_id, device_id }, tools.now, ownerOf(tools))),
  ];
}
