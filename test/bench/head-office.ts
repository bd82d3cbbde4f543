/**
 * Measures real processes of head office on PostgreSQL with many sites: `node test/bench/head-office.ts [--processes 1] [--gateways 50]
 * [--rate 20] [--seconds 30] [--idle 500] [--sites 1000] [--machines 50] [--keys 1000]`. A part whose number is 0 is left out. The server
 * waits for the disk at each COMMIT. The sites are those of `test/support/wire-site.ts` and run in the process of this program, so they,
 * PostgreSQL and head office share the processors. Prints one JSON line for each part:
 *
 *   keys    one Idempotency-Key at two processes of head office at the same time, over HTTP: how many machines were made
 *   load    sites that make so many changes a second and send them as real sites do: how long head office takes for a push
 *   idle    memory of head office for each site that only waits for hints
 *   sites   that many sites in one database, each with 3 open repair tickets and 2 active alerts: how long the list of sites, the first page
 *           of a site and the lists over all sites take
 */

import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LocalWrite } from '#domain/sync/node.ts';
import { GATEWAY_ENVIRONMENT, gatewayFlags } from '#host/memory.ts';
import { openStore } from '#store/open-store.ts';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { enrolWireSite, newId, readSamples, type Samples, WireSite } from '#test/support/wire-site.ts';
import { End } from '#test/sync/ends.ts';

const { values: args } = parseArgs({
  options: {
    processes: { type: 'string', default: '1' },
    gateways: { type: 'string', default: '50' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
    idle: { type: 'string', default: '500' },
    sites: { type: 'string', default: '1000' },
    machines: { type: 'string', default: '50' },
    keys: { type: 'string', default: '1000' },
  },
});
const [processes, gateways, rate, seconds] = [args.processes, args.gateways, args.rate, args.seconds].map(Number) as [
  number,
  number,
  number,
  number,
];
const [idle, sites, machines, keys] = [args.idle, args.sites, args.machines, args.keys].map(Number) as [
  number,
  number,
  number,
  number,
];
/** The priority of the sites (nice) while they send. Head office and PostgreSQL have 0. */
const SITES_PRIORITY = 10;
const say = (part: string, result: object): void => console.log(JSON.stringify({ part, ...result }));
const samples = await readSamples();
await using server = await startPostgres({ durable: true });

/** Processes of head office with one database and one key file. */
async function startOffices(count: number, database: string, more: Record<string, string> = {}): Promise<End[]> {
  const ends: End[] = [];
  for (let i = 0; i < count; i++) {
    // Node.js gets the same flags as from `headframe start`.
    const flags = { ...GATEWAY_ENVIRONMENT, NODE_OPTIONS: gatewayFlags('cloud').join(' ') };
    const end = new End({ ...flags, HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: database, ...more });
    const [first] = ends;
    if (first !== undefined) copyFileSync(join(first.folder, 'secret.key'), join(end.folder, 'secret.key'));
    ends.push(await end.start());
  }
  return ends;
}

const urlOf = (end: End | undefined): string => `http://127.0.0.1:${end?.port}`;
/** An address of this computer for each site. */
const addressOf = (i: number): string => `127.${1 + (i >> 16)}.${(i >> 8) & 255}.${1 + (i & 127)}`;
/** A process of this computer: its parent, and the clock ticks (10 ms) that it and its ended children used. */
function processOf(pid: number | string): { parent: number; ticks: number } {
  const [, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  return { parent: parent ?? 0, ticks: rest.slice(9, 13).reduce((sum, ticks) => sum + ticks, 0) };
}

/** Seconds of processor time until now: of head office, PostgreSQL, the sites in this process, and all programs of this computer. */
async function processorSeconds(offices: readonly End[], database: string): Promise<Record<string, number>> {
  const [row] = await server.query(database, "SELECT pid FROM pg_stat_activity WHERE backend_type='checkpointer'");
  const main = processOf(Number(row?.[0])).parent;
  const all = readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [{ pid: Number(name), ...processOf(name) }] : [];
    } catch {
      // The process has ended.
      return [];
    }
  });
  const sum = (is: (one: { pid: number; parent: number }) => boolean): number =>
    all.filter(is).reduce((ticks, one) => ticks + one.ticks, 0) / 100;
  const pids = offices.map(({ pid }) => pid);
  const [, ...columns] = readFileSync('/proc/stat', 'utf8').split('\n', 1).join().split(/ +/).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = columns;
  return {
    head_office: sum(({ pid }) => pids.includes(pid)),
    postgresql: sum(({ pid, parent }) => [pid, parent].includes(main)),
    sites: sum(({ pid }) => pid === process.pid),
    all: (user + nice + system + irq + softirq) / 100,
  };
}
const at = (times: readonly number[], share: number): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0);

function renamed(sample: LocalWrite, id: string, more: object): LocalWrite {
  return { ...sample, id, data: { ...sample.data, ...more } };
}

/** A machine as its site makes it: the record, its live document and its event. */
function machineOf({ machine, live, event }: Samples, id: string, i: number): LocalWrite[] {
  const unit_number = `HT-${i}`;
  return [
    renamed(machine, id, { unit_number, name: `Haul truck ${i}`, serial_number: `CAT0777G${1_000 + i}` }),
    renamed(live, id, {}),
    renamed(event, newId('event'), { subject: { object: 'equipment', id } }),
  ];
}

/** Fills a site with machines, and returns their ids. */
function fill(site: WireSite, name: string, count: number): string[] {
  site.commit([renamed(samples.project, site.project, { name })]);
  const ids = Array.from({ length: count }, () => newId('equipment'));
  for (const [i, id] of ids.entries()) site.commit(machineOf(samples, id, i));
  return ids;
}

async function measureKeys(): Promise<void> {
  const offices = await startOffices(2, await server.database(), { HEADFRAME_REQUESTS_PER_MINUTE: '1000000' });
  const [one, other] = offices as [End, End];
  const { project } = await one.client().call('projects_create', { name: 'Yard', timezone: 'UTC' });
  let same = 0;
  const refused: Record<string, number> = {};
  for (let i = 0; i < keys; i++) {
    const make = async (end: End) => {
      const answer = await fetch(`${urlOf(end)}/api/v1/equipment`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${end.key}`,
          'project-id': project.id,
          'idempotency-key': `key-${i}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ unit_number: `HT-${i}` }),
      });
      const body = (await answer.json()) as { id?: string; error?: { code: string } };
      return { status: answer.status, id: body.id, code: body.error?.code };
    };
    const answers = await Promise.all([make(one), make(other)]);
    for (const { code } of answers) if (code !== undefined) refused[code] = (refused[code] ?? 0) + 1;
    if (answers[0]?.id !== undefined && answers[0].id === answers[1]?.id) same++;
  }
  const [count] = await server.query(
    String(one.database),
    "SELECT count(*) FROM headframe.records WHERE object='equipment'",
  );
  say('keys', { keys, machines: Number(count?.[0]), same_answer: same, refused });
  for (const office of offices) await office[Symbol.asyncDispose]();
}

async function measureLoad(): Promise<void> {
  const database = await server.database();
  const offices = await startOffices(processes, database);
  const pushes: number[] = [];
  let isMeasured = false;
  const all: WireSite[] = [];
  const machinesOf: string[][] = [];
  for (let i = 0; i < gateways; i++) {
    const office = offices[i % processes] as End;
    const enrolled = await enrolWireSite(office.client(), { url: urlOf(office), address: addressOf(i) }, `Site ${i}`);
    const site = new WireSite({ ...enrolled, pushed: (ms) => void (isMeasured && pushes.push(ms)) });
    machinesOf.push(fill(site, `Site ${i}`, rate));
    all.push(site);
    await site.drain();
  }
  // Real sites have computers of their own. So head office and PostgreSQL come first, and the sites take the processor time that is left.
  setPriority(SITES_PRIORITY);
  const running = all.flatMap((site) => [site.follow(), site.listen()]);
  let changes = 0;
  const begin = performance.now();
  const until = begin + (seconds + 5) * 1000;
  /** A change of a person: a new name, and its event. */
  const write = async (site: WireSite, ids: readonly string[], i: number): Promise<void> => {
    const from = begin + (1000 * i) / gateways / rate;
    for (let n = 0; performance.now() < until; n++) {
      // A change that is late does not delay the later ones, so that the number of changes does not depend on head office.
      await pause(Math.max(0, from + (1000 * n) / rate - performance.now()));
      const id = ids[n % ids.length] as string;
      const event = renamed(samples.event, newId('event'), { subject: { object: 'equipment', id } });
      site.commit([renamed(samples.machine, id, { unit_number: `HT-${n % ids.length}`, name: `Truck ${n}` }), event]);
      if (isMeasured) changes++;
    }
  };
  let failed = 0;
  for (const one of running) one.catch(() => void (isMeasured && failed++));
  let used: Promise<Record<string, number>> | undefined;
  setTimeout(() => {
    used = processorSeconds(offices, database);
    isMeasured = true;
  }, 5_000);
  await Promise.all(all.map((site, i) => write(site, machinesOf[i] ?? [], i)));
  const [before, after] = [await used, await processorSeconds(offices, database)];
  isMeasured = false;
  for (const site of all) site[Symbol.dispose]();
  await Promise.allSettled(running);
  const share = ([name, now]: [string, number]): [string, number] => [
    name,
    Math.round((100 * (now - (before?.[name] ?? 0))) / seconds) / 100,
  ];
  say('load', {
    ...{
      processes,
      gateways,
      changes_a_second: Math.round(changes / seconds),
      pushes_a_second: pushes.length / seconds,
    },
    ...{ p50_ms: at(pushes, 0.5), p95_ms: at(pushes, 0.95), p99_ms: at(pushes, 0.99), longest_ms: at(pushes, 0.9999) },
    stopped: failed,
    processors: Object.fromEntries(Object.entries(after).map(share)),
  });
  for (const office of offices) await office[Symbol.asyncDispose]();
}

const memoryOf = ({ pid }: End): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function measureIdle(): Promise<void> {
  const [office] = (await startOffices(1, await server.database(), { HEADFRAME_REQUESTS_PER_MINUTE: '100000' })) as [
    End,
  ];
  const rest = async (): Promise<number> => {
    await pause(10_000);
    return memoryOf(office);
  };
  const before = await rest();
  const all: WireSite[] = [];
  for (let i = 0; i < idle; i++) {
    const of = { url: urlOf(office), address: addressOf(i) };
    const site = new WireSite(await enrolWireSite(office.client(), of, `Site ${i}`));
    fill(site, `Site ${i}`, 1);
    await site.drain();
    all.push(site);
  }
  const enrolled = await rest();
  const running = all.map((site) => site.listen());
  const waiting = await rest();
  for (const site of all) site[Symbol.dispose]();
  await Promise.allSettled(running);
  const each = (mb: number): number => Math.round((1000 * (mb - before)) / idle) / 1000;
  say('idle', {
    gateways: idle,
    before_mb: Math.round(before),
    enrolled_mb_each: each(enrolled),
    waiting_mb_each: each(waiting),
  });
  await office[Symbol.asyncDispose]();
}

/** An active alert of a real site. */
async function readAlert(): Promise<LocalWrite> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-sample-'));
  try {
    const project = await makeAlert(folder);
    await using store = await openStore({
      folder,
      clock: Date.now,
      random: (count) => new Uint8Array(randomBytes(count)),
    });
    const [alert] = await store.view(project).find('live', { object: 'alert', limit: 1 });
    if (alert === undefined) throw new Error('a site makes no alert');
    return { collection: 'live', id: alert.id, object: alert.object, data: alert.data };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeAlert(folder: string): Promise<string> {
  await using site = await startGateway(folder);
  const { project } = await site.client.call('projects_create', { name: 'Quarry', timezone: 'UTC' });
  const here = site.project(project.id);
  const rule = { name: 'Too fast', signal: 'vehicle.speed', op: 'gt', value: 60, severity: 'warning' } as const;
  await here.call('alert_rules_create', rule);
  const { device_id, key } = await addMachine(here, 'HT-1');
  const device = await connectDevice(site.node.mqttPort, { device_id, key });
  const values = JSON.stringify({ values: { 'vehicle.speed': 75 } });
  await device.publishAsync(`v1/devices/${device_id}/telemetry`, values, { qos: 1 });
  await until(async () => (await here.call('alerts_list', { state: 'active' })).data.length > 0, 'the alert');
  await device.endAsync();
  return project.id;
}

/** Makes repair tickets and alerts of the first machines of a site. */
function trouble(site: WireSite, ids: readonly string[], alert: LocalWrite): void {
  for (const [i, equipment_id] of ids.slice(0, 3).entries())
    site.commit([
      renamed(samples.ticket, newId('repair_ticket'), { equipment_id, number: `RT-${i}`, safety_critical: i === 0 }),
    ]);
  for (const machine_id of ids.slice(0, 2)) site.commit([renamed(alert, newId('alert'), { machine_id })]);
}

async function measureSites(): Promise<void> {
  const alert = await readAlert();
  const database = await server.database();
  const [office] = (await startOffices(1, database, { HEADFRAME_REQUESTS_PER_MINUTE: '1000000' })) as [End];
  const begin = performance.now();
  const projects: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sites) {
      const i = next++;
      const of = { url: urlOf(office), address: addressOf(i) };
      using site = new WireSite(await enrolWireSite(office.client(), of, `Site ${i}`));
      trouble(site, fill(site, `Site ${i}`, machines), alert);
      await site.drain();
      projects.push(site.project);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  say('fill', { sites, machines: sites * machines, seconds: Math.round((performance.now() - begin) / 1000) });
  const time = async (name: string, tries: number, work: (i: number) => Promise<unknown>): Promise<void> => {
    const times: number[] = [];
    for (let i = 0; i < tries; i++) {
      const from = performance.now();
      await work(i);
      times.push(performance.now() - from);
    }
    const ms = { first_ms: at(times.slice(0, 1), 0), p50_ms: at(times, 0.5), p95_ms: at(times, 0.95) };
    say('sites', { what: name, tries, ...ms, slowest_ms: at(times, 0.9999) });
  };
  const client = office.client();
  const measure = async (when: string): Promise<void> => {
    await time(`${when}: sync_status`, 50, () => client.call('sync_status', {}));
    await time(`${when}: projects_list`, 50, () => client.call('projects_list', { limit: 50 }));
    await time(`${when}: equipment_list of 50`, 100, (i) =>
      office.client(projects[(i * 37) % projects.length]).call('equipment_list', { limit: 50 }),
    );
    await time(`${when}: alerts_list`, 100, (i) =>
      office.client(projects[(i * 37) % projects.length]).call('alerts_list', { limit: 50 }),
    );
    await time(`${when}: repair_tickets_list`, 100, (i) =>
      office.client(projects[(i * 37) % projects.length]).call('repair_tickets_list', { limit: 50 }),
    );
    await time(`${when}: fleet_equipment_list`, 50, () => client.call('fleet_equipment_list', { limit: 50 }));
    await time(`${when}: fleet_equipment_list in trouble`, 50, () =>
      client.call('fleet_equipment_list', { limit: 50, in_trouble: true }),
    );
    await time(`${when}: fleet_repair_tickets_list`, 50, () => client.call('fleet_repair_tickets_list', { limit: 50 }));
    await time(`${when}: fleet_alerts_list`, 50, () => client.call('fleet_alerts_list', { limit: 50 }));
  };
  await measure('warm');
  await office.kill();
  const from = performance.now();
  await office.start();
  say('sites', { what: 'start of head office', seconds: Math.round(performance.now() - from) / 1000 });
  await measure('after a start');
  say('sites', { memory_mb: Math.round(memoryOf(office)) });
  await office[Symbol.asyncDispose]();
}

if (keys > 0) await measureKeys();
if (idle > 0) await measureIdle();
if (sites > 0) await measureSites();
// The last part, because it lowers the priority of this process.
if (gateways > 0) await measureLoad();
await server[Symbol.asyncDispose]();
process.exit(0);
