/**
 * What the exchange with head office costs a site: `node test/bench/sync-cost.ts [idle|outage|line] [--machines 20] [--seconds 60] [--hours 8]`
 *
 *   idle     processor time of a site that nobody uses, without a link and in step with head office
 *   outage   heap and memory of a site that works some hours while head office does not run. The hours pass faster: loggers send frames with
 *            the times of the last hours, as fast as they are taken
 *   line     two benches of the line, each without and with an enrolled head office in turn: `sustained.ts` and `line.ts`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodeBinary } from '#codec/can-binary.ts';
import { type Client, createClient } from '#contract/client.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { fleetOf } from '#simulator/fleet.ts';
import { createSite } from '#simulator/site.ts';
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { askFigures, type GatewayProcess, memoryMb, processorSeconds, startGatewayProcess } from './gateway-process.ts';

const { values, positionals } = parseArgs({
  options: {
    machines: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
    hours: { type: 'string', default: '8' },
  },
  allowPositionals: true,
});
const [machines, seconds, hours] = [values.machines, values.seconds, values.hours].map(Number) as [
  number,
  number,
  number,
];
const SEED = 1;
const HOUR_MS = 3_600_000;
const STEP_MS = 10_000;
const WINDOW = 10;
const WARM_UP_MS = 20_000;
const ROUNDS = 2;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Calls a function with a folder that is removed afterwards. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-cost-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const clientOf = ({ http }: GatewayProcess, project_id?: string): Client =>
  createClient({ base_url: http, key: OWNER_KEY, ...(project_id !== undefined && { project_id }) });

/** Starts a process with settings that the process of this bench does not have. */
async function start(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  Object.assign(process.env, settings);
  try {
    return await startGatewayProcess(folder);
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
  }
}

const startCloud = (folder: string): Promise<GatewayProcess> => start(folder, { HEADFRAME_ROLE: 'cloud' });

async function connectSite(cloud: GatewayProcess, site: GatewayProcess): Promise<void> {
  const { code } = await clientOf(cloud).call('sync_enrolments_create', { name: 'Quarry' });
  await clientOf(site).call('sync_link_set', { cloud_url: cloud.http, code });
  await until(async () => {
    const { state, projects } = await clientOf(site).call('sync_status', {});
    return state === 'in_step' && projects.length > 0 && projects.every(({ waiting }) => waiting === 0);
  }, 'the site is in step');
}

async function newProject(site: GatewayProcess): Promise<Client> {
  const { project } = await clientOf(site).call('projects_create', { name: 'Quarry', timezone: 'UTC' });
  return clientOf(site, project.id);
}

/** The share of one core that a process uses while nobody asks it anything. */
async function coreOf({ pid }: GatewayProcess): Promise<number> {
  await sleep(WARM_UP_MS);
  const before = processorSeconds(pid);
  await sleep(seconds * 1_000);
  return (processorSeconds(pid) - before) / seconds;
}

async function measureIdle(folder: string, cloudFolder: string): Promise<void> {
  await using cloud = await startCloud(cloudFolder);
  await using site = await start(folder);
  const client = await newProject(site);
  for (const { unit } of fleetOf(SEED, machines)) await addMachine(client, unit);
  const alone = await coreOf(site);
  await connectSite(cloud, site);
  const linked = await coreOf(site);
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
  say(
    `idle site with ${machines} machines: ${percent(alone)} of a core without a link, ${percent(linked)} in step; difference ${percent(linked - alone)}`,
  );
}

async function measureOutage(folder: string, cloudFolder: string): Promise<void> {
  await using cloud = await startCloud(cloudFolder);
  await using site = await start(folder);
  const client = await newProject(site);
  const end_ms = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const start_ms = end_ms - hours * HOUR_MS;
  const roster = fleetOf(SEED, machines);
  const quarry = createSite({ seed: SEED, start_ms, roster, zone_ms: 8 * HOUR_MS - (start_ms % (24 * HOUR_MS)) });
  const batches = roster.map(() => new FrameBatch(8_192));
  const loggers: { mqtt: Awaited<ReturnType<typeof connectDevice>>; topic: string; id: string }[] = [];
  for (const { unit } of roster) {
    const machine = await addMachine(client, unit);
    const mqtt = await connectDevice(site.mqtt, machine);
    loggers.push({ mqtt, topic: `v1/devices/${machine.device_id}/can`, id: machine.equipment_id });
  }
  await connectSite(cloud, site);
  await cloud.kill();
  let seq = 0;
  const heaps: string[] = [];
  for (let at = start_ms, hour = 0; at < end_ms; ) {
    const sent: Promise<unknown>[] = [];
    for (let i = 0; i < WINDOW && at < end_ms; i++, at += STEP_MS) {
      quarry.advance(at + STEP_MS, batches, 1_000);
      seq++;
      for (const [k, { mqtt, topic }] of loggers.entries()) {
        const batch = batches[k] as FrameBatch;
        if (batch.count > 0) sent.push(mqtt.publishAsync(topic, Buffer.from(encodeBinary(batch, seq)), { qos: 1 }));
        batch.clear();
      }
    }
    // People work meanwhile: 20 edits an hour of each machine.
    const { id } = loggers[seq % loggers.length] as { id: string };
    sent.push(client.call('equipment_update', { id, name: `Crew ${seq}` }));
    await Promise.all(sent);
    if (at - start_ms < (hour + 1) * HOUR_MS) continue;
    hour++;
    const { heap_used_mb, external_mb } = await askFigures(site.http);
    heaps.push(`${hour} h: heap ${heap_used_mb} MB, buffers ${external_mb} MB, resident ${memoryMb(site.pid).now} MB`);
    say(heaps.at(-1) as string);
  }
  const { projects } = await clientOf(site).call('sync_status', {});
  say(`${projects.reduce((sum, { waiting }) => sum + waiting, 0)} commits wait`);
  for (const { mqtt } of loggers) await mqtt.endAsync();
}

/** Runs a bench with settings, and returns the numbers that a pattern finds in its text. */
function runBench(args: readonly string[], settings: Readonly<Record<string, string>>): string {
  const env = { ...process.env, ...settings };
  const { stdout, status } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0 && stdout === '') throw new Error(`${args.join(' ')} ended with ${status}`);
  return stdout;
}

async function measureLine(cloudFolder: string): Promise<void> {
  await using cloud = await startCloud(cloudFolder);
  const benches = [
    ['test/bench/sustained.ts', '20', '0', '10', 'binary'],
    ['test/bench/line.ts', '20', '10', '30'],
  ];
  for (const bench of benches)
    for (let round = 0; round < ROUNDS; round++)
      for (const isLinked of [false, true]) {
        const settings: Record<string, string> = {};
        if (isLinked) {
          const { code } = await clientOf(cloud).call('sync_enrolments_create', { name: `Bench ${Date.now()}` });
          Object.assign(settings, { HEADFRAME_CLOUD_URL: cloud.http, HEADFRAME_ENROL_CODE: code });
        }
        const text = runBench(bench, settings);
        say(`--- ${bench.join(' ')}, ${isLinked ? 'with' : 'without'} head office\n${text.trim()}`);
      }
  const { gateways } = await clientOf(cloud).call('sync_status', {});
  say(
    `${gateways.length} gateways were enrolled, with ${gateways.flatMap(({ projects }) => projects).length} projects`,
  );
}

const what = positionals[0] ?? 'idle';
await withFolder((cloud) =>
  withFolder((site) =>
    what === 'line' ? measureLine(cloud) : what === 'outage' ? measureOutage(site, cloud) : measureIdle(site, cloud),
  ),
);
