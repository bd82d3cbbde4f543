import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import { type Disk, nodeDisk } from '#ingest/journal/disk.ts';
import { type Journal, type JournalOptions, openJournal } from '#ingest/journal/journal.ts';
import { positionOf, refOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import type { Timers } from '#ingest/journal/timers.ts';
import { until } from '#test/support/until.ts';

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'headframe-journal-'));
});
after(() => rm(root, { recursive: true }));

let made = 0;
const newFolder = () => join(root, `j${made++}`);

/** The names of the segment files of a journal, sorted. The folder also has stored indexes. */
const segmentsIn = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith('.journal')).sort();

function start(folder: string, options: Partial<JournalOptions> = {}): Promise<Journal> {
  return openJournal({
    folder,
    disk: nodeDisk(),
    clock: () => 1_800_000_000_000,
    monotonic: () => performance.now(),
    random: (n) => randomBytes(n),
    groupMs: 0,
    onGroup: () => {},
    onFatal: () => {},
    ...options,
  });
}

function message(text: string | Uint8Array, device = 'a', more: Partial<IngestMessage> = {}): IngestMessage {
  return {
    device: `dev_${device}`,
    device_id: device,
    project_id: 'prj_1',
    topic: 'can',
    payload: typeof text === 'string' ? Buffer.from(text) : text,
    received_at_ms: 1_800_000_000_123,
    ...more,
  };
}

interface Read {
  device: string;
  topic: string;
  text: string;
  repeat: boolean;
  packet_id: number;
  received_at_ms: number;
  position: number;
}

async function readAll(journal: Journal, from = 0): Promise<Read[]> {
  const reader = new RecordReader();
  const all: Read[] = [];
  for await (const group of journal.read(from)) {
    reader.open(group.segment, group.start, group.body);
    while (reader.next()) {
      all.push({
        device: reader.device.device_id,
        topic: reader.topic,
        text: reader.payload.toString('latin1'),
        repeat: reader.repeat,
        packet_id: reader.packet_id,
        received_at_ms: reader.received_at_ms,
        position: positionOf(reader.segment, reader.offset),
      });
    }
  }
  assert.equal(reader.broken, 0);
  return all;
}

test('[I1] accepted messages are read back complete and in order, also after reopening', async () => {
  const one = fc.record({
    device: fc.constantFrom('a', 'b', 'truck-14'),
    topic: fc.constantFrom('can' as const, 'telemetry' as const, 'events' as const, 'status' as const),
    payload: fc.uint8Array({ maxLength: 400 }),
    dup: fc.boolean(),
    packet_id: fc.integer({ min: 0, max: 65_535 }),
    received_at_ms: fc.integer({ min: 0, max: 2 ** 47 }),
    wait: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 60 }), async (list) => {
      const folder = newFolder();
      const expected = list.map(({ device, topic, payload, dup, packet_id, received_at_ms }) => ({
        device,
        topic,
        text: Buffer.from(payload).toString('latin1'),
        repeat: dup,
        packet_id,
        received_at_ms,
      }));
      const plain = (all: Read[]) => all.map(({ position: _, ...rest }) => rest);
      {
        await using journal = await start(folder, { segmentBytes: 2000 });
        const waiting: Promise<void>[] = [];
        for (const { wait, device, payload, ...more } of list) {
          waiting.push(journal.append(message(payload, device, more)));
          if (wait) await waiting.at(-1);
        }
        await Promise.all(waiting);
        const here = await readAll(journal);
        assert.deepEqual(plain(here), expected);
        for (let i = 1; i < here.length; i++) assert.ok((here[i]?.position ?? 0) > (here[i - 1]?.position ?? 0));
      }
      await using again = await start(folder);
      assert.deepEqual(plain(await readAll(again)), expected);
      await rm(folder, { recursive: true });
    }),
    { numRuns: 40 },
  );
});

test('[I1] the fold gets a message once, after its sync, with the same position as on disk', async () => {
  const folder = newFolder();
  const seen: number[] = [];
  const reader = new RecordReader();
  await using journal = await start(folder, {
    onGroup: (group) => {
      reader.open(group.segment, group.start, group.body);
      while (reader.next()) seen.push(positionOf(reader.segment, reader.offset));
    },
  });
  for (let i = 0; i < 20; i++)
    await Promise.all([journal.append(message(`x${i}`)), journal.append(message(`y${i}`, 'b'))]);
  assert.deepEqual(
    (await readAll(journal)).map((read) => read.position),
    seen,
  );
  assert.equal(seen.length, 40);
  assert.equal(journal.stats().messages, 40);
});

/** A folder with `groups` acknowledged groups of one segment, its file, and where each group ends in the file. */
async function written(groups: number): Promise<{ folder: string; file: string; bytes: Buffer; ends: number[] }> {
  const folder = newFolder();
  const ends: number[] = [];
  {
    await using journal = await start(folder);
    for (let i = 0; i < groups; i++) {
      await Promise.all([
        journal.append(message(`first-${i}`)),
        journal.append(message(`second-${i}`.repeat(i + 1), 'b')),
      ]);
      ends.push(journal.stats().bytes);
    }
  }
  const [name = ''] = await readdir(folder);
  const file = join(folder, name);
  return { folder, file, bytes: await readFile(file), ends };
}

test('[I2] a journal cut off at any byte of its tail keeps every complete group and truncates the rest', async () => {
  const { folder, file, bytes, ends } = await written(4);
  const from = ends[1] as number;
  for (let cut = from; cut <= bytes.length; cut++) {
    await writeFile(file, bytes.subarray(0, cut));
    const whole = ends.filter((end) => end <= cut).length;
    {
      await using journal = await start(folder);
      const texts = (await readAll(journal)).map((read) => read.text);
      assert.equal(texts.length, whole * 2, `cut at ${cut}`);
      assert.equal(texts.at(-2), `first-${whole - 1}`);
      const { torn_bytes, damaged_bytes } = journal.stats();
      assert.equal(torn_bytes, cut - (ends[whole - 1] as number));
      assert.equal(damaged_bytes, 0);
      await journal.append(message('behind', 'c'));
      assert.equal((await readAll(journal)).at(-1)?.text, 'behind');
    }
    for (const name of await readdir(folder)) if (join(folder, name) !== file) await rm(join(folder, name));
  }
});

test('[I2] a journal truncated inside its first header is empty and usable', async () => {
  const { folder, file, bytes } = await written(1);
  for (let cut = 0; cut <= 32; cut++) {
    await writeFile(file, bytes.subarray(0, cut));
    {
      await using journal = await start(folder);
      await journal.append(message('new'));
      assert.deepEqual(
        (await readAll(journal)).map((read) => read.text),
        ['new'],
        `cut at ${cut}`,
      );
    }
    for (const name of await readdir(folder)) await rm(join(folder, name));
  }
});

test('[I3] a flipped bit loses only its group, which is counted, and never the groups after it', async () => {
  const { folder, file, bytes, ends } = await written(4);
  const from = ends[0] as number;
  const to = ends[2] as number;
  for (let at = from; at < to; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
    await writeFile(file, flipped);
    const hurt = at < (ends[1] as number) ? 1 : 2;
    {
      await using journal = await start(folder);
      const texts = (await readAll(journal)).map((read) => read.text);
      const expected = [0, 1, 2, 3].filter((i) => i !== hurt).map((i) => `first-${i}`);
      // A flip in the 24 bytes before the body may leave a checksum that cannot be told from another; all of it is covered.
      assert.deepEqual(
        texts.filter((text) => text.startsWith('first')),
        expected,
        `flip at ${at}`,
      );
      assert.ok(journal.stats().damaged_bytes > 0);
    }
    for (const name of await readdir(folder)) if (join(folder, name) !== file) await rm(join(folder, name));
  }
});

test('[I3] payload bytes that look like a group are never taken for one', async () => {
  const { folder, file, bytes, ends } = await written(2);
  {
    await using journal = await start(folder);
    // Everything that stands in an older segment, groups and all, sent by a device.
    await journal.append(message(Buffer.concat([randomBytes(64), bytes.subarray(32)]), 'evil'));
    await journal.append(message('good'));
  }
  const names = await segmentsIn(folder);
  const second = join(folder, names[1] as string);
  const hurt = await readFile(second);
  hurt[40] = (hurt[40] as number) ^ 1;
  await writeFile(second, hurt);
  await using journal = await start(folder);
  assert.equal((await readAll(journal)).filter((read) => read.text === 'first-1').length, 1);
  assert.equal(ends.length, 2);
  assert.ok((await readFile(file)).length > 0);
});

test('[I4] a full segment is closed, each start begins a new segment, and no segment number is used twice', async () => {
  const folder = newFolder();
  for (let round = 0; round < 3; round++) {
    await using journal = await start(folder, { segmentBytes: 4096 });
    for (let i = 0; i < 30; i++) await journal.append(message(randomBytes(500), String(i % 3)));
  }
  const names = await segmentsIn(folder);
  assert.ok(names.length >= 9);
  assert.equal(new Set(names).size, names.length);
  await using journal = await start(folder, { after: positionOf(5000, 7) });
  assert.ok(journal.end > positionOf(5000, 7));
  assert.equal((await readAll(journal)).length, 90);
});

test('[I34] while the disk is low a segment is closed at 8 MB, or at a shorter configured length', async () => {
  const mib = () => message(randomBytes(1 << 20));
  {
    await using journal = await start(newFolder());
    journal.useSmallSegments(true);
    for (let i = 0; i < 8; i++) await journal.append(mib());
    assert.equal(journal.stats().segments, 1);
    await journal.append(mib());
    assert.equal(journal.stats().segments, 2);
    journal.useSmallSegments(false);
    for (let i = 0; i < 8; i++) await journal.append(mib());
    assert.equal(journal.stats().segments, 2, 'there is room again');
  }
  await using journal = await start(newFolder(), { segmentBytes: 4096 });
  journal.useSmallSegments(true);
  for (let i = 0; i < 2; i++) await journal.append(message(randomBytes(5000)));
  assert.equal(journal.stats().segments, 2);
});

test('[I5] reading from a position begins with the segment of that position', async () => {
  const folder = newFolder();
  await using journal = await start(folder, { segmentBytes: 2000 });
  for (let i = 0; i < 40; i++)
    await journal.append(message(`${i}-${'.'.repeat(100)}${randomBytes(60).toString('hex')}`));
  const all = await readAll(journal);
  const middle = all[20] as Read;
  const rest = await readAll(journal, middle.position);
  assert.ok(rest.length < all.length);
  assert.deepEqual(rest.slice(rest.findIndex((read) => read.position === middle.position)), all.slice(20));
  assert.match(refOf(middle.position, 3), /^\d+:\d+#3$/);
});

test('[I6] the oldest segments over the limits are removed, never one that the fold still needs', async () => {
  const folder = newFolder();
  await using journal = await start(folder, { segmentBytes: 4096 });
  for (let i = 0; i < 60; i++) await journal.append(message(randomBytes(500)));
  const before = journal.stats();
  const positions = (await readAll(journal)).map((read) => read.position);
  const keep = positions[30] as number;
  const removed = await journal.trim({ maxBytes: 0, olderThanMs: 0, keep });
  assert.ok(removed.length > 0);
  const left = (await readAll(journal)).map((read) => read.position);
  assert.deepEqual(left, positions.slice(positions.length - left.length));
  assert.ok((left[0] as number) <= keep);
  const stats = journal.stats();
  assert.equal(stats.removed_segments, removed.length);
  assert.equal(stats.bytes + stats.removed_bytes, before.bytes);
  assert.deepEqual(await journal.trim({ maxBytes: 0, olderThanMs: 0, keep }), []);
  await journal.trim({ maxBytes: 1e12, olderThanMs: 2e12, keep: journal.end });
  assert.equal(journal.stats().segments, 1);
});

/** The real disk with switches. */
function switchedDisk(): Disk & {
  failWrite?: NodeJS.ErrnoException;
  failTruncate?: NodeJS.ErrnoException;
  failSync?: Error;
  hold?: Promise<void>;
  syncs: number;
} {
  const real = nodeDisk();
  const disk: ReturnType<typeof switchedDisk> = {
    ...real,
    syncs: 0,
    async open(folder, name, mode) {
      if (mode === 'create' && disk.failTruncate) throw disk.failTruncate;
      const file = await real.open(folder, name, mode);
      return {
        ...file,
        async truncate(length) {
          if (disk.failTruncate) throw disk.failTruncate;
          await file.truncate(length);
        },
        async write(bytes, position) {
          if (disk.failWrite) {
            await file.write(bytes.subarray(0, bytes.length >> 1), position);
            throw disk.failWrite;
          }
          await file.write(bytes, position);
        },
        async sync() {
          disk.syncs++;
          await disk.hold;
          if (disk.failSync) throw disk.failSync;
          await file.sync();
        },
      };
    },
  };
  return disk;
}

test('[I7] at the limit of unwritten bytes append waits, and no message is dropped', async () => {
  const disk = switchedDisk();
  await using journal = await start(newFolder(), { disk, waitingBytes: 4096 });
  await journal.append(message('warm'));
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.hold = promise;
  const { syncs } = disk;
  let done = 0;
  const all = Array.from({ length: 100 }, (_, i) =>
    journal.append(message(`${i}`.padEnd(200, '.'))).then(() => done++),
  );
  await until(() => disk.syncs === syncs + 1);
  assert.equal(done, 0);
  assert.ok(journal.stats().waiting_bytes < 4096 + 300);
  // When the first group is on disk, those that wait are let in up to the bound, and no further.
  const again = Promise.withResolvers<void>();
  disk.hold = again.promise;
  resolve();
  await until(() => disk.syncs === syncs + 2);
  assert.ok(done > 0 && done < 100);
  assert.ok(journal.stats().waiting_bytes < 4096 + 300, `${journal.stats().waiting_bytes} bytes`);
  again.resolve();
  await Promise.all(all);
  assert.deepEqual(
    (await readAll(journal)).map((read) => Number.parseInt(read.text, 10)).slice(1),
    Array.from({ length: 100 }, (_, i) => i),
  );
});

test('[I7] a message that waits alone at the limit is written once', async () => {
  const disk = switchedDisk();
  await using journal = await start(newFolder(), { disk, waitingBytes: 100 });
  await journal.append(message('warm'));
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.hold = promise;
  const first = journal.append(message('a'.repeat(200)));
  const lone = journal.append(message('alone'));
  resolve();
  await Promise.all([first, lone]);
  // What is left over among those that wait goes with the next group.
  await journal.append(message('next'));
  await journal.flush();
  assert.deepEqual(
    (await readAll(journal)).map((read) => read.text),
    ['warm', 'a'.repeat(200), 'alone', 'next'],
  );
});

test('[I1] the largest message is read back even if it is the last of a nearly full group; a larger message is refused', async () => {
  const folder = newFolder();
  const disk = switchedDisk();
  const small = randomBytes(1_000_000);
  const large = randomBytes(0xffffff);
  {
    await using journal = await start(folder, { disk });
    await journal.append(message('warm'));
    const { promise, resolve } = Promise.withResolvers<void>();
    disk.hold = promise;
    const { syncs } = disk;
    const before = journal.append(message('before'));
    await until(() => disk.syncs === syncs + 1);
    const { groups } = journal.stats();
    const both = [journal.append(message(small)), journal.append(message(large))];
    resolve();
    await Promise.all([before, ...both]);
    assert.equal(journal.stats().groups, groups + 2, 'both are in one group');
    await assert.rejects(journal.append(message(Buffer.alloc(0x1000000))), /larger than 16 MiB/);
  }
  await using journal = await start(folder);
  const texts = (await readAll(journal)).map(({ text }) => Buffer.from(text, 'latin1'));
  assert.deepEqual(
    texts.map(({ length }) => length),
    [4, 6, small.length, large.length],
  );
  assert.ok(texts[2]?.equals(small) && texts[3]?.equals(large));
  assert.equal(journal.stats().damaged_bytes, 0);
});

test('[I10] stats show the last sync time and the smoothed one, and null after an idle minute', async () => {
  let now = 0;
  let takes = 40;
  const real = nodeDisk();
  const disk: Disk = {
    ...real,
    async open(folder, name, mode) {
      const file = await real.open(folder, name, mode);
      return {
        ...file,
        async sync() {
          await file.sync();
          now += takes;
        },
      };
    },
  };
  await using journal = await start(newFolder(), { disk, monotonic: () => now });
  const times = () => [journal.stats().last_sync_ms, journal.stats().sync_ms];
  assert.deepEqual(times(), [null, null]);
  await journal.append(message('first'));
  assert.deepEqual(times(), [40, 40]);
  takes = 80;
  await journal.append(message('second'));
  assert.deepEqual(times(), [80, 50]);
  takes = 10;
  await journal.append(message('third'));
  assert.deepEqual(times(), [10, 40]);
  now += 60_000 - 10;
  assert.deepEqual(times(), [10, 40]);
  now += 1;
  assert.deepEqual(times(), [10, null]);
});

test('[I8] after a failed sync its messages and all later ones are refused, and onFatal is called once', async () => {
  const disk = switchedDisk();
  const told: Error[] = [];
  await using journal = await start(newFolder(), { disk, onFatal: (error) => told.push(error) });
  await journal.append(message('good'));
  disk.failSync = new Error('EIO');
  const results = await Promise.allSettled([journal.append(message('1')), journal.append(message('2'))]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'rejected'],
  );
  delete disk.failSync;
  await assert.rejects(journal.append(message('3')), /EIO/);
  assert.equal(told.length, 1);
});

test('[I9] on a full disk messages are refused and earlier messages stay; when there is space, messages are accepted again', async () => {
  const disk = switchedDisk();
  const folder = newFolder();
  let now = 0;
  const monotonic = () => now;
  {
    await using journal = await start(folder, { disk, monotonic, onFatal: (error) => assert.fail(error) });
    await journal.append(message('one'));
    disk.failWrite = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const passing = (error: unknown) => error instanceof NotTaken && /no space/.test(error.message);
    await assert.rejects(journal.append(message('two', 'b')), passing);
    assert.equal(journal.stats().refusing, 'ENOSPC');
    delete disk.failWrite;
    const { syncs } = disk;
    // For a second nobody bothers the disk.
    await assert.rejects(journal.append(message('two', 'b')), passing);
    await journal.probe();
    assert.deepEqual([journal.stats().refusing, disk.syncs], ['ENOSPC', syncs]);
    now += 1_000;
    await journal.append(message('three', 'b'));
    assert.equal(journal.stats().refusing, null);
    assert.deepEqual(
      (await readAll(journal)).map((read) => read.text),
      ['one', 'three'],
    );
  }
  await using journal = await start(folder);
  assert.equal(journal.stats().torn_bytes, 0);
  assert.deepEqual(
    (await readAll(journal)).map((read) => `${read.device} ${read.text}`),
    ['a one', 'b three'],
  );
});

test('[I9] the journal tests a disk that refused writes also without new messages, and truncates the file when a read-only disk is writable again', async () => {
  const disk = switchedDisk();
  const folder = newFolder();
  let now = 0;
  {
    await using journal = await start(folder, {
      disk,
      monotonic: () => now,
      onFatal: (error) => assert.fail(error),
    });
    await journal.append(message('one'));
    const readOnly = Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    disk.failWrite = readOnly;
    disk.failTruncate = readOnly;
    await assert.rejects(journal.append(message('two', 'b')), NotTaken);
    for (let i = 0; i < 3; i++) {
      now += 1_000;
      await journal.probe();
      assert.equal(journal.stats().refusing, 'EROFS');
    }
    delete disk.failWrite;
    delete disk.failTruncate;
    now += 1_000;
    await journal.probe();
    assert.equal(journal.stats().refusing, null);
    await journal.append(message('three', 'b'));
  }
  await using journal = await start(folder);
  assert.equal(journal.stats().torn_bytes, 0);
  assert.deepEqual(
    (await readAll(journal)).map((read) => `${read.device} ${read.text}`),
    ['a one', 'b three'],
  );
});

/** Timers of which only those of this turn run; the rest is noted, and never comes. */
function notedTimers() {
  const asked: string[] = [];
  const timers: Timers = {
    after(ms) {
      asked.push(`in ${ms} ms`);
      return () => {};
    },
    soon(call) {
      asked.push('now');
      const timer = setImmediate(call);
      return () => clearImmediate(timer);
    },
    every: () => () => {},
  };
  /** What was asked for since the last time, once the run that resolved a promise is over. */
  const askedNow = async () => {
    await new Promise((done) => setImmediate(done));
    return asked.splice(0);
  };
  return { timers, askedNow };
}

test('[I10] senders that do not wait share a sync; the group of a sender that waits is synced at once', async () => {
  const disk = switchedDisk();
  const { timers, askedNow } = notedTimers();
  let now = 0;
  await using journal = await start(newFolder(), { disk, timers, groupMs: 80, monotonic: () => now });
  const first = journal.append(message('first'));
  await first;
  assert.deepEqual(await askedNow(), ['now'], 'the disk was idle');
  const before = disk.syncs;
  // Answers its acknowledgement at once: the first time that may be chance.
  now += 1;
  const second = journal.append(message('second'));
  assert.deepEqual(await askedNow(), ['in 79 ms']);
  await journal.flush();
  await second;
  assert.deepEqual(await askedNow(), []);
  now += 1;
  const third = journal.append(message('third'));
  assert.deepEqual(await askedNow(), ['now'], 'it answered twice running');
  await third;
  assert.equal(disk.syncs, before + 2);
  // Comes on its own time: waits for company, until a sender has a window full of unanswered messages.
  now += 20;
  const lone = journal.append(message('lone', 'b'));
  const window = Array.from({ length: 7 }, (_, i) => journal.append(message(`w${i}`, 'c')));
  assert.deepEqual(await askedNow(), ['in 60 ms'], 'one timer for all of them');
  window.push(journal.append(message('w7', 'c')));
  assert.deepEqual(await askedNow(), ['now'], 'the eighth without an answer');
  await Promise.all([lone, ...window]);
  assert.equal(disk.syncs, before + 3);
});

test('[I10] a sender that waits may be late twice; a periodic sender is not treated as one that waits', async () => {
  const { timers, askedNow } = notedTimers();
  let now = 0;
  await using journal = await start(newFolder(), { timers, groupMs: 80, monotonic: () => now });
  /** A message so long after the acknowledgement of the one before; how soon its group is asked for. */
  const after = async (ms: number, sender = 'a') => {
    now += ms;
    const sent = journal.append(message('x', sender));
    const asked = await askedNow();
    if (asked[0] !== 'now') await journal.flush();
    await sent;
    await askedNow();
    return asked[0];
  };
  await after(1_000);
  for (let i = 0; i < 10; i++) await after(1);
  assert.deepEqual(
    [await after(30), await after(30), await after(30), await after(1)],
    ['now', 'now', 'in 50 ms', 'now'],
  );
  const beat = [];
  for (const ms of [30, 1, 30, 1, 30, 1]) beat.push(await after(ms, 'b'));
  assert.deepEqual(beat, ['in 50 ms', 'in 79 ms', 'in 50 ms', 'in 79 ms', 'in 50 ms', 'in 79 ms']);
});

test('[I10] a message that its listener marks as waited for is written at once', async () => {
  const disk = switchedDisk();
  const { timers, askedNow } = notedTimers();
  await using journal = await start(newFolder(), { disk, timers, groupMs: 80, monotonic: () => 0 });
  await journal.append(message('first'));
  const before = disk.syncs;
  await askedNow();
  const second = journal.append(message('second', 'a', { waits: true }));
  assert.deepEqual(await askedNow(), ['now']);
  await second;
  assert.deepEqual(await askedNow(), []);
  // Also when a timer runs for those that do not wait.
  const third = journal.append(message('third', 'b'));
  assert.deepEqual(await askedNow(), ['in 80 ms']);
  const fourth = journal.append(message('fourth', 'a', { waits: true }));
  assert.deepEqual(await askedNow(), ['now']);
  await Promise.all([third, fourth]);
  assert.equal(disk.syncs, before + 2);
});

test('[I10] a group of 128 KiB is written at once, a smaller one waits', async () => {
  const { timers, askedNow } = notedTimers();
  await using journal = await start(newFolder(), { timers, groupMs: 80, monotonic: () => 0 });
  await journal.append(message('first'));
  await askedNow();
  const small = journal.append(message(Buffer.alloc(100 * 1024), 'b'));
  assert.deepEqual(await askedNow(), ['in 80 ms']);
  const large = journal.append(message(Buffer.alloc(28 * 1024), 'c'));
  assert.deepEqual(await askedNow(), ['now']);
  await Promise.all([small, large]);
});

test('[I11] a segment with a damaged header stays in place and does not stop the start', async () => {
  const folder = newFolder();
  {
    await using journal = await start(folder, { segmentBytes: 1000 });
    for (let i = 0; i < 6; i++) await journal.append(message(randomBytes(600)));
  }
  const [first = ''] = await segmentsIn(folder);
  const bytes = await readFile(join(folder, first));
  bytes[5] = 0xee;
  await writeFile(join(folder, first), bytes);
  await using journal = await start(folder);
  const { damaged_bytes } = journal.stats();
  assert.equal(damaged_bytes, bytes.length);
  assert.ok((await readdir(folder)).includes(first));
  assert.ok((await readAll(journal)).length > 0);
  await truncate(join(folder, first), 0);
});
