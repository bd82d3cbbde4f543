/**
 * Reads and writes candump text. One pass over the bytes, without strings; a line that is no frame is counted and skipped.
 *
 *   (1622547830.084000) can1 18FEEE00#7E6E...      log (-l, -L); FD `##F`, remote `#R4`, `_D` raw DLC, ` R`/` T` direction
 *   (1622547830.084000)  can1  18FEEE00   [8]  7E 6E ...   console; with -x ` RX - -` after the name; the time may be absent
 *   <0x18eeff01> [8] 05 a0 ...                     candump before 2010
 *
 * Three-digit identifiers are 11 bits, eight-digit ones 29; bit 29 of the latter marks an error frame.
 */
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { HEX, NOT_HEX } from './hex.ts';
import type { TextFormat } from './log-types.ts';
import { TextOut } from './text-out.ts';
import { FIRST_DATE_US, settleTimes } from './times.ts';

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const TAB = 9;
const HASH = 35;
const OPEN = 40;
const CLOSE = 41;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;
const LESS = 60;
const GREATER = 62;
const LETTER_B = 66;
const LETTER_R = 82;
const LETTER_T = 84;
const LETTER_X = 88;
const BRACKET_OPEN = 91;
const BRACKET_CLOSE = 93;
const UNDERSCORE = 95;
const LOWER_X = 120;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;

/** Largest payload of a classic frame in bytes. */
const CLASSIC = 8;
const ERROR_BIT = 0x20000000;
const ID_29 = 0x1fffffff;
const ID_11 = 0x7ff;

/** Buffer for one payload. It is shared, because calls of the parser never overlap. */
const payload = new Uint8Array(64);

interface Line {
  t: number;
  bus: number;
  id: number;
  flags: number;
  len: number;
  /** The host that ran candump sent the frame itself. */
  sent: boolean;
  /** The data has the faster bit rate of CAN FD. */
  switched: boolean;
  /** Position after the last part that was read. */
  at: number;
}

const isSpace = (byte: number | undefined) => byte === SPACE || byte === TAB;
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte < ZERO + 10;

function skipSpaces(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

/** Reads the digits of `bytes[from..]` as a number, and sets `line.at` to the position after the last. */
function readDigits(bytes: Uint8Array, from: number, end: number, line: Line): number {
  let at = from;
  let value = 0;
  while (at < end && isDigit(bytes[at])) value = value * 10 + (bytes[at++] as number) - ZERO;
  line.at = at;
  return value;
}

/** Reads `(sec.fraction)` or, with -t A, `(2021-06-01 11:43:50.084000)`; false when it is neither. */
function readTime(bytes: Uint8Array, from: number, end: number, line: Line): boolean {
  let at = skipSpaces(bytes, from + 1, end);
  const first = at;
  let seconds = readDigits(bytes, at, end, line);
  if (line.at === first) return false;
  at = line.at;
  if (bytes[at] === MINUS) {
    // candump -t A prints local time without a zone. Only intervals are valid, so count the time from the start of its month.
    at++;
    while (at < end && isDigit(bytes[at])) at++;
    if (bytes[at] !== MINUS) return false;
    seconds = readDigits(bytes, at + 1, end, line) * 24;
    seconds = (seconds + readDigits(bytes, line.at + 1, end, line)) * 60;
    if (bytes[line.at] !== COLON) return false;
    seconds = (seconds + readDigits(bytes, line.at + 1, end, line)) * 60;
    if (bytes[line.at] !== COLON) return false;
    seconds += readDigits(bytes, line.at + 1, end, line);
    at = line.at;
  }
  let micro = 0;
  if (bytes[at] === DOT) {
    let digits = 0;
    // Some loggers write nanoseconds; skip the digits after the sixth.
    for (at++; at < end && isDigit(bytes[at]); at++) {
      if (digits < 6) micro = micro * 10 + (bytes[at] as number) - ZERO;
      digits++;
    }
    for (; digits < 6; digits++) micro *= 10;
  }
  if (bytes[at] !== CLOSE || seconds > 1e11) return false;
  line.t = seconds * 1e6 + micro;
  line.at = at + 1;
  return true;
}

/** Reads three or eight hex digits at `from`. */
function readId(bytes: Uint8Array, from: number, end: number, line: Line): boolean {
  let at = from;
  let id = 0;
  for (; at < end; at++) {
    const digit = HEX[bytes[at] as number] as number;
    if (digit === NOT_HEX) break;
    id = (id << 4) | digit;
  }
  const digits = at - from;
  if (digits === 3) {
    if (id > ID_11) return false;
    line.flags = 0;
  } else if (digits === 8) {
    if (id >>> 30 !== 0) return false;
    line.flags = id & ERROR_BIT ? FRAME.error : FRAME.extended;
    id &= ID_29;
  } else return false;
  line.id = id;
  line.at = at;
  return true;
}

/** Reads pairs of hex digits, with a single `separator` or spaces between them; false on half a byte or more than `most` bytes. */
function readPairs(bytes: Uint8Array, from: number, end: number, separator: number, most: number, line: Line): boolean {
  let at = from;
  let len = 0;
  while (at < end) {
    const high = HEX[bytes[at] as number] as number;
    if (high === NOT_HEX) {
      if (bytes[at] !== separator || len === 0) break;
      at++;
      continue;
    }
    const low = at + 1 < end ? (HEX[bytes[at + 1] as number] as number) : NOT_HEX;
    if (low === NOT_HEX || len === most) return false;
    payload[len++] = (high << 4) | low;
    at += 2;
  }
  line.len = len;
  line.at = at;
  return true;
}

/** Reads the part after the identifier in the log form, from its `#` on. */
function readLogData(bytes: Uint8Array, from: number, end: number, line: Line): boolean {
  let at = from + 1;
  if (bytes[at] === HASH) {
    const fd = at + 1 < end ? (HEX[bytes[at + 1] as number] as number) : NOT_HEX;
    if (fd === NOT_HEX) return false;
    line.flags |= FRAME.fd | (fd & 1 ? FRAME.brs : 0);
    if (!readPairs(bytes, at + 2, end, DOT, 64, line)) return false;
    at = line.at;
  } else if (bytes[at] === LETTER_R) {
    line.flags |= FRAME.remote;
    line.len = 0;
    at++;
    const length = at < end ? (HEX[bytes[at] as number] as number) : NOT_HEX;
    if (length <= 8) {
      line.len = length;
      payload.fill(0, 0, length);
      at++;
    }
  } else {
    if (!readPairs(bytes, at, end, DOT, 8, line)) return false;
    at = line.at;
  }
  // A raw DLC above 8 (can-utils) follows only after eight bytes.
  if (bytes[at] === UNDERSCORE && line.len === CLASSIC && at + 1 < end) {
    const dlc = HEX[bytes[at + 1] as number] as number;
    if (dlc > CLASSIC && dlc < NOT_HEX) at += 2;
  }
  if (at === end) return true;
  if (!isSpace(bytes[at])) return false;
  at = skipSpaces(bytes, at, end);
  if (at === end || bytes[at] === LETTER_R) return true;
  if (bytes[at] !== LETTER_T) return false;
  line.flags |= FRAME.transmitted;
  return true;
}

const REMOTE = [...'remote'].map((letter) => letter.charCodeAt(0));

/** Reads the part after the identifier in the console form, from `[8]` on; `{15}` (-8) is a raw DLC above 8 and means eight bytes. */
function readConsoleData(bytes: Uint8Array, from: number, end: number, line: Line): boolean {
  const raw = bytes[from] === BRACE_OPEN;
  const number = readDigits(bytes, from + 1, end, line);
  if (line.at === from + 1 || bytes[line.at] !== (raw ? BRACE_CLOSE : BRACKET_CLOSE) || number > 64) return false;
  const length = raw ? 8 : number;
  let at = skipSpaces(bytes, line.at + 1, end);
  if (length > 8) line.flags |= FRAME.fd;
  if (REMOTE.every((letter, i) => bytes[at + i] === letter)) {
    line.flags |= FRAME.remote;
    line.len = length;
    payload.fill(0, 0, length);
    return length <= 8;
  }
  for (let i = 0; i < length; i++) {
    const high = at < end ? (HEX[bytes[at] as number] as number) : NOT_HEX;
    const low = at + 1 < end ? (HEX[bytes[at + 1] as number] as number) : NOT_HEX;
    if (high === NOT_HEX || low === NOT_HEX) return false;
    payload[i] = (high << 4) | low;
    at = skipSpaces(bytes, at + 2, end);
  }
  // Ignore the text for people that may follow: ASCII, ERRORFRAME.
  line.len = length;
  return at === end || HEX[bytes[at] as number] === NOT_HEX || isSpace(bytes[at - 1]);
}

/** Reads `RX - -` or `TX B E` of -x (direction, bit rate switch, error state). Returns the position after them, or `from`. */
function readDirection(bytes: Uint8Array, from: number, end: number, line: Line): number {
  const first = bytes[from];
  if ((first !== LETTER_R && first !== LETTER_T) || bytes[from + 1] !== LETTER_X || !isSpace(bytes[from + 2]))
    return from;
  line.sent = first === LETTER_T;
  let at = skipSpaces(bytes, from + 2, end);
  line.switched = bytes[at] === LETTER_B;
  for (let i = 0; i < 2; i++) at = skipSpaces(bytes, at + 1, end);
  return at;
}

/** Reads one line without its line end; false when it is no frame. */
function readLine(bytes: Uint8Array, from: number, end: number, line: Line): boolean {
  let at = from;
  line.t = 0;
  line.bus = 0;
  line.sent = false;
  line.switched = false;
  if (bytes[at] === OPEN) {
    if (!readTime(bytes, at, end, line)) return false;
    at = skipSpaces(bytes, line.at, end);
  }
  if (bytes[at] === LESS) {
    if (bytes[at + 1] !== ZERO || (bytes[at + 2] !== LOWER_X && bytes[at + 2] !== LETTER_X)) return false;
    if (!readId(bytes, at + 3, end, line) || bytes[line.at] !== GREATER) return false;
    at = skipSpaces(bytes, line.at + 1, end);
    return bytes[at] === BRACKET_OPEN && readConsoleData(bytes, at, end, line);
  }
  // The name of the interface ends at a space. A `#` before that space means that the line has no name.
  const word = at;
  let number = 0;
  let digits = 0;
  while (at < end && !isSpace(bytes[at]) && bytes[at] !== HASH) {
    const byte = bytes[at++] as number;
    if (isDigit(byte)) {
      number = digits === 0 ? byte - ZERO : number * 10 + byte - ZERO;
      digits++;
    } else digits = 0;
  }
  if (bytes[at] === HASH && at < end) at = word;
  else {
    // "can1" is bus 1; a name without a number is bus 0.
    line.bus = digits > 0 && digits < 10 ? number & 0xff : 0;
    at = readDirection(bytes, skipSpaces(bytes, at, end), end, line);
  }
  if (!readId(bytes, at, end, line)) return false;
  if (line.sent) line.flags |= FRAME.transmitted;
  if (line.switched) line.flags |= FRAME.fd | FRAME.brs;
  at = line.at;
  if (bytes[at] === HASH && at < end) return readLogData(bytes, at, end, line);
  at = skipSpaces(bytes, at, end);
  const bracket = at < end ? bytes[at] : 0;
  return (bracket === BRACKET_OPEN || bracket === BRACE_OPEN) && readConsoleData(bytes, at, end, line);
}

/** The result of some candump text. */
export interface CandumpResult {
  readonly frames: number;
  /** Lines that are neither frame, comment nor blank. */
  readonly unparsable: number;
  /** Bytes that were read; fewer than all only when the last line has no end and `final` is false. */
  readonly consumed: number;
}

/**
 * Adds the frames of candump text to `into`. Frames without a date get the receive time and `FRAME.noTime`. If `receivedUs` is null,
 * they keep the time since the start that the text states. An incomplete last line is read only if `final` is true; otherwise the caller
 * passes it again with the next piece.
 */
export function parseCandump(
  bytes: Uint8Array,
  into: FrameBatch,
  receivedUs: number | null,
  final = true,
): CandumpResult {
  const before = into.count;
  const line: Line = { t: 0, bus: 0, id: 0, flags: 0, len: 0, sent: false, switched: false, at: 0 };
  const size = bytes.length;
  let unparsable = 0;
  let undated = false;
  let from = 0;
  while (from < size) {
    let end = bytes.indexOf(NEWLINE, from);
    if (end < 0) {
      if (!final) break;
      end = size;
    }
    const next = end < size ? end + 1 : size;
    while (end > from && (bytes[end - 1] === RETURN || isSpace(bytes[end - 1]))) end--;
    const at = skipSpaces(bytes, from, end);
    from = next;
    if (at >= end || bytes[at] === HASH) continue;
    if (readLine(bytes, at, end, line)) {
      into.push(line.t, line.bus, line.id, line.flags, payload, 0, line.len);
      undated ||= line.t < FIRST_DATE_US;
    } else unparsable++;
  }
  if (undated && receivedUs !== null) settleTimes(into, before, receivedUs);
  return { frames: into.count - before, unparsable, consumed: from };
}

/** candump text as a log format. */
export const CANDUMP: TextFormat = {
  format: 'candump',
  clock: 'host',
  recognise: (head) => parseCandump(head, new FrameBatch(), null).frames > 0,
  create: () => ({ parse: (bytes, into, final) => parseCandump(bytes, into, null, final), foundInfo: {} }),
};

/** Output forms of candump: `log` (-L) and `console` (-ta -x, for people; only the length or the rate switch shows that a frame is FD). */
export type CandumpDialect = 'log' | 'console';

const LONG_ID = 8;
const SHORT_ID = 3;

function putId(out: TextOut, id: number, flags: number): void {
  if (flags & FRAME.error) out.hex((id & ID_29) + ERROR_BIT, LONG_ID);
  else out.hex(id, flags & FRAME.extended ? LONG_ID : SHORT_ID);
}

/** ` T` marks frames that the source sent. */
function putLog(out: TextOut, bus: number, id: number, flags: number, data: Uint8Array): void {
  out.text(CAN_NAMES[bus] as string);
  putId(out, id, flags);
  if (flags & FRAME.remote) out.text(data.length > 0 ? `#R${data.length}` : '#R');
  else {
    out.text(flags & FRAME.fd ? (flags & FRAME.brs ? '##1' : '##0') : '#');
    out.pairs(data, false);
  }
  out.text(flags & FRAME.transmitted ? ' T\n' : '\n');
}

function putConsole(out: TextOut, bus: number, id: number, flags: number, data: Uint8Array): void {
  out.text(' ');
  out.text(CAN_NAMES[bus] as string);
  out.text(flags & FRAME.transmitted ? ' TX ' : ' RX ');
  out.text(flags & FRAME.brs ? 'B -  ' : '- -  ');
  if ((flags & (FRAME.extended | FRAME.error)) === 0) out.text('     ');
  putId(out, id, flags);
  out.text(flags & FRAME.fd ? '  [' : '   [');
  out.decimal(data.length, flags & FRAME.fd ? 2 : 1);
  out.text(']  ');
  if (flags & FRAME.remote) out.text('remote request');
  else out.pairs(data, true);
  out.text(flags & FRAME.error ? '   ERRORFRAME\n' : '\n');
}

const CAN_NAMES = Array.from({ length: 256 }, (_, bus) => `can${bus} `);

/** Formats the frames `from` up to `to` as candump text with microseconds. */
export function formatCandump(
  batch: FrameBatch,
  from = 0,
  to = batch.count,
  dialect: CandumpDialect = 'log',
): Uint8Array {
  const out = new TextOut(Math.max(64, (to - from) * 64));
  const put = dialect === 'log' ? putLog : putConsole;
  for (let i = from; i < to; i++) {
    out.text(dialect === 'log' ? '(' : ' (');
    out.seconds(Math.max(0, Math.round(batch.t[i] as number)), 10);
    out.text(') ');
    put(out, batch.bus[i] as number, batch.id[i] as number, batch.flags[i] as number, batch.payload(i));
  }
  return out.take();
}
