import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  conversionWords,
  inOrder,
  inOurs,
  linesAround,
  nameOf,
  number,
  stateOf,
  textOf,
} from '#ui/office/dbc/dbc-text.ts';

type File = Parameters<typeof stateOf>[0];
const file = (more: Partial<File>) =>
  ({ name: 'a', version: 1, active: false, mapping: [], ...more }) as unknown as File;

test('[U50] textOf decodes UTF-8 or Windows-1252, and nameOf removes the extension', () => {
  assert.equal(textOf(new TextEncoder().encode('"°C"')), '"°C"');
  assert.equal(textOf(Uint8Array.of(0x22, 0xb0, 0x43, 0x80, 0x22)), '"°C€"');
  assert.deepEqual(['Drill D65.DBC', '.dbc', 'x'].map(nameOf), ['Drill D65', 'DBC', 'x']);
});

test('[U50] linesAround returns neighbours at both ends of a file, and cuts long lines', () => {
  const text = ['one', 'two', 'three', 'four', `five${'x'.repeat(200)}`].join('\r\n');
  assert.deepEqual(
    linesAround(text, 1).map(({ number: n, text: line }) => `${n} ${line}`),
    ['1 one', '2 two', '3 three'],
  );
  const last = linesAround(text, 5, 1);
  assert.deepEqual(
    [last.length, last[1]?.number, last[1]?.text.length, last[1]?.text.endsWith('…')],
    [2, 5, 160, true],
  );
});

test('[U50] conversionWords describes a conversion, and inOurs applies it', () => {
  assert.equal(conversionWords('bar', 'engine.oil_pressure'), 'bar × 100 = kPa');
  assert.equal(conversionWords('K', 'engine.oil_temperature'), 'K − 273.15 = °C');
  assert.equal(conversionWords('degF', 'engine.oil_temperature'), 'degF × 0.555556 − 17.7778 = °C');
  assert.equal(conversionWords('degC', 'engine.oil_temperature'), 'degC, not converted');
  assert.equal(conversionWords('', 'engine.oil_temperature'), null);
  assert.equal(conversionWords('bar', 'no.signal'), null);
  assert.equal(inOurs(4.8, 'bar', 'engine.oil_pressure'), '480 kPa');
  assert.equal(inOurs(80, 'degC', 'engine.oil_temperature'), null, 'a value that needs no conversion is not repeated');
  assert.deepEqual([1_234_567, 0.1 + 0.2, -1_500.25].map(number), ['1\u2009234\u2009567', '0.3', '-1\u2009500.25']);
});

test('[U50] stateOf tells the four states of a version apart, and inOrder puts the newest first', () => {
  const mapping = [{}] as unknown as File['mapping'];
  assert.deepEqual(
    [
      file({ active: true, first_activated_at: 'x', mapping }),
      file({ first_activated_at: 'x', mapping }),
      file({ first_activated_at: null, mapping }),
      file({ first_activated_at: null }),
    ].map(stateOf),
    ['live', 'used', 'ready', 'unmapped'],
  );
  const files = [file({ name: 'b' }), file({}), file({ version: 2 })];
  assert.deepEqual(
    inOrder(files).map(({ name, version }) => `${name}${version}`),
    ['a2', 'a1', 'b1'],
  );
});
