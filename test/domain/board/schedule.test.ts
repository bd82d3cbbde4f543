import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TWO_SHIFTS } from '#contract/site/project.ts';
import { isDue } from '#domain/board/schedule.ts';

const PERTH = 'Australia/Perth'; // UTC+8, no summer time
const due = (when: Parameters<typeof isDue>[0], at: string, zone = PERTH) =>
  isDue(when, Date.parse(at), zone, TWO_SHIFTS);

test('[A113] an item is due in its window of the local day, its end excluded', () => {
  const when = { from: '06:00', to: '09:30' };
  assert.equal(due(when, '2026-11-20T21:59:59Z'), false);
  assert.equal(due(when, '2026-11-20T22:00:00Z'), true);
  assert.equal(due(when, '2026-11-21T01:29:59Z'), true);
  assert.equal(due(when, '2026-11-21T01:30:00Z'), false);
  assert.equal(due({}, '2026-11-21T01:30:00Z'), true);
});

test('[A113] a window over midnight belongs to the day on which it began', () => {
  // Saturday night, 22:00 to 05:00; 2026-11-21 is a Saturday.
  const when = { days: ['sat' as const], from: '22:00', to: '05:00' };
  assert.equal(due(when, '2026-11-21T14:00:00Z'), true);
  assert.equal(due(when, '2026-11-21T20:59:00Z'), true);
  assert.equal(due(when, '2026-11-21T21:00:00Z'), false);
  assert.equal(due(when, '2026-11-20T20:00:00Z'), false, 'early on Saturday is the night of Friday');
  assert.equal(due({ days: ['sun'] }, '2026-11-21T20:00:00Z'), true, 'whole days begin at local midnight');
});

test('[A113] a shift of the project is a window; one that it no longer has is never due', () => {
  assert.equal(due({ shift: 'night' }, '2026-11-21T12:00:00Z'), true);
  assert.equal(due({ shift: 'day' }, '2026-11-21T12:00:00Z'), false);
  assert.equal(due({ shift: 'swing' }, '2026-11-21T12:00:00Z'), false);
});

test('[A113] at every moment exactly one of two windows that share a day is due, also when clocks jump', () => {
  const time = fc.integer({ min: 0, max: 1439 }).map((m) => new Date(m * 60_000).toISOString().slice(11, 16));
  // Oslo turned its clocks back on 2026-10-25 and forward on 2026-03-29.
  const moment = fc.oneof(
    fc.integer({ min: Date.parse('2026-10-24T00:00Z'), max: Date.parse('2026-10-27T00:00Z') }),
    fc.integer({ min: Date.parse('2026-03-28T00:00Z'), max: Date.parse('2026-03-31T00:00Z') }),
  );
  fc.assert(
    fc.property(time, time, moment, (a, b, at) => {
      fc.pre(a !== b);
      const first = isDue({ from: a, to: b }, at, 'Europe/Oslo', TWO_SHIFTS);
      const second = isDue({ from: b, to: a }, at, 'Europe/Oslo', TWO_SHIFTS);
      assert.notEqual(first, second, `${a} to ${b} at ${new Date(at).toISOString()}`);
    }),
  );
});
