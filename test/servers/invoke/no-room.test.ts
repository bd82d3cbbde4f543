import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import { NotTaken } from '#contract/fleet/ingest.ts';
import { startRig } from '#test/servers/rig.ts';

test('[H11] a full, read-only or damaged disk is 507 or 503 with Retry-After', async () => {
  let thrown: unknown;
  await using rig = await startRig({
    handlers: {
      dashboards_list() {
        throw thrown;
      },
    },
  });
  const store = (code: StoreErrorCode) => new StoreError(code, '/data');
  for (const [error, status, code] of [
    [new NotTaken('no room'), 507, 'storage_full'],
    [Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }), 507, 'storage_full'],
    [store('disk_full'), 507, 'storage_full'],
    [store('read_only'), 503, 'storage_unavailable'],
    [store('overloaded'), 503, 'storage_unavailable'],
    [store('corrupt'), 503, 'storage_unavailable'],
    [store('closed'), 500, 'internal_error'],
  ] as const) {
    thrown = error;
    const answer = await rig.request('GET', '/api/v1/dashboards');
    const body = (await answer.json()) as { error: { code: string; retryable: boolean } };
    assert.deepEqual([answer.status, body.error.code], [status, code]);
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(status === 500 || (wait >= 10 && body.error.retryable), `${code} ${wait}`);
  }
});
