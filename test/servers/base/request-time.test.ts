/** The time of a request, over real sockets. */
import assert from 'node:assert/strict';
import { request as ask, type ClientRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openListener } from '#servers/base/listener.ts';
import { liftTime } from '#servers/base/request-time.ts';

const LIMIT_MS = 300;

/** Sends a body in two parts, the second one after `wait_ms`. Returns the status of the answer. */
async function send(port: number, path: string, wait_ms: number): Promise<number | undefined> {
  const request: ClientRequest = ask({ port, path, method: 'POST' });
  request.on('error', () => {});
  const answer = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  request.write('begin');
  await sleep(wait_ms);
  request.end('end');
  const { statusCode } = await answer;
  return statusCode;
}

test('[Y260] a body that takes longer than the time of a request is refused, and one whose reader lifted the time is not', async () => {
  const malformed: string[] = [];
  await using listener = await openListener({
    ...{ host: '127.0.0.1', port: 0, perAddress: 10, graceMs: 100, requestMs: LIMIT_MS, onRefused: () => {} },
    onMalformed: (code) => malformed.push(code),
    async onRequest(request, response) {
      if (request.url === '/long') liftTime(request);
      response.end(String((await buffer(request).catch(() => Buffer.alloc(0))).length));
    },
  });
  const { port } = listener;
  assert.equal(await send(port, '/short', 0), 200);
  assert.equal(await send(port, '/short', 4 * LIMIT_MS), 408);
  assert.deepEqual(malformed, ['ERR_HTTP_REQUEST_TIMEOUT']);
  assert.equal(await send(port, '/long', 4 * LIMIT_MS), 200);
});
