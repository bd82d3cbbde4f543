import type { EventData } from '#contract/base/event.ts';
import type { Change, Stored, View } from '#contract/base/view.ts';
import type { Links, LiveReader } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { DeviceRow, MachineRow, ProjectFeed, ProjectSnapshot } from '#contract/site/project-live.ts';
import type { Standing } from '#domain/board/tiles.ts';
import { walk } from '#store/walk.ts';
import { deviceRow, machineRow } from './project-rows.ts';

/**
 * The feed of a project (which sends the machines and devices to the office page) sends rows for at most this many machines and at most
 * this many devices. In a larger project the page reads the lists itself, page by page.
 */
const MOST_ROWS = 2_000;

export type ProjectListener = Parameters<ProjectFeed['subscribe']>[0];

/** The rows of one project, and what changed since they were last sent. */
export class ProjectState {
  readonly listeners = new Set<ProjectListener>();
  private readonly live: LiveReader & Links;
  private readonly clock: () => number;
  /** Returns the place of a machine in the ranking. */
  private readonly standing: (id: string) => Standing;
  /** Machines that were in trouble when rows were last sent. */
  private troubled: ReadonlySet<string> = new Set();
  private readonly machines = new Map<string, Stored<EquipmentData>>();
  /** Number of machines without a row, because there are more than `MOST_ROWS`. */
  private more = 0;
  /** The devices, with the machine to which each is linked. The row of a machine names its devices. */
  private readonly devices = new Map<string, string | null>();
  /** The JSON of each row as it was last sent. */
  private readonly sent = new Map<string, string>();
  /** Machines and devices with rows that may have changed. */
  private readonly dirty = new Set<string>();
  /** Machines that were deleted. */
  private readonly deleted = new Set<string>();
  /** The kinds of objects (such as tickets) with a change. For each of these kinds, the page must read the list of objects again. */
  private readonly changedObjects = new Set<string>();

  constructor(live: LiveReader & Links, clock: () => number, standing: (id: string) => Standing) {
    this.live = live;
    this.clock = clock;
    this.standing = standing;
  }

  /** Reads the machines and devices of the project. The caller must pass changes that happen during the read to `note`. */
  async read(view: View): Promise<void> {
    for await (const machine of walk<EquipmentData>(view, 'records', { object: 'equipment' })) {
      // Skip a machine that changed during this read: `note` has already got its newer version.
      if (this.machines.has(machine.id) || this.deleted.has(machine.id)) continue;
      if (this.machines.size < MOST_ROWS) this.machines.set(machine.id, machine);
      else this.more++;
    }
    for await (const { id, data } of walk<DeviceData>(view, 'records', { object: 'device' })) {
      if (this.devices.size >= MOST_ROWS) break;
      if (!this.devices.has(id)) this.devices.set(id, data.equipment_id);
    }
  }

  /** Marks the machines and devices with new values. */
  markChanged(equipment: ReadonlySet<string>, devices: ReadonlySet<string>): void {
    for (const id of equipment) if (this.machines.has(id)) this.dirty.add(id);
    for (const id of devices) if (this.devices.has(id)) this.dirty.add(id);
  }

  /** Applies a change of the store. */
  note({ collection, operation, document }: Change): void {
    const { object, id } = document;
    if (collection === 'events') {
      const { subject } = document.data as Partial<EventData>;
      if (subject !== undefined) this.changedObjects.add(`${subject.object}_event`);
      return;
    }
    // `markChanged` reports changes of live values, so ignore them here.
    const isLiveValue = collection === 'live' && (object === 'equipment' || object === 'device');
    if (isLiveValue || (collection !== 'records' && collection !== 'live')) return;
    this.changedObjects.add(object);
    if (object === 'equipment') {
      if (operation === 'DELETE') this.deleteMachine(id);
      else if (this.machines.has(id) || this.machines.size < MOST_ROWS) {
        this.machines.set(id, document as unknown as Stored<EquipmentData>);
        this.dirty.add(id);
      } else if (operation === 'INSERT') this.more++;
    }
    if (object === 'device') this.noteDevice(id, operation === 'DELETE' ? null : (document.data as DeviceData));
  }

  /** Sends to all pages the rows that have changed since they were last sent, and the other changes. */
  send(): void {
    if (this.listeners.size === 0) return;
    this.markTroubled();
    const { machines, devices } = this.changedRows();
    this.dirty.clear();
    if (machines.length + devices.length + this.deleted.size + this.changedObjects.size === 0) return;
    const data = {
      server_ms: this.clock(),
      machines,
      devices,
      gone: [...this.deleted],
      machines_total: this.machines.size + this.more,
      changed: [...this.changedObjects].sort(),
    };
    this.deleted.clear();
    this.changedObjects.clear();
    for (const listener of [...this.listeners]) listener({ name: 'delta', data });
  }

  snapshot(): ProjectSnapshot {
    // The rows of this snapshot are not recorded in `sent`. If a row that is marked now has its old value again at the next `send`, it must
    // be sent all the same, because the new page has the value of this moment.
    for (const id of this.dirty) this.sent.delete(id);
    const machines = [...this.machines.values()].map((machine) =>
      machineRow(machine, this.live, this.standing(machine.id)),
    );
    const devices = [...this.devices.keys()].flatMap((id) => deviceRow(id, this.live.device(id)) ?? []);
    return { server_ms: this.clock(), machines, devices, machines_total: machines.length + this.more };
  }

  /** Marks the machines that are in trouble, and those that were. */
  private markTroubled(): void {
    const now = new Set([...this.machines.keys()].filter((id) => this.standing(id).attention !== undefined));
    for (const id of [...this.troubled, ...now]) if (this.machines.has(id)) this.dirty.add(id);
    this.troubled = now;
  }

  private changedRows(): { machines: MachineRow[]; devices: DeviceRow[] } {
    const machines: MachineRow[] = [];
    const devices: DeviceRow[] = [];
    for (const id of this.dirty) {
      const machine = this.machines.get(id);
      const row =
        machine === undefined ? deviceRow(id, this.live.device(id)) : machineRow(machine, this.live, this.standing(id));
      if (row === undefined) continue;
      const text = JSON.stringify(row);
      if (this.sent.get(id) === text) continue;
      this.sent.set(id, text);
      if ('unit_number' in row) machines.push(row);
      else devices.push(row);
    }
    return { machines, devices };
  }

  /** Marks a changed device, and the machines that it was and is linked to; `data` is null if it was deleted. */
  private noteDevice(id: string, data: DeviceData | null): void {
    const before = this.devices.get(id);
    const after = data?.equipment_id ?? null;
    if (data === null) this.devices.delete(id);
    else if (before !== undefined || this.devices.size < MOST_ROWS) {
      this.devices.set(id, after);
      this.dirty.add(id);
    }
    for (const machine of [before, after]) if (machine && this.machines.has(machine)) this.dirty.add(machine);
  }

  private deleteMachine(id: string): void {
    if (!this.machines.delete(id)) return;
    this.sent.delete(id);
    this.dirty.delete(id);
    this.deleted.add(id);
  }
}
