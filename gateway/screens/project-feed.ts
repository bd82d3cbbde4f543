/**
 * The feed of the office page: one per project, composed once for all pages that are open, and only while one is.
 *
 * Every two seconds it composes the rows of machines and devices whose facts or records changed, and sends those that differ from what
 * it sent before. All other objects are reported by kind; the page reads their lists again.
 */

import type { EventData } from '#contract/base/event.ts';
import { type Change, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { Links, LiveReader } from '#contract/context.ts';
import { type DeviceLive, STATUS_COLOR } from '#contract/fleet/device.ts';
import type { EquipmentData, EquipmentLive } from '#contract/fleet/equipment.ts';
import {
  type DeviceRow,
  type MachineRow,
  type ProjectFeed,
  type ProjectSnapshot,
  ROW_FIELDS,
  ROW_SIGNALS,
} from '#contract/site/project-live.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** Machines, and devices, of which a stream carries rows; lists beyond are read page by page. */
const MOST_ROWS = 2_000;
/** Projects whose feeds stay composed; at the bound one that no page looks at gives way. */
const MOST_PROJECTS = 64;
const SEND_MS = 2_000;

export interface ProjectFeedServices {
  readonly store: Store;
  readonly live: LiveReader & Links;
  /** Calls back with the machines and devices whose facts changed. */
  readonly watch: (
    listener: (changed: { readonly equipment: ReadonlySet<string>; readonly devices: ReadonlySet<string> }) => void,
  ) => () => void;
  readonly clock: () => number;
  /** Milliseconds between two sendings; 2,000 when absent. */
  readonly sendMs?: number;
}

/** The feeds of all projects. */
export interface ProjectFeeds extends Disposable {
  open(project_id: string): Promise<ProjectFeed>;
}

type Listener = Parameters<ProjectFeed['subscribe']>[0];
type Machine = Stored<EquipmentData>;

interface State {
  readonly project_id: string;
  readonly machines: Map<string, Machine>;
  /** Machines beyond the bound. */
  more: number;
  readonly devices: Set<string>;
  /** Rows as text, as they were sent last. */
  readonly sent: Map<string, string>;
  readonly dirty: Set<string>;
  readonly gone: Set<string>;
  readonly changed: Set<string>;
  readonly listeners: Set<Listener>;
}

/** Opens the feeds; each is composed when its first page opens. */
export function createProjectFeeds(services: ProjectFeedServices): ProjectFeeds {
  const { store, live, clock } = services;
  const opening = new Map<string, Promise<State>>();
  const open = new Map<string, State>();

  const stops = [
    services.watch(({ equipment, devices }) => {
      for (const state of open.values()) {
        for (const id of equipment) if (state.machines.has(id)) state.dirty.add(id);
        for (const id of devices) if (state.devices.has(id)) state.dirty.add(id);
      }
    }),
    store.changes((changes) => {
      for (const change of changes) {
        const { document } = change;
        const id = document.project_id === NODE_PROJECT ? document.id : document.project_id;
        const state = open.get(id);
        if (state !== undefined) note(state, change);
      }
    }),
  ];
  const timer = setInterval(() => {
    for (const state of open.values()) send(state);
  }, services.sendMs ?? SEND_MS);
  timer.unref();

  function note(state: State, { collection, operation, document }: Change): void {
    const { object, id } = document;
    if (collection === 'events') {
      const { subject } = document.data as Partial<EventData>;
      if (subject !== undefined) state.changed.add(`${subject.object}_event`);
      return;
    }
    // Ticks of telemetry are rows: the watcher reports them.
    const tick = collection === 'live' && (object === 'equipment' || object === 'device');
    if (tick || (collection !== 'records' && collection !== 'live')) return;
    state.changed.add(object);
    if (object === 'equipment') {
      if (operation === 'DELETE') forget(state, id);
      else if (state.machines.has(id) || state.machines.size < MOST_ROWS) {
        state.machines.set(id, document as unknown as Machine);
        state.dirty.add(id);
      } else if (operation === 'INSERT') state.more++;
    }
    if (object === 'device' && operation !== 'DELETE' && state.devices.size < MOST_ROWS) {
      state.devices.add(id);
      state.dirty.add(id);
    }
  }

  function forget(state: State, id: string): void {
    if (!state.machines.delete(id)) return;
    state.sent.delete(id);
    state.dirty.delete(id);
    state.gone.add(id);
  }

  function send(state: State): void {
    const { dirty, gone, changed, listeners } = state;
    if (listeners.size === 0) return;
    const machines: MachineRow[] = [];
    const devices: DeviceRow[] = [];
    for (const id of dirty) {
      const machine = state.machines.get(id);
      const row = machine === undefined ? deviceRow(id, live.device(id)) : machineRow(machine, live);
      if (row === undefined) continue;
      const text = JSON.stringify(row);
      if (state.sent.get(id) === text) continue;
      state.sent.set(id, text);
      if ('unit_number' in row) machines.push(row);
      else devices.push(row);
    }
    dirty.clear();
    if (machines.length + devices.length + gone.size + changed.size === 0) return;
    const data = {
      server_ms: clock(),
      machines,
      devices,
      gone: [...gone],
      machines_total: state.machines.size + state.more,
      changed: [...changed].sort(),
    };
    gone.clear();
    changed.clear();
    for (const listener of [...listeners]) listener({ name: 'delta', data });
  }

  async function compose(project_id: string): Promise<State> {
    const state: State = {
      project_id,
      machines: new Map(),
      more: 0,
      devices: new Set(),
      sent: new Map(),
      dirty: new Set(),
      gone: new Set(),
      changed: new Set(),
      listeners: new Set(),
    };
    // Changes from here on are noted, so that none falls between the read and the first send.
    open.set(project_id, state);
    const view = store.view(project_id);
    for await (const machine of walk<EquipmentData>(view, 'records', { object: 'equipment' })) {
      // One that changed while this read ran is newer than what is read.
      if (state.machines.has(machine.id) || state.gone.has(machine.id)) continue;
      if (state.machines.size < MOST_ROWS) state.machines.set(machine.id, machine);
      else state.more++;
    }
    for await (const { id } of walk(view, 'records', { object: 'device' })) {
      if (state.devices.size >= MOST_ROWS) break;
      state.devices.add(id);
    }
    return state;
  }

  function makeRoom(): void {
    if (opening.size < MOST_PROJECTS) return;
    for (const [id, state] of open) if (state.listeners.size === 0) close(id);
  }

  function close(id: string): void {
    open.delete(id);
    opening.delete(id);
  }

  function obtain(project_id: string): Promise<State> {
    const known = opening.get(project_id);
    if (known !== undefined) return known;
    makeRoom();
    const made = compose(project_id);
    opening.set(project_id, made);
    made.catch(() => close(project_id));
    return made;
  }

  function snapshotOf(state: State): ProjectSnapshot {
    const machines = [...state.machines.values()].map((machine) => machineRow(machine, live));
    const devices = [...state.devices].flatMap((id) => deviceRow(id, live.device(id)) ?? []);
    return { server_ms: clock(), machines, devices, machines_total: machines.length + state.more };
  }

  return {
    async open(project_id) {
      const state = await obtain(project_id);
      return {
        snapshot: () => snapshotOf(state),
        subscribe(listener) {
          const own: Listener = (event) => listener(event);
          state.listeners.add(own);
          return () => {
            state.listeners.delete(own);
            if (state.listeners.size === 0) close(project_id);
          };
        },
      };
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const stop of stops) stop();
      open.clear();
      opening.clear();
    },
  };
}

function machineRow({ id, revision, data }: Machine, live: LiveReader & Links): MachineRow {
  const known: EquipmentLive | undefined = live.equipment(id, ROW_SIGNALS);
  const value = (at: number) => known?.values[ROW_SIGNALS[at] as (typeof ROW_SIGNALS)[number]];
  const fields = Object.fromEntries(
    ROW_FIELDS.flatMap((field, at) => {
      const found = value(at);
      return found === undefined ? [] : [[field, { observed_at: found.observed_at }]];
    }),
  );
  return {
    id,
    revision,
    unit_number: data.unit_number,
    name: data.name,
    kind: data.kind,
    status: data.status,
    live_status: known?.live_status ?? 'unknown',
    last_live_data_at: known?.last_live_data_at ?? null,
    engine_hours: value(0)?.value ?? null,
    fuel_remaining_pct: value(1)?.value ?? null,
    fuel_rate_lph: value(2)?.value ?? null,
    dtc_counts: known?.dtc_counts ?? null,
    device_ids: live.devicesOf(id),
    recorded: known?.last_live_data_at === null && Object.keys(live.equipment(id)?.values ?? {}).length > 0,
    context: { fields },
  };
}

/** Undefined for a device that nothing has been heard of. */
function deviceRow(id: string, live: DeviceLive | undefined): DeviceRow | undefined {
  if (live === undefined) return undefined;
  const { status, last_seen_at, metrics } = live;
  return {
    id,
    status,
    status_color: STATUS_COLOR[status],
    last_seen_at,
    messages_total: metrics.messages_total,
    decode_errors_total: metrics.decode_errors_total,
  };
}
