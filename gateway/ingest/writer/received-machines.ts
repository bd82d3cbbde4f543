/**
 * Machines of which the store has a live document, and the state of the fold has nothing. This box takes the place of another one, and head
 * office gave it the documents.
 */
import { factsFromLive } from '#domain/machine/facts-from-live.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import { restoreMachine } from '#ingest/fold/machine-state.ts';
import { walk } from '#store/walk.ts';
import { type Saved, unpackSnapshot } from './saved-snapshot.ts';
import type { IngestStore } from './store-writer.ts';

type EquipmentLive = Parameters<typeof factsFromLive>[0];

interface Received {
  readonly id: string;
  readonly project_id: string;
  readonly document: EquipmentLive;
}

/** Reads them at the start. */
export async function readReceived(store: IngestStore, saved: Saved | undefined): Promise<readonly Received[]> {
  const known = new Set(saved === undefined ? [] : unpackSnapshot(saved).machines.map(({ id }) => id));
  const received: Received[] = [];
  for await (const { id, project_id, data } of walk<EquipmentLive>(store, 'live', { object: 'equipment' }))
    if (!known.has(id) && (Object.keys(data.values).length > 0 || data.dtcs !== null))
      received.push({ id, project_id, document: data });
  return received;
}

/** Adds them to a state that does not have them. */
export function addReceived(state: FoldState, received: readonly Received[]): void {
  for (const { id, project_id, document } of received) {
    if (state.machines.has(id)) continue;
    const facts = factsFromLive(document);
    state.machines.set(id, restoreMachine({ id, project_id, facts, samples_from: state.position }));
  }
}
