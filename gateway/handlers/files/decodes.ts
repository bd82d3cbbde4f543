/** Operations that decode recorded logs. A request adds a run to the task of the log, and `gateway/runs` executes the run. */

import { OperationError } from '#contract/base/errors.ts';
import type { View } from '#contract/base/view.ts';
import type { Sealer } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { type LogPasswordsData, logPasswordsId, MAX_LOG_PASSWORDS } from '#contract/work/decode.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { createFileRun, decodeTaskId, decodeTaskWrites } from '#domain/runs/decode-task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { isOwn, ownerOf, queueWrites, stageAll } from '#domain/runs/writes.ts';
import { notFound, requireRecord } from '#handlers/base/documents.ts';
import { ELSEWHERE, oneTask } from '#handlers/tasks/tasks.ts';
import { requireTurn } from './artifacts.ts';

/** Returns the passwords that decrypt the logs of a device, the newest first. */
export async function logPasswords(
  view: Pick<View, 'get'>,
  sealer: Pick<Sealer, 'tryOpen'>,
  device: string,
): Promise<string[]> {
  const found = await view.get<LogPasswordsData>('local', logPasswordsId(device));
  const passwords = (found?.data.sealed ?? []).map((sealed) => sealer.tryOpen(sealed, logPasswordsId(device)));
  return passwords.filter((password) => password !== undefined);
}

export const decodeHandlers = handlerGroup(['decodesWaiting'], {
  async artifacts_decode({ id, artifact_id }, context) {
    const { view, caller } = context;
    await requireRecord<DeviceData>(view, 'device', id);
    const artifact = await requireRecord<ArtifactData>(view, 'artifact', artifact_id, 'artifact_id');
    if (artifact.data.device_id !== id) throw notFound('artifact', 'artifact_id');
    requireTurn(context, id);
    const task_id = decodeTaskId(artifact_id);
    const current = await view.get<TaskData>('records', task_id);
    const created_by = { type: caller.kind, id: caller.id, name: caller.name };
    if (current === undefined) stageAll(view, decodeTaskWrites(context, artifact_id, artifact.data, created_by));
    else {
      if (!isOwn(current.data, context.nodeId))
        throw new OperationError('parameter_invalid', ELSEWHERE, { param: 'artifact_id' });
      const before = current.data.latest_run_id;
      const run = before === null ? undefined : await view.get<RunData>('records', before);
      if (run !== undefined && !hasEnded(run.data))
        throw new OperationError(
          'decode_in_progress',
          'A decode run of this log is already queued or running; follow its task.',
          {
            param: 'artifact_id',
            details: [{ task_id, run_id: run.id }],
          },
        );
      const run_id = context.newId('run');
      const data: TaskData = { ...current.data, auto_paused: false, latest_run_id: run_id };
      view.stage<TaskData>({
        collection: 'records',
        id: task_id,
        object: 'task',
        data,
        current,
        expected: current.revision,
      });
      const file = { artifact_id, device_id: id };
      stageAll(view, queueWrites(context, run_id, createFileRun(task_id, file, context.now, ownerOf(context))));
    }
    const task = await view.get<TaskData>('records', task_id);
    if (task === undefined) throw new Error(`task ${task_id} was deleted between two reads`);
    return oneTask(context, task);
  },
});

export const logPasswordHandlers = handlerGroup([], {
  async devices_log_password({ id, password }, context) {
    const { view, sealer } = context;
    await requireRecord<DeviceData>(view, 'device', id);
    const current = await view.get<LogPasswordsData>('local', logPasswordsId(id));
    const others = (current?.data.sealed ?? []).filter(
      (sealed) => sealer.tryOpen(sealed, logPasswordsId(id)) !== password,
    );
    const sealed = [sealer.seal(password, logPasswordsId(id)), ...others].slice(0, MAX_LOG_PASSWORDS);
    view.stage<LogPasswordsData>({
      collection: 'local',
      id: logPasswordsId(id),
      object: 'log_passwords',
      data: { sealed },
      current,
      expected: current?.revision ?? 0,
    });
    return { object: 'log_passwords', device_id: id, count: sealed.length, set_at: context.now };
  },
});
