/** What large reads of history leave behind in the memory of a gateway, refused ones and the largest that it answers. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import { createClient } from '#contract/client.ts';
import { memoryMb, resetPeak } from '#test/bench/gateway-process.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { addMachine, eventually, OWNER_KEY } from '#test/support/gateway.ts';

const CHILD = join(import.meta.dirname, 'reads-child.ts');
const DAY_MS = 86_400_000;
/** Seconds of history. A raw read of ten signals has at most this many. */
const SECONDS = 10_000;
const SIGNALS = SIGNAL_NAMES.filter((name) => signalRow(name).kind === 'gauge' && !name.startsWith('position.')).slice(
  0,
  10,
);
const CENTURY = { from: '1970-01-01T00:00:00Z', to: '2070-01-01T00:00:00Z' };
/** Reads of each kind before the first measurement, and between the two measurements. */
const WARM_UP = { refused: 20, divided: 8, accepted: 10 };
const MEASURED = { refused: 200, divided: 100, accepted: 50 };
const MIB = 1 << 20;
/** Only Linux tells the largest resident memory since a moment. */
const HAS_PEAK = process.platform === 'linux';

/** Starts a gateway that ends with the test. */
function startChild(folder: string): { readonly child: ChildProcess } & AsyncDisposable {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  return {
    child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function ask<T>(child: ChildProcess, message?: string): Promise<T> {
  const answer = once(child, 'message');
  if (message !== undefined) child.send(message);
  return ((await answer) as [T])[0];
}

test('200 refused reads of history, 100 that are divided and 50 of the largest leave nothing behind in memory', async () => {
  using folder = temporaryFolder();
  await using started = startChild(folder.path);
  const { child } = started;
  const { http } = await ask<{ http: string }>(child);
  const owner = createClient({ base_url: http, key: OWNER_KEY });
  const project_id = (await owner.call('projects_create', { name: 'Quarry' })).project.id;
  const client = createClient({ base_url: http, key: OWNER_KEY, project_id });
  const machine = await addMachine(client, 'T-1');
  const id = machine.equipment_id;
  const now = Math.floor(Date.now() / 1000) * 1000;
  for (let from = 0; from < SECONDS; from += 1_000) {
    const points = Array.from({ length: 1_000 }, (_, i) => ({
      ts: now - (SECONDS - from - i) * 1_000,
      values: Object.fromEntries(SIGNALS.map((signal, n) => [signal, 20 + ((from + i + n * 7) % 60)])),
    }));
    await client.call('devices_telemetry', { id: machine.device, points });
  }
  const range = { from: new Date(now - SECONDS * 1_000).toISOString(), to: new Date(now).toISOString() };
  await eventually(
    () => client.call('equipment_telemetry', { id, signals: ['engine.speed'], ...range, points: 0 }),
    ({ series }) => series[0]?.samples === SECONDS,
  );
  const year = { from: new Date(now - 366 * DAY_MS).toISOString(), to: new Date(now).toISOString() };
  const signals = [...SIGNALS];
  const refused = [
    { signals: Array.from({ length: 1_001 }, () => 'engine.speed') },
    { signals, resolution: '1ms' },
    { signals, resolution: '7' },
    { signals, cursor: 'nonsense' },
  ];
  // Each answer has a part of what these reads want, and a cursor.
  const divided = [
    { signals, ...CENTURY },
    { signals: Array.from({ length: 1_000 }, () => 'engine.speed'), ...CENTURY },
    { signals, ...CENTURY, resolution: '0.001' },
    { signals, ...year, resolution: 'raw' },
  ];
  const accepted = [
    { signals, ...range, resolution: 'raw' },
    { signals, ...year, points: 2_000 },
  ];
  const headers = client.headers();
  /** Sends reads four at a time, as the gateway runs them; returns the bytes of the answers. */
  const read = async (inputs: readonly object[], status: number, times: number): Promise<number> => {
    let bytes = 0;
    for (let at = 0; at < times; at += 4)
      await Promise.all(
        Array.from({ length: Math.min(4, times - at) }, async (_, i) => {
          const input = inputs[(at + i) % inputs.length] as object;
          const texts = Object.entries(input).map(([key, value]): [string, string] => [key, String(value)]);
          const answer = await fetch(`${http}/api/v1/equipment/${id}/telemetry?${new URLSearchParams(texts)}`, {
            headers,
          });
          const body = await answer.text();
          assert.equal(answer.status, status, body.slice(0, 300));
          bytes += body.length;
        }),
      );
    return bytes;
  };
  /** The least of ten measurements, with a call between them: a commit or a sweep of the gateway may run during one of them. */
  const used = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10; i++) {
      await client.call('health_get', {});
      least = Math.min(least, (await ask<{ used: number }>(child, 'memory')).used);
    }
    return least;
  };
  await read(refused, 400, WARM_UP.refused);
  await read(divided, 200, WARM_UP.divided);
  await read(accepted, 200, WARM_UP.accepted);
  const before = await used();
  const pid = child.pid as number;
  if (HAS_PEAK) resetPeak(pid);
  const start = HAS_PEAK ? memoryMb(pid).now : 0;
  const small = await read(refused, 400, MEASURED.refused);
  assert.ok(small < MEASURED.refused * 4_096, `${small} bytes in the answers of refused reads`);
  const parts = await read(divided, 200, MEASURED.divided);
  assert.ok(parts < MEASURED.divided * 16_384, `${parts} bytes in the answers of divided reads`);
  const bytes = await read(accepted, 200, MEASURED.accepted);
  assert.ok(bytes > 20 * MIB, `${bytes} bytes: the reads were not large`);
  const peak = HAS_PEAK ? memoryMb(pid).peak : 0;
  // 480 to 498 MB at the peak in six runs, from 393 to 429 MB. Answers of four reads at once are in memory together.
  assert.ok(peak - start < 250, `${peak} MB at the peak, from ${start} MB`);
  const after = await used();
  // 59.0 MB before and 52.5 MB after in four runs. A leak of 60 kB for each read would show here.
  assert.ok(after - before < 8 * MIB, `${before} bytes before, ${after} after`);
});
