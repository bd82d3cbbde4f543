/**
 * A small log behind a large one of another device: `node test/bench/turns.ts [PACKED_MB] [RATIO]`
 *
 *   device A ── PACKED_MB of gzip that unpacks about RATIO to 1 ──▶ gateway (child)
 *   device B ── 1,000 lines, once A's run works ───────────────────▶ the same gateway
 *
 * Prints the seconds from B's upload until its numbers are in the store, and how A's run ended.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createClient } from '#contract/client.ts';
import { busLog } from '#test/support/bus-log.ts';
import { addMachine, OWNER_KEY, type TestMachine, uploadFile } from '#test/support/gateway.ts';
import { startGatewayProcess } from './gateway-process.ts';

const packedMb = Number(process.argv[2] ?? 16);
const ratio = Number(process.argv[3] ?? 95);
const FROM = Date.parse('2026-01-05T06:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));

/** About one packed megabyte: honest lines, and one line over and over, so that the whole packs as asked. */
function member(): Buffer {
  const line = '(1767592800.000000) can0 0CF00400#FFFFFF001900FFFF\n';
  const honest = [...busLog(FROM, 400, 100)].join('');
  const honestPacked = gzipSync(honest).length;
  let low = 0;
  for (let high = 4_000_000; low < high; ) {
    const lines = Math.ceil((low + high) / 2);
    const text = line.length * lines + honest.length;
    if (text / (honestPacked + (line.length * lines) / 343) <= ratio) low = lines;
    else high = lines - 1;
  }
  return gzipSync(honest + line.repeat(low), { level: 9 });
}

try {
  await using gateway = await startGatewayProcess(folder);
  const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Bench' });
  const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  const send = async (machine: TestMachine, name: string, bytes: Uint8Array) => {
    const id = await uploadFile(gateway.http, machine, name, bytes);
    return (await client.call('artifacts_get', { id })).decode_task_id ?? '';
  };
  const run = async (task_id: string) => (await client.call('tasks_get', { task_id })).run;
  const ended = async (task_id: string) => {
    for (;;) {
      const now = await run(task_id);
      if (now?.status === 'completed' || now?.status === 'failed') return now;
      await sleep(50);
    }
  };
  const [a, b] = [await addMachine(client, 'A'), await addMachine(client, 'B')];
  const one = member();
  const members = Math.ceil((packedMb << 20) / one.length);
  const large = await send(a, 'large.log.gz', Buffer.concat(Array.from({ length: members }, () => one)));
  while ((await run(large))?.status === 'pending') await sleep(10);
  const started = performance.now();
  const small = await ended(await send(b, 'small.log', Buffer.from([...busLog(FROM, 10, 100)].join(''))));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`1,000 lines of another device: ${small.status} after ${seconds} s`);
  const end = await ended(large);
  console.log(
    `${packedMb} MB of gzip, ${ratio} to 1: ${end.status} ${end.error?.code ?? ''} after ${((performance.now() - started) / 1000).toFixed(1)} s; ${end.seed_graph?.counts.frames ?? 'some'} frames`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
