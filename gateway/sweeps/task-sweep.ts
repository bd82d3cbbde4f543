/**
 * Removes old tasks with their runs (attempts to carry out the task) and messages. It removes only tasks that decoded files, and only tasks
 * of this gateway.
 *
 *   oldest task ... cursor -> one step: 2,000 tasks -> ... newest task, then again from the oldest
 *
 * One commit removes a task with its runs and messages. The commit fails if the task has changed after it was read, for example because a
 * person asked to decode the file again. The task then stays. The same commit records the time of the newest removed run. So a reader can
 * distinguish a removed run from a run that never existed. During one pass over all tasks the sweep counts the tasks. If there are more
 * than the limit, the next pass removes the excess, beginning with the oldest tasks.
 */
import { idTime } from '#contract/base/ids.ts';
import { type ProjectWrite, type Stored, WriteConflict } from '#contract/base/view.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { classOf, RETAINED, type TaskClass, type TasksRemoved, tasksRemovedId } from '#domain/runs/task-retention.ts';
import { isOwn } from '#domain/runs/writes.ts';
import type { Store } from '#store/open-store.ts';

const PAGE = 200;
/** Number of tasks that one step reads. */
const STEP = 2_000;
/** Largest number of deleted rows in one commit. */
const MOST_ROWS = 900;

interface SweepOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'commit' | 'nodeId'>;
  readonly clock: () => number;
  /**
   * Returns false while the gateway does not trust its clock. The sweep then cannot know how old a task is, so it deletes nothing because
   * of its age.
   */
  readonly agesKnown: () => boolean;
  /** For each class of tasks: how long tasks are kept, and how many. The default is the documented limits; tests pass other limits. */
  readonly retained?: Readonly<Record<TaskClass, { readonly age_ms: number; readonly count: number }>>;
}

const latest = (times: readonly string[]): string => [...times].sort().at(-1) ?? '';
/**
 * Returns the time that the id of a run contains. The sweep uses this time and not `created_at`, because a client that asks for a removed
 * run knows only its id.
 */
const timeIn = (run_id: string): string => new Date(idTime('run', run_id) ?? 0).toISOString();
const noTasks = (): Record<TaskClass, number> => ({ clean: 0, faulty: 0 });

/** The writes that remove a task with its runs and messages. */
interface Removal {
  readonly writes: readonly ProjectWrite[];
  /** The time of the newest run of the task (the time in the id of this run). */
  readonly newest: string;
}

class TaskSweep {
  private readonly store: SweepOptions['store'];
  private readonly options: SweepOptions;
  private readonly retained: NonNullable<SweepOptions['retained']>;
  /** The last task that was read; undefined at the start of a pass. */
  private after: Pick<Stored, 'created_at' | 'id'> | undefined;
  /** Number of tasks that this pass has read and not removed, by class. */
  private kept = noTasks();
  /** Number of tasks above the limit at the end of the previous pass, by class. This pass removes the same number of the oldest tasks. */
  private readonly excess = noTasks();

  constructor(options: SweepOptions) {
    this.store = options.store;
    this.options = options;
    this.retained = options.retained ?? RETAINED;
  }

  /** Reads the next 2,000 tasks and returns how many it removed. */
  async step(): Promise<number> {
    let removed = 0;
    for (let read = 0; read < STEP; read += PAGE) {
      const page = await this.readPage();
      removed += await this.removeAll(await this.expired(page));
      this.after = page.at(-1);
      if (page.length === PAGE) continue;
      this.endPass();
      break;
    }
    return removed;
  }

  private endPass(): void {
    this.after = undefined;
    for (const kind of Object.keys(this.excess) as TaskClass[])
      this.excess[kind] = Math.max(0, this.kept[kind] - this.retained[kind].count);
    this.kept = noTasks();
  }

  private readPage(): Promise<Stored<TaskData>[]> {
    const { after } = this;
    const where = { 'data.kind': 'decode' };
    const query = {
      object: 'task',
      where,
      order: 'asc',
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    } as const;
    return this.store.find<TaskData>('records', query);
  }

  /** Returns the tasks of a page that must be removed, because of their age or because there are too many. */
  private async expired(page: readonly Stored<TaskData>[]): Promise<Stored<TaskData>[]> {
    const { clock, agesKnown } = this.options;
    const runs = new Map<string, Stored<RunData>>();
    for (const [project_id, tasks] of Map.groupBy(page, (task) => task.project_id)) {
      const ids = tasks.flatMap(({ data }) => data.latest_run_id ?? []);
      for (const run of await this.store.view(project_id).getMany<RunData>('records', ids)) runs.set(run.id, run);
    }
    return page.filter((task) => {
      if (!isOwn(task.data, this.store.nodeId)) return false;
      const run = runs.get(task.data.latest_run_id ?? '');
      const kind = classOf(task.data, run?.data);
      if (kind === undefined) return false;
      const age_ms = clock() - Date.parse(run?.data.ended_at ?? task.updated_at);
      const expires = this.excess[kind] > 0 || (agesKnown() && age_ms > this.retained[kind].age_ms);
      if (!expires) this.kept[kind]++;
      else if (this.excess[kind] > 0) this.excess[kind]--;
      return expires;
    });
  }

  private async removeAll(tasks: readonly Stored<TaskData>[]): Promise<number> {
    let removed = 0;
    for (const [project_id, own] of Map.groupBy(tasks, (task) => task.project_id)) {
      let batch: Removal[] = [];
      let rows = 0;
      for (const task of own) {
        const removal = await this.removalOf(task);
        if (rows + removal.writes.length > MOST_ROWS) {
          removed += await this.remove(project_id, batch);
          batch = [];
          rows = 0;
        }
        batch.push(removal);
        rows += removal.writes.length;
      }
      if (batch.length > 0) removed += await this.remove(project_id, batch);
    }
    return removed;
  }

  /**
   * Returns the writes that remove a task with its runs and messages. If they do not fit into one commit, it returns only a part of the
   * messages and runs; the task itself is removed in a later pass.
   */
  private async removalOf({ id, project_id, revision }: Stored<TaskData>): Promise<Removal> {
    const view = this.store.view(project_id);
    const where = { 'data.task_id': id };
    const deleted = { project_id, data: {}, deleted: true } as const;
    const query = { where, order: 'asc', limit: MOST_ROWS + 1 } as const;
    const runs = await view.find<RunData>('records', { object: 'run', ...query });
    const messages = await view.find('events', { object: 'message', ...query });
    const newest = latest(runs.flatMap(({ created_at, id: run_id }) => [created_at, timeIn(run_id)]));
    const writes: ProjectWrite[] = messages.map((one) => ({
      ...deleted,
      collection: 'events',
      id: one.id,
      object: 'message',
    }));
    for (const run of runs)
      writes.push(
        { ...deleted, collection: 'live', id: run.id, object: 'run' },
        { ...deleted, collection: 'records', id: run.id, object: 'run', expected: run.revision },
      );
    if (writes.length >= MOST_ROWS) return { writes: writes.slice(0, MOST_ROWS), newest };
    const task: ProjectWrite = { ...deleted, collection: 'records', id, object: 'task', expected: revision };
    return { writes: [...writes, task], newest };
  }

  private async remove(project_id: string, removals: readonly Removal[]): Promise<number> {
    try {
      const record = await this.recordOf(project_id, removals);
      await this.store.commit([...removals.flatMap(({ writes }) => writes), record]);
      return removals.length;
    } catch (error) {
      // One of the tasks has changed, for example because a person asked to decode its file again. So nothing is removed; the next pass
      // reads these tasks again.
      if (error instanceof WriteConflict) return 0;
      throw error;
    }
  }

  /** Returns the write that records how many tasks of a project were removed, and the time of the newest removed run. */
  private async recordOf(project_id: string, removals: readonly Removal[]): Promise<ProjectWrite> {
    const id = tasksRemovedId(project_id);
    const known = await this.store.view(project_id).get<TasksRemoved>('local', id);
    const through = latest([known?.data.through ?? '', ...removals.map(({ newest }) => newest)]);
    const data = { through, count: (known?.data.count ?? 0) + removals.length };
    return { collection: 'local', id, object: 'tasks_removed', project_id, data };
  }
}

/**
 * Creates a sweep (a periodic removal). Call the returned function every minute: each call makes one step and returns the number of removed
 * tasks.
 */
export function createTaskSweep(options: SweepOptions): () => Promise<number> {
  const sweep = new TaskSweep(options);
  let busy = false;
  return async () => {
    if (busy) return 0;
    busy = true;
    try {
      return await sweep.step();
    } finally {
      busy = false;
    }
  };
}
