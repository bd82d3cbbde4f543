/** Runs work that nobody called, such as making a ticket for a due service, with the same context and the same single commit as a call. */
import { WriteConflict } from '#contract/base/view.ts';
import type { Caller, OwnWork } from '#contract/context.ts';
import { createContexts, type RunOptions, TRIES } from './run-operation.ts';
import { createStage } from './staged.ts';

/** The caller in the logs of the objects that the gateway itself changes. */
const GATEWAY: Caller = {
  kind: 'service',
  id: null,
  name: 'headframe',
  role: null,
  project_ids: null,
  device: null,
  device_project: null,
  door: 'cli',
  address: '',
  base_url: '',
};

/** Creates the function that runs such work. If another call has changed a document in the meantime, the work runs again. */
export function createOwnWork(
  options: Pick<RunOptions, 'store' | 'services' | 'signingKey' | 'clock' | 'random'>,
): OwnWork {
  const { store, clock } = options;
  const contextFor = createContexts(options);
  return async (project_id, work) => {
    for (let attempt = 1; ; attempt++) {
      const now = clock();
      const stage = createStage(store, new Date(now).toISOString());
      await work(contextFor({ name: 'own', caller: GATEWAY }, { project_id, input: {} }, { stage, now, left: [] }));
      const writes = stage.writes();
      if (writes.length === 0) return;
      try {
        await store.commit(writes);
        return;
      } catch (error) {
        if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
      }
    }
  };
}
