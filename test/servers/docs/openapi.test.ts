import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';
import { escapeMarkup } from '#servers/base/markup.ts';
import { openApiDocument } from '#servers/docs/openapi.ts';
import { operationsDoc } from '#servers/docs/operations-doc.ts';
import { ownershipDoc } from '#servers/docs/ownership-doc.ts';
import { permissionsDoc } from '#servers/docs/permissions-doc.ts';
import { signalsDoc } from '#servers/docs/signals-doc.ts';
import { CATALOG } from '#servers/invoke/catalog.ts';
import { CONTRACT_HASH } from '#servers/invoke/contract-hash.ts';
import { hashContract } from '#servers/invoke/hash-contract.ts';
import { startRig } from '#test/servers/rig.ts';

interface OpenApi {
  info: { 'x-contract-hash': string };
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; responses: Record<string, unknown>; parameters: { in?: string; name?: string }[] }
    >
  >;
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
}
const document = openApiDocument() as unknown as OpenApi;
const docs = join(import.meta.dirname, '..', '..', '..', 'docs');

test('[O1] documents, catalog and header have the same hash', async () => {
  await using rig = await startRig();
  const openapi = await fetch(`${rig.base}/api/v1/openapi.json`);
  const catalog = await fetch(`${rig.base}/api/v1/operations`);
  assert.deepEqual(
    [
      ((await openapi.json()) as OpenApi).info['x-contract-hash'],
      ((await catalog.json()) as { contract_hash: string }).contract_hash,
      openapi.headers.get('x-contract-hash'),
      catalog.headers.get('x-contract-hash'),
    ],
    Array.from({ length: 4 }, () => hashContract()),
  );
});

test('[O1] the contract hash and docs/ are up to date with the declaration; run `npm run docs` if this fails', () => {
  assert.equal(CONTRACT_HASH, hashContract());
  assert.equal(readFileSync(join(docs, 'operations.md'), 'utf8'), operationsDoc());
  assert.equal(readFileSync(join(docs, 'permissions.md'), 'utf8'), permissionsDoc());
  assert.equal(readFileSync(join(docs, 'signals.md'), 'utf8'), signalsDoc());
  assert.equal(readFileSync(join(docs, 'ownership.md'), 'utf8'), ownershipDoc());
  assert.deepEqual(JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8')), JSON.parse(JSON.stringify(document)));
});

test('the document has every operation once, with its path parameters, and no broken references', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  assert.deepEqual(ids.toSorted(), CATALOG.map(({ name }) => name).toSorted());
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const given = operation.parameters.filter((p) => p.in === 'path').map(({ name }) => name);
      assert.deepEqual(given, named, path);
    }
  for (const [, kind = '', id = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)) {
    const held = (document.components as Record<string, Record<string, unknown>>)[kind];
    assert.ok(held !== undefined && Object.hasOwn(held, id), `${kind}/${id}`);
  }
  assert.ok(!JSON.stringify(document).includes('#/$defs/'));
});

test('[O3] wrong calls of every operation get a declared status', async () => {
  await using rig = await startRig();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = operation.operationId;
      if (name === 'claim' || name.startsWith('display_pairings')) continue;
      const address = path.replaceAll(/\{\w+\}/g, 'x'.repeat(30));
      const body = method === 'get' || method === 'delete' ? {} : { body: '{"nonsense":[1]}' };
      const headers = { 'content-type': 'application/json' };
      const calls = [
        await rig.request(method.toUpperCase(), address, body.body ? { ...body, headers } : {}),
        await fetch(`${rig.base}${address}`, { method: method.toUpperCase() }),
        await rig.request(method.toUpperCase(), `${address}?nonsense=1`, { headers: { 'project-id': 'prj_none' } }),
      ];
      for (const response of calls) {
        assert.ok(Object.hasOwn(operation.responses, response.status), `${name} answers ${response.status}`);
        assert.ok(response.status < 500 || response.status === 503, `${name} answers ${response.status}`);
        assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
        await response.body?.cancel();
      }
    }
});

test('[O3] the document requires a header if and only if the gateway refuses calls without it', async () => {
  const components = openApiDocument().components as {
    parameters: Record<string, { name: string; required: boolean }>;
    schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>;
  };
  for (const [, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods)) {
      const row = CATALOG.find(({ name }) => name === operation.operationId);
      assert.ok(row);
      const headers = new Map(
        (operation.parameters as { $ref?: string }[]).flatMap(({ $ref }) => {
          const found = components.parameters[$ref?.split('/').at(-1) ?? ''];
          return found === undefined ? [] : [[found.name, found.required]];
        }),
      );
      const { name, scope, roles, errors } = row;
      assert.equal(headers.get('Project-ID'), scope === 'project' ? !roles.includes('device') : undefined, name);
      if (errors.includes('idempotency_key_required')) assert.equal(headers.get('Idempotency-Key'), true, name);
      else assert.notEqual(headers.get('Idempotency-Key'), true, name);
      if (errors.includes('precondition_required')) assert.equal(headers.get('If-Match'), true, name);
      else assert.notEqual(headers.get('If-Match'), true, name);
    }
  const codes = components.schemas.RunError?.properties.code?.enum;
  assert.deepEqual(codes, Object.keys(RUN_ERRORS));
  await using rig = await startRig();
  const page = await (await fetch(`${rig.base}/docs/errors`)).text();
  assert.match(page, /first read its <code>skills<\/code>/);
  for (const [code, remedy] of Object.entries(RUN_ERRORS)) {
    assert.ok(page.includes(`<code id="run-${code}">`), code);
    assert.ok(page.includes(escapeMarkup(remedy)), remedy);
  }
});
