import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Reach, reachOf } from '#domain/base/ip-address.ts';

const TABLE: readonly [Reach | undefined, ...string[]][] = [
  ['public', '8.8.8.8', '1.1.1.1', '172.32.0.1', '192.167.255.255', '11.0.0.0', '223.255.255.255', '100.128.0.1'],
  ['public', '2606:4700::1111', '2a00:1450:4001::1', '[2606:4700::1111]', '::ffff:8.8.8.8', '64:ff9b::808:808'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fd12:3456::1', 'fc00::'],
  ['private', '::ffff:192.168.1.1', '::ffff:c0a8:101', '64:ff9b::10.0.0.1'],
  ['denied', '127.0.0.1', '127.255.255.255', '0.0.0.0', '0.1.2.3', '169.254.169.254', '169.254.0.1', '100.100.100.200'],
  ['denied', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ['denied', '255.255.255.255', '192.88.99.1', '::', '::1', '[::1]', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
  ['denied', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b:1::1', '::127.0.0.1'],
  ['denied', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '100::1', 'fd00:ec2::254', '5f00::1'],
  [
    undefined,
    'localhost',
    'example.com',
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    ':::',
    'g::1',
  ],
];

test('[A194] addresses lead where the registries say', () => {
  for (const [reach, ...addresses] of TABLE)
    for (const address of addresses) assert.equal(reachOf(address), reach, address);
});

test('[A194] what the URL parser makes of disguised addresses is judged as the address', () => {
  for (const host of ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0', '0x7f000001', '[::ffff:127.0.0.1]', '[::1]'])
    assert.equal(reachOf(new URL(`http://${host}/`).hostname), 'denied', host);
  assert.equal(reachOf(new URL('http://0xc0a80101/').hostname), 'private');
});

test('[A194] every text that the system takes for an address has an answer, and no other', () => {
  const v6 = fc.ipV6();
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), v6, fc.string({ maxLength: 20 })), (text) => {
      if (text.startsWith('[')) return;
      assert.equal(reachOf(text) !== undefined, isIP(text) !== 0, text);
    }),
    { numRuns: 2_000 },
  );
  const loops = new BlockList();
  loops.addSubnet('127.0.0.0', 8, 'ipv4');
  loops.addSubnet('169.254.0.0', 16, 'ipv4');
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      if (loops.check(text)) assert.equal(reachOf(text), 'denied');
      assert.equal(reachOf(`::ffff:${text}`), reachOf(text));
    }),
  );
});
