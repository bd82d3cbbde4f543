import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventData } from '#contract/base/event.ts';
import { backoff, judgeAnswer, probeAfter, waitUntil, wants } from '#watchers/webhook-rules.ts';

const event = (type: string, data: Record<string, unknown> = {}, created_at = '2026-11-20T06:00:00.000Z') => ({
  created_at,
  data: { type, data } as EventData,
});
const asks = (...kinds: string[]) => ({ kinds, since: '2026-11-20T00:00:00.000Z' });

test('an endpoint gets the event kinds that it asked for, from the time it was enabled', () => {
  assert.equal(wants(asks('meter.*'), event('meter.reset')), true);
  assert.equal(wants(asks('meter.*'), event('meters')), false);
  assert.equal(wants(asks('note', 'fault'), event('fault')), true);
  assert.equal(wants(asks('*'), event('note', {}, '2026-11-19T23:59:59.999Z')), false);
});

test('an alert is sent only when its rule executed the webhook action', () => {
  const raised = (status: string) => event('alert.raised', { actions: [{ action: 'webhook', status }] });
  assert.equal(wants(asks('*'), raised('executed')), true);
  assert.equal(wants(asks('*'), raised('suppressed')), false);
  assert.equal(wants(asks('alert.*'), event('alert.raised')), false);
});

test('[A187] an endpoint that asks for raised alerts gets the rules that join an alert too', () => {
  const joined = event('alert.joined', { actions: [{ action: 'webhook', status: 'executed' }] });
  assert.equal(wants(asks('alert.raised'), joined), true);
  assert.equal(wants(asks('alert.joined'), joined), true);
  assert.equal(wants(asks('alert.cleared'), joined), false);
});

test('an unreachable server is not a try; a failed request is, at most eight; status 410 is final', () => {
  const answered = (status: number, retry_after_ms: number | null = null) =>
    ({ kind: 'answered', status, retry_after_ms }) as const;
  assert.deepEqual(judgeAnswer({ kind: 'unreachable', error: 'ENETUNREACH' }, 3, ''), {
    next: 'pending',
    failed: true,
    tries: 3,
    error: 'ENETUNREACH',
    retry_after_ms: 0,
  });
  assert.equal(judgeAnswer(answered(204), 0, '').next, 'delivered');
  assert.deepEqual(
    [judgeAnswer(answered(500), 6, '').next, judgeAnswer(answered(500), 7, '').next],
    ['pending', 'dead'],
  );
  assert.equal(judgeAnswer(answered(410), 0, '').next, 'dead');
  assert.equal(judgeAnswer(answered(503, 9_000), 0, '').retry_after_ms, 9_000);
  assert.equal(judgeAnswer(answered(500, 9_000), 0, '').retry_after_ms, 0);
  assert.deepEqual(judgeAnswer(undefined, 2, 'waited for 7 days').error, 'waited for 7 days');
});

test('pauses grow up to a limit, and a time too far in the future is due now', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(backoff);
  assert.deepEqual(
    waits,
    [...waits].sort((a, b) => a - b),
  );
  assert.equal(waits.at(-1), 21_600_000);
  assert.deepEqual([probeAfter(1), probeAfter(2), probeAfter(50)], [5_000, 10_000, 300_000]);
  assert.deepEqual([waitUntil(2_000, 1_000), waitUntil(30_000_000, 1_000)], [2_000, 1_000]);
  assert.equal(waitUntil(Number.POSITIVE_INFINITY, 1_000), Number.POSITIVE_INFINITY);
});
