/** Bodies that come too slowly, with time in the hand of the test. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { BucketError } from '#servers/bucket/errors.ts';
import { openIntake } from '#servers/bucket/intake.ts';

const claim = {
  access_key_id: 'a',
  date: '20261121',
  region: 'r',
  service: 's3',
  signedHeaders: [],
  signature: '0'.repeat(64),
  time: '20261121T000000Z',
  at_ms: 0,
  expires_s: null,
  payload: 'UNSIGNED-PAYLOAD',
};

test('[W218] a body that pauses for 30 s is RequestTimeout, and one with a shorter pause is accepted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const body = new PassThrough();
  const headers = new Map([['content-length', '3']]);
  const request = body as unknown as IncomingMessage;
  const intake = openIntake({ request, headers, claim, key: Buffer.alloc(32), limit: 10 });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const chunk of intake.content) seen.push(String(chunk));
  })();
  for (const letter of ['a', 'b']) {
    t.mock.timers.tick(29_000);
    body.write(letter);
    for (let turn = 0; !seen.includes(letter); turn++) {
      assert.ok(turn < 100_000, `"${letter}" is never read`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  t.mock.timers.tick(30_000);
  await assert.rejects(reading, (error) => error instanceof BucketError && error.code === 'RequestTimeout');
});
