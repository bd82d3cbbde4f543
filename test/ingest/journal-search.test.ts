/** The search of the journal: it finds every wanted message, and reads only the parts of the files that may contain one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Disk, nodeDisk } from '#ingest/journal/disk.ts';
import { type Journal, type JournalOptions, openJournal } from '#ingest/journal/journal.ts';
import { positionOf, segmentOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import type { Search } from '#ingest/journal/segment-folder.ts';

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'headframe-search-'));
});
after(() => rm(root, { recursive: true }));

let made = 0;
const newFolder = () => join(root, `j${made++}`);

function start(folder: string, options: Partial<JournalOptions> = {}): Promise<Journal> {
  return openJournal({
    folder,
    disk: nodeDisk(),
    clock: () => 1_800_000_000_000,
    monotonic: () => performance.now(),
    random: (n) => randomBytes(n),
    groupMs: 0,
    machineOf: (device) => `machine of ${device}`,
    onGroup: () => {},
    onFatal: () => {},
    ...options,
  });
}

const append = (journal: Journal, device: string, payload: Uint8Array, received_at_ms = 1_800_000_000_000) =>
  journal.append({ device, device_id: device, project_id: 'prj_1', topic: 'can', payload, received_at_ms });

interface Found {
  readonly position: number;
  readonly device: string;
  readonly machine: string | null | undefined;
  readonly received_ms: number;
  readonly text: string;
}

const messageOf = (reader: RecordReader): Found => ({
  position: positionOf(reader.segment, reader.offset),
  device: reader.device.device,
  machine: reader.machine,
  received_ms: reader.received_at_ms,
  text: reader.payload.toString('hex'),
});

async function readAll(journal: Journal): Promise<Found[]> {
  const reader = new RecordReader();
  const all: Found[] = [];
  for await (const { segment, start: at, body } of journal.read(0)) {
    reader.open(segment, at, body);
    while (reader.next()) all.push(messageOf(reader));
  }
  return all;
}

const isWanted = ({ from, until, device, since_ms }: Search, one: Found): boolean =>
  one.position >= from &&
  one.position < until &&
  (device === null || one.device === device) &&
  one.received_ms >= since_ms;

/** Searches; also returns how many bytes of records the found groups have. */
async function search(journal: Journal, of: Search): Promise<{ found: Found[]; bytes: number }> {
  const found: Found[] = [];
  let all = 0;
  for await (const { reader, bytes } of journal.search(of)) {
    all += bytes;
    while (reader.next()) {
      const one = messageOf(reader);
      if (isWanted(of, one)) found.push(one);
    }
    assert.equal(reader.broken, 0);
  }
  return { found, bytes: all };
}

const EVERYTHING: Search = { from: 0, until: Number.MAX_SAFE_INTEGER, device: null, since_ms: 0 };

/** A disk that counts the bytes that are read. */
function countingDisk(): Disk & { bytes: number } {
  const disk = nodeDisk();
  const counting = {
    ...disk,
    bytes: 0,
    async open(...of: Parameters<Disk['open']>) {
      const file = await disk.open(...of);
      return {
        ...file,
        async read(into: Uint8Array, position: number) {
          const read = await file.read(into, position);
          counting.bytes += read;
          return read;
        },
      };
    },
  };
  return counting;
}

test('[I76] a search finds the same messages as a complete reading, while the journal is written and after reopening', async () => {
  const one = fc.record({
    device: fc.constantFrom('a', 'ab', 'b', 'c'),
    payload: fc.uint8Array({ maxLength: 6_000, minLength: 1_000 }),
    received: fc.integer({ min: 0, max: 50_000 }),
    wait: fc.boolean(),
  });
  const query = fc.record({
    device: fc.constantFrom(null, 'a', 'ab', 'b', 'c', 'unknown'),
    since_ms: fc.integer({ min: 0, max: 60_000 }),
    from: fc.nat(70),
    until: fc.nat(70),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 60 }), fc.array(query, { maxLength: 6 }), async (list, queries) => {
      const folder = newFolder();
      const check = async (journal: Journal) => {
        const all = await readAll(journal);
        const place = (i: number) => all[i]?.position ?? Number.MAX_SAFE_INTEGER;
        for (const { from, until, ...more } of [...queries, { from: 0, until: 99, device: null, since_ms: 0 }]) {
          const of = { ...more, from: place(from), until: place(until) };
          const { found } = await search(journal, of);
          assert.deepEqual(
            found,
            all.filter((each) => isWanted(of, each)),
          );
        }
      };
      {
        await using journal = await start(folder, { segmentBytes: 40_000 });
        for (const [i, { device, payload, received, wait }] of list.entries()) {
          const written = append(journal, device, payload, received);
          if (wait) await written;
          if (i % 20 === 10) await check(journal);
        }
        await journal.flush();
        await check(journal);
      }
      await using again = await start(folder);
      await append(again, 'a', Buffer.alloc(3_000), 45_000);
      await check(again);
      await rm(folder, { recursive: true });
    }),
    { numRuns: 25 },
  );
});

test('[I76] a search reads only the parts of a file that may contain a wanted message', async () => {
  const folder = newFolder();
  const disk = countingDisk();
  const times = Array.from({ length: 200 }, (_, i) => 1_800_000_000_000 + i * 1_000);
  const check = async (journal: Journal, stored: number) => {
    for (const [of, most] of [
      [{ ...EVERYTHING, device: 'rare' }, 0.05],
      [{ ...EVERYTHING, since_ms: times[196] as number }, 0.06],
      [{ ...EVERYTHING, device: 'unknown' }, 0],
    ] as const) {
      const before_bytes = disk.bytes;
      const { found, bytes } = await search(journal, of);
      assert.equal(found.length, of.device === 'rare' ? 2 : of.device === 'unknown' ? 0 : 4);
      assert.ok(bytes <= stored * most, `${bytes} bytes of records`);
      assert.ok(disk.bytes - before_bytes <= stored * most + 64, `${disk.bytes - before_bytes} bytes of the file`);
    }
  };
  let stored = 0;
  {
    await using journal = await start(folder, { disk });
    for (const [i, at] of times.entries())
      await append(journal, i === 70 || i === 150 ? 'rare' : 'usual', randomBytes(20_000), at);
    stored = journal.stats().bytes;
    await check(journal, stored);
  }
  await using again = await start(folder, { disk });
  await check(again, stored);
});

test('[I76] the first search after a restart reads the stored index of a segment instead of the segment', async () => {
  const folder = newFolder();
  const disk = countingDisk();
  const own = { disk, segmentBytes: 400_000 };
  {
    await using journal = await start(folder, own);
    for (let i = 0; i < 90; i++) await append(journal, i % 30 === 7 ? 'rare' : 'usual', randomBytes(10_000));
  }
  const indexes = async () => (await readdir(folder)).filter((name) => name.endsWith('.index')).sort();
  const [first = '', second = '', ...more] = await indexes();
  assert.deepEqual([first, second, more], ['0000000001.index', '0000000002.index', []]);
  const stored = await readFile(join(folder, first));
  /** Opens the journal, searches the segments before the last one, and returns how many bytes the search read. */
  const bytesOf = async () => {
    await using journal = await start(folder, own);
    const rare = (await readAll(journal)).filter(({ device }) => device === 'rare');
    const before_bytes = disk.bytes;
    const { found } = await search(journal, { ...EVERYTHING, until: positionOf(3, 0), device: 'rare' });
    assert.deepEqual(
      found,
      rare.filter(({ position }) => position < positionOf(3, 0)),
    );
    assert.equal(found.length, 3);
    return disk.bytes - before_bytes;
  };
  const usual = await bytesOf();
  assert.ok(usual < 100_000, `${usual} bytes with both indexes`);
  const damages: readonly (() => Promise<void>)[] = [
    () => rm(join(folder, first)),
    () => writeFile(join(folder, first), stored.subarray(0, stored.length / 2)),
    () => writeFile(join(folder, first), Buffer.alloc(0)),
    () => writeFile(join(folder, first), Buffer.from(stored).fill(stored.length, 40, 41)),
    async () => writeFile(join(folder, first), await readFile(join(folder, second))),
  ];
  for (const damage of damages) {
    await damage();
    assert.ok((await bytesOf()) > 400_000, 'the index is computed from the segment');
    assert.deepEqual(await readFile(join(folder, first)), stored, 'and stored again');
    assert.equal(await bytesOf(), usual);
  }
});

test('[I76] the stored index of a removed segment is removed, also if the gateway did not run', async () => {
  const folder = newFolder();
  const names = async () => (await readdir(folder)).sort();
  await using journal = await start(folder, { segmentBytes: 1 });
  for (let i = 0; i < 5; i++) await append(journal, 'a', Buffer.from(`message ${i}`));
  await journal.trim({ maxBytes: 0, olderThanMs: 0, keep: positionOf(3, 0) });
  const left = ['0000000003.index', '0000000003.journal', '0000000004.index', '0000000004.journal'];
  assert.deepEqual(await names(), [...left, '0000000005.journal']);
  await journal[Symbol.asyncDispose]();
  await rm(join(folder, '0000000003.journal'));
  await using again = await start(folder);
  assert.equal((await search(again, EVERYTHING)).found.length, 2);
  assert.deepEqual(await names(), left.slice(2).concat('0000000005.journal'));
});

test('[I76] the cache of indexes has a bound, and a removed index is computed again', async () => {
  const folder = newFolder();
  const disk = countingDisk();
  await using journal = await start(folder, { disk, segmentBytes: 1 });
  for (let i = 0; i < 300; i++) await append(journal, `device ${i}`, Buffer.from(`message ${i}`));
  const all = await readAll(journal);
  const bytesOf = async (i: number) => {
    const { position, device } = all[i] as Found;
    const before_bytes = disk.bytes;
    const { found } = await search(journal, { ...EVERYTHING, from: position, until: position + 1, device });
    assert.deepEqual(found, [all[i]]);
    return disk.bytes - before_bytes;
  };
  assert.equal(new Set(all.map(({ position }) => segmentOf(position))).size, 300);
  const [newest, oldest] = [await bytesOf(299), await bytesOf(0)];
  assert.equal(await bytesOf(299), newest, 'the newest index was in the cache');
  assert.ok((await bytesOf(0)) < oldest, 'the oldest index was removed, and computed again');
});

test('[I76] a group that was damaged after it was indexed is left out, and the others are found', async () => {
  const folder = newFolder();
  await using journal = await start(folder);
  for (let i = 0; i < 9; i++) await append(journal, 'a', randomBytes(5_000));
  const all = await readAll(journal);
  const [name = ''] = await readdir(folder);
  const bytes = await readFile(join(folder, name));
  const at = bytes.indexOf(Buffer.from(all[4]?.text ?? '', 'hex'));
  bytes[at] = (bytes[at] as number) ^ 1;
  await writeFile(join(folder, name), bytes);
  const { found } = await search(journal, { ...EVERYTHING, device: 'a' });
  assert.deepEqual(
    found,
    all.filter((_, i) => i !== 4),
  );
});
