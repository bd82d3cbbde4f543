/** The words for the reasons of a machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainName } from '#contract/fleet/fault-words.ts';
import type { Reason } from '#contract/site/trouble.ts';
import type { Sentence } from '#contract/work/attention.ts';
import { alsoText } from '#ui/tiles/trouble-words.ts';
import { ownerTexts, reasonTexts } from '#ui/words.ts';
import { reason } from './kit.ts';

const says = (code: Sentence['code'], params: Sentence['params'] = {}, more: Partial<Reason> = {}) =>
  reasonTexts(reason({ says: { code, params }, ...more }));

test('[U38] a reason becomes a sentence, the longest first; a template without its parameters is left out', () => {
  const hot = { signal: 'engine.coolant_temperature', label: 'Coolant', value: '110', unit: '°C', limit: '105' };
  const rows: [string, readonly string[]][] = [
    ['Coolant 110 °C, still rising', says('value_over', hot, { trend: 'still_rising' })],
    ['Coolant 110 °C', says('value_over', hot)],
    ['Coolant up 12 °C in 40 s', says('value_change', { label: 'Coolant', up: '12', unit: '°C', seconds: '40' })],
    ['Fuel 6 %', says('level', { label: 'Fuel', value: '6', unit: '%' })],
    [
      'Engine oil pressure 1: far too low',
      says('code', { spn: '100', fmi: '1', name: 'Engine oil pressure 1', how: 'far too low' }),
    ],
    ['SPN 520200 FMI 31', says('code', { spn: '520200', fmi: '31' })],
    ['Stop lamp on', says('lamp', { lamp: 'Stop lamp' })],
    ['Brakes bad, still driving', says('report', { title: 'Brakes bad' }, { runs: 'driving' })],
    ['Brakes bad', says('report', { title: 'Brakes bad' })],
    ['Down: Hose burst', says('down', { title: 'Hose burst' })],
    ['Down', says('down')],
    ['Reported down, yet running', says('down_running')],
    ['In service, yet running', says('service_moving')],
    ['No data', says('silent')],
  ];
  for (const [expected, [longest]] of rows) assert.equal(longest, expected);
  for (const [, texts] of rows) assert.ok(texts.every((text) => text !== '' && !text.includes('{')));
});

test('[U38] a title with braces is text, and no template', () => {
  assert.equal(says('report', { title: 'Check {value}' })[0], 'Check {value}');
});

test('[U39] while the gateway does not answer, a sentence says what was true', () => {
  const hot = { label: 'Coolant', value: '110', unit: '°C', limit: '105' };
  const was = (code: Sentence['code'], params: Sentence['params'], more: Partial<Reason> = {}) =>
    reasonTexts(reason({ says: { code, params }, ...more }), true)[0];
  assert.equal(was('value_over', hot, { trend: 'rising' }), 'Coolant was 110 °C, rising');
  assert.equal(was('level', { label: 'Fuel', value: '6', unit: '%' }), 'Fuel was 6 %');
  assert.equal(was('silent', {}), 'Was already silent');
  assert.equal(was('report', { title: 'Brakes bad' }, { runs: 'driving' }), 'Brakes bad');
  assert.equal(ownerTexts({ owner: 'Ana Ruiz' }, true)[0], 'Ana Ruiz was on it');
});

test('[U38] somebody, somebody without a name, or nobody is on it', () => {
  assert.deepEqual(ownerTexts({ owner: 'Ana Ruiz' }), ['Ana Ruiz is on it', 'Ana Ruiz']);
  assert.equal(ownerTexts({ owner: '' })[0], 'Somebody is on it');
  assert.equal(ownerTexts({})[0], 'Nobody on it yet');
});

test('[U38] the probable cause of silence is part of the sentence, from long to short', () => {
  const silent = { says: { code: 'silent', params: {} } } as const;
  const link = { code: 'link_lost', params: { count: '4', place: 'Pit North' } } as const;
  assert.deepEqual(reasonTexts({ ...silent, probably: link }), [
    'No data: probably the link to Pit North',
    'No data: probably the link',
    'No data: link?',
    'No data',
  ]);
  const power = { code: 'no_power', params: { value: '22.4' } } as const;
  assert.equal(reasonTexts({ ...silent, probably: power })[0], 'No data: probably no power');
  // The cause of a value is a text of its own, so the sentence stays as it is.
  const leak = { code: 'coolant_leak', params: { down: '18' } } as const;
  const hot = { code: 'value_over', params: { label: 'Coolant', value: '110', unit: '°C' } } as const;
  assert.deepEqual(reasonTexts({ says: hot, probably: leak }), reasonTexts({ says: hot }));
});

test('[U389] a further reason has one colon and says since when it exists', () => {
  const down = { grade: 'act', points: 50, cause: 'down', since_ms: 0 } as const;
  const title = 'Stopped: no oil';
  const also = (code: 'down' | 'repair' | 'breakdown' | 'report') =>
    alsoText({ ...down, says: { code, params: { title } } }, 5 * 3_600_000 + 120_000);
  assert.match(also('down'), /^Also: Down for .*5 h 02.*\.$/);
  for (const code of ['down', 'repair', 'breakdown', 'report'] as const)
    assert.equal(also(code).match(/:/g)?.length, 1, also(code));
  const lamp = { code: 'code', params: { name: 'Fuel level 1', how: 'too low', fmi: '1' } } as const;
  assert.equal(alsoText({ ...down, since_ms: null, says: lamp }, 0), 'Also: Fuel level 1: too low.');
});

test('[V34] a sentence names the part of a trouble code without its number if there is only one', () => {
  assert.deepEqual([100, 107, 96, 190, 520_192].map(plainName), [
    'Engine oil pressure',
    'Engine air filter differential pressure',
    'Fuel level 1',
    'Engine speed',
    null,
  ]);
});
