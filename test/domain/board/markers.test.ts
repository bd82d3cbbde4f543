import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_MARKERS, type Notifications } from '#contract/site/preference.ts';
import { mergeNotifications, NO_MARKERS } from '#domain/board/markers.ts';

const time = fc.integer({ min: 0, max: 40 }).map((s) => new Date(Date.UTC(2026, 10, 21, 14, 0, s)).toISOString());
const markers = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), time, { noNullPrototype: true });
const notifications: fc.Arbitrary<Notifications> = fc
  .record({ read: markers, cleared: markers, read_before: fc.option(time) })
  .map((given) => mergeNotifications(NO_MARKERS, given));

test('[A108] markers merge to the same whatever the order and however often they arrive', () => {
  fc.assert(
    fc.property(notifications, notifications, notifications, (a, b, c) => {
      assert.deepEqual(mergeNotifications(a, b), mergeNotifications(b, a));
      assert.deepEqual(mergeNotifications(a, a), a);
      assert.deepEqual(
        mergeNotifications(mergeNotifications(a, b), c),
        mergeNotifications(a, mergeNotifications(b, c)),
      );
    }),
  );
});

test('[A108] the later time counts, and what read_before covers is not kept one by one', () => {
  const at = (minute: number) => `2026-11-21T14:${String(minute).padStart(2, '0')}:00.000Z`;
  const first = { read: { x: at(5), y: at(9) }, cleared: { x: at(1) }, read_before: null };
  const merged = mergeNotifications(first, { read: { x: at(4), y: at(10) }, cleared: {}, read_before: at(5) });
  assert.deepEqual(merged, { read: { y: at(10) }, cleared: { x: at(1) }, read_before: at(5) });
});

test('[A108] the oldest markers give way at the bound, whoever merges', () => {
  const some = (from: number) =>
    Object.fromEntries(
      Array.from({ length: MAX_MARKERS }, (_, i) => [
        `n${from + i}`,
        new Date(Date.UTC(2026, 0, 1) + (from + i) * 1000).toISOString(),
      ]),
    );
  const [a, b] = [some(0), some(1_000)].map((read) => ({ ...NO_MARKERS, read }));
  const merged = mergeNotifications(a as Notifications, b as Notifications);
  assert.equal(Object.keys(merged.read).length, MAX_MARKERS);
  assert.equal(merged.read.n999, undefined);
  assert.ok(merged.read.n1000);
  assert.deepEqual(merged, mergeNotifications(b as Notifications, a as Notifications));
});
