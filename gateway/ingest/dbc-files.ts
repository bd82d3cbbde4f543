/** Keeps a copy of the active DBC files in memory, updates it when the store changes, and returns the active files of each device. */

import type { Stored } from '#contract/base/view.ts';
import type { DbcFileData } from '#contract/fleet/dbc.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { type LiveDbc, openLayout } from '#domain/dbc/mapping.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** The number of documents that one read of the store returns. It is small because a DBC file may be large. */
const CHUNK = 100;
const NONE: readonly LiveDbc[] = [];

interface Active extends LiveDbc {
  readonly device_ids: readonly string[] | null;
}

export interface DbcFiles {
  /** Returns the active files of a device, the earliest first. It returns the same objects until a file changes. */
  of(device: Pick<DeviceIdentity, 'device' | 'project_id'>): readonly LiveDbc[];
  stop(): void;
}

/**
 * Loads the active files and listens to changes of the store. When files of a project change, calls `changed` with the id of the project.
 */
export async function followDbcFiles(
  store: Pick<Store, 'changes' | 'find'>,
  changed: (project_id: string) => void,
): Promise<DbcFiles> {
  const projects = new Map<string, Map<string, Active>>();

  /** Applies a stored DBC file; returns true if the list of active files changed. */
  function take({ id, project_id, data }: Stored<DbcFileData>, isGone = false): boolean {
    const files = projects.get(project_id) ?? new Map<string, Active>();
    const before = files.get(id);
    if (isGone || !data.active) return files.delete(id);
    const { layout, mapping, device_ids } = data;
    // Reuse the compiled layout of a version that is already active, because the layout of a version never changes.
    files.set(id, { ...(before ?? openLayout(id, layout, mapping)), device_ids });
    projects.set(project_id, files);
    return true;
  }

  const stop = store.changes((changes) => {
    const others = new Set<string>();
    for (const { collection, operation, document } of changes) {
      if (collection !== 'records' || document.object !== 'dbc_file') continue;
      if (take(document as unknown as Stored<DbcFileData>, operation === 'DELETE')) others.add(document.project_id);
    }
    for (const project_id of others) changed(project_id);
  });
  for await (const one of walk<DbcFileData>(store, 'records', { object: 'dbc_file' }, CHUNK)) {
    if (projects.get(one.project_id)?.has(one.id) !== true) take(one);
  }
  return {
    of({ device, project_id }) {
      const files = projects.get(project_id);
      if (files === undefined || files.size === 0) return NONE;
      const own = [...files.values()].filter(({ device_ids }) => device_ids === null || device_ids.includes(device));
      return own.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    stop,
  };
}
