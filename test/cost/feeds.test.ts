/** What a tick of a site of 50 machines costs on its way to the screens: looks at facts, patches, bytes; and nothing for more screens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { Feed, FeedListener } from '#contract/site/live.ts';
import { createFeeds } from '#screens/feeds.ts';
import { feedServices } from '#test/support/feed-services.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { costOf } from './cost.ts';

const MACHINES = 50;
type Event = Parameters<FeedListener>[0];

/** What a running machine shows; `value` is in every number of it. */
function facts(now: number, value: number): EquipmentLive {
  const at = new Date(now).toISOString();
  const reading: LiveValue = {
    value,
    observed_at: at,
    received_at: at,
    device_id: 'dev_1',
    run_id: 'run_1',
    ref: '1:1#1',
    bus: 0,
    source_address: 0,
    pgn: 61444,
    spn: 190,
    raw: 1,
  };
  return {
    live_status: 'running',
    live_status_since: '2026-11-21T13:00:00.000Z',
    last_live_data_at: at,
    values: { 'engine.fuel_rate': reading, 'engine.speed': reading, 'fuel.level': reading, 'engine.hours': reading },
    dtcs: null,
    dtc_counts: null,
  };
}

/** A site of 50 machines and a board with all of them, a sum over them and one number. */
async function openBoard(rig: Rig) {
  const ids = await Promise.all(
    Array.from({ length: MACHINES }, async (_, i) => {
      const unit_number = `HT-${String(i).padStart(2, '0')}`;
      return (await rig.call('equipment_create', { unit_number })).id;
    }),
  );
  const board = await rig.call('dashboards_create', {
    name: 'Site',
    widgets: [
      { type: 'status_board', position: { x: 0, y: 0, w: 8, h: 6 } },
      {
        type: 'kpi',
        query: { signal: 'engine.fuel_rate', aggregate: 'sum' },
        position: { x: 8, y: 0, w: 4, h: 2 },
      },
      {
        type: 'kpi',
        query: { signal: 'engine.speed', equipment_id: ids[0] ?? '' },
        position: { x: 8, y: 2, w: 4, h: 2 },
      },
    ],
  });
  rig.freeze();
  let looks = 0;
  let tick = (_changed: { equipment: ReadonlySet<string>; devices: ReadonlySet<string> }): void => {};
  const feeds = createFeeds({
    store: rig.store,
    live: {
      equipment(id) {
        looks++;
        return rig.live.equipment.get(id);
      },
      device: () => undefined,
      devicesOf: () => [],
    },
    watch(listener) {
      tick = listener;
      return () => {};
    },
    history: async () => ({ t: [], v: [] }),
    clock: rig.clock,
    build: 'b1',
    ...feedServices(rig),
    sweepMs: 3_600_000,
  });
  const feed = await feeds.open({ project_id: rig.project, kind: 'dashboard', object_id: board.id });
  assert.ok(feed);
  return {
    feed,
    /** A tick in which these machines reported this; returns how often facts were looked at. */
    tick(changed: readonly string[], value: number): number {
      looks = 0;
      for (const id of changed) rig.live.equipment.set(id, facts(rig.now, value));
      tick({ equipment: new Set(changed), devices: new Set() });
      return looks;
    },
    ids,
    [Symbol.asyncDispose]: () => feeds[Symbol.asyncDispose](),
  };
}

function look(feed: Feed): Event[] {
  const events: Event[] = [];
  feed.snapshot();
  feed.subscribe((event) => events.push(event));
  return events;
}

const bytes = (event: Event | undefined): number => JSON.stringify(event?.data).length;

function patches(event: Event | undefined): number {
  assert.equal(event?.name, 'delta');
  return event?.name === 'delta' ? event.data.patches.length : 0;
}

test('[A41] a tick in which all 50 machines changed sends one event of 52 patches and 28 kB', async () => {
  await using rig = await openRig();
  await using board = await openBoard(rig);
  const events = look(board.feed);
  board.tick(board.ids, 41.2);
  events.length = 0;
  const looks = board.tick(board.ids, 52.3);
  // Each machine once, however many widgets show it.
  assert.equal(looks, MACHINES);
  assert.equal(events.length, 1);
  assert.equal(patches(events[0]), MACHINES + 2);
  // 28,310: a whole tile is some 560 bytes, five times a second. A field more in each is 250 bytes a second and machine.
  assert.ok(bytes(events[0]) < 29_000, `${bytes(events[0])} bytes`);
});

test('[A41] a tick in which one machine changed sends its tile and the tiles that aggregate it', async () => {
  await using rig = await openRig();
  await using board = await openBoard(rig);
  const events = look(board.feed);
  board.tick(board.ids, 41.2);
  events.length = 0;
  const looks = board.tick([board.ids[7] ?? ''], 41.3);
  assert.equal(events.length, 1);
  assert.equal(patches(events[0]), 2);
  // The sum over all of them looks at each.
  assert.equal(looks, MACHINES);
});

test('[A41] a tick that changes nothing visible sends no event', async () => {
  await using rig = await openRig();
  await using board = await openBoard(rig);
  const events = look(board.feed);
  board.tick(board.ids, 41.2);
  events.length = 0;
  board.tick(board.ids, 41.2004);
  assert.deepEqual(events, []);
});

test('[A40] further screens of a board cause no composition and no SQL statement', async () => {
  await using rig = await openRig();
  await using board = await openBoard(rig);
  const screens = [look(board.feed)];
  board.tick(board.ids, 41.2);
  const alone = board.tick(board.ids, 41.3);
  for (let i = 1; i < 100; i++) screens.push(look(board.feed));
  const cost = await costOf(rig.store, async () => {
    assert.equal(board.tick(board.ids, 41.4), alone);
  });
  assert.deepEqual(cost, { statements: 0, commits: 0, rows: 0 });
  const last = screens.map((events) => events.at(-1)?.data);
  assert.ok(
    last.every((data) => data === last[0]),
    'one object, so that it is encoded once',
  );
});

test('[A40] a board without clients costs a tick nothing', async () => {
  await using rig = await openRig();
  await using board = await openBoard(rig);
  assert.equal(board.tick(board.ids, 41.2), 0);
});
