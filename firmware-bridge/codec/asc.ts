/**
 * Reads frames from Vector ASC, the text format of CANalyzer and CANoe. It reads the bytes once, and converts only the header to text, so
 * that it is fast.
 *
 *   date Sam Sep 30 15:06:13.191 2017
 *   base hex  timestamps absolute                  or dec (identifiers and data of classic frames); or relative, to the event before
 *   Begin Triggerblock Sam Sep 30 15:06:13.191 2017
 *     3.098426 1  18EBFF00x   Rx   d 8 01 A0 0F A6 60 3B D1 40   Length = 273910 ...       x marks 29 bits; r for remote
 *    24.986902 CANFD   7 Tx   716  name  1 0 f 64 12 3b ...  0 0 3000 ...                  BRS ESI DLC length data .. flags
 *     2.501000 1  ErrorFrame
 *
 * The times of the lines are seconds since `date`. The reader skips other events (statistics, status, J1939TP, LIN, transmit requests), and
 * counts frames that it cannot read. A channel number is the bus number. In a file of `asc-writer.ts` it may be the bus number plus one; a
 * comment in the header then says so.
 */
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { parseAscDate } from './asc-date.ts';
import { BUS_ERROR, FLAG, ID_29, OUR } from './asc-words.ts';
import { HEX } from './hex.ts';
import type { LogInfo, TextFormat, TextParser } from './log-types.ts';
import { UTC_CLOCK, type WallClock } from './wall-clock.ts';

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const TAB = 9;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const SLASH = 47;
const ZERO = 48;
const LETTER_D = 100;
const LETTER_R = 114;
const LETTER_T = 116;
const LETTER_X = 120;
const LOWER = 32;

const ID_11 = 0x7ff;

/**
 * Buffer for the payload of the current line. All parsers can share it, because JavaScript never runs two calls of `parse` at the same
 * time.
 */
const payload = new Uint8Array(64);

const isSpace = (byte: number | undefined) => byte === SPACE || byte === TAB;
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte < ZERO + 10;

/** Results of reading one line: no frame, a frame, or a frame that cannot be read. */
const OTHER = 0;
const FRAMED = 1;
const BROKEN = 2;

/** Matches the start of a header line, which is a word; other lines start with a time. */
const HEADER = /^(date|base|timestamps|internal|no |begin|end|start|measurement|previous|version)/i;
const LOST_ERROR = /^\/\/ error frame ([0-9A-F]{8})#([0-9A-F]*)( T)?$/;

/** Decodes a line of the header: as UTF-8 if the bytes are valid UTF-8, otherwise as Latin-1. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return String.fromCharCode(...bytes.subarray(0, 200));
  }
}

class AscParser implements TextParser {
  readonly foundInfo: { -readonly [key in keyof LogInfo]?: LogInfo[key] } = { local_time: true };
  private base = 16;
  private relative = false;
  private readonly wall: WallClock;
  /** The date of the header, in microseconds since 1970 of local time; undefined without a date. */
  private wall_us: number | undefined;
  /**
   * The date of the header in UTC. It is undefined until the first event, because a comment after the date may name the time zone of the
   * date.
   */
  private start_us: number | undefined;
  private passed_us = 0;
  /**
   * The difference between channel numbers and bus numbers. It is 1 if `asc-writer.ts` has written the file and its bus numbers begin at 0,
   * otherwise 0.
   */
  private above = 0;
  private lost: { readonly id: number; readonly data: Uint8Array; readonly flags: number } | undefined;
  // Offsets of the current word (`from` up to `to`) and of the end of the line.
  private from = 0;
  private to = 0;
  private end = 0;

  constructor(wall: WallClock) {
    this.wall = wall;
  }

  parse(bytes: Uint8Array, into: FrameBatch): { readonly unparsable: number } {
    const size = bytes.length;
    let unparsable = 0;
    for (let next = 0; next < size; ) {
      let end = bytes.indexOf(NEWLINE, next);
      if (end < 0) end = size;
      let at = next;
      next = end + 1;
      while (end > at && (bytes[end - 1] === RETURN || isSpace(bytes[end - 1]))) end--;
      while (at < end && isSpace(bytes[at])) at++;
      if (at === end) continue;
      this.end = end;
      const first = bytes[at];
      if (isDigit(first) || first === MINUS) {
        if (this.readEvent(bytes, at, into) === BROKEN) unparsable++;
      } else if (first === SLASH && bytes[at + 1] === SLASH) this.readComment(bytes, at);
      else if (!this.readHeader(textOf(bytes.subarray(at, Math.min(end, at + 200))))) unparsable++;
    }
    return { unparsable };
  }

  private readHeader(line: string): boolean {
    const [word = '', ...rest] = line.split(/\s+/);
    const name = word.toLowerCase();
    if (name === 'date') this.setDate(parseAscDate(line.slice(word.length)) ?? this.wall_us);
    else if (name === 'begin') this.setDate(this.wall_us ?? parseAscDate(rest.slice(1).join(' ')));
    else if (name === 'base') {
      this.base = rest[0]?.toLowerCase() === 'dec' ? 10 : 16;
      this.relative = rest[2]?.toLowerCase() === 'relative';
    } else return HEADER.test(line);
    return true;
  }

  private setDate(wall_us: number | undefined): void {
    this.wall_us = wall_us;
    this.start_us = undefined;
  }

  private begin(): number {
    const { wall_us } = this;
    if (wall_us === undefined) return 0;
    if (this.foundInfo.local_time === false) return wall_us;
    const { us, zone } = this.wall(wall_us);
    this.foundInfo.zone = zone;
    return us;
  }

  private readComment(b: Uint8Array, at: number): void {
    const line = String.fromCharCode(...b.subarray(at, Math.min(this.end, at + 200)));
    const error = LOST_ERROR.exec(line);
    if (error) {
      const [, word = '', pairs = '', sent] = error;
      const flags = FRAME.error | (sent === undefined ? 0 : FRAME.transmitted);
      const data = Uint8Array.from(pairs.match(/../g)?.slice(0, 64) ?? [], (pair) => Number.parseInt(pair, 16));
      this.lost = { id: Number.parseInt(word, 16) & ID_29, data, flags };
      return;
    }
    const version = /^\/\/ version (\d[\d.]{0,20})/.exec(line);
    if (version) this.foundInfo.tool = `ASC ${version[1]}`;
    if (line.includes(OUR.zone)) this.foundInfo.local_time = false;
    if (line.includes(OUR.channel)) this.above = 1;
  }

  /** Moves to the next word of the line; returns false at the end of the line. */
  private word(b: Uint8Array): boolean {
    const { end } = this;
    let at = this.to;
    while (at < end && isSpace(b[at])) at++;
    this.from = at;
    while (at < end && !isSpace(b[at])) at++;
    this.to = at;
    return at > this.from;
  }

  /** Reads the current word as a number in base 10 or 16; returns -1 if the word is not a number. */
  private number(b: Uint8Array, base: number, to = this.to): number {
    let value = 0;
    if (to === this.from || to - this.from > 10) return -1;
    for (let at = this.from; at < to; at++) {
      const digit = HEX[b[at] as number] as number;
      if (digit >= base) return -1;
      value = value * base + digit;
    }
    return value;
  }

  private is(b: Uint8Array, text: string): boolean {
    if (this.to - this.from !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (b[this.from + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** Reads the direction `Rx` or `Tx` as frame flags; returns -1 for a transmit request (`TxRq`), -2 for anything else. */
  private direction(b: Uint8Array): number {
    const first = (b[this.from] as number) | LOWER;
    if ((first !== LETTER_R && first !== LETTER_T) || ((b[this.from + 1] as number) | LOWER) !== LETTER_X) return -2;
    if (this.to - this.from === 2) return first === LETTER_T ? FRAME.transmitted : 0;
    return first === LETTER_T ? -1 : -2;
  }

  /** Reads the time at the start of a line; returns NaN when the line has no time. */
  private time(b: Uint8Array, from: number): number {
    const { end } = this;
    const negative = b[from] === MINUS;
    let at = negative ? from + 1 : from;
    let seconds = 0;
    while (at < end && isDigit(b[at])) seconds = seconds * 10 + (b[at++] as number) - ZERO;
    let micro = 0;
    if (b[at] === DOT || b[at] === COMMA) {
      let digits = 0;
      for (at++; at < end && isDigit(b[at]); at++) if (digits++ < 6) micro = micro * 10 + (b[at] as number) - ZERO;
      for (; digits < 6; digits++) micro *= 10;
    }
    this.to = at;
    if (!isSpace(b[at]) || at >= end || seconds > 1e10) return Number.NaN;
    const us = seconds * 1e6 + micro;
    return negative ? -us : us;
  }

  private readEvent(b: Uint8Array, at: number, into: FrameBatch): number {
    const time = this.time(b, at);
    if (Number.isNaN(time) || !this.word(b)) return BROKEN;
    this.passed_us = this.relative ? this.passed_us + time : time;
    this.start_us ??= this.begin();
    const t = Math.max(0, this.start_us + this.passed_us);
    if (this.is(b, 'CANFD')) return this.readFd(b, t, into);
    // CAN XL lines have a form that this reader does not know. Such a line may contain a classic frame, so count it as a frame that cannot
    // be read.
    if (this.is(b, 'CANXL')) return BROKEN;
    const channel = this.number(b, 10);
    if (channel < 0 || !this.word(b)) return OTHER;
    if (this.is(b, 'ErrorFrame')) return this.pushError(t, channel, into);
    const extended = ((b[this.to - 1] as number) | LOWER) === LETTER_X;
    const id = this.number(b, this.base, extended ? this.to - 1 : this.to);
    if (!this.word(b)) return OTHER;
    const direction = this.direction(b);
    if (direction < 0) return id < 0 || direction === -1 ? OTHER : BROKEN;
    if (id < 0 || id > (extended ? ID_29 : ID_11) || !this.word(b)) return BROKEN;
    const kind = this.to - this.from === 1 ? (b[this.from] as number) | LOWER : 0;
    const flags = direction | (extended ? FRAME.extended : 0);
    if (kind === LETTER_R) {
      const length = this.word(b) && this.to - this.from === 1 ? Math.min(8, Math.max(0, this.number(b, 16))) : 0;
      payload.fill(0, 0, length);
      return this.push(t, channel, id, flags | FRAME.remote, length, into);
    }
    if (kind !== LETTER_D || !this.word(b)) return BROKEN;
    const code = this.number(b, 16);
    if (code < 0 || code > 15) return BROKEN;
    const length = Math.min(8, code);
    if (!this.readData(b, length, this.base)) return BROKEN;
    return this.push(t, channel, id, flags, length, into);
  }

  private readData(b: Uint8Array, length: number, base: number): boolean {
    for (let i = 0; i < length; i++) {
      const byte = this.word(b) ? this.number(b, base) : -1;
      if (byte < 0 || byte > 255) return false;
      payload[i] = byte;
    }
    return true;
  }

  /**
   * Reads a CANFD line from its channel on. A CANFD line may also contain a classic frame. The identifier, the data and the flags are
   * hexadecimal.
   */
  private readFd(b: Uint8Array, t: number, into: FrameBatch): number {
    const channel = this.word(b) ? this.number(b, 10) : -1;
    if (channel < 0 || !this.word(b)) return BROKEN;
    const direction = this.direction(b);
    if (direction < 0 || !this.word(b)) return direction === -1 ? OTHER : BROKEN;
    if (this.is(b, 'ErrorFrame')) return this.pushError(t, channel, into);
    const extended = ((b[this.to - 1] as number) | LOWER) === LETTER_X;
    const id = this.number(b, 16, extended ? this.to - 1 : this.to);
    if (id < 0 || id > (extended ? ID_29 : ID_11) || !this.word(b)) return BROKEN;
    // Some CANFD lines have the symbolic name of the message before the bit rate switch.
    if (this.to - this.from > 1 || !isDigit(b[this.from])) this.word(b);
    const brs = this.number(b, 10);
    const esi = this.word(b) ? this.number(b, 10) : -1;
    const code = this.word(b) ? this.number(b, 16) : -1;
    const length = this.word(b) ? this.number(b, 10) : -1;
    if (brs < 0 || brs > 1 || esi < 0 || esi > 1 || code < 0 || code > 15 || length < 0 || length > 64) return BROKEN;
    if (!this.readData(b, length, 16)) return BROKEN;
    const lineFlags = this.word(b) && this.word(b) && this.word(b) ? this.number(b, 16) : FLAG.fd;
    let flags = direction | (extended ? FRAME.extended : 0);
    if (length > 8 || brs === 1 || lineFlags & FLAG.fd)
      flags |= FRAME.fd | (brs === 1 || lineFlags & FLAG.brs ? FRAME.brs : 0);
    else if (lineFlags & FLAG.remote) {
      const asked = Math.min(8, code);
      payload.fill(0, 0, asked);
      return this.push(t, channel, id, flags | FRAME.remote, asked, into);
    }
    return this.push(t, channel, id, flags, length, into);
  }

  private push(t: number, channel: number, id: number, flags: number, length: number, into: FrameBatch): number {
    into.push(t, Math.max(0, channel - this.above) & 0xff, id, flags, payload, 0, length);
    return FRAMED;
  }

  private pushError(t: number, channel: number, into: FrameBatch): number {
    const { lost } = this;
    this.lost = undefined;
    if (lost === undefined) return this.push(t, channel, BUS_ERROR, FRAME.error, 0, into);
    payload.set(lost.data);
    return this.push(t, channel, lost.id, lost.flags, lost.data.length, into);
  }
}

const HEAD_LINES = 100;
const MARK = /^\s*(date\s+\S|base\s+(hex|dec)\b|begin\s+triggerblock)/i;

/** The format Vector ASC, as `log-file.ts` needs it. */
export const ASC: TextFormat = {
  format: 'asc',
  clock: 'host',
  recognise(head) {
    const lines = String.fromCharCode(...head.subarray(0, 8192)).split('\n', HEAD_LINES);
    if (lines.some((line) => MARK.test(line))) return true;
    const frames = new FrameBatch();
    new AscParser(UTC_CLOCK).parse(head.subarray(0, 8192), frames);
    return frames.count > 0;
  },
  create: (wall = UTC_CLOCK) => new AscParser(wall),
};
