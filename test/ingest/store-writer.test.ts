/** The writer alone, over a real store: what is in a commit, what waits for the next, and what becomes of documents that are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import type { EventData } from '#contract/base/event.ts';
import { StoreError } from '#contract/base/store-error.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import type { NewSegment } from '#domain/history/samples.ts';
import { createDevice } from '#ingest/fold/device-state.ts';
import { type Changes, createChanges, createState, type EventMade } from '#ingest/fold/fold-state.ts';
import { createIds } from '#ingest/fold/ids.ts';
import { createMachine } from '#ingest/fold/machine-state.ts';
import { readInventory } from '#ingest/writer/inventory-store.ts';
import { LivePace } from '#ingest/writer/live-pace.ts';
import { readSaved, unpackSnapshot } from '#ingest/writer/saved-snapshot.ts';
import { createStoreWriter } from '#ingest/writer/store-writer.ts';
import { temporaryStore } from '#test/store/kit.ts';

const PROJECT = 'prj_a';

/** A writer over a store of its own; what it commits is listed. */
async function rigOf(pace = new LivePace()) {
  const t = await temporaryStore();
  const { store } = t;
  const real = store.commit;
  /** What the store was asked to write, and what it took. */
  const asked: ProjectWrite[][] = [];
  const refused: string[] = [];
  const spent = { given: [] as ProjectWrite[], unsaved: [] as (readonly ProjectWrite[])[] };
  const rig = {
    store,
    asked,
    refused,
    spent,
    state: createState(77),
    /** Set to have the store refuse. */
    fail: undefined as ((writes: readonly ProjectWrite[]) => Error | undefined) | undefined,
    hold: undefined as Promise<void> | undefined,
    writer: createStoreWriter({
      store: Object.assign(store, {
        async commit(writes: readonly ProjectWrite[]) {
          asked.push([...writes]);
          await rig.hold;
          const error = rig.fail?.(writes);
          if (error !== undefined) throw error;
          return real.call(store, writes);
        },
      }),
      ids: createIds('gw', (n) => crypto.getRandomValues(new Uint8Array(n))),
      inventory: undefined,
      pace,
      refused: ({ collection, object, id, project_id, error }) =>
        refused.push([collection, object, id, project_id, error].join(' ')),
      yieldLoop: async () => {},
      budgets: { take: () => spent.given.splice(0), unsaved: (writes) => spent.unsaved.push(writes) },
    }),
    machine(id: string) {
      rig.state.machines.set(id, createMachine(id, PROJECT));
      return id;
    },
    device(name: string) {
      const identity = { device: `dev_${name}`, project_id: PROJECT, device_id: name };
      rig.state.devices.set(identity.device, createDevice(identity, 0));
      return identity;
    },
    add(
      more: {
        readonly [K in keyof Changes]?: Iterable<
          Changes[K] extends Set<infer T> ? T : Changes[K] extends (infer T)[] ? T : never
        >;
      },
    ) {
      const changes = createChanges();
      for (const [key, list] of Object.entries(more))
        for (const one of list as Iterable<unknown>) {
          const into = changes[key as keyof Changes] as Set<unknown> | unknown[];
          if (into instanceof Set) into.add(one);
          else into.push(one);
        }
      rig.writer.add(changes);
    },
    /** Names of what one commit of the writer wrote. */
    async commit(mono: number, all = false) {
      const before = asked.length;
      await rig.writer.commit(rig.state, 5, mono, all);
      return asked.slice(before).map((writes) => writes.map(({ collection, id }) => `${collection}/${id}`));
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
  return rig;
}

function event(id: string, more: Partial<EventMade> = {}): EventMade {
  const data: EventData = {
    type: 'note',
    subject: { object: 'device', id: 'dev_a' },
    occurred_at: '2026-01-01T00:00:00.000Z',
    source: 'a',
    source_event_id: null,
    actor: { type: 'device', id: 'dev_a', name: 'a' },
    context: { run_id: null, device_id: 'dev_a', media: [] },
    data: { id },
  };
  return { project_id: PROJECT, id, once: false, data, ...more };
}

const DAY = Date.UTC(2026, 0, 1) / 1000;
const segment = (seconds: number[], more: Partial<NewSegment> = {}): NewSegment => ({
  project_id: PROJECT,
  equipment_id: 'eq_1',
  series: [{ signal: 'engine.load', t: seconds.map((s) => DAY + s), v: seconds.map(() => 1), o: seconds.map(() => 0) }],
  minutes: [],
  states: [],
  origins: [NO_ORIGIN],
  raw: ['1:0', '1:9'],
  mayRepeat: false,
  run: null,
  ...more,
});
const SNAPSHOT = 'local/ingest_snapshot';
const INVENTORY = 'local/ingest_census';
const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(4, '0')}`);
const full = () => new RangeError('cannot be stored');

test('[I21] one commit contains events, runs, segments, live documents and the snapshot with its position', async () => {
  await using rig = await rigOf();
  const device = rig.device('a');
  rig.machine('eq_1');
  rig.spent.given.push({
    collection: 'local',
    id: 'spent_a',
    object: 'spent',
    project_id: PROJECT,
    data: { bytes: 9 },
  });
  rig.add({
    events: [event('evt_1')],
    runs: [{ device, decoder: 'j1939/1', task_id: 'tsk_1', run_id: 'run_1', started_ms: Date.UTC(2026, 0, 2) }],
    segments: [segment([1, 2])],
    equipment: ['eq_1', 'eq_gone'],
    devices: ['dev_a', 'dev_gone'],
  });
  assert.equal(rig.writer.waiting(), 3);
  const [names, ...more] = await rig.commit(0);
  const [first = '', ...rest] = names ?? [];
  assert.match(first, /^telemetry\//);
  assert.deepEqual(rest, [
    'records/tsk_1',
    'records/run_1',
    'live/eq_1',
    'live/dev_a',
    'events/evt_1',
    'local/spent_a',
    INVENTORY,
    SNAPSHOT,
  ]);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [rig.writer.waiting(), rig.writer.dirty, rig.writer.urgent, rig.writer.segments()],
    [0, false, false, []],
  );
  const saved = await readSaved(rig.store);
  assert.ok(saved);
  assert.deepEqual([saved.position, saved.tail, unpackSnapshot(saved).position], [77, 5, 77]);
  assert.deepEqual(await readInventory(rig.store), rig.writer.inventory);
  assert.equal(rig.writer.inventory?.position, 77);
  const view = rig.store.view(PROJECT);
  const task = await view.get('records', 'tsk_1');
  assert.deepEqual(
    [task?.object, task?.created_at, task?.data],
    [
      'task',
      '2026-01-02T00:00:00.000Z',
      { kind: 'decode', title: 'Live decoding of a', latest_run_id: 'run_1', links: { device_id: 'dev_a' } },
    ],
  );
  const run = await view.get('records', 'run_1');
  assert.deepEqual(
    [run?.object, run?.data.task_id, run?.data.started_at],
    ['run', 'tsk_1', '2026-01-02T00:00:00.000Z'],
  );
  assert.deepEqual((await view.get<EventData>('events', 'evt_1'))?.data.data, { id: 'evt_1' });
  assert.equal((await view.get('live', 'dev_a'))?.object, 'device');
  assert.equal((await view.get('live', 'eq_1'))?.object, 'equipment');
});

test('[I21] a snapshot of another version is not read', () => {
  const packed = zstdCompressSync('{"version":2}').toString('base64');
  assert.throws(
    () => unpackSnapshot({ position: 0, tail: 0, packed }),
    /has version 2, but this gateway reads only version 1/,
  );
});

test('[I21] an event, a run or a changed status makes a commit urgent; changed values make one due', async () => {
  await using rig = await rigOf();
  const device = rig.device('a');
  const wants = async (more: Parameters<typeof rig.add>[0]) => {
    rig.add(more);
    const { urgent, dirty } = rig.writer;
    await rig.commit(0);
    assert.deepEqual([rig.writer.urgent, rig.writer.dirty], [false, false]);
    return [urgent, dirty];
  };
  assert.deepEqual(await wants({}), [false, false]);
  assert.deepEqual(await wants({ devices: ['dev_a'] }), [false, true]);
  assert.deepEqual(await wants({ equipment: ['eq_1'] }), [false, true]);
  assert.deepEqual(await wants({ segments: [segment([1])] }), [false, true]);
  assert.deepEqual(await wants({ events: [event('evt_1')] }), [true, true]);
  assert.deepEqual(await wants({ urgentDevices: ['dev_a'] }), [true, true]);
  assert.deepEqual(await wants({ urgentEquipment: ['eq_1'] }), [true, true]);
  assert.deepEqual(await wants({ urgentEquipment: ['eq_1'], urgentDevices: ['dev_a'] }), [true, true]);
  const run = { device, decoder: 'j1939/1', task_id: 'tsk_1', run_id: 'run_1', started_ms: 0 };
  assert.deepEqual(await wants({ runs: [run] }), [true, true]);
});

test('[I21] a live document is written at once after a change of status, once a minute after a change of values, and always with `all`', async () => {
  await using rig = await rigOf();
  rig.machine('eq_1');
  rig.machine('eq_2');
  rig.device('a');
  const live = async (mono: number, more: Parameters<typeof rig.add>[0] = {}, all = false) => {
    rig.add(more);
    return (await rig.commit(mono, all)).flat().filter((name) => name.startsWith('live/'));
  };
  const moved = { equipment: ['eq_1', 'eq_2'], devices: ['dev_a'] };
  const every = ['live/eq_1', 'live/eq_2', 'live/dev_a'];
  assert.deepEqual(await live(500, moved), every);
  assert.deepEqual(await live(60_499, moved), []);
  assert.deepEqual(await live(60_499, { equipment: ['eq_2'], urgentEquipment: ['eq_2'] }), ['live/eq_2']);
  assert.deepEqual(await live(60_500), ['live/eq_1', 'live/dev_a'], 'they waited for their minute');
  assert.deepEqual(await live(120_499), []);
  assert.deepEqual(await live(120_499, moved), ['live/eq_2']);
  assert.deepEqual(await live(120_499, {}, true), ['live/eq_1', 'live/dev_a']);
  assert.deepEqual(await live(400_000), [], 'nothing moved');
  rig.writer.mirror(rig.state);
  assert.equal(rig.writer.dirty, true);
  assert.deepEqual(await live(400_000), every);
  rig.add(moved);
  rig.writer.reset();
  assert.deepEqual(await live(800_000), []);
});

test('[Y152] while somebody at head office looks at a project, live documents of this project are written each 2 s', async () => {
  const pace = new LivePace();
  await using rig = await rigOf(pace);
  rig.machine('eq_1');
  rig.device('a');
  const live = async (mono: number) => {
    rig.add({ equipment: ['eq_1'], devices: ['dev_a'] });
    return (await rig.commit(mono)).flat().filter((name) => name.startsWith('live/')).length;
  };
  assert.equal(await live(0), 2);
  pace.watch(new Map([['prj_other', 60]]), 0);
  assert.equal(await live(10_000), 0, 'somebody looks at another project');
  pace.watch(
    new Map([
      [PROJECT, 30],
      ['prj_other', 60],
    ]),
    10_000,
  );
  assert.equal(await live(10_001), 2);
  assert.equal(await live(12_000), 0);
  assert.equal(await live(12_001), 2);
  assert.equal(await live(39_999), 2);
  assert.equal(await live(42_000), 0, 'nobody looks at this project any more');
  assert.equal(await live(99_999), 2, 'each minute');
});

test('[I21] a commit takes at most 200 due live documents of each kind; the others are in the next commit', async () => {
  await using rig = await rigOf();
  const machines = named('eq_', 250).map((id) => rig.machine(id));
  const devices = named('', 230).map((name) => rig.device(name).device);
  rig.add({ equipment: machines, devices });
  const counts = async (mono: number) => {
    const names = (await rig.commit(mono)).flat();
    return ['live/eq_', 'live/dev_'].map((prefix) => names.filter((name) => name.startsWith(prefix)).length);
  };
  assert.deepEqual(await counts(0), [200, 200]);
  assert.deepEqual(await counts(0), [50, 30]);
  assert.deepEqual(await counts(0), [0, 0]);
});

test('[I45] a commit includes the inventory every half minute, and with `all`', async () => {
  await using rig = await rigOf();
  const has = async (mono: number, all = false) => (await rig.commit(mono, all)).flat().includes(INVENTORY);
  assert.deepEqual(
    [
      await has(1_000),
      await has(30_999),
      await has(31_000),
      await has(31_001),
      await has(31_002, true),
      await has(61_001),
    ],
    [true, false, true, false, true, false],
  );
  rig.fail = full;
  rig.state.position = 88;
  await assert.rejects(rig.commit(70_000));
  rig.fail = undefined;
  assert.equal(rig.writer.inventory?.position, 77);
  assert.equal(await has(70_000), true, 'that of a commit which failed is not in the store');
});

test('[I31] after a failed commit the outbox is complete and in order, and the next commit writes the same segments', async () => {
  await using rig = await rigOf();
  rig.machine('eq_1');
  rig.spent.given.push({ collection: 'local', id: 'spent_a', object: 'spent', project_id: PROJECT, data: {} });
  rig.add({ events: [event('evt_1')], segments: [segment([1])], equipment: ['eq_1'] });
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.hold = promise;
  rig.fail = () => new Error('database is locked');
  const failing = rig.commit(0);
  assert.deepEqual([rig.writer.waiting(), rig.writer.segments().length], [0, 1], 'what is under way waits no more');
  rig.add({ events: [event('evt_2')], segments: [segment([2])] });
  assert.deepEqual([rig.writer.waiting(), rig.writer.segments().length], [2, 2]);
  resolve();
  await assert.rejects(failing, /database is locked/);
  assert.deepEqual([rig.writer.waiting(), rig.writer.dirty, rig.writer.segments().length], [4, true, 2]);
  assert.deepEqual(
    rig.spent.unsaved.flat().map(({ id }) => id),
    ['spent_a'],
  );
  const [before = []] = rig.asked;
  rig.fail = undefined;
  const [names = []] = await rig.commit(1_000);
  assert.deepEqual(
    names.slice(0, 1),
    before.slice(0, 1).map(({ id }) => `telemetry/${id}`),
  );
  assert.deepEqual(names.slice(2), ['live/eq_1', 'events/evt_1', 'events/evt_2', INVENTORY, SNAPSHOT]);
  assert.deepEqual([rig.writer.waiting(), rig.writer.dirty, rig.writer.segments()], [0, false, []]);
});

test('[I31] after a failed commit another commit is due, even if only values changed', async () => {
  await using rig = await rigOf();
  rig.device('a');
  rig.add({ devices: ['dev_a'] });
  rig.fail = () => new StoreError('overloaded', 'the test');
  await assert.rejects(rig.commit(0));
  assert.deepEqual([rig.writer.dirty, rig.writer.urgent], [true, false]);
  rig.fail = undefined;
  assert.deepEqual(await rig.commit(5_000), [['live/dev_a', INVENTORY, SNAPSHOT]]);
});

test('[I38] after three refusals the documents that the store refuses are left out, live documents for ten minutes', async () => {
  await using rig = await rigOf();
  rig.machine('eq_1');
  rig.fail = (writes) => (writes.some(({ id }) => id === 'evt_bad' || id === 'eq_1') ? full() : undefined);
  rig.add({ events: [event('evt_1'), event('evt_bad'), event('evt_2')], equipment: ['eq_1'] });
  for (let i = 0; i < 3; i++) {
    const before = rig.asked.length;
    await assert.rejects(rig.commit(1_000), /cannot be stored/);
    assert.equal(rig.asked.length, before + 1, 'as a whole');
  }
  const names = await rig.commit(1_000);
  assert.deepEqual(rig.refused, [
    `live equipment eq_1 ${PROJECT} cannot be stored`,
    `events event evt_bad ${PROJECT} cannot be stored`,
  ]);
  assert.deepEqual(names.at(-1), [INVENTORY, SNAPSHOT]);
  assert.ok(names.flat().includes('local/ingest_probe'));
  assert.equal(rig.writer.dirty, true, 'what was refused is in the snapshot of the next commit');
  const view = rig.store.view(PROJECT);
  assert.deepEqual((await view.getMany('events', ['evt_1', 'evt_2', 'evt_bad'])).length, 2);
  rig.fail = undefined;
  rig.add({ urgentEquipment: ['eq_1'] });
  assert.deepEqual(await rig.commit(600_999), [[INVENTORY, SNAPSHOT]]);
  rig.add({ urgentEquipment: ['eq_1'] });
  assert.deepEqual(await rig.commit(601_000), [['live/eq_1', SNAPSHOT]]);
});

test('[I38] a failure of the store does not count as a refusal, and a successful commit resets the count', async () => {
  await using rig = await rigOf();
  rig.add({ events: [event('evt_1')] });
  rig.fail = () => new StoreError('overloaded', 'the test');
  for (let i = 0; i < 5; i++) await assert.rejects(rig.commit(0), StoreError);
  rig.fail = undefined;
  assert.deepEqual(await rig.commit(0), [['events/evt_1', INVENTORY, SNAPSHOT]], 'as a whole');
  rig.add({ events: [event('evt_3')] });
  rig.fail = full;
  for (let i = 0; i < 3; i++) await assert.rejects(rig.commit(0), RangeError);
  rig.fail = undefined;
  assert.deepEqual(await rig.commit(0), [['events/evt_3'], [SNAPSHOT]], 'the documents go ahead of the snapshot');
  rig.add({ events: [event('evt_2')] });
  assert.deepEqual(await rig.commit(0), [['events/evt_2', SNAPSHOT]]);
  assert.deepEqual(rig.refused, []);
});

test('[I21] more than 900 documents are committed in parts, the snapshot in the last part', async () => {
  await using rig = await rigOf();
  rig.add({ events: named('evt_', 1_850).map((id) => event(id)) });
  const parts = await rig.commit(0);
  assert.deepEqual(
    parts.map(({ length }) => length),
    [900, 900, 52],
  );
  assert.equal(parts[2]?.at(-1), SNAPSHOT);
  rig.add({ events: named('evu_', 900).map((id) => event(id)) });
  assert.deepEqual(
    (await rig.commit(0)).map(({ length }) => length),
    [900, 1],
  );
});

test('[I38] a part before the snapshot is tried three times as a whole, and then without the documents that the store refuses', async () => {
  await using rig = await rigOf();
  rig.fail = (writes) => (writes.some(({ id }) => id === 'evt_0300') ? full() : undefined);
  rig.add({ events: named('evt_', 950).map((id) => event(id)) });
  for (let i = 1; i <= 3; i++) {
    await assert.rejects(rig.commit(0), /cannot be stored/);
    assert.equal(rig.asked.length, i, 'the part alone was asked for');
  }
  await rig.commit(0);
  assert.deepEqual(rig.refused, [`events event evt_0300 ${PROJECT} cannot be stored`]);
  assert.equal((await rig.store.node.get('local', 'ingest_probe'))?.object, 'ingest_probe');
  assert.equal((await rig.store.view(PROJECT).getMany('events', named('evt_', 950))).length, 949);
});

test('[I27] an event with an id of its sender is written once, even if another project has an event with this id', async () => {
  await using rig = await rigOf();
  const own = event('evt_own', { once: true });
  const foreign = event('evt_foreign', { once: true, project_id: 'prj_b' });
  rig.add({ events: [own, own, event('evt_1')] });
  assert.deepEqual((await rig.commit(0))[0]?.slice(0, -2), ['events/evt_own', 'events/evt_1']);
  rig.add({ events: [own, foreign] });
  assert.deepEqual(await rig.commit(0), [['events/evt_foreign', SNAPSHOT]]);
  assert.equal((await rig.store.view('prj_b').get('events', 'evt_foreign'))?.project_id, 'prj_b');
});

test('[I21] an event that an earlier commit already wrote does not prevent the commit of the others', async () => {
  await using rig = await rigOf();
  rig.add({ events: [event('evt_1')] });
  await rig.commit(0);
  rig.add({ events: [event('evt_1'), event('evt_2')] });
  assert.deepEqual(await rig.commit(0), [
    ['events/evt_1', 'events/evt_2', SNAPSHOT],
    ['events/evt_2', SNAPSHOT],
  ]);
  rig.fail = () => new WriteConflict('records', 'evt_3', undefined);
  rig.add({ events: [event('evt_3')] });
  await assert.rejects(rig.commit(0), WriteConflict);
  assert.equal(rig.asked.length, 4, 'another conflict is no repeat');
});

test('[I35] events without a message are written at once, in commits of 900, and each only once', async () => {
  await using rig = await rigOf();
  const events = named('evt_', 1_000).map((id) => event(id, { once: true }));
  await rig.writer.writeEvents(events);
  assert.deepEqual(
    rig.asked.map(({ length }) => length),
    [900, 100],
  );
  await rig.writer.writeEvents(events);
  assert.equal(rig.asked.length, 2);
  assert.equal(rig.writer.waiting(), 0);
});

test('[I39] for the last 200 runs, new samples and samples that history already had are counted separately', async () => {
  await using rig = await rigOf();
  const from = (run: string, seconds: number[]) => segment(seconds, { run, mayRepeat: true });
  assert.deepEqual(rig.writer.counted('run_0'), { added: 0, known: 0 });
  rig.add({ segments: [from('run_0', [1, 2, 3]), from('run_0', [3, 4])] });
  await rig.commit(0);
  assert.deepEqual(rig.writer.counted('run_0'), { added: 4, known: 1 });
  rig.add({ segments: [from('run_1', [1]), from('run_0', [5])] });
  await rig.commit(0);
  assert.deepEqual(
    [rig.writer.counted('run_0'), rig.writer.counted('run_1')],
    [
      { added: 5, known: 1 },
      { added: 0, known: 1 },
    ],
  );
  rig.add({ segments: named('run_x', 198).map((run) => from(run, [1])) });
  await rig.commit(0);
  assert.equal(rig.writer.counted('run_1').known, 1);
  rig.add({ segments: [from('run_y', [1])] });
  await rig.commit(0);
  assert.deepEqual([rig.writer.counted('run_1').known, rig.writer.counted('run_0').added], [0, 5]);
});
