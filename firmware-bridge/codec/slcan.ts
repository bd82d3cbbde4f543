/**
 * Reads and writes SLCAN, the text protocol of serial CAN adapters (Lawicel, CANable, CANdapter, the Linux slcan driver). The parser goes
 * once over the bytes and creates no strings for frames, so that it is fast.
 *
 *   tIIIL[DD..][TTTT]       11 bits, data          rIIIL         remote         dIIIL.. bIIIL..   CAN FD, with bit rate switch
 *   TIIIIIIIIL[DD..][TTTT]  29 bits, data (also x) RIIIIIIIIL    remote         DIIIIIIIIL.. B..
 *   e<n>[abBcfoOs]..  errors        s[awpb]RRRTTT  state and error counters     Fxx  status flags
 *
 * L is the length and DD a byte. CR or BEL ends each message. An empty message answers a command: CR means accepted, BEL means refused.
 * TTTT is a time stamp of the adapter in milliseconds, which begins again at 0 after 60,000.
 *
 * The time of a frame is its time stamp plus an offset between the clock of the adapter and the clock of this host. The code calls this
 * offset the anchor. The anchor is the smallest difference between the arrival of a frame and its stamp, so no frame gets a time after its
 * arrival. If the clock of the adapter is slow, this difference grows with time. So the parser raises the anchor by 500 µs each second; the
 * next smaller difference lowers it again. When the clock of the adapter jumps, the parser computes a new anchor. Frames without stamps are
 * spread evenly over the time since the previous frame.
 */
import { FRAME, type FrameBatch, MAX_DATA } from '#contract/fleet/frame.ts';
import { HEX } from './hex.ts';

const LF = 10;
const CR = 13;
const BEL = 7;

/**
 * Length in characters of the longest message: `B`, eight digits of the identifier, the length code, 64 bytes and a time stamp. The
 * parser discards a longer message up to its end.
 */
const LONGEST = 1 + 8 + 1 + 2 * MAX_DATA + 4;
const FD_LENGTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64] as const;
const ID_11 = 0x7ff;
const ID_29 = 0x1fffffff;

const { extended, remote, fd, brs } = FRAME;
/** The flags of a frame by the first letter of its message; -1 if a message with this letter is not a frame. */
const LETTERS = new Int16Array(256).fill(-1);
const FORMS = { t: 0, T: extended, x: extended, r: remote, R: extended | remote } as const;
const FD_FORMS = { d: fd, D: extended | fd, b: fd | brs, B: extended | fd | brs } as const;
for (const [letter, flags] of Object.entries({ ...FORMS, ...FD_FORMS })) LETTERS[letter.charCodeAt(0)] = flags;

/** Milliseconds after which the time stamps of an adapter begin again at 0. */
const WRAP_MS = 60_000;
/**
 * Largest accepted difference between the computed time of a frame and its arrival, in microseconds. If the difference is larger, the
 * parser computes a new anchor.
 */
const LEAP_US = 2_000_000;
/**
 * By how much the anchor grows, in microseconds per microsecond. This is more than the drift between two real clocks, so the anchor can
 * follow any adapter.
 */
const ANCHOR_DRIFT = 0.0005;
/**
 * Longest interval in microseconds that the parser puts between two frames without stamps. An extended frame of eight bytes at 10 kbit/s,
 * the slowest bit rate, takes this time on the bus.
 */
const SLOWEST_FRAME_US = 16_000;

/** A message of the adapter that is not a frame, for example the answer to a command. */
export interface SlcanAnswer {
  /** `ok` and `refused` answer a command; `sent` confirms a sent frame; messages of the other kinds have content in `text`. */
  readonly kind: 'ok' | 'refused' | 'sent' | 'version' | 'serial' | 'flags' | 'state' | 'error';
  readonly text: string;
}

/** Error state of the CAN controller of the adapter (ISO 11898-1, fault confinement). */
export type BusState = 'active' | 'warning' | 'passive' | 'bus_off';

export interface SlcanCounters {
  frames: number;
  bytes: number;
  /** Number of messages with invalid digits, identifiers or lengths. */
  malformed: number;
  overlong: number;
  /** Number of bus errors that the adapter reported. */
  bus_errors: number;
  /** How many times the adapter reported a full buffer, which means that it lost frames. */
  overruns: number;
}

const STATES: Readonly<Record<string, BusState>> = { a: 'active', w: 'warning', p: 'passive', b: 'bus_off' };
const ANSWERS: Readonly<Record<string, SlcanAnswer['kind']>> = { V: 'version', v: 'version', N: 'serial', F: 'flags' };
/** Bits of the status flags, which an adapter sends as `Fxx` in answer to the command `F`. */
const FLAG = { receiveFull: 1, warning: 4, overrun: 8, passive: 32, busError: 128 } as const;

const payload = new Uint8Array(MAX_DATA);

/** Parses the byte stream of one adapter into frames, answers and counters. */
export class SlcanParser {
  readonly counters: SlcanCounters = { frames: 0, bytes: 0, malformed: 0, overlong: 0, bus_errors: 0, overruns: 0 };
  /** The error state of the CAN controller; null until the adapter has reported a state. */
  state: BusState | null = null;
  private readonly bus: number;
  private readonly answer: ((answer: SlcanAnswer) => void) | undefined;
  private readonly rest = new Uint8Array(LONGEST);
  private restLength = 0;
  private discarding = false;
  /**
   * The status flags in the last `F` answer. An adapter repeats a flag in each answer while the flag is set, so the parser counts a flag
   * only when it was not set in the answer before.
   */
  private flags = 0;
  /**
   * The next four fields are the state of the adapter's clock: the last stamp (-1 before the first), this stamp as a continuous time, the
   * arrival of the frame with this stamp, and the anchor (see the top of this file).
   */
  private stamp = -1;
  private stamped_us = 0;
  private arrived_us = 0;
  private anchor_us = 0;
  /** Time of the newest frame, microseconds since 1970. */
  private newest_us = 0;
  private stampOf = -1;

  constructor(options: { readonly bus?: number; readonly answer?: (answer: SlcanAnswer) => void } = {}) {
    this.bus = options.bus ?? 0;
    this.answer = options.answer;
  }

  /** Discards the incomplete message and the anchor; call this after the port was opened again. */
  reset(): void {
    this.restLength = 0;
    this.discarding = false;
    this.stamp = -1;
    this.state = null;
    this.flags = 0;
  }

  /** Adds the frames of the next chunk to `into`. The chunk arrived at `arrivalUs`, in microseconds since 1970. */
  parse(bytes: Uint8Array, into: FrameBatch, arrivalUs: number): void {
    const first = into.count;
    let unstamped = 0;
    const size = bytes.length;
    this.counters.bytes += size;
    let from = 0;
    while (from < size) {
      let end = from;
      while (end < size && bytes[end] !== CR && bytes[end] !== BEL) end++;
      if (end === size) {
        this.keep(bytes, from, size);
        break;
      }
      const no = bytes[end] === BEL;
      if (this.discarding) this.discarding = false;
      else if (this.restLength > 0) {
        this.keep(bytes, from, end);
        if (this.discarding) this.discarding = false;
        else unstamped += this.take(this.rest, 0, this.restLength, no, into, arrivalUs);
        this.restLength = 0;
      } else unstamped += this.take(bytes, from, end, no, into, arrivalUs);
      from = end + 1;
    }
    if (into.count === first) return;
    if (unstamped === into.count - first) this.spread(into, first, arrivalUs);
    else this.settle(into, first, arrivalUs);
  }

  /** Buffers the start of a message that has not arrived completely. */
  private keep(bytes: Uint8Array, from: number, to: number): void {
    if (this.discarding) return;
    if (this.restLength + to - from > LONGEST) {
      this.counters.overlong++;
      this.discarding = true;
      this.restLength = 0;
      return;
    }
    this.rest.set(bytes.subarray(from, to), this.restLength);
    this.restLength += to - from;
  }

  /** Processes one message; CR or BEL at its end is already removed. Returns 1 for a frame without a time stamp, otherwise 0. */
  private take(b: Uint8Array, start: number, to: number, no: boolean, into: FrameBatch, arrivalUs: number): number {
    let from = start;
    while (from < to && b[from] === LF) from++;
    if (from === to) {
      this.answer?.({ kind: no ? 'refused' : 'ok', text: '' });
      return 0;
    }
    const flags = LETTERS[b[from] as number] as number;
    if (flags < 0) {
      this.takeOther(b, from, to);
      return 0;
    }
    if (!this.readFrame(b, from + 1, to, flags, into, arrivalUs)) {
      if (to - from > LONGEST) this.counters.overlong++;
      else this.counters.malformed++;
      return 0;
    }
    this.counters.frames++;
    return this.stampOf < 0 ? 1 : 0;
  }

  private readFrame(
    b: Uint8Array,
    from: number,
    to: number,
    flags: number,
    into: FrameBatch,
    arrivalUs: number,
  ): boolean {
    const digits = (flags & extended) === 0 ? 3 : 8;
    let at = from + digits;
    if (at >= to) return false;
    let id = 0;
    let wrong = 0;
    for (let i = from; i < at; i++) {
      const digit = HEX[b[i] as number] as number;
      wrong |= digit;
      id = (id << 4) | (digit & 15);
    }
    id >>>= 0;
    const code = HEX[b[at++] as number] as number;
    wrong |= code;
    if (wrong > 15 || id > (digits === 3 ? ID_11 : ID_29)) return false;
    const isFd = (flags & fd) !== 0;
    if (!isFd && code > 8) return false;
    const len = isFd ? (FD_LENGTHS[code] as number) : code;
    const isRemote = (flags & remote) !== 0;
    const end = isRemote ? at : at + 2 * len;
    if (end > to) return false;
    if (isRemote) payload.fill(0, 0, len);
    else
      for (let k = 0; at < end; k++, at += 2) {
        const high = HEX[b[at] as number] as number;
        const low = HEX[b[at + 1] as number] as number;
        wrong |= high | low;
        payload[k] = (high << 4) | low;
      }
    this.stampOf = -1;
    if (to !== end) {
      if (to !== end + 4) return false;
      let stamp = 0;
      for (let i = end; i < to; i++) {
        const digit = HEX[b[i] as number] as number;
        wrong |= digit;
        stamp = (stamp << 4) | (digit & 15);
      }
      this.stampOf = stamp;
    }
    if (wrong > 15 || this.stampOf >= WRAP_MS) return false;
    const t = this.stampOf < 0 ? Number.POSITIVE_INFINITY : this.adapterTime(this.stampOf, arrivalUs);
    into.push(t, this.bus, id, flags, payload, 0, len);
    return true;
  }

  /** Converts a stamp, which begins again after 60,000 ms, to a continuous time in microseconds, and updates the anchor. */
  private adapterTime(stamp: number, arrivalUs: number): number {
    if (this.stamp < 0) {
      this.stamped_us = stamp * 1000;
      this.anchor_us = arrivalUs - this.stamped_us;
    } else {
      const passed = arrivalUs - this.arrived_us;
      let step = stamp - this.stamp;
      // Only a large step back means that the stamps began again at 0. A small step back means that two stamps arrived out of order.
      if (step < -WRAP_MS / 2) step += WRAP_MS;
      const wraps = Math.round((passed / 1000 - step) / WRAP_MS);
      this.stamped_us += (step + Math.max(0, wraps) * WRAP_MS) * 1000;
      this.anchor_us += Math.max(0, passed) * ANCHOR_DRIFT;
    }
    this.stamp = stamp;
    this.arrived_us = arrivalUs;
    const late = arrivalUs - (this.anchor_us + this.stamped_us);
    if (late < 0 || late > LEAP_US) this.anchor_us = arrivalUs - this.stamped_us;
    return this.stamped_us;
  }

  /** Converts the times of the frames in a chunk from the adapter's clock to the host's clock. A frame without stamp gets its arrival. */
  private settle(into: FrameBatch, first: number, arrivalUs: number): void {
    const { t, count } = into;
    const earliest = arrivalUs - LEAP_US;
    for (let i = first; i < count; i++)
      t[i] = Math.max(earliest, Math.min(arrivalUs, (t[i] as number) + this.anchor_us));
    this.newest_us = t[count - 1] as number;
  }

  /**
   * Gives frames without stamps different times between the previous frame and `arrivalUs`. With equal times they would look like
   * duplicates of one frame.
   */
  private spread(into: FrameBatch, first: number, arrivalUs: number): void {
    const { t, count } = into;
    const since = arrivalUs - this.newest_us;
    const gap = since > 0 ? Math.min(since / (count - first), SLOWEST_FRAME_US) : 0;
    for (let i = first; i < count; i++) t[i] = arrivalUs - (count - 1 - i) * gap;
    this.newest_us = arrivalUs;
  }

  /** Processes a message that is not a frame: an answer, an error or a state. */
  private takeOther(b: Uint8Array, from: number, to: number): void {
    const { counters } = this;
    if (to - from > LONGEST) {
      counters.overlong++;
      return;
    }
    const text = String.fromCharCode(...b.subarray(from, to));
    const letter = text.charAt(0);
    if (text === 'z' || text === 'Z') this.answer?.({ kind: 'sent', text });
    else if (letter === 'e' && /^e[1-9][abBcfoOs]+$/.test(text) && text.length === 2 + Number(text[1])) {
      counters.bus_errors += [...text.slice(2)].filter((one) => one !== 'o' && one !== 'O').length;
      if (text.includes('o')) counters.overruns++;
      this.answer?.({ kind: 'error', text });
    } else if (letter === 's' && /^s[awpb]\d{6}$/.test(text)) {
      this.state = STATES[text.charAt(1)] ?? null;
      this.answer?.({ kind: 'state', text });
    } else if (letter === 'F' && /^F[0-9A-Fa-f]{2}$/.test(text)) {
      this.takeFlags(Number.parseInt(text.slice(1), 16));
      this.answer?.({ kind: 'flags', text });
    } else if (ANSWERS[letter] !== undefined && /^[VvN][\x20-\x7e]{1,40}$/.test(text))
      this.answer?.({ kind: ANSWERS[letter], text });
    else counters.malformed++;
  }

  private takeFlags(flags: number): void {
    const risen = flags & ~this.flags;
    this.flags = flags;
    if (risen & (FLAG.overrun | FLAG.receiveFull)) this.counters.overruns++;
    if (risen & FLAG.busError) this.counters.bus_errors++;
    this.state = flags & FLAG.passive ? 'passive' : flags & FLAG.warning ? 'warning' : 'active';
  }
}

/** The commands `S0` to `S9` by the bit rate in bit/s that they set. Manufacturers differ in S7 (800 or 750) and S9. */
export const SLCAN_RATES: ReadonlyMap<number, string> = new Map([
  [10_000, 'S0'],
  [20_000, 'S1'],
  [50_000, 'S2'],
  [100_000, 'S3'],
  [125_000, 'S4'],
  [250_000, 'S5'],
  [500_000, 'S6'],
  [800_000, 'S7'],
  [1_000_000, 'S8'],
  [83_333, 'S9'],
]);

const DIGITS = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));
const letter = (flags: number): string => {
  const upper = (flags & extended) !== 0;
  const small = flags & fd ? (flags & brs ? 'b' : 'd') : flags & remote ? 'r' : 't';
  return upper ? small.toUpperCase() : small;
};

/**
 * Returns the frames with index `from` to `to - 1` as SLCAN text. An adapter sends this text for received frames, and accepts the same text
 * as a command to send a frame. If `stamps` is true, each frame ends with its time in milliseconds modulo 60,000. The function leaves out
 * error frames, because SLCAN has no form for them. It pads a payload to the next length that CAN FD allows.
 */
export function formatSlcan(batch: FrameBatch, from = 0, to = batch.count, stamps = false): Uint8Array {
  let out = new Uint8Array(Math.max(64, (to - from) * 32));
  let at = 0;
  for (let i = from; i < to; i++) {
    const flags = batch.flags[i] as number;
    if (flags & FRAME.error) continue;
    if (at + LONGEST + 1 > out.length) {
      const wider = new Uint8Array(out.length * 2 + LONGEST);
      wider.set(out);
      out = wider;
    }
    out[at++] = letter(flags).charCodeAt(0);
    const id = batch.id[i] as number;
    for (let shift = flags & extended ? 28 : 8; shift >= 0; shift -= 4)
      out[at++] = DIGITS[(id >>> shift) & 15] as number;
    const data = batch.payload(i);
    const code = flags & fd ? FD_LENGTHS.findIndex((length) => length >= data.length) : data.length;
    out[at++] = DIGITS[code] as number;
    if ((flags & remote) === 0) {
      const room = flags & fd ? (FD_LENGTHS[code] as number) : code;
      for (let k = 0; k < room; k++) {
        const byte = data[k] ?? 0;
        out[at++] = DIGITS[byte >> 4] as number;
        out[at++] = DIGITS[byte & 15] as number;
      }
    }
    if (stamps) {
      const ms = Math.floor((batch.t[i] as number) / 1000) % WRAP_MS;
      for (let shift = 12; shift >= 0; shift -= 4) out[at++] = DIGITS[(ms >>> shift) & 15] as number;
    }
    out[at++] = CR;
  }
  return out.subarray(0, at);
}
