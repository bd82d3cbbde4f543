/** Every operation against every kind of credential, generated from the declaration: names alone decide who comes in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { CONTROL, type Rig, startRig } from '#test/servers/rig.ts';

const ROWS = Object.entries(operations) as unknown as [OperationName, Operation][];
const DEVICES = { own: 'dev_own', sibling: 'dev_sibling', foreign: 'dev_foreign', none: 'dev_none' } as const;

/** Headers without which an upload is refused whoever asks; they mean nothing to the others. */
const UPLOAD = {
  'tus-resumable': '1.0.0',
  'upload-length': '1',
  'upload-offset': '0',
};

async function startAll(): Promise<Rig> {
  const rig = await startRig({ http: { requestsPerMinute: 100_000 } });
  for (const [id, project] of [
    [DEVICES.own, rig.project],
    [DEVICES.sibling, rig.project],
    [DEVICES.foreign, rig.other],
  ] as const) {
    const data = { device_id: `hw-${id}` };
    await rig.store.view(project).commit([{ collection: 'records', id, object: 'device', data }]);
  }
  return rig;
}

async function ask(rig: Rig, row: Operation, key: string | null, id: string, project = rig.project) {
  const path = row.path
    .replaceAll('{id}', id)
    .replaceAll('{project_id}', project)
    .replaceAll('{share}', 's'.repeat(43))
    .replaceAll(/\{\w+\}/g, 'some_1');
  const response = await fetch(`${rig.base}${path}`, {
    method: row.method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(row.scope === 'project' ? { 'project-id': project } : {}),
      ...(row.bytes?.startsWith('upload_') === true ? UPLOAD : {}),
    },
  });
  const text = await response.text();
  const error = text.startsWith('{"error"') ? (JSON.parse(text).error as { code: string; message: string }) : undefined;
  return { status: response.status, code: error?.code ?? null, message: error?.message ?? null };
}

/** Answers of somebody who was let in: whatever the handler says, but none of the doorkeeper's words. */
const DOORKEEPER = new Set([
  'authentication_required',
  'credential_invalid',
  'claim_required',
  'permission_denied',
  'project_not_found',
  'project_required',
]);
const isGuarded = ([, row]: (typeof ROWS)[number]) => row.scope !== 'none';

test('[K20] without a valid key every operation that needs one is 401, whatever is sent', async () => {
  await using rig = await startAll();
  const expired = await rig.mint({ expires_at: '2020-01-01T00:00:00.000Z' });
  const revoked = await rig.mint({ revoked_at: '2020-01-01T00:00:00.000Z' });
  const unknown = [`wk_abcdefgh_${'x'.repeat(43)}`, `dk_abcdefgh_${'x'.repeat(43)}`, `pat_abcdefgh_${'x'.repeat(43)}`];
  const display = `dsp_${'x'.repeat(43)}`;
  let asked = 0;
  for (const [name, row] of ROWS.filter(isGuarded))
    for (const key of [null, expired.secret, revoked.secret, display, unknown[asked % 3] ?? '']) {
      const { status, code } = await ask(rig, row, key, DEVICES.own);
      const expected = key === null ? 'authentication_required' : 'credential_invalid';
      assert.deepEqual([status, code], [401, expected], `${name} ${key?.slice(0, 4)}`);
      asked++;
      // Calls without a good key have a budget per address.
      if (asked % 400 === 0) rig.pass(60_000);
    }
  assert.ok(asked > 400, `${asked} were asked`);
});

test('[K21] a role may call exactly the operations that name it', async () => {
  await using rig = await startAll();
  let refused = 0;
  let admitted = 0;
  for (const role of KEY_ROLES) {
    const { secret } = await rig.mint({ role });
    for (const [name, row] of ROWS.filter(isGuarded)) {
      const { status, code } = await ask(rig, row, secret, DEVICES.own);
      if (row.roles.includes(role)) {
        // This one is for the command on the gateway alone, whatever the role.
        if (name !== 'claim_code') assert.ok(!DOORKEEPER.has(code ?? ''), `${role} ${name}: ${status} ${code}`);
        admitted++;
      } else {
        assert.deepEqual([status, code], [403, 'permission_denied'], `${role} ${name}`);
        refused++;
      }
      if ((refused + admitted) % 15 === 0) rig.pass(60_000);
    }
  }
  assert.ok(refused > 100 && admitted > 300, `${refused} refused, ${admitted} admitted`);
  for (const [name, row] of ROWS.filter(isGuarded)) {
    const { code } = await ask(rig, row, CONTROL, DEVICES.own);
    assert.equal(
      DOORKEEPER.has(code ?? ''),
      !row.roles.includes('owner'),
      `the command of the gateway: ${name} ${code}`,
    );
  }
});

test('[K22] a project without access gets the same answer as an unknown project', async () => {
  await using rig = await startAll();
  const { secret } = await rig.mint({ role: 'owner', project_ids: [rig.other] });
  for (const [name, row] of ROWS.filter(([, { scope, roles }]) => scope === 'project' && roles.includes('owner'))) {
    const there = await ask(rig, row, secret, DEVICES.own, rig.project);
    const absent = await ask(rig, row, secret, DEVICES.own, 'prj_none');
    assert.deepEqual([there.status, there.code], [404, 'project_not_found'], name);
    assert.deepEqual(there, absent, `${name}: nothing tells the two apart`);
  }
});

test('[K23] a device key may call operations for devices, for its own device; others are 403, another device is 404', async () => {
  await using rig = await startAll();
  const mint = (device: string, project: string) =>
    rig.mint({ kind: 'device', device, device_id: `hw-${device}`, project_ids: [project] });
  const { secret } = await mint(DEVICES.own, rig.project);
  const own: string[] = [];
  for (const [name, row] of ROWS.filter(isGuarded)) {
    if (!row.roles.includes('device')) {
      for (const id of Object.values(DEVICES)) {
        const { status, code } = await ask(rig, row, secret, id);
        assert.deepEqual([status, code], [403, 'permission_denied'], `${name} ${id}`);
      }
      continue;
    }
    own.push(name);
    const mine = await ask(rig, row, secret, DEVICES.own);
    assert.ok(!DOORKEEPER.has(mine.code ?? ''), `${name}: ${mine.status} ${mine.code}`);
    const elsewhere = await ask(rig, row, secret, DEVICES.own, rig.other);
    assert.deepEqual([elsewhere.status, elsewhere.code], [404, 'project_not_found'], name);
    if (!row.path.includes('{id}')) continue;
    const others = await Promise.all(
      [DEVICES.sibling, DEVICES.foreign, DEVICES.none].map((id) => ask(rig, row, secret, id)),
    );
    for (const other of others) assert.deepEqual([other.status, other.code], [404, 'not_found'], name);
    assert.equal(new Set(others.map(({ message }) => message)).size, 1, `${name}: nothing tells them apart`);
  }
  // A device key works below these paths of its own device, and on the stream.
  for (const name of own) {
    const { path } = operations[name as OperationName];
    const rest = path.replace('/api/v1/devices/{id}/', '').split('/')[0] ?? '';
    const allowed = ['config', 'telemetry', 'events', 'media', 'worker-runs'].includes(rest);
    assert.ok(allowed || path === '/api/v1/devices/stream', `${name} ${path}`);
  }
  assert.ok(own.length >= 10, own.join());
  const stranger = await mint(DEVICES.foreign, rig.other);
  assert.equal((await ask(rig, operations.devices_config_get, stranger.secret, DEVICES.own)).status, 404);
});

test('[K24] only the claim, the pairing and display links need no key', () => {
  const open = ROWS.filter(([, { scope }]) => scope === 'none').map(([name]) => name);
  const expected: OperationName[] = [
    'claim',
    'display_live',
    'display_media',
    'display_pairings_create',
    'display_pairings_poll',
  ];
  assert.deepEqual(open.toSorted(), expected.toSorted());
  for (const [name, { roles }] of ROWS)
    assert.ok(roles.length > 0 && roles.every((role: Role) => role !== 'display' || open.includes(name)), name);
});
