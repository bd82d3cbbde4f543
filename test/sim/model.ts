/**
 * What must be known after a list of messages in journal order, worked out from what they mean and not from their bytes: a message
 * counts once, the newest value in observed time stands, every second of a signal has a sample.
 */
import { type SignalName, signalRow } from '#contract/signals.ts';
import type { Message } from './messages.ts';
import type { Kept } from './mirror.ts';

/** A record of the journal, and what the world knows of it. */
export interface Entry {
  readonly kept: Kept;
  readonly message: Message;
  /** The machine that it counts for. */
  machine: string | null;
  /** Milliseconds that any gateway process had run, and which process it was. */
  readonly uptime: number;
  readonly life: number;
}

export interface Value {
  readonly value: number;
  readonly t_us: number;
  readonly position: number;
}

export interface DeviceFacts {
  messages: number;
  bytes: number;
  frames: number;
  broken: number;
  duplicates: number;
  readonly values: Map<SignalName, Value>;
}

export interface MachineFacts {
  readonly project_id: string;
  readonly values: Map<SignalName, Value & { readonly device: string }>;
  /** Values that may stand for each second since 1970. */
  readonly seconds: Map<SignalName, Map<number, Set<number>>>;
  /** Null before the first table. */
  faults: { readonly spn: number; readonly t_us: number } | null;
  /** Falls of meters. */
  resets: number;
}

export interface Expected {
  readonly devices: Map<string, DeviceFacts>;
  readonly machines: Map<string, MachineFacts>;
  /** Own ids of events in the log. */
  readonly events: Set<string>;
  /** Entries without an id of their own. */
  plainEvents: number;
  /** Devices of which a repeat came later than a restart has to know it: their counters may be higher. */
  readonly loose: Set<string>;
}

/** Repeats are known from the last minute before a restart, less the time that a fold may lag. */
const KNOWN_MS = 55_000;

function ensure<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let known = map.get(key);
  if (known === undefined) {
    known = make();
    map.set(key, known);
  }
  return known;
}

/** Works it out, entry by entry. */
export class Model {
  readonly expected: Expected = {
    devices: new Map(),
    machines: new Map(),
    events: new Set(),
    plainEvents: 0,
    loose: new Set(),
  };
  private readonly seen = new Map<number, Entry>();

  add(entry: Entry): void {
    const { message, kept } = entry;
    const { expected, seen } = this;
    // Set aside: it is in the journal, and nowhere else.
    if (message.poison) return;
    const device = ensure(expected.devices, kept.device, () => ({
      messages: 0,
      bytes: 0,
      frames: 0,
      broken: 0,
      duplicates: 0,
      values: new Map(),
    }));
    device.messages++;
    device.bytes += message.payload.length;
    device.broken += message.broken;
    const before = seen.get(message.uid);
    seen.set(message.uid, entry);
    if (before !== undefined) {
      if (entry.life !== before.life && entry.uptime - before.uptime > KNOWN_MS) expected.loose.add(kept.device);
      device.duplicates += repeats(message, kept);
      return;
    }
    device.frames += message.frames;
    if (message.event !== null) {
      if (message.event.id === null) expected.plainEvents++;
      else expected.events.add(`${kept.device}\n${message.event.id}`);
    }
    take(expected, device, entry);
  }
}

/** What a repeat adds to the counter of duplicates. */
function repeats(message: Message, kept: Kept): number {
  if (message.topic === 'can') return message.broken > 0 && !kept.repeat ? 0 : Math.max(1, message.frames);
  if (message.topic === 'telemetry') return message.points;
  return message.topic === 'events' && kept.repeat ? 1 : 0;
}

/** A device's time counts unless it is ahead of the receipt. */
function observed(t_us: number | null, received_us: number): number {
  return t_us === null || t_us > received_us ? received_us : t_us;
}

function take(expected: Expected, device: DeviceFacts, { kept, message, machine: id }: Entry): void {
  const received_us = kept.received_ms * 1000;
  const machine =
    id === null || message.values.length + message.faults.length === 0
      ? undefined
      : ensure(expected.machines, id, () => ({
          project_id: message.device.project_id,
          values: new Map(),
          seconds: new Map(),
          faults: null,
          resets: 0,
        }));
  for (const { signal, value, t_us: said } of message.values) {
    const t_us = observed(said, received_us);
    const newest = { value, t_us, position: kept.position };
    if (t_us >= (device.values.get(signal)?.t_us ?? 0)) device.values.set(signal, newest);
    if (machine === undefined) continue;
    const held = machine.values.get(signal);
    if (t_us >= (held?.t_us ?? 0)) {
      if (signalRow(signal).kind === 'meter' && held !== undefined && value < held.value) machine.resets++;
      machine.values.set(signal, { ...newest, device: kept.device });
    }
    const seconds = ensure(machine.seconds, signal, () => new Map<number, Set<number>>());
    ensure(seconds, Math.floor(t_us / 1e6), () => new Set<number>()).add(value);
  }
  for (const { spn, t_us: said } of machine === undefined ? [] : message.faults) {
    const t_us = observed(said, received_us);
    if (machine !== undefined && t_us >= (machine.faults?.t_us ?? 0)) machine.faults = { spn, t_us };
  }
}
