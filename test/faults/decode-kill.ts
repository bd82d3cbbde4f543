/**
 * `kill -9` while logs are uploaded and decoded: every file that was answered becomes numbers, each of them once.
 *
 *   file n of a device ── tus, resumed after a kill ──▶ gateway (child, killed at random instants) ──▶ task ──▶ history
 *
 * In the end each answered file has one task; of its runs one is completed and each other is replaced by exactly one; each second of each
 * file is in history once, on disk too, before and after the segments are sealed; the meter stands where the newest file left it; each
 * trouble code came and went once.
 *
 * `node test/faults/decode-kill.ts [KILLS] [SEED]` prints a line per kill and `N passed, N failed` at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import { createClient } from '#contract/client.ts';
import type { RunData } from '#contract/work/task.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { busLog, hoursAt } from '#test/support/bus-log.ts';
import { addMachine, eventually, OWNER_KEY, startGateway, type TestMachine } from '#test/support/gateway.ts';
import { randomFrom } from './crash-disk.ts';

/** Long enough for several parts of a run. */
const SECONDS = 4_000;
const PER_SECOND = 14;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse('2025-01-01T12:00:00Z');
const TUS = { 'Tus-Resumable': '1.0.0' };
const CHUNK = 256 * 1024;
/** After each pass over the store the compaction waits for fewer calls than this. */
const MOST_IDLE = 200;

interface Gateway {
  readonly child: ChildProcess;
  readonly http: string;
}

function start(folder: string): Promise<Gateway> {
  const script = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as { event?: string; http: string };
      if (said.event === 'ready') resolve({ child, http: said.http });
    });
  });
}

async function kill({ child }: Gateway): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** The n-th file: a day after the one before, its meter going on. */
function fileOf(n: number): Buffer {
  const from = FIRST_MS + n * DAY_MS;
  const lines = [...busLog(from, SECONDS, PER_SECOND, 20_000 + n * 30)];
  const dm1 = (s: number, data: string) => `(${from / 1000 + s}.999900) can0 18FECA00#${data}\n`;
  for (let s = 1; s < SECONDS; s++)
    lines[s] += s > 1_000 && s < 2_000 ? dm1(s, '04FF6E000301FFFF') : dm1(s, '00FF00000000FFFF');
  return Buffer.from(lines.join(''));
}

/** Sends a file by the book, from where the gateway has it; resolves with the id of its record once it was answered. */
async function upload(at: () => string, machine: TestMachine, n: number, alive: () => boolean): Promise<string> {
  const bytes = fileOf(n);
  const headers = { ...TUS, authorization: `Bearer ${machine.key}` };
  let path = '';
  for (;;) {
    if (!alive()) {
      await sleep(20);
      continue;
    }
    try {
      if (path === '') {
        const made = await fetch(`${at()}/api/v1/devices/${machine.device}/media`, {
          method: 'POST',
          headers: {
            ...headers,
            'upload-length': String(bytes.length),
            'upload-metadata': `filename ${Buffer.from(`${n}.log`).toString('base64')}`,
            'idempotency-key': `file-${n}`,
          },
        });
        path = new URL(made.headers.get('location') ?? '', at()).pathname;
        if (made.status !== 201) throw new Error(`the upload was answered ${made.status}`);
      }
      const asked = await fetch(`${at()}${path}`, { method: 'HEAD', headers });
      const offset = Number(asked.headers.get('upload-offset') ?? 0);
      const done = await fetch(`${at()}${path}`, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
        body: new Uint8Array(bytes.subarray(offset, offset + CHUNK)),
      });
      const artifact = done.headers.get('artifact-id');
      if (artifact) return artifact;
      await done.arrayBuffer();
    } catch {
      await sleep(20);
    }
  }
}

async function all<T extends object>(
  store: Store,
  project: string,
  collection: 'records' | 'events' | 'telemetry',
  object: string,
) {
  const found: Stored<T>[] = [];
  for (let last: Stored<T> | undefined; ; ) {
    const page: Stored<T>[] = await store.view(project).find<T>(collection, {
      object,
      order: 'asc',
      limit: 500,
      ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
    });
    found.push(...page);
    last = page.at(-1);
    if (page.length < 500) return found;
  }
}

interface StoredSamples {
  readonly samples: number;
  /** Samples of a machine, signal and second of which another sample is on the disk. */
  readonly twice: number;
  readonly unreadable: number;
  /** The number of sealed segments. */
  readonly seals: number;
}

/** Counts the samples on the disk. */
async function storedSamples(store: Store, project: string): Promise<StoredSamples> {
  const seen = new Set<string>();
  const counts = { samples: 0, twice: 0, unreadable: 0, seals: 0 };
  for (const { data } of await all<SegmentData>(store, project, 'telemetry', 'segment')) {
    const segment = openSegment(data.body);
    if (segment === undefined) counts.unreadable++;
    if (data.seal !== undefined) counts.seals++;
    for (const signal of segment?.signals ?? [])
      for (const second of segment?.read(signal)?.t ?? []) {
        const key = `${data.equipment_id} ${signal} ${second}`;
        if (seen.has(key)) counts.twice++;
        seen.add(key);
        counts.samples++;
      }
  }
  return counts;
}

/** Seals all open segments, as the gateway does an hour later. */
async function seal(store: Store): Promise<void> {
  const compaction = createHistoryCompaction({
    store,
    clock: () => Date.now() + 3_600_000,
    breathe: async () => {},
    log: (_level, message) => say(message),
  });
  for (let idle = 0; idle < MOST_IDLE; ) idle = (await compaction.run()) > 0 ? 0 : idle + 1;
}

/** What does not hold; empty when all does. */
async function judge(
  folder: string,
  project: string,
  machine: TestMachine,
  files: readonly string[],
): Promise<{ wrong: string[]; died: number; samples: number; seals: number }> {
  const wrong: string[] = [];
  {
    await using gateway = await startGateway(folder);
    const client = gateway.project(project);
    for (const id of files) {
      const { decode_task_id } = await client.call('artifacts_get', { id });
      if (decode_task_id === null) {
        wrong.push(`file ${id} has no task`);
        continue;
      }
      for (let tries = 0; tries < 3; tries++) {
        const { run } = await eventually(
          () => client.call('tasks_get', { task_id: decode_task_id }),
          (task) => task.run !== null && task.run.status !== 'pending' && task.run.status !== 'running',
          120,
        );
        if (run?.status === 'completed') break;
        // Killed three times in a row: a person asks again.
        await client.call('artifacts_decode', { id: machine.device, artifact_id: id });
      }
    }
    const { engine_hours, live_status } = await client.call('equipment_get', { id: machine.equipment_id });
    const expected = hoursAt(SECONDS - 1, 20_000 + (files.length - 1) * 30);
    if (Math.abs((engine_hours ?? 0) - expected) > 1e-6)
      wrong.push(`engine hours are ${engine_hours}, not ${expected}`);
    if (live_status !== 'unknown') wrong.push(`the machine is ${live_status} by a file`);
    for (let n = 0; n < files.length; n++) {
      const from = FIRST_MS + n * DAY_MS;
      const { t } = await gateway.node.history(machine.equipment_id, 'engine.speed', from, from + SECONDS * 1000);
      if (t.length !== SECONDS) wrong.push(`file ${n}: ${t.length} of ${SECONDS} seconds of engine speed`);
    }
  }
  await using store = await openStore({
    folder,
    clock: () => Date.now(),
    random: (n) => crypto.getRandomValues(new Uint8Array(n)),
  });
  const runs = (await all<RunData>(store, project, 'records', 'run')).filter(
    ({ data }) => data.backend.preset === 'file',
  );
  for (const id of files) {
    const own = runs.filter(({ data }) => data.backend.artifact_id === id);
    if (own.filter(({ data }) => data.status === 'completed').length !== 1)
      wrong.push(`file ${id} has not one completed run`);
    if (own.some(({ data }) => data.terminal_event_count !== 1)) wrong.push(`a run of ${id} has not one end`);
    const replaced = own.flatMap(({ data }) => data.retry.retry_of ?? []);
    if (new Set(replaced).size !== replaced.length) wrong.push(`a run of ${id} was replaced twice`);
    if (replaced.length !== own.length - 1) wrong.push(`the runs of ${id} are no chain`);
  }
  const open = await storedSamples(store, project);
  await seal(store);
  const sealed = await storedSamples(store, project);
  for (const [name, { twice, unreadable, samples, seals }] of Object.entries({ open, sealed })) {
    if (twice > 0) wrong.push(`${twice} samples are on the disk twice (${name})`);
    if (unreadable > 0) wrong.push(`${unreadable} segments on the disk cannot be read (${name})`);
    if (samples < files.length * SECONDS) wrong.push(`only ${samples} samples are on the disk (${name})`);
    if (name === 'sealed' && seals === 0) wrong.push('no segment was sealed');
  }
  if (open.samples !== sealed.samples) wrong.push(`${open.samples} samples became ${sealed.samples} by the sealing`);
  const codes = (await all<EventData>(store, project, 'events', 'event')).filter(({ data }) =>
    data.type.startsWith('dtc.'),
  );
  const told = codes.map(({ data }) => `${data.type} ${data.occurred_at}`);
  if (new Set(told).size !== told.length) wrong.push('a trouble code came or went twice');
  const died = runs.filter(({ data }) => data.error?.code === 'run_invocation_died').length;
  return { wrong, died, samples: sealed.samples, seals: sealed.seals };
}

const [kills = '20', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
const random = randomFrom(Number(seed));
const folder = mkdtempSync(join(tmpdir(), 'headframe-decode-kill-'));
let running: Gateway | undefined;
try {
  running = await start(folder);
  let http = running.http;
  let up = true;
  const owner = createClient({ base_url: http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Kill' });
  const machine = await addMachine(createClient({ base_url: http, key: OWNER_KEY, project_id: project.id }), 'K-1');
  const files: string[] = [];
  let stopping = false;
  const sending = (async () => {
    while (!stopping)
      files.push(
        await upload(
          () => http,
          machine,
          files.length,
          () => up,
        ),
      );
  })();
  for (let n = 1; n <= Number(kills); n++) {
    const after = Math.round(50 + random() * 1_500);
    await sleep(after);
    up = false;
    await kill(running);
    say(`kill ${n} after ${after} ms: ${files.length} files answered so far`);
    running = await start(folder);
    http = running.http;
    up = true;
  }
  stopping = true;
  await sending;
  await kill(running);
  const { wrong, died, samples, seals } = await judge(folder, project.id, machine, files);
  for (const one of wrong) say(`wrong: ${one}`);
  say(
    `${JSON.stringify({ kills: Number(kills), files: files.length, died, samples, seals, frames: files.length * SECONDS * (PER_SECOND + 1) })}`,
  );
  say(wrong.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  running?.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
