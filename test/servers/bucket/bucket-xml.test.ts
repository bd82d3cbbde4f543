/** XML from outside is read in a time that its length bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXml, textOf, writeXml } from '#servers/bucket/xml.ts';

const malformed = (text: string) => assert.throws(() => readXml(text), { code: 'MalformedXML' }, text.slice(0, 40));

test('[W232] a text of entities only takes no longer to parse than other text of the same length', () => {
  const keys = ['a&b', '<x>', '"\'"', 'é\u{10ffff}', '&amp;', 'tab\tend'];
  for (const key of keys) assert.equal(textOf(readXml(writeXml('Delete', { Key: key })), 'Key'), key);
  assert.equal(textOf(readXml('<a><Key>&#65;&#x42;&#x10FFFF;</Key></a>'), 'Key'), 'AB\u{10ffff}');
  for (const words of [
    '&',
    '&;',
    '&nothing;',
    '&amp',
    '&constructor;',
    '&#;',
    '&#x110000;',
    '&#12345678;',
    '&am p;',
    'a & b',
  ])
    malformed(`<a>${words}</a>`);
  const long = (piece: string) => `<a><Key>${piece.repeat(Math.ceil(1_900_000 / piece.length))}</Key></a>`;
  const before = process.threadCpuUsage();
  for (const piece of ['&', '&amp;', '&amp', '&a;', '&#65;', '&&;', 'x', '&'.repeat(12)]) malformed(long(piece));
  const most = `<Key>${'&amp;'.repeat(3_000)}</Key>`;
  const many = readXml(`<a>${most.repeat(125)}</a>`);
  assert.equal(many.children.length, 125);
  assert.equal(many.children[0]?.text, '&'.repeat(3_000));
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms of processor time`);
});

test('[W232] a text between two tags with over 16,384 characters is refused, in any element', () => {
  assert.equal(readXml(`<a>${'x'.repeat(16_384)}</a>`).text.length, 16_384);
  malformed(`<a>${'x'.repeat(16_385)}</a>`);
  malformed(`${' '.repeat(16_385)}<a></a>`);
});
