/** What bytes are, by what they begin with: names and headers of strangers prove nothing. */

/** Bytes that are enough to tell. */
export const SNIFFED = 32;

type Shape = readonly [type: string, at: number, bytes: string];

/** Content type, place and signature (latin1); the first that fits wins. */
const SHAPES: readonly Shape[] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF8'],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftypheic'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1a\x45\xdf\xa3'],
  // ASAM MDF 4.1, 4.2: the file identification block; UnFinMF is a file that was not closed.
  ['application/x-mf4', 0, 'MDF     4.'],
  ['application/x-mf4', 0, 'UnFinMF 4.'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b'],
];

/** A container with a form, and logs of lines: what the first of them looks like. */
const LINES: readonly (readonly [type: string, shape: RegExp])[] = [
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['text/x-candump', /^\s*\(\d+\.\d+\)\s+\S/],
  // Vector ASC opens with the date, then the base and kind of times.
  ['text/x-peak-trc', /^;\$FILEVERSION=/],
  ['text/x-vector-asc', /^date (Mon|Tue|Wed|Thu|Fri|Sat|Sun|\d)/i],
];

/** The content type of bytes by their signature; undefined for what has none of ours. */
export function sniffMedia(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, SNIFFED));
  return (
    SHAPES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? LINES.find(([, shape]) => shape.test(text))?.[0]
  );
}

/** Types that no browser runs, nor shows as a page. */
const INERT: ReadonlySet<string> = new Set([
  ...SHAPES.map(([type]) => type),
  ...LINES.map(([type]) => type),
  'application/octet-stream',
  'application/json',
  'text/csv',
  'text/plain',
]);
const UNKNOWN = 'application/octet-stream';
const essenceOf = (type: string) => (type.split(';')[0] ?? '').trim().toLowerCase();

/** The content type of a record: what the bytes are, else what the sender says. That something is a picture or a film is never believed. */
export function recordedType(head: Uint8Array | undefined, claimed: string | null): string {
  const sniffed = head && sniffMedia(head);
  if (sniffed !== undefined) return sniffed;
  return claimed === null || /^(image|video)\//.test(essenceOf(claimed)) ? UNKNOWN : claimed;
}

/**
 * The content type that stored bytes are served with: what the bytes are, else the recorded type when it is inert. So HTML, SVG and
 * scripts leave the gateway as bytes of no type, whatever they were called.
 */
export function servedType(head: Uint8Array, recorded: string): string {
  const essence = essenceOf(recorded);
  const isMedia = /^(image|video)\//.test(essence);
  return sniffMedia(head) ?? (INERT.has(essence) && !isMedia ? essence : UNKNOWN);
}

/** What a camera may post as a frame. */
export const FRAME_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif']);

/** Pictures that every browser of a screen draws. */
export const SHOWN_IMAGES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
]);
/** Clips that it plays. */
const SHOWN_CLIPS: ReadonlySet<string> = new Set(['video/mp4', 'video/webm']);

/** True for a file that a screen can show. */
export function isShown(content_type: string): boolean {
  return SHOWN_IMAGES.has(content_type) || SHOWN_CLIPS.has(content_type);
}
