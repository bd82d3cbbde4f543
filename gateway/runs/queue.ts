/**
 * The queue: runs of files in the store, waiting, working and ended. What waits is a document, so nothing waits in memory and nothing
 * is forgotten.
 *
 *   pending -- start --> running -- end --> completed | failed
 *                          |  the thread or the gateway died, or was stopped
 *                          +--> failed, and ONE replacement that waits: one commit    (R27)
 *
 * A run that ended meanwhile, by a cancel, is not moved: each write names the revision that it was read at.
 */
import type { Kind } from '#contract/ids.ts';
import type { RunData, RunErrorCode, RunLive, TaskData } from '#contract/task.ts';
import { type Stored, type Write, WriteConflict } from '#contract/view.ts';
import { createFileRun, type FileRun, fileOf, queueWrites } from '#domain/decode-task.ts';
import type { Outcome, Said } from '#domain/run.ts';
import { createProgress, hasEnded } from '#domain/run.ts';
import { endWrites, type RunTools, readRun } from '#domain/run-writes.ts';
import type { Store } from '#store/open-store.ts';

const PAGE = 50;
/** Deaths in a chain of runs after which the task is left alone. */
const MAX_DEATHS = 3;

export interface QueueOptions {
  readonly store: Pick<Store, 'find' | 'view'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly newId: (kind: Kind, place?: number) => string;
}

/** A run that works, as it stands in the store. */
export interface Working {
  readonly project_id: string;
  readonly file: FileRun;
  run: Stored<RunData>;
  live: Stored<RunLive> | undefined;
}

export interface Queue {
  /** The run of a file that has waited longest. */
  next(): Promise<Stored<RunData> | undefined>;
  /** Runs of files that the gateway worked on when it ended. */
  orphans(): Promise<Working[]>;
  /** Picks a run up; undefined when somebody ended it first. */
  start(run: Stored<RunData>): Promise<Working | undefined>;
  /** Writes how far it is. */
  progress(working: Working, told: Partial<RunLive>): Promise<void>;
  /** False when somebody ended it first. */
  end(working: Working, outcome: Outcome, last?: readonly Said[]): Promise<boolean>;
  /** Ends it as failed and queues its one replacement; after three deaths in a chain the task is left alone instead. */
  replace(working: Working, code: RunErrorCode, message: string): Promise<void>;
}

const isDeath = (code: RunErrorCode) => code !== 'run_evicted_by_deploy';

/** The queue over a store. */
export function createQueue({ store, clock, newId }: QueueOptions): Queue {
  const tools = (): RunTools => ({ now: new Date(clock()).toISOString(), newId });

  async function* withStatus(status: RunData['status']): AsyncGenerator<Stored<RunData>> {
    for (let after: Stored<RunData> | undefined; ; ) {
      const page: Stored<RunData>[] = await store.find<RunData>('records', {
        object: 'run',
        where: { 'data.status': status },
        order: 'asc',
        limit: PAGE,
        ...(after === undefined ? {} : { after: { created_at: after.created_at, id: after.id } }),
      });
      for (const run of page) if (fileOf(run.data) !== undefined) yield readRun(run);
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  async function workingOf(run: Stored<RunData>): Promise<Working> {
    const live = await store.view(run.project_id).get<RunLive>('live', run.id);
    return { project_id: run.project_id, file: fileOf(run.data) as FileRun, run, live };
  }

  /** True when it is written; false when somebody was faster. */
  async function commit(working: Working, writes: readonly Write[]): Promise<boolean> {
    try {
      for (const document of await store.view(working.project_id).commit(writes)) {
        if (document.id !== working.run.id) continue;
        if (document.object === 'run' && 'task_id' in document.data)
          working.run = document as unknown as Stored<RunData>;
        else working.live = document as unknown as Stored<RunLive>;
      }
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  const liveWrite = ({ run, live }: Working, data: RunLive): Write => ({
    collection: 'live',
    id: run.id,
    object: 'run',
    data: { ...data },
    expected: live?.revision ?? 0,
  });

  return {
    async next() {
      for await (const run of withStatus('pending')) return run;
      return undefined;
    },
    async orphans() {
      const found: Working[] = [];
      for await (const run of withStatus('running')) found.push(await workingOf(run));
      return found;
    },
    async start(run) {
      const working = await workingOf(run);
      const { now } = tools();
      const data: RunData = { ...run.data, status: 'running', dequeued_at: now, started_at: now };
      const live = { ...(working.live?.data ?? createProgress()), state: 'running', phase: 'decode' };
      const started = await commit(working, [
        { collection: 'records', id: run.id, object: 'run', data: { ...data }, expected: run.revision },
        liveWrite(working, { ...live, status_text: 'Opens the file.', progress_pct: 0 }),
      ]);
      return started ? working : undefined;
    },
    async progress(working, told) {
      if (hasEnded(working.run.data)) return;
      await commit(working, [liveWrite(working, { ...(working.live?.data ?? createProgress()), ...told })]);
    },
    end: (working, outcome, last = []) => commit(working, endWrites(tools(), working, outcome, last)),
    async replace(working, code, message) {
      const { run, file, project_id } = working;
      const { task_id, retry, backend } = run.data;
      const before = typeof backend.deaths === 'number' ? backend.deaths : 0;
      const deaths = before + (isDeath(code) ? 1 : 0);
      const task = await store.view(project_id).get<TaskData>('records', task_id);
      const now = tools();
      const giveUp = deaths >= MAX_DEATHS;
      const why: Outcome = giveUp
        ? {
            status: 'failed',
            code: 'task_auto_paused_repeat_failure',
            message: `The file stopped its reader ${MAX_DEATHS} times; it is not read again by itself. The last time: ${message}`,
          }
        : { status: 'failed', code, message };
      const writes = endWrites(now, working, why);
      const id = newId('run');
      if (!giveUp) {
        const more = { retry: { retry_of: run.id, retry_count: retry.retry_count + 1 } };
        const data = createFileRun(task_id, file, now.now, more);
        writes.push(...queueWrites(now, id, { ...data, backend: { ...data.backend, deaths } }));
      }
      if (task !== undefined) {
        const data: TaskData = giveUp
          ? { ...task.data, auto_paused: { code: 'task_auto_paused_repeat_failure', at: now.now } }
          : { ...task.data, latest_run_id: id };
        writes.push({
          collection: 'records',
          id: task_id,
          object: 'task',
          data: { ...data },
          expected: task.revision,
        });
      }
      await commit(working, writes);
    },
  };
}
