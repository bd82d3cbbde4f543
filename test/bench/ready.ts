/**
 * From the command to a gateway that serves, on an empty folder: `node test/bench/ready.ts [ROUNDS]`
 *
 * `headframe start` is what a person waits for: launcher, command, supervisor, gateway. The gateway's process alone is what a restart
 * after a crash takes. Compiled code is kept from round to round, as it is between the starts of an installation.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildUi, uiIsStale } from '#ui/build.ts';
import { memoryMb, quantile, startGatewayProcess } from './gateway-process.ts';

const rounds = Number(process.argv[2] ?? 5);
const launcher = join(import.meta.dirname, '..', '..', 'gateway', 'bin', 'headframe.js');

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds until the command says that it serves. */
async function command(folder: string): Promise<number> {
  const started = performance.now();
  const args = [
    'start',
    '--data',
    folder,
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--bucket-port',
    '0',
  ];
  const child = spawn(process.execPath, [launcher, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HEADFRAME_BUCKET_PORT: '0' },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let ms = Number.NaN;
  for await (const line of createInterface({ input: child.stdout })) {
    if (JSON.parse(line).event !== 'ready') continue;
    ms = performance.now() - started;
    break;
  }
  child.kill('SIGTERM');
  await ended;
  return ms;
}

if (await uiIsStale()) await buildUi();
const alone: number[] = [];
const whole: number[] = [];
let rss = 0;
for (let i = 0; i <= rounds; i++) {
  const process_ms = await inFolder(async (folder) => {
    await using gateway = await startGatewayProcess(folder);
    rss = memoryMb(gateway.pid).now;
    return gateway.startMs;
  });
  const command_ms = await inFolder(command);
  // The first round may compile.
  if (i === 0) continue;
  alone.push(process_ms);
  whole.push(command_ms);
}
for (const list of [alone, whole]) list.sort((a, b) => a - b);
const show = (list: readonly number[]) => ({
  median: Math.round(quantile(list, 0.5)),
  worst: Math.round(list.at(-1) ?? 0),
});
process.stdout.write(`${JSON.stringify({ gateway_ms: show(alone), command_ms: show(whole), gateway_rss_mb: rss })}\n`);
