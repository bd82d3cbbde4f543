/** The task that turns a recorded file into numbers: one per file, made in the very commit that makes the record of the file. */

import type { Write } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { createRun } from './run.ts';
import { ownerOf, queueWrites, type RunTools } from './writes.ts';

/** The preset of a run that decodes one file. */
const FILE = 'file';
/** Part of what a run says of itself; another number decodes otherwise. */
const DECODER = 'j1939/1';

/** What the run of a file names besides. */
export interface FileRun {
  readonly artifact_id: string;
  readonly device_id: string;
}

/** Content types that are logs of a bus. */
const LOG_TYPES: ReadonlySet<string> = new Set([
  'application/x-mf4',
  'text/x-candump',
  'text/x-vector-asc',
  'text/x-peak-trc',
]);
/** What is packed does not show what it is; its name has to. */
const PACKED_LOG = /\.(log|candump|asc|trc|txt|mf4)\.gz$/i;

/** True for a file that is decoded as soon as it is there: a log that a device recorded. */
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

/** The id of a file's task: one file, one task, whoever makes it. */
export function decodeTaskId(artifact_id: string): string {
  return `tsk_${artifact_id.slice(artifact_id.indexOf('_') + 1)}`;
}

/** The file whose task this would be. */
export function decodedFileId(task_id: string): string {
  return `art_${task_id.slice(task_id.indexOf('_') + 1)}`;
}

/** What a run decodes; undefined for a run of another kind. */
export function fileOf({ backend }: Pick<RunData, 'backend'>): FileRun | undefined {
  const { preset, artifact_id, device_id } = backend;
  if (preset !== FILE || typeof artifact_id !== 'string' || typeof device_id !== 'string') return undefined;
  return { artifact_id, device_id };
}

/** A run of a file that waits to be picked up; `given` is what a repetition adds. */
export function createFileRun(task_id: string, file: FileRun, now: string, given: Partial<RunData> = {}): RunData {
  const backend = { platform: 'headframe', harness: DECODER, provider: 'headframe', model: null, preset: FILE };
  return createRun({ kind: 'decode', task_id, queued_at: now, backend: { ...backend, ...file }, ...given });
}

/** The writes of a file's task with its first run, for the commit that makes the file's record. */
export function decodeTaskWrites(
  tools: RunTools,
  artifact_id: string,
  { name, device_id, subject }: Pick<ArtifactData, 'name' | 'device_id' | 'subject'>,
  created_by: TaskData['created_by'] = { type: 'service', id: null, name: 'headframe' },
): Write[] {
  if (device_id === null) throw new Error(`file ${artifact_id} is of no device`);
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
