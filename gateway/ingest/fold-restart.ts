/** Creates a new state and a new fold (the code that applies messages) from the last commit: at a start, and after the fold failed. */

import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import type { Fold } from '#ingest/fold/fold.ts';
import { createState, type FoldState, restoreState } from '#ingest/fold/fold-state.ts';
import type { LiveState } from '#ingest/live/live-state.ts';
import { restoreInventory } from '#ingest/writer/inventory-store.ts';
import { addReceived } from '#ingest/writer/received-machines.ts';
import { type Saved, unpackSnapshot } from '#ingest/writer/saved-snapshot.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import type { DeviceCredentials } from './device-credentials.ts';
import type { DeviceSettings } from './device-settings.ts';
import type { FoldGroups } from './fold-groups.ts';
import type { Sessions } from './sessions.ts';
import type { WatchPlans } from './watch-plans.ts';

/** The parts of ingest that the restart changes so that they use the new state. */
export interface FoldRestartOptions {
  readonly current: CurrentFold;
  readonly createFold: (state: FoldState) => Fold;
  readonly writer: Pick<StoreWriter, 'inventory'>;
  readonly live: LiveState;
  readonly groups: FoldGroups;
  readonly settings: DeviceSettings;
  readonly plans: Pick<WatchPlans, 'apply'>;
  readonly sessions: Sessions;
  readonly credentials: DeviceCredentials;
  readonly monotonic: () => number;
  /** Machines of which only the store has values. */
  readonly received: Parameters<typeof addReceived>[1];
}

/** The two steps of a restart: `restore` runs before the replay of the journal, and `applyRevocations` after it. */
export interface FoldRestart {
  /** Replaces `current` by the state of a commit, and applies the current settings and the open connections of the devices to it. */
  restore(from: Saved | undefined): void;
  /** Applies revocations of keys that the last process did not apply before it ended. Call it after the replay of the journal. */
  applyRevocations(): void;
}

/** Creates the two steps of a restart; they change `current`. */
export function createFoldRestart(options: FoldRestartOptions): FoldRestart {
  const { current, createFold, writer, live, groups, settings, plans, sessions, credentials, monotonic } = options;
  const { received } = options;
  return {
    restore(from) {
      const mono = monotonic();
      const state = from === undefined ? createState(0) : restoreState(unpackSnapshot(from), mono);
      addReceived(state, received);
      const fold = createFold(state);
      Object.assign(current, { state, fold });
      restoreInventory(state, writer.inventory);
      fold.setTime(mono);
      live.forget();
      groups.begin(state, fold);
      settings.apply(state);
      plans.apply(state);
      sessions.each((identity, address, since_ms) => {
        fold.session(fold.deviceOf(identity), true, address, since_ms);
      });
    },
    applyRevocations() {
      for (const [device, at_ms] of credentials.revoked) {
        const known = current.state.devices.get(device);
        if (known === undefined || known.connectivity.status === 'unassigned') continue;
        if ((known.connectivity.seen_ms ?? 0) <= at_ms) current.fold.credential(known, true, at_ms);
      }
    },
  };
}
