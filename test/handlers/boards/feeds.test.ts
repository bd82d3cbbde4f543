import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { OperationError } from '#contract/base/errors.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { BoardView, Feed, FeedListener, LiveSnapshot } from '#contract/site/live.ts';
import { applyPatches } from '#contract/site/live-apply.ts';
import { qrCode } from '#gateway/qr.ts';
import type { History } from '#screens/feed-history.ts';
import { createFeeds } from '#screens/feeds.ts';
import { value } from '#test/domain/board/board-kit.ts';
import { feedServices } from '#test/support/feed-services.ts';
import { eventually } from '#test/support/gateway.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { watchOf } from '#test/watchers/kit.ts';

type Event = Parameters<FeedListener>[0];
type Tick = (changed: { equipment: ReadonlySet<string>; devices: ReadonlySet<string> }) => void;

/** Feeds over a rig: ticks by hand, sweeps every few milliseconds by the rig's own clock. */
function startFeeds(rig: Rig, history: History = async () => ({ t: [], v: [] }), sweepMs = 5) {
  const ticks = new Set<Tick>();
  const feeds = createFeeds({
    store: rig.store,
    live: { equipment: (id) => rig.live.equipment.get(id), device: () => undefined, devicesOf: () => [] },
    watch: (listener) => {
      ticks.add(listener);
      return () => ticks.delete(listener);
    },
    history,
    clock: rig.clock,
    build: 'b1',
    ...feedServices(rig),
    sweepMs,
  });
  const report = (id: string, live: EquipmentLive) => {
    rig.live.equipment.set(id, live);
    for (const tick of ticks) tick({ equipment: new Set([id]), devices: new Set() });
  };
  return { feeds, report, [Symbol.asyncDispose]: () => feeds[Symbol.asyncDispose]() };
}

function facts(rig: Rig, fuel: number, live_status: EquipmentLive['live_status'] = 'running'): EquipmentLive {
  const at = new Date(rig.now).toISOString();
  const reported = value(fuel, 0, rig.now);
  return {
    live_status,
    live_status_since: at,
    last_live_data_at: at,
    values: { 'engine.fuel_rate': reported, 'fuel.level': reported },
    dtcs: null,
    dtc_counts: null,
  };
}

/** A screen: applies what it is sent, and tells when it has seen what is waited for. */
function look(feed: Feed) {
  let shown: LiveSnapshot = feed.snapshot();
  const events: Event[] = [];
  const waits = new Set<() => void>();
  const leave = feed.subscribe((event) => {
    events.push(event);
    if (event.name === 'snapshot') shown = event.data;
    if (event.name === 'delta') shown = { ...shown, boards: applyPatches(shown.boards, event.data.patches) };
    for (const wait of [...waits]) wait();
  });
  return {
    events,
    leave,
    boards: () => shown.boards,
    shown: () => shown,
    until(holds: () => boolean): Promise<void> {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`never seen: ${holds}`)), 60_000);
        const check = () => {
          if (!holds()) return;
          waits.delete(check);
          clearTimeout(late);
          resolve();
        };
        waits.add(check);
        check();
      });
    },
    gone: () => events.flatMap((event) => (event.name === 'gone' ? [event.data.reason] : [])),
  };
}

async function playlistOf(rig: Rig) {
  const [playlist] = (await rig.call('playlists_list', {})).data;
  assert.ok(playlist);
  return { project_id: rig.project, kind: 'playlist' as const, object_id: playlist.id };
}

async function open(feeds: { open: ReturnType<typeof createFeeds>['open'] }, target: Parameters<typeof feeds.open>[0]) {
  const feed = await feeds.open(target);
  assert.ok(feed, 'there is something to see');
  return feed;
}

function tile(boards: readonly BoardView[], unit: string) {
  const data = boards[0]?.widgets.find(({ type }) => type === 'status_board')?.data;
  return data?.type === 'status_board' ? data.machines.find(({ unit_number }) => unit_number === unit) : undefined;
}

test('[A43] a screen shows a new machine, its values and edits of its board at once', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const screen = look(await open(site.feeds, await playlistOf(rig)));
  assert.deepEqual(
    screen.boards().map(({ name }) => name),
    ['Fleet now', 'Trends', 'Machine numbers', 'This shift', 'Alerts and repairs'],
  );
  assert.deepEqual(screen.shown().project, {
    ...{ name: 'North Pit', timezone: 'UTC', simulated: false },
    ...{ language: 'en', units: 'metric' },
  });
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await screen.until(() => tile(screen.boards(), 'HT-14')?.freshness === 'never');
  site.report(id, facts(rig, 41.23));
  await screen.until(() => tile(screen.boards(), 'HT-14')?.primary?.text === '41.2');
  assert.equal(tile(screen.boards(), 'HT-14')?.live_status, 'running');
  await rig.call('equipment_update', { id, status: 'down' });
  await screen.until(() => tile(screen.boards(), 'HT-14')?.conflict === true);
  const last = screen.events.at(-1);
  assert.ok(last?.name === 'delta', 'an edited machine is a patch');
  await rig.call('equipment_update', { id, status: 'decommissioned' });
  await screen.until(() => tile(screen.boards(), 'HT-14') === undefined);
});

test('[A42] a machine that stops reporting becomes ageing, stale and unknown as time passes', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  rig.live.equipment.set(id, facts(rig, 41.2));
  await using site = startFeeds(rig);
  const screen = look(await open(site.feeds, await playlistOf(rig)));
  const freshness = () => tile(screen.boards(), 'HT-14')?.freshness;
  assert.equal(freshness(), 'fresh');
  for (const [seconds, wanted] of [
    [20, 'ageing'],
    [50, 'stale'],
    [600, 'none'],
  ] as const) {
    rig.now += seconds * 1000;
    await screen.until(() => freshness() === wanted);
  }
  assert.equal(tile(screen.boards(), 'HT-14')?.live_status, 'unknown');
  assert.equal(tile(screen.boards(), 'HT-14')?.primary?.text, null);
});

test('[A43] a changed playlist sends a new snapshot, and a deleted one sends gone', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const target = await playlistOf(rig);
  const screen = look(await open(site.feeds, target));
  const [first] = (await rig.call('playlists_get', { id: target.object_id })).items;
  await rig.call('playlists_update', {
    id: target.object_id,
    items: [{ id: first?.id, dashboard_id: first?.dashboard_id ?? '' }],
  });
  await screen.until(() => screen.boards().length === 1);
  await rig.call('playlists_update', { id: target.object_id, name: 'Dispatch' });
  await screen.until(() => screen.shown().title === 'Dispatch');
  await rig.call('playlists_delete', { id: target.object_id });
  await screen.until(() => screen.gone().length > 0);
  assert.deepEqual(screen.gone(), ['deleted']);
  assert.equal(await site.feeds.open(target), undefined);
});

test('[A43] rotating, pausing or revoking a link ends the clients of that link only', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const target = await playlistOf(rig);
  const act = async (action: 'read-or-create' | 'rotate' | 'pause' | 'resume' | 'revoke') => {
    const { url } = await rig.call('display_shares', { kind: 'playlist', object_id: target.object_id, action });
    return url?.split('/tv/')[1] ?? '';
  };
  const office = look(await open(site.feeds, target));
  const old = await act('read-or-create');
  const first = look(await open(site.feeds, { share: old }));
  const rotated = await act('rotate');
  assert.deepEqual(first.gone(), ['replaced'], 'told by the time the answer is out');
  assert.equal(await site.feeds.open({ share: old }), undefined);
  const second = look(await open(site.feeds, { share: rotated }));
  await act('pause');
  assert.deepEqual(second.gone(), ['paused']);
  assert.equal(await site.feeds.open({ share: rotated }), undefined);
  await act('resume');
  const third = look(await open(site.feeds, { share: rotated }));
  await act('revoke');
  assert.deepEqual([third.gone(), first.gone().length, office.gone()], [['revoked'], 1, []]);
  const seen = third.events.length;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  site.report(id, facts(rig, 1));
  await office.until(() => tile(office.boards(), 'HT-1')?.primary?.text === '1.0');
  assert.equal(third.events.length, seen, 'nothing after gone');
});

test('[A1] unknown tokens and objects of another project show nothing', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const target = await playlistOf(rig);
  assert.equal(await site.feeds.open({ share: `dsp_${'x'.repeat(43)}` }), undefined);
  assert.equal(await site.feeds.open({ share: '' }), undefined);
  assert.equal(await site.feeds.open({ ...target, project_id: rig.other }), undefined);
  assert.equal(await site.feeds.open({ ...target, kind: 'dashboard' }), undefined);
  await rig.call('equipment_create', { unit_number: 'THEIRS' }, { project: rig.other });
  const screen = look(await open(site.feeds, target));
  assert.ok(!JSON.stringify(screen.shown()).includes('THEIRS'));
});

test('[A43] an open client updates last_seen_at of its link', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const { object_id } = await playlistOf(rig);
  const share = () => rig.call('display_shares', { kind: 'playlist', object_id });
  const made = await share();
  assert.equal(made.last_seen_at, null);
  const noted = new Promise<void>((resolve) => {
    rig.store.changes((changes) => {
      if (changes.some(({ document }) => document.object === 'display_share' && document.revision === 2)) resolve();
    });
  });
  const screen = look(await open(site.feeds, { share: made.url?.split('/tv/')[1] ?? '' }));
  await noted;
  assert.ok((await share()).last_seen_at);
  assert.equal((await share()).url, made.url);
  assert.deepEqual(screen.gone(), []);
});

test('[A40] all clients of an object share one feed, which closes half a minute after the last client', async (context) => {
  await using rig = await openRig();
  context.mock.timers.enable({ apis: ['setInterval'] });
  await using site = startFeeds(rig, undefined, 1);
  const target = await playlistOf(rig);
  const [a, b] = await Promise.all([open(site.feeds, target), open(site.feeds, target)]);
  assert.equal(a, b);
  const screen = look(a);
  rig.now += 60_000;
  context.mock.timers.tick(1);
  assert.equal(await open(site.feeds, target), a, 'somebody still looks');
  screen.leave();
  rig.now += 29_000;
  context.mock.timers.tick(1);
  assert.equal(await open(site.feeds, target), a);
  rig.now += 31_000;
  context.mock.timers.tick(1);
  assert.notEqual(await open(site.feeds, target), a);
});

test('[A40] at the limit of feeds an unused feed is closed and used feeds stay', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig, undefined, 60_000);
  const targets = [];
  for (let i = 0; i < 66; i++) {
    const { id } = await rig.call('dashboards_create', { name: `board ${i}` });
    targets.push({ project_id: rig.project, kind: 'dashboard' as const, object_id: id });
  }
  const screens = [];
  for (const target of targets.slice(0, 64)) screens.push(look(await open(site.feeds, target)));
  const [beyond] = targets.slice(64);
  assert.ok(beyond);
  await assert.rejects(
    async () => site.feeds.open(beyond),
    (error: OperationError) => error.code === 'rate_limited',
  );
  screens[7]?.leave();
  rig.now += 2_000;
  assert.ok(await site.feeds.open(beyond));
});

test('[A44] trends load their history and then append new buckets', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const asked: { signal: SignalName; from_ms: number; to_ms: number }[] = [];
  const history: History = async (equipment_id, signal, from_ms, to_ms) => {
    assert.equal(equipment_id, id);
    asked.push({ signal, from_ms, to_ms });
    const t: number[] = [];
    for (let s = Math.ceil(from_ms / 1000); s <= to_ms / 1000; s++) t.push(s);
    return { t, v: t.map((s) => s % 60) };
  };
  await using site = startFeeds(rig, history);
  const screen = look(await open(site.feeds, await playlistOf(rig)));
  const line = () => {
    const data = screen.boards()[1]?.widgets.find(({ id }) => id === 'fuel-trend')?.data;
    return data?.type === 'timeseries' ? data.trend.lines[0] : undefined;
  };
  await screen.until(() => (line()?.t.length ?? 0) >= 179);
  const end = line()?.t.at(-1) ?? 0;
  const first = asked.filter(({ signal }) => signal === 'engine.fuel_rate')[0];
  assert.ok(first && first.to_ms - first.from_ms >= 1_800_000);
  rig.now += 60_000;
  await screen.until(() => (line()?.t.at(-1) ?? 0) >= end + 60);
  const patches = screen.events.flatMap((event) => (event.name === 'delta' ? event.data.patches : []));
  const grown = patches.filter((patch) => patch.widget === 'fuel-trend').at(-1);
  assert.ok(grown !== undefined && 'line' in grown && grown.t.length <= 6, 'only new points are sent');
  const latest = asked.filter(({ signal }) => signal === 'engine.fuel_rate').at(-1);
  assert.ok(latest && latest.to_ms - latest.from_ms < 150_000, 'only the end is read again');
});

test('[A41] a client that applies every event has the same boards as the gateway, after random changes', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig, async (_id, _signal, _from, to) => ({ t: [to / 1000 - 30], v: [5] }), 1);
  const target = await playlistOf(rig);
  const feed = await open(site.feeds, target);
  const screen = look(feed);
  const machines: string[] = [];
  const step = fc.record({
    what: fc.constantFrom('add', 'report', 'report', 'report', 'status', 'rename', 'wait'),
    which: fc.nat(),
    fuel: fc.integer({ min: 0, max: 99 }),
    status: fc.constantFrom('available', 'in_use', 'maintenance', 'down'),
    live: fc.constantFrom('running', 'idle', 'off'),
  });
  let renamed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { what, which, fuel, status, live } of steps) {
        const id = machines[which % Math.max(1, machines.length)];
        if (what === 'add' && machines.length < 12)
          machines.push((await rig.call('equipment_create', { unit_number: `HT-${machines.length}` })).id);
        if (what === 'report' && id !== undefined) site.report(id, facts(rig, fuel, live));
        if (what === 'status' && id !== undefined) await rig.call('equipment_update', { id, status });
        if (what === 'rename') {
          const { dashboard_id: board } = (await rig.call('playlists_get', { id: target.object_id })).items[0] ?? {};
          await rig.call('dashboards_update', { id: board ?? '', name: `Fleet ${renamed++}` });
        }
        if (what === 'wait') rig.now += fuel * 10_000;
        assert.deepEqual(screen.boards(), feed.snapshot().boards);
      }
    }),
    { numRuns: 30 },
  );
});

test('[A113] a scheduled board is shown by the local time of the site', async () => {
  await using rig = await openRig();
  await rig.call('projects_update', { id: rig.project, timezone: 'Australia/Perth' });
  const made = async (name: string) => (await rig.call('dashboards_create', { name })).id;
  const [day, always] = [await made('Day'), await made('Always')];
  const { id: object_id } = await rig.call('playlists_create', {
    name: 'TV',
    items: [{ dashboard_id: always }, { dashboard_id: day, when: { from: '06:00', to: '18:00' } }],
  });
  await using site = startFeeds(rig);
  // It is 22:00 in Perth.
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'playlist', object_id }));
  const names = () => screen.boards().map(({ name }) => name);
  assert.deepEqual(names(), ['Always']);
  rig.now += 9 * 3_600_000;
  await screen.until(() => names().join() === 'Always,Day');
  rig.now += 12 * 3_600_000;
  await screen.until(() => names().join() === 'Always');
  await rig.call('playlists_update', { id: object_id, items: [{ dashboard_id: day, when: { shift: 'night' } }] });
  await screen.until(() => names().join() === 'Day');
  screen.leave();
});

test('[A116] a link to a machine shows only that machine', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14', name: 'Haul truck' });
  const other = await rig.call('equipment_create', { unit_number: 'EX-2' });
  await using site = startFeeds(rig);
  const { url } = await rig.call('display_shares', { kind: 'equipment', object_id: id });
  const screen = look(await open(site.feeds, { share: url?.split('/tv/')[1] ?? '' }));
  assert.equal(screen.shown().title, 'HT-14 Haul truck');
  site.report(id, facts(rig, 41));
  site.report(other.id, facts(rig, 99));
  await screen.until(() => JSON.stringify(screen.boards()).includes('"41'));
  assert.ok(!JSON.stringify(screen.boards()).includes('EX-2'));
  assert.ok(!JSON.stringify(screen.boards()).includes(other.id));
  screen.leave();
});

test('[A116] a link to a shift report shows the report with its amendments applied', async () => {
  await using rig = await openRig();
  const { id: location_id } = await rig.call('locations_create', { name: 'North Pit' });
  const { id: equipment_id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const report = await rig.call('shift_reports_create', {
    location_id,
    shift: {
      name: 'day',
      date: '2026-11-20',
      starts_at: '2026-11-20T06:00:00Z',
      ends_at: '2026-11-20T18:00:00Z',
      timezone: 'UTC',
    },
    moved: [{ equipment_id, material: 'overburden', loads: 41 }],
    stopped: [
      {
        equipment_id,
        started_at: '2026-11-20T08:00:00Z',
        ended_at: '2026-11-20T08:47:00Z',
        category: 'unscheduled_downtime',
      },
    ],
    summary: 'Dry and quiet.',
  });
  await using site = startFeeds(rig);
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'shift_report', object_id: report.id }));
  const text = () => JSON.stringify(screen.boards().flatMap(({ widgets }) => widgets.map(({ data }) => data)));
  assert.equal(screen.shown().title, 'North Pit, day 2026-11-20');
  for (const part of ['Dry and quiet.', 'HT-14, overburden, 41 loads', 'HT-14, 47 min, unscheduled downtime'])
    assert.ok(text().includes(part), part);
  await rig.call('shift_reports_append_event', {
    id: report.id,
    type: 'amended',
    data: { reason: 'typing', changes: { summary: 'Dry, then rain.' } },
  });
  await screen.until(() => text().includes('Dry, then rain.') && text().includes('Amended once'));
  screen.leave();
});

test('[A740] the board of a report with very many amendments shows the newest one', async () => {
  await using rig = await openRig();
  const { id: location_id } = await rig.call('locations_create', { name: 'North Pit' });
  const { id } = await rig.call('shift_reports_create', {
    location_id,
    shift: {
      name: 'day',
      date: '2026-11-20',
      starts_at: '2026-11-20T06:00:00Z',
      ends_at: '2026-11-20T18:00:00Z',
      timezone: 'UTC',
    },
  });
  const amend = (changes: object) =>
    rig.call('shift_reports_append_event', { id, type: 'amended', data: { reason: 'typing', changes } });
  await amend({ weather: 'Fog' });
  for (let i = 1; i < 230; i++) await amend({ summary: `Version ${i}.` });
  await using site = startFeeds(rig);
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'shift_report', object_id: id }));
  const text = JSON.stringify(screen.boards().flatMap(({ widgets }) => widgets.map(({ data }) => data)));
  for (const part of ['Version 229.', 'Fog', 'Amended 230 times']) assert.ok(text.includes(part), part);
  screen.leave();
});

test('[A115] a screen gets gone when its link expires, and cannot connect again', async () => {
  await using rig = await openRig();
  const { id: object_id } = await rig.call('dashboards_create', { name: 'Pit' });
  const { url } = await rig.call('display_shares', { kind: 'dashboard', object_id, expires_in_days: 1 });
  const share = url?.split('/tv/')[1] ?? '';
  await using site = startFeeds(rig);
  const screen = look(await open(site.feeds, { share }));
  rig.now += 86_400_000;
  await screen.until(() => screen.gone().length > 0);
  assert.deepEqual(screen.gone(), ['expired']);
  assert.equal(await site.feeds.open({ share }), undefined);
});

const WHOLE = { x: 0, y: 0, w: 12, h: 6 };
const quarter = (i: number) => ({ x: i * 3, y: 0, w: 3, h: 6 });
type Data<T> = Extract<BoardView['widgets'][number]['data'], { type: T }>;

/** The content of the first widget of a kind on the first board. */
function dataOf<T extends BoardView['widgets'][number]['type']>(
  boards: readonly BoardView[],
  type: T,
): Data<T> | undefined {
  return boards[0]?.widgets.find((widget) => widget.data.type === type)?.data as Data<T> | undefined;
}

/** A rule on the coolant of machines. */
async function coolantRule(rig: Rig, name: string, severity: 'warning' | 'critical', value: number): Promise<string> {
  const rule = { name, severity, value, signal: 'engine.coolant_temperature', op: 'gt', clear_value: 90 } as const;
  return (await rig.call('alert_rules_create', rule)).id;
}

/** The open alert of a rule. */
async function alertOf(rig: Rig, rule_id: string): Promise<string> {
  const { data } = await rig.call('alerts_list', { state: 'active' });
  return data.find((alert) => alert.rule_id === rule_id)?.id ?? assert.fail('the rule raised nothing');
}

async function picture(rig: Rig, device: string, text: string): Promise<string> {
  // The signature of a PNG is enough for what is tested here; the rest tells pictures apart.
  const content_base64 = Buffer.concat([Buffer.from('iVBORw0KGgo=', 'base64'), Buffer.from(text)]).toString('base64');
  const { artifact } = await rig.call('devices_upload_media', { id: device, content_base64, name: `${text}.png` });
  return artifact?.id ?? '';
}

test('[A133] tickets, alerts, pictures and codes reach a screen when they are committed', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = startFeeds(rig);
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const device = await rig.call('devices_create', { name: 'Gate', serial: 'CAM-1' });
  const other = await rig.call('playlists_create', { name: 'Other' });
  const share = { kind: 'playlist' as const, object_id: other.id };
  const { id: object_id } = await rig.call('dashboards_create', {
    name: 'All',
    widgets: [
      { type: 'ticket_board', position: quarter(0) },
      { type: 'alert_feed', position: quarter(1) },
      { type: 'camera', position: quarter(2), query: { device_id: device.id } },
      { type: 'qr', position: quarter(3), params: { share } },
    ],
  });
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'dashboard', object_id }));
  const camera = () => dataOf(screen.boards(), 'camera')?.camera;
  const code = () => dataOf(screen.boards(), 'qr')?.qr;
  assert.deepEqual([camera()?.device, camera()?.artifact_id, camera()?.age.freshness], ['Gate', null, 'never']);
  assert.equal(code()?.code, null);

  await rig.call('repair_tickets_create', { equipment_id: machine.id, title: 'Brake leaks' });
  await screen.until(() => dataOf(screen.boards(), 'ticket_board')?.columns[0]?.cards[0]?.title === 'Brake leaks');
  await coolantRule(rig, 'Coolant hot', 'warning', 105);
  await watch.coolant(machine.id, 109);
  const rows = () => dataOf(screen.boards(), 'alert_feed')?.alerts.rows ?? [];
  await screen.until(() => rows()[0]?.unit_number === 'HT-14');
  await watch.pass(20);
  await watch.coolant(machine.id, 80);
  await screen.until(() => rows().length === 0);
  const first = await picture(rig, device.id, 'one');
  await screen.until(() => camera()?.artifact_id === first);
  const second = await picture(rig, device.id, 'two');
  await screen.until(() => camera()?.artifact_id === second);
  const link = await rig.call('display_shares', share);
  await screen.until(() => code()?.code !== null);
  const shown = code()?.code?.path;
  assert.equal(shown, qrCode(link.url ?? '')?.path);
  await rig.call('display_shares', { ...share, action: 'rotate' });
  await screen.until(() => code()?.code !== null && code()?.code?.path !== shown);
  await rig.call('display_shares', { ...share, action: 'revoke' });
  await screen.until(() => code()?.code === null);
  assert.ok(
    screen.events.every(({ name }) => name === 'delta'),
    'all of it came as patches',
  );
});

test('[A133] shift minutes are computed from the log of the machines, and again when it gets new entries', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const [a, b] = [
    await rig.call('equipment_create', { unit_number: 'A' }),
    await rig.call('equipment_create', { unit_number: 'B' }),
  ];
  const { id: object_id } = await rig.call('dashboards_create', {
    name: 'Shift',
    widgets: [{ type: 'shift_progress', position: WHOLE }],
  });
  // The shift of the rig's project began at 06:00 UTC, eight hours ago.
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'dashboard', object_id }));
  const shift = () => dataOf(screen.boards(), 'shift_progress')?.shift;
  assert.deepEqual([shift()?.now?.name, shift()?.rows.length, shift()?.total.unknown], ['day', 2, 960]);
  const event = { id: a.id, type: 'downtime.started', occurred_at: '2026-11-21T13:00:00.000Z' };
  await rig.call('equipment_append_event', event);
  await screen.until(() => shift()?.total.down === 60);
  assert.equal(shift()?.rows.find(({ id }) => id === b.id)?.minutes.down, 0);
  rig.now += 10 * 60_000;
  await screen.until(() => shift()?.total.down === 70 && shift()?.total.unknown === 910);
});

test('[A132] a severe alert takes over the screens of a playlist until it is acknowledged, and both are logged', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using site = startFeeds(rig);
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const { id: dashboard_id } = await rig.call('dashboards_create', {
    name: 'Pit',
    widgets: [{ type: 'text', position: WHOLE }],
  });
  const takeover = { enabled: true, min_severity: 'critical' as const };
  const { id: object_id } = await rig.call('playlists_create', { name: 'TV', items: [{ dashboard_id }], takeover });
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'playlist', object_id }));
  const names = () =>
    screen
      .boards()
      .map(({ name }) => name)
      .join();
  await coolantRule(rig, 'Warm', 'warning', 100);
  const stop = await coolantRule(rig, 'Red stop', 'critical', 105);
  const fire = await coolantRule(rig, 'Fire', 'critical', 120);
  await watch.coolant(machine.id, 109);
  await screen.until(() => names() === 'HT-14: Red stop');
  assert.deepEqual([screen.boards()[0]?.alarm, dataOf(screen.boards(), 'alert_feed')?.alerts.total], ['critical', 1]);
  const first = await alertOf(rig, stop);
  await rig.call('alerts_acknowledge', { id: first });
  await screen.until(() => names() === 'Pit');
  await watch.coolant(machine.id, 125);
  const second = await alertOf(rig, fire);
  await screen.until(() => names() === 'HT-14: Fire');
  await rig.call('playlists_update', { id: object_id, takeover: { ...takeover, enabled: false } });
  await screen.until(() => names() === 'Pit');
  const told = async () =>
    (await rig.call('playlists_events', { id: object_id, order: 'asc' })).data
      .filter(({ type }) => type.startsWith('takeover'))
      .map(({ type, data }) => [type, data.alert_id]);
  const wanted = [
    ['takeover.started', first],
    ['takeover.ended', first],
    ['takeover.started', second],
    ['takeover.ended', second],
  ];
  assert.deepEqual(await eventually(told, ({ length }) => length >= wanted.length), wanted);
});

test('[A131] a playlist mixes pictures and boards, without fades, shuffled every hour', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const device = await rig.call('devices_create', { name: 'Gate', serial: 'CAM-1' });
  const artifact_id = await picture(rig, device.id, 'plan');
  const ids = [];
  // So many that no order comes by chance a second time.
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L'];
  for (const name of names)
    ids.push((await rig.call('dashboards_create', { name, widgets: [{ type: 'text', position: WHOLE }] })).id);
  const items = [{ artifact_id, params: { title: 'Plan' } }, ...ids.map((dashboard_id) => ({ dashboard_id }))];
  const { id: object_id } = await rig.call('playlists_create', { name: 'TV', items, transition: 'none' });
  const screen = look(await open(site.feeds, { project_id: rig.project, kind: 'playlist', object_id }));
  const order = () =>
    screen
      .boards()
      .map(({ name }) => name)
      .join();
  const written = ['Plan', ...names].join();
  assert.deepEqual([order(), screen.shown().transition], [written, 'none']);
  const { media } = dataOf(screen.boards(), 'media') ?? {};
  assert.deepEqual(media, { artifact_id, content_type: 'image/png', fit: 'contain' });
  await rig.call('playlists_update', { id: object_id, shuffle: true });
  await screen.until(() => order() !== written);
  const before = order();
  assert.equal(before.split(',').sort().join(), [...names, 'Plan'].join());
  rig.now += 3_600_000;
  await screen.until(() => order() !== before);
});

test('[A134] a link may read only the pictures that its boards show', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const device = await rig.call('devices_create', { name: 'Gate', serial: 'CAM-1' });
  const hidden = await rig.call('devices_create', { name: 'Office', serial: 'CAM-2' });
  const { id: object_id } = await rig.call('dashboards_create', {
    name: 'Gate',
    widgets: [{ type: 'camera', position: WHOLE, query: { device_id: device.id } }],
  });
  const link = await rig.call('display_shares', { kind: 'dashboard', object_id });
  const token = link.url?.split('/').pop() ?? '';
  const screen = look(await open(site.feeds, { share: token }));
  const newest = () => dataOf(screen.boards(), 'camera')?.camera.artifact_id;
  const taken: string[] = [];
  for (let i = 0; i < 6; i++) {
    const id = await picture(rig, device.id, `frame ${i}`);
    taken.unshift(id);
    await screen.until(() => newest() === id);
  }
  const foreign = await picture(rig, hidden.id, 'office');
  const seen = async (id: string) => (await site.feeds.media(token, id))?.id;
  for (const id of taken.slice(0, 4)) assert.equal(await seen(id), id);
  for (const id of [...taken.slice(4), foreign, device.id, 'art_x']) assert.equal(await seen(id), undefined, id);
  assert.equal(await site.feeds.media('dsp_unknown', taken[0] ?? ''), undefined);
  await rig.call('display_shares', { kind: 'dashboard', object_id, action: 'pause' });
  assert.equal(await seen(taken[0] ?? ''), undefined);
});

const FUEL = {
  id: 'fuel',
  type: 'kpi' as const,
  title: '',
  query: { signal: 'fuel.level', aggregate: 'min' as const },
  position: { x: 0, y: 0, w: 3, h: 2 },
  thresholds: [],
  params: {},
};

test('[A946] a board that is not stored is shown with live values; a full gateway takes no place of the last preview of a caller', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const machine = await rig.call('equipment_create', { unit_number: 'HT-01' });
  const stored = (await rig.call('dashboards_list', {})).data.length;
  const draft = { name: 'Draft', theme: 'tv-dark' as const, widgets: [FUEL] };
  const target = (holder: string) => ({ project_id: rig.project, draft, viewer: { holder, mayReadLinks: true } });
  const screen = look(await open(site.feeds, target('first')));
  const shown = () => {
    const data = screen.boards()[0]?.widgets[0]?.data;
    return data?.type === 'kpi' ? data.kpi.value.text : undefined;
  };
  assert.equal(shown(), null);
  site.report(machine.id, facts(rig, 42));
  await screen.until(() => shown() === '42');
  await rig.call('equipment_create', { unit_number: 'HT-02' });
  await screen.until(() => screen.boards()[0]?.subtitle === '2 machines');
  assert.equal((await rig.call('dashboards_list', {})).data.length, stored);
  const others = [];
  for (let i = 0; i < 15; i++) others.push(look(await open(site.feeds, target(`other ${i}`))));
  await assert.rejects(
    async () => site.feeds.open(target('late')),
    (error: OperationError) => error.code === 'rate_limited',
  );
  // A caller with a preview gets the next one in its place.
  const second = look(await open(site.feeds, target('first')));
  assert.deepEqual([screen.gone(), others.flatMap((one) => one.gone())], [['replaced'], []]);
  second.leave();
  // A page that leaves makes room for the next one.
  others[0]?.leave();
  rig.now += 2_000;
  const again = await eventually(
    () => site.feeds.open(target('late')).catch(() => undefined),
    (feed) => feed !== undefined,
  );
  assert.equal(again?.snapshot().title, 'Draft');
});

test('[A946] a caller has at most 4 previews; a further one ends its oldest, and no caller can fill the gateway', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig, undefined, 60_000);
  const draft = { name: 'Draft', theme: 'tv-dark' as const, widgets: [FUEL] };
  const see = async (holder: string) =>
    look(await open(site.feeds, { project_id: rig.project, draft, viewer: { holder, mayReadLinks: true } }));
  const other = await see('other');
  const own = [];
  for (let i = 0; i < 40; i++) own.push(await see('one'));
  assert.deepEqual(
    own.map((one) => one.gone().length),
    own.map((_, i) => (i < 36 ? 1 : 0)),
  );
  assert.deepEqual(other.gone(), []);
  // A preview that no page shows ends before an older one that a page shows.
  own.at(-1)?.leave();
  await see('one');
  assert.deepEqual(own.at(-4)?.gone(), []);
  // Three more callers with four each fill the gateway. A new caller still gets a place, from a caller with the most.
  for (let i = 0; i < 11; i++) await see(`more ${i % 3}`);
  await see('new');
  assert.deepEqual(other.gone(), []);
});

test('[A947] a preview draws no code of a display link for a caller that may not read links', async () => {
  await using rig = await openRig();
  await using site = startFeeds(rig);
  const { object_id } = await playlistOf(rig);
  await rig.call('display_shares', { kind: 'playlist', object_id });
  const qr = (id: string, params: object) => ({ ...FUEL, id, type: 'qr' as const, query: {}, params: { ...params } });
  const draft = {
    name: 'Draft',
    theme: 'tv-dark' as const,
    widgets: [qr('link', { share: { kind: 'playlist', object_id } }), qr('text', { text: 'hello' })],
  };
  const codes = async (mayReadLinks: boolean) => {
    const viewer = { holder: `${mayReadLinks}`, mayReadLinks };
    const feed = await open(site.feeds, { project_id: rig.project, draft, viewer });
    return feed.snapshot().boards[0]?.widgets.map(({ data }) => data.type === 'qr' && data.qr.code !== null);
  };
  const texts = async (mayReadLinks: boolean) => {
    const viewer = { holder: `${mayReadLinks}`, mayReadLinks };
    const [link] =
      (await open(site.feeds, { project_id: rig.project, draft, viewer })).snapshot().boards[0]?.widgets ?? [];
    return link?.data.type === 'qr' && [link.data.qr.caption, link.data.qr.is_made];
  };
  assert.deepEqual(await codes(true), [true, true]);
  assert.deepEqual(await codes(false), [false, true]);
  assert.deepEqual(await texts(true), ['Scan to see it on a phone', true]);
  assert.deepEqual(await texts(false), ['You may not read this link. Screens show its code.', true]);
  // Nobody sees the code of a link that is not open.
  await rig.call('display_shares', { kind: 'playlist', object_id, action: 'pause' });
  for (const mayRead of [true, false])
    assert.deepEqual(await texts(mayRead), ['Its link is not open. Open it on the office page.', true]);
});
