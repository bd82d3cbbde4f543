/**
 * Disk reserves: files that only occupy space. When the disk is full, the gateway deletes a reserve. It then has enough space for the
 * writes that deleting other data needs.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MOST_BYTES = 128 << 20;
const SHARE = 0.02;
/** Bytes that one call of `grow` writes on systems without fallocate(1). */
const PIECE = 4 << 20;
const BLOCK = 512;
const ROUND = 64 << 10;
const NAME = 'reserve';
/** The second reserve, for a start on a full disk: 1 % of the disk, 4 to 64 MiB. */
const START_NAME = 'reserve-start';
const START_SHARE = 0.01;
const START_LEAST = 4 << 20;
const START_MOST = 64 << 20;
const run = promisify(execFile);

/** Returns the wanted size of the first reserve in bytes, for a disk of `total` bytes. */
export function reserveFor(total: number): number {
  return Math.min(MOST_BYTES, Math.floor((total * SHARE) / ROUND) * ROUND);
}

/** Returns the wanted size of the second reserve in bytes, for a disk of `total` bytes. */
export function startReserveFor(total: number): number {
  return Math.min(START_MOST, Math.max(START_LEAST, Math.floor((total * START_SHARE) / ROUND) * ROUND));
}

export interface Ballast {
  /** Bytes that the reserve occupies on the disk. */
  readonly bytes: number;
  /** Enlarges the reserve to the wanted size, or without fallocate(1) by at most 4 MiB. Does not throw if the disk has no space. */
  grow(wanted: number): Promise<void>;
  /** Deletes the file, so that other files can use its space. */
  release(): Promise<void>;
}

/** Opens a reserve of a data folder: the first one (`running`), or the second one, which is kept for a start on a full disk (`start`). */
export async function openBallast(folder: string, which: 'running' | 'start' = 'running'): Promise<Ballast> {
  const path = join(folder, which === 'start' ? START_NAME : NAME);
  const size = () =>
    stat(path).then(
      ({ blocks, size }) => Math.min(size, blocks * BLOCK),
      () => 0,
    );
  let bytes = await size();
  let canAllocate = process.platform === 'linux';

  async function fill(wanted: number): Promise<void> {
    await using file = await open(path, 'a', 0o600);
    // Random bytes, because a file system with compression allocates no blocks for zeros.
    await file.write(randomBytes(Math.min(PIECE, wanted - bytes)));
    await file.datasync();
  }

  return {
    get bytes() {
      return bytes;
    },
    async grow(wanted) {
      try {
        if (canAllocate) await run('fallocate', ['--length', String(wanted), path]);
        else await fill(wanted);
      } catch {
        canAllocate = false;
      }
      bytes = await size();
      // On some file systems fallocate succeeds but allocates no blocks. Later calls then write the file.
      if (canAllocate && bytes < wanted) canAllocate = false;
    },
    async release() {
      await rm(path, { force: true });
      bytes = 0;
    },
  };
}
