/**
 * A disk that becomes full while history is compacted. The disk is real: a tmpfs with a size, so the test needs root on Linux.
 * `TEST_KILLS=50` fills it at 50 places.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, cpSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { SignalName } from '#contract/base/signals.ts';
import { openRollup } from '#domain/history/rollup.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { startSite } from '#test/ingest/support.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { killsOf } from '#test/support/kills.ts';

const HOUR_MS = 3_600_000;
const CHILD = join(import.meta.dirname, 'history-full-child.ts');
const SIGNALS = ['engine.speed', 'engine.load'] as const satisfies readonly SignalName[];
/** Hours with data, and the seconds of each that have a sample. */
const HOURS = 6;
const SECONDS = 1_200;
const DISK_MIB = 48;
/** The bytes that are free when the compaction begins. */
const FREE = Array.from({ length: killsOf(2) }, (_, i) => (95 + ((i * 110) % 300)) << 10);

/** A file system with a size of its own. */
function mountDisk(path: string): Disposable | undefined {
  mkdirSync(path);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', path]);
  return mounted.status === 0 ? { [Symbol.dispose]: () => void spawnSync('umount', [path]) } : undefined;
}

function whyNot(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux, to mount a small disk';
  using folder = temporaryFolder();
  using disk = mountDisk(join(folder.path, 'disk'));
  return disk === undefined ? 'needs the right to mount a tmpfs' : false;
}

const freeBytes = (path: string) => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

/** Fills the disk, so that at most `leave` bytes are free. */
function fill(disk: string, leave: number): void {
  const file = openSync(join(disk, 'filler'), 'a');
  const block = Buffer.alloc(4_096, 1);
  while (freeBytes(disk) >= leave + block.length) writeSync(file, block);
  closeSync(file);
}

/** Compacts the history of a folder in a process of its own; `full` is called when its store is open. */
async function compact(folder: string, full: () => void): Promise<{ replaced: number; error: string | null }> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== 'open') return JSON.parse(line);
    full();
    child.stdin.end('+');
  }
  throw new Error('the process of the compaction ended without a result');
}

/** What history has: the value of each second, and the number of values of each minute. Throws if a second or minute is there twice. */
async function contentOf(store: Store, project: string) {
  const view = store.view(project);
  const segments = await view.find<SegmentData>('telemetry', { object: 'segment', order: 'asc', limit: 1_000 });
  const rollups = await view.find<RollupData>('telemetry', { object: 'rollup', limit: 1_000 });
  const seconds = new Map<string, number>();
  const minutes = new Map<string, number>();
  for (const signal of SIGNALS) {
    for (const { data } of segments) {
      const segment = openSegment(data.body);
      const { t = [], v = [] } = segment?.read(signal) ?? {};
      t.forEach((second, i) => {
        const key = `${signal} ${second}`;
        assert.ok(!seconds.has(key), `${key} is stored twice`);
        seconds.set(key, v[i] as number);
      });
      if (data.sealed_hour !== undefined) continue;
      const own = segment?.minutes().find((one) => one.signal === signal);
      own?.m.forEach((minute, i) => {
        const key = `${signal} ${minute}`;
        minutes.set(key, (minutes.get(key) ?? 0) + (own.n[i] as number));
      });
    }
    for (const { data } of rollups) {
      const own = openRollup(data.body)?.read(signal);
      own?.m.forEach((minute, i) => {
        const key = `${signal} ${minute}`;
        minutes.set(key, (minutes.get(key) ?? 0) + (own.n[i] as number));
      });
    }
  }
  const open = segments.filter(({ data }) => data.sealed_hour === undefined).length;
  return { seconds: new Map([...seconds].sort()), minutes: new Map([...minutes].sort()), open };
}

test('[Z27] a disk that is full during the compaction loses and doubles nothing, and the compaction goes on when there is space', {
  skip: whyNot(),
}, async () => {
  using unsealed = temporaryFolder();
  using place = temporaryFolder();
  const disk = join(place.path, 'disk');
  using _mounted = mountDisk(disk);
  const folder = join(disk, 'data');
  const random = (n: number) => new Uint8Array(randomBytes(n));
  const read = async (path: string, project: string) => {
    await using store = await openStore({ folder: path, clock: Date.now, random });
    return contentOf(store, project);
  };
  let project = '';
  {
    await using site = await startSite();
    project = site.project;
    const device = await site.device('dev-1', 'EX-1');
    const start = site.time.ms - 20 * HOUR_MS;
    for (let hour = 0; hour < HOURS; hour++) {
      for (let at = 0; at < SECONDS; at += 100) {
        const points = Array.from({ length: 100 }, (_, i) => ({
          observed_at: new Date(start + hour * HOUR_MS + (at + i) * 1000).toISOString(),
          values: { 'engine.speed': 800 + (((at + i) * 7919) % 9_973) / 8, 'engine.load': (at + i) % 100 },
        }));
        await site.send(device, 'telemetry', JSON.stringify({ points }));
      }
      await site.settle();
      // Each hour has a segment of its own, so that each has its own commit of the compaction.
      site.time.pass(120_000);
      await site.stored();
    }
    cpSync(site.folder, unsealed.path, { recursive: true });
  }
  const before = await read(unsealed.path, project);
  assert.equal(before.seconds.size, 2 * HOURS * SECONDS);
  let halfway = 0;
  for (const leave of FREE) {
    rmSync(folder, { recursive: true, force: true });
    cpSync(unsealed.path, folder, { recursive: true });
    const told = await compact(folder, () => fill(disk, leave));
    assert.equal(told.error, 'disk_full');
    rmSync(join(disk, 'filler'));
    const after = await read(folder, project);
    halfway += before.open - after.open;
    assert.deepEqual(after.seconds, before.seconds);
    assert.deepEqual(after.minutes, before.minutes);
    const rest = await compact(folder, () => undefined);
    assert.equal(rest.error, null);
    assert.equal(rest.replaced, after.open, 'the compaction goes on with what is left');
    const done = await read(folder, project);
    assert.deepEqual([done.seconds, done.minutes, done.open], [before.seconds, before.minutes, 0]);
  }
  assert.ok(halfway > 0, 'the disk became full after the first commit, not before it');
});
