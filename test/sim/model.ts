/**
 * What must be known after a list of messages in journal order, worked out from what they mean and not from their bytes: a message
 * counts once, the newest value in observed time stands, every second of a signal has a sample. What has no date is newer than what
 * was said before it, and older than the date that is said next; a meter that cannot have grown so fast is believed at its second
 * reading; and when the gateway's clock is set back, what was known from beyond is known as of then.
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { Message, When } from './messages.ts';
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
  value: number;
  t_us: number;
  /** The newest date that was said. */
  dated_us: number;
}

/** A reading of a meter that is not believed yet, and one that is. */
interface Read {
  readonly value: number;
  t_us: number;
  readonly received_us: number;
}

interface MachineValue extends Value {
  device: string;
  received_us: number;
  doubted: Read | null;
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
  readonly values: Map<SignalName, MachineValue>;
  /** Values that may stand for each second since 1970. */
  readonly seconds: Map<SignalName, Map<number, Set<number>>>;
  /** Null before the first table. */
  faults: { spn: number; t_us: number; dated_us: number } | null;
  /** Falls and jumps of meters that were believed. */
  resets: number;
}

export interface Expected {
  readonly devices: Map<string, DeviceFacts>;
  readonly machines: Map<string, MachineFacts>;
  /** Own ids of events in the log. */
  readonly events: Set<string>;
  /** Entries without an id of their own. */
  plainEvents: number;
  /** Own ids of events that the store does not take; and how many without one. */
  readonly unstorable: Set<string>;
  unstorablePlain: number;
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
    unstorable: new Set(),
    unstorablePlain: 0,
    loose: new Set(),
  };
  private readonly seen = new Map<number, Entry>();
  private readonly believing: boolean;

  /** `believing`: every reading of a meter, on purpose. */
  constructor(believing: boolean) {
    this.believing = believing;
  }

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
    setBack(device.values.values(), kept.received_ms * 1000);
    const machine = entry.machine === null ? undefined : expected.machines.get(entry.machine);
    if (machine !== undefined) {
      setBack(machine.values.values(), kept.received_ms * 1000);
      if (machine.faults !== null) setBack([machine.faults], kept.received_ms * 1000);
    }
    const before = seen.get(message.uid);
    seen.set(message.uid, entry);
    if (before !== undefined) {
      if (entry.life !== before.life && entry.uptime - before.uptime > KNOWN_MS) expected.loose.add(kept.device);
      device.duplicates += repeats(message, kept);
      return;
    }
    device.frames += message.frames;
    if (message.event !== null) {
      const { id } = message.event;
      if (id !== null) (message.unstorable ? expected.unstorable : expected.events).add(`${kept.device}\n${id}`);
      else if (message.unstorable) expected.unstorablePlain++;
      else expected.plainEvents++;
    }
    take(expected, device, entry, this.believing);
  }
}

/** What a repeat adds to the counter of duplicates. */
function repeats(message: Message, kept: Kept): number {
  if (message.topic === 'can') return message.broken > 0 && !kept.repeat ? 0 : Math.max(1, message.frames);
  if (message.topic === 'telemetry') return message.points;
  return message.topic === 'events' && kept.repeat ? 1 : 0;
}

const SECOND = 1e6;
/** A date further ahead than this is none. */
const AHEAD = 300 * SECOND;

/** The gateway's clock says now: nothing is known from more than a second beyond. */
function setBack(known: Iterable<{ t_us: number; dated_us: number; doubted?: Read | null }>, now_us: number): void {
  const limited = (t_us: number) => (t_us > now_us + SECOND ? now_us : t_us);
  for (const one of known) {
    one.t_us = limited(one.t_us);
    one.dated_us = limited(one.dated_us);
    if (one.doubted) one.doubted.t_us = limited(one.doubted.t_us);
  }
}

interface Told {
  readonly t_us: number;
  readonly isDated: boolean;
}

/** A device's date counts unless it is ahead of the receipt; without one it is as long ago as it says. */
function told({ t_us, before_us }: When, received_us: number): Told {
  if (t_us === null) return { t_us: Math.max(0, received_us - before_us), isDated: false };
  return { t_us: Math.min(t_us, received_us), isDated: t_us <= received_us + AHEAD };
}

/** When this is newer than what is known: its time and its date; undefined when it is late. */
function newer(known: { t_us: number; dated_us: number } | undefined, { t_us, isDated }: Told) {
  if (known === undefined) return { t_us, dated_us: isDated ? t_us : -1 };
  if (isDated) return t_us < known.dated_us ? undefined : { t_us, dated_us: t_us };
  return { t_us: Math.max(t_us, known.t_us), dated_us: known.dated_us };
}

/** What a meter may grow at once, and in an hour. */
const GROWTH: Partial<Record<SignalName, readonly [number, number]>> = {
  'engine.hours': [1, 1.05],
  'engine.idle_hours': [1, 1.05],
  'engine.fuel_used': [50, 1000],
  'vehicle.odometer': [10, 200],
};

function canFollow(signal: SignalName, before: Read, now: Read): boolean {
  const growth = GROWTH[signal];
  if (growth === undefined) return true;
  const hours = Math.max(0, now.t_us - before.t_us, now.received_us - before.received_us) / (3600 * SECOND);
  return now.value >= before.value && now.value - before.value <= growth[0] + growth[1] * hours;
}

function take(
  expected: Expected,
  device: DeviceFacts,
  { kept, message, machine: id }: Entry,
  believing: boolean,
): void {
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
  for (const said of message.values) {
    const { signal, value } = said;
    const when = told(said, received_us);
    const seen = newer(device.values.get(signal), when);
    if (seen !== undefined) device.values.set(signal, { value, ...seen });
    if (machine === undefined) continue;
    if (!read(machine, signal, value, when, received_us, kept.device, believing)) continue;
    const seconds = ensure(machine.seconds, signal, () => new Map<number, Set<number>>());
    ensure(seconds, Math.floor(when.t_us / SECOND), () => new Set<number>()).add(value);
  }
  for (const said of machine === undefined ? [] : message.faults) {
    if (machine === undefined) continue;
    const now = newer(machine.faults ?? undefined, told(said, received_us));
    if (now !== undefined) machine.faults = { spn: said.spn, ...now };
  }
}

/** Takes a machine's reading; false when it is not believed. */
function read(
  machine: MachineFacts,
  signal: SignalName,
  value: number,
  when: Told,
  received_us: number,
  device: string,
  believing: boolean,
): boolean {
  const known = machine.values.get(signal);
  const now = newer(known, when);
  if (now === undefined) return true;
  const reading = { value, t_us: now.t_us, received_us };
  if (!believing && known !== undefined && !canFollow(signal, known, reading)) {
    if (known.doubted === null || !canFollow(signal, known.doubted, reading)) {
      known.doubted = reading;
      return false;
    }
    machine.resets++;
  }
  machine.values.set(signal, { value, ...now, device, received_us, doubted: null });
  return true;
}
