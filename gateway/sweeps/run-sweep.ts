/**
 * Ends runs (attempts to carry out a task) that no worker (the program that does the work of a run) has taken in time. Also ends a run if
 * its worker no longer reports, or if the run takes too long.
 */
import type { Kind } from '#contract/base/ids.ts';
import { type Stored, type View, type Write, WriteConflict } from '#contract/base/view.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import { createRun, type NewEntry, type Outcome, TAKEN_BY_WORKER } from '#domain/runs/run.ts';
import { endWrites, isOwn, ownerOf, type RunState, readRun, replaceWrites } from '#domain/runs/writes.ts';
import type { Store } from '#store/open-store.ts';
import { walk, walkChunks } from '#store/walk.ts';

type Failed = Extract<Outcome, { status: 'failed' }>;

interface SweepOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'nodeId'>;
  readonly clock: () => number;
  readonly newId: (kind: Kind, place?: number) => string;
  /** Returns true if this node carries out runs of this kind. Such a run only waits for its turn. */
  readonly carriesOut?: (kind: TaskData['kind']) => boolean;
}

/** True if the worker has reported something since it took the run. Taking the run is the first write of its progress after the prompt. */
const hasReported = ({ live }: RunState): boolean =>
  live !== undefined && (live.data.status_text !== TAKEN_BY_WORKER || live.data.progress_pct !== 0);

/** Returns the time at which the worker of this device last took or ended a run; `now` while it works on one. */
async function lastWorkOf(view: View, device_id: string, now: string): Promise<string | null> {
  const where = { 'data.links.device_id': device_id, 'data.kind': 'worker' };
  let last: string | null = null;
  for await (const tasks of walkChunks<TaskData>(view, 'records', { object: 'task', where })) {
    const ids = tasks.flatMap(({ data }) => data.latest_run_id ?? []);
    for (const { data } of await view.getMany<RunData>('records', ids)) {
      if (data.status === 'running') return now;
      const at = data.started_at === null ? null : (data.ended_at ?? data.started_at);
      if (at !== null && (last === null || at > last)) last = at;
    }
  }
  return last;
}

/** Ends overdue runs and returns their number. Call it every minute. */
export async function sweepRuns({ store, clock, newId, carriesOut = () => false }: SweepOptions): Promise<number> {
  const tools = { now: new Date(clock()).toISOString(), newId };
  const since = (time: string | null) => (time === null ? 0 : (clock() - Date.parse(time)) / 1000);

  async function stateOf(run: Stored<RunData>): Promise<RunState> {
    return { run, live: await store.view(run.project_id).get<RunLive>('live', run.id) };
  }

  async function commit(project_id: string, writes: readonly Write[]): Promise<boolean> {
    try {
      await store.view(project_id).commit(writes);
      return true;
    } catch (error) {
      // The run has changed after it was read: a worker took it or reported, or a person canceled it. So it is not overdue any more.
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  /** The answers of this sweep. Many runs of a device may wait. */
  const lastWorks = new Map<string, Promise<string | null>>();
  function lastWork(project_id: string, device_id: string): Promise<string | null> {
    const known = lastWorks.get(device_id) ?? lastWorkOf(store.view(project_id), device_id, tools.now);
    lastWorks.set(device_id, known);
    return known;
  }

  /** True if nothing carries out the run, or if its worker has taken no run for the allowed time. */
  async function isAbandoned(run: Stored<RunData>, allowed_s: number): Promise<boolean> {
    const task = await store.view(run.project_id).get<TaskData>('records', run.data.task_id);
    if (task === undefined) return true;
    if (task.data.kind !== 'worker') return !carriesOut(task.data.kind);
    const device_id = task.data.links?.device_id;
    const last = device_id === undefined ? null : await lastWork(run.project_id, device_id);
    return last === null || since(last) > allowed_s;
  }

  async function endOverdue(run: Stored<RunData>): Promise<boolean> {
    const { queued_at, timeouts } = run.data;
    const allowed_s = timeouts.queue_pickup_s;
    if (queued_at === null || allowed_s === null || since(queued_at) <= allowed_s) return false;
    if (!(await isAbandoned(run, allowed_s))) return false;
    const died: Failed = {
      status: 'failed',
      code: 'queue_pickup_timeout',
      message: `No worker picked up the run within ${allowed_s} s.`,
      fired: { timeouts: 'queue_pickup_s' },
    };
    return commit(run.project_id, endWrites(tools, await stateOf(run), died));
  }

  /**
   * Ends a run with a worker that no longer reports, and queues a new run of the same task. Also ends a run that exceeds its time limit; in
   * this case it queues no new run.
   */
  async function endStalled(run: Stored<RunData>): Promise<boolean> {
    const { task_id, started_at, timeouts, limits } = run.data;
    const view = store.view(run.project_id);
    const task = await view.get<TaskData>('records', task_id);
    if (task?.data.kind !== 'worker') return false;
    const state = await stateOf(run);
    const reported_at = state.live?.updated_at ?? started_at;
    const prompt: NewEntry[] =
      task.data.prompt == null ? [] : [{ role: 'user', kind: 'message', text: task.data.prompt }];
    if (timeouts.liveness_s !== null && since(reported_at) > timeouts.liveness_s) {
      const reported = hasReported(state);
      const died: Failed = {
        status: 'failed',
        code: reported ? 'run_liveness_timeout' : 'backend_callback_never_arrived',
        message: reported
          ? `The worker has not reported for ${timeouts.liveness_s} s.`
          : `The worker took the run and reported nothing for ${timeouts.liveness_s} s.`,
        fired: { timeouts: 'liveness_s' },
      };
      const { backend, pins, declares, skills } = run.data;
      const next = (retry: RunData['retry']) =>
        createRun({
          ...ownerOf(store),
          kind: 'worker',
          task_id,
          backend,
          pins,
          declares,
          skills,
          retry,
          queued_at: tools.now,
        });
      const givenUp = (deaths: number, last: string) =>
        `The run failed ${deaths} times and is not restarted automatically. Last error: ${last}`;
      return commit(run.project_id, replaceWrites(tools, state, died, { task, next, asked: prompt, givenUp }));
    }
    if (limits.wall_s === null || since(started_at) <= limits.wall_s) return false;
    const message = `The run took more than ${limits.wall_s} s.`;
    const over: Failed = {
      status: 'failed',
      code: 'backend_wall_clock_timeout',
      message,
      fired: { limits: 'wall_s' },
    };
    return commit(run.project_id, endWrites(tools, state, over));
  }

  async function sweep(status: RunData['status'], end: (run: Stored<RunData>) => Promise<boolean>): Promise<number> {
    let ended = 0;
    const where = { 'data.status': status };
    for await (const found of walk<RunData>(store, 'records', { object: 'run', where })) {
      if (isOwn(found.data, store.nodeId) && (await end(readRun(found)))) ended++;
    }
    return ended;
  }

  return (await sweep('pending', endOverdue)) + (await sweep('running', endStalled));
}
