/**
 * `NFDELAY=PATH node test/bench/sync-drain.ts [--days 30] [--machines 12] [--kbit 256] [--rtt 600] [--loss 5]`: a site works some days without a
 * link, and then sends over a bad one. Then raw TCP sends over the same link for a minute. Meanwhile alerts are raised at the
 * site, and a ticket was edited at both ends. With TEST_KILLS, one of the two ends is killed so many times meanwhile.
 */
import { once } from 'node:events';
import { createServer, connect as dial } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, type TestMachine } from '#test/support/gateway.ts';
import { killsOf } from '#test/support/kills.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from '#test/sync/ends.ts';
import { BadLink, enterNamespace } from './bad-link.ts';

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    machines: { type: 'string', default: '12' },
    kbit: { type: 'string', default: '256' },
    rtt: { type: 'string', default: '600' },
    loss: { type: 'string', default: '5' },
  },
});
const [days, machines, kbit, rtt_ms, loss_percent] = [
  values.days,
  values.machines,
  values.kbit,
  values.rtt,
  values.loss,
].map(Number) as [number, number, number, number, number];
enterNamespace();

const DAY_MS = 86_400_000;
/** The clock of a process 20 minutes ahead, by Debian's libfaketime. */
const LATER = {
  LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  FAKETIME: '+20m',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};
/** An alert is raised after this time since the last one. */
const ALERT_EVERY_MS = 3_000;
/** Raw TCP is measured for this time. */
const RAW_MS = 60_000;
/** Machines of which each raises one alert. */
const SPARE = 100;
const random = new Random(TEST_SEED);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const quantile = (list: readonly number[], q: number): number =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? Number.NaN;

/** A minute of a machine at work, as its logger would send it. */
function pointsOf(day: number, part: number): { observed_at: string; values: Record<string, number> }[] {
  const from = Date.now() - (days - day) * DAY_MS + part * 6 * 3_600_000;
  let [speed, fuel] = [1_400, 80];
  return Array.from({ length: 360 }, (_, i) => {
    speed = Math.max(600, Math.min(2_100, speed + random.between(-80, 80)));
    fuel -= 0.02;
    return {
      observed_at: new Date(from + i * 60_000).toISOString(),
      values: {
        'engine.speed': Math.round(speed * 8) / 8,
        'fuel.level': Math.round(fuel / 0.4) * 0.4,
        'engine.coolant_temperature': Math.round(80 + random.between(0, 8)),
        'engine.hours': 5_000 + day * 8 + part * 2 + Math.round(i / 3) * 0.05,
      },
    };
  });
}

async function workOneDay(client: Client, fleet: readonly TestMachine[], day: number): Promise<void> {
  for (const { device, equipment_id } of fleet) {
    for (let part = 0; part < 3; part++)
      await client.call('devices_telemetry', { id: device, points: pointsOf(day, part) });
    const title = `Inspection of day ${day}: ${random.int(1_000)} kPa, ${random.int(90)} mm`;
    await client.call('repair_tickets_create', { equipment_id, title });
    for (let i = 0; i < 6; i++)
      await client.call('equipment_update', { id: equipment_id, name: `Truck, day ${day}, crew ${random.int(900)}` });
  }
}

/** Sends over plain TCP, as one stream, for a time; returns how many bytes arrived in a second. */
async function sendRaw(port: number, ms: number): Promise<number> {
  let got = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      got += chunk.length;
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const socket = dial(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const from = performance.now();
  socket.write(Buffer.alloc(64 << 20, 7));
  await sleep(ms);
  const rate = got / ((performance.now() - from) / 1_000);
  socket.destroy();
  server.close();
  return rate;
}

interface Alert {
  readonly equipment_id: string;
  readonly at: number;
  seen?: number;
}

/** Raises alerts at the site, and looks at head office beside the link when each is there. */
async function raiseAlerts(fleet: readonly TestMachine[], isOver: () => boolean): Promise<Alert[]> {
  const alerts: Alert[] = [];
  const look = async (): Promise<void> => {
    const { data } = await cloud.client(project).call('alerts_list', { limit: 200 });
    const ids = JSON.stringify(data);
    for (const alert of alerts) if (ids.includes(alert.equipment_id)) alert.seen ??= Date.now();
  };
  let next = 0;
  while (!isOver() || alerts.some(({ seen, at }) => seen === undefined && Date.now() - at < 60_000)) {
    const machine = fleet[next];
    if (!isOver() && machine !== undefined && Date.now() - (alerts.at(-1)?.at ?? 0) >= ALERT_EVERY_MS) {
      next++;
      alerts.push({ equipment_id: machine.equipment_id, at: Date.now() });
      await site
        .client(project)
        .call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.oil_pressure': 10 } }] })
        // The site is killed now, so nothing says that this alert exists.
        .catch(() => alerts.pop());
    }
    await look().catch(() => {});
    await sleep(50);
  }
  return alerts;
}

/** Kills one of the two ends at random instants. */
async function killEnds(kills: number, isOver: () => boolean): Promise<number> {
  let done = 0;
  while (done < kills && !isOver()) {
    await sleep(random.between(500, 6_000));
    const end = random.chance(0.5) ? site : cloud;
    await end.kill();
    await end.start(LATER);
    done++;
  }
  return done;
}

const LIMITS = { HEADFRAME_REQUESTS_PER_MINUTE: '1000000' };
await using cloud = await new End({ HEADFRAME_ROLE: 'cloud', ...LIMITS }).start();
await using site = await new End(LIMITS).start();
await using proxy = await startCutProxy(cloud.port, 1);
const raw = proxy.port + 1;
await using link = new BadLink([proxy.port, raw]);
const project = await enrol(cloud, site, `http://127.0.0.1:${proxy.port}`);
const here = site.client(project);
const fleet: TestMachine[] = [];
for (let i = 0; i < machines; i++) fleet.push(await addMachine(here, `HT-${i}`));
const spare: TestMachine[] = [];
for (let i = 0; i < SPARE; i++) spare.push(await addMachine(here, `AL-${i}`));
await here.call('alert_rules_create', {
  name: 'Oil',
  signal: 'engine.oil_pressure',
  op: 'lt',
  value: 50,
  severity: 'critical',
});
const { id: ticket } = await here.call('repair_tickets_create', {
  equipment_id: fleet[0]?.equipment_id ?? '',
  title: 'Both',
});
await site.inStep();
proxy.cut();
await until(async () => (await site.status()).state === 'offline', 'the site is offline');
for (let day = 0; day < days; day++) await workOneDay(here, fleet, day);
await here.call('repair_tickets_update', { id: ticket, priority: 'high' });
await cloud.client(project).call('repair_tickets_update', { id: ticket, description: 'Of head office' });
// History is sealed and copied ten minutes after its last value. The clocks of both ends are set on, so that nobody waits for that.
await site.kill();
await cloud.kill();
await cloud.start(LATER);
await site.start(LATER);
const sampled = async (): Promise<number> => {
  const { projects } = await site.status();
  return projects
    .flatMap(({ lanes }) => lanes.filter(({ lane }) => lane === 'samples'))
    .reduce((sum, { waiting }) => sum + waiting, 0);
};
for (let last = -1, now = 0; now !== last || now === 0; now = await sampled()) {
  last = now;
  await sleep(15_000);
}
await site.kill();
await link.shape({ kbit, rtt_ms, loss_percent, seed: TEST_SEED });
proxy.open();
const before = { ...proxy.counts };
await site.start(LATER);
await until(() => Promise.resolve(proxy.counts.up > before.up), 'the first byte');
const from = performance.now();
const waiting = (await site.status()).projects.flatMap(({ lanes }) =>
  lanes.map(({ lane, waiting: n }) => `${lane} ${n}`),
);
say(`${days} days of ${machines} machines without a link: ${waiting.join(', ')} commits wait`);
let isOver = false;
const alerting = raiseAlerts(spare, () => isOver);
const killing = killEnds(killsOf(0), () => isOver);
await untilSent();
isOver = true;
const seconds = (performance.now() - from) / 1_000;
const [up, down] = [proxy.counts.up - before.up, proxy.counts.down - before.down];
const kills = await killing;
const alerts = await alerting;
const delays = alerts.map(({ at, seen }) => (seen === undefined ? Number.POSITIVE_INFINITY : (seen - at) / 1_000));
say(
  `drain: ${(up / 1e6).toFixed(2)} MB up and ${(down / 1e6).toFixed(2)} MB down in ${seconds.toFixed(1)} s, ${kills} kills`,
);
say(
  `${delays.length} alerts: p50 ${quantile(delays, 0.5).toFixed(2)} s, p95 ${quantile(delays, 0.95).toFixed(2)} s, p99 ${quantile(delays, 0.99).toFixed(2)} s`,
);
if (kills === 0) await compare(up / seconds);
await link.clear();
await site.inStep();
const { data } = await site.client(project).call('sync_verify', {});
say(`receipt: ${data.map(({ verdict, sentence }) => `${verdict}: ${sentence}`).join(' ')}`);
for (const end of [site, cloud]) {
  const { priority, description } = await end.client(project).call('repair_tickets_get', { id: ticket });
  say(`the ticket that both edited: priority ${priority}, description ${description}`);
}

async function untilSent(): Promise<void> {
  for (;;) {
    const status = await site.status().catch(() => undefined);
    if (status?.state === 'in_step' && status.projects.every((each) => each.waiting === 0)) return;
    await sleep(100);
  }
}

async function compare(rate: number): Promise<void> {
  const rawRate = await sendRaw(raw, RAW_MS);
  const kb = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB/s`;
  const ratio = (rate / rawRate).toFixed(2);
  say(`the site sent ${kb(rate)}, and raw TCP in ${RAW_MS / 1_000} s after it ${kb(rawRate)}; ratio ${ratio}`);
}
