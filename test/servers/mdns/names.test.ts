/** The names of gateways in a network: pure rules, and several gateways that hear each other over real multicast on this computer. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { after, test } from 'node:test';
import { type Answer, type DecodedPacket, decode, encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { isTaken, losesTie } from '#servers/mdns/conflicts.ts';
import { type Mdns, startMdns } from '#servers/mdns/mdns.ts';
import { answersTo, labelOf, probeOf, recordsOf, type Service, siteLabel } from '#servers/mdns/records.ts';
import { lastingPort } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const GROUP = '224.0.0.251';
const PORT = await lastingPort();
const service = (port: number): Service => ({ type: '_headframe._tcp', port, text: { id: `gw_${port}` } });
const query = (name: string, type: string, answers: Answer[] = []): DecodedPacket =>
  decode(encode({ type: 'query', questions: [{ name, type: type as 'A' }], answers }));

interface TestGateway extends AsyncDisposable {
  readonly mdns: Mdns;
  readonly logged: string[];
  readonly got: Map<string, number>;
  address: string;
}

/** A gateway that has this address of the loopback network, and the rest of it as its network. */
function startOne(
  address: string,
  more: { base?: string; port?: number; first?: number; of?: readonly string[] } = {},
): TestGateway {
  const logged: string[] = [];
  const got = new Map<string, number>();
  const at = { address };
  const mdns = startMdns({
    wanted: () => [{ base: more.base ?? 'headframe', first: more.first ?? 1, services: [service(more.port ?? 8480)] }],
    interfaces: () => [{ name: 'lo', addresses: [{ address: at.address, prefix: 8 }] }],
    addresses: () => [at.address, ...(more.of ?? [])],
    changed: () => {},
    got: (base, n) => got.set(base, n),
    log: (level, message) => logged.push(`${level} ${message}`),
    port: PORT,
  });
  return {
    mdns,
    logged,
    got,
    get address() {
      return at.address;
    },
    set address(next: string) {
      at.address = next;
    },
    [Symbol.asyncDispose]: () => mdns[Symbol.asyncDispose](),
  };
}

/** A client in the network that hears all packets; it is no part of the gateway. */
const heard: DecodedPacket[] = [];
const listener = createSocket({ type: 'udp4', reuseAddr: true });
await new Promise<void>((done) => listener.bind(PORT, GROUP, done));
listener.addMembership(GROUP, '127.0.0.1');
listener.setMulticastInterface('127.0.0.1');
listener.on('message', (bytes) => {
  try {
    heard.push(decode(bytes));
  } catch {
    // The bytes of the test that sends nonsense.
  }
});
after(() => listener.close());
const say = (packet: Packet | Uint8Array) =>
  new Promise((done) => listener.send(packet instanceof Uint8Array ? packet : encode(packet), PORT, GROUP, done));
const answersHeard = (from: number) =>
  heard
    .slice(from)
    .filter(({ type }) => type === 'response')
    .flatMap((one) => one.answers ?? []);

test('[N1] the name of a site is its name in lower case without accents and signs', () => {
  const names = ['North Quarry', 'Grube Süd', 'Carrière n° 4 (Est)', '--A--', '石切場', 'x'.repeat(200)];
  assert.deepEqual(names.map(siteLabel), [
    'site-north-quarry',
    'site-grube-sud',
    'site-carriere-n-4-est',
    'site-a',
    null,
    `site-${'x'.repeat(54)}`,
  ]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), fc.integer({ min: 1, max: 99 }), (name, n) => {
      const label = siteLabel(name);
      if (label !== null) assert.match(labelOf(label, n), /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
    }),
  );
});

test('[N1] a client learns the address, the ports and what the name does not have', () => {
  const records = recordsOf('headframe', [service(8480)], ['10.0.0.5']);
  const types = ({ answers, additionals }: ReturnType<typeof answersTo>) => [
    answers.map(({ type }) => type),
    additionals.map(({ type }) => type),
  ];
  assert.deepEqual(types(answersTo(query('HEADFRAME.local', 'A'), records)), [['A'], []]);
  assert.deepEqual(types(answersTo(query('headframe.local', 'AAAA'), records)), [['NSEC'], []]);
  assert.deepEqual(types(answersTo(query('_headframe._tcp.local', 'PTR'), records)), [['PTR'], ['SRV', 'A', 'TXT']]);
  assert.deepEqual(types(answersTo(query('_services._dns-sd._udp.local', 'PTR'), records)), [['PTR'], []]);
  assert.deepEqual(types(answersTo(query('other.local', 'ANY'), records)), [[], []]);
  const [known] = records.shared;
  assert.ok(known);
  assert.deepEqual(
    types(answersTo(query('_headframe._tcp.local', 'PTR', [known]), records)),
    [[], []],
    'known answers are left out',
  );
  const all = encode({ type: 'response', answers: [...records.unique, ...records.shared] });
  assert.ok(all.length < 1_400, `${all.length} bytes fit into one frame of the network`);
});

test('[N2] a record of another computer makes a name taken; one of this computer does not', () => {
  const own = recordsOf('headframe', [service(8480)], ['10.0.0.5']);
  const mine = new Set(['10.0.0.5', '10.0.0.6', 'fe80::1']);
  const a = (data: string, ttl = 120): Answer => ({ name: 'Headframe.local', type: 'A', ttl, data });
  assert.ok(isTaken([a('10.0.0.9')], own, mine));
  assert.ok(!isTaken([a('10.0.0.9', 0)], own, mine), 'it gives the name up');
  assert.ok(!isTaken([a('10.0.0.6')], own, mine), 'another interface of this computer');
  assert.ok(
    !isTaken([{ name: 'headframe.local', type: 'AAAA', ttl: 120, data: 'fe80::1' }], own, mine),
    'Avahi on this computer',
  );
  const srv: Answer = {
    name: 'headframe._headframe._tcp.local',
    type: 'SRV',
    ttl: 120,
    data: { port: 9, target: 'headframe.local' },
  };
  assert.ok(isTaken([srv], own, mine), 'another gateway on this computer');
});

test('[N2] of two gateways that ask at the same time exactly one loses', () => {
  const address = fc.ipV4();
  fc.assert(
    fc.property(
      address,
      address,
      fc.integer({ min: 1, max: 65_535 }),
      fc.integer({ min: 1, max: 65_535 }),
      (a, b, p, q) => {
        const [one, two] = [recordsOf('headframe', [service(p)], [a]), recordsOf('headframe', [service(q)], [b])];
        const heardBy = (records: typeof one) => decode(encode(probeOf(records))).authorities ?? [];
        const [first, second] = [losesTie(heardBy(two), one, new Set([a])), losesTie(heardBy(one), two, new Set([b]))];
        if (a === b && p === q) assert.ok(!first && !second);
        else assert.notEqual(first, second);
      },
    ),
  );
});

test('[N2] five gateways that start at once get five names, and a restart keeps them', async () => {
  const gateways = [2, 3, 4, 5, 6].map((n) => startOne(`127.0.0.${n}`, { base: 'five', port: 8_000 + n }));
  await until(() => gateways.every(({ mdns }) => mdns.names.length === 1));
  await until(() => new Set(gateways.map(({ mdns }) => mdns.names[0])).size === 5);
  const names = gateways.map(({ mdns }) => mdns.names[0]);
  assert.deepEqual(names.toSorted(), ['five-2.local', 'five-3.local', 'five-4.local', 'five-5.local', 'five.local']);
  const last = gateways[4] as TestGateway;
  const n = last.got.get('five') ?? 1;
  for (const one of gateways) await one[Symbol.asyncDispose]();
  await using again = startOne('127.0.0.6', { base: 'five', port: 8_006, first: n });
  await until(() => again.mdns.names.length === 1);
  assert.deepEqual(again.mdns.names, [names[4]]);
});

test('[N2] two gateways on one computer get two names', async () => {
  await using one = startOne('127.0.0.7', { base: 'same', port: 1_001 });
  await using two = startOne('127.0.0.7', { base: 'same', port: 1_002 });
  await until(
    () => one.mdns.names.length === 1 && two.mdns.names.length === 1 && one.mdns.names[0] !== two.mdns.names[0],
  );
});

test('[N3] a new address is announced, and a stop tells that the name is gone', async () => {
  const gateway = startOne('127.0.0.8', { base: 'moved' });
  await until(() => gateway.mdns.names[0] === 'moved.local');
  const from = heard.length;
  gateway.address = '127.0.0.9';
  await until(() =>
    answersHeard(from).some((one) => one.type === 'A' && one.name === 'moved.local' && one.data === '127.0.0.9'),
  );
  const before = heard.length;
  await gateway[Symbol.asyncDispose]();
  await until(() =>
    answersHeard(before).some((one) => one.type === 'A' && one.name === 'moved.local' && one.ttl === 0),
  );
});

test('[N5] a port that another program keeps for itself is reported, and nothing else happens', async () => {
  const taken = createSocket('udp4');
  const port = await lastingPort();
  await new Promise<void>((done) => taken.bind(port, GROUP, done));
  const logged: string[] = [];
  const mdns = startMdns({
    wanted: () => [{ base: 'headframe', first: 1, services: [] }],
    interfaces: () => [{ name: 'lo', addresses: [{ address: '127.0.0.1', prefix: 8 }] }],
    addresses: () => ['127.0.0.1'],
    changed: () => {},
    got: () => {},
    log: (level, message) => logged.push(`${level} ${message}`),
    port,
  });
  await until(() =>
    mdns.problems().some(({ code, message }) => code === 'name_not_announced' && /EADDRINUSE/.test(message)),
  );
  await until(() => logged.length > 0);
  assert.deepEqual(mdns.names, []);
  await mdns[Symbol.asyncDispose]();
  taken.close();
});

test('[N6] nonsense, foreign senders and floods are survived, and one record is sent at most once a second', async () => {
  await using gateway = startOne('127.0.0.10', { base: 'flood' });
  await until(() => gateway.mdns.names[0] === 'flood.local');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), async (bytes) => {
      await say(bytes);
    }),
  );
  const good = encode({ type: 'query', questions: [{ name: 'flood.local', type: 'A' }] });
  const from = heard.length;
  for (let i = 0; i < 2_000; i++) await say(i % 2 === 0 ? good : good.subarray(0, good.length - (i % good.length)));
  await until(() => answersHeard(from).some((one) => one.name === 'flood.local'));
  // The flood took some seconds at most; an answer a second is far below the questions.
  assert.ok(answersHeard(from).filter((one) => one.name === 'flood.local').length < 200);
  const at = heard.length;
  await until(async () => {
    await say(good);
    return answersHeard(at).some((one) => one.name === 'flood.local');
  });
});
