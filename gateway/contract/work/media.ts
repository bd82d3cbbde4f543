/** Detects content types from the first bytes of a file, because file names and headers from senders cannot be trusted. */

/** Number of bytes needed for the detection. */
export const SNIFFED = 32;

type Shape = readonly [type: string, at: number, bytes: string];

/** Signatures of files: content type, offset and bytes (as Latin-1). The first row that matches decides the content type. */
const SHAPES: readonly Shape[] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF8'],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftypheic'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1a\x45\xdf\xa3'],
  // The file identification block of ASAM MDF 4.1 and 4.2. A logger writes UnFinMF if it did not close the file.
  ['application/x-mf4', 0, 'MDF     4.'],
  ['application/x-mf4', 0, 'UnFinMF 4.'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b'],
];

/** Content types detected by a regular expression over the first bytes. */
const LINES: readonly (readonly [type: string, shape: RegExp])[] = [
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['text/x-candump', /^\s*\(\d+\.\d+\)\s+\S/],
  ['text/x-peak-trc', /^;\$FILEVERSION=/],
  // Vector ASC begins with the date, then the number base and the kind of timestamps.
  ['text/x-vector-asc', /^date (Mon|Tue|Wed|Thu|Fri|Sat|Sun|\d)/i],
];

/** The content type of bytes by their signature; undefined if no signature matches. */
export function sniffMedia(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, SNIFFED));
  return (
    SHAPES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? LINES.find(([, shape]) => shape.test(text))?.[0]
  );
}

/** Types that browsers neither execute nor show as a page. */
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

/** The content type to store: the detected type, or else the type from the sender. An image or video type from the sender is ignored. */
export function recordedType(head: Uint8Array | undefined, claimed: string | null): string {
  const sniffed = head && sniffMedia(head);
  if (sniffed !== undefined) return sniffed;
  return claimed === null || /^(image|video)\//.test(essenceOf(claimed)) ? UNKNOWN : claimed;
}

/**
 * The content type to serve stored bytes with: the detected type, or else the stored type if browsers do not execute it. So HTML, SVG
 * and scripts are served as `application/octet-stream`, whatever their names are.
 */
export function servedType(head: Uint8Array, recorded: string): string {
  const essence = essenceOf(recorded);
  const isMedia = /^(image|video)\//.test(essence);
  return sniffMedia(head) ?? (INERT.has(essence) && !isMedia ? essence : UNKNOWN);
}

/** Content types of camera frames. */
export const FRAME_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif']);

/** Image types that every supported browser shows. */
export const SHOWN_IMAGES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
]);
/** Video types that every supported browser plays. */
const SHOWN_CLIPS: ReadonlySet<string> = new Set(['video/mp4', 'video/webm']);

/** True for a content type that a screen can show. */
export function isShown(content_type: string): boolean {
  return SHOWN_IMAGES.has(content_type) || SHOWN_CLIPS.has(content_type);
}
