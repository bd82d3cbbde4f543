/** A bundle that takes longer than any other request, as a large one does: two real processes. */
import assert from 'node:assert/strict';
import { request as ask } from 'node:http';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '#contract/base/limits.ts';
import { Random } from '#test/sim/random.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { endsWithoutNetwork, writeBundle } from '#test/sync/courier-kit.ts';

test('[Y260] a file that is read for longer than a request may take is taken as a whole', async () => {
  const random = new Random(TEST_SEED);
  await using ends = await endsWithoutNetwork();
  const { cloud, site, here, there } = ends;
  const { id: equipment_id } = await here.call('equipment_create', { unit_number: 'HT-1' });
  for (let i = 0; i < 60; i++) {
    const description = Array.from({ length: 300 }, () => random.int(1_000_000_000).toString(36)).join(' ');
    await here.call('repair_tickets_create', { equipment_id, title: `Ticket ${i}`, description });
  }
  const file = await writeBundle(site);
  const client = cloud.client();
  const { pathname, port } = new URL(client.url('sync_courier_import', {}));
  const headers = { ...client.headers(), 'content-type': 'application/octet-stream' };
  const request = ask({ port, path: pathname, method: 'POST', headers });
  const answered = new Promise<{ statusCode?: number | undefined; body: unknown }>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', async (response) =>
      resolve({ statusCode: response.statusCode, body: await json(response).catch(() => null) }),
    );
  });
  const seconds = LIMITS.request_time.value + 3;
  const step = Math.ceil(file.length / seconds);
  for (let at = 0; at < file.length; at += step) {
    request.write(file.subarray(at, at + step));
    await Promise.race([sleep(1_000), answered]);
  }
  request.end();
  const { statusCode, body } = await answered;
  assert.equal(statusCode, 201, JSON.stringify(body));
  assert.equal((await there.call('repair_tickets_list', { limit: 200 })).data.length, 60);
});
