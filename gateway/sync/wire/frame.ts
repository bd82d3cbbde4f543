/**
 * The outer form of a message: compressed text, and the bytes and contents that the text refers to.
 *
 *   byte 0 to 3    "HFS" and the version of the protocol
 *   byte 4 to 7    number of these bytes, little-endian
 *   byte 8 to 11   number of the compressed contents, little-endian
 *   then           these bytes (byte-column.ts)
 *   then           the contents of documents, such as samples, compressed with zstd
 *   then           the text, compressed with zstd and the dictionary of this version
 *   last 4 bytes   CRC-32 of all bytes before, little-endian
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DICTIONARY } from './dictionary.ts';
import { damaged, WireError } from './wire-error.ts';

/** The media type of a message. */
export const MEDIA_TYPE = 'application/vnd.headframe.sync';
/** The header of an answer that tells the state of head office for a gateway. */
export const HINT_HEADER = 'headframe-sync-hint';
/** What a box tells about itself, in a request for a hint. An end of an earlier version passes it over. */
export const BOX_HEADER = 'headframe-sync-box';
/** The mark of the box that a person chose, in the answer to such a request. */
export const KEPT_HEADER = 'headframe-sync-kept';
/** The header of an answer that tells for which projects somebody looks at live values, and for how many seconds. */
export const LIVE_HEADER = 'headframe-live';
/** The header of a request for hints with the fields `laterReport` of the report of a gateway, written as a query. */
export const REPORT_HEADER = 'headframe-report';
/** The longest time for which a gateway sends live values without being asked again. */
const MOST_LIVE_S = 300;

/** Writes the header: `prj_a=60,prj_b=12`. */
export const liveText = (live: ReadonlyMap<string, number>): string =>
  [...live].map(([project, seconds]) => `${project}=${seconds}`).join(',');

/** Reads the header. What is no project with a number of seconds is left out. */
export function readLive(text: unknown): ReadonlyMap<string, number> {
  const live = new Map<string, number>();
  for (const part of typeof text === 'string' ? text.split(',') : []) {
    const [, project, seconds] = /^([a-z0-9_]{1,80})=([0-9]{1,6})$/.exec(part.trim()) ?? [];
    if (project !== undefined) live.set(project, Math.min(Number(seconds), MOST_LIVE_S));
  }
  return live;
}

/** Version of the protocol: of this form, of the messages and of the dictionary. */
const PROTOCOL = 1;
/** Largest message on the network, in bytes. A commit is never divided, so one large commit must fit. */
export const MOST_BYTES = 16 << 20;
/** Largest text of a message, in bytes. A message that would become larger is refused before it uses the memory. */
export const MOST_TEXT = 64 << 20;

const MAGIC = Buffer.from('HFS', 'latin1');
const HEAD = 12;
const TAIL = 4;

const OPTIONS = {
  dictionary: Buffer.from(DICTIONARY),
  params: { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_contentSizeFlag]: 0 },
};

/** Contents are mostly compressed already, but those of neighbouring documents are similar. */
const CONTENTS = { params: { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_contentSizeFlag]: 0 } };
const NONE = Buffer.alloc(0);

/** What a message consists of. */
export interface Pieces {
  readonly text: string;
  readonly bytes: Buffer;
  readonly contents: Buffer;
}

/** Packs a text with its bytes and contents. Throws `message_too_large`. */
export function packFrame({ text, bytes, contents }: Pieces): Buffer {
  const plain = Buffer.from(text);
  const isLong = plain.length > MOST_TEXT || contents.length > MOST_TEXT;
  const packed = isLong ? plain : zstdCompressSync(plain, OPTIONS);
  const squeezed = isLong || contents.length === 0 ? NONE : zstdCompressSync(contents, CONTENTS);
  const size = HEAD + bytes.length + squeezed.length + packed.length + TAIL;
  if (isLong || size > MOST_BYTES)
    throw new WireError(
      'message_too_large',
      `The message has ${size} bytes; at most ${MOST_BYTES} bytes are possible, and ${MOST_TEXT} bytes of text.`,
    );
  const frame = Buffer.alloc(size);
  MAGIC.copy(frame);
  frame[3] = PROTOCOL;
  frame.writeUInt32LE(bytes.length, 4);
  frame.writeUInt32LE(squeezed.length, 8);
  bytes.copy(frame, HEAD);
  squeezed.copy(frame, HEAD + bytes.length);
  packed.copy(frame, HEAD + bytes.length + squeezed.length);
  frame.writeUInt32LE(crc32(frame.subarray(0, size - TAIL)), size - TAIL);
  return frame;
}

/** Unpacks a message; throws `WireError`. */
export function unpackFrame(frame: Buffer): Pieces {
  if (frame.length > MOST_BYTES)
    throw new WireError('message_too_large', `The message has more than ${MOST_BYTES} bytes.`);
  if (!frame.subarray(0, 3).equals(MAGIC)) throw new WireError('not_sync', 'The answer is not a sync message.');
  if (frame[3] !== PROTOCOL)
    throw new WireError(
      'protocol_unsupported',
      `The message has version ${frame[3]} of the protocol; this end knows version ${PROTOCOL}. Update the older end.`,
    );
  if (frame.length < HEAD + TAIL) throw damaged('it is too short');
  const end = frame.length - TAIL;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32LE(end)) throw damaged('its checksum is wrong');
  const middle = HEAD + frame.readUInt32LE(4);
  const from = middle + frame.readUInt32LE(8);
  if (from > end) throw damaged('bytes are missing');
  return {
    text: inflate(frame.subarray(from, end), OPTIONS.dictionary).toString('utf8'),
    bytes: frame.subarray(HEAD, middle),
    contents: from === middle ? NONE : inflate(frame.subarray(middle, from)),
  };
}

function inflate(packed: Buffer, dictionary?: Buffer): Buffer {
  try {
    return zstdDecompressSync(packed, { ...(dictionary && { dictionary }), maxOutputLength: MOST_TEXT });
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new WireError('message_too_large', `The text of the message has more than ${MOST_TEXT} bytes.`, { cause });
    throw new WireError('message_damaged', 'The message is damaged: its text cannot be unpacked.', { cause });
  }
}
