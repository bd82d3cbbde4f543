/** Runs that nobody picked up end by name: no work waits for ever for a worker that does not exist. */
import type { Kind } from '#contract/ids.ts';
import type { RunData, RunLive } from '#contract/task.ts';
import { type Stored, WriteConflict } from '#contract/view.ts';
import { endWrites, readRun } from '#domain/run-writes.ts';
import type { Store } from '#store/open-store.ts';

const PAGE = 200;

/** Ends the runs that have waited longer than their queue allows; how many. To be called every minute. */
export async function sweepRuns(options: {
  store: Pick<Store, 'find' | 'view'>;
  clock: () => number;
  newId: (kind: Kind, place?: number) => string;
}): Promise<number> {
  const { store, clock, newId } = options;
  let ended = 0;
  for (let after: Stored | undefined; ; ) {
    const page: Stored<RunData>[] = await store.find<RunData>('records', {
      object: 'run',
      where: { 'data.status': 'pending' },
      order: 'asc',
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const found of page) if (await endOverdue(readRun(found))) ended++;
    after = page.at(-1) as Stored | undefined;
    if (page.length < PAGE) return ended;
  }

  async function endOverdue(run: Stored<RunData>): Promise<boolean> {
    const { queued_at, timeouts } = run.data;
    const allowed_s = timeouts.queue_pickup_s;
    if (queued_at === null || allowed_s === null || clock() - Date.parse(queued_at) <= allowed_s * 1000) return false;
    const view = store.view(run.project_id);
    const state = { run, live: await view.get<RunLive>('live', run.id) };
    const message = `Nobody picked the run up within ${allowed_s} s.`;
    const writes = endWrites({ now: new Date(clock()).toISOString(), newId }, state, {
      status: 'failed',
      code: 'queue_pickup_timeout',
      message,
      fired: { timeouts: 'queue_pickup_s' },
    });
    try {
      await view.commit(writes);
      return true;
    } catch (error) {
      // Somebody picked it up or canceled it in this moment.
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}
