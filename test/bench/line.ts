/**
 * The whole line under a site's load: `node test/bench/line.ts [MACHINES] [MESSAGES_PER_S] [SECONDS]`
 *
 *   N machines ── QoS 1, ten frames a message ──▶ gateway (child) ──▶ TV page in Chromium
 *
 * Prints publish-to-pixel latency, bytes written, memory, processor time and event-loop delay of the gateway, all under load after
 * a warm-up, and its start time. Without Chromium it says so and measures the rest. A site of 0 messages a second is idle.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { type Browser, chromium } from 'playwright';
import { createClient } from '#contract/client.ts';
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';
import {
  askFigures,
  checkpoint,
  memoryMb,
  processorSeconds,
  quantile,
  resetPeak,
  startGatewayProcess,
  writtenBytes,
} from './gateway-process.ts';

const CHROMIUM = '/usr/bin/chromium';
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const DAY_S = 86_400;
const WARM_UP_S = 5;
/** How often resident memory is read. */
const SAMPLE_MS = 2_000;
/** Machines whose every shown message is timed, each on a tile of its own. */
const MARKED = 6;
/** Engine speeds that name a message; one comes again after more than two minutes. */
const SPEEDS = 1300;

const machines = Number(process.argv[2] ?? 50);
const rate = Number(process.argv[3] ?? 10);
const seconds = Number(process.argv[4] ?? 30);

/** Ten frames of a running engine as candump text; the engine speed of the first says which message it is. */
function message(atMs: number, rpm: number): string {
  const t = (offset: number): string => ((atMs + offset) / 1000).toFixed(6);
  const le = (value: number, bytes: number): string => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(Math.round(value), 0, bytes);
    return buffer.toString('hex').toUpperCase();
  };
  const speed = le(rpm * 8, 2);
  return [
    `(${t(-9)}) can0 0CF00400#F07D8C${speed}00FFFF`,
    `(${t(-8)}) can0 0CF00300#FFFE28FFFFFFFFFF`,
    `(${t(-7)}) can0 18FEF200#${le(820, 2)}FFFFFFFFFFFF`,
    `(${t(-6)}) can0 18FEEE00#7D50FFFFFFFFFFFF`,
    `(${t(-5)}) can0 18FEEF00#FFFFFF64FFFFFFFF`,
    `(${t(-4)}) can0 18FEF100#FF${le(24 * 256, 2)}FFFFFFFFFF`,
    `(${t(-3)}) can0 18FEF700#FFFFFFFF${le(560, 2)}FFFF`,
    `(${t(-2)}) can0 18FEFC00#FF96FFFFFFFFFFFF`,
    `(${t(-1)}) can0 18FEF500#FF${le(9000, 2)}FFFFFFFFFF`,
    `(${t(0)}) can0 0CF00400#F07D8C${speed}00FFFF`,
  ].join('\n');
}

interface Machine {
  readonly device_id: string;
  readonly equipment_id: string;
  readonly mqtt: MqttClient;
  /** When each engine speed was published, until it is seen. */
  readonly sentAt: Map<number, number>;
}

/** Opens the board and reports the moment after the frame in which a marked machine's number changed. */
async function watchBoard(url: string, seen: (tile: number, rpm: number, at: number) => void): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  await page.exposeFunction('seen', seen);
  const answer = await page.goto(url);
  if (answer?.ok() !== true) throw new Error('The gateway has no pages to show: run npm run build first');
  await page.waitForSelector('.kpi');
  await page.evaluate(() => {
    const report = (globalThis as unknown as { seen: typeof seen }).seen;
    const last: string[] = [];
    const look = (): void => {
      for (const [i, tile] of [...document.querySelectorAll('.kpi .hero span:first-child')].entries()) {
        const text = tile.textContent ?? '';
        if (text === last[i]) continue;
        last[i] = text;
        // The task behind the next frame's callbacks runs when that frame, which shows the change, has been drawn.
        requestAnimationFrame(() => setTimeout(() => void report(i, Number(text.replace(/\D/g, '')), Date.now()), 0));
      }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return browser;
}

/** The first and the second half of a list, each in order of size. */
function halves(list: readonly number[]): readonly number[][] {
  const middle = list.length >> 1;
  return [list.slice(0, middle), list.slice(middle)].map((part) => part.sort((a, b) => a - b));
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
try {
  await using gateway = await startGatewayProcess(folder);
  const { pid, http } = gateway;
  const owner = createClient({ base_url: http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Bench' });
  const client = createClient({ base_url: http, key: OWNER_KEY, project_id: project.id });
  const fleet: Machine[] = [];
  for (let i = 0; i < machines; i++) {
    const machine = await addMachine(client, `B-${i}`);
    fleet.push({ ...machine, mqtt: await connectDevice(gateway.mqtt, machine), sentAt: new Map() });
  }
  const marked = fleet.filter((_, i) => i % Math.ceil(machines / MARKED) === 0).slice(0, MARKED);
  const dashboard = await client.call('dashboards_create', {
    name: 'Bench',
    widgets: [
      { type: 'status_board', position: { x: 0, y: 0, w: 6, h: 6 } },
      ...marked.map(({ equipment_id }, i) => ({
        type: 'kpi' as const,
        title: `Marked ${i}`,
        query: { equipment_id, signal: 'engine.speed' as const },
        position: { x: 6 + 3 * (i % 2), y: 2 * (i >> 1), w: 3, h: 2 },
      })),
    ],
  });
  const share = await client.call('display_shares', { kind: 'dashboard', object_id: dashboard.id });
  const board = new URL(new URL(share.url as string).pathname, http).href;
  const latencies: number[] = [];
  let measuring = false;
  const browser = existsSync(CHROMIUM)
    ? await watchBoard(board, (tile, rpm, at) => {
        const sent = marked[tile]?.sentAt.get(rpm);
        marked[tile]?.sentAt.delete(rpm);
        if (sent !== undefined && measuring) latencies.push(at - sent);
      })
    : undefined;

  let published = 0;
  let acked = 0;
  let stop = false;
  const load = fleet.map(async ({ device_id, mqtt, sentAt }, index) => {
    const every = 1000 / rate;
    let due = Date.now() + every * (index / machines);
    for (let n = 0; rate > 0; n++) {
      await sleep(Math.max(0, due - Date.now()));
      if (stop) return;
      due += every;
      const now = Date.now();
      const rpm = 700 + (n % SPEEDS);
      sentAt.set(rpm, now);
      published++;
      mqtt.publish(`v1/devices/${device_id}/can`, message(now, rpm), { qos: 1 }, (error) => {
        if (!error) acked++;
      });
    }
  });
  await sleep(WARM_UP_S * 1000);
  checkpoint(folder);
  resetPeak(pid);
  await askFigures(http);
  const before = { published, written: writtenBytes(pid), processor: processorSeconds(pid), at: performance.now() };
  measuring = true;
  const resident: number[] = [];
  const sampling = setInterval(() => resident.push(memoryMb(pid).now), SAMPLE_MS);
  await sleep(seconds * 1000);
  clearInterval(sampling);
  measuring = false;
  const elapsed = (performance.now() - before.at) / 1000;
  const told = await askFigures(http);
  const rss = memoryMb(pid);
  const processor = processorSeconds(pid) - before.processor;
  const written = writtenBytes(pid) - before.written;
  // At the end everything is written back once, which is at least as often as SQLite would have done it.
  const written_back = checkpoint(folder);
  const measured = published - before.published;
  stop = true;
  await Promise.all(load);
  await sleep(1_000);
  latencies.sort((a, b) => a - b);
  const perDay = (bytes: number): number => Number((((bytes / elapsed) * DAY_S) / 1e9).toFixed(2));
  const line = {
    machines,
    messages_per_s: Math.round(measured / elapsed),
    frames_per_s: Math.round((measured * 10) / elapsed),
    unacknowledged: published - acked,
    publish_to_pixel_ms:
      browser === undefined
        ? 'no Chromium'
        : { shown: latencies.length, p50: quantile(latencies, 0.5), p95: quantile(latencies, 0.95) },
    written_gb_per_day: perDay(written + written_back),
    written_back_gb_per_day: perDay(written_back),
    rss_mb: rss.now,
    rss_peak_mb: rss.peak,
    // What grows shows here, the collector's ups and downs do not.
    rss_median_of_halves_mb: halves(resident).map((part) => quantile(part, 0.5)),
    processor_percent: Math.round((100 * processor) / elapsed),
    ...told,
    start_ms: gateway.startMs,
  };
  process.stdout.write(`${JSON.stringify(line, null, 2)}\n`);
  await Promise.all(fleet.map(({ mqtt }) => mqtt.endAsync(true)));
  await browser?.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
