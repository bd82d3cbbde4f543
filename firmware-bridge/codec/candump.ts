/**
 * Reads and writes the text of candump (can-utils). The parser goes once over the bytes and creates no strings, so that it is fast. It
 * skips and counts a line that is not a frame.
 *
 *   (1622547830.084000) can1 18FEEE00#7E6E...      log (-l, -L); FD `##F`, remote `#R4`, `_D` raw DLC, ` R`/` T` direction
 *   (1622547830.084000)  can1  18FEEE00   [8]  7E 6E ...   console; with -x ` RX - -` after the name; the time may be absent
 *   <0x18eeff01> [8] 05 a0 ...                     candump before 2010
 *
 * An identifier of three digits has 11 bits, one of eight digits has 29 bits. In eight digits, bit 29 marks an error frame.
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

/** Buffer for the payload of the current line. All parsers share it, because JavaScript never runs two of their calls at the same time. */
const payload = new Uint8Array(64);

interface Line {
  t: number;
  bus: number;
  id: number;
  flags: number;
  len: number;
  /** True if the frame was sent by the host on which candump ran. */
  sent: boolean;
  /** True for a CAN FD frame with bit rate switch: its data was sent at the faster bit rate. */
  switched: boolean;
  /** Offset of the next byte to read in the line. */
  at: number;
}

const isSpace = (byte: number | undefined) => byte === SPACE || byte === TAB;
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte < ZERO + 10;

function skipSpaces(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

/** Reads the decimal digits from offset `from` on as a number, and sets `line.at` to the offset after the last digit. */
function readDigits(bytes: Uint8Array, from: number, end: number, line: Line): number {
  let at = from;
  let value = 0;
  while (at < end && isDigit(bytes[at])) value = value * 10 + (bytes[at++] as number) - ZERO;
  line.at = at;
  return value;
}

/** Reads the time of a line: `(sec.fraction)`, or `(2021-06-01 11:43:50.084000)` of -t A. Returns false when the line has neither form. */
function readTime(bytes: Uint8Array, from: number, end: number, line: Line): boolean {
  let at = skipSpaces(bytes, from + 1, end);
  const first = at;
  let seconds = readDigits(bytes, at, end, line);
  if (line.at === first) return false;
  at = line.at;
  if (bytes[at] === MINUS) {
    // candump -t A prints local time in an unknown zone, so the date is uncertain and only the intervals between frames are correct. So the
    // reader uses the time since the start of the month, which is never taken for a date.
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
    // Some loggers write nine decimals; skip the digits after the sixth.
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

/** Reads an identifier of three or eight hex digits at `from`; returns false when there is none. */
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

/** Reads hex pairs with one `separator` or spaces between them; false for a single digit and for more than `most` bytes. */
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

/** Reads the part of a line after the identifier in the log form (-L), from `#` on; returns false when it is invalid. */
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
  // `_` and a length code (DLC) above 8 may follow a classic frame of eight bytes; the length stays 8.
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

/**
 * Reads the part of a line after the identifier in the console form, from `[8]` on; returns false when it is invalid. `{15}`, which
 * candump prints with -8, is a length code (DLC) above 8 of a classic frame and means eight bytes.
 */
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
  // Ignore text that candump may print after the data: the ASCII form of the data, or ERRORFRAME.
  line.len = length;
  return at === end || HEX[bytes[at] as number] === NOT_HEX || isSpace(bytes[at - 1]);
}

/** Reads words of candump -x such as `RX - -` (direction, bit rate switch, error state); returns the offset after them, or `from`. */
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

/** Reads one line; the caller has removed the line end. Returns false if the line is not a frame. */
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
  // The name of the interface ends at a space. If a `#` comes before this space, the word is a frame, and the line has no interface name.
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
    // The number at the end of the interface name is the bus: "can1" is bus 1, a name without a number is bus 0.
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

/** The result of parsing a piece of candump text. */
export interface CandumpResult {
  readonly frames: number;
  /** Number of lines that are not a frame, not a comment and not blank. */
  readonly unparsable: number;
  /** Number of bytes that were read. It is less than the input only when the last line is incomplete and `final` is false. */
  readonly consumed: number;
}

/**
 * Adds the frames of candump text to `into`. If a frame has no date, it gets the flag `FRAME.noTime` and a time before `receivedUs` (the
 * last frame gets `receivedUs`). If `receivedUs` is null, frames without a date keep the time in the text. If `final` is false, an
 * incomplete last line is not read; the caller passes this line again with the next piece.
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

/** The format candump text, as `log-file.ts` needs it. */
export const CANDUMP: TextFormat = {
  format: 'candump',
  clock: 'host',
  hasWholeLines: true,
  recognise: (head) => parseCandump(head, new FrameBatch(), null).frames > 0,
  create: () => ({ parse: (bytes, into, final) => parseCandump(bytes, into, null, final), foundInfo: {} }),
};

/** The output forms of candump: `log` (-L) and `console` (-ta -x). In `console`, a short CAN FD frame may look like a classic frame. */
export type CandumpDialect = 'log' | 'console';

const LONG_ID = 8;
const SHORT_ID = 3;

function putId(out: TextOut, id: number, flags: number): void {
  if (flags & FRAME.error) out.hex((id & ID_29) + ERROR_BIT, LONG_ID);
  else out.hex(id, flags & FRAME.extended ? LONG_ID : SHORT_ID);
}

/** Writes one frame in the log form. A line ends with ` T` if the recording host sent the frame. */
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

/** Returns the frames with index `from` to `to - 1` as candump text, with times in microseconds. */
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
