/**
 * What a push costs head office on PostgreSQL: `node test/bench/push-cost.ts [--gateways 50] [--pushes 20] [--changes 6] [--at-once 12]
 * [--machines 20]`. Each gateway sends so many pushes with so many changes of a person each (a record and its event), `at-once` of them at the
 * same time. The work does not depend on the speed of the computer, so the figures can be compared also when other programs run: processor
 * time of head office and of PostgreSQL, and what head office sent to PostgreSQL. Prints one JSON line.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import type { LocalWrite } from '#domain/sync/node.ts';
import { GATEWAY_ENVIRONMENT, gatewayFlags } from '#host/memory.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { enrolWireSite, newId, readSamples, WireSite } from '#test/support/wire-site.ts';
import { End } from '#test/sync/ends.ts';

const { values: args } = parseArgs({
  options: {
    gateways: { type: 'string', default: '50' },
    pushes: { type: 'string', default: '20' },
    changes: { type: 'string', default: '6' },
    'at-once': { type: 'string', default: '12' },
    machines: { type: 'string', default: '20' },
  },
});
const [gateways, rounds, changes, atOnce, machines] = [
  args.gateways,
  args.pushes,
  args.changes,
  args['at-once'],
  args.machines,
].map(Number) as [number, number, number, number, number];

/** Messages of the protocol of PostgreSQL from head office, by their type, and the bytes of both directions. */
const sent = { bytes: 0, received: 0, turns: 0, messages: new Map<string, number>() };

/** Counts the messages of a connection. Its first message has no type. */
function messageCounter(): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const at = isFirst ? 0 : 1;
      if (rest.length < at + 4) return;
      const length = at + rest.readInt32BE(at);
      if (rest.length < length) return;
      const type = isFirst ? 'start' : String.fromCharCode(rest[0] as number);
      sent.messages.set(type, (sent.messages.get(type) ?? 0) + 1);
      isFirst = false;
      rest = rest.subarray(length);
    }
  };
}

/** Starts a relay before the server that counts what passes. Returns its port. */
async function startRelay(target: number): Promise<number> {
  const relay = createServer((client) => {
    const server = dial(target, '127.0.0.1');
    const count = messageCounter();
    let isAnswered = true;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server] as Socket[]) socket.on('error', end).on('close', end).setNoDelay(true);
    client.on('data', (chunk) => {
      count(chunk);
      sent.bytes += chunk.length;
      if (isAnswered) sent.turns++;
      isAnswered = false;
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      sent.received += chunk.length;
      isAnswered = true;
      client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  return (relay.address() as { port: number }).port;
}

/** A process: its parent, and the seconds of processor time that it and its ended children used. */
function processOf(pid: number | string): { parent: number; seconds: number } {
  const [, parent = 0, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  return { parent, seconds: rest.slice(9, 13).reduce((sum, ticks) => sum + ticks, 0) / 100 };
}

function secondsOf(is: (one: { pid: number; parent: number }) => boolean): number {
  let sum = 0;
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const one = processOf(name);
      if (is({ pid: Number(name), parent: one.parent })) sum += one.seconds;
    } catch {
      // The process has ended.
    }
  return sum;
}

const samples = await readSamples();
const renamed = (sample: LocalWrite, id: string, more: object): LocalWrite => ({
  ...sample,
  id,
  data: { ...sample.data, ...more },
});

await using server = await startPostgres({ durable: true });
const direct = await server.database();
const relayed = new URL(direct);
relayed.port = String(await startRelay(server.port));
await using office = new End({
  ...GATEWAY_ENVIRONMENT,
  NODE_OPTIONS: gatewayFlags('cloud').join(' '),
  HEADFRAME_ROLE: 'cloud',
  HEADFRAME_DATABASE: relayed.href,
});
await office.start();

let pushes = 0;
const sites: { site: WireSite; ids: string[] }[] = [];
for (let i = 0; i < gateways; i++) {
  const of = { url: `http://127.0.0.1:${office.port}`, address: `127.1.0.${1 + i}` };
  const site = new WireSite({
    ...(await enrolWireSite(office.client(), of, `Site ${i}`)),
    pushed: () => void pushes++,
  });
  site.commit([renamed(samples.project, site.project, { name: `Site ${i}` })]);
  const ids = Array.from({ length: machines }, () => newId('equipment'));
  for (const [n, id] of ids.entries())
    site.commit([
      renamed(samples.machine, id, { unit_number: `HT-${n}`, serial_number: `CAT0777G${1_000 + n}` }),
      renamed(samples.live, id, {}),
      renamed(samples.event, newId('event'), { subject: { object: 'equipment', id } }),
    ]);
  sites.push({ site, ids });
  await site.drain();
}

let number = 0;
/** A change of a person: a new name, and its event. */
function change({ site, ids }: (typeof sites)[number]): void {
  const n = number++;
  const id = ids[n % ids.length] as string;
  const event = renamed(samples.event, newId('event'), { subject: { object: 'equipment', id } });
  site.commit([renamed(samples.machine, id, { unit_number: `HT-${n % ids.length}`, name: `Truck ${n}` }), event]);
}

async function run(count: number): Promise<void> {
  const turns = Array.from({ length: count }, () => sites).flat();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let one = turns[next++]; one !== undefined; one = turns[next++]) {
      for (let i = 0; i < changes; i++) change(one);
      // The server may have closed a connection that nobody used for some seconds.
      await one.site.drain().catch(() => one.site.drain());
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, gateways) }, worker));
}

const [row] = await server.query(direct, "SELECT pid FROM pg_stat_activity WHERE backend_type='checkpointer'");
const main = processOf(Number(row?.[0])).parent;
async function figures(): Promise<Record<string, number>> {
  const [at] = await server.query(direct, "SELECT pg_current_wal_lsn() - '0/0'");
  const { bytes, received, turns, messages } = sent;
  const of = (...types: string[]): number => types.reduce((sum, type) => sum + (messages.get(type) ?? 0), 0);
  return {
    head_office_s: secondsOf(({ pid }) => pid === office.pid),
    postgresql_s: secondsOf(({ pid, parent }) => [pid, parent].includes(main)),
    pushes,
    ...{ statements: of('E', 'Q'), parses: of('P'), round_trips: turns, bytes_sent: bytes, bytes_received: received },
    wal_bytes: Number(at?.[0]),
  };
}

// The code must be compiled and the caches of the server full.
await run(Math.ceil(rounds / 2));
const before = await figures();
await run(rounds);
const after = await figures();
const used = Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
const { head_office_s = 0, postgresql_s = 0, pushes: count = 0, ...counts } = used;
const each = (value: number): number => Math.round((100 * value) / count) / 100;
console.log(
  JSON.stringify({
    ...{ gateways, pushes: count, changes: gateways * rounds * changes, at_once: atOnce },
    head_office_ms_per_push: each(head_office_s * 1000),
    postgresql_ms_per_push: each(postgresql_s * 1000),
    per_push: Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, each(value)])),
  }),
);
for (const { site } of sites) site[Symbol.dispose]();
await office[Symbol.asyncDispose]();
await server[Symbol.asyncDispose]();
process.exit(0);
