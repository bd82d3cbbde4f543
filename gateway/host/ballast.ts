/** Disk reserves: files that occupy space, and are removed when the disk is full so that the gateway can write while it cleans up. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MOST_BYTES = 128 << 20;
const SHARE = 0.02;
/** Where fallocate is not available, the file is written in pieces of this size. */
const PIECE = 4 << 20;
const BLOCK = 512;
const ROUND = 64 << 10;
const NAME = 'reserve';
/** The second reserve lets a gateway start on a full disk: 1 % of the disk, within these limits. */
const START_NAME = 'reserve-start';
const START_SHARE = 0.01;
const START_LEAST = 4 << 20;
const START_MOST = 64 << 20;
const run = promisify(execFile);

/** The wanted size of the reserve for a disk of `total` bytes. */
export function reserveFor(total: number): number {
  return Math.min(MOST_BYTES, Math.floor((total * SHARE) / ROUND) * ROUND);
}

/** The wanted size of the reserve for a start, for a disk of `total` bytes. */
export function startReserveFor(total: number): number {
  return Math.min(START_MOST, Math.max(START_LEAST, Math.floor((total * START_SHARE) / ROUND) * ROUND));
}

export interface Ballast {
  /** Bytes that are allocated on the disk. */
  readonly bytes: number;
  /** Enlarges the reserve, by one piece or to the wanted size. When the disk refuses, the size stays. */
  grow(wanted: number): Promise<void>;
  release(): Promise<void>;
}

/** Opens a reserve of a data folder: that of a running gateway, or the one for a start. */
export async function openBallast(folder: string, which: 'running' | 'start' = 'running'): Promise<Ballast> {
  const path = join(folder, which === 'start' ? START_NAME : NAME);
  const size = () =>
    stat(path).then(
      ({ blocks, size }) => Math.min(size, blocks * BLOCK),
      () => 0,
    );
  let bytes = await size();
  let atOnce = process.platform === 'linux';

  async function fill(wanted: number): Promise<void> {
    await using file = await open(path, 'a', 0o600);
    // Random bytes, because a compressing file system allocates no blocks for zeros.
    await file.write(randomBytes(Math.min(PIECE, wanted - bytes)));
    await file.datasync();
  }

  return {
    get bytes() {
      return bytes;
    },
    async grow(wanted) {
      try {
        if (atOnce) await run('fallocate', ['--length', String(wanted), path]);
        else await fill(wanted);
      } catch {
        atOnce = false;
      }
      bytes = await size();
      // fallocate succeeded without allocating blocks, so write the file instead.
      if (atOnce && bytes < wanted) atOnce = false;
    },
    async release() {
      await rm(path, { force: true });
      bytes = 0;
    },
  };
}
