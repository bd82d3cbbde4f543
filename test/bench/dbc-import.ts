/**
 * What a large DBC does to a running gateway: `node test/bench/dbc-import.ts [COPIES] [MILLION_FRAMES]`
 *
 * The DBC of the recordings with its messages COPIES times under other names and source addresses (26: 1.6 MB) is imported, searched, mapped
 * and tried on a log; per step the time of the answer and the event-loop delay of the gateway meanwhile, 10 ms of which is the timer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { busLog } from '#test/support/bus-log.ts';
import { addMachine, OWNER_KEY, type TestMachine } from '#test/support/gateway.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { askFigures, memoryMb, resetPeak, startGatewayProcess } from './gateway-process.ts';

const ROUNDS = 5;
const copies = Number(process.argv[2] ?? 26);
const millions = Number(process.argv[3] ?? 0.5);

if (withoutRecordings) {
  console.log(`nothing measured: ${withoutRecordings}`);
  process.exit();
}

/** The same groups from other source addresses. */
function largeDbc(): string {
  const source = recording('dbc/j1939-equipment-generated.dbc').toString('latin1');
  const from = source.indexOf('BO_ ');
  const to = source.indexOf('BA_DEF_', from);
  const [head, messages, rest] = [source.slice(0, from), source.slice(from, to), source.slice(to)];
  const said = rest.split('\n').filter((line) => /^(?:BA_|CM_|VAL_) /.test(line));
  const defined = rest.split('\n').filter((line) => !/^(?:BA_|CM_|VAL_) /.test(line));
  const moved = (text: string, by: number) =>
    text.replace(/\b(2\d{9})\b/g, (id) => String(Number(id) - by)).replace(/^(BO_ \d+ \w+)/gm, `$1_${by}`);
  const all = Array.from({ length: copies }, (_, by) => by);
  return `${head}${all.map((by) => moved(messages, by)).join('')}${defined.join('\n')}\n${all
    .map((by) => moved(said.join('\n'), by))
    .join('\n')}\n`;
}

async function upload(http: string, machine: TestMachine, log: Buffer): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${machine.key}` };
  const made = await fetch(`${http}/api/v1/devices/${machine.device}/media`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(log.length), 'idempotency-key': 'log' },
  });
  const done = await fetch(made.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    body: new Uint8Array(log),
  });
  const artifact = done.headers.get('artifact-id');
  if (artifact === null) throw new Error(`the upload was answered ${done.status}: ${await done.text()}`);
  return artifact;
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
try {
  await using gateway = await startGatewayProcess(folder);
  const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Bench' });
  const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  const machine = await addMachine(client, 'FILE-1');
  const log = Buffer.from([...busLog(Date.now() - 3_600_000, millions * 1_000, 1_000)].join(''));
  const artifact_id = await upload(gateway.http, machine, log);
  const text = largeDbc();
  await sleep(3_000);
  console.log(`${text.length} characters, ${memoryMb(gateway.pid).now} MB resident`);
  resetPeak(gateway.pid);

  async function measure<T>(what: string, act: (round: number) => Promise<T>): Promise<T> {
    let last: T | undefined;
    const took: number[] = [];
    await askFigures(gateway.http);
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      last = await act(round);
      took.push(Math.round(performance.now() - began));
      await sleep(200);
    }
    const { event_loop_p50_ms, event_loop_p99_ms, event_loop_max_ms } = await askFigures(gateway.http);
    console.log(
      `${what}: ${took.join(', ')} ms; event loop p50 ${event_loop_p50_ms}, p99 ${event_loop_p99_ms}, at most ${event_loop_max_ms} ms`,
    );
    return last as T;
  }

  await measure('nothing', () => sleep(200));
  const file = await measure('import', (round) => client.call('dbc_import', { name: `large ${round}`, text }));
  await measure('search', () => client.call('dbc_signals', { id: file.id, q: 'oilpressure' }));
  const { suggested } = await client.call('dbc_signals', { id: file.id });
  await measure('map', (round) => client.call('dbc_map', { id: file.id, mapping: suggested.slice(round, round + 3) }));
  const tried = await measure('test', () => client.call('dbc_test', { id: file.id, artifact_id }));
  await measure('list', () => client.call('dbc_list', {}));
  console.log(
    `${file.messages} messages, ${file.signals} signals; ${tried.frames} frames tried; ${JSON.stringify(memoryMb(gateway.pid))} MB`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
