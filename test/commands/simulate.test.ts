/** The simulated site against the real gateway, and the command around it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openLogFile } from '#bridge/log-file.ts';
import { openPublisher } from '#bridge/publisher.ts';
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { SlcanParser } from '#codec/slcan.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { fleetOf } from '#simulator/fleet.ts';
import type { LoggerMessage, LoggerRow } from '#simulator/logger.ts';
import { createSimulation } from '#simulator/simulation.ts';
import { createSite } from '#simulator/site.ts';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';

const cli = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const folder = mkdtempSync(join(tmpdir(), 'headframe-simulate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function simulate(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [cli, 'simulate', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const MINUTE_MS = 60_000;
const SEED = 5;
const START_MS = Date.UTC(2026, 5, 1, 8);
/** By now the machines that break have a trouble each, early or late in its course. */
const LISTEN_MS = START_MS + 70 * MINUTE_MS;
/** The totals of the last minute are out. */
const END_MS = LISTEN_MS + 12 * MINUTE_MS + 2_000;

const stormy = { batch_ms: 1_000, repeats: 0.1, outages: { up_s: [30, 120], down_s: [20, 150] } } as const;
const loggers: readonly LoggerRow[] = [
  // Ten years ahead: every frame is from the gateway's future, and only its time can tell a repeat.
  { ...stormy, numbered: false, clock: { kind: 'offset', by_ms: 3_650 * 86_400_000 } },
  { ...stormy, numbered: true, clock: { kind: 'zone', hours: -7 } },
  { ...stormy, numbered: true, clock: { kind: 'none' } },
  // Its clock is set halfway: the dated end is older than the receipt of what came undated before.
  { ...stormy, numbered: true, clock: { kind: 'reset', set_after_s: 300 } },
];

test('wrong clocks, outages and repeats: the gateway ends with the hours, fuel and codes that are true', async () => {
  const roster = fleetOf(SEED, loggers.length).map((row, i) => ({
    ...row,
    logger: loggers[i] as LoggerRow,
    mtbf_h: i === 0 ? 1e6 : 0.01,
    codes: i > 0 ? [] : [3719, 107, 110].map((spn) => ({ spn, fmi: 16, count: 3 })),
  }));
  const site = createSite({ seed: SEED, start_ms: START_MS, roster });
  site.advance(
    LISTEN_MS,
    roster.map(() => new FrameBatch()),
    MINUTE_MS,
  );
  const simulation = createSimulation(site, SEED);

  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Simulated' });
  const client = gateway.project(project.id);
  const machines = await Promise.all(roster.map((row) => addMachine(client, row.unit)));
  await using publishers = new AsyncDisposableStack();
  const lines = await Promise.all(
    machines.map(({ device_id, key }) =>
      openPublisher({ url: `mqtt://127.0.0.1:${gateway.node.mqttPort}`, device_id, key }),
    ),
  );
  for (const line of lines) publishers.use(line);
  const repeated = roster.map(() => 0);
  const send = (machine: number, { frames, seq, repeat }: LoggerMessage) => {
    if (repeat) repeated[machine] = (repeated[machine] as number) + frames.count;
    lines[machine]?.publish(frames, seq);
  };
  while (site.now_ms < END_MS) {
    simulation.advance(Math.min(site.now_ms + 10_000, END_MS), send);
    await Promise.all(lines.map((line) => line.room()));
  }
  simulation.finish(send);

  for (const [i, machine] of machines.entries()) {
    const { counters } = simulation.loggers[i] as (typeof simulation.loggers)[number];
    const device = await eventually(
      () => client.call('devices_get', { id: machine.device }),
      (now) => now.metrics.messages_total === counters.messages,
    );
    assert.ok(counters.outages > 2 && counters.repeats > 50, JSON.stringify(counters));
    const { frames_total, duplicates_total, decode_errors_total } = device.metrics;
    assert.deepEqual([frames_total, duplicates_total, decode_errors_total], [counters.frames, repeated[i], 0]);

    const equipment = await client.call('equipment_get', { id: machine.equipment_id });
    const truth = site.truth(i);
    const told = (value: number, step: number) => Math.round(value / step) * step;
    assert.ok(Math.abs(Number(equipment.engine_hours) - told(truth.engine_hours, 0.05)) < 1e-9, 'engine hours');
    assert.equal(equipment.fuel_used_l, told(truth.fuel_used_l, 0.5));
    const codes = equipment.dtcs?.map((dtc) => [dtc.spn, dtc.fmi, dtc.occurrence_count].join()).sort();
    assert.ok(truth.codes.length > 0);
    assert.deepEqual(codes, truth.codes.map(({ spn, fmi, count }) => [spn, fmi, count].join()).sort());
    const { data: resets } = await client.call('equipment_events', { id: machine.equipment_id, type: 'meter.reset' });
    assert.deepEqual(resets, []);
  }
});

test('the same seed writes the same file, another seed another; every line is a frame', async () => {
  const file = (name: string) => join(folder, name);
  const length = ['--machines', '3', '--for', '90s'];
  const [first, again, other, piped] = await Promise.all([
    simulate('--seed', '3', ...length, '--out', file('a.log')),
    simulate('--seed', '3', ...length, '--out', file('b.log'), '--speed', '0', '--json'),
    simulate('--seed', '4', ...length, '--out', file('c.log')),
    simulate('--seed', '3', ...length, '--out', '-'),
  ]);
  for (const { code, stderr } of [first, again, other]) assert.deepEqual([code, stderr], [0, '']);
  const a = readFileSync(file('a.log'));
  assert.ok(a.equals(readFileSync(file('b.log'))));
  assert.ok(!a.equals(readFileSync(file('c.log'))));
  assert.equal(piped.stdout, a.toString('latin1'));
  assert.match(piped.stderr, /^Seed 3, 2026-06-01T06:30:00 to 2026-06-01T06:31:30 UTC: \d+ frames in \d+ messages/);
  assert.match(first.stdout, /can2 +HT-02 /);

  const batch = new FrameBatch();
  const { frames, unparsable } = parseCandump(a, batch, 0);
  assert.equal(unparsable, 0);
  assert.deepEqual([...new Set(batch.bus.subarray(0, frames))].sort(), [0, 1, 2]);
  const said = JSON.parse(again.stdout);
  assert.deepEqual([said.object, said.seed, said.taken], ['simulation', 3, said.messages]);
  assert.equal(said.machines.length, 3);
  assert.ok(said.machines[0].truth.engine_hours > 0);
});

test('[F53] a simulated log in any format holds the same frames; the same seed is the same bytes', async () => {
  const args = (name: string, machines: string) => [
    '--seed',
    '3',
    '--machines',
    machines,
    '--for',
    '60s',
    '--out',
    join(folder, name),
  ];
  for (const name of ['e.log', 'e.mf4', 'e.asc']) assert.equal((await simulate(...args(name, '2'))).code, 0);
  const framesIn = async (name: string) => {
    await using log = await openLogFile(join(folder, name));
    const rows: string[] = [];
    for await (const batch of log.batches())
      rows.push(...Buffer.from(formatCandump(batch)).toString().trim().split('\n'));
    return rows.sort();
  };
  const wanted = await framesIn('e.log');
  assert.ok(wanted.length > 1_000);
  assert.deepEqual(await framesIn('e.mf4'), wanted);
  assert.deepEqual(await framesIn('e.asc'), wanted);
  assert.equal((await simulate(...args('f.mf4', '2'))).code, 0);
  assert.ok(readFileSync(join(folder, 'e.mf4')).equals(readFileSync(join(folder, 'f.mf4'))));

  // SLCAN has neither bus nor date: as much as one adapter sends, with the milliseconds of a minute.
  assert.equal((await simulate(...args('g.slcan', '1'))).code, 0);
  assert.equal((await simulate(...args('g.log', '1'))).code, 0);
  const heard = new FrameBatch();
  new SlcanParser().parse(readFileSync(join(folder, 'g.slcan')), heard, Date.now() * 1000);
  const sent = new FrameBatch();
  parseCandump(readFileSync(join(folder, 'g.log')), sent, null);
  assert.equal(heard.count, sent.count);
  assert.deepEqual(heard.id.subarray(0, heard.count), sent.id.subarray(0, sent.count));
  assert.deepEqual(heard.data.subarray(0, heard.count * 8), sent.data.subarray(0, sent.count * 8));
});

test('a simulation into the running gateway has a project of its own, and says what is true', async () => {
  await using gateway = await startGateway();
  const args = ['--seed', '8', '--machines', '2', '--for', '2m', '--speed', '0', '--json', '--data', gateway.folder];
  const { code, stdout, stderr } = await simulate(...args);
  assert.deepEqual([code, stderr], [0, '']);
  const said = JSON.parse(stdout);
  const client = gateway.project(said.project_id);
  const { data: projects } = await gateway.client.call('projects_list', {});
  assert.deepEqual(
    projects.map(({ name, simulated }) => [name, simulated]),
    [['Simulated site 8', true]],
  );
  const { data: devices } = await client.call('devices_list', { limit: 10, order: 'asc' });
  assert.deepEqual(devices.map((device) => device.device_id).sort(), ['sim-8-ex-01', 'sim-8-ht-01']);
  for (const { device_id, messages } of said.machines)
    await eventually(
      async () => (await client.call('devices_list', { limit: 10 })).data,
      (now) => now.find((device) => device.device_id === device_id)?.metrics.messages_total === messages,
    );

  // Again, the same machines: nothing is made twice.
  assert.equal((await simulate(...args)).code, 0);
  assert.equal((await client.call('equipment_list', { limit: 10 })).data.length, 2);
});

test('a simulation keeps to its speed', async () => {
  const { code, stdout } = await simulate(
    '--for',
    '30s',
    '--machines',
    '1',
    '--speed',
    '30',
    '--out',
    join(folder, 'd.log'),
    '--json',
  );
  assert.equal(code, 0);
  assert.ok(JSON.parse(stdout).seconds >= 0.95, stdout);
});

test('what cannot be simulated is refused in one sentence', async () => {
  const wrong: readonly [string[], RegExp][] = [
    [['--seed', 'x'], /^--seed must be a whole number/],
    [['--machines', '0'], /^--machines must be a whole number from 1 to 200/],
    [['--for', '8'], /^--for must be a length of time/],
    [['--for', '99d'], /^--for must be a length of time/],
    [['--speed', '-1'], /^--speed must be a number/],
    [['--start', 'monday'], /^--start must be a time/],
    [['--to', 'mf4'], /^--to is for a log/],
    [['--to', 'wav', '--out', '-'], /^--to must be one of candump/],
    [['--to', 'slcan', '--out', '-'], /^A log in the format slcan has only one bus/],
    [['--out', join(folder, 'no', 'such', 'folder')], /cannot be written/],
  ];
  const answers = await Promise.all(wrong.map(([args]) => simulate(...args)));
  for (const [i, [, says]] of wrong.entries()) {
    const { code, stdout, stderr } = answers[i] as Ended;
    assert.match(stderr, says);
    assert.deepEqual([code, stdout, stderr.trimEnd().split('\n').length], [2, '', 1]);
  }
  const nobody = await simulate('--data', join(folder, 'nobody'));
  assert.match(nobody.stderr, /^No gateway runs on the data folder/);
  assert.equal(nobody.code, 3);
});
