/** The rules of the outbox: order, revisions of a chain, photos, bounds, and what an error means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGatewayClock, writtenAgo } from '#ui/outbox/clock.ts';
import {
  after,
  fullness,
  type Item,
  isPassOver,
  MOST_ITEMS,
  MOST_PHOTO_BYTES,
  nextToSend,
  placeOf,
  textAt,
  verdict,
  withPhoto,
} from '#ui/outbox/item.ts';

const item = (seq: number, part: Partial<Item> = {}): Item => ({
  seq,
  id: `id${seq}`,
  subject: 'a',
  title: 'Note',
  who: 'Olaf',
  project: 'prj',
  request: { method: 'PATCH', path: '/x', body: {}, if_match: null, open: false },
  pass: 'pass',
  gateway_ms: 0,
  device_ms: 0,
  photo_bytes: 0,
  facts: [],
  read: null,
  state: 'queued',
  problem: null,
  now: null,
  answer_id: null,
  answer_revision: null,
  follows: null,
  tried: false,
  done_ms: null,
  ...part,
});

test('[U267] writes of one record go in order; a write that needs a person holds back only its own record', () => {
  const items = [
    item(1, { state: 'sent' }),
    item(2, { state: 'conflict' }),
    item(3),
    item(4, { subject: 'b' }),
    item(5, { subject: 'b' }),
  ];
  assert.equal(nextToSend(items, new Set())?.seq, 4);
  assert.equal(nextToSend(items, new Set(['b'])), undefined);
  assert.equal(nextToSend([item(1), item(2)], new Set())?.seq, 1);
});

test('[U276] a later change follows the revision that the change before it made, and no other', () => {
  const on = (seq: number, if_match: number | null, follows: string | null, subject = 'a') =>
    item(seq, { subject, follows, request: { ...item(0).request, if_match } });
  const sent = on(1, 7, null);
  const answer = { id: 'rt_1', revision: 8 };
  assert.equal(after(on(2, 7, 'id1'), sent, answer).request.if_match, 8);
  // The person saw revision 7 without the change that is now sent.
  assert.equal(after(on(2, 7, null), sent, answer).request.if_match, 7);
  assert.equal(after(on(3, 7, 'id2'), sent, answer).request.if_match, 7);
  assert.equal(after(on(2, null, 'id1'), sent, answer).request.if_match, null);
  assert.equal(after(on(2, 7, 'id1', 'b'), sent, answer).request.if_match, 7);
});

test('[U277] a photo goes after the writes of other records, and before the inspection that names it', () => {
  const photo = item(1, { photo_bytes: 600_000 });
  const inspection = item(2);
  const note = item(3, { subject: 'b' });
  assert.equal(nextToSend([photo, inspection, note], new Set())?.seq, 3);
  assert.equal(nextToSend([photo, inspection], new Set())?.seq, 1);
});

test('[U273] the time of a write counts by the gateway; a clock of the device that was set gives no wrong time', () => {
  const minute = 60_000;
  const now = Date.now();
  const day = 1_440 * minute;
  const ago = (gateway: number | null, device: number) =>
    Math.round(((writtenAgo({ gateway_ms: gateway, device_ms: device }, now) ?? Number.NaN) / minute) * 10) / 10;
  // The device was set after the person wrote.
  assert.equal(ago(now - 30 * minute, now - 700 * day), 30);
  assert.equal(ago(now - 30 * minute, now + day), 30);
  // It was set before the person wrote, so the count by the gateway ran ahead.
  assert.equal(ago(now + 700 * day, now - 30 * minute), 30);
  // The page never heard the gateway.
  assert.equal(ago(null, now - 30 * minute), 30);
  assert.ok(Number.isNaN(ago(null, now - 700 * day)));
});

test('[U271] a list of entries is shown as text without ids', () => {
  const labor = [{ id: 'x', mechanic_id: null, minutes: 30, note: 'Hose' }];
  assert.equal(textAt({ labor }, 'labor'), 'minutes 30, note Hose');
});

test('[U268] the id of a photo that was sent takes its place in the inspection; a photo that was deleted leaves none', () => {
  const body = { answers: [{ item_id: 'i', media: [placeOf('id1'), 'art_9'] }] };
  const waits = item(2, { request: { ...item(0).request, body } });
  const next = after(waits, item(1), { id: 'art_1', revision: null });
  assert.deepEqual(next.request.body, { answers: [{ item_id: 'i', media: ['art_1', 'art_9'] }] });
  assert.deepEqual(withPhoto(body, 'id1', null), { answers: [{ item_id: 'i', media: ['art_9'] }] });
});

test('[U269] the bounds count what is not sent', () => {
  const full = Array.from({ length: MOST_ITEMS }, (_, i) => item(i));
  assert.equal(fullness(full), 'items');
  assert.equal(fullness(full.map((one, i) => (i === 0 ? { ...one, state: 'sent' } : one))), null);
  assert.equal(fullness([item(1, { photo_bytes: MOST_PHOTO_BYTES })]), 'photos');
  assert.equal(fullness([item(1, { photo_bytes: MOST_PHOTO_BYTES, state: 'sent' })]), null);
});

test('[U270] an error is sent again, waits for a person, is a conflict, or is refused', () => {
  assert.deepEqual(
    [
      verdict(null, 'unreachable'),
      verdict(503, 'storage_unavailable'),
      verdict(429, 'rate_limited'),
      verdict(409, 'operation_in_progress'),
      verdict(200, 'unexpected_answer'),
    ],
    ['later', 'later', 'later', 'later', 'later'],
  );
  assert.equal(verdict(401, 'credential_invalid'), 'wait-for-person');
  assert.equal(verdict(403, 'written_by_other'), 'wait-for-person');
  assert.equal(verdict(412, 'revision_mismatch'), 'conflict');
  assert.equal(verdict(409, 'invalid_transition'), 'conflict');
  assert.equal(verdict(403, 'writing_pass_refused'), 'refused');
  assert.equal(verdict(404, 'not_found'), 'refused');
  assert.equal(textAt({ taken: { by: 'Ada' } }, 'taken.by'), 'Ada');
  assert.equal(textAt({ taken: null }, 'taken.by'), '');
});

test('[U270] a refused write may be written again only if the gateway certainly does not have it', () => {
  const refused = (code: string, reason?: string) =>
    isPassOver(item(1, { state: 'refused', problem: { code, message: '', ...(reason !== undefined && { reason }) } }));
  assert.deepEqual(
    ['pass_ended', 'tablet_changed', 'ended', 'unknown', 'too_old', undefined].map((reason) =>
      refused('writing_pass_refused', reason),
    ),
    [true, true, false, false, false, false],
  );
  assert.equal(refused('permission_denied', 'pass_ended'), false);
});

test('[U273] the page counts on from the time of the gateway, also if somebody sets the clock of the device back', (t) => {
  const clock = createGatewayClock();
  assert.equal(clock.now(), null);
  let day = Date.parse('2019-01-01T00:00:00Z');
  let run = 5_000;
  t.mock.method(Date, 'now', () => day);
  t.mock.method(performance, 'now', () => run);
  const gateway = Date.parse('2026-11-27T08:00:00Z');
  clock.heard(new Response('', { headers: { date: new Date(gateway).toUTCString() } }));
  day += 60_000;
  run += 60_000;
  assert.equal(clock.now(), gateway + 60_000);
  // Somebody sets the clock back by a day.
  day -= 86_400_000;
  run += 1_000;
  assert.equal(clock.now(), gateway + 61_000);
  // The device sleeps for an hour, and the other clock stops.
  day += 86_400_000 + 3_600_000;
  assert.equal(clock.now(), gateway + 60_000 + 3_600_000);
});
