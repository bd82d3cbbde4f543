/**
 * The end of tasks of decoded files, with their runs and transcripts.
 *
 *   oldest ... cursor ── a step: 2,000 looked at ──▶ ... newest, then again from the oldest
 *
 * Invariants: a task goes with all that is of it in one commit, and only as it was read: somebody who has it decoded again meanwhile
 * keeps it. The same commit notes through when runs were removed, so that a reader is told that, and not that there was none. What a
 * pass counted beyond the bound goes in the next one.
 */
import { idTime } from '#contract/base/ids.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import { type Stored, WriteConflict } from '#contract/base/view.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { classOf, RETAINED, type TaskClass, type TasksRemoved, tasksRemovedId } from '#domain/runs/task-retention.ts';
import type { Store } from '#store/open-store.ts';

const PAGE = 200;
/** Tasks that one step looks at. */
const STEP = 2_000;
/** Rows of a commit, the note besides. */
const MOST_ROWS = 900;

interface SweepOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'commit'>;
  readonly clock: () => number;
  /** False while nothing may be deleted for its age. */
  readonly agesKnown: () => boolean;
  /** Other bounds than the documented ones, for tests. */
  readonly retained?: Readonly<Record<TaskClass, { readonly age_ms: number; readonly count: number }>>;
}

const latest = (times: readonly string[]): string => [...times].sort().at(-1) ?? '';
/** An id is minted a moment before or after the document has its time; readers have the id. */
const timeIn = (run_id: string): string => new Date(idTime('run', run_id) ?? 0).toISOString();

/** What goes with one task. */
interface Going {
  readonly writes: readonly ProjectWrite[];
  readonly newest: string;
}

/** A sweep that is called every minute: each call takes one step; how many tasks it removed. */
export function createTaskSweep({ store, clock, agesKnown, retained = RETAINED }: SweepOptions): () => Promise<number> {
  let after: Pick<Stored, 'created_at' | 'id'> | undefined;
  let kept = { clean: 0, told: 0 };
  /** So many more than there may be: the oldest of them go. */
  const over = { clean: 0, told: 0 };
  let busy = false;

  function readPage(): Promise<Stored<TaskData>[]> {
    const where = { 'data.kind': 'decode' };
    const query = {
      object: 'task',
      where,
      order: 'asc',
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    } as const;
    return store.find<TaskData>('records', query);
  }

  /** Those of a page whose time is over. */
  async function overdue(page: readonly Stored<TaskData>[]): Promise<Stored<TaskData>[]> {
    const runs = new Map<string, Stored<RunData>>();
    for (const [project_id, tasks] of Map.groupBy(page, (task) => task.project_id)) {
      const ids = tasks.flatMap(({ data }) => data.latest_run_id ?? []);
      for (const run of await store.view(project_id).getMany<RunData>('records', ids)) runs.set(run.id, run);
    }
    return page.filter((task) => {
      const run = runs.get(task.data.latest_run_id ?? '');
      const kind = classOf(task.data, run?.data);
      if (kind === undefined) return false;
      const age_ms = clock() - Date.parse(run?.data.ended_at ?? task.updated_at);
      const ends = over[kind] > 0 || (agesKnown() && age_ms > retained[kind].age_ms);
      if (!ends) kept[kind]++;
      else if (over[kind] > 0) over[kind]--;
      return ends;
    });
  }

  /** Everything that is of a task; as much as fits into a commit where it was repeated very often, and the task itself then stays. */
  async function partsOf({ id, project_id, revision }: Stored<TaskData>): Promise<Going> {
    const view = store.view(project_id);
    const where = { 'data.task_id': id };
    const gone = { project_id, data: {}, deleted: true } as const;
    const query = { where, order: 'asc', limit: MOST_ROWS + 1 } as const;
    const runs = await view.find<RunData>('records', { object: 'run', ...query });
    const messages = await view.find('events', { object: 'message', ...query });
    const newest = latest(runs.flatMap(({ created_at, id: run_id }) => [created_at, timeIn(run_id)]));
    const writes: ProjectWrite[] = messages.map((one) => ({
      ...gone,
      collection: 'events',
      id: one.id,
      object: 'message',
    }));
    for (const run of runs)
      writes.push(
        { ...gone, collection: 'live', id: run.id, object: 'run' },
        { ...gone, collection: 'records', id: run.id, object: 'run', expected: run.revision },
      );
    if (writes.length >= MOST_ROWS) return { writes: writes.slice(0, MOST_ROWS), newest };
    return { writes: [...writes, { ...gone, collection: 'records', id, object: 'task', expected: revision }], newest };
  }

  async function noteOf(project_id: string, going: readonly Going[]): Promise<ProjectWrite> {
    const id = tasksRemovedId(project_id);
    const known = await store.view(project_id).get<TasksRemoved>('local', id);
    const through = latest([known?.data.through ?? '', ...going.map(({ newest }) => newest)]);
    const data = { through, count: (known?.data.count ?? 0) + going.length };
    return { collection: 'local', id, object: 'tasks_removed', project_id, data };
  }

  async function remove(project_id: string, going: readonly Going[]): Promise<number> {
    try {
      await store.commit([...going.flatMap(({ writes }) => writes), await noteOf(project_id, going)]);
      return going.length;
    } catch (error) {
      // Somebody has one of them decoded again: the next pass looks anew.
      if (error instanceof WriteConflict) return 0;
      throw error;
    }
  }

  async function removeAll(tasks: readonly Stored<TaskData>[]): Promise<number> {
    let removed = 0;
    for (const [project_id, own] of Map.groupBy(tasks, (task) => task.project_id)) {
      let batch: Going[] = [];
      let rows = 0;
      for (const task of own) {
        const going = await partsOf(task);
        if (rows + going.writes.length > MOST_ROWS) {
          removed += await remove(project_id, batch);
          batch = [];
          rows = 0;
        }
        batch.push(going);
        rows += going.writes.length;
      }
      if (batch.length > 0) removed += await remove(project_id, batch);
    }
    return removed;
  }

  async function step(): Promise<number> {
    let removed = 0;
    for (let looked = 0; looked < STEP; looked += PAGE) {
      const page = await readPage();
      removed += await removeAll(await overdue(page));
      after = page.at(-1);
      if (page.length === PAGE) continue;
      after = undefined;
      over.clean = Math.max(0, kept.clean - retained.clean.count);
      over.told = Math.max(0, kept.told - retained.told.count);
      kept = { clean: 0, told: 0 };
      break;
    }
    return removed;
  }

  return async () => {
    if (busy) return 0;
    busy = true;
    try {
      return await step();
    } finally {
      busy = false;
    }
  };
}
