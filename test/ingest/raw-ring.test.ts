/** `kill -9` while the raw ring removes segments of the journal: because of their age, of the share of the disk, and of a disk that is short of space. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventData } from '#contract/base/event.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import { parseSegmentName } from '#ingest/journal/segment-file.ts';
import { openSegmentFolder } from '#ingest/journal/segment-folder.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { killsOf } from '#test/support/kills.ts';
import type { RawRingOrder } from './raw-ring-child.ts';
import { startSite } from './support.ts';

const CHILD = join(import.meta.dirname, 'raw-ring-child.ts');
const KILLS = killsOf(9);
const REASONS = ['age', 'share', 'disk'] as const;
type Reason = (typeof REASONS)[number];
/** The journal may keep so many bytes of the share of the disk. */
const SHARE_BYTES = 40_000;

/** A segment of the journal before anything was removed. */
interface Original {
  readonly segment: number;
  readonly content: Buffer;
  /** The offset of its first message. */
  readonly offset: number;
  /** The number of its messages of the device that is linked to no machine. */
  readonly loose: number;
}

interface Place {
  readonly folder: string;
  readonly project: string;
  readonly loose: string;
  readonly at_ms: number;
}

const random = (n: number) => new Uint8Array(randomBytes(n));

/** The segment files of a folder by number, in ascending order. */
function filesOf(folder: string): Map<number, Buffer> {
  const journal = join(folder, 'journal');
  const found = readdirSync(journal).flatMap((name) => {
    const segment = parseSegmentName(name);
    return segment === undefined ? [] : [[segment, readFileSync(join(journal, name))] as const];
  });
  return new Map(found.sort(([a], [b]) => a - b));
}

async function originalsOf({ folder, loose }: Place): Promise<Original[]> {
  const opened = await openSegmentFolder(nodeDisk(), join(folder, 'journal'));
  const reader = new RecordReader();
  const messages: { readonly segment: number; readonly offset: number; readonly isLoose: boolean }[] = [];
  for await (const { segment, start, body } of opened.read(0, Number.POSITIVE_INFINITY)) {
    reader.open(segment, start, body);
    while (reader.next()) messages.push({ segment, offset: reader.offset, isLoose: reader.device.device === loose });
  }
  const files = filesOf(folder);
  return [...Map.groupBy(messages, ({ segment }) => segment)].map(([segment, own]) => ({
    segment,
    content: files.get(segment) ?? Buffer.alloc(0),
    offset: own[0]?.offset ?? 0,
    loose: own.filter(({ isLoose }) => isLoose).length,
  }));
}

/** Opens a folder as it was left, with a clock that stands still, so that nothing more is removed. */
async function withOpened<T>({ folder, at_ms }: Place, act: (store: Store, ingest: Ingest) => Promise<T>): Promise<T> {
  const clock = () => at_ms;
  await using store = await openStore({ folder, clock, random });
  await using ingest = await startIngest({
    folder,
    store,
    clock,
    monotonic: () => 0,
    random,
    log: () => {},
    tickMs: 5,
  });
  return await act(store, ingest);
}

const gapsOf = async (store: Store, { project }: Place) =>
  (
    await store
      .view(project)
      .find<EventData>('events', { object: 'event', where: { 'data.type': 'gap_declared' }, limit: 1_000 })
  ).map(({ data }) => data);

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** What must hold after each kill. Returns the number of removed segments. */
async function check(place: Place, originals: readonly Original[], why: Reason, what: string): Promise<number> {
  const files = filesOf(place.folder);
  const removed = originals.filter(({ segment }) => !files.has(segment)).length;
  assert.ok(
    originals.every(({ segment }, i) => files.has(segment) === i >= removed),
    `${what}: the oldest segments are removed first`,
  );
  for (const { segment, content } of originals.slice(removed))
    assert.ok(files.get(segment)?.equals(content), `${what}: segment ${segment} is whole`);
  await withOpened(place, async (store, ingest) => {
    for (const [i, { segment, offset }] of originals.entries()) {
      const of = { project_id: place.project, segment, offset, frame: null };
      const { status } = (await ingest.lineage(of, async () => undefined)) ?? {};
      assert.equal(status, i < removed ? 'raw_gone' : 'found', `${what}: lineage of segment ${segment}`);
    }
    // The report comes before the removal, so it may have more segments than the removal, but each of them once.
    const told = sum((await gapsOf(store, place)).map(({ data }) => Number(data.count)));
    const possible = originals.map((_, i) => sum(originals.slice(0, i).map(({ loose }) => loose)));
    assert.ok(possible.slice(removed).includes(told), `${what}: ${told} messages that reached no machine are reported`);
    const { gaps } = await ingest.health();
    assert.equal(gaps.length > 0, why === 'disk' && (removed > 0 || gaps.length > 0), `${what}: gaps in health`);
    const [gap] = gaps;
    if (gap === undefined) return;
    assert.ok(gap.count >= removed && gap.count < originals.length, `${what}: the gap has ${gap.count} segments`);
    assert.equal(gap.bytes, sum(originals.slice(0, gap.count).map(({ content }) => content.length)), what);
  });
  return removed;
}

test('[I35] [I36] after kill -9 during the removal of raw messages the other segments are whole, and each removed one is reported once', async (t) => {
  using whole = temporaryFolder();
  using copy = temporaryFolder();
  let place: Place;
  {
    await using site = await startSite({ segmentBytes: 4_096 });
    const linked = await site.device('truck', 'HT-1');
    const loose = await site.device('loose');
    for (let i = 0; i < 150; i++) {
      site.time.pass(1_000);
      // A line that is no frame and that no compression makes shorter.
      const line = crypto.getRandomValues(new Uint8Array(800)).map((byte) => (byte === 10 ? 11 : byte));
      await site.send(i % 3 === 0 ? loose : linked, 'can', line);
    }
    await site.stored();
    place = { folder: copy.path, project: site.project, loose: loose.device, at_ms: site.time.ms };
    await site.restart();
    await site.restart();
    await cp(site.folder, whole.path, { recursive: true });
  }
  const again = async () => {
    await rm(copy.path, { recursive: true });
    await cp(whole.path, copy.path, { recursive: true });
  };
  await again();
  const originals = await originalsOf(place);
  assert.ok(originals.length > 20, `${originals.length} segments`);
  const remove = async (why: Reason, step: number, delay_ms: number): Promise<boolean> => {
    const order: RawRingOrder = { why, start_ms: place.at_ms, bytes: SHARE_BYTES, step, delay_ms };
    const child = spawn(process.execPath, [CHILD, copy.path, JSON.stringify(order)], { stdio: 'inherit' });
    const [code, signal] = await once(child, 'exit');
    assert.ok(code === 0 || signal === 'SIGKILL', `the child ended with ${code}`);
    return signal === 'SIGKILL';
  };
  const between = new Map<Reason, number>();
  for (const [i, why] of REASONS.entries()) {
    await again();
    // The steps of each reason are spread over all commits and removals; the last child is not killed.
    const wanted = Math.ceil((KILLS - i) / REASONS.length);
    let last = 0;
    for (let kills = 0, attempt = 0; kills < wanted; attempt++) {
      const isKilled = await remove(why, 1 + ((attempt * 7) % 29), attempt % 3);
      const removed = await check(place, originals, why, `${why}, attempt ${attempt}`);
      assert.ok(removed >= last);
      if (isKilled && removed > last && removed < originals.length - 1) between.set(why, (between.get(why) ?? 0) + 1);
      last = removed;
      if (isKilled) kills++;
      else {
        // Everything was removed before the step, so this attempt does not count as a kill.
        await again();
        last = 0;
      }
    }
    t.diagnostic(`${why}: ${wanted} kills, ${between.get(why) ?? 0} of them during a removal`);
    await remove(why, 0, 0);
    const removed = await check(place, originals, why, `${why}, at the end`);
    assert.ok(removed > 5, `${why}: ${removed} segments removed`);
    await withOpened(place, async (store, ingest) => {
      const [gap] = (await ingest.health()).gaps;
      assert.equal(gap?.count ?? null, why === 'disk' ? removed : null, 'each removed segment is counted once');
      const loose = originals.slice(0, removed).map((one) => one.loose);
      assert.equal(sum((await gapsOf(store, place)).map(({ data }) => Number(data.count))), sum(loose));
    });
  }
  assert.ok(
    REASONS.some((why) => (between.get(why) ?? 0) > 0),
    'a kill came between two removals',
  );
});
