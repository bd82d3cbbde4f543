/** `kill -9` while the sweep deletes samples and rollups, because of their age and because of their shares of the disk. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DeletedRange, HistoryRemoved } from '#contract/fleet/history.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { createHistoryEnds } from '#handlers/base/history-ends.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { startSite } from '#test/ingest/support.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { killsOf } from '#test/support/kills.ts';
import { daysOfSamples } from './days-of-samples.ts';

const DAY_MS = 86_400_000;
const CHILD = join(import.meta.dirname, 'history-sweep-child.ts');
const KILLS = killsOf(6);
/** The machines send the samples of so many days on each of `ROUNDS` days. */
const DAYS = 15;
const ROUNDS = 8;
const KINDS = { segment: 'samples', rollup: 'minutes' } as const;
type Object = keyof typeof KINDS;

interface Document {
  readonly object: Object;
  readonly machine: string;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly samples: number;
  readonly bytes: number;
  readonly digest: string;
}

async function documentsOf(store: Store, project: string): Promise<Map<string, Document>> {
  const found = new Map<string, Document>();
  for (const object of ['segment', 'rollup'] as const)
    for await (const { id, data } of walk<SegmentData | RollupData>(store.view(project), 'telemetry', { object })) {
      const { equipment_id: machine, from_ms, to_ms, body } = data;
      const digest = createHash('sha256').update(body).digest('hex');
      const samples = 'samples' in data ? data.samples : 0;
      found.set(id, { object, machine, from_ms, to_ms, samples, bytes: body.length, digest });
    }
  return found;
}

/** Checks a folder after a kill, and returns the numbers of deleted segments and rollups. */
async function check(
  { store, project }: { readonly store: Store; readonly project: string },
  originals: ReadonlyMap<string, Document>,
  because: DeletedRange['because'],
): Promise<Record<Object, number>> {
  const stored = await documentsOf(store, project);
  for (const [id, document] of stored)
    assert.deepEqual(document, originals.get(id), 'a document that is left is whole');
  const deleted = [...originals].flatMap(([id, document]) => (stored.has(id) ? [] : [document]));
  const records = await store.view(project).find<HistoryRemoved>('local', { object: 'history_removed', limit: 10 });
  const ends = createHistoryEnds(store);
  using _ = ends;
  for (const machine of new Set([...originals.values()].map((one) => one.machine))) {
    const own = deleted.filter((one) => one.machine === machine);
    const ranges = await ends.deleted(machine);
    for (const [object, what] of Object.entries(KINDS)) {
      const gone = own.filter((one) => one.object === object);
      const named = ranges.filter((one) => one.what === what);
      assert.ok(named.every((one) => one.because === because));
      for (const { from_ms, to_ms } of gone)
        assert.ok(
          named.some(({ from, to }) => Date.parse(from) <= from_ms && Date.parse(to) >= to_ms),
          `${what} from ${from_ms} to ${to_ms} are named in ${JSON.stringify(named)}`,
        );
      const [first, last] = [named.map(({ from }) => Date.parse(from)), named.map(({ to }) => Date.parse(to))];
      assert.equal(Math.min(...first), Math.min(...gone.map(({ from_ms }) => from_ms)), 'nothing else is named');
      assert.equal(Math.max(...last), Math.max(...gone.map(({ to_ms }) => to_ms)), 'nothing else is named');
    }
    const counted = records.find(({ data }) => data.equipment_id === machine)?.data.samples ?? 0;
    assert.equal(
      counted,
      own.reduce((sum, { samples }) => sum + samples, 0),
      'each deleted sample is counted once',
    );
  }
  const count = (object: Object) => deleted.filter((one) => one.object === object).length;
  return { segment: count('segment'), rollup: count('rollup') };
}

test('[Z26] [Z31] after kill -9 during the deletion of samples and rollups the others are whole, and each deleted one is named once', async () => {
  using whole = temporaryFolder();
  using folder = temporaryFolder();
  let project = '';
  let originals: ReadonlyMap<string, Document>;
  {
    await using site = await startSite();
    project = site.project;
    const devices = [await site.device('of-T-1', 'T-1'), await site.device('of-T-2', 'T-2')];
    const compaction = createHistoryCompaction({
      store: site.store,
      clock: () => site.time.ms,
      breathe: async () => {},
      log: () => {},
    });
    const start = site.time.ms;
    for (let round = 0; round < ROUNDS; round++) {
      site.time.ms = (Math.floor(start / DAY_MS) + 1 + round) * DAY_MS + 3_600_000;
      // The times of the samples of all rounds are different days of the past.
      const until = start - (ROUNDS - round) * (DAYS + 1) * DAY_MS;
      for (const device of devices) await site.send(device, 'telemetry', daysOfSamples(until, DAYS));
      await site.stored();
      site.time.pass(120_000);
      await site.stored();
      site.time.pass(3_600_000);
      while ((await compaction.run()) > 0);
      for (let rest = 0; rest < 700; rest++) await compaction.run();
    }
    originals = await documentsOf(site.store, project);
    const open = await site.store
      .view(project)
      .find('telemetry', { object: 'segment', where: { 'data.sealed_hour': null }, limit: 10 });
    assert.deepEqual(open, [], 'all segments are sealed');
    await cp(site.folder, whole.path, { recursive: true });
  }
  const bytesOf = (object: Object) =>
    [...originals.values()].filter((one) => one.object === object).reduce((sum, { bytes }) => sum + bytes, 0);
  const ofKind = (object: Object) => [...originals.values()].filter((one) => one.object === object).length;
  const all = { segment: ofKind('segment'), rollup: ofKind('rollup') };
  assert.ok(all.segment > 200 && all.rollup > 200, JSON.stringify(all));
  // History may use half of its share, because the backups have a copy. So four tenths of the bytes stay.
  const shares = (['segment', 'rollup'] as const).map((object) => (bytesOf(object) * 0.4 * 200) / 1e12);
  for (const because of ['age', 'disk'] as const) {
    const again = async () => {
      await rm(folder.path, { recursive: true, force: true });
      await cp(whole.path, folder.path, { recursive: true });
    };
    const random = (n: number) => new Uint8Array(randomBytes(n));
    const checked = async () => {
      await using store = await openStore({ folder: folder.path, clock: Date.now, random });
      return await check({ store, project }, originals, because);
    };
    const args = because === 'age' ? [] : [JSON.stringify(shares)];
    const left = new Set<number>();
    await again();
    for (let kills = 0, kill = 1; kills < KILLS / 2; kill++) {
      const child = spawn(process.execPath, [CHILD, folder.path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      const calls = 1 + (kill % 4);
      let told = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        told += chunk.length;
        // The child prints "+" before each call, so the kill comes before, during or after the commit of the last call.
        if (told >= calls) setTimeout(() => child.kill('SIGKILL'), (2 * kill) % 11);
      });
      const isKilled = (await once(child, 'exit'))[1] === 'SIGKILL';
      const deleted = await checked();
      // If the child has deleted everything before the kill, it does not count as killed.
      if (isKilled) kills++;
      else await again();
      left.add(deleted.rollup);
    }
    assert.ok(left.size > 1, `deleted rollups after each kill: ${[...left].join()}`);
    const child = spawn(process.execPath, [CHILD, folder.path, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    assert.equal((await once(child, 'exit'))[0], 0);
    const deleted = await checked();
    if (because === 'age') assert.deepEqual(deleted, all);
    else
      for (const object of ['segment', 'rollup'] as const)
        assert.ok(
          deleted[object] > all[object] / 2 && deleted[object] < all[object],
          `${deleted[object]} of ${all[object]} ${KINDS[object]} deleted`,
        );
  }
});
