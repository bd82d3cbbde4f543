/** Reads the header of a firmware file for CANedge-class loggers: logger type, version, JSON schema and factory configuration. */

/**
 * The first four bytes of a firmware file, for each logger model. `type` is the logger type, as the logger sends it in its heartbeat
 * (`device.json`).
 */
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
  /** Logger type, in the form of `type` in the heartbeat. */
  readonly type: string;
  /** Firmware version, for example `01.09.01`. */
  readonly version: string;
  /** Text of the JSON schema for configurations of this firmware; undefined if the file has none. */
  readonly schema: string | undefined;
  /** Text of the factory configuration; undefined if the file has none. */
  readonly config: string | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a section to which the header points; undefined if the section is outside the file or not a JSON object. */
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

/** Reads the header; returns undefined if the file is not firmware of a known logger. */
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
