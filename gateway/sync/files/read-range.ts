/** Reads a part of the content of a file into memory. */
import type { Artifacts } from '#store/artifacts.ts';

/** The error for a content that is shorter than its record says, or that was deleted meanwhile. */
export class ContentEnded extends Error {
  constructor(sha256: string) {
    super(`the content ${sha256} ends early`);
    this.name = 'ContentEnded';
  }
}

/** Reads the bytes of a content from `from` up to but not including `to`. */
export async function readRange(artifacts: Artifacts, sha256: string, from: number, to: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await artifacts.read(sha256, from, to)) ?? []) chunks.push(chunk as Buffer);
  const piece = Buffer.concat(chunks);
  if (piece.length !== to - from) throw new ContentEnded(sha256);
  return piece;
}
