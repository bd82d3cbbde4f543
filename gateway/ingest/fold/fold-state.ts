/** Everything the fold knows, what it hands out, and its snapshot: plain JSON, written in one commit with what follows from it. */
import type { EventData } from '#contract/base/event.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { GAP_KINDS } from '#contract/site/node.ts';
import type { NewSegment } from '#domain/machine/sample-segments.ts';
import {
  type DecodeRun,
  type DeviceSnapshot,
  type DeviceState,
  restoreDevice,
  snapshotDevice,
} from './device-state.ts';
import { type MachineSnapshot, type MachineState, restoreMachine, snapshotMachine } from './machine-state.ts';

export type GapKind = (typeof GAP_KINDS)[number];

/** One stretch of time of one machine (history), device (messages) or of the gateway (raw). */
export interface Gap {
  readonly what: GapKind;
  readonly id: string;
  readonly project_id: string;
  readonly from_ms: number;
  readonly to_ms: number;
  /** Samples, messages, or segments of the journal. */
  readonly count: number;
  readonly bytes: number | null;
}

/** All of it, changed in place by the fold. */
export interface FoldState {
  readonly devices: Map<string, DeviceState>;
  readonly machines: Map<string, MachineState>;
  /** Behind the last message that was folded. */
  position: number;
  /** Messages that killed the fold, newest last, at most 100; and how many there ever were. */
  readonly setAside: SetAside[];
  setAsideTotal: number;
  /** Documents that the store did not take, newest last, at most 100; and how many there ever were. */
  readonly refused: Refused[];
  refusedTotal: number;
  /** What is being given up, by kind and id. */
  readonly gaps: Map<string, Gap>;
}

/** Messages, and documents, that are listed. */
const MAX_SET_ASIDE = 100;

/** A message that killed the fold. */
export interface SetAside {
  readonly position: number;
  readonly device_id: string;
  readonly error: string;
  readonly at_ms: number;
}

/** A document that the store does not take; what it was made from is in the raw journal. */
export interface Refused {
  readonly collection: string;
  readonly object: string;
  readonly id: string;
  readonly project_id: string;
  readonly error: string;
  readonly at_ms: number;
}

/** Lists a document that the store does not take; false when it is listed already. */
export function noteRefused(state: FoldState, document: Refused): boolean {
  if (state.refused.some(({ id }) => id === document.id)) return false;
  state.refused.push(document);
  if (state.refused.length > MAX_SET_ASIDE) state.refused.shift();
  state.refusedTotal++;
  return true;
}

/** Lists a message that killed the fold. */
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
  /** Set when the id follows from the sender's: there may be one already. */
  readonly once: boolean;
}

/** The run of a device that is heard for the first time by this decoder. */
export interface RunMade extends DecodeRun {
  readonly device: DeviceIdentity;
  readonly started_ms: number;
}

/** What folding made, until it is committed. */
export interface Changes {
  /** Machines and devices whose live state moved, for watchers. */
  readonly equipment: Set<string>;
  readonly devices: Set<string>;
  /** Those of which a status moved, whose live documents are due at once. */
  readonly urgentEquipment: Set<string>;
  readonly urgentDevices: Set<string>;
  readonly events: EventMade[];
  readonly segments: NewSegment[];
  readonly runs: RunMade[];
}

/** Nothing made yet. */
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

/** The state as it is stored. */
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

/** The state before the first message behind a place. */
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

/** The state as plain JSON. */
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

/** The state of a snapshot; `mono` is now. */
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
