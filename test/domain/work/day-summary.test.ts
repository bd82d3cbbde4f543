import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '#contract/base/told.ts';
import { type DayFacts, daySummary } from '#domain/work/day-summary.ts';
import { meterGrowth } from '#domain/work/meter-use.ts';
import { NO_TIME } from '#domain/work/shift-tally.ts';

const H = 3_600_000;
const FACTS: DayFacts = {
  machines: 12,
  counted: 12,
  spent: { ...NO_TIME, working: 61.26 * H, idle: 10 * H, off: 28.74 * H, unknown: 44 * H },
  engine: { grown: 71.39, machines: 9 },
  fuel: { grown: 1234.9, machines: 2 },
  unread: 0,
  alerts: { raised: '5', open: '2' },
  tickets: { made: '3', fixed: '1', open: '4' },
};
const NOW: NonNullable<DayFacts['now']> = {
  down: ['HT-01', 'HT-02', 'HT-03', 'HT-04', 'HT-05', 'HT-06'],
  silent: [],
  services: '2',
  oldest: { id: 'tkt_1', ticket: 'R-7', machine: 'LD-2', days: 1 },
};
const english = (facts: DayFacts, isBefore = false) => daySummary(facts, isBefore).map((one) => textOf(one));

test('[A980] the summary of a day says its numbers in sentences, each with the page of its numbers', () => {
  assert.deepEqual(english(FACTS), [
    'Machines worked 61.3 of 100 h (61.3 %). Not known: 44 h.',
    'Engines ran at least 71.3 h, by the meters of 9 of 12 machines.',
    'Machines used at least 1234 L of fuel, by the meters of 2 of 12 machines.',
    'Alerts raised: 5. Still open: 2.',
    'Repairs reported: 3, fixed: 1. Open now: 4.',
  ]);
  assert.deepEqual(english({ ...FACTS, now: NOW }).slice(5), [
    'Oldest open repair: R-7 on LD-2, 1 day old.',
    'Down now: 6 (HT-01, HT-02, HT-03, HT-04, +2). Without data now: 0.',
    'Services that are due now: 2.',
  ]);
  assert.deepEqual(
    daySummary({ ...FACTS, now: NOW }).map(({ page }) => page),
    ['shifts', 'machines', 'machines', 'alerts', 'tickets', 'tickets/tkt_1', 'machines', 'maintenance'],
  );
  const large = english({ ...FACTS, machines: 300, counted: 200, now: NOW });
  assert.equal(large[0], 'Counted are the first 200 of 300 machines.');
  assert.equal(large.length, 8);
  assert.equal(english({ ...FACTS, machines: 1_000, counted: 200 })[0], 'Counted are the first 200 of 1000+ machines.');
});

test('[A980] what is not known is said as not known, and is no zero', () => {
  const none = { grown: 0, machines: 0 };
  const spent = { ...NO_TIME, unknown: 48 * H };
  assert.deepEqual(english({ ...FACTS, spent, engine: none, fuel: none }).slice(0, 3), [
    'It is not known how the machines spent the 48 h of this time.',
    'Engine hours are not known: no machine sent its meter.',
    'Fuel used is not known: no machine sent its meter.',
  ]);
  assert.equal(english({ ...FACTS, spent: NO_TIME })[0], 'No minute of this day is counted yet.');
  const before = { ...FACTS, spent, engine: none, fuel: none };
  const unknown = 'The gateway did not know this site on that day.';
  const quiet = {
    ...before,
    alerts: { raised: '0', open: '0' },
    tickets: { made: '0', fixed: '0', open: '4' },
  };
  assert.deepEqual(english(quiet, true), [unknown]);
  const said = ['Alerts raised: 5. Still open: 2.', 'Repairs reported: 3, fixed: 1. Open now: 4.'];
  assert.deepEqual(english(before, true), [unknown, ...said], 'people reported repairs of that day later');
  assert.deepEqual(english(FACTS, true), english(FACTS), 'a log told what happened before the site was made');
  assert.deepEqual(english({ ...FACTS, machines: 0, counted: 0, now: NOW }), [
    'The site has no machines yet.',
    'Alerts raised: 5. Still open: 2.',
    'Repairs reported: 3, fixed: 1. Open now: 4.',
  ]);
});

test('[A980] a meter that history could not give is no meter that no machine sent', () => {
  const none = { grown: 0, machines: 0 };
  const unread = { ...FACTS, spent: { ...NO_TIME, unknown: 48 * H }, engine: none, fuel: none, unread: 3 };
  const said = 'Engine hours and fuel are not known: the history of 3 of 12 machines could not be read.';
  assert.deepEqual(english(unread).slice(1, 3), [said, 'Alerts raised: 5. Still open: 2.']);
  assert.equal(english(unread, true)[1], said, 'nobody knows if there was a site on that day');
  assert.equal(english({ ...FACTS, unread: 1 })[1], said.replace('3 of', '1 of'), 'a part of the sum is missing');
});

test('[A980] "at least" rounds down, but not because of the last bits of a number', () => {
  const meters = (engine: number, fuel: number) =>
    english({ ...FACTS, engine: { grown: engine, machines: 1 }, fuel: { grown: fuel, machines: 1 } }).slice(1, 3);
  const numbers = (engine: number, fuel: number) =>
    meters(engine, fuel).map((text) => /at least ([\d.]+)/.exec(text)?.[1]);
  assert.deepEqual(numbers(0.999, 0.999), ['0.99', '0']);
  assert.deepEqual(numbers(9002.3 - 9000.1, 99.999_999_9), ['2.2', '100']);
});

test('[A981] a meter grows over gaps, but not when its control unit was replaced', () => {
  const step = (hour: number, lowest: number, last: number) => ({ t_ms: hour * H, lowest, last });
  assert.equal(meterGrowth([], 1.05), null);
  assert.equal(meterGrowth([step(0, 100, 100.5)], 1.05), 0.5);
  assert.equal(meterGrowth([step(0, 100, 101), step(5, 104, 105)], 1.05), 5);
  assert.equal(meterGrowth([step(0, 100, 101), step(1, 9_000, 9_001), step(2, 9_001, 9_002)], 1.05), 2);
  assert.equal(meterGrowth([step(0, 9_000, 9_001), step(1, 3, 4), step(2, 4, 4.5)], 1.05), 1.5);
});
