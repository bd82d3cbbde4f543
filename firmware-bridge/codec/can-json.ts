/**
 * Reads frame batches in JSON: `{"seq":1,"frames":[{"t":1622547830084000,"bus":1,"id":"18FEEE00","data":"7E6E"}]}`. A batch may also be
 * only the array of frames.
 */
import { FRAME, type FrameBatch, MAX_DATA } from '#contract/fleet/frame.ts';
import { microseconds, parseIsoUs } from './times.ts';

export interface JsonResult {
  readonly frames: number;
  /** Number of entries in `frames` that are not a valid frame. */
  readonly unparsable: number;
  readonly seq: number | null;
  /** The reason why no frame could be read; null when the batch was read. */
  readonly error: string | null;
}

const refused = (error: string): JsonResult => ({ frames: 0, unparsable: 1, seq: null, error });

const HEX_ID = /^(?:0x)?([0-9a-f]{3}|[0-9a-f]{8})$/i;
const HEX_DATA = /^(?:[0-9a-f]{2})*$/i;

/** Buffer for the payload of the current frame. */
const payload = new Uint8Array(MAX_DATA);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the time `t` of an entry as microseconds since 1970; returns 0 when it is absent, NaN when it is invalid. */
function readTime(t: unknown): number {
  if (t === undefined || t === null) return 0;
  if (typeof t === 'number') return microseconds(t);
  return typeof t === 'string' ? parseIsoUs(t) : Number.NaN;
}

/** Reads `data` of an entry into `payload`; returns the number of bytes, or NaN when `data` is invalid. */
function readData(data: unknown): number {
  if (data === undefined || data === null) return 0;
  if (typeof data === 'string') {
    if (data.length > MAX_DATA * 2 || !HEX_DATA.test(data)) return Number.NaN;
    for (let i = 0; i < data.length; i += 2) payload[i / 2] = Number.parseInt(data.slice(i, i + 2), 16);
    return data.length / 2;
  }
  if (!Array.isArray(data) || data.length > MAX_DATA) return Number.NaN;
  for (let i = 0; i < data.length; i++) {
    const byte: unknown = data[i];
    if (typeof byte !== 'number' || !Number.isInteger(byte) || byte < 0 || byte > 255) return Number.NaN;
    payload[i] = byte;
  }
  return data.length;
}

/**
 * Reads an identifier and decides whether it has 29 bits. For text, the number of digits decides. A number has 29 bits if `ext` is true or
 * the number is above 0x7ff. The returned `id` is NaN when the identifier is invalid.
 */
function readId(id: unknown, ext: unknown): { readonly id: number; readonly extended: boolean } {
  let value = Number.NaN;
  let extended = false;
  if (typeof id === 'string') {
    const digits = HEX_ID.exec(id)?.[1];
    if (digits !== undefined) value = Number.parseInt(digits, 16);
    extended = digits?.length === 8;
  } else if (typeof id === 'number' && Number.isInteger(id) && id >= 0) {
    value = id;
    extended = ext === true || id > 0x7ff;
  }
  return { id: value <= (extended ? 0x1fffffff : 0x7ff) ? value : Number.NaN, extended };
}

function readFrame(entry: unknown, bus: number, into: FrameBatch): boolean {
  if (!isObject(entry)) return false;
  const t = readTime(entry.t);
  const channel = entry.bus === undefined ? bus : entry.bus;
  const { id, extended } = readId(entry.id, entry.ext);
  const fd = entry.fd === true;
  let len = readData(entry.data);
  if (Number.isNaN(t) || Number.isNaN(id) || Number.isNaN(len) || (len > 8 && !fd)) return false;
  if (typeof channel !== 'number' || !Number.isInteger(channel) || channel < 0 || channel > 255) return false;
  let flags = (extended ? FRAME.extended : 0) | (fd ? FRAME.fd : 0);
  if (entry.brs === true) flags |= FRAME.brs;
  if (entry.tx === true) flags |= FRAME.transmitted;
  if (entry.err === true) flags |= FRAME.error;
  if (entry.rtr === true) {
    const dlc = entry.dlc === undefined ? 0 : entry.dlc;
    if (len > 0 || typeof dlc !== 'number' || !Number.isInteger(dlc) || dlc < 0 || dlc > 8) return false;
    flags |= FRAME.remote;
    len = dlc;
    payload.fill(0, 0, len);
  }
  into.push(t, channel, id, flags, payload, 0, len);
  return true;
}

/**
 * Adds the frames of a JSON batch to `into`. It skips and counts an entry that is not a valid frame. If the time of a frame is before 2001,
 * it is not a date but a time since some start. The function keeps this time, and `settleTimes` replaces it later.
 */
export function decodeJson(bytes: Uint8Array, into: FrameBatch): JsonResult {
  let root: unknown;
  try {
    root = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused('not JSON');
  }
  const batch = Array.isArray(root) ? { frames: root as unknown[] } : root;
  if (!isObject(batch) || !Array.isArray(batch.frames)) return refused('JSON without "frames"');
  const { seq = null, bus = 0 } = batch as { seq?: unknown; bus?: unknown };
  if (seq !== null && !(typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0))
    return refused('"seq" is not a whole number');
  const channel = typeof bus === 'number' && Number.isInteger(bus) && bus >= 0 && bus <= 255 ? bus : 0;
  const before = into.count;
  let unparsable = 0;
  for (const entry of batch.frames as unknown[]) if (!readFrame(entry, channel, into)) unparsable++;
  return { frames: into.count - before, unparsable, seq, error: null };
}
