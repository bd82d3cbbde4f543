/**
 * What the engine of runs costs when it has nothing to do, and the memory of 1,000 runs that wait: `node test/bench/engine.ts [SECONDS]`
 *
 * Idle: a gateway (child) with a project, a model and one run that has ended. For SECONDS it counts commits of the store, bytes written to
 * the disk and processor time of the whole gateway. Then it profiles the gateway for SECONDS more. The share of the engine is the samples
 * whose stack has a function of gateway/runs or gateway/agent; what the store does for the engine after an `await` is not in it. The profiler
 * takes processor time itself, so the whole is measured before it.
 *
 * Memory: a gateway in this process whose model never answers, so that all runs wait; the heap is compared after a collection. The heap does
 * not depend on the load of the machine, the processor time does: measure that alone.
 */
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '#contract/base/limits.ts';
import { type Client, createClient } from '#contract/client.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { collect } from '#test/support/collect.ts';
import { eventually, lastingPort, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { type ModelServer, type Scripted, startModelServer } from '#test/support/model-server.ts';
import { type GatewayProcess, processorSeconds, startGatewayProcess, writtenBytes } from './gateway-process.ts';
import { percentOf, profileOf } from './profile.ts';

/** The jobs of a start, such as the first sweeps, end within this time. */
const SETTLE_S = 20;
const ENGINE = /\/gateway\/(runs|agent)\//;
const RUNS = LIMITS.agent_runs_waiting.value;

/** Creates a project that uses the model server. */
async function openProject(base_url: string, { url }: ModelServer): Promise<Client> {
  const { project } = await createClient({ base_url, key: OWNER_KEY }).call('projects_create', { name: 'Engine' });
  const client = createClient({ base_url, key: OWNER_KEY, project_id: project.id });
  const provider = { kind: 'openai', url, model: 'scripted' } as const;
  await client.call('review_configuration_update', { id: project.id, provider }, { if_match: 0 });
  return client;
}

/** Starts a gateway that can be profiled. */
async function startProfiled(
  folder: string,
): Promise<{ gateway: GatewayProcess; profile(seconds: number): Promise<Profiler.Profile> }> {
  const port = await lastingPort();
  const before = process.env.NODE_OPTIONS ?? '';
  process.env.NODE_OPTIONS = `${before} --inspect-port=${port}`;
  const gateway = await startGatewayProcess(folder);
  process.env.NODE_OPTIONS = before;
  return { gateway, profile: (seconds) => profileOf(gateway.pid, port, seconds) };
}

/** The percent of a processor that the engine takes by itself. */
const engineShare = (profile: Profiler.Profile): number =>
  percentOf(profile, (files) => files.some((file) => ENGINE.test(file)));

export interface IdleCost {
  readonly seconds: number;
  /** Seconds in which the gateway committed something. */
  readonly seconds_with_commits: number;
  readonly bytes_written: number;
  readonly processor_percent: number;
  /** Of a processor, in the profile: the engine, and the whole gateway with the work of the profiler. */
  readonly engine_percent: number;
  readonly profiled_percent: number;
  readonly requests_to_the_model: number;
}

/** Measures a gateway whose engine has no run to carry out. */
export async function measureIdle(seconds: number, settle_s = SETTLE_S): Promise<IdleCost> {
  using folder = temporaryFolder();
  await using model = await startModelServer((): Scripted => ({ text: 'Done.' }));
  const started = await startProfiled(folder.path);
  await using gateway = started.gateway;
  const client = await openProject(gateway.http, model);
  const { id } = await client.call('tasks_create', { prompt: 'Hello' });
  await eventually(
    () => client.call('tasks_get', { task_id: id }),
    ({ run }) => run?.terminal_event_count === 1,
  );
  await sleep(settle_s * 1_000);
  using database = new DatabaseSync(join(folder.path, 'store', 'headframe.db'), { readOnly: true });
  // This number changes when another connection has committed.
  const version = () => Number(database.prepare('PRAGMA data_version').get()?.data_version);
  const [asked, bytes, spent] = [model.requests.length, writtenBytes(gateway.pid), processorSeconds(gateway.pid)];
  let last = version();
  let seconds_with_commits = 0;
  for (let second = 0; second < seconds; second++) {
    await sleep(1_000);
    const now = version();
    if (now !== last) seconds_with_commits++;
    last = now;
  }
  const whole = ((processorSeconds(gateway.pid) - spent) / seconds) * 100;
  const bytes_written = writtenBytes(gateway.pid) - bytes;
  const requests_to_the_model = model.requests.length - asked;
  const profile = await started.profile(seconds);
  const percent = (value: number) => Number(value.toFixed(3));
  return {
    seconds,
    seconds_with_commits,
    bytes_written,
    processor_percent: percent(whole),
    engine_percent: percent(engineShare(profile)),
    profiled_percent: percent(percentOf(profile, () => true)),
    requests_to_the_model,
  };
}

export interface QueueMemory {
  readonly waiting: number;
  readonly heap_before_mb: number;
  readonly heap_after_mb: number;
  /** What the runs added to the heap and to the buffers outside it. */
  readonly added_mb: number;
}

/** Fills the queue of a project and compares the heap. */
export async function measureQueue(): Promise<QueueMemory> {
  await using model = await startModelServer((): Scripted => ({ never: 'silence' }));
  await using gateway = await startGateway();
  const client = await openProject(gateway.node.http, model);
  const give = () => client.call('tasks_create', { prompt: 'Which machines were idle for more than an hour today?' });
  // Two runs ask the model and get no answer; what follows waits behind them.
  for (let i = 0; i < 2; i++) await give();
  await eventually(
    async () => model.requests.length,
    (requests) => requests === 2,
  );
  const memory = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const before = memory();
  for (let i = 0; i < RUNS; i++) await give();
  const { data } = await client.call('tasks_list', { kind: 'agent', limit: 1 });
  const waiting = (data[0]?.run?.queue_ahead ?? -1) + 1;
  const after = memory();
  const round = (mb: number) => Number(mb.toFixed(1));
  return { waiting, heap_before_mb: round(before), heap_after_mb: round(after), added_mb: round(after - before) };
}

if (import.meta.main) {
  const seconds = Number(process.argv[2] ?? 120);
  console.log(JSON.stringify({ queue: await measureQueue() }));
  console.log(JSON.stringify({ idle: await measureIdle(seconds) }));
  process.exit(0);
}
