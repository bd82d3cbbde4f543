/** The head of a firmware file of CANedge-class loggers: which logger it is for, its version, and the schema and configuration that it carries. */

/** First four bytes and the logger that takes the file; the type is the one of the heartbeat. */
const MAGIC: readonly (readonly [magic: number, model: string, type: string])[] = [
  [0xdead10cc, 'CANedge1', '0000001D'],
  [0x0f4947cf, 'CANedge1 GNSS', '0000005D'],
  [0xbaada555, 'CANedge2', '0000001F'],
  [0x7fd43111, 'CANedge2 GNSS', '0000005F'],
  [0xe670c727, 'CANedge3', '0000003D'],
  [0xb74d1858, 'CANedge3 GNSS', '0000007D'],
];
const HEAD = 40;

export interface Firmware {
  readonly model: string;
  /** As `type` of the heartbeat. */
  readonly type: string;
  /** `01.09.01`. */
  readonly version: string;
  /** Text of its JSON schema; undefined when the file carries none. */
  readonly schema: string | undefined;
  /** Text of its factory configuration. */
  readonly config: string | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a part that the head points at; undefined when it is not inside the file or no JSON object. */
function part(bytes: Uint8Array, offset: number, length: number): string | undefined {
  if (length === 0 || offset < HEAD || offset + length > bytes.length) return undefined;
  try {
    const text = utf8.decode(bytes.subarray(offset, offset + length)).replace(/\0+$/, '');
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the head; undefined for what is no firmware of a known logger. */
export function readFirmware(bytes: Uint8Array): Firmware | undefined {
  if (bytes.length < HEAD) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const known = MAGIC.find(([magic]) => magic === view.getUint32(0));
  if (known === undefined) return undefined;
  const [, model, type] = known;
  const digits = [4, 5, 6].map((at) => String(view.getUint8(at)).padStart(2, '0'));
  return {
    model,
    type,
    version: digits.join('.'),
    schema: part(bytes, view.getUint32(24), view.getUint32(28)),
    config: part(bytes, view.getUint32(32), view.getUint32(36)),
  };
}
