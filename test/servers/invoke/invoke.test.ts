import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { OperationError } from '#contract/base/errors.ts';
import { type EventData, toEvent } from '#contract/base/event.ts';
import { ClientError } from '#contract/client.ts';
import type { DashboardData } from '#contract/site/board.ts';
import { canonicalParts } from '#servers/invoke/canonical-parts.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { createReceipts, fingerprintOf } from '#servers/invoke/receipts.ts';
import { stageDashboard, startRig, toDashboard } from '#test/servers/rig.ts';
import { until } from '#test/support/until.ts';

/** A caller that is the same for two processes. */
const OWNER: Parameters<Invoke['call']>[0]['caller'] = {
  kind: 'workspace',
  id: 'key_1',
  name: 'test',
  role: 'owner',
  project_ids: null,
  device: null,
  device_project: null,
  door: 'rest',
  address: '127.0.0.1',
  base_url: 'http://127.0.0.1',
};

const BOARD: DashboardData = { name: 'A', description: '', audience: 'tv', widgets: [], theme: 'tv-dark' };

async function refusal(promise: Promise<unknown>): Promise<ClientError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ClientError, `expected a refusal, got ${error}`);
  return error;
}

test('[H1] a role that the declaration does not name is refused', async () => {
  await using rig = await startRig();
  const viewer = await rig.mint({ role: 'viewer' });
  const client = rig.client(viewer.secret);
  assert.equal((await client.call('dashboards_list', {})).data.length, 0);
  const error = await refusal(client.call('dashboards_create', { name: 'A' }));
  assert.deepEqual([error.status, error.code], [403, 'permission_denied']);
});

test('[H1] an operation without a handler is refused with backend_unavailable', async () => {
  await using rig = await startRig();
  const error = await refusal(rig.client(rig.key).call('equipment_list', {}));
  assert.equal(error.code, 'backend_unavailable');
  assert.match(error.message, /has no handler for this operation/);
});

test('[H2] a project-scoped call needs one existing project to which the key has access', async () => {
  await using rig = await startRig();
  const restricted = await rig.mint({ role: 'admin', project_ids: [rig.other] });
  const cases: [string, string | null, string][] = [
    [rig.key, null, 'project_required'],
    [rig.key, 'prj_00000000000000000000000000', 'project_not_found'],
    [restricted.secret, rig.project, 'project_not_found'],
  ];
  for (const [key, project, code] of cases)
    assert.equal((await refusal(rig.client(key, project).call('dashboards_list', {}))).code, code);
  await rig.client(restricted.secret, rig.other).call('dashboards_list', {});
  const twice = await rig.request('POST', '/api/v1/dashboards', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'A', project_id: rig.other }),
  });
  assert.equal(((await twice.json()) as { error: { code: string } }).error.code, 'project_mismatch');
  const same = await rig.request('POST', '/api/v1/dashboards', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'A', project_id: rig.project }),
  });
  assert.equal(same.status, 201);
});

test('[H2] a document of another project is not found', async () => {
  await using rig = await startRig();
  const made = await rig.client().call('dashboards_create', { name: 'A' });
  const foreign = rig.client(rig.key, rig.other);
  assert.equal((await refusal(foreign.call('dashboards_get', { id: made.id }))).status, 404);
  assert.equal((await refusal(foreign.call('dashboards_update', { id: made.id, name: 'B' }))).status, 404);
  assert.equal((await foreign.call('dashboards_list', {})).data.length, 0);
});

test('[H3] unknown names are refused at any level, and read-only fields with the name of their writer', async () => {
  await using rig = await startRig();
  const send = async (method: string, path: string, body: unknown) => {
    const response = await rig.request(method, path, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
    return error;
  };
  const cases: [string, string, unknown, string, string, RegExp][] = [
    ['POST', '/api/v1/dashboards', { name: 'A', nmae: 1 }, 'parameter_unknown', 'nmae', /Its parameters: name/],
    ['POST', '/api/v1/dashboards', {}, 'parameter_missing', 'name', /required/],
    ['POST', '/api/v1/dashboards', { name: 7 }, 'parameter_invalid', 'name', /name/],
    [
      'POST',
      '/api/v1/dashboards',
      { name: 'A', widgets: [{ type: 'text', position: { x: 0, y: 0, w: 1, h: 1, z: 1 } }] },
      'parameter_unknown',
      'widgets[0].position.z',
      /no field `widgets/,
    ],
    [
      'PATCH',
      '/api/v1/equipment/eq_1',
      { live_status: 'running' },
      'read_only_field',
      'live_status',
      /telemetry pipeline/,
    ],
    ['PATCH', '/api/v1/equipment/eq_1', { engine_hours: 3 }, 'read_only_field', 'engine_hours', /telemetry pipeline/],
    ['PATCH', '/api/v1/equipment/eq_1', { device_ids: [] }, 'read_only_field', 'device_ids', /devices\/link/],
    ['PATCH', '/api/v1/devices/dev_1', { status: 'online' }, 'read_only_field', 'status', /device connectivity/],
    ['PATCH', '/api/v1/devices/dev_1', { equipment_id: 'eq_1' }, 'read_only_field', 'equipment_id', /devices\/link/],
    ['PATCH', '/api/v1/devices/dev_1', { revision: 9 }, 'read_only_field', 'revision', /gateway itself/],
    ['PATCH', '/api/v1/devices/dev_1', { id: 'dev_2' }, 'parameter_invalid', 'id', /path/],
  ];
  for (const [method, path, body, code, param, message] of cases) {
    const error = await send(method, path, body);
    assert.deepEqual([error.code, error.param], [code, param], JSON.stringify(body));
    assert.match(error.message, message);
  }
  const query = await rig.request('GET', '/api/v1/dashboards?limt=3');
  assert.equal(((await query.json()) as { error: { param: string } }).error.param, 'limt');
  const twice = await rig.request('GET', '/api/v1/dashboards?limit=3&limit=4');
  assert.equal(twice.status, 400);
  assert.equal((await rig.request('GET', '/api/v1/dashboards?limit=201')).status, 400);
});

test('[H4] nothing is written when the handler throws or its answer does not fit', async () => {
  let mode: 'throw' | 'misfit' = 'throw';
  await using rig = await startRig({
    handlers: {
      dashboards_create(input, context) {
        const board = toDashboard(stageDashboard(context, input));
        if (mode === 'throw') throw new OperationError('already_exists', 'taken');
        return { ...board, name: 7 as unknown as string };
      },
    },
  });
  assert.equal((await refusal(rig.client().call('dashboards_create', { name: 'A' }))).code, 'already_exists');
  mode = 'misfit';
  assert.equal((await refusal(rig.client().call('dashboards_create', { name: 'A' }))).code, 'internal_error');
  assert.equal((await rig.client().call('dashboards_list', {})).data.length, 0);
});

test('[H5] a handler reads its staged documents like stored ones', async () => {
  const seen: Record<string, unknown> = {};
  await using rig = await startRig({
    handlers: {
      async dashboards_create(input, context) {
        const { view } = context;
        const old = await view.find<DashboardData>('records', { object: 'dashboard', order: 'asc', limit: 10 });
        const [first, second] = old;
        assert.ok(first && second);
        const made = stageDashboard(context, input);
        view.stage({ collection: 'records', id: first.id, object: 'dashboard', data: { ...first.data, name: 'Z' } });
        view.stage({ collection: 'records', id: second.id, object: 'dashboard', data: second.data, deleted: true });
        seen.get = (await view.get<DashboardData>('records', first.id))?.data.name;
        seen.gone = await view.get('records', second.id);
        seen.many = (await view.getMany('records', [made.id, second.id, first.id])).map(({ id }) => id);
        seen.manyWanted = [made.id, first.id];
        const names = async (query: object) =>
          (await view.find<DashboardData>('records', { object: 'dashboard', limit: 10, ...query })).map(
            ({ data }) => data.name,
          );
        seen.all = await names({});
        seen.asc = await names({ order: 'asc', limit: 2 });
        seen.where = await names({ where: { 'data.name': ['Z', 'nobody'] } });
        seen.range = await names({ where: { 'data.name': { gte: 'N', lt: 'Z' } } });
        seen.after = await names({ after: { created_at: made.created_at, id: made.id } });
        const again = view.stage({
          collection: 'records',
          id: first.id,
          object: 'dashboard',
          data: { ...first.data, name: 'Y' },
        });
        seen.revision = again.revision;
        return toDashboard(made);
      },
    },
  });
  const now = new Date().toISOString();
  for (const [i, name] of ['A', 'B'].entries())
    await rig.store
      .view(rig.project)
      .commit([{ collection: 'records', id: `dash_${i}`, object: 'dashboard', data: { ...BOARD, name }, expected: 0 }]);
  const made = await rig.client().call('dashboards_create', { name: 'N' });
  assert.ok(made.created_at >= now);
  assert.deepEqual(seen, {
    get: 'Z',
    gone: undefined,
    many: seen.manyWanted,
    manyWanted: seen.manyWanted,
    all: ['N', 'Z'],
    asc: ['Z', 'N'],
    where: ['Z'],
    range: ['N'],
    after: ['Z'],
    revision: 2,
  });
  const listed = await rig.client().call('dashboards_list', { order: 'asc' });
  assert.deepEqual(
    listed.data.map(({ name, revision }) => [name, revision]),
    [
      ['Y', 2],
      ['N', 1],
    ],
  );
});

test('[H6] concurrent calls on one document all take effect, one after the other', async () => {
  let runs = 0;
  await using rig = await startRig({
    handlers: {
      async dashboards_update({ id }, context) {
        runs++;
        const current = await context.view.get<DashboardData>('records', id);
        assert.ok(current);
        // Lets the others read the same revision.
        await new Promise((resolve) => setImmediate(resolve));
        const data = { ...current.data, description: `${current.data.description}x` };
        return toDashboard(context.view.stage({ collection: 'records', id, object: 'dashboard', data }));
      },
    },
  });
  const { id } = await rig.client().call('dashboards_create', { name: 'A' });
  await Promise.all(Array.from({ length: 4 }, () => rig.client().call('dashboards_update', { id, name: 'B' })));
  const after = await rig.client().call('dashboards_get', { id });
  assert.equal(after.description, 'xxxx');
  assert.equal(after.revision, 5);
  assert.ok(runs > 4, 'no call lost a race: the test shows nothing');
});

test('[H6] a call on a document that changes before every commit is write_conflict', async () => {
  await using rig = await startRig({
    handlers: {
      async dashboards_update({ id }, context) {
        const current = await context.view.get<DashboardData>('records', id);
        assert.ok(current);
        await rig.store
          .view(rig.project)
          .commit([{ collection: 'records', id, object: 'dashboard', data: current.data as never }]);
        return toDashboard(context.view.stage({ collection: 'records', id, object: 'dashboard', data: current.data }));
      },
    },
  });
  const { id } = await rig.client().call('dashboards_create', { name: 'A' });
  const error = await refusal(rig.client().call('dashboards_update', { id, name: 'B' }));
  assert.deepEqual([error.status, error.code], [409, 'write_conflict']);
  assert.equal(error.error?.retryable, true);
});

test('[H7] a call with the same key and input is carried out once, and repeated calls get the first answer', async () => {
  await using rig = await startRig();
  const send = (body: object, headers: Record<string, string> = {}, path = '/api/v1/dashboards', method = 'POST') =>
    rig.request(method, path, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k1', ...headers },
      body: JSON.stringify(body),
    });
  const first = await send({ name: 'A', description: 'd' });
  const text = await first.text();
  assert.equal(first.headers.get('idempotent-replayed'), null);
  // Other order of names, same value: the same input (RFC 8785).
  const again = await send({ description: 'd', name: 'A' });
  assert.deepEqual(
    [again.status, await again.text(), again.headers.get('idempotent-replayed'), again.headers.get('etag')],
    [201, text, 'true', '"1"'],
  );
  const changed = await send({ name: 'B', description: 'd' });
  assert.equal(changed.status, 409);
  assert.equal(((await changed.json()) as { error: { code: string } }).error.code, 'idempotency_key_reused');
  // Another path, project or credential is another scope.
  assert.equal((await send({ name: 'B' }, { 'project-id': rig.other })).status, 201);
  const admin = await rig.mint({ role: 'admin' });
  assert.equal((await send({ name: 'C' }, { authorization: `Bearer ${admin.secret}` })).status, 201);
  const { id } = JSON.parse(text) as { id: string };
  assert.equal((await send({ name: 'D' }, {}, `/api/v1/dashboards/${id}`, 'PATCH')).status, 200);
  assert.equal((await rig.client().call('dashboards_list', {})).data.length, 2);
  for (const bad of ['x'.repeat(256), 'with space'])
    assert.equal((await send({ name: 'A' }, { 'idempotency-key': bad })).status, 400);
});

test('[H7] a repeated event gets the first answer with its sequence number', async () => {
  await using rig = await startRig({
    handlers: {
      dashboards_append_event: (input, context) =>
        toEvent(
          context.view.stage<EventData>({
            collection: 'events',
            id: context.newId('event'),
            object: 'event',
            expected: 0,
            data: {
              type: input.type,
              subject: { object: 'dashboard', id: input.id },
              occurred_at: context.now,
              source: 'api',
              source_event_id: null,
              actor: { type: context.caller.kind, id: context.caller.id, name: context.caller.name },
              data: input.data,
              context: { run_id: null, device_id: null, media: [] },
            },
          }),
        ),
    },
  });
  const tell = () =>
    rig.client().call('dashboards_append_event', { id: 'dash_1', type: 'note' }, { idempotency_key: 'k' });
  const first = await tell();
  const stored = await rig.store.view(rig.project).get('events', first.id);
  assert.equal(first.sequence, stored?.origin_seq);
  assert.ok(Number(first.sequence) > 0);
  assert.deepEqual(await tell(), first);
});

test('[H7] [H8] a repeated call during the first is operation_in_progress; a refusal leaves no receipt', async () => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  await using rig = await startRig({
    handlers: {
      async dashboards_create(input, context) {
        if (++runs === 1) throw new OperationError('already_exists', 'taken');
        if (runs === 2) await gate.promise;
        return toDashboard(stageDashboard(context, input));
      },
    },
  });
  const call = () => rig.client().call('dashboards_create', { name: 'A' }, { idempotency_key: 'k' });
  assert.equal((await refusal(call())).code, 'already_exists');
  const first = call();
  await until(() => runs >= 2);
  const second = await refusal(call());
  assert.deepEqual([second.status, second.code, second.error?.retryable], [409, 'operation_in_progress', true]);
  gate.resolve();
  assert.equal((await first).id, (await call()).id);
  assert.equal(runs, 2);
});

test('[H8] receipt and effect are in one commit', async () => {
  await using rig = await startRig();
  const commits: string[][] = [];
  rig.store.changes((changes) => commits.push(changes.map(({ document }) => document.object)));
  await rig.client().call('dashboards_create', { name: 'A' }, { idempotency_key: 'k' });
  // That the key was used is noted by itself, off the path of the call.
  assert.deepEqual(
    commits.filter(([first]) => first !== 'key_use'),
    [['dashboard', 'receipt']],
  );
});

test('[H7] [H8] two processes with one store carry out a key once; the second answers with the receipt of the first', async () => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  await using rig = await startRig({
    handlers: {
      async dashboards_create(input, context) {
        runs++;
        await gate.promise;
        return toDashboard(stageDashboard(context, input));
      },
    },
  });
  const call = (invoke: Invoke, name = 'A') =>
    invoke.call({
      name: 'dashboards_create',
      caller: OWNER,
      input: { name },
      project_id: rig.project,
      idempotency_key: 'k',
      request_id: 'req_1',
    });
  const other = rig.openInvoke();
  const both = [call(rig.invoke), call(other)];
  await until(() => runs === 2);
  gate.resolve();
  const [first, second] = await Promise.all(both);
  assert.deepEqual(first?.body, second?.body);
  assert.deepEqual([first?.replayed, second?.replayed].toSorted(), [false, true]);
  assert.equal((await rig.client().call('dashboards_list', {})).data.length, 1);
  // Other input under the key loses against the receipt of the first process, too.
  runs = 0;
  const late = Promise.withResolvers<void>();
  await using slow = await startRig({
    handlers: {
      async dashboards_create(input, context) {
        runs++;
        if (input.name === 'B') await late.promise;
        return toDashboard(stageDashboard(context, input));
      },
    },
  });
  const send = (invoke: Invoke, name: string) =>
    invoke.call({
      name: 'dashboards_create',
      caller: OWNER,
      input: { name },
      project_id: slow.project,
      idempotency_key: 'k',
      request_id: 'req_2',
    });
  const lost = send(slow.openInvoke(), 'B');
  await until(() => runs === 1);
  await send(slow.invoke, 'A');
  late.resolve();
  await assert.rejects(lost, { code: 'idempotency_key_reused' });
  const boards = (await slow.client().call('dashboards_list', {})).data;
  assert.deepEqual(
    boards.map(({ name }) => name),
    ['A'],
  );
});

test('[H9] a key can be used again after its receipt has expired, also before the sweep', async () => {
  await using rig = await startRig();
  const make = () => rig.client().call('dashboards_create', { name: 'A' }, { idempotency_key: 'k' });
  const first = await make();
  rig.pass(73 * 3_600_000);
  const second = await make();
  assert.notEqual(second.id, first.id);
  assert.equal((await make()).id, second.id);
});

test('[H9] receipts expire after 72 hours, and the oldest are removed at the limit', async () => {
  await using rig = await startRig({ maxReceipts: 3 });
  const make = (key: string) => rig.client().call('dashboards_create', { name: 'A' }, { idempotency_key: key });
  const ids: string[] = [];
  for (const key of ['a', 'b', 'c', 'd']) ids.push((await make(key)).id);
  const kept = async () => (await rig.store.node.find('local', { object: 'receipt', limit: 100 })).length;
  assert.equal(await kept(), 4);
  await rig.invoke.sweep();
  assert.equal(await kept(), 3);
  assert.notEqual((await make('a')).id, ids[0]);
  assert.equal((await make('d')).id, ids[3]);
  rig.pass(73 * 3_600_000);
  await rig.invoke.sweep();
  assert.equal(await kept(), 0);
  assert.notEqual((await make('d')).id, ids[3]);
});

test('[H9] a sweep removes every receipt that has expired, however many they are, and no other', async () => {
  await using rig = await startRig();
  const { store } = rig;
  let time = Date.now();
  const same = (text: string) => text;
  const sealer = { seal: same, open: same, tryOpen: same };
  const receipts = createReceipts({ store, sealer, clock: () => time, log: () => {} });
  const keep = (ids: readonly string[]) =>
    store.commit(
      ids.flatMap((id) =>
        receipts.writes({ id, fingerprint: 'print', expected: 0 }, 'dashboards_create', {
          status: 201,
          body: { id },
          revision: 1,
        }),
      ),
    );
  await keep(Array.from({ length: 900 }, (_, i) => `rcp_${i}`));
  time += 73 * 3_600_000;
  await keep(['rcp_young']);
  await receipts.sweep();
  const left = await store.node.find('local', { object: 'receipt', limit: 1000 });
  assert.deepEqual(
    left.map(({ id }) => id),
    ['rcp_young'],
  );
});

test('[H9] a secret in a receipt is encrypted, returned for ten minutes, and then deleted', async () => {
  await using rig = await startRig();
  const key = () => rig.client().call('keys_create', { name: 'n' }, { idempotency_key: 'k' });
  const share = () =>
    rig.client().call('display_shares', { kind: 'playlist', object_id: 'pl_1' }, { idempotency_key: 's' });
  const first = await key();
  const link = await share();
  assert.ok(link.url);
  assert.equal((await key()).secret, first.secret);
  assert.equal((await share()).url, link.url);
  const stored = JSON.stringify(await rig.store.node.find('local', { object: 'receipt', limit: 100 }));
  assert.ok(!stored.includes(first.secret) && !stored.includes(link.url));
  rig.pass(11 * 60_000);
  await rig.invoke.sweep();
  assert.equal((await rig.store.node.find('local', { object: 'receipt', limit: 100 })).length, 2);
  const late = await refusal(key());
  assert.deepEqual([late.status, late.code], [409, 'idempotency_key_reused']);
  assert.deepEqual(await share(), { ...link, url: null });
});

test('[H10] a replay is answered although the first call changed the revision in If-Match', async () => {
  await using rig = await startRig();
  const { id } = await rig.client().call('dashboards_create', { name: 'A' });
  const update = (name: string, key: string) =>
    rig.client().call('dashboards_update', { id, name }, { if_match: 1, idempotency_key: key });
  assert.equal((await update('B', 'k')).revision, 2);
  assert.equal((await update('B', 'k')).revision, 2);
  const stale = await refusal(update('C', 'other'));
  assert.deepEqual([stale.status, stale.code], [412, 'revision_mismatch']);
  assert.deepEqual(stale.error?.details, [{ current_revision: 2 }]);
});

test('[H11] a fault of the gateway sends only the request id, and the gateway continues', async () => {
  await using rig = await startRig({
    handlers: {
      dashboards_list() {
        throw new Error('SELECT secret FROM /var/lib/headframe');
      },
      async dashboards_delete() {
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      },
    },
  });
  const response = await rig.request('GET', '/api/v1/dashboards');
  const text = await response.text();
  assert.equal(response.status, 500);
  assert.ok(!/SELECT|var\/lib|\.ts:/.test(text), text);
  const { error } = JSON.parse(text) as { error: { request_id: string } };
  assert.equal(response.headers.get('x-request-id'), error.request_id);
  assert.ok(rig.log.some((line) => line.includes(error.request_id) && line.includes('SELECT secret')));
  assert.equal((await refusal(rig.client().call('dashboards_delete', { id: 'dash_1' }))).status, 507);
  await rig.client().call('dashboards_create', { name: 'A' });
});

test('[H12] calls without a key store no receipt', async () => {
  await using rig = await startRig();
  await rig.client(null).call('display_pairings_create', {}, { idempotency_key: 'k' });
  assert.equal((await rig.store.node.find('local', { object: 'receipt', limit: 10 })).length, 0);
});

test('[P1] pages have no gaps or repeats while items are created, and a cursor is valid for its list only', async () => {
  await using rig = await startRig();
  const client = rig.client();
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push((await client.call('dashboards_create', { name: `${i}` })).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof read>> = await read(cursor);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
    assert.equal(page.has_more, cursor !== null);
    await client.call('dashboards_create', { name: 'late' });
  } while (cursor !== null);
  function read(from: string | null) {
    return client.call('dashboards_list', { limit: 3, ...(from === null ? {} : { cursor: from }) });
  }
  assert.deepEqual(seen, ids.toReversed());
  const { next_cursor } = await client.call('dashboards_list', { limit: 1 });
  assert.ok(next_cursor);
  const bad = async (promise: Promise<unknown>) => assert.equal((await refusal(promise)).code, 'invalid_cursor');
  await bad(rig.client(rig.key, rig.other).call('dashboards_list', { cursor: next_cursor }));
  await bad(client.call('dashboards_list', { cursor: next_cursor, order: 'asc' }));
  await bad(client.call('dashboards_list', { cursor: `${next_cursor.slice(0, -1)}!` }));
  await bad(client.call('dashboards_list', { cursor: 'x' }));
  rig.pass(25 * 3_600_000);
  await bad(client.call('dashboards_list', { cursor: next_cursor }));
});

test('[H7] equal values have the same fingerprint, different values have different ones (RFC 8785)', async () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, shuffled(item)] as const)
        .reverse(),
    );
  };
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (a, b) => {
      const copy: unknown = JSON.parse(JSON.stringify(a));
      assert.equal(await fingerprintOf(shuffled(copy)), await fingerprintOf(copy));
      assert.equal([...canonicalParts(copy)].join(''), canonicalJson(copy));
      assert.deepEqual(JSON.parse(canonicalJson(copy)), copy);
      if (canonicalJson(a) !== canonicalJson(b)) assert.notEqual(await fingerprintOf(a), await fingerprintOf(b));
    }),
  );
  // RFC 8785 3.2.2, 3.2.3
  assert.equal(
    canonicalJson({ numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27], literals: [null, true, false] }),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
  );
});
