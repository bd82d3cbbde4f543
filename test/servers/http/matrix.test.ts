/** Every operation against every kind of credential, generated from the declaration: names alone decide who comes in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { permits } from '#contract/permissions.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { type Browser, enrol, startPeople, type UserRole } from '#test/servers/people.ts';
import { CONTROL, type Rig, startRig } from '#test/servers/rig.ts';

const ROWS = Object.entries(operations) as unknown as [OperationName, Operation][];
const DEVICES = { own: 'dev_own', sibling: 'dev_sibling', foreign: 'dev_foreign', none: 'dev_none' } as const;

/** Headers without which an upload is refused whoever asks; they mean nothing to the others. */
const UPLOAD = {
  'tus-resumable': '1.0.0',
  'upload-length': '1',
  'upload-offset': '0',
};

async function startAll(start = startRig): Promise<Rig> {
  const rig = await start({ http: { requestsPerMinute: 100_000 } });
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

/** Asks an operation with a key, or with the headers of a browser. */
async function ask(
  rig: Rig,
  row: Operation,
  key: string | Record<string, string> | null,
  id: string,
  project = rig.project,
) {
  const path = row.path
    .replaceAll('{id}', id)
    .replaceAll('{project_id}', project)
    .replaceAll('{share}', 's'.repeat(43))
    .replaceAll(/\{\w+\}/g, 'some_1');
  const response = await fetch(`${rig.base}${path}`, {
    method: row.method,
    headers: {
      ...(typeof key === 'string' ? { authorization: `Bearer ${key}` } : key),
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

/** Asks an operation with a body; the value of a field without limits does not matter, because the input is checked later. */
async function send(rig: Rig, row: Operation, key: string, body: object) {
  const response = await fetch(`${rig.base}${row.path.replace('{id}', 'some_1')}`, {
    method: row.method,
    headers: { authorization: `Bearer ${key}`, 'project-id': rig.project, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
  return { status: response.status, code: error?.code ?? null, param: error?.param ?? null };
}

test('[K25] a role may send exactly the fields and values that its limits name', async () => {
  await using rig = await startAll();
  const limited = ROWS.filter(([, { fields }]) => fields !== undefined);
  let refused = 0;
  let admitted = 0;
  for (const role of KEY_ROLES) {
    const { secret } = await rig.mint({ role });
    for (const [name, row] of limited) {
      const limits = row.fields?.[role];
      for (const field of Object.keys(row.input.shape).filter((one) => !row.path.includes(`{${one}}`))) {
        const limit = limits === undefined ? 'any' : (limits[field] ?? []);
        const tried = limit === 'any' ? ['x'] : [...limit, 'another value', null, ['x']];
        for (const value of tried) {
          const { status, code, param } = await send(rig, row, secret, { [field]: value });
          const allowed = row.roles.includes(role) && (limit === 'any' || limit.some((one) => one === value));
          const label = `${role} ${name} ${field}=${JSON.stringify(value)}: ${status} ${code}`;
          if (allowed) assert.notEqual(code, 'permission_denied', label);
          else assert.deepEqual([status, code], [403, 'permission_denied'], label);
          if (!allowed && row.roles.includes(role)) assert.equal(param, field, label);
          if (allowed) admitted++;
          else refused++;
        }
      }
      rig.pass(60_000);
    }
  }
  assert.ok(refused > 80 && admitted > 100, `${refused} refused, ${admitted} admitted`);
  for (const [name, { roles, fields, input }] of limited)
    for (const [role, limits] of Object.entries(fields ?? {})) {
      assert.ok(roles.includes(role as Role), `${name}: ${role} may call it`);
      for (const field of Object.keys(limits)) assert.ok(Object.hasOwn(input.shape, field), `${name} ${field}`);
    }
});

test('[K25] an operator does not rename, link, move or decommission a machine', () => {
  const limits = operations.equipment_update.fields?.operator ?? {};
  assert.deepEqual(limits, { status: ['down'], reason: 'any' });
  for (const name of ['telemetry_devices_link', 'devices_unlink', 'equipment_create'] as const)
    assert.ok(!operations[name].roles.includes('operator'), name);
});

const PEOPLE = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer'] as const satisfies UserRole[];
const headersOf = (rig: Rig, { cookie }: Browser) => ({ cookie, origin: rig.base, 'headframe-page': '1' });

/** The credentials of one role, by kind: a person in several states, and a key with scopes. */
async function credentialsOf(rig: Rig, role: UserRole) {
  const owner = rig.client();
  const own = await enrol(rig, `${role} own`, role);
  const restricted = role === 'owner' ? null : await enrol(rig, `${role} other`, role, [rig.other]);
  const disabled = await enrol(rig, `${role} disabled`, role);
  await owner.call('users_update', { id: disabled.id, disabled: true });
  const ended = await enrol(rig, `${role} ended`, role);
  await owner.call('users_update', { id: ended.id, ends_at: '2026-01-01T00:00:00.000Z' });
  const revoked = await enrol(rig, `${role} revoked`, role);
  for (const { id } of (await owner.call('sessions_list', { user_id: revoked.id })).data)
    await owner.call('sessions_revoke', { id });
  const { secret } = await rig.mint({ role, scopes: ['*:read'] });
  return {
    own: headersOf(rig, own.browser),
    ...(restricted && { 'other project': headersOf(rig, restricted.browser) }),
    disabled: headersOf(rig, disabled.browser),
    ended: headersOf(rig, ended.browser),
    revoked: headersOf(rig, revoked.browser),
    'no page header': { cookie: own.browser.cookie, origin: rig.base },
    narrowed: secret,
  };
}

/** What the permission table says: the status and code of a refusal, or null for a call that the handler answers. */
function expected(kind: string, role: UserRole, name: OperationName, row: Operation): [number, string] | null {
  // A tablet has its own cookie: on its operations the cookie of a session does not count.
  if (kind === 'no page header' || (row.roles.includes('tablet') && kind !== 'narrowed'))
    return [401, 'authentication_required'];
  if (['disabled', 'ended', 'revoked'].includes(kind)) return [401, 'credential_invalid'];
  if (!permits({ role, scopes: kind === 'narrowed' ? ['*:read'] : null }, name)) return [403, 'permission_denied'];
  if (kind === 'other project' && row.scope === 'project') return [404, 'project_not_found'];
  return null;
}

test('[K34] every operation, role and state of a credential follows the permission table', async (t) => {
  await using rig = await startAll(startPeople);
  const counts = new Map<string, { admitted: number; refused: number }>();
  const differences: string[] = [];
  // These two are for the command on the gateway alone, or end the session with which this test asks.
  const rows = ROWS.filter(isGuarded).filter(([name]) => name !== 'claim_code' && name !== 'session_end');
  for (const role of PEOPLE)
    for (const [kind, credential] of Object.entries(await credentialsOf(rig, role))) {
      const count = counts.get(kind) ?? { admitted: 0, refused: 0 };
      counts.set(kind, count);
      for (const [i, [name, row]] of rows.entries()) {
        if (i % 15 === 0) rig.pass(60_000);
        const { status, code } = await ask(rig, row, credential, DEVICES.own);
        const wanted = expected(kind, role, name, row);
        const fits = wanted === null ? !DOORKEEPER.has(code ?? '') : status === wanted[0] && code === wanted[1];
        if (!fits)
          differences.push(`${role} ${kind} ${name}: ${status} ${code}, expected ${wanted?.join(' ') ?? 'an answer'}`);
        if (wanted === null) count.admitted++;
        else count.refused++;
      }
    }
  for (const [kind, { admitted, refused }] of counts) t.diagnostic(`${kind}: ${admitted} admitted, ${refused} refused`);
  assert.deepEqual(differences, []);
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

test('[K24] only claims, sign-in, invitations, links of tablets, the pairing, display links and QR codes of machines need no key', () => {
  const open = ROWS.filter(([, { scope }]) => scope === 'none').map(([name]) => name);
  const expected: OperationName[] = [
    'account_claim',
    'claim',
    'display_live',
    'display_media',
    'display_pairings_create',
    'display_pairings_poll',
    'fault_reports_create',
    'fault_reports_page',
    'invitation_accept',
    'invitation_get',
    'session_create',
    'tablet_enrol',
  ];
  assert.deepEqual(open.toSorted(), expected.toSorted());
  for (const [name, { roles }] of ROWS)
    assert.ok(roles.length > 0 && roles.every((role: Role) => role !== 'display' || open.includes(name)), name);
});
