/** What simulated devices say, as bytes and as what they mean: the bytes go to the gateway, the meaning to the model. */
import { encodeBinary } from '#codec/can-binary.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity, UpTopic } from '#contract/fleet/ingest.ts';

/** When a device says that something was: a date of its clock, or null and so long before the receipt. */
export interface When {
  readonly t_us: number | null;
  readonly before_us: number;
}

/** One value. */
export interface Said extends When {
  readonly signal: SignalName;
  readonly value: number;
}

/** A trouble code table with one code, or with none when `spn` is 0. */
export interface SaidFaults extends When {
  readonly spn: number;
}

/** One message that a device made once, however often it is sent. */
export interface Message {
  readonly uid: number;
  readonly device: DeviceIdentity;
  readonly topic: UpTopic;
  readonly payload: Buffer;
  readonly packet_id: number;
  /** Only the sender's mark tells a repeat of this: the network does not repeat it by itself. */
  readonly plain: boolean;
  readonly values: readonly Said[];
  readonly faults: readonly SaidFaults[];
  readonly frames: number;
  readonly points: number;
  /** Lines or payloads that are none. */
  readonly broken: number;
  readonly event: { readonly id: string | null } | null;
  /** The code that reads it throws. */
  readonly poison: boolean;
  /** The store does not take what is made of it. */
  readonly unstorable: boolean;
}

type Content = Omit<Message, 'uid' | 'device' | 'packet_id'>;

const NOTHING = {
  values: [],
  faults: [],
  frames: 0,
  points: 0,
  broken: 0,
  event: null,
  plain: false,
  poison: false,
  unstorable: false,
} as const;

/** One instant of a machine's bus. */
export interface Instant {
  /** Microseconds since 1970, by the device's clock. */
  readonly t_us: number;
  /** In steps of 0.05 h. */
  readonly hours: number;
  /** In steps of 0.125 rpm. */
  readonly speed: number;
  readonly spn: number;
}

const FRAMES = 3;

export type CanForm = 'json' | 'binary' | 'log' | 'console';

function little(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

/** EEC1 (group 61444), HOURS (65253) and DM1 (65226). */
function framesOf({ hours, speed, spn }: Instant, sa: number): [id: number, data: Buffer][] {
  const code = spn === 0 ? [0, 0, 0, 0] : [...little(spn, 2), (Math.floor(spn / 65_536) << 5) | 3, 1];
  return [
    [0x0cf00400 + sa, Buffer.from([255, 255, 255, ...little(speed, 2), 255, 255, 255])],
    [0x18fee500 + sa, Buffer.from([...little(hours, 4), 255, 255, 255, 255])],
    [0x18feca00 + sa, Buffer.from([4, 255, ...code, 255, 255])],
  ];
}

const hexId = (id: number) => id.toString(16).toUpperCase().padStart(8, '0');

/** Microseconds since a device without a date was switched on: any that no date has. */
const SWITCHED_ON_US = 10_000_000;

function canPayload(given: readonly Instant[], sa: number, form: CanForm, seq: number, dated: boolean): Buffer {
  const start = (given[0] as Instant).t_us - SWITCHED_ON_US;
  const instants = dated ? given : given.map((instant) => ({ ...instant, t_us: instant.t_us - start }));
  if (form === 'binary') {
    const batch = new FrameBatch(FRAMES * instants.length);
    for (const instant of instants) {
      for (const [id, data] of framesOf(instant, sa)) batch.push(instant.t_us, 0, id, FRAME.extended, data, 0, 8);
    }
    return Buffer.from(encodeBinary(batch, seq));
  }
  const all = instants.flatMap((instant) => framesOf(instant, sa).map(([id, data]) => ({ t: instant.t_us, id, data })));
  if (form === 'json') {
    const frames = all.map(({ t, id, data }) => ({
      ...(dated ? { t } : {}),
      bus: 0,
      id: hexId(id),
      data: data.toString('hex'),
    }));
    return Buffer.from(JSON.stringify({ seq, frames }));
  }
  const lines = all.map(({ t, id, data }) => {
    const text = data.toString('hex').toUpperCase();
    if (form === 'log') {
      return `(${Math.floor(t / 1e6)}.${String(t % 1e6).padStart(6, '0')}) can0 ${hexId(id)}#${text}`;
    }
    return `  can0  ${hexId(id)}   [8]  ${text.match(/../g)?.join(' ')}`;
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** A batch of frames; `seq` numbers those forms that have a number. Without a date times are those since the device was switched on. */
export function canMessage(
  instants: readonly Instant[],
  sa: number,
  form: CanForm,
  seq: number,
  dated: boolean,
): Content {
  const end = (instants.at(-1) as Instant).t_us;
  // Text of the console has no time, JSON without a date none either.
  const told = form === 'binary' || form === 'log';
  const when = ({ t_us }: Instant): When =>
    dated && form !== 'console' ? { t_us, before_us: 0 } : { t_us: null, before_us: told ? end - t_us : 0 };
  return {
    ...NOTHING,
    topic: 'can',
    payload: canPayload(instants, sa, form, seq, dated),
    plain: form === 'console' || (form === 'log' && !dated),
    frames: FRAMES * instants.length,
    values: instants.flatMap((instant) => [
      { signal: 'engine.speed', value: instant.speed * 0.125, ...when(instant) },
      { signal: 'engine.hours', value: instant.hours * 0.05, ...when(instant) },
    ]),
    faults: instants.map((instant) => ({ spn: instant.spn, ...when(instant) })),
  };
}

/** Points of one signal; without `times` they count as of receipt. */
export function pointsMessage(
  signal: SignalName,
  points: readonly { readonly t_ms: number; readonly value: number; readonly seq: number }[],
  form: { readonly times: boolean; readonly numbers: boolean },
): Content {
  const list = points.map(({ t_ms, value, seq }) => ({
    ...(form.times ? { observed_at: new Date(t_ms).toISOString() } : {}),
    ...(form.numbers ? { seq } : {}),
    values: { [signal]: value },
  }));
  return {
    ...NOTHING,
    topic: 'telemetry',
    payload: Buffer.from(JSON.stringify(list)),
    plain: !form.times && !form.numbers,
    points: points.length,
    values: points.map(({ t_ms, value }) => ({ signal, value, t_us: form.times ? t_ms * 1000 : null, before_us: 0 })),
  };
}

const UNSTORABLE = 'unstorable';

/** True when the store does not take such data, whatever is tried. */
export function isUnstorable(data: object): boolean {
  return JSON.stringify(data).includes(UNSTORABLE);
}

/** An entry of the device's own log, with an id of its own or without. */
export function eventMessage(id: string | null, uid: number, unstorable = false): Content {
  const data = unstorable ? { uid, [UNSTORABLE]: true } : { uid };
  const event = { type: 'x.sim', data, ...(id === null ? {} : { id }) };
  const payload = Buffer.from(JSON.stringify(event));
  return { ...NOTHING, topic: 'events', payload, plain: id === null, event: { id }, unstorable };
}

/** What a device says of itself. */
export function statusMessage(uid: number): Content {
  const payload = Buffer.from(JSON.stringify({ status: 'online', uid }));
  return { ...NOTHING, topic: 'status', payload };
}

const POISON = 'poison';

/** Bytes that the gateway's code cannot digest. */
export function poisonMessage(uid: number): Content {
  return { ...NOTHING, topic: 'can', payload: Buffer.from(`${POISON} ${uid}`), poison: true };
}

/** Throws when this is such a message. */
export function digest(payload: Uint8Array): void {
  if (Buffer.from(payload.buffer, payload.byteOffset, payload.length).includes(POISON)) throw new Error('indigestible');
}

/** Bytes that mean nothing, on a topic that should. */
export function brokenMessage(topic: 'can' | 'telemetry', uid: number): Content {
  return { ...NOTHING, topic, payload: Buffer.from(`no message ${uid}`), broken: 1, plain: true };
}
