/** What a time is worth, at each bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDated, isoTime, notBeyond, observedTime } from '#domain/base/times.ts';

const FIRST_DATE_US = 1e15;
const NOW = 1.7e15;

test("[D11] a time counts from 2001-09-09 up to the receiver's now; any other counts as the time of receipt", () => {
  const cases: readonly (readonly [t_us: number, counts_as: number])[] = [
    [FIRST_DATE_US, FIRST_DATE_US],
    [FIRST_DATE_US - 1, NOW],
    [NOW, NOW],
    [NOW - 1, NOW - 1],
    [NOW + 1, NOW],
    [Number.NaN, NOW],
  ];
  for (const [t_us, counts_as] of cases) assert.equal(observedTime(t_us, NOW), counts_as, String(t_us));
});

test('[D16] a time is a date from 2001-09-09 up to five minutes ahead of the receiver', () => {
  const five = 300_000_000;
  assert.deepEqual(
    [FIRST_DATE_US, FIRST_DATE_US - 1, NOW + five, NOW + five + 1, Number.NaN].map((t_us) => isDated(t_us, NOW)),
    [true, false, true, false, false],
  );
});

test('[D17] a known time is set back when it is more than a second beyond now', () => {
  const second = 1_000_000;
  assert.deepEqual(
    [NOW - 1, NOW + second, NOW + second + 1].map((t_us) => notBeyond(t_us, NOW)),
    [NOW - 1, NOW + second, NOW],
  );
});

test('a time is written with the millisecond that it lies in', () => {
  assert.equal(isoTime(NOW + 1_999), '2023-11-14T22:13:20.001Z');
});
