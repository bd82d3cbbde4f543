/**
 * Documents of this node alone that follow from documents of other nodes: which record has a unique name, and the live document of a new
 * machine. Without them a machine that was made in head office would not be found by its number, and its number could be given again.
 */
import { hash } from 'node:crypto';
import { type DeviceNameData, deviceNameIdOf, foldText, type NameData, nameId } from '#contract/base/names.ts';
import { type CollectionName, NODE_PROJECT } from '#contract/base/view.ts';
import { SILENT } from '#contract/fleet/silent-equipment.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import type { NodeRow } from '#domain/sync/store.ts';
import { NO_TIME } from '#store/sqlite/commit.ts';
import type { MergedRows } from '#store/sqlite/merged-rows.ts';

/** The kinds of names that this node keeps documents for. Other claims only show which record a person must rename. */
const NAMES: ReadonlySet<string> = new Set([
  'unit_number',
  'location_code',
  'operator_number',
  'operator_badge',
  'mechanic_number',
  'mechanic_badge',
  'shift',
]);

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** The id of the document of a name that a record claims; undefined if this node has none for such names. */
export function nameDocument(project: string, claimed: string): string | undefined {
  const slash = claimed.indexOf('/');
  const kind = claimed.slice(0, slash);
  return NAMES.has(kind) ? nameId(sha256, project, kind, claimed.slice(slash + 1)) : undefined;
}

export interface LocalStateOptions {
  readonly rows: MergedRows;
  readonly project: string;
  readonly env: Pick<SyncEnv, 'now' | 'role'>;
}

export class LocalState {
  readonly #options: LocalStateOptions;
  readonly #node: () => NodeRow;
  readonly #touched = new Set<string>();

  constructor(options: LocalStateOptions, node: () => NodeRow) {
    this.#options = options;
    this.#node = node;
  }

  /** Notes that the claims of a name changed. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  /** Writes which record has each name whose claims changed: the one with the earliest claim. */
  settleNames(holderOf: (name: string) => string | undefined): void {
    const { rows, project } = this.#options;
    for (const claimed of this.#touched) {
      const slash = claimed.indexOf('/');
      const [kind, name] = [claimed.slice(0, slash), claimed.slice(slash + 1)];
      const id = nameDocument(project, claimed);
      if (id === undefined) continue;
      const row = rows.read('local', id);
      const known = row === undefined || row._deleted ? undefined : (row.data as unknown as NameData);
      const holder = holderOf(claimed);
      if (holder === known?.holder) continue;
      const data: NameData = { kind, name: known?.name ?? name, holder: holder ?? '' };
      this.#write('local', id, 'name', { ...data }, this.#node().clock, holder === undefined);
    }
    this.#touched.clear();
  }

  /** Gives a machine its live document. It has no time, so the replication does not copy it before the machine has sent data. */
  addSilent(id: string): void {
    const row = this.#options.rows.read('live', id);
    if (row === undefined || row._deleted) this.#write('live', id, 'equipment', { ...SILENT }, NO_TIME, false);
  }

  /**
   * A device that comes back to its site is found by its serial number and its `device_id`. Without them it could get no key, and another
   * device could take its place.
   */
  nameDevice(id: string, data: Readonly<Record<string, unknown>>): void {
    const { project, env } = this.#options;
    const { serial, device_id } = data;
    if (env.role !== 'site') return;
    if (typeof serial === 'string') {
      const name: NameData = { kind: 'serial', name: serial, holder: id };
      this.#add(nameId(sha256, project, 'serial', foldText(serial)), 'name', { ...name }, project);
    }
    if (typeof device_id !== 'string') return;
    const named: DeviceNameData = { device_id, device: id, project_id: project, key_id: null };
    this.#add(deviceNameIdOf(sha256, device_id), 'device_name', { ...named }, NODE_PROJECT);
  }

  /** Writes a document of this node, if there is none with this id. */
  #add(id: string, object: string, data: Record<string, unknown>, project_id: string): void {
    const row = this.#options.rows.read('local', id);
    if (row === undefined || row._deleted)
      this.#write('local', id, object, data, this.#node().clock, false, project_id);
  }

  #write(
    collection: CollectionName,
    id: string,
    object: string,
    data: Record<string, unknown>,
    clock: string,
    deleted: boolean,
    project_id = this.#options.project,
  ): void {
    const { rows, env } = this.#options;
    const origin = this.#node().id;
    const at = new Date(env.now).toISOString();
    const times = { created_at: at, updated_at: at, hlc: `${clock}-${origin}` };
    rows.write(collection, { id, project_id, object, origin, ...times, revision: 1, deleted, data });
  }
}
