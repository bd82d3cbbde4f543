/** Run states from history behind the real ingest: late data, shuffled arrival, compaction, restarts and deleted samples. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { RunStretch } from '#contract/fleet/run-state.ts';
import { createRunStates } from '#history/run-states.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { randomOf } from '#test/support/random-of.ts';
import { randomTrace, shuffled, type TraceValue } from '#test/support/run-trace.ts';
import { type Site, startSite } from './support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_SHIFT = { shift: 'day', date: '2026-11-21' } as const;
/** The start of the day shift. */
const SHIFT_MS = Date.parse('2026-11-21T06:00:00Z');

/** Sends points in the order of the list, stamped with their own times. */
async function sendPoints(site: Site, device: DeviceIdentity, from_ms: number, trace: readonly TraceValue[]) {
  for (let at = 0; at < trace.length; at += 500) {
    const points = trace.slice(at, at + 500).map(({ signal, t_us, value }) => ({
      observed_at: new Date(from_ms + Math.floor(t_us / 1_000)).toISOString(),
      values: { [signal]: value },
    }));
    await site.send(device, 'telemetry', JSON.stringify({ points }));
  }
  await site.settle();
}

/** One value of engine speed a second. */
function steady(seconds: number, rpm: number, from = 0): TraceValue[] {
  return Array.from({ length: seconds }, (_, i) => ({
    signal: 'engine.speed',
    t_us: (from + i) * 1_000_000,
    value: rpm,
  }));
}

/** Lets time pass, in which the device sends one value of engine speed a second. */
async function drive(site: Site, device: DeviceIdentity, minutes: number, rpm: number): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    const from = site.time.ms;
    site.time.pass(MINUTE);
    await sendPoints(site, device, from, steady(60, rpm));
  }
}

/** Stores all samples that are in memory. */
async function storeAll(site: Site): Promise<void> {
  site.time.pass(2 * MINUTE);
  await site.stored();
}

async function sealAll(site: Site): Promise<void> {
  site.time.pass(HOUR);
  const log = () => undefined;
  const { store } = site;
  const compaction = createHistoryCompaction({ store, clock: () => site.time.ms, breathe: async () => {}, log });
  while ((await compaction.run()) > 0);
}

/** Reads the run states by the cache of the gateway, and checks that a reader without a cache returns the same. */
async function runsOf(site: Site, from_ms: number, to_ms: number): Promise<readonly RunStretch[]> {
  const id = site.machine('HT-1');
  const cached = await site.ingest.runStates.read(site.project, id, from_ms, to_ms);
  using fresh = createRunStates({ store: site.store, unstored: () => [] });
  assert.deepEqual(await fresh.read(site.project, id, from_ms, to_ms), cached);
  return cached;
}

const inMinutes = (runs: readonly RunStretch[], from_ms: number) =>
  runs.map(({ from_ms: at, live }) => [Math.round((at - from_ms) / MINUTE), live]);

test('[A826] an outage whose data arrives later is known in the draft, in utilization and on screens, without a live event', async () => {
  await using site = await startSite();
  const location = await site.call('locations_create', { name: 'Pit' });
  const device = await site.device('truck', 'HT-1');
  const id = site.machine('HT-1');
  await site.call('equipment_update', { id, location_id: location.id, status: 'in_use' });
  const from = site.time.ms;
  await drive(site, device, 10, 1_500);
  site.time.pass(100 * MINUTE);
  await drive(site, device, 10, 1_500);
  await storeAll(site);
  const draft = () => site.call('shift_reports_draft', { location_id: location.id, ...DAY_SHIFT });
  const minutes = async () => (await draft()).time_classes[0]?.minutes;
  const before = await minutes();
  // 10 minutes of data, 5 minutes until the state is stale; then 10 minutes of data until now.
  assert.equal(before?.working, 15 + 12);
  const liveEvents = async () => (await site.events()).filter(({ data }) => data.type === 'live_status_changed').length;
  const told = await liveEvents();
  await site.call('shift_reports_look', { location_id: location.id, ...DAY_SHIFT });
  const looked_ms = site.time.ms;
  const { report } = await draft();
  const submitted = await site.call('shift_reports_create', report);
  // The device sends what it had kept: half an hour of work, then the engine was off.
  await sendPoints(site, device, from + 600_000, [...steady(1_800, 1_500), ...steady(4_200, 0, 1_800)]);
  const unstored = await minutes();
  await storeAll(site);
  const after = await minutes();
  assert.equal(await liveEvents(), told, 'late data must not change the live status');
  for (const one of [unstored, after]) {
    assert.ok(one && one.working >= 40 + 10 && one.off >= 70, JSON.stringify(one));
    assert.equal(
      Object.values(one).reduce((a, b) => a + b, 0),
      Math.floor((site.time.ms - SHIFT_MS) / MINUTE) - (one === unstored ? 2 : 0),
    );
  }
  const { calc, utilization_pct } = await site.call('equipment_get', { id, include: 'calc' });
  assert.ok(after);
  const known = after.working + after.idle + after.off + after.down + after.standby;
  assert.ok(Math.abs((utilization_pct ?? 0) - (100 * after.working) / known) < 1);
  for (const name of ['working', 'idle', 'off', 'down', 'standby'] as const)
    assert.ok(Math.abs((calc?.utilization?.minutes[name] ?? -9) - after[name]) <= 1, name);
  const { changes } = await draft();
  const beside = await site.call('shift_reports_changes', { id: submitted.id });
  for (const [found, of] of [
    [changes, 'look'],
    [beside.changes, 'report'],
  ] as const) {
    assert.equal(found.of, of);
    assert.deepEqual(
      found.items.map(({ from: at, to, was, now }) => [
        Math.round((Date.parse(at) - from) / MINUTE),
        Math.round((Date.parse(to) - from) / MINUTE),
        was,
        now,
      ]),
      [
        [15, 40, 'unknown', 'working'],
        [40, 110, 'unknown', 'off'],
      ],
    );
    for (const { cause, stored_by } of found.items) {
      assert.equal(cause, 'data');
      assert.ok(Date.parse(stored_by ?? '') > looked_ms);
    }
  }
  assert.equal(beside.machines.length, 1);
  await site.restart();
  assert.deepEqual((await draft()).changes, changes);
  assert.deepEqual(inMinutes(await runsOf(site, from, from + 2 * HOUR), from), [
    [0, 'running'],
    [40, 'off'],
    [110, 'running'],
  ]);
});

test('[A826] shuffled arrival, compaction and a restart give identical run states', async () => {
  for (const seed of [1, 3, 4]) {
    const random = randomOf(seed);
    const length = 5_400;
    const seen = new Set<string>();
    const trace = randomTrace(seed, length).filter(({ signal, t_us }) => {
      const key = `${signal} ${Math.floor(t_us / 1e6)}`;
      return !seen.has(key) && seen.add(key);
    });
    let expected: readonly RunStretch[] = [];
    for (const inOrder of [true, false]) {
      await using site = await startSite();
      const device = await site.device('truck', 'HT-1');
      const to = site.time.ms - 10 * MINUTE;
      const from = to - length * 1_000;
      // The newest value comes first, so that the values of the trace are late.
      await sendPoints(site, device, to, [{ signal: 'engine.load', t_us: 0, value: 0 }]);
      const parts = Array.from({ length: 12 }, (_, i) =>
        trace.filter(({ t_us }) => Math.floor((12 * t_us) / (length * 1e6)) === i),
      );
      for (const part of inOrder ? parts : shuffled(parts, random)) {
        await sendPoints(site, device, from, inOrder ? part : shuffled(part, random));
        // A read between two parts fills the cache, which later parts must correct.
        await site.ingest.runStates.read(site.project, site.machine('HT-1'), from, to);
        if (random() < 0.4) await storeAll(site);
        if (random() < 0.2) await sealAll(site);
      }
      await storeAll(site);
      const open = await runsOf(site, from, to);
      await sealAll(site);
      const sealed = await runsOf(site, from, to);
      await site.restart();
      assert.deepEqual(await runsOf(site, from, to), sealed);
      assert.deepEqual(sealed, open);
      const relative = sealed.map((one) => ({ ...one, from_ms: one.from_ms - from, to_ms: one.to_ms - from }));
      if (inOrder) expected = relative;
      else assert.deepEqual(relative, expected);
    }
  }
});

test('[A826] where history has no samples, the live status of the log counts', async () => {
  await using site = await startSite();
  const location = await site.call('locations_create', { name: 'Pit' });
  const device = await site.device('truck', 'HT-1');
  const id = site.machine('HT-1');
  await site.call('equipment_update', { id, location_id: location.id, status: 'in_use' });
  const from = site.time.ms;
  await drive(site, device, 10, 1_500);
  await storeAll(site);
  const draft = async () =>
    (await site.call('shift_reports_draft', { location_id: location.id, ...DAY_SHIFT })).time_classes[0]?.minutes;
  const before = await draft();
  assert.ok(before && before.working >= 10, JSON.stringify(before));
  const segments = await site.store.view(site.project).find('telemetry', { object: 'segment', limit: 100 });
  await site.store.erase(
    'telemetry',
    segments.map((one) => one.id),
    [
      {
        collection: 'local',
        id: `history_removed_${id}`,
        object: 'history_removed',
        project_id: site.project,
        data: { equipment_id: id, through: new Date(site.time.ms).toISOString(), samples: 600, early: null },
      },
    ],
  );
  assert.deepEqual(await draft(), before);
  assert.deepEqual(
    (await runsOf(site, from, from + HOUR / 6)).map(({ live }) => live),
    ['unknown'],
  );
});
