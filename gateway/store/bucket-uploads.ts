/** Uploads whose bytes are in a bucket, for several processes. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Bucket } from '#store/s3/bucket.ts';
import { BucketPieces } from '#store/s3/bucket-pieces.ts';
import { type Artifacts, ArtifactTooLarge } from './artifacts.ts';
import { DigestMismatch, exclusively, OffsetMismatch, pathOfUpload, type Uploads } from './uploads.ts';

/** Opens the uploads of a bucket. */
export function openBucketUploads(bucket: Bucket, artifacts: Pick<Artifacts, 'put' | 'find'>): Uploads {
  const pieces = new BucketPieces(bucket);
  const busy = new Set<string>();

  async function append(...[id, offset, content, options]: Parameters<Uploads['append']>): Promise<number> {
    const { limit, digest } = options;
    const size = await pieces.size(id);
    if (size !== offset) throw new OffsetMismatch(size);
    const check = digest && createHash(digest.algorithm);
    let arrived = offset;
    let end = offset;
    const limited = async function* () {
      for await (const chunk of content) {
        arrived += chunk.length;
        if (arrived > limit) throw new ArtifactTooLarge(limit);
        check?.update(chunk);
        yield chunk;
      }
    };
    try {
      await pieces.write(id, offset, limited(), (at) => {
        end = at;
      });
    } catch (error) {
      // Remove the bytes of this append if its digest cannot be checked any more, or if it exceeds the limit.
      if (digest !== undefined || error instanceof ArtifactTooLarge) await pieces.remove(id, offset);
      throw error;
    }
    if (digest === undefined || check?.digest().equals(digest.value)) return end;
    await pieces.remove(id, offset);
    throw new DigestMismatch();
  }

  return {
    size: async (id) => pieces.size(pathOfUpload(id)),
    append: (id, ...rest) => exclusively(busy, pathOfUpload(id), () => append(id, ...rest)),
    async digest(id) {
      const hash = createHash('sha256');
      for await (const chunk of pieces.read(pathOfUpload(id))) hash.update(chunk);
      return hash.digest('hex');
    },
    head: async (id, bytes) => await buffer(pieces.read(pathOfUpload(id), bytes)),
    finish: (id) =>
      exclusively(busy, pathOfUpload(id), async () => {
        const made = await artifacts.put(pieces.read(id));
        await pieces.remove(id);
        return made;
      }),
    remove: (id) => exclusively(busy, pathOfUpload(id), () => pieces.remove(id)),
    async sweep(isKnown) {
      let gone = 0;
      for (const id of await pieces.ids()) {
        // A process that was killed after the end of an upload left its pieces.
        const isLeft = (await artifacts.find(id)) !== undefined;
        if (busy.has(id) || (!isLeft && (await isKnown(id)))) continue;
        await pieces.remove(id);
        gone++;
      }
      return gone;
    },
  };
}
