/**
 * What a whole site costs the gateway: `node test/bench/site.ts [MACHINES] [MINUTES] [frames|values|both]` (100, 10 and both unless told)
 *
 *   frames   the J1939 frames of the simulated quarry, each parameter group at most once a second
 *   values   the 30 signals of `docs/signals.md`, each once a second; the simulated control units send most of them, the others change slowly
 *
 * The simulated site works its day shift, so that meters rise, machines stop and start, and events arrive. The load is made in this
 * process. The figures come from the process of the gateway, after a warm-up of a minute: processor, bytes that reached the disk
 * (checkpoints of the database included), and delay of the event loop. A compaction runs only if the bench crosses the end of an hour and
 * ten more minutes. It then makes a rollup of each machine, and the rollups of each minute show when it ran. `node --cpu-prof test/bench/site.ts` writes a profile of the gateway.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeBinary } from '#codec/can-binary.ts';
import { isPlausible, SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { createClient } from '#contract/client.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { fleetOf } from '#simulator/fleet.ts';
import { createSite } from '#simulator/site.ts';
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';
import { askFigures, memoryMb, processorSeconds, startGatewayProcess, writtenBytes } from './gateway-process.ts';

const MACHINES = Number(process.argv[2] ?? 100);
const MINUTES = Number(process.argv[3] ?? 10);
const FORMS = (process.argv[4] ?? 'both') === 'both' ? ['frames', 'values'] : [process.argv[4] ?? ''];
const SEED = 1;
const WARM_UP_S = 60;
const SIGNALS = 30;
const HOUR_MS = 3_600_000;
const DAY_S = 86_400;

/** Bytes of all files of a folder. */
function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Number of rollups in the database of a running gateway. Each machine gets its first one from the compaction. */
function rollupsOf(folder: string): number {
  using db = new DatabaseSync(join(folder, 'store/headframe.db'), { readOnly: true });
  return Number(db.prepare(`SELECT count(*) AS n FROM telemetry_0 WHERE ".object"='rollup'`).get()?.n);
}

/** Local time is 10:00 now, in the middle of the day shift. */
function dayShift(now_ms: number): number {
  return 10 * HOUR_MS - (now_ms % (24 * HOUR_MS));
}

/** The values of a machine: what its control units sent last, and slow changes for the signals that they do not send. */
function createValues(machine: number) {
  const decoder = createDecoder();
  const latest = new Map<SignalName, number>();
  const sink = {
    signal(parameter: number, { value }: { value: number }) {
      const { signal } = PARAMETERS[parameter] as (typeof PARAMETERS)[number];
      if (signal !== null && isPlausible(signal, value)) latest.set(signal, value);
    },
    faults: () => {},
  };
  return (batch: FrameBatch, now_ms: number): Record<string, number> => {
    decoder.decode(batch, sink);
    return Object.fromEntries(
      SIGNAL_NAMES.slice(0, SIGNALS).map((name, i) => {
        const { min, max, kind } = signalRow(name);
        const hours = now_ms / HOUR_MS - 490_000;
        const made =
          kind === 'meter' ? hours + machine : (min + max) / 2 + ((max - min) / 8) * Math.sin(hours * 20 + i + machine);
        return [name, latest.get(name) ?? Number(made.toFixed(2))];
      }),
    );
  };
}

async function measure(form: string) {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
  try {
    await using gateway = await startGatewayProcess(folder);
    const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Bench' });
    const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
    const start_ms = Date.now();
    const roster = fleetOf(SEED, MACHINES);
    const site = createSite({ seed: SEED, start_ms, roster, zone_ms: dayShift(start_ms) });
    const batches = roster.map(() => new FrameBatch(4096));
    const loggers: { mqtt: Awaited<ReturnType<typeof connectDevice>>; topic: string }[] = [];
    for (const { unit } of roster) {
      const machine = await addMachine(client, unit);
      const mqtt = await connectDevice(gateway.mqtt, machine);
      loggers.push({ mqtt, topic: `v1/devices/${machine.device_id}/${form === 'frames' ? 'can' : 'telemetry'}` });
    }
    const valuesOf = roster.map((_, i) => createValues(i));
    let seq = 0;
    let sent = 0;
    const timer = setInterval(() => {
      const now_ms = Date.now();
      site.advance(now_ms, batches, 1000);
      seq++;
      for (const [i, { mqtt, topic }] of loggers.entries()) {
        const batch = batches[i] as FrameBatch;
        const payload =
          form === 'frames'
            ? Buffer.from(encodeBinary(batch, seq))
            : JSON.stringify({ ts: now_ms, seq, values: valuesOf[i]?.(batch, now_ms) });
        if (form === 'values' || batch.count > 0) {
          sent++;
          mqtt.publish(topic, payload, { qos: 1 });
        }
        batch.clear();
      }
    }, 1000);
    await sleep(WARM_UP_S * 1000);

    await askFigures(gateway.http);
    const journal = join(folder, 'journal');
    const from = { at: performance.now(), cpu: processorSeconds(gateway.pid), own: process.cpuUsage(), sent };
    const [written, raw] = [writtenBytes(gateway.pid), folderBytes(journal)];
    const perMinute: string[] = [];
    const p99: number[] = [];
    const rollups: number[] = [];
    for (let i = 0; i < MINUTES; i++) {
      const before = writtenBytes(gateway.pid);
      await sleep(60_000);
      perMinute.push(`${((writtenBytes(gateway.pid) - before) / 1e6).toFixed(1)}`);
      p99.push((await askFigures(gateway.http)).event_loop_p99_ms);
      rollups.push(rollupsOf(folder));
    }
    const seconds = (performance.now() - from.at) / 1000;
    const own = process.cpuUsage(from.own);
    const bytes = writtenBytes(gateway.pid) - written;
    const aDay = (some: number): number => Number(((some / seconds) * (DAY_S / 1e9)).toFixed(2));
    const figures = {
      form,
      machines: MACHINES,
      'messages/s': Number(((sent - from.sent) / seconds).toFixed(1)),
      'gateway cores': Number(((processorSeconds(gateway.pid) - from.cpu) / seconds).toFixed(3)),
      'load cores': Number(((own.user + own.system) / 1e6 / seconds).toFixed(2)),
      'written GB a day': aDay(bytes),
      'of it journal GB a day': aDay(folderBytes(journal) - raw),
      'MB of each minute': perMinute.join(' '),
      'loop p99 ms, largest minute': Math.max(...p99),
      'loop p99 ms of each minute': p99.join(' '),
      'rollups after each minute': rollups.join(' '),
      'rss MB': memoryMb(gateway.pid).now,
    };
    clearInterval(timer);
    for (const { mqtt } of loggers) mqtt.end(true);
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const form of FORMS) process.stdout.write(`${JSON.stringify(await measure(form), null, 2)}\n`);
