/** Ingest over a real store with time and disk in the hand of a test, so that what a second of a site costs can be counted exactly. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import type { Disk, DiskFile } from '#ingest/journal/disk.ts';
import type { Timers } from '#ingest/journal/timers.ts';
import { openStore, type Store } from '#store/open-store.ts';

const PROJECT = 'prj_cost';
const START_MS = Date.parse('2026-11-21T08:00:00Z');

/** What the journal asked of its disk. */
export interface DiskCount {
  writes: number;
  bytes: number;
  syncs: number;
}

export interface LineRig extends AsyncDisposable {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly disk: DiskCount;
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly devices: readonly DeviceIdentity[];
  /**
   * Sends a message of a running engine, as a device that does not wait for its acknowledgement. The message has ten frames, each of them
   * `times` times (once when not told) with different times.
   */
  send(device: DeviceIdentity, times?: number): void;
  /** Lets time pass in steps, of 20 ms when not told, with everything done that is due. */
  pass(ms: number, each?: () => void, stepMs?: number): Promise<void>;
}

/** A disk that keeps nothing and counts. */
function countingDisk(count: DiskCount): Disk {
  const file: DiskFile = {
    size: async () => 0,
    read: async () => 0,
    async write(bytes) {
      count.writes++;
      count.bytes += bytes.length;
    },
    async sync() {
      count.syncs++;
    },
    truncate: async () => {},
    close: async () => {},
  };
  return { list: async () => [], open: async () => file, remove: async () => {}, syncFolder: async () => {} };
}

interface Due {
  at: number;
  readonly every: number | null;
  readonly call: () => void;
}

/** A site of so many machines, each with one logger. */
export async function startLine(machines: number): Promise<LineRig> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'headframe-cost-'));
  opened.defer(() => rm(folder, { recursive: true }));
  let now = START_MS;
  let seed = 1;
  // Numerical Recipes' generator: ids need to differ, and to be the same in each run.
  const random = (n: number): Uint8Array =>
    Uint8Array.from({ length: n }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed >>> 24;
    });
  const due = new Set<Due>();
  const timers: Timers = {
    after: (ms, call) => plan({ at: now + ms, every: null, call }),
    soon(call) {
      const handle = setImmediate(call);
      return () => clearImmediate(handle);
    },
    every: (ms, call) => plan({ at: now + ms, every: ms, call }),
  };
  function plan(one: Due): () => void {
    due.add(one);
    return () => void due.delete(one);
  }
  const clock = () => now;
  const store = opened.use(await openStore({ folder, clock, random }));
  const devices: DeviceIdentity[] = [];
  for (let i = 0; i < machines; i++) {
    const identity = { device: `dev_${i}`, device_id: `truck-${i}`, project_id: PROJECT };
    const data = {
      device_id: identity.device_id,
      equipment_id: `eq_${i}`,
      linked_at: new Date(now).toISOString(),
      expected_interval_s: null,
    };
    await store.view(PROJECT).commit([{ collection: 'records', id: identity.device, object: 'device', data }]);
    devices.push(identity);
  }
  const disk: DiskCount = { writes: 0, bytes: 0, syncs: 0 };
  const ingest = opened.use(
    await startIngest({
      folder,
      store,
      clock,
      monotonic: () => now - START_MS + 1_000_000,
      random,
      timers,
      disk: countingDisk(disk),
      log: (level, message) => {
        throw new Error(`nothing is to be said: ${level} ${message}`);
      },
    }),
  );
  for (const device of devices) ingest.connected(device, '192.0.2.7');
  const { connection } = store.database.records.storageInstance.internals;
  const held = opened.move();
  return {
    store,
    ingest,
    disk,
    folder,
    devices,
    get now() {
      return now;
    },
    send(device, times = 1) {
      void ingest.accept({ ...device, topic: 'can', payload: running(now, times), received_at_ms: now });
    },
    async pass(ms, each, stepMs = 20) {
      for (const end = now + ms; now < end; ) {
        now += stepMs;
        each?.();
        for (const one of [...due]) {
          if (one.at > now || !due.has(one)) continue;
          if (one.every === null) due.delete(one);
          else one.at += one.every;
          one.call();
        }
        // The journal's disk answers at once and the store works in the turns that follow; the store's own disk is a real one.
        for (let turn = 0; turn < 6; turn++) {
          await new Promise(setImmediate);
          await connection.settled();
        }
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Ten frames of a running engine as candump text, `times` times. */
function running(atMs: number, times: number): Buffer {
  const speed = ((700 + ((atMs / 20) % 1300)) * 8).toString(16).padStart(4, '0').toUpperCase();
  const frames = [
    `0CF00400#F07D8C${speed.slice(2)}${speed.slice(0, 2)}00FFFF`,
    '0CF00300#FFFE28FFFFFFFFFF',
    '18FEF200#3403FFFFFFFFFFFF',
    '18FEEE00#7D50FFFFFFFFFFFF',
    '18FEEF00#FFFFFF64FFFFFFFF',
    '18FEF100#FF0018FFFFFFFFFF',
    '18FEF700#FFFFFFFF3002FFFF',
    '18FEFC00#FF96FFFFFFFFFFFF',
    '18FEF500#FF2823FFFFFFFFFF',
    '18FEF600#FF3C50FFFFFFFFFF',
  ];
  const lines = Array.from({ length: times }, (_, k) =>
    frames.map((frame, i) => `(${((atMs - 9 + i) / 1000 - k / 1e6).toFixed(6)}) can0 ${frame}\n`),
  );
  return Buffer.from(lines.flat().join(''));
}
