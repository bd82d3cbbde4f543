/** The rules of the outbox: order, revisions of a chain, photos, bounds, and what an error means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGatewayClock } from '#ui/outbox/clock.ts';
import {
  after,
  fullness,
  type Item,
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

test('[U267] a later change of a record follows the revision that the earlier one made, and no other', () => {
  const on = (seq: number, if_match: number | null, subject = 'a') =>
    item(seq, { subject, request: { ...item(0).request, if_match } });
  const sent = on(1, 7);
  const answer = { id: 'rt_1', revision: 8 };
  assert.equal(after(on(2, 7), sent, answer).request.if_match, 8);
  assert.equal(after(on(2, 6), sent, answer).request.if_match, 6);
  assert.equal(after(on(2, null), sent, answer).request.if_match, null);
  assert.equal(after(on(2, 7, 'b'), sent, answer).request.if_match, 7);
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
