import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reason } from '#contract/site/trouble.ts';
import { lostLinks, withLostLink } from '#domain/attention/probable.ts';
import { scoreOf } from '#domain/attention/score.ts';
import type { Means } from '#domain/attention/trend.ts';
import { ago, alert, machine, NOW, reports } from '#test/domain/board/board-kit.ts';
import { momentOf, NOTHING_OPEN } from './kit.ts';

type Values = Parameters<typeof reports>[0];

/** The probable cause of the gravest reason of a machine with these values and one alert. */
function causeOf(values: Values, given: Parameters<typeof alert>[1], means: readonly number[] = [], age_s = 1) {
  const t = means.map((_, i) => Math.floor(NOW / 60_000) * 60 - 60 * (means.length - i));
  const level: Means = { t, v: means };
  const moment = momentOf({ means: (_, signal) => (signal === 'engine.coolant_level' ? level : undefined) });
  const alerts = given === undefined ? [] : [alert('a', { severity: 'critical', raised_at: ago(60), ...given })];
  return scoreOf(machine('m0'), reports(values, age_s), { ...NOTHING_OPEN, alerts }, moment).reasons[0]?.probably;
}

const HOT = { signal_name: 'engine.coolant_temperature', value: 110, threshold: 105 } as const;
const OIL = { signal_name: 'engine.oil_pressure', value: 110, threshold: 150 } as const;
const BATTERY = { signal_name: 'electrical.battery', value: 22, threshold: 24 } as const;

test('[V32] hot coolant is probably a leak only if the coolant level fell by 5 % in half an hour', () => {
  const hot = { 'engine.coolant_temperature': 110, 'engine.coolant_level': 79 };
  assert.deepEqual(causeOf(hot, HOT, [97, 96, 90, 82]), { code: 'coolant_leak', params: { down: '18' } });
  assert.equal(causeOf(hot, HOT, [82, 81, 80, 80]), undefined);
  assert.equal(causeOf(hot, HOT), undefined);
  assert.equal(causeOf({ 'engine.coolant_temperature': 110 }, HOT, [97, 90]), undefined);
});

test('[V32] a low oil pressure and a low battery need a second value of the machine', () => {
  const low = (level: number) => causeOf({ 'engine.oil_pressure': 110, 'engine.oil_level': level }, OIL);
  assert.deepEqual(low(12), { code: 'oil_low', params: { level: '12' } });
  assert.equal(low(80), undefined);
  const flat = (rpm: number) => causeOf({ 'electrical.battery': 22, 'engine.speed': rpm }, BATTERY);
  assert.deepEqual(flat(1_500), { code: 'not_charging', params: {} });
  assert.equal(flat(0), undefined);
});

test('[V32] a silent machine probably has no power if its battery was nearly empty when it last sent data', () => {
  const silent = (volts: number) =>
    causeOf({ 'electrical.battery': volts, 'engine.speed': 1_500 }, undefined, [], 1_200);
  assert.deepEqual(silent(22.4), { code: 'no_power', params: { value: '22.4' } });
  assert.deepEqual(silent(11.2), { code: 'no_power', params: { value: '11.2' } });
  assert.equal(silent(27.8), undefined);
  assert.equal(silent(13.9), undefined);
});

const silentSince = (seconds: number): Reason[] => [
  { grade: 'look', points: 25, cause: 'silent', says: { code: 'silent', params: {} }, since_ms: NOW - seconds * 1000 },
];

test('[V32] machines of a location that became silent together probably lost its link', () => {
  const at = (location: string, reasons: Reason[]) => ({ location, reasons });
  const three = [at('Pit', silentSince(900)), at('Pit', silentSince(880)), at('Pit', silentSince(905)), at('Pit', [])];
  const links = lostLinks([...three, at('Dump', silentSince(900)), at('Dump', [])]);
  assert.deepEqual([...links.keys()], ['Pit']);
  const [shown] = withLostLink(silentSince(900), links.get('Pit'));
  assert.deepEqual(shown?.probably, { code: 'link_lost', params: { count: '3', place: 'Pit' } });
  // A machine that was silent long before has another cause, and so has a crowd of which most still send.
  assert.equal(withLostLink(silentSince(9_000), links.get('Pit'))[0]?.probably, undefined);
  assert.equal(lostLinks([...three, ...Array.from({ length: 4 }, () => at('Pit', []))]).size, 0);
  assert.equal(lostLinks(three.slice(1)).size, 0);
});
