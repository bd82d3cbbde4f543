/**
 * Creates ids that are the same after a replay of the journal. An id is computed from the position of a message in the journal and from the
 * number of ids that were made for this message before.
 */
import { createHash } from 'node:crypto';
import { hashId, type Kind, makeId } from '#contract/base/ids.ts';
import { offsetOf, segmentOf } from '#ingest/journal/position.ts';

export interface Ids {
  /** Returns the id of the n-th document of this kind that the message at this position caused. */
  at(kind: Kind, ms: number, position: number, n: number): string;
  /** Returns a random id, for documents that no message caused. */
  random(kind: Kind, ms: number): string;
}

/** The limit of documents that one message can cause: an id has ten bits for the number of the document. */
export const MAX_PER_MESSAGE = 1024;

/**
 * Creates an id generator. Its ids sort in the order of the journal. A UUIDv7 has 74 free bits. The ids use 21 of these bits for the
 * journal segment, 29 bits for the offset in steps of 8 bytes (no record is shorter), 10 bits for the number of the document, and 14 bits
 * for a hash of the gateway id. The hash is needed because two gateways may have the same position at the same millisecond.
 */
export function createIds(node: string, random: (bytes: number) => Uint8Array): Ids {
  const mark = createHash('sha256').update(node).digest().readUInt16BE(0) & 0x3fff;
  return {
    at(kind, ms, position, n) {
      const bytes = Buffer.alloc(10);
      const place = segmentOf(position) * 2 ** 29 + Math.floor(offsetOf(position) / 8);
      const high = Math.floor(place / 2 ** 32);
      // Leave the high bits of bytes 0 and 2 free: `makeId` writes the version and the variant of the UUID there.
      bytes[0] = (high >>> 14) & 0x0f;
      bytes[1] = (high >>> 6) & 0xff;
      bytes[2] = high & 0x3f;
      bytes.writeUInt32BE(place % 2 ** 32, 3);
      bytes.writeUIntBE((n % MAX_PER_MESSAGE) * 2 ** 14 + mark, 7, 3);
      return makeId(kind, ms, bytes);
    },
    random: (kind, ms) => makeId(kind, ms, random(10)),
  };
}

/** Returns an id that is computed from a text, so that data that is sent again gets the same id. */
export function idFrom(kind: Kind, text: string): string {
  return hashId(kind, createHash('sha256').update(text).digest('hex'));
}
