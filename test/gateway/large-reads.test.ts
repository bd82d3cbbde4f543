/** Reads of history that ask for far too much, over REST, MCP and the command line of a running gateway. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { addMachine, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const SPEED = 'engine.speed';
const CENTURY = { from: '1970-01-01T00:00:00Z', to: '2070-01-01T00:00:00Z' };
/** An answer without steps has at most this many bytes, whatever the request asked for. */
const MOST_BYTES = 16_384;

/** What a caller asks for, and whether the answer has everything. */
const CASES = [
  [{ ...CENTURY, points: 0 }, false],
  [{ signals: Array.from({ length: 1_000 }, () => SPEED), points: 0 }, true],
  [{ ...CENTURY, resolution: '0.001' }, false],
  [{ ...CENTURY, resolution: 'raw' }, false],
  [{ ...CENTURY, resolution: '1' }, false],
] as const;

interface Answer {
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
  readonly next_cursor?: string | null;
  readonly series?: readonly object[];
}

test('[A802] a read of 100 years, of 1,000 signals or in steps of 1 ms gets a short first part and a cursor over REST and MCP', async () => {
  await using gateway = await startGateway();
  const project_id = (await gateway.client.call('projects_create', { name: 'Quarry' })).project.id;
  const { equipment_id: id } = await addMachine(gateway.project(project_id), 'T-1');
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'x-project-id': project_id };
  const client = new Client({ name: 'test', version: '0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.node.http}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  for (const [given, isAll] of CASES) {
    const input = { signals: [SPEED], ...given };
    const query = new URLSearchParams(
      Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value)])),
    );
    const answer = await fetch(`${gateway.node.http}/api/v1/equipment/${id}/telemetry?${query}`, {
      headers: { ...gateway.project(project_id).headers() },
    });
    const rest = await answer.text();
    const args = { name: 'equipment_telemetry', arguments: { id, project_id, ...input } };
    const { content, structuredContent: whole } = (await client.callTool(args)) as {
      content: { text: string }[];
      structuredContent?: object;
    };
    const told = whole === undefined ? (content[0]?.text ?? '') : JSON.stringify(whole);
    assert.equal(answer.status, 200, rest.slice(0, 500));
    for (const body of [rest, told]) {
      assert.ok(body.length < MOST_BYTES, `${body.length} bytes: ${body.slice(0, 500)}`);
      const { next_cursor, series } = JSON.parse(body) as Answer;
      assert.equal(next_cursor === null, isAll, body);
      assert.equal(series?.length, 1);
    }
  }
  await client.close();
});

test('[A802] a resolution that is no number of seconds gets a short error on the command line', async () => {
  await using gateway = await startGateway();
  const project_id = (await gateway.client.call('projects_create', { name: 'Quarry' })).project.id;
  await addMachine(gateway.project(project_id), 'T-1');
  const flags = ['--data', gateway.folder, '--resolution', '1ms'];
  const child = spawn(process.execPath, [CLI, 'history', 'T-1', SPEED, ...flags]);
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(out, '');
  assert.match(error, /whole seconds/);
  assert.ok(error.length < MOST_BYTES, error);
  assert.equal(code, 1);
});
