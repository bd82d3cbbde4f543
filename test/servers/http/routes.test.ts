import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HttpOnly } from '#contract/base/operation.ts';
import { ROUTES } from '#servers/http/routes.ts';
import { CATALOG } from '#servers/invoke/catalog.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import { startRig } from '#test/servers/rig.ts';

const SPEC = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'spec.md');
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface SpecRow {
  method: string;
  path: string;
  /** Null where the spec shows no name. */
  tool: string | null;
}

/** The rows of the spec's endpoint tables: `| METHOD /path | tool ... |`. */
function specRows(text: string): SpecRow[] {
  return [...text.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) (\/api\/v1\/\S+) \| ([^|]+) \|/gm)].map(
    ([, method = '', path = '', cell = '']) => {
      const tool = /^[a-z]+(_[a-z]+)+/.exec(cell.trim())?.[0] ?? null;
      return { method, path, tool };
    },
  );
}

test('[O2] operations of the spec have exactly its method, path and tool name', (t) => {
  if (!existsSync(SPEC)) return t.skip('the spec is not beside this checkout');
  const rows = specRows(readFileSync(SPEC, 'utf8'));
  assert.ok(rows.length > 70, `the spec's tables were read: ${rows.length} rows`);
  const ours = CATALOG.filter(({ source }) => source === 'spec');
  assert.ok(ours.length > 25);
  for (const { name, method, path, tool } of ours) {
    const row = rows.find((r) => r.method === method && r.path === path);
    assert.ok(row, `${method} ${path} (${name}) is not in the spec's tables`);
    if (row.tool !== null) assert.equal(tool, row.tool, `${method} ${path}`);
  }
  for (const { method, path, source } of CATALOG)
    if (source !== 'spec')
      assert.ok(!rows.some((r) => r.method === method && r.path === path), `${method} ${path} is the spec's own`);
});

test('[O2] every row of the spec is served, and every tool that it names exists', (t) => {
  if (!existsSync(SPEC)) return t.skip('the spec is not beside this checkout');
  const text = readFileSync(SPEC, 'utf8');
  const rows = specRows(text);
  const served = rows.filter(({ method, path }) =>
    CATALOG.some((row) => row.method === method && row.path === path && row.source === 'spec'),
  );
  const tools = new Set(CATALOG.map(({ tool }) => tool));
  // Names in the prose: `devices_new`, `devices_api_key_roll`, ... stand in backticks, or alone in a table's tool column.
  const prose = /Additional tools without a route shown: ([^.]+)\./.exec(text)?.[1] ?? '';
  const named = [...prose.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
  const inTables = rows.flatMap(({ tool }) => (tool === null ? [] : [tool]));
  assert.equal(named.length, 6);
  assert.deepEqual(
    [...named, ...inTables].filter((name) => !tools.has(name)),
    [],
  );
  assert.deepEqual(
    rows.filter((row) => !served.includes(row)).map(({ method, path }) => `${method} ${path}`),
    [],
  );
  t.diagnostic(`${served.length} of ${rows.length} rows served, ${named.length + inTables.length} tool names found`);
});

/** All operations without a tool, by the reason: see docs/decisions.md. */
const HTTP_ONLY_NAMES: Readonly<Record<HttpOnly, readonly string[]>> = {
  provision: ['devices_provision'],
  gateway: ['sync_files_get', 'sync_files_offer', 'sync_files_put'],
  share: ['display_shares', 'fault_links'],
  stream: [
    'devices_media_append',
    'devices_media_create',
    'devices_media_end',
    'devices_media_status',
    'devices_stream',
    'sync_courier_export',
    'sync_courier_import',
    'sync_hints',
    'sync_message',
  ],
  events: ['display_live', 'live', 'live_preview', 'project_live', 'tasks_stream'],
  secret: [
    'account_claim',
    'claim',
    'claim_code',
    'devices_config_file',
    'devices_hmac_claim',
    'devices_key_claim',
    'devices_log_password',
    'display_media',
    'display_pairings_approve',
    'display_pairings_create',
    'display_pairings_poll',
    'display_report',
    'fault_checks_create',
    'fault_photos_create',
    'fault_reports_create',
    'fault_reports_page',
    'invitation_accept',
    'invitation_get',
    'keys_create',
    'keys_roll',
    'local_code',
    'local_sign_in',
    'personal_tokens_create',
    'review_configuration_update',
    'session_create',
    'session_end',
    'sync_enrol',
    'sync_enrolments_create',
    'sync_link_set',
    'tablet_enrol',
    'tablets_create',
    'tablets_link',
    'users_invite',
    'users_passphrase',
    'users_pin',
    'users_pin_reset',
    'webhook_endpoints_create',
    'webhook_endpoints_rotate_secret',
    'writing_passes_create',
  ],
  pairing: ['displays_identify', 'displays_unpair', 'displays_update'],
  tablet: ['tablet_get', 'tablet_sign_in'],
};

test('[M9] every operation has a tool, except those listed here, each for its declared reason', () => {
  for (const [reason, names] of Object.entries(HTTP_ONLY_NAMES)) {
    const found = [...TABLE].filter(([, row]) => row.httpOnly === reason).map(([name]) => name);
    assert.deepEqual(found.toSorted(), names, reason);
  }
  const without = CATALOG.filter((row) => row.http_only);
  assert.equal(without.length, Object.values(HTTP_ONLY_NAMES).flat().length);
  assert.ok(without.every((row) => row.tool === null && row.http_only_because !== null));
  // The reason is what the declaration shows.
  for (const [name, row] of TABLE) {
    assert.equal(row.httpOnly === 'events', row.stream !== undefined, name);
    if (row.httpOnly === 'stream') assert.notEqual(row.bytes, undefined, name);
  }
});

test('[W4] every served path answers 405 with Allow for the methods that it does not serve', async (t) => {
  await using rig = await startRig();
  let forbidden = 0;
  for (const route of ROUTES)
    for (const method of METHODS) {
      if (route.operations.has(method)) continue;
      const response = await rig.request(method, route.path.replaceAll(/:\w+/g, 'x'));
      forbidden++;
      const body = (await response.json()) as { error: { code: string } };
      assert.deepEqual([response.status, body.error.code], [405, 'method_not_allowed'], `${method} ${route.path}`);
      assert.deepEqual(
        response.headers
          .get('allow')
          ?.split(', ')
          .filter((m) => m !== 'HEAD'),
        [...route.operations.keys()].toSorted(),
        route.path,
      );
    }
  t.diagnostic(`${forbidden} routes that do not exist answer 405`);
  for (const path of ['/healthz', '/metrics', '/api/v1/openapi.json', '/api/v1/operations'])
    assert.equal((await rig.request('POST', path)).status, 405, path);
});

test('[W4] unknown paths answer 404 route_not_found', async () => {
  await using rig = await startRig();
  const unserved = existsSync(SPEC)
    ? specRows(readFileSync(SPEC, 'utf8'))
        .filter(({ path }) => !CATALOG.some((row) => row.path === path))
        .map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'))
    : [];
  for (const path of [
    ...unserved.filter(
      (path) => !ROUTES.some((route) => new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)),
    ),
    '/api/v1/locations/x/events',
    '/api/v1/custom-actions/x/events',
    '/api/v1/learnings/x/events',
    '/api/v1/preferences/x/events',
    '/api/v1/devices/x/events/y',
    '/api/v1/Devices',
    '/api/v1/devices/',
    '/api/v2/devices',
    '/api/v1',
    '/api',
    '/nothing',
  ])
    for (const method of METHODS) {
      const response = await rig.request(method, path);
      const body = (await response.json()) as { error: { code: string } };
      assert.deepEqual([response.status, body.error.code], [404, 'route_not_found'], `${method} ${path}`);
    }
});

test('[W4] literal path segments are never matched as ids', async () => {
  await using rig = await startRig();
  const response = await rig.request('GET', '/api/v1/devices/provision');
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  await response.body?.cancel();
});
