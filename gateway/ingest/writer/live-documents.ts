/**
 * Decides which live documents a commit writes. A live document is a copy of the current state of a machine or device, for lists and for
 * the cloud. A change of status is written with the next commit. A change of values is written at most once a minute, because each write
 * wears out a page of flash memory; or each 2 s while somebody at head office looks at the project.
 */

import type { ProjectWrite } from '#contract/base/view.ts';
import { equipmentLive } from '#domain/machine/machine.ts';
import { deviceLive } from '#ingest/fold/device-state.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import { observationId } from './store-documents.ts';

/** The limit of documents in one commit, not counting documents with a changed status. */
const MAX_LIVE = 200;
/** A document that the store refused is left out of commits for this time, in milliseconds. */
const REFUSED_MS = 600_000;

/** The live documents of all machines and devices. */
export class LiveDocuments {
  /** Monotonic time of the last write of each document. */
  private readonly written = new Map<string, number>();
  /** Monotonic time from which a refused document may be written again. */
  private readonly retryAt = new Map<string, number>();

  /**
   * Returns the ids of the documents to write now, and calls `postpone` for each other id. If `all` is true, it returns every id. `liveMs` is
   * the shortest time between two writes of a document.
   */
  select(
    ids: { readonly changed: ReadonlySet<string>; readonly urgent: ReadonlySet<string> },
    mono: number,
    all: boolean,
    { liveMs, postpone }: { readonly liveMs: (id: string) => number; readonly postpone: (id: string) => void },
  ): string[] {
    const { changed, urgent } = ids;
    const selected = [...urgent];
    for (const id of changed) {
      if (urgent.has(id)) continue;
      const isOld = mono - (this.written.get(id) ?? Number.NEGATIVE_INFINITY) >= liveMs(id);
      if (all || (isOld && selected.length < MAX_LIVE)) selected.push(id);
      else postpone(id);
    }
    return selected;
  }

  /** Returns the writes for these machines and devices. It leaves out documents that the store refused in the last ten minutes. */
  writes(state: FoldState, equipment: readonly string[], devices: readonly string[], mono: number): ProjectWrite[] {
    const writes: ProjectWrite[] = [];
    const isLeftOut = (id: string): boolean => (this.retryAt.get(id) ?? Number.NEGATIVE_INFINITY) > mono;
    for (const id of equipment) {
      const machine = state.machines.get(id);
      if (machine === undefined || isLeftOut(id)) continue;
      const data = equipmentLive(machine.facts) as unknown as Record<string, unknown>;
      writes.push({ collection: 'live', id, object: 'equipment', project_id: machine.project_id, data });
    }
    for (const id of devices) {
      const device = state.devices.get(id);
      if (device === undefined || isLeftOut(id)) continue;
      const data = deviceLive(device, observationId, mono) as unknown as Record<string, unknown>;
      writes.push({ collection: 'live', id, object: 'device', project_id: device.identity.project_id, data });
    }
    return writes;
  }

  /** Records that the store has these documents. */
  noteWritten(ids: readonly string[], mono: number): void {
    for (const id of ids) this.written.set(id, mono);
  }

  /** Leaves a document that the store refused out of the next commits. */
  noteRefused(id: string, mono: number): void {
    this.retryAt.set(id, mono + REFUSED_MS);
  }
}
