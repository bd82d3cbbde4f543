/**
 * What a minute of a site costs: syncs and bytes of the journal, transactions, statements and pages of the database. These are what
 * wears flash out and what an hour of the machine's time goes into; figures are exact, for time, disk and chance are the test's own.
 */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type LineRig, startLine } from './line-rig.ts';

const MACHINES = 10;
const MINUTE = 60_000;
/** Of the WAL: a page and its frame header (https://www.sqlite.org/fileformat2.html#the_write_ahead_log). */
const FRAME = 4096 + 24;

/** Sends ten messages a second from each machine, in turn, while time passes. */
async function load(line: LineRig, ms: number): Promise<void> {
  let step = 0;
  await line.pass(ms, () => {
    for (const [i, device] of line.devices.entries()) if (i % 5 === step % 5) line.send(device);
    step++;
  });
}

/** A running site. The events and records of its first seconds are stored, and all live documents wait for the same minute. */
async function runningLine(): Promise<LineRig> {
  const line = await startLine(MACHINES);
  await load(line, 110_000);
  return line;
}

interface MinuteCost {
  readonly messages: number;
  readonly writes: number;
  readonly syncs: number;
  readonly bytes: number;
  readonly commits: number;
  readonly statements: number;
  /** Pages written to the log of the database. */
  readonly pages: number;
  /** Documents by collection and object. */
  readonly documents: Readonly<Record<string, number>>;
  /** Calls of a watcher, and machines named in them. */
  readonly calls: number;
  readonly machines: number;
}

let minute: Promise<MinuteCost> | undefined;

/** A minute under load, run once for all tests that look at it. */
function costOfMinute(): Promise<MinuteCost> {
  minute ??= measureMinute();
  return minute;
}

async function measureMinute(): Promise<MinuteCost> {
  await using line = await runningLine();
  const documents: Record<string, number> = {};
  line.store.changes((changes) => {
    for (const { collection, document } of changes) {
      const kind = `${collection}/${document.object}`;
      documents[kind] = (documents[kind] ?? 0) + 1;
    }
  });
  let calls = 0;
  let machines = 0;
  line.ingest.watch(({ equipment }) => {
    calls++;
    machines += equipment.size;
  });
  const read = async () => ({
    ...line.disk,
    ...line.store.stats(),
    messages: line.ingest.stats().journal.messages,
    log: (await stat(join(line.folder, 'store', 'headframe.db-wal'))).size,
  });
  const before = await read();
  await load(line, MINUTE);
  const after = await read();
  return {
    messages: after.messages - before.messages,
    writes: after.writes - before.writes,
    syncs: after.syncs - before.syncs,
    bytes: after.bytes - before.bytes,
    commits: after.commits - before.commits,
    statements: after.statements - before.statements,
    pages: (after.log - before.log) / FRAME,
    documents: { ...documents },
    calls,
    machines,
  };
}

test('[I10] messages of all senders that do not wait share one write and one sync each 80 ms', async () => {
  const { messages, writes, syncs } = await costOfMinute();
  assert.equal(messages, MACHINES * 600);
  assert.deepEqual([writes, syncs], [MINUTE / 80, MINUTE / 80]);
});

test('[I10] a message of an idle site is one write and one sync', async () => {
  await using line = await runningLine();
  await line.pass(1_000);
  const [device] = line.devices;
  assert.ok(device);
  const before = { ...line.disk };
  for (let i = 0; i < 10; i++) {
    line.send(device);
    await line.pass(1_000);
  }
  assert.equal(line.disk.syncs - before.syncs, 10);
  assert.equal(line.disk.writes - before.writes, 10);
});

test('the journal takes less than a tenth of the bytes that ten frames of text have', async () => {
  const { bytes, messages } = await costOfMinute();
  // 38.6: groups are compressed whole, so neighbours pay for what they share; a field more in each record shows here.
  assert.ok(bytes / messages < 42, `${bytes / messages} bytes a message`);
});

test('the database is written every ten seconds: one transaction, whatever was sent', async () => {
  const { commits, statements } = await costOfMinute();
  assert.equal(commits, MINUTE / 10_000);
  // Eight or nine for each transaction and the numbers of its feeds, two for each document.
  assert.equal(statements, 148);
});

test('a minute of a machine is four documents: samples, live state, that of its device, and what the machine may still store', async () => {
  const { documents } = await costOfMinute();
  assert.deepEqual(documents, {
    'telemetry/segment': MACHINES,
    'live/equipment': MACHINES,
    'live/device': MACHINES,
    // The budget of the machine, in the commit of the samples.
    'local/device_spend': MACHINES,
    'local/ingest_snapshot': MINUTE / 10_000,
    'local/ingest_census': MINUTE / 30_000,
  });
});

test('a transaction of the fold writes a dozen pages', async () => {
  const { pages } = await costOfMinute();
  // 85 in 6 commits. A page more in each commit is 8,640 more a day: 35 MB of the WAL, and as much again when a checkpoint copies it.
  assert.ok(pages <= 95, `${pages} pages`);
});

test('watchers are called once a tick, not once a message', async () => {
  const { calls, machines } = await costOfMinute();
  assert.deepEqual([calls, machines], [MINUTE / 200, (MINUTE / 200) * MACHINES]);
});

test('a site that fell silent writes nothing', async () => {
  await using line = await runningLine();
  // Silence itself is news, for ten minutes at most.
  await line.pass(600_000, undefined, 200);
  const before = { ...line.store.stats(), ...line.disk };
  let calls = 0;
  line.ingest.watch(() => calls++);
  await line.pass(600_000, undefined, 200);
  assert.deepEqual({ ...line.store.stats(), ...line.disk, calls }, { ...before, calls: 0 });
});
