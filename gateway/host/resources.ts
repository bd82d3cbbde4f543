/**
 * Reads disk space, memory and file handles every second, and derives the pressure from them: how short each resource is. Creates and
 * releases the disk reserves. While the disk accepts no writes, writes a test file each second until a write succeeds.
 *
 *   statfs, /proc, heap -> reading -> nextPressure (#domain) -> apply: ingest and listeners limit their work, health reports it
 */
import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { NO_PRESSURE, nextPressure, type Pressure, type Reading, roomOf, threshold } from '#domain/health/pressure.ts';
import { type Ballast, openBallast, reserveFor, startReserveFor } from './ballast.ts';
import { memoryLimit } from './memory.ts';
import { isEnough, makeRoomToStart, type RawGone } from './start-room.ts';

/** The reason why the disk accepts no writes. */
export type Refusing = NonNullable<Reading['refusing']>;

/** The functions with which the resource monitor reads the state of the running parts and limits their work. */
export interface Parts {
  /** Recent duration of a sync of the journal, in milliseconds. */
  readonly sync_ms: () => number | null;
  /** The error code of the last write to the journal, such as `ENOSPC`; null while writes succeed. */
  readonly refusing: () => string | null;
  /** Number of MQTT connections with messages that the gateway neither stored nor acknowledged. */
  readonly owing: () => number;
  /** Called after each reading, so that the parts limit their work. */
  readonly apply: (pressure: Pressure, reading: Reading) => void;
}

export interface ResourceOptions {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Returns the bytes that this user may still write to the disk of a folder, and the size of the disk. Default: statfs. */
  readonly readDisk?: (folder: string) => Promise<{ readonly free: number; readonly total: number }>;
}

export interface Resources extends AsyncDisposable {
  readonly pressure: Pressure;
  readonly disk: Reading['disk'];
  /** Raw messages that the start deleted to free space; null for none. */
  readonly rawGone: RawGone | null;
  /** Reads the resources every second from now on, and passes the pressure to the parts. */
  follow(parts: Parts): void;
  /** Reports the disk as full or read-only from now on. Calls `end` when writes succeed again; `end` then restarts the process. */
  hold(why: Refusing, end: () => void): void;
  /** Reads the resources now. */
  look(): Promise<void>;
}

const LOOK_MS = 1_000;
const TEST_BYTES = 64 << 10;
/** Number of successful test writes in a row after which the gateway assumes that the disk works again. */
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
    // EMFILE: this read needs a file handle and none is left, so the limit is reached. Other errors: this system has no /proc.
    return (error as NodeJS.ErrnoException).code === 'EMFILE' ? { open: 1, limit: 1 } : null;
  }
}

/** Reads the resources once. On a full disk it first frees space, such as the reserves of an earlier run, so that the store can open. */
export async function openResources(options: ResourceOptions): Promise<Resources> {
  const { folder, log } = options;
  const readDisk = options.readDisk ?? systemDisk;
  const ballast = await openBallast(folder);
  const startReserve = await openBallast(folder, 'start');
  const rawGone = await makeRoomToStart({
    folder,
    reserves: [ballast, startReserve],
    read: () => readDisk(folder).catch(() => null),
    log,
  });
  const monitor = new ResourceMonitor({ ...options, readDisk, ballast, startReserve, rawGone });
  await monitor.look();
  return monitor;
}

interface MonitorOptions extends Required<ResourceOptions> {
  /** The reserve that keeps the gateway working on a nearly full disk. */
  readonly ballast: Ballast;
  /** The reserve that is kept for a start on a full disk. */
  readonly startReserve: Ballast;
  readonly rawGone: RawGone | null;
}

/** Reads the resources every second, and keeps the state between two readings. */
class ResourceMonitor implements Resources {
  readonly #options: MonitorOptions;
  #parts: Parts | undefined;
  #pressure = NO_PRESSURE;
  #disk: Reading['disk'] = null;
  /** The arguments of the call of `hold`; undefined before that call. */
  #held: { readonly why: Refusing; readonly end: () => void } | undefined;
  /** Number of successful test writes in a row. */
  #written = 0;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  get rawGone(): RawGone | null {
    return this.#options.rawGone;
  }

  get pressure(): Pressure {
    return this.#pressure;
  }

  get disk(): Reading['disk'] {
    return this.#disk;
  }

  follow(parts: Parts): void {
    this.#parts = parts;
    const again = (): void => {
      this.look().catch((error: Error) =>
        this.#options.log('error', 'reading the resources failed', { error: error.message }),
      );
    };
    this.#timer = setInterval(again, LOOK_MS);
    again();
  }

  hold(why: Refusing, end: () => void): void {
    this.#held ??= { why, end };
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const { clock, log } = this.#options;
    const reading = await this.#read();
    const before = this.#pressure;
    this.#pressure = nextPressure(before, reading, clock());
    for (const code of this.#pressure.since.keys())
      if (!before.since.has(code))
        log('warn', 'the gateway limits its work because a resource is short', { problem: code });
    for (const code of before.since.keys())
      if (!this.#pressure.since.has(code)) log('info', 'the resource is no longer short', { problem: code });
    // Apply the level before any await, so that health never reports a level before the parts apply it.
    this.#parts?.apply(this.#pressure, reading);
    await this.#keepReserves();
    await this.#tryWriting();
  }

  async #read(): Promise<Reading> {
    const { folder, readDisk, ballast } = this.#options;
    const found = await readDisk(folder).catch(() => null);
    this.#disk = found && { ...found, reserve: ballast.bytes, wanted: reserveFor(found.total) };
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return {
      disk: this.#disk,
      heap: used_heap_size / heap_size_limit,
      memory: process.memoryUsage.rss() / memoryLimit(),
      handles: await readHandles(),
      sync_ms: this.#parts?.sync_ms() ?? null,
      refusing: this.#refusing(),
      owing: this.#parts?.owing() ?? 0,
    };
  }

  /** Returns why the disk accepts no writes; null while writes succeed. */
  #refusing(): Refusing | null {
    if (this.#held !== undefined) return this.#held.why;
    const code = this.#parts?.refusing() ?? null;
    return code === null ? null : FULL.has(code) ? 'full' : code === 'EROFS' ? 'read_only' : null;
  }

  /** Releases the reserves while the disk is short of space, and fills them again when there is space. */
  async #keepReserves(): Promise<void> {
    const { ballast, startReserve } = this.#options;
    if (this.#disk === null) return;
    const full = this.#refusing() === 'full';
    const needed = this.#pressure.disk === 'critical' || full;
    if (needed && ballast.bytes > 0) {
      await this.#release(ballast, 'the gateway releases the reserve on the disk');
    } else if (full && startReserve.bytes > 0) {
      // The process will restart, and the start needs this space. While the disk stays critical, the process then stores no measurements.
      await this.#release(startReserve, 'the gateway releases the disk reserve for a start');
    } else if (!needed && this.#parts !== undefined && this.#pressure.disk === 'ok') {
      const wanted = startReserveFor(this.#disk.total);
      if (startReserve.bytes < wanted) await startReserve.grow(wanted);
      else if (ballast.bytes < this.#disk.wanted) await ballast.grow(this.#disk.wanted);
      else return;
    } else return;
    this.#disk = { ...this.#disk, reserve: ballast.bytes };
  }

  async #release(reserve: Ballast, message: string): Promise<void> {
    const { log } = this.#options;
    log('warn', message, { bytes: reserve.bytes });
    await reserve
      .release()
      .catch((error: Error) => log('warn', 'releasing a disk reserve failed', { error: error.message }));
  }

  /** After `hold`: ends the process when two test writes in a row succeed, because the supervisor starts it again. */
  async #tryWriting(): Promise<void> {
    if (this.#held === undefined || this.#disk === null) return;
    const { why, end } = this.#held;
    const testFile = join(this.#options.folder, 'write-test');
    const works =
      (why === 'read_only' || isEnough(this.#disk)) &&
      (await writeFile(testFile, Buffer.alloc(TEST_BYTES, 1), { flush: true }).then(
        () => true,
        () => false,
      ));
    await rm(testFile, { force: true }).catch(() => {});
    this.#written = works ? this.#written + 1 : 0;
    if (this.#written < ENOUGH) return;
    this.#options.log('info', 'the disk accepts writes again; this process ends and the supervisor starts it again', {
      why,
    });
    end();
  }
}

/**
 * Returns the bytes by which the raw journal may grow before the disk is low. A negative result is the number of bytes that the journal
 * must free.
 */
export function spareBytes(disk: Reading['disk']): number {
  return disk === null ? 0 : roomOf(disk) - threshold('low', disk.total);
}

/** Returns the disk space in bytes that ingest may use: for raw messages, for all messages of devices, and for measurements. */
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
