/**
 * What requests cost in SQL statements and transactions. A write is ONE transaction, effect, event and receipt together: a second one
 * would be a second fsync, and a state in between that a crash leaves. A list that asks again for each of its rows shows here too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRig } from '#test/servers/rig.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { type Cost, costOf } from './cost.ts';

/** Runs calls one by one and keeps what each cost under its name. */
function ledger(store: Rig['store']) {
  const costs: Record<string, Cost> = {};
  return {
    costs,
    async keep<T>(name: string, work: () => Promise<T>): Promise<T> {
      const answers: T[] = [];
      costs[name] = await costOf(store, async () => answers.push(await work()));
      return answers[0] as T;
    },
    statements: () => Object.fromEntries(Object.entries(costs).map(([name, { statements }]) => [name, statements])),
  };
}

test('[H4] every write of the interface is exactly one transaction', async () => {
  await using rig = await openRig();
  const { costs, keep, statements } = ledger(rig.store);
  const machine = await keep('equipment_create', () => rig.call('equipment_create', { unit_number: 'HT-1' }));
  const note = { id: machine.id, type: 'note' as const, data: { text: 'x' } };
  await keep('equipment_update', () => rig.call('equipment_update', { id: machine.id, status: 'down' }));
  await keep('equipment_append_event', () => rig.call('equipment_append_event', note));
  const device = await keep('devices_create', () =>
    rig.call('devices_create', { device_id: 'd-1', kind: 'can_logger' }),
  );
  const link = { serial: 'd-1', equipment_id: machine.id };
  await keep('devices_update', () => rig.call('devices_update', { id: device.id, name: 'y' }));
  await keep('telemetry_devices_link', () => rig.call('telemetry_devices_link', { links: [link] }));
  await keep('devices_provision', () =>
    rig.call('devices_provision', { serial: 'SN-1', kind: 'can_logger', equipment_id: machine.id }),
  );
  const board = await keep('dashboards_create', () => rig.call('dashboards_create', { name: 'b' }));
  await keep('dashboards_update', () => rig.call('dashboards_update', { id: board.id, name: 'c' }));
  const items = [{ dashboard_id: board.id }];
  const playlist = await keep('playlists_create', () => rig.call('playlists_create', { name: 'p', items }));
  await keep('playlists_update', () => rig.call('playlists_update', { id: playlist.id, name: 'q' }));
  const share = { kind: 'playlist' as const, object_id: playlist.id };
  await keep('display_shares', () => rig.call('display_shares', share));
  await keep('playlists_delete', () => rig.call('playlists_delete', { id: playlist.id }));
  await keep('dashboards_delete', () => rig.call('dashboards_delete', { id: board.id }));
  await keep('projects_create', () => rig.call('projects_create', { name: 'East Pit' }));
  const key = await keep('keys_create', () => rig.call('keys_create', { name: 'k', role: 'viewer' }));
  await keep('keys_revoke', () => rig.call('keys_revoke', { id: key.key.id }));
  for (const [name, { commits }] of Object.entries(costs)) assert.equal(commits, 1, `${name} took ${commits}`);
  // Eight for the transaction, two for each document, and what was read to judge the call: its project, its object, names
  // in use, and once for each object the files that show it. An entry of the audit log also replaces the head of its hash chain.
  assert.deepEqual(statements(), {
    equipment_create: 24,
    equipment_update: 16,
    equipment_append_event: 11,
    devices_create: 26,
    devices_update: 19,
    telemetry_devices_link: 20,
    devices_provision: 40,
    dashboards_create: 16,
    dashboards_update: 17,
    playlists_create: 17,
    playlists_update: 17,
    display_shares: 16,
    playlists_delete: 21,
    dashboards_delete: 18,
    projects_create: 54,
    keys_create: 17,
    keys_revoke: 18,
  });
});

/** Machines with a logger each, and as many boards. */
function fill(rig: Rig, count: number) {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { id: equipment_id } = await rig.call('equipment_create', { unit_number: `HT-${i}` });
      const { device } = await rig.call('devices_provision', { serial: `SN-${i}`, kind: 'can_logger', equipment_id });
      const board = await rig.call('dashboards_create', { name: `board ${i}` });
      return { equipment: equipment_id, device: device.id, board: board.id };
    }),
  );
}

test('one object is read with few statements, a list with as many however long it is', async () => {
  await using rig = await openRig();
  const [first] = await fill(rig, 60);
  assert.ok(first);
  const [playlist] = (await rig.call('playlists_list', {})).data;
  // The first read of a machine also reads its files, and until when samples of machines were deleted. Both are kept in memory.
  const fresh = ledger(rig.store);
  await fresh.keep('equipment_get', () => rig.call('equipment_get', { id: first.equipment }));
  assert.deepEqual(fresh.statements(), { equipment_get: 7 });
  const one = ledger(rig.store);
  await one.keep('equipment_get', () => rig.call('equipment_get', { id: first.equipment }));
  await one.keep('devices_get', () => rig.call('devices_get', { id: first.device }));
  await one.keep('dashboards_get', () => rig.call('dashboards_get', { id: first.board }));
  await one.keep('playlists_get', () => rig.call('playlists_get', { id: playlist?.id ?? '' }));
  await one.keep('projects_get', () => rig.call('projects_get', { id: rig.project }));
  assert.deepEqual(one.statements(), {
    equipment_get: 1,
    // Its record, its name, its keys, its configuration, and what is stored of one that was never heard.
    devices_get: 5,
    // Its record, its link, and the paired screens that show it.
    dashboards_get: 3,
    playlists_get: 3,
    projects_get: 1,
  });
  const lists = async (limit: number) => {
    const many = ledger(rig.store);
    await many.keep('equipment_list', () => rig.call('equipment_list', { limit }));
    await many.keep('devices_list', () => rig.call('devices_list', { limit }));
    await many.keep('dashboards_list', () => rig.call('dashboards_list', { limit }));
    await many.keep('playlists_list', () => rig.call('playlists_list', { limit }));
    await many.keep('projects_list', () => rig.call('projects_list', { limit }));
    await many.keep('equipment_events', () => rig.call('equipment_events', { id: first.equipment, limit }));
    await many.keep('keys_list', () => rig.call('keys_list', { limit }));
    return many.statements();
  };
  // The files of each machine are asked for when it is first read, and known from then on.
  await rig.call('equipment_list', { limit: 50 });
  const { equipment_list: five, ...short } = await lists(5);
  const { equipment_list: fifty, ...long } = await lists(50);
  assert.deepEqual(short, {
    devices_list: 5,
    dashboards_list: 3,
    playlists_list: 3,
    projects_list: 1,
    equipment_events: 2,
    keys_list: 1,
  });
  // Boards may be large, so a page of them is read 25 at a time.
  assert.deepEqual(long, { ...short, dashboards_list: 5 });
  // Who is linked to a machine is known without a search.
  assert.deepEqual([five, fifty], [1, 1]);
});

test('[K6] a known key costs a request nothing, and a receipt is one document in the same transaction', async () => {
  await using rig = await startRig();
  const post = (body: object, headers = {}) =>
    rig.request('POST', '/api/v1/dashboards', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { id } = (await (await post({ name: 'first' })).json()) as { id: string };
  const { costs, keep } = ledger(rig.store);
  await keep('get', () => rig.request('GET', `/api/v1/dashboards/${id}`));
  await keep('list', () => rig.request('GET', '/api/v1/dashboards?limit=50'));
  await keep('absent', () => rig.request('GET', '/api/v1/dashboards/dash_none'));
  await keep('refused', () => post({ nam: 'wrong' }));
  await keep('create', () => post({ name: 'second' }));
  await keep('with a receipt', () => post({ name: 'third' }, { 'idempotency-key': 'k1' }));
  await keep('replayed', () => post({ name: 'third' }, { 'idempotency-key': 'k1' }));
  assert.deepEqual(costs, {
    get: { statements: 1, commits: 0, rows: 0 },
    list: { statements: 1, commits: 0, rows: 0 },
    absent: { statements: 1, commits: 0, rows: 0 },
    refused: { statements: 0, commits: 0, rows: 0 },
    create: { statements: 10, commits: 1, rows: 1 },
    // The receipt is looked for, read again in the transaction and written, with the numbers of its own feed.
    'with a receipt': { statements: 15, commits: 1, rows: 2 },
    replayed: { statements: 1, commits: 0, rows: 0 },
  });
});
