/** Every condition of ui/tiles/ageing.ts at its limit: freshness of values, machines and statuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DrawnValue } from '#contract/site/live.ts';
import { type Moment, machineFreshness, shownStatus, valueFreshness } from '#ui/tiles/ageing.ts';
import { machine, NOW, value } from './kit.ts';

/** `seconds` after `NOW`; the last message of the gateway was `lastMessage` seconds after `NOW`. */
const after = (seconds: number, live: boolean, lastMessage = 0): Moment => ({
  now: NOW + seconds * 1000,
  live,
  lastMessageMs: NOW + lastMessage * 1000,
});
const { kind: _kind, interval_s: _interval, ...bare } = value({ as_of_ms: NOW });

test('[U1] a value that never arrived stays "never" at any age, with and without the gateway', () => {
  for (const live of [true, false])
    for (const seconds of [0, 20, 70, 700])
      assert.equal(valueFreshness(value({ freshness: 'never', as_of_ms: NOW }), after(seconds, live)), 'never');
});

test('[U1] with the gateway a value without an interval has the freshness from the gateway', () => {
  for (const freshness of ['fresh', 'ageing', 'stale', 'none'] as const)
    assert.equal(valueFreshness({ ...bare, freshness }, after(700, true)), freshness);
});

test('[U1] with the gateway a value with an interval ages on the screen between two messages', () => {
  const at = (seconds: number, more: Partial<DrawnValue> = {}) =>
    valueFreshness(value({ as_of_ms: NOW, ...more }), after(seconds, true));
  assert.deepEqual([at(5), at(6), at(60), at(61), at(601)], ['fresh', 'ageing', 'ageing', 'stale', 'none']);
  assert.deepEqual([at(90, { interval_s: 30 }), at(91, { interval_s: 30 })], ['fresh', 'ageing']);
});

test('[U1] without the gateway a value without kind and interval ages as a gauge of one second', () => {
  const at = (seconds: number) => valueFreshness(bare, after(seconds, false));
  assert.deepEqual(
    [at(5), at(6), at(60), at(61), at(600), at(601)],
    ['fresh', 'ageing', 'ageing', 'stale', 'stale', 'none'],
  );
});

test('[U1] a value that the gateway sent as stale does not become ageing on the screen', () => {
  assert.equal(valueFreshness(value({ freshness: 'stale', as_of_ms: NOW }), after(10, false)), 'stale');
  assert.equal(valueFreshness(value({ freshness: 'none', as_of_ms: NOW }), after(0, true)), 'none');
});

test('[U1] the age of a value without a time counts from the last message, not from the data of its machine', () => {
  const count = value({ as_of_ms: null });
  assert.equal(valueFreshness(count, after(100, false, 95)), 'fresh');
  assert.equal(valueFreshness(count, after(100, false, 94)), 'ageing');
});

test('[U1] with the gateway a machine has the freshness from the gateway at any age of its data', () => {
  for (const freshness of ['fresh', 'ageing', 'stale', 'none'] as const)
    assert.equal(machineFreshness(machine({ freshness, last_data_ms: NOW - 3_600_000 }), after(0, true)), freshness);
  assert.equal(machineFreshness(machine({ freshness: 'never' }), after(0, false)), 'never');
});

test('[U1] without the gateway a machine ages by its own interval, and not by that of its primary value', () => {
  const at = (seconds: number, interval_s?: number) =>
    machineFreshness(
      machine({
        primary: value({ interval_s: 60 }),
        last_data_ms: NOW,
        ...(interval_s === undefined ? {} : { interval_s }),
      }),
      after(seconds, false),
    );
  assert.deepEqual([at(90, 30), at(91, 30), at(300, 30), at(301, 30)], ['fresh', 'ageing', 'ageing', 'stale']);
  assert.deepEqual(
    [at(15, 5), at(16, 5), at(60, 5), at(61, 5), at(601, 5)],
    ['fresh', 'ageing', 'ageing', 'stale', 'none'],
  );
  assert.deepEqual(
    [at(5), at(6), at(61), at(601)],
    ['fresh', 'ageing', 'stale', 'none'],
    'a gateway of an earlier build',
  );
});

test('[U1] a machine has its own maximum age, whatever that of its primary value', () => {
  const primary = value({ max_age_s: 20 });
  const at = (seconds: number, max_age_s?: number) =>
    machineFreshness(
      machine({ primary, last_data_ms: NOW, ...(max_age_s === undefined ? {} : { max_age_s }) }),
      after(seconds, false),
    );
  assert.deepEqual([at(21), at(60), at(61)], ['ageing', 'ageing', 'stale']);
  assert.deepEqual([at(40, 40), at(41, 40)], ['ageing', 'stale']);
});

test('[U1] without the gateway a status is shown for exactly five minutes after the last data', () => {
  const slow = value({ interval_s: 3_600 });
  const at = (seconds: number, last_data_ms: number | null = NOW) =>
    shownStatus(machine({ primary: slow, last_data_ms }), after(seconds, false, 100));
  assert.deepEqual([at(300), at(300.001)], ['running', 'unknown']);
  assert.deepEqual([at(400, null), at(400.001, null)], ['running', 'unknown'], 'no data: since the last message');
});

test('[U1] with the gateway a status is shown at any age until the gateway withdraws it', () => {
  const old = { last_data_ms: NOW - 3_600_000 };
  assert.equal(shownStatus(machine({ ...old, freshness: 'stale' }), after(0, true)), 'running');
  assert.equal(shownStatus(machine({ ...old, freshness: 'none' }), after(0, true)), 'unknown');
  assert.equal(shownStatus(machine({ ...old, freshness: 'never' }), after(0, true)), 'unknown');
});
