import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCommits } from '#ingest/commits.ts';
import type { Fold } from '#ingest/fold/fold.ts';
import { createState } from '#ingest/fold/fold-state.ts';
import type { FoldGroups } from '#ingest/fold-groups.ts';
import type { LiveState } from '#ingest/live/live-state.ts';
import { LivePace } from '#ingest/writer/live-pace.ts';
import type { Saved } from '#ingest/writer/saved-snapshot.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';

/** Commits of a writer that tests answer for; its commits are listed in `calls`. */
function rigOf(saved: Saved | undefined = undefined, everyMs = 5_000, pace = new LivePace()) {
  const writer = { urgent: false, dirty: false };
  const groups = { taken: 0, folded: 0 };
  const calls: string[] = [];
  let answer = Promise.withResolvers<Saved>();
  const rig = {
    writer,
    groups,
    calls,
    state: createState(0),
    mono: 100_000,
    ms: 1_800_000_000_000,
    /** The commit under way ends, and the next one begins without an answer. */
    async end(error?: Error) {
      const { running } = commits;
      if (error === undefined) answer.resolve({ position: rig.state.position, tail: 0, packed: '' });
      else answer.reject(error);
      await running;
      answer = Promise.withResolvers();
    },
    /** How many commits were begun at this time. */
    begun(mono: number): number {
      const before = calls.length;
      rig.mono = mono;
      commits.beginDue(mono);
      return calls.slice(before).filter((call) => call.startsWith('commit')).length;
    },
  };
  const commits = createCommits({
    saved,
    current: { state: rig.state, fold: {} as Fold },
    writer: Object.assign(writer, {
      commit(_state: unknown, tail: number, mono: number, all: boolean) {
        calls.push(`commit ${tail} ${mono} ${all}`);
        return answer.promise;
      },
    }) as unknown as StoreWriter,
    groups: groups as unknown as FoldGroups,
    live: { publish: (when: string) => calls.push(`publish ${when}`) } as unknown as LiveState,
    everyMs,
    pace,
    clock: () => rig.ms,
    monotonic: () => rig.mono,
    log: (level, message, data) => calls.push(`${level} ${message} ${JSON.stringify(data)}`),
  });
  return { rig, commits };
}

test('[I21] a commit is due five seconds after the last one when something changed, and after one second for an event', async () => {
  const { rig } = rigOf();
  assert.equal(rig.begun(105_000), 0, 'nothing moved');
  rig.writer.dirty = true;
  assert.equal(rig.begun(104_999), 0);
  assert.equal(rig.begun(105_000), 1);
  await rig.end();
  assert.equal(rig.begun(109_999), 0);
  rig.writer.urgent = true;
  assert.equal(rig.begun(105_999), 0);
  assert.equal(rig.begun(106_000), 1);
  assert.deepEqual(rig.calls, ['publish now', 'commit 0 105000 false', 'publish now', 'commit 0 106000 false']);
  await rig.end();
});

test('[Y152] while somebody at head office looks, a commit is due after 2 s', async () => {
  const pace = new LivePace();
  const { rig } = rigOf(undefined, 5_000, pace);
  pace.watch(new Map([['prj_a', 60]]), 100_000);
  rig.writer.dirty = true;
  assert.equal(rig.begun(101_999), 0);
  assert.equal(rig.begun(102_000), 1);
  await rig.end();
  assert.equal(rig.begun(160_000), 1);
  await rig.end();
  assert.equal(rig.begun(164_999), 0);
  assert.equal(rig.begun(165_000), 1);
  await rig.end();
});

test('[I21] if commits run more often than once a second, an event waits no longer than other changes', async () => {
  const { rig } = rigOf(undefined, 200);
  rig.writer.urgent = true;
  assert.equal(rig.begun(100_199), 0);
  assert.equal(rig.begun(100_200), 1);
  await rig.end();
});

test('[I31] after a failed commit the next one waits five seconds, and health shows the failure until one succeeds', async () => {
  const { rig, commits } = rigOf();
  Object.assign(rig.writer, { dirty: true, urgent: true });
  rig.groups.taken = 7;
  assert.ok(commits.mayTry(0));
  assert.equal(rig.begun(106_000), 1);
  const since = rig.ms;
  rig.mono = 107_000;
  await rig.end(new Error('database is locked'));
  assert.deepEqual([commits.failingSince, commits.stored, commits.saved], [since, 0, undefined]);
  assert.equal(
    rig.calls.at(-1),
    'error facts could not be stored; they stay in the journal {"error":"database is locked"}',
  );
  assert.deepEqual([commits.mayTry(111_999), commits.mayTry(112_000)], [false, true]);
  assert.equal(rig.begun(111_999), 0);
  assert.equal(rig.begun(112_000), 1);
  rig.ms += 5_000;
  await rig.end(new Error('database is locked'));
  assert.equal(commits.failingSince, since, 'since the first of them');
  assert.equal(rig.begun(120_000), 1);
  await rig.end();
  assert.deepEqual([commits.failingSince, commits.stored, commits.mayTry(120_000)], [undefined, 7, true]);
});

test('[I31] a successful commit within the five seconds ends the wait', async () => {
  const { rig, commits } = rigOf();
  void commits.commit(false);
  await rig.end(new Error('database is locked'));
  assert.equal(commits.mayTry(100_001), false);
  void commits.commit(true);
  await rig.end();
  assert.equal(commits.mayTry(100_001), true);
});

test('[I38] a commit contains the changes made before it began; later changes are in the next commit', async () => {
  const { rig, commits } = rigOf();
  Object.assign(rig.groups, { taken: 12, folded: 5 });
  const first = commits.commit(true);
  assert.deepEqual(rig.calls, ['publish now', 'commit 0 100000 true']);
  Object.assign(rig.groups, { taken: 20, folded: 9 });
  assert.equal(commits.commit(false), first, 'who asks while one is under way waits for that one');
  assert.equal(commits.running, first);
  assert.deepEqual([commits.stored, commits.settled], [0, 0]);
  rig.state.position = 44;
  await rig.end();
  assert.deepEqual([commits.stored, commits.settled, commits.saved?.position], [12, 5, 44]);
  assert.equal(commits.running, undefined);
  const second = commits.commit(false);
  await rig.end();
  await second;
  assert.deepEqual([commits.stored, commits.settled], [20, 9]);
});

test('[I22] the first commit after a start keeps the position from which that start read', async () => {
  const { rig, commits } = rigOf({ position: 90, tail: 30, packed: '' });
  assert.equal(commits.saved?.position, 90);
  rig.state.position = 95;
  void commits.commit(false);
  assert.deepEqual(rig.calls, ['publish now', 'commit 30 100000 false']);
  await rig.end();
});
