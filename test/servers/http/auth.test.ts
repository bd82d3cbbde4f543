import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Kind, makeId } from '#contract/base/ids.ts';
import { ClientError } from '#contract/client.ts';
import type { Handlers } from '#contract/handler.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { stageTask } from '#domain/runs/writes.ts';
import { taskHandlers } from '#handlers/tasks/tasks.ts';
import { createAuth } from '#servers/http/auth.ts';
import { createStage } from '#servers/invoke/staged.ts';
import type { Store } from '#store/open-store.ts';
import { CONTROL, type Rig, SHARE, startRig } from '#test/servers/rig.ts';
import { eventually } from '#test/support/gateway.ts';

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ClientError ? error.code : 'no error';
}

async function makeDevice(rig: Rig, project: string, id: string): Promise<string> {
  await rig.store
    .view(project)
    .commit([{ collection: 'records', id, object: 'device', data: { device_id: `hw-${id}` }, expected: 0 }]);
  return id;
}

const POINTS = { points: [{ values: { 'engine.speed': 900 } }] };

test('[K1] unknown, revoked, expired and malformed keys get the same error', async () => {
  await using rig = await startRig();
  const list = (key: string) => codeOf(rig.client(key).call('dashboards_list', {}));
  const expiring = await rig.mint({ expires_at: new Date(Date.now() + 60_000).toISOString() });
  assert.equal(await list(expiring.secret), 'no error');
  rig.pass(61_000);
  assert.equal(await list(expiring.secret), 'credential_invalid', 'though it was remembered as good');
  const revoked = await rig.mint({ revoked_at: new Date().toISOString() });
  const [first = ''] = rig.key.slice(-1);
  const nearly = `${rig.key.slice(0, -1)}${first === 'A' ? 'B' : 'A'}`;
  const wrongKind = rig.key.replace('wk_', 'dk_');
  for (const key of [
    expiring.secret,
    revoked.secret,
    nearly,
    wrongKind,
    'wk_x',
    `wk_${'a'.repeat(8)}_${'b'.repeat(43)}`,
  ])
    assert.equal(await list(key), 'credential_invalid', key);
  const response = await fetch(`${rig.base}/api/v1/projects`);
  assert.equal(response.status, 401);
  assert.equal(response.headers.get('www-authenticate'), 'Bearer');
  assert.equal(await codeOf(rig.client(null).call('dashboards_list', {})), 'authentication_required');
});

test('[K1] the store contains no key, only hashes', async () => {
  await using rig = await startRig();
  const stored = JSON.stringify(await rig.store.find('local', { object: 'key', limit: 10 }));
  assert.ok(stored.includes('"hash"'));
  assert.ok(!stored.includes(rig.key.slice(12)));
});

test('[K6] a key is cached until any key changes', async () => {
  await using rig = await startRig();
  let looks = 0;
  const store: Store = {
    ...rig.store,
    find: (collection, query) => {
      looks++;
      return rig.store.find(collection, query);
    },
  };
  using auth = createAuth({ store, clock: Date.now, accessTime: Date.now, controlToken: CONTROL });
  const authenticate = async () => (await auth.authenticate(`Bearer ${rig.key}`, '127.0.0.1')).role;
  for (let i = 0; i < 3; i++) assert.equal(await authenticate(), 'owner');
  assert.equal(looks, 1);
  await rig.mint({});
  for (let i = 0; i < 3; i++) assert.equal(await authenticate(), 'owner');
  assert.equal(looks, 2);
});

test('[K6] a cached key is not used while the store may not know what other processes revoked', async () => {
  await using rig = await startRig();
  let looks = 0;
  let isCurrent = true;
  const store: Store = {
    ...rig.store,
    isCurrent: () => isCurrent,
    find: (collection, query) => {
      looks++;
      return rig.store.find(collection, query);
    },
  };
  using auth = createAuth({ store, clock: Date.now, accessTime: Date.now, controlToken: CONTROL });
  const look = async (): Promise<number> => {
    assert.equal((await auth.authenticate(`Bearer ${rig.key}`, '127.0.0.1')).role, 'owner');
    return looks;
  };
  assert.deepEqual([await look(), await look()], [1, 1]);
  isCurrent = false;
  assert.deepEqual([await look(), await look()], [2, 3]);
  isCurrent = true;
  assert.equal(await look(), 3);
});

test('[K2] a revoked key is refused from the commit that revokes it on', async () => {
  await using rig = await startRig();
  for (let i = 0; i < 20; i++) {
    const { secret, id } = await rig.mint({});
    const client = rig.client(secret);
    await client.call('dashboards_list', {});
    // Requests that were under way at the commit may have been let in; none may be remembered.
    const racing = Array.from({ length: 4 }, () => client.call('dashboards_list', {}).catch(() => {}));
    await rig.revoke(id);
    assert.equal(await codeOf(client.call('dashboards_list', {})), 'credential_invalid');
    await Promise.all(racing);
    assert.equal(await codeOf(client.call('dashboards_list', {})), 'credential_invalid');
  }
});

test('[K2] an open stream ends when the key that opened it is revoked', async () => {
  await using rig = await startRig();
  const { secret, id } = await rig.mint({});
  const open = (key: string) =>
    fetch(`${rig.base}/api/v1/live?kind=dashboard&object_id=dash_1`, {
      headers: { authorization: `Bearer ${key}`, 'project-id': rig.project },
    });
  const revoked = await open(secret);
  const share = await fetch(`${rig.base}/api/v1/displays/${SHARE}/live`);
  await rig.revoke(id);
  assert.match(await revoked.text(), /event: gone\ndata: .*revoked/);
  assert.equal(rig.feeds.watching, 1);
  await share.body?.cancel();
});

/** The store, in which something happens between a look for a key and its answer. */
function interrupted(store: Store, meanwhile: () => Promise<unknown>): Store {
  return Object.assign(Object.create(store) as Store, {
    async find(...args: Parameters<Store['find']>) {
      const found = await store.find(...args);
      if (Object.hasOwn(args[1].where ?? {}, 'data.prefix')) await meanwhile();
      return found;
    },
  });
}

test('[K2] a key that is revoked during its look-up is refused; a result of the last try is not cached', async () => {
  await using rig = await startRig();
  let looks = 0;
  let revokeAt = 1;
  let { secret, id } = await rig.mint({});
  const store = interrupted(rig.store, async () => {
    looks++;
    if (looks === revokeAt) await rig.revoke(id);
    else if (looks < revokeAt) await rig.mint({});
  });
  using auth = createAuth({ store, clock: Date.now, accessTime: Date.now, controlToken: CONTROL });
  const knock = () => auth.authenticate(`Bearer ${secret}`);
  await assert.rejects(knock(), { code: 'credential_invalid' });
  assert.equal(looks, 2, 'it looked again');
  // Other keys change at each look, and this one behind the last: the call was under way at that commit.
  ({ secret, id } = await rig.mint({}));
  looks = 0;
  revokeAt = 3;
  await knock();
  assert.equal(looks, 3);
  await assert.rejects(knock(), { code: 'credential_invalid' });
});

test('[K2] a stream ends if its key was revoked while it was opened', async () => {
  let armed = '';
  const revokeOnce = async () => {
    const id = armed;
    armed = '';
    if (id !== '') await rig.revoke(id);
  };
  const whileRead: Handlers = Object.fromEntries(
    Object.entries(taskHandlers.handlers).map(([name, handler]) => [
      name,
      async (...args: unknown[]) => {
        const answer = await (handler as (...all: unknown[]) => unknown)(...args);
        await revokeOnce();
        return answer;
      },
    ]),
  );
  await using rig = await startRig({ handlers: whileRead });
  const open = rig.feeds.open.bind(rig.feeds);
  Object.assign(rig.feeds, {
    async open(...args: Parameters<typeof open>) {
      const feed = await open(...args);
      await revokeOnce();
      return feed;
    },
  });
  const read = async (path: string) => {
    const { secret, id } = await rig.mint({});
    armed = id;
    const response = await fetch(`${rig.base}${path}`, {
      headers: { authorization: `Bearer ${secret}`, 'project-id': rig.project },
    });
    assert.equal(response.status, 200);
    return response.text();
  };
  assert.match(await read('/api/v1/live?kind=dashboard&object_id=dash_1'), /event: gone\ndata: .*revoked/);
  assert.equal(rig.feeds.watching, 0);
  const stage = createStage(rig.store, new Date().toISOString());
  const newId = (kind: Kind) => makeId(kind, Date.now(), randomBytes(10));
  const { task } = stageTask({ now: new Date().toISOString(), newId }, stage.view(rig.project), {
    kind: 'worker',
    title: 'Count',
    prompt: 'Count the trucks.',
    created_by: { type: 'workspace', id: null, name: null },
  });
  await rig.store.commit(stage.writes());
  assert.equal(await read(`/api/v1/tasks/${task.id}/stream`), '', 'nothing of the task is shown');
});

test('[K3] without an owner every refusal explains how to claim the gateway', async () => {
  await using rig = await startRig({ unclaimed: true });
  assert.equal(await codeOf(rig.client(null).call('dashboards_list', {})), 'claim_required');
  assert.equal(await codeOf(rig.client(`wk_abcdefgh_${'x'.repeat(43)}`).call('dashboards_list', {})), 'claim_required');
  const { secret } = await rig.mint({});
  await rig.client(secret).call('dashboards_list', {});
  assert.equal(await codeOf(rig.client(null).call('dashboards_list', {})), 'authentication_required');
});

test('[K4] a device key may call only the operations for devices, for its own device', async () => {
  await using rig = await startRig();
  const own = await makeDevice(rig, rig.project, 'dev_own');
  const sibling = await makeDevice(rig, rig.project, 'dev_sibling');
  const foreign = await makeDevice(rig, rig.other, 'dev_foreign');
  const { secret } = await rig.mint({ kind: 'device', device: own, device_id: 'hw-own', project_ids: [rig.project] });
  const device = rig.client(secret, null);
  assert.equal((await device.call('devices_telemetry', { id: own, ...POINTS })).accepted, 1);
  const named = rig.client(secret, rig.project);
  assert.equal((await named.call('devices_telemetry', { id: own, ...POINTS })).accepted, 1);
  for (const id of [sibling, foreign, 'dev_nobody'])
    assert.equal(await codeOf(device.call('devices_telemetry', { id, ...POINTS })), 'not_found');
  assert.equal(
    await codeOf(rig.client(secret, rig.other).call('devices_telemetry', { id: own, ...POINTS })),
    'project_not_found',
  );
  for (const [name, row] of Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][]) {
    if (row.scope === 'none' || row.roles.includes('device')) continue;
    const response = await fetch(`${rig.base}${row.path.replaceAll(/\{\w+\}/g, own)}`, {
      method: row.method,
      headers: { authorization: `Bearer ${secret}`, 'project-id': rig.project },
    });
    assert.equal(response.status, 403, name);
    await response.body?.cancel();
  }
  const tool = await fetch(`${rig.base}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });
  assert.equal(tool.status, 403);
});

test('[K5] a device signs in to the broker with its own device_id and key only', async () => {
  await using rig = await startRig();
  const device = await makeDevice(rig, rig.project, 'dev_a');
  const fields = { kind: 'device', device, device_id: 'hw-a', project_ids: [rig.project] } as const;
  const { secret, id } = await rig.mint({ ...fields, project_ids: [...fields.project_ids] });
  const identity = { device, device_id: 'hw-a', project_id: rig.project };
  assert.deepEqual(await rig.auth.authenticateDevice('hw-a', secret), identity);
  assert.deepEqual(await rig.auth.authenticateDevice('hw-a', Buffer.from(secret)), identity);
  assert.equal(await rig.auth.authenticateDevice('hw-b', secret), undefined);
  assert.equal(await rig.auth.authenticateDevice('hw-a', rig.key), undefined);
  assert.equal(await rig.auth.authenticateDevice('hw-a', Buffer.from([0xff, 0xfe, 0])), undefined);
  assert.equal(await rig.auth.authenticateDevice('hw-a', ''), undefined);
  await rig.revoke(id);
  assert.equal(await rig.auth.authenticateDevice('hw-a', secret), undefined);
});

test('[K7] the control token has the rights of an owner, and logs in as any existing device', async () => {
  await using rig = await startRig();
  const device = await makeDevice(rig, rig.project, 'dev_a');
  const { data } = (await rig.store.view(rig.project).get<{ device_id: string }>('records', device)) ?? {};
  const named = data?.device_id as string;
  const identity = { device, device_id: named, project_id: rig.project };
  assert.deepEqual(await rig.auth.authenticateDevice(named, Buffer.from(CONTROL)), identity);
  assert.equal(await rig.auth.authenticateDevice(`${named}x`, CONTROL), undefined);
  assert.equal(await rig.auth.authenticateDevice(named, `${CONTROL}x`), undefined);
  await rig.client(CONTROL).call('dashboards_create', { name: 'A' });
  assert.equal(await codeOf(rig.client(`${CONTROL}x`).call('dashboards_list', {})), 'credential_invalid');
});

test('[K8] a call outside the scopes of a key is 403 with the name of the missing scope', async () => {
  await using rig = await startRig();
  const { secret } = await rig.mint({ scopes: ['dashboards:read'] });
  const client = rig.client(secret);
  await client.call('dashboards_list', {});
  const error = await client.call('dashboards_create', { name: 'A' }).catch((thrown: ClientError) => thrown);
  assert.ok(error instanceof ClientError);
  assert.deepEqual([error.code, error.status], ['permission_denied', 403]);
  assert.match(error.message, /dashboards:write/);
  const catalog = (await (await fetch(`${rig.base}/api/v1/operations`)).json()) as {
    data: { name: string; key_scope: string }[];
  };
  const row = catalog.data.find(({ name }) => name === 'dashboards_create');
  assert.equal(row?.key_scope, 'dashboards:write');
});

test('[K9] a key with an address list may be used only from those addresses', async () => {
  await using rig = await startRig();
  const list = async (allowed_cidrs: string[]) =>
    codeOf(rig.client((await rig.mint({ allowed_cidrs })).secret).call('dashboards_list', {}));
  assert.equal(await list(['127.0.0.0/8', '::1/128']), 'no error');
  assert.equal(await list(['192.0.2.0/24', 'fd00::/8']), 'permission_denied');
  const { secret } = await rig.mint({ allowed_cidrs: ['192.0.2.0/24', 'fe80::/10'] });
  const from = (address?: string) =>
    rig.auth.authenticate(`Bearer ${secret}`, address).then(
      () => true,
      () => false,
    );
  assert.deepEqual(
    await Promise.all(['192.0.2.7', 'fe80::1%eth0', '192.0.3.7', '::1', 'nonsense', undefined].map(from)),
    [true, true, false, false, false, false],
  );
});

test('[K10] a personal token may only read transcripts, and ends with the key that issued it', async () => {
  await using rig = await startRig({ groups: [taskHandlers] });
  const parent = await rig.mint({ role: 'viewer', project_ids: [rig.project] });
  const { secret } = await rig.mint({
    kind: 'personal',
    role: 'viewer',
    parent: parent.id,
    scopes: ['transcript:read'],
  });
  const read = (project = rig.project) =>
    codeOf(rig.client(secret, project).call('tasks_messages', { task_id: 'tsk_none' }));
  assert.equal(await read(), 'not_found');
  assert.equal(await read(rig.other), 'project_not_found');
  for (const [name, row] of Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][]) {
    if (row.scope === 'none' || name === 'tasks_messages') continue;
    const response = await fetch(`${rig.base}${row.path.replaceAll(/\{\w+\}/g, 'x')}`, {
      method: row.method,
      headers: { authorization: `Bearer ${secret}`, 'project-id': rig.project },
    });
    assert.equal(response.status, 403, name);
    await response.body?.cancel();
  }
  assert.equal(await rig.auth.authenticateDevice('hw-a', secret), undefined);
  await rig.revoke(parent.id);
  assert.equal(await read(), 'credential_invalid');
});

test('[K11] the last use of a key is stored once in ten minutes', async () => {
  await using rig = await startRig();
  const { secret, id } = await rig.mint({});
  const note = () => rig.store.node.get<{ last_used_at: string }>('local', `use_${id}`);
  const use = () => rig.client(secret).call('dashboards_list', {});
  await use();
  const first = await eventually(note, (found) => found !== undefined);
  await use();
  rig.pass(11 * 60_000);
  await use();
  const second = await eventually(note, (found) => found?.data.last_used_at !== first?.data.last_used_at);
  assert.equal(second?.revision, 2);
});
