/** Head office in this process: its operations, enrolment, and whose project is whose. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Operation } from '#contract/base/operation.ts';
import { operations } from '#contract/operations.ts';
import { openStore } from '#store/open-store.ts';
import { enrolledBoxes } from '#sync/contacts.ts';
import { encodeRequest } from '#sync/wire/messages.ts';
import { OWNER_KEY, startGateway, type TestGateway } from '#test/support/gateway.ts';

const CLOUD = { HEADFRAME_ROLE: 'cloud' };

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

const post = async (cloud: TestGateway, path: string, key: string, body: Uint8Array<ArrayBuffer>, type: string) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const response = await fetch(`${cloud.node.http}${path}`, { method: 'POST', headers, body });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    code: isJson ? ((await response.json()) as { error?: { code: string } }).error?.code : undefined,
  };
};

const [GATEWAY, OTHER] = ['gw_01aryz6s41tsv4rrffq69g5fav', 'gw_01aryz6s41tsv4rrffq69g5fbb'] as const;
const enrolment = async (cloud: TestGateway, gateway_id: string = GATEWAY) => {
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry' });
  return { code, ...(await cloud.client.call('sync_enrol', { code, gateway_id, version: '1' })) };
};

const hello = (gateway: string, project: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    encodeRequest({
      project,
      request: {
        type: 'hello',
        gateway,
        life: { number: 1, token: 't' },
        fresh: true,
        pending: [],
        ends: false,
        pulled: { n: 0, chain: '' },
        repair: false,
      },
    }),
  );
const TYPE = 'application/vnd.headframe.sync';
const MESSAGES = '/api/v1/sync/messages';
const [ONE, TWO] = ['prj_01aryz6s41tsv4rrffq69g5fa0', 'prj_01aryz6s41tsv4rrffq69g5fa1'] as const;

test('[Y70] a code is valid once, and a gateway that enrols again loses its earlier credential', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const first = await enrolment(cloud);
  assert.equal(
    await codeOf(cloud.client.call('sync_enrol', { code: first.code, gateway_id: GATEWAY, version: '1' })),
    'enrolment_code_invalid',
  );
  assert.equal(
    await codeOf(cloud.client.call('sync_enrol', { code: 'WRONG-CODE', gateway_id: GATEWAY, version: '1' })),
    'enrolment_code_invalid',
  );
  assert.equal((await post(cloud, MESSAGES, first.secret, hello(GATEWAY, ONE), TYPE)).status, 200);
  const second = await enrolment(cloud);
  assert.equal((await post(cloud, MESSAGES, first.secret, hello(GATEWAY, ONE), TYPE)).code, 'credential_invalid');
  assert.equal((await post(cloud, MESSAGES, second.secret, hello(GATEWAY, ONE), TYPE)).status, 200);
  const { data } = await cloud.client.call('sync_enrolments_list', {});
  assert.deepEqual(data.map(({ state }) => state).sort(), ['enrolled', 'replaced']);
  for (const secret of [second.code, second.secret]) assert.ok(!JSON.stringify(data).includes(secret));
});

test('[Y71] a project belongs to the gateway that brought it, and a credential to one gateway', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const [a, b] = [await enrolment(cloud), await enrolment(cloud, OTHER)];
  const send = (key: string, gateway: string, project: string) =>
    post(cloud, MESSAGES, key, hello(gateway, project), TYPE);
  assert.equal((await send(a.secret, GATEWAY, ONE)).status, 200);
  assert.equal((await send(b.secret, OTHER, ONE)).code, 'permission_denied');
  assert.equal((await send(b.secret, GATEWAY, TWO)).code, 'permission_denied');
  assert.equal((await send(b.secret, OTHER, 'node')).code, 'permission_denied');
  const { project } = await cloud.client.call('projects_create', { name: 'Of head office', timezone: 'UTC' });
  assert.equal((await send(b.secret, OTHER, project.id)).code, 'permission_denied');
  assert.equal((await send(b.secret, OTHER, TWO)).status, 200);
});

test('[Y66] [Y74] head office refuses bytes that are no message, and every other operation to a gateway', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const { secret } = await enrolment(cloud);
  const good = hello(GATEWAY, ONE);
  const changed = good.slice();
  changed[20] = (changed[20] as number) ^ 1;
  const newer = good.slice();
  newer[3] = 99;
  for (const [body, code] of [
    [new Uint8Array(), 'body_malformed'],
    [new TextEncoder().encode('hello'), 'body_malformed'],
    [changed, 'body_malformed'],
    [newer, 'not_acceptable'],
  ] as const)
    assert.equal((await post(cloud, MESSAGES, secret, body, TYPE)).code, code);
  assert.equal((await post(cloud, MESSAGES, secret, good, 'text/plain')).code, 'unsupported_media_type');
  assert.equal((await post(cloud, MESSAGES, OWNER_KEY, good, TYPE)).code, 'permission_denied');
  const get = async (path: string) =>
    (await fetch(`${cloud.node.http}${path}`, { headers: { authorization: `Bearer ${secret}` } })).status;
  for (const path of ['/api/v1/projects', '/api/v1/sync/status', '/api/v1/sync/enrolments', '/api/v1/users'])
    assert.equal(await get(path), 403, path);
});

test('[Y75] head office serves no operation that reaches a device or a machine', async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  const { data } = (await (await fetch(`${cloud.node.http}/api/v1/operations`)).json()) as { data: { name: string }[] };
  const served = new Set(data.map(({ name }) => name));
  const kept = ['devices_update', 'devices_append_event'];
  let refused = 0;
  for (const [name, row] of Object.entries<Operation>(operations)) {
    const isOfDevice = /^\/api\/v1\/devices(\/|$)/.test(row.path) && !row.hints.readOnly && !kept.includes(name);
    if (!isOfDevice) continue;
    assert.ok(!served.has(name), name);
    refused++;
  }
  assert.ok(refused > 20, String(refused));
  for (const name of ['alerts_acknowledge', 'sync_link_set', 'sync_verify']) assert.ok(!served.has(name), name);
  for (const name of ['equipment_update', 'sync_enrolments_create', 'sync_status']) assert.ok(served.has(name), name);
  const { project } = await cloud.client.call('projects_create', { name: 'Q', timezone: 'UTC' });
  const bus = cloud.project(project.id).call('devices_bus_requests', { id: 'dev_1', armed: true } as never);
  assert.equal(await codeOf(bus), 'operation_unavailable');
});

test('[Y76] a site without a link says so, sends nothing, and serves no operation of head office', async () => {
  await using site = await startGateway();
  const status = await site.client.call('sync_status', {});
  assert.deepEqual([status.role, status.state, status.cloud_url, status.projects], ['site', 'off', null, []]);
  assert.equal(status.sentence, 'This site works alone. It is not connected to head office.');
  assert.equal(await codeOf(site.client.call('sync_enrolments_create', { name: 'x' })), 'operation_unavailable');
  assert.equal(await codeOf(site.client.call('sync_verify', {})), 'sync_off');
  for (const cloud_url of ['ftp://x', 'http://example.com', 'https://u:p@example.com', 'nonsense'])
    assert.equal(
      await codeOf(site.client.call('sync_link_set', { cloud_url, code: 'ABCD-EFGH' })),
      'parameter_invalid',
    );
  const gone = site.client.call('sync_link_set', { cloud_url: 'http://127.0.0.1:1', code: 'ABCD-EFGH' });
  assert.equal(await codeOf(gone), 'head_office_unreachable');
});

test('[Y190] head office reads which gateway has an enrolment once, and still refuses a revoked one with its next message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-test-'));
  try {
    const made = await (async () => {
      await using cloud = await startGateway(folder, {}, CLOUD);
      const { enrolment_id, secret } = await enrolment(cloud);
      const send = () => post(cloud, MESSAGES, secret, hello(GATEWAY, ONE), TYPE);
      for (let i = 0; i < 2; i++) assert.equal((await send()).status, 200);
      const other = await enrolment(cloud, OTHER);
      await cloud.client.call('sync_enrolments_create', { name: 'Waiting' });
      await cloud.client.call('sync_enrolments_revoke', { id: enrolment_id });
      assert.equal((await send()).code, 'credential_invalid');
      const { data } = await cloud.client.call('sync_enrolments_list', {});
      const waiting = data.find(({ state }) => state === 'waiting')?.id ?? '';
      return { first: enrolment_id, second: other.enrolment_id, waiting };
    })();
    await using store = await openStore({ folder, clock: Date.now, random: (count) => randomBytes(count) });
    const read: string[] = [];
    const boxOf = enrolledBoxes({
      get: (collection, id) => {
        read.push(id);
        return store.node.get(collection, id);
      },
    });
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await boxOf(made.first), { gateway_id: GATEWAY, isNewBox: false });
      assert.deepEqual(await boxOf(made.second), { gateway_id: OTHER, isNewBox: false });
    }
    assert.deepEqual(read, [made.first, made.second]);
    // A code that nobody has used has no gateway yet, so it is read again each time.
    for (const id of [made.waiting, made.waiting, 'enr_1', null])
      assert.equal(await codeOf(boxOf(id)), 'permission_denied');
    assert.deepEqual(read.slice(2), [made.waiting, made.waiting, 'enr_1']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
