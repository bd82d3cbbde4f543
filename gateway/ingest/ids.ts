/** Ids that a replay of the journal makes again: from the place of a message, and how many came from it before. */
import { createHash } from 'node:crypto';
import { crockford, type Kind, makeId, PREFIXES } from '#contract/ids.ts';

export interface Ids {
  /** The id of the n-th document of this kind that a message caused. */
  at(kind: Kind, ms: number, position: number, n: number): string;
  /** An id for what no message caused. */
  random(kind: Kind, ms: number): string;
}

/** `node` keeps gateways apart whose journals have the same positions. */
export function createIds(node: string, random: (bytes: number) => Uint8Array): Ids {
  const mask = createHash('sha256').update(node).digest();
  return {
    at(kind, ms, position, n) {
      const bytes = Buffer.alloc(10);
      // Bytes 0 and 2 lose bits to the version and variant of a UUIDv7: the count lies around them, the position behind.
      bytes[1] = n & 0xff;
      bytes[2] = (n >>> 8) & 0x3f;
      bytes.writeUInt16BE(Math.floor(position / 2 ** 40) & 0xffff, 3);
      bytes.writeUIntBE(position % 2 ** 40, 5, 5);
      for (let i = 3; i < 10; i++) bytes[i] = (bytes[i] as number) ^ (mask[i] as number);
      return makeId(kind, ms, bytes);
    },
    random: (kind, ms) => makeId(kind, ms, random(10)),
  };
}

/** An id that follows from a text, for what must exist once however often it is said. */
export function idFrom(kind: Kind, text: string): string {
  return `${PREFIXES[kind]}_${crockford(createHash('sha256').update(text).digest().subarray(0, 16))}`;
}
