/**
 * A log becomes history: `node test/bench/decode-file.ts [MILLION_FRAMES] [MACHINES] [FILE]`
 *
 *   candump text of one machine's bus, or FILE ── tus ──▶ gateway (child) ──▶ task ──▶ history
 *   MACHINES ── QoS 1, ten messages a second ───────────▶ the same gateway
 *
 * Prints frames a second from the answer to the upload until the run is completed (its numbers are in the store then), the event-loop delay
 * of the gateway before and meanwhile, its processor time, memory and bytes written; then the same file again. While the run works, a project
 * is set up every five seconds: `setup` has how long after the request its run started and had ended.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { busLog } from '#test/support/bus-log.ts';
import { addMachine, connectDevice, OWNER_KEY, type TestMachine } from '#test/support/gateway.ts';
import {
  askFigures,
  type GatewayProcess,
  memoryMb,
  processorSeconds,
  quantile,
  resetPeak,
  startGatewayProcess,
  writtenBytes,
} from './gateway-process.ts';

const FRAMES_PER_SECOND = 1_000;
const QUIET_S = 5;
const SETUP_EVERY_MS = 5_000;
const TUS = { 'Tus-Resumable': '1.0.0' };

const millions = Number(process.argv[2] ?? 2);
const machines = Number(process.argv[3] ?? 10);
const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
const file = process.argv[4] ?? join(folder, 'bus.log');

/** Sets projects up until the signal ends it; returns the milliseconds from each request to the start of the run, and to its end. */
async function setUpProjects(gateway: GatewayProcess, signal: AbortSignal) {
  const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
  const started: number[] = [];
  const ended: number[] = [];
  while (!signal.aborted) {
    const from = performance.now();
    const wall = Date.now();
    const prompt = `Trucks HT-01 to HT-12 are Cat 777G haul trucks. Operators: Ana Ruiz, Tom Field. The pit is the North Pit.`;
    const { project, setup } = await owner.call('projects_create', {
      name: `Site ${started.length}`,
      setup: true,
      prompt,
    });
    const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
    for (;;) {
      const { run } = await client.call('tasks_get', { task_id: setup?.task.id ?? '' });
      if (run?.terminal_event_count === 1) {
        if (run.status !== 'completed') throw new Error(`the setup ended ${run.status}`);
        started.push(Date.parse(run.started_at ?? '') - wall);
        ended.push(performance.now() - from);
        break;
      }
      await sleep(10);
    }
    await sleep(SETUP_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  const figures = (of: number[]) => ({
    p50: Math.round(
      quantile(
        of.toSorted((a, b) => a - b),
        0.5,
      ),
    ),
    max: Math.round(Math.max(...of)),
  });
  return { setups: started.length, started_ms: figures(started), ended_ms: figures(ended) };
}

async function upload(gateway: GatewayProcess, machine: TestMachine): Promise<string> {
  const headers = { ...TUS, authorization: `Bearer ${machine.key}` };
  const made = await fetch(`${gateway.http}/api/v1/devices/${machine.device}/media`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(statSync(file).size),
      'upload-metadata': `filename ${Buffer.from(basename(file)).toString('base64')}`,
      'idempotency-key': String(Math.random()),
    },
  });
  const done = await fetch(made.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  const artifact = done.headers.get('artifact-id');
  if (artifact === null) throw new Error(`the upload was answered ${done.status}: ${await done.text()}`);
  return artifact;
}

try {
  if (process.argv[4] === undefined) {
    const seconds = (millions * 1e6) / FRAMES_PER_SECOND;
    const from = Date.now() - 30 * 86_400_000;
    await pipeline(Readable.from(busLog(from, seconds, FRAMES_PER_SECOND)), createWriteStream(file));
  }
  await using gateway = await startGatewayProcess(join(folder, 'data'));
  const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Bench' });
  const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  const machine = await addMachine(client, 'FILE-1');
  const devices = await Promise.all(
    Array.from({ length: machines }, async (_, i) => {
      const one = await addMachine(client, `LIVE-${i}`);
      return { one, mqtt: await connectDevice(gateway.mqtt, one) };
    }),
  );
  const timer = setInterval(() => {
    for (const { one, mqtt } of devices) {
      const [text = ''] = busLog(Date.now(), 1, 11);
      mqtt.publish(`v1/devices/${one.device_id}/can`, text, { qos: 1 }, () => {});
    }
  }, 100);
  await sleep(2_000);
  await askFigures(gateway.http);
  await sleep(QUIET_S * 1000);
  const quiet = await askFigures(gateway.http);
  for (const round of ['first', 'again']) {
    const id = await upload(gateway, machine);
    await askFigures(gateway.http);
    resetPeak(gateway.pid);
    const before = { cpu: processorSeconds(gateway.pid), written: writtenBytes(gateway.pid), at: performance.now() };
    const { decode_task_id } = await client.call('artifacts_get', { id });
    const decoded = new AbortController();
    const setups = setUpProjects(gateway, decoded.signal);
    for (;;) {
      const run = await client.call('tasks_status', { task_id: decode_task_id ?? '' });
      if (run.status === 'pending' || run.status === 'running') {
        await sleep(50);
        continue;
      }
      if (run.status !== 'completed') throw new Error(`the run ended ${run.status}: ${run.error?.message}`);
      decoded.abort();
      const took_s = (performance.now() - before.at) / 1000;
      const counts = run.seed_graph?.counts ?? {};
      const now = await askFigures(gateway.http);
      const row = {
        round,
        file_mb: Math.round(statSync(file).size / 1e6),
        ...counts,
        took_s: Number(took_s.toFixed(2)),
        frames_per_s: Math.round((counts.frames ?? 0) / took_s),
        cpu_s: Number((processorSeconds(gateway.pid) - before.cpu).toFixed(2)),
        thread_cpu_s: (run.runner_clock.cpu_ms ?? 0) / 1000,
        event_loop_p99_ms: {
          quiet: quiet.event_loop_p99_ms,
          decoding: now.event_loop_p99_ms,
          max: now.event_loop_max_ms,
        },
        memory_mb: memoryMb(gateway.pid),
        setup: await setups,
        written_mb: Number(((writtenBytes(gateway.pid) - before.written) / 1e6).toFixed(1)),
      };
      process.stdout.write(`${JSON.stringify(row)}\n`);
      break;
    }
  }
  clearInterval(timer);
  for (const { mqtt } of devices) mqtt.end(true);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
