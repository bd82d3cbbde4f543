/** Identifiers: `<prefix>_` and a UUIDv7 (RFC 9562 5.7) written as 26 characters of Crockford base32, so that ids sort by creation time. */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Kinds of objects with an id, and their prefixes. */
export const PREFIXES = {
  project: 'prj',
  task: 'tsk',
  run: 'run',
  message: 'msg',
  secret_claim: 'clm',
  device: 'dev',
  equipment: 'eq',
  expected_interval: 'exi',
  location: 'loc',
  operator: 'op',
  mechanic: 'mec',
  repair_ticket: 'rt',
  maintenance_plan: 'mpl',
  maintenance_record: 'mrc',
  inspection_checklist: 'chk',
  inspection: 'ins',
  fault_link: 'flk',
  shift_report: 'sr',
  dashboard: 'dash',
  playlist: 'pl',
  display_share: 'dsh',
  display_pairing: 'dpr',
  display: 'dpl',
  custom_action: 'act',
  learning: 'lrn',
  preference: 'prf',
  skill_revision: 'skr',
  artifact: 'art',
  dbc_file: 'dbc',
  upload: 'upl',
  event: 'evt',
  audit: 'aud',
  alert: 'alr',
  alert_rule: 'rul',
  webhook_endpoint: 'whe',
  webhook_delivery: 'whd',
  key: 'key',
  user: 'usr',
  user_session: 'uss',
  tablet: 'tbl',
  gateway: 'gw',
  enrolment: 'enr',
  sync_receipt: 'rcp',
  sync_choice: 'cho',
  courier_bundle: 'bdl',
  segment: 'seg',
  rollup: 'rlp',
  widget: 'wid',
  item: 'itm',
} as const;

export type Kind = keyof typeof PREFIXES;

/**
 * Returns the bytes of a UUIDv7 that is made from a time in milliseconds and ten random bytes. `makeId` may replace the first four of these
 * bytes by a counter, which sorts ids of the same millisecond.
 */
function uuidv7(ms: number, random: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(16);
  for (let i = 5, rest = ms; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes;
}

/** Encodes 16 bytes as 26 lower-case Crockford base32 characters. The strings sort in the same order as the bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < 26; i++, value >>= 5n) text = ALPHABET[Number(value & 31n)] + text;
  return text;
}

/** Decodes 26 characters of Crockford base32 to 16 bytes. The first character must be 0 to 7. */
export function bytesOfText(text: string): Uint8Array {
  const bytes = new Uint8Array(16);
  let [rest, bits] = [0, 0];
  for (let i = text.length - 1, at = 15; i >= 0; i--) {
    rest |= ALPHABET.indexOf(text[i] as string) << bits;
    bits += 5;
    if (bits < 8) continue;
    bytes[at--] = rest & 0xff;
    rest >>= 8;
    bits -= 8;
  }
  return bytes;
}

/** Makes an id from a time and random bytes. If `place` (a number of 26 bits) is given, ids of the same millisecond sort by `place`. */
export function makeId(kind: Kind, ms: number, random: Uint8Array, place?: number): string {
  if (place !== undefined)
    random = Uint8Array.from([place >> 22, place >> 14, place >> 8, place, ...random.subarray(4)]);
  return `${PREFIXES[kind]}_${textOfBytes(uuidv7(ms, random))}`;
}

/** Decodes a hexadecimal string. */
export function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

/** Makes an id from a hash (hexadecimal), for objects that must exist only once: every gateway makes the same id from the same hash. */
export function hashId(kind: Kind, hash: string): string {
  return `${PREFIXES[kind]}_${textOfBytes(hexBytes(hash).subarray(0, 16))}`;
}

/** Creation time of an id in milliseconds; undefined if the text is not an id of this kind or was made from a hash. */
export function idTime(kind: Kind, text: string): number | undefined {
  if (!isId(kind, text)) return undefined;
  let value = 0n;
  for (const char of text.slice(PREFIXES[kind].length + 1)) value = value * 32n + BigInt(ALPHABET.indexOf(char));
  return ((value >> 76n) & 15n) === 7n ? Number((value >> 80n) & 0xffff_ffff_ffffn) : undefined;
}

/** True if the text has the form of an id of this kind. */
export function isId(kind: Kind, text: string): boolean {
  const prefix = `${PREFIXES[kind]}_`;
  return text.startsWith(prefix) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length));
}
