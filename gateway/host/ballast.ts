/** The reserve: a file that takes room while there is some, and gives it back when the disk is full, so that clearing up can be written. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MOST_BYTES = 128 << 20;
const SHARE = 0.02;
/** Where the system cannot give blocks at once they are written, so much at a time. */
const PIECE = 4 << 20;
const BLOCK = 512;
const ROUND = 64 << 10;
const NAME = 'reserve';
/** The second reserve, by which a gateway starts on a full disk: a hundredth, within these bounds. */
const START_NAME = 'reserve-start';
const START_SHARE = 0.01;
const START_LEAST = 4 << 20;
const START_MOST = 64 << 20;
const run = promisify(execFile);

/** What the reserve should hold on a disk of this size, in bytes. */
export function reserveFor(total: number): number {
  return Math.min(MOST_BYTES, Math.floor((total * SHARE) / ROUND) * ROUND);
}

/** What the reserve for a start should hold on a disk of this size, in bytes. */
export function startReserveFor(total: number): number {
  return Math.min(START_MOST, Math.max(START_LEAST, Math.floor((total * START_SHARE) / ROUND) * ROUND));
}

export interface Ballast {
  /** Bytes that it takes on the disk, really. */
  readonly bytes: number;
  /** Makes it larger, a piece or all of it; a disk that refuses leaves it as it is. */
  grow(wanted: number): Promise<void>;
  release(): Promise<void>;
}

/** Finds what is there of it in a data folder: of the reserve of a running gateway, or of that for a start. */
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
    // Not zeros: a file system that compresses would give no blocks for them.
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
      // Room that is not really taken would not be there when it is needed.
      if (atOnce && bytes < wanted) atOnce = false;
    },
    async release() {
      await rm(path, { force: true });
      bytes = 0;
    },
  };
}
