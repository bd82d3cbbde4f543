/** Every operation against every kind of credential, generated from the declaration: names alone decide who comes in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '#contract/base/roles.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { startPeople } from '#test/servers/people.ts';
import { CONTROL } from '#test/servers/rig.ts';
import { ask, DEVICES, DOORKEEPER, isGuarded, ROWS, send, startAll, sweepAccess } from './access-sweep.ts';

/** Operations for programs on the computer of the gateway, which have the control token. */
const FOR_CONTROL: ReadonlySet<string> = new Set(['claim_code', 'local_code']);

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
        // These are for programs on the gateway alone, whatever the role.
        if (!FOR_CONTROL.has(name)) assert.ok(!DOORKEEPER.has(code ?? ''), `${role} ${name}: ${status} ${code}`);
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
  assert.deepEqual(limits, { status: ['down'], status_since: 'any', reason: 'any' });
  for (const name of ['telemetry_devices_link', 'devices_unlink', 'equipment_create'] as const)
    assert.ok(!operations[name].roles.includes('operator'), name);
});

test('[K34] every operation, role, field and state of a credential follows the permission table', async (t) => {
  await using rig = await startAll(startPeople);
  const lines = await sweepAccess(rig);
  for (const { credential, role, state, tried, admitted } of lines)
    t.diagnostic(`${credential} ${role} ${state}: ${admitted} admitted, ${tried - admitted} refused`);
  assert.deepEqual(
    lines.flatMap(({ differences }) => differences),
    [],
  );
  for (const kind of ['key', 'session'])
    for (const state of ['own', 'other project', 'none', 'expired', 'revoked', 'narrowed'])
      assert.ok(
        lines.some((line) => line.credential === kind && line.state === state && line.tried > 100),
        `${kind} ${state}`,
      );
  assert.ok(lines.some(({ credential, state }) => credential === 'fields' && state === 'own'));
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

test('[K24] only claims, sign-in, invitations, links of tablets, enrolment codes of sites, the pairing, display links and QR codes of machines need no key', () => {
  const open = ROWS.filter(([, { scope }]) => scope === 'none').map(([name]) => name);
  const expected: OperationName[] = [
    'account_claim',
    'claim',
    'display_live',
    'display_media',
    'display_pairings_create',
    'display_pairings_poll',
    'display_report',
    'fault_checks_create',
    'fault_photos_create',
    'fault_reports_create',
    'fault_reports_page',
    'invitation_accept',
    'invitation_get',
    'local_sign_in',
    'session_create',
    'sync_enrol',
    'tablet_enrol',
  ];
  assert.deepEqual(open.toSorted(), expected.toSorted());
  for (const [name, { roles }] of ROWS)
    assert.ok(
      (roles.length > 0 || name === 'sync_enrol') &&
        roles.every((role: Role) => role !== 'display' || open.includes(name)),
      name,
    );
});
