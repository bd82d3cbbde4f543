/**
 * Operations on worker runs. A device takes a waiting run (one attempt to carry out a task), reports the progress of the run, and ends it.
 * If a person has canceled the run, the device gets an error as the answer to its next report.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { RunData, RunLive, Task, TaskData } from '#contract/work/task.ts';
import {
  createProgress,
  DEVICE_PLATFORM,
  hasEnded,
  type NewEntry,
  type Outcome,
  startRun,
  TAKEN_BY_WORKER,
} from '#domain/runs/run.ts';
import { endWrites, findRun, isOwn, messageWrites, type RunState, readRun, stageAll } from '#domain/runs/writes.ts';
import { notFound, requireRecord } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { walkChunks } from '#store/walk.ts';
import { ELSEWHERE, oneTask, toTasks } from './tasks.ts';

const ofDevice = (id: string) => ({ object: 'task', where: { 'data.links.device_id': id, 'data.kind': 'worker' } });

/**
 * Returns the run of the device that has waited longest, together with its task. Runs that another gateway carries out are left out. Reads
 * only waiting runs, so tasks that have ended cost nothing.
 */
async function firstWaiting({ view, nodeId }: HandlerContext, device: string) {
  const where = { 'data.status': 'pending' };
  for await (const some of walkChunks<RunData>(view, 'records', { object: 'run', where })) {
    const runs = some.filter(({ data }) => data.backend.platform === DEVICE_PLATFORM && isOwn(data, nodeId));
    const tasks = await view.getMany<TaskData>(
      'records',
      runs.map(({ data }) => data.task_id),
    );
    for (const run of runs) {
      const task = tasks.find(({ id }) => id === run.data.task_id);
      if (task?.data.kind === 'worker' && task.data.links?.device_id === device) return { run: readRun(run), task };
    }
  }
  return undefined;
}

/**
 * Reads a run that a worker of this device carries out. Throws `not_found` for an unknown run, and `no_active_run` if the run is not
 * active.
 */
async function requireWorking(context: HandlerContext, device: string, run_id: string) {
  await requireRecord<DeviceData>(context.view, 'device', device);
  const state = await findRun(context.view, run_id);
  const task = state && (await context.view.get<TaskData>('records', state.run.data.task_id));
  if (state === undefined || task?.data.kind !== 'worker' || task.data.links?.device_id !== device)
    throw notFound('run', 'run_id');
  if (!isOwn(state.run.data, context.nodeId)) throw new OperationError('no_active_run', ELSEWHERE, { param: 'run_id' });
  const { status } = state.run.data;
  if (status !== 'running')
    throw new OperationError(
      'no_active_run',
      status === 'pending' ? 'No worker has taken this run yet; take it first.' : `This run has ended: ${status}.`,
      { param: 'run_id', details: [{ status }] },
    );
  return { state, task };
}

function stageProgress(context: HandlerContext, { run, live }: RunState, progress: Partial<RunLive>): void {
  const data = { ...(live?.data ?? createProgress()), ...progress };
  const write = { collection: 'live', id: run.id, object: 'run', data } as const;
  context.view.stage<RunLive>({ ...write, current: live, expected: live?.revision ?? 0 });
}

async function requireOwnFiles(context: HandlerContext, device: string, ids: readonly string[]): Promise<void> {
  const found = await context.view.getMany<ArtifactData>('records', ids);
  const own = new Set(
    found.filter(({ object, data }) => object === 'artifact' && data.device_id === device).map(({ id }) => id),
  );
  const strange = ids.find((id) => !own.has(id));
  if (strange !== undefined)
    throw new OperationError('parameter_invalid', `${strange} is not a file of this device.`, {
      param: 'artifact_ids',
    });
}

export const workerRunHandlers = handlerGroup([], {
  async devices_worker_runs({ id, ...input }, context) {
    await requireRecord<DeviceData>(context.view, 'device', id);
    return listPage<TaskData, Task>(context, context.view, 'records', input, ofDevice(id), (tasks) =>
      toTasks(context, tasks),
    );
  },

  async devices_worker_take({ id }, context) {
    const { view, now } = context;
    const device = await requireRecord<DeviceData>(view, 'device', id);
    if (device.data.worker == null)
      throw new OperationError('no_worker', 'This device has no worker; register it with devices_worker_register.', {
        param: 'id',
      });
    const found = await firstWaiting(context, id);
    if (found === undefined) return { object: 'worker_take', task: null };
    const { run, task } = found;
    const data = startRun(run.data, now);
    view.stage<RunData>({
      collection: 'records',
      id: run.id,
      object: 'run',
      data,
      current: run,
      expected: run.revision,
    });
    const live = await view.get<RunLive>('live', run.id);
    const progress = {
      state: 'running',
      phase: 'worker',
      status_text: TAKEN_BY_WORKER,
      progress_pct: 0,
    };
    stageProgress(context, { run, live }, progress);
    return { object: 'worker_take', task: await oneTask(context, task) };
  },

  async devices_worker_report({ id, run_id, status, message, progress_pct, artifact_ids, counts }, context) {
    const { view } = context;
    const { state, task } = await requireWorking(context, id, run_id);
    if (status === 'running') {
      const entries: NewEntry[] = message === undefined ? [] : [{ role: 'assistant', kind: 'message', text: message }];
      const progress: Partial<RunLive> = {
        ...(message === undefined ? {} : { status_text: message.slice(0, 300) }),
        ...(progress_pct === undefined ? {} : { progress_pct }),
      };
      const live = state.live?.data ?? createProgress();
      stageAll(
        view,
        messageWrites(
          context,
          { ...state, live: state.live && { ...state.live, data: { ...live, ...progress } } },
          entries,
        ),
      );
      return oneTask(context, task);
    }
    if (message === undefined)
      throw new OperationError(
        'parameter_missing',
        `Say in \`message\` how it ${status === 'failed' ? 'failed' : 'ended'}.`,
        {
          param: 'message',
        },
      );
    await requireOwnFiles(context, id, artifact_ids);
    const outcome: Outcome =
      status === 'failed'
        ? { status: 'failed', code: 'tool_failed', message }
        : {
            status: 'completed',
            output: { summary: message, created: {}, updated: {}, artifacts: artifact_ids },
            ...(counts === undefined ? {} : { counts }),
          };
    const last: NewEntry[] =
      status === 'failed' ? [] : [{ role: 'assistant', kind: 'message', text: message, final: true }];
    if (hasEnded(state.run.data)) throw new Error(`run ${run_id} ended while this call was running`);
    stageAll(view, endWrites(context, state, outcome, last));
    return oneTask(context, task);
  },
});
