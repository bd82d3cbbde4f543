/**
 * What the gateway has left of its machine, looked at every second: disk, memory, file handles. Keeps the reserve on the disk, and
 * when the disk takes no writes at all, finds out when it does again.
 *
 *   statfs, /proc, heap ──▶ reading ──▶ nextPressure (#domain) ──▶ apply: ingest gives up, doors let fewer in, health and walls say so
 */
import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { NO_PRESSURE, nextPressure, type Pressure, type Reading, roomOf, threshold } from '#domain/health/pressure.ts';
import { openBallast, reserveFor, startReserveFor } from './ballast.ts';
import { memoryLimit } from './memory.ts';
import { isEnough, makeRoomToStart, type RawGone } from './start-room.ts';

/** What holds writes up. */
export type Refusing = NonNullable<Reading['refusing']>;

/** What the running parts tell of themselves. */
export interface Parts {
  readonly sync_ms: () => number | null;
  /** The system's code for why the journal takes nothing; null while it does. */
  readonly refusing: () => string | null;
  readonly owing: () => number;
  /** Called after each reading. */
  readonly apply: (pressure: Pressure, reading: Reading) => void;
}

export interface ResourceOptions {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Bytes that this user may still write to the disk of a folder, and its size; the system's own when absent. */
  readonly readDisk?: (folder: string) => Promise<{ readonly free: number; readonly total: number }>;
}

export interface Resources extends AsyncDisposable {
  readonly pressure: Pressure;
  readonly disk: Reading['disk'];
  /** Raw messages that gave way so that this process could start. */
  readonly rawGone: RawGone | null;
  /** Looks every second from now on, and tells the parts. */
  follow(parts: Parts): void;
  /** Nothing can be written any more; `end` is called once, when starting again would help. */
  hold(why: Refusing, end: () => void): void;
  /** Looks now. */
  look(): Promise<void>;
}

const LOOK_MS = 1_000;
const TEST_BYTES = 64 << 10;
/** Successful writes in a row after which a disk is taken for mended. */
const ENOUGH = 2;
const FULL = new Set(['ENOSPC', 'EDQUOT']);

async function systemDisk(folder: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

async function readHandles(): Promise<Reading['handles']> {
  try {
    const [limits, open] = await Promise.all([readFile('/proc/self/limits', 'utf8'), readdir('/proc/self/fd')]);
    const limit = /^Max open files +(\d+)/m.exec(limits)?.[1];
    return limit === undefined ? null : { open: open.length, limit: Number(limit) };
  } catch (error) {
    // Looking takes a handle itself; elsewhere than on Linux there is nothing to look at.
    return (error as NodeJS.ErrnoException).code === 'EMFILE' ? { open: 1, limit: 1 } : null;
  }
}

/** Takes a first look: a reserve from before is given back at once when the disk is full, so that the store can be opened. */
export async function openResources(options: ResourceOptions): Promise<Resources> {
  const { folder, clock, log } = options;
  const readDisk = options.readDisk ?? systemDisk;
  const ballast = await openBallast(folder);
  const startReserve = await openBallast(folder, 'start');
  const rawGone = await makeRoomToStart({
    folder,
    reserves: [ballast, startReserve],
    read: () => readDisk(folder).catch(() => null),
    log,
  });
  const testFile = join(folder, 'write-test');
  let parts: Parts | undefined;
  let pressure = NO_PRESSURE;
  let disk: Reading['disk'] = null;
  let held: { readonly why: Refusing; readonly end: () => void } | undefined;
  let written = 0;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function refusing(): Refusing | null {
    if (held !== undefined) return held.why;
    const code = parts?.refusing() ?? null;
    return code === null ? null : FULL.has(code) ? 'full' : code === 'EROFS' ? 'read_only' : null;
  }

  async function readAll(): Promise<Reading> {
    const found = await readDisk(folder).catch(() => null);
    disk = found && { ...found, reserve: ballast.bytes, wanted: reserveFor(found.total) };
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return {
      disk,
      heap: used_heap_size / heap_size_limit,
      memory: process.memoryUsage.rss() / memoryLimit(),
      handles: await readHandles(),
      sync_ms: parts?.sync_ms() ?? null,
      refusing: refusing(),
      owing: parts?.owing() ?? 0,
    };
  }

  /** A reserve is worth nothing while it is not taken, and less than nothing while room is short. */
  async function keepReserve(): Promise<void> {
    if (disk === null) return;
    const needed = pressure.disk === 'critical' || refusing() === 'full';
    if (needed && ballast.bytes > 0) {
      log('warn', 'the reserve on the disk is given back', { bytes: ballast.bytes });
      await ballast.release().catch((error: Error) => log('warn', 'it could not be', { error: error.message }));
    } else if (refusing() === 'full' && startReserve.bytes > 0) {
      // The process starts anew on it, and what it writes there is people's alone.
      log('warn', 'the reserve for a start is given back', { bytes: startReserve.bytes });
      await startReserve.release().catch((error: Error) => log('warn', 'it could not be', { error: error.message }));
    } else if (!needed && parts !== undefined && pressure.disk === 'ok') {
      const wanted = startReserveFor(disk.total);
      if (startReserve.bytes < wanted) await startReserve.grow(wanted);
      else if (ballast.bytes < disk.wanted) await ballast.grow(disk.wanted);
      else return;
    } else return;
    disk = { ...disk, reserve: ballast.bytes };
  }

  async function tryWriting(): Promise<void> {
    if (held === undefined || disk === null) return;
    const works =
      (held.why === 'read_only' || isEnough(disk)) &&
      (await writeFile(testFile, Buffer.alloc(TEST_BYTES, 1), { flush: true }).then(
        () => true,
        () => false,
      ));
    await rm(testFile, { force: true }).catch(() => {});
    written = works ? written + 1 : 0;
    if (written < ENOUGH) return;
    const { end } = held;
    log('info', 'the disk takes writes again; this process ends and is started anew', { why: held.why });
    end();
  }

  async function look(): Promise<void> {
    const reading = await readAll();
    const before = pressure;
    pressure = nextPressure(before, reading, clock());
    for (const code of pressure.since.keys())
      if (!before.since.has(code)) log('warn', 'the gateway does without something', { problem: code });
    for (const code of before.since.keys())
      if (!pressure.since.has(code)) log('info', 'that is over', { problem: code });
    // Before anything is waited for: what is told is what is done.
    parts?.apply(pressure, reading);
    await keepReserve();
    await tryWriting();
  }

  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  await lookOnce();
  return {
    rawGone,
    get pressure() {
      return pressure;
    },
    get disk() {
      return disk;
    },
    follow(those) {
      parts = those;
      const again = (): void => {
        lookOnce().catch((error: Error) => log('error', 'looking at resources failed', { error: error.message }));
      };
      timer = setInterval(again, LOOK_MS);
      again();
    },
    hold(why, end) {
      held ??= { why, end };
    },
    look: lookOnce,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Bytes that the raw journal may take beyond what it has, so that the disk does not get low; negative: what it has to give back. */
export function spareBytes(disk: Reading['disk']): number {
  return disk === null ? 0 : roomOf(disk) - threshold('low', disk.total);
}

/** What ingest may take: for raw messages, for what devices send before the last room is people's alone, and for measurements. */
export function roomFor(disk: Reading['disk']): {
  readonly spare_bytes: number;
  readonly left_bytes?: number;
  readonly measure_bytes?: number;
} {
  if (disk === null) return { spare_bytes: 0 };
  const left_bytes = roomOf(disk);
  return {
    spare_bytes: spareBytes(disk),
    left_bytes,
    measure_bytes: left_bytes - threshold('critical', disk.total),
  };
}
