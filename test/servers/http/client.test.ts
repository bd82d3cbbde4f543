import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { OperationError } from '#contract/base/errors.ts';
import { createPager } from '#contract/base/page.ts';
import { type Client, ClientError, createClient } from '#contract/client.ts';
import { createRate } from '#servers/base/rate.ts';
import { startRig } from '#test/servers/rig.ts';

async function failure(promise: Promise<unknown>): Promise<ClientError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ClientError);
  return error;
}

test('the client builds path, query and body from the declaration, and sends key, project and revision', async () => {
  const seen: { url: string; init: RequestInit | undefined }[] = [];
  const client = createClient({
    base_url: 'http://gw:8480/',
    key: 'wk_x',
    project_id: 'prj_1',
    fetch: async (url, init) => {
      seen.push({ url: String(url), init });
      return new Response('{}');
    },
  });
  await client.call('dashboards_list', { limit: 3, order: 'asc' });
  await client.call(
    'dashboards_update',
    { id: 'a/b', name: 'N' },
    { if_match: 4, idempotency_key: 'k', project_id: 'prj_2' },
  );
  await client.call('dashboards_delete', { id: 'x' });
  await client.call('projects_create', { name: 'P' });
  assert.deepEqual(
    seen.map(({ url, init }) => [init?.method, url, init?.body]),
    [
      ['GET', 'http://gw:8480/api/v1/dashboards?limit=3&order=asc', undefined],
      ['PATCH', 'http://gw:8480/api/v1/dashboards/a%2Fb', '{"name":"N"}'],
      ['DELETE', 'http://gw:8480/api/v1/dashboards/x', undefined],
      ['POST', 'http://gw:8480/api/v1/projects', '{"name":"P"}'],
    ],
  );
  const headers = seen[1]?.init?.headers as Record<string, string>;
  assert.deepEqual(
    [headers.authorization, headers['project-id'], headers['if-match'], headers['idempotency-key']],
    ['Bearer wk_x', 'prj_2', '"4"', 'k'],
  );
});

test('the client distinguishes an error of the gateway, no answer, and an answer of another server', async () => {
  await using rig = await startRig();
  const refused = await failure(rig.client().call('dashboards_get', { id: 'dash_none' }));
  assert.deepEqual([refused.status, refused.code, refused.error?.type], [404, 'not_found', 'not_found_error']);
  const server = createServer((_request, response) => response.end('<html>router login</html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stranger = await failure(createClient({ base_url }).call('health_get', {}));
  assert.deepEqual([stranger.status, stranger.code], [200, 'unexpected_answer']);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const silent = await failure(createClient({ base_url }).call('health_get', {}));
  assert.deepEqual([silent.status, silent.code], [null, 'unreachable']);
});

test('[P1] a cursor returns its position, and a changed cursor is refused', () => {
  const sign = (text: string) => createHmac('sha256', 'key').update(text).digest('base64url');
  const pager = createPager(sign, () => 'list', 1_000);
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(253_402_300_799_999) }),
      fc.stringMatching(/^[a-z]{2,4}_[0-9a-z]{26}$/),
      fc.nat(),
      fc.stringMatching(/^[A-Za-z0-9_.-]$/),
      (at, id, place, letter) => {
        const position = { created_at: at.toISOString(), id };
        const cursor = pager.next(position);
        assert.deepEqual(pager.after(cursor), position);
        assert.throws(() => createPager(sign, () => 'other', 1_000).after(cursor), OperationError);
        const i = place % cursor.length;
        const changed = `${cursor.slice(0, i)}${letter}${cursor.slice(i + 1)}`;
        if (changed !== cursor) assert.throws(() => pager.after(changed), OperationError);
      },
    ),
  );
});

test('[W7] over any minute a bucket gives at most twice its rate, and the number of buckets is bounded', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 }), (pauses) => {
      let now = 0;
      const rate = createRate(10, () => now, 4);
      const given: number[] = [];
      for (const pause of pauses) {
        now += pause;
        if (rate.take('a').allowed) given.push(now);
      }
      for (const at of given) assert.ok(given.filter((t) => t >= at && t < at + 60_000).length <= 20);
    }),
  );
  const rate = createRate(1, () => 0, 2);
  assert.deepEqual(
    ['a', 'a', 'b', 'c', 'a'].map((key) => rate.take(key).allowed),
    [true, false, true, true, true],
  );
});

test('the client refuses to call an operation that answers with a stream or with bytes', () => {
  type Call = Parameters<Client['call']>[0];
  const callable: Call[] = ['projects_list', 'devices_media_status'];
  // @ts-expect-error the answer is a stream of events
  const stream: Call = 'tasks_stream';
  // @ts-expect-error the answer is the content of a file
  const content: Call = 'artifacts_content';
  // @ts-expect-error the request carries bytes
  const upload: Call = 'devices_media_append';
  assert.equal(new Set([...callable, stream, content, upload]).size, 5);
});
