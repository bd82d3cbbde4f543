/**
 * The state of the fold (the code that applies messages), its changes since the last commit, and its snapshot (the stored state for a
 * restart). The snapshot is plain JSON; one commit stores it together with the changes.
 */
import type { EventData } from '#contract/base/event.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { GAP_KINDS } from '#contract/site/node.ts';
import type { NewSegment } from '#domain/history/samples.ts';
import {
  type DecodeRun,
  type DeviceSnapshot,
  type DeviceState,
  restoreDevice,
  snapshotDevice,
} from './device-state.ts';
import { type MachineSnapshot, type MachineState, restoreMachine, snapshotMachine } from './machine-state.ts';

export type GapKind = (typeof GAP_KINDS)[number];

/** One period of lost data of a machine (history), a device (messages) or the gateway (raw). */
export interface Gap {
  readonly what: GapKind;
  readonly id: string;
  readonly project_id: string;
  readonly from_ms: number;
  readonly to_ms: number;
  /** The number of lost samples (kind `history`), messages (kind `messages`), or journal segments (kind `raw`). */
  readonly count: number;
  readonly bytes: number | null;
  /** The newest journal segment that this gap counts; only for the kind `raw`. */
  readonly segment?: number;
}

/** The state of the fold, which the fold changes in place. */
export interface FoldState {
  readonly devices: Map<string, DeviceState>;
  readonly machines: Map<string, MachineState>;
  /** The position after the last folded message. */
  position: number;
  /** Messages for which the code of the fold threw an error: the last 100, the newest last. `setAsideTotal` is their total number. */
  readonly setAside: SetAside[];
  setAsideTotal: number;
  /** Documents that the store refused: the last 100, the newest last. `refusedTotal` is their total number. */
  readonly refused: Refused[];
  refusedTotal: number;
  /** The open gaps: periods in which data was lost and that have not ended. The key is the kind and the id. */
  readonly gaps: Map<string, Gap>;
}

/** The limit of the list of messages that were set aside, and of the list of refused documents. */
const MAX_SET_ASIDE = 100;

/** A message for which the code of the fold threw an error, so that the fold skips the message. */
export interface SetAside {
  readonly position: number;
  readonly device_id: string;
  readonly error: string;
  readonly at_ms: number;
}

/** A document that the store refuses. The message from which it was made stays in the journal. */
export interface Refused {
  readonly collection: string;
  readonly object: string;
  readonly id: string;
  readonly project_id: string;
  readonly error: string;
  readonly at_ms: number;
}

/** Adds a document to the list of documents that the store refused. Returns false if the document is already in the list. */
export function noteRefused(state: FoldState, document: Refused): boolean {
  if (state.refused.some(({ id }) => id === document.id)) return false;
  state.refused.push(document);
  if (state.refused.length > MAX_SET_ASIDE) state.refused.shift();
  state.refusedTotal++;
  return true;
}

/** Adds a message to the list of messages that the fold skips because its code threw an error for them. */
export function noteSetAside(state: FoldState, message: SetAside): void {
  state.setAside.push(message);
  if (state.setAside.length > MAX_SET_ASIDE) state.setAside.shift();
  state.setAsideTotal++;
}

/** An event for the log of a machine or device. */
export interface EventMade {
  readonly project_id: string;
  readonly id: string;
  readonly data: EventData;
  /** True if the id comes from the sender. The store may then already have the event, and must not store it twice. */
  readonly once: boolean;
}

/**
 * A new decode run: the stored document that describes the live decoding of a device. Each device has one for each version of the decoder.
 */
export interface RunMade extends DecodeRun {
  readonly device: DeviceIdentity;
  readonly started_ms: number;
}

/** The changes that the fold made since the last commit. */
export interface Changes {
  /** Machines and devices with a changed live state. Watchers (functions that ingest calls after a change) get these ids. */
  readonly equipment: Set<string>;
  readonly devices: Set<string>;
  /** Machines and devices with a changed status. The next commit writes their live documents (the stored copies of their state). */
  readonly urgentEquipment: Set<string>;
  readonly urgentDevices: Set<string>;
  readonly events: EventMade[];
  readonly segments: NewSegment[];
  readonly runs: RunMade[];
}

/** Creates an empty set of changes. */
export function createChanges(): Changes {
  return {
    equipment: new Set(),
    devices: new Set(),
    urgentEquipment: new Set(),
    urgentDevices: new Set(),
    events: [],
    segments: [],
    runs: [],
  };
}

/** The state in its stored form. */
export interface Snapshot {
  readonly version: 1;
  readonly position: number;
  readonly devices: readonly DeviceSnapshot[];
  readonly machines: readonly MachineSnapshot[];
  readonly set_aside: readonly SetAside[];
  readonly set_aside_total: number;
  /** Absent in snapshots of earlier builds. */
  readonly refused?: readonly Refused[];
  readonly refused_total?: number;
  readonly gaps?: readonly (readonly [string, Gap])[];
}

/** Creates an empty state. The next message to apply is at this position. */
export function createState(position: number): FoldState {
  return {
    devices: new Map(),
    machines: new Map(),
    position,
    setAside: [],
    setAsideTotal: 0,
    refused: [],
    refusedTotal: 0,
    gaps: new Map(),
  };
}

/** Returns the state as plain JSON. */
export function snapshotState(state: FoldState): Snapshot {
  return {
    version: 1,
    position: state.position,
    devices: [...state.devices.values()].map(snapshotDevice),
    machines: [...state.machines.values()].map((machine) => snapshotMachine(machine, state.position)),
    set_aside: state.setAside,
    set_aside_total: state.setAsideTotal,
    refused: state.refused,
    refused_total: state.refusedTotal,
    gaps: [...state.gaps],
  };
}

/** Restores the state from a snapshot; `mono` is the present monotonic time. */
export function restoreState(saved: Snapshot, mono: number): FoldState {
  return {
    devices: new Map(saved.devices.map((one) => [one.identity.device, restoreDevice(one, mono)])),
    machines: new Map(saved.machines.map((one) => [one.id, restoreMachine(one)])),
    position: saved.position,
    setAside: [...saved.set_aside],
    setAsideTotal: saved.set_aside_total,
    refused: [...(saved.refused ?? [])],
    refusedTotal: saved.refused_total ?? 0,
    gaps: new Map(saved.gaps ?? []),
  };
}
