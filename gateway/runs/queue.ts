/**
 * The queue of the runs of one kind. A run is one attempt to carry out a task, for example to decode a file. Each run is a document in the
 * store, so a restart loses no waiting run.
 *
 *   pending -- start --> running -- end --> completed | failed
 *             ^            |  the thread or the gateway died, or was stopped
 *             |            +--> failed, and ONE replacement that waits: one commit
 *             +-- giveBack-+  the run is long, and other devices wait
 *
 * Each write names the revision of the document that was read. If a person has canceled the run in the meantime, the document has another
 * revision. So the write fails, and the run stays canceled.
 */
import type { Kind } from '#contract/base/ids.ts';
import { type Stored, type Write, WriteConflict } from '#contract/base/view.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import type { NewEntry, Outcome } from '#domain/runs/run.ts';
import { createProgress, hasEnded, startRun } from '#domain/runs/run.ts';
import {
  endWrites,
  isOwn,
  messageWrites,
  ownerOf,
  type RunTools,
  readRun,
  replaceWrites,
} from '#domain/runs/writes.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import type { WaitingRun } from './turns.ts';

/** The properties of a kind of runs that its queue needs. */
export interface QueuedKind {
  /** Name of the kind. It is also the phase of a run of this kind while the run is executed. */
  readonly name: string;
  /**
   * Returns what the executor needs to choose which waiting run starts next: device, time of creation, and whether the run is long. Returns
   * undefined for a run of another kind.
   */
  waitingRunOf(run: Stored<RunData>): WaitingRun | undefined;
  /** Returns a new run that repeats `run`, because the thread or the gateway ended during that run. */
  replacement(run: RunData, now: string): RunData;
  /** True if the transcript of a replacement begins with the prompt of its task. */
  readonly repeatsPrompt?: true;
  /** Texts that the run shows. */
  readonly messages: {
    readonly started: string;
    /**
     * Returns the text for a run that is not started again automatically, because its thread or the gateway died `deaths` times. `last` is
     * the last error.
     */
    givenUp(deaths: number, last: string): string;
  };
}

export interface QueueOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'nodeId'>;
  /** The queue has only runs of this kind that belong to this node (gateway). */
  readonly kind: QueuedKind;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly newId: (kind: Kind, place?: number) => string;
}

/** A run that is being executed, with its stored documents and their revisions. */
export interface Working {
  readonly project_id: string;
  run: Stored<RunData>;
  live: Stored<RunLive> | undefined;
}

export interface Queue {
  /** All waiting runs, the oldest first. */
  waiting(): AsyncGenerator<WaitingRun>;
  /** Returns the document of a waiting run; undefined if the run no longer waits. */
  pending(run: WaitingRun): Promise<Stored<RunData> | undefined>;
  /**
   * Returns the runs that are stored as running. At a start of the gateway, these are the runs that the previous process did not finish.
   */
  orphans(): Promise<Working[]>;
  /**
   * Marks a run as running; `cpu_s` is its limit of processor time in seconds. Returns undefined if the run has already ended, for example
   * because a person canceled it.
   */
  start(run: Stored<RunData>, cpu_s: number): Promise<Working | undefined>;
  /** Puts a running run back into the queue and marks it as long. The run gets the status text `why`. */
  giveBack(working: Working, why: string): Promise<void>;
  /** Writes the progress of a run. */
  progress(working: Working, fields: Partial<RunLive>): Promise<void>;
  /**
   * Appends entries to the transcript of a run, with its progress and fields of the run, in one commit. Returns false if the run has already
   * ended.
   */
  say(
    working: Working,
    entries: readonly NewEntry[],
    fields?: Partial<RunLive>,
    change?: Partial<RunData>,
  ): Promise<boolean>;
  /** Ends a run with its outcome. Returns false if the run has already ended, for example because a person canceled it. */
  end(working: Working, outcome: Outcome, last?: readonly NewEntry[]): Promise<boolean>;
  /** Ends a run that waits. Returns false if the run has ended or begun in the meantime. */
  endWaiting(run: Stored<RunData>, outcome: Outcome): Promise<boolean>;
  /** Ends a run as failed and queues one replacement. If three runs of a task have died one after the other, it pauses the task instead. */
  replace(working: Working, code: RunErrorCode, message: string): Promise<void>;
}

/** Creates the queue on a store. */
export function createQueue({ store, clock, newId, kind }: QueueOptions): Queue {
  const { nodeId } = store;
  const tools = (): RunTools => ({ now: new Date(clock()).toISOString(), newId, nodeId });

  async function* withStatus(status: RunData['status']): AsyncGenerator<Stored<RunData>> {
    const where = { 'data.status': status };
    for await (const run of walk<RunData>(store, 'records', { object: 'run', where })) {
      if (isOwn(run.data, nodeId) && kind.waitingRunOf(run) !== undefined) yield readRun(run);
    }
  }

  async function workingOf(run: Stored<RunData>): Promise<Working> {
    const live = await store.view(run.project_id).get<RunLive>('live', run.id);
    return { project_id: run.project_id, run, live };
  }

  /** Returns true if the writes are committed, and false if another caller has changed one of the documents before. */
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
    async *waiting() {
      for await (const run of withStatus('pending')) yield kind.waitingRunOf(run) as WaitingRun;
    },
    async pending({ project_id, id }) {
      const run = await store.view(project_id).get<RunData>('records', id);
      return run?.data.status === 'pending' ? readRun(run) : undefined;
    },
    async orphans() {
      const found: Working[] = [];
      for await (const run of withStatus('running')) found.push(await workingOf(run));
      return found;
    },
    async start(run, cpu_s) {
      const working = await workingOf(run);
      const { now } = tools();
      const limits = { ...run.data.limits, cpu_s };
      const data: RunData = { ...startRun(run.data, now), node_id: nodeId, limits };
      const live = { ...(working.live?.data ?? createProgress()), state: 'running', phase: kind.name };
      const started = await commit(working, [
        { collection: 'records', id: run.id, object: 'run', data: { ...data }, expected: run.revision },
        liveWrite(working, { ...live, status_text: kind.messages.started, progress_pct: 0 }),
      ]);
      return started ? working : undefined;
    },
    async giveBack(working, why) {
      const { run } = working;
      const backend = { ...run.data.backend, long: true };
      const data: RunData = { ...run.data, status: 'pending', dequeued_at: null, started_at: null, backend };
      await commit(working, [
        { collection: 'records', id: run.id, object: 'run', data: { ...data }, expected: run.revision },
        liveWrite(working, { ...createProgress(), messages: working.live?.data.messages ?? 0, status_text: why }),
      ]);
    },
    async progress(working, fields) {
      if (hasEnded(working.run.data)) return;
      await commit(working, [liveWrite(working, { ...(working.live?.data ?? createProgress()), ...fields })]);
    },
    async say(working, entries, fields = {}, change) {
      const { run, live } = working;
      if (hasEnded(run.data)) return false;
      const progress = { ...(live?.data ?? createProgress()), ...fields };
      const state = { run, live: { ...live, revision: live?.revision ?? 0, data: progress } as Stored<RunLive> };
      const data: RunData = { ...run.data, ...change };
      return commit(working, [
        // Also a run without a change is written: the commit then fails if somebody has ended the run.
        { collection: 'records', id: run.id, object: 'run', data: { ...data }, expected: run.revision },
        ...messageWrites(tools(), state, entries),
      ]);
    },
    end: (working, outcome, last = []) => commit(working, endWrites(tools(), working, outcome, last)),
    async endWaiting(run, outcome) {
      const working = await workingOf(run);
      return commit(working, endWrites(tools(), working, outcome));
    },
    async replace(working, code, message) {
      const { run, project_id } = working;
      const { task_id } = run.data;
      const task = await store.view(project_id).get<TaskData>('records', task_id);
      const now = tools();
      const writes = replaceWrites(
        now,
        working,
        { status: 'failed', code, message },
        {
          task,
          next: (retry) => ({ ...kind.replacement(run.data, now.now), ...ownerOf(now), retry }),
          givenUp: kind.messages.givenUp,
          ...(kind.repeatsPrompt && task?.data.prompt != null
            ? { asked: [{ role: 'user', kind: 'message', text: task.data.prompt }] }
            : {}),
        },
      );
      await commit(working, writes);
    },
  };
}
