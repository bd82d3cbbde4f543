/**
 * The whole line under a site's load: `node test/bench/line.ts [MACHINES] [MESSAGES_PER_S] [SECONDS]`
 *
 *   N machines ── QoS 1, ten frames a message ──▶ gateway (child) ──▶ TV page in Chromium
 *
 * Prints publish-to-pixel latency, bytes written, memory, event-loop delay and start time. Without Chromium it says so and measures the rest.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { chromium } from 'playwright-core';
import { createClient } from '#contract/client.ts';
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';

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

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Bytes that the process has caused to be written to disk. */
function written(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? Number.NaN);
}
function resident(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
const started = performance.now();
const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'support', 'gateway-child.ts'), folder], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const ready = await new Promise<{ http: string; mqtt: number }>((resolve) =>
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line))),
  );
  const startMs = performance.now() - started;
  const pid = child.pid as number;
  const owner = createClient({ base_url: ready.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Bench' });
  const client = createClient({ base_url: ready.http, key: OWNER_KEY, project_id: project.id });
  const fleet: { device_id: string; mqtt: MqttClient; equipment_id: string }[] = [];
  for (let i = 0; i < machines; i++) {
    const machine = await addMachine(client, `B-${i}`);
    fleet.push({ ...machine, mqtt: await connectDevice(ready.mqtt, machine) });
  }
  const first = fleet[0];
  if (first === undefined) throw new Error('a site has at least one machine');
  const dashboard = await client.call('dashboards_create', {
    name: 'Bench',
    widgets: [
      { type: 'status_board', position: { x: 0, y: 0, w: 9, h: 6 } },
      {
        type: 'kpi',
        title: 'Marker',
        query: { equipment_id: first.equipment_id, signal: 'engine.speed' },
        position: { x: 9, y: 0, w: 3, h: 3 },
      },
    ],
  });
  const share = await client.call('display_shares', { kind: 'dashboard', object_id: dashboard.id });

  const sentAt = new Map<number, number>();
  const latencies: number[] = [];
  const browser = existsSync(CHROMIUM)
    ? await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
    : undefined;
  if (browser !== undefined) {
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
    await page.exposeFunction('seen', (rpm: number, at: number) => {
      const sent = sentAt.get(rpm);
      if (sent === undefined) return;
      sentAt.delete(rpm);
      latencies.push(at - sent);
    });
    await page.goto(new URL(new URL(share.url as string).pathname, ready.http).href);
    await page.waitForSelector('.kpi');
    await page.evaluate(() => {
      let last = '';
      const look = (): void => {
        const text = document.querySelector('.kpi .hero span')?.textContent ?? '';
        if (text === last) return;
        last = text;
        const at = Date.now();
        // The frame after the change is the one that shows it.
        requestAnimationFrame(() =>
          (globalThis as unknown as { seen(rpm: number, at: number): void }).seen(Number(text.replace(/\D/g, '')), at),
        );
      };
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  }

  let published = 0;
  let acked = 0;
  const writtenBefore = written(pid);
  const end = Date.now() + seconds * 1000;
  let n = 0;
  await Promise.all(
    fleet.map(async (machine, index) => {
      await sleep((1000 / rate) * (index / machines));
      let due = Date.now();
      while (Date.now() < end) {
        const now = Date.now();
        const rpm = index === 0 ? 700 + (n++ % 1300) : 1500;
        if (index === 0) sentAt.set(rpm, now);
        published++;
        machine.mqtt.publish(`v1/devices/${machine.device_id}/can`, message(now, rpm), { qos: 1 }, (error) => {
          if (!error) acked++;
        });
        due += 1000 / rate;
        await sleep(Math.max(0, due - Date.now()));
      }
    }),
  );
  await sleep(6_000);
  const bytes = written(pid) - writtenBefore;
  const metrics = await (await fetch(`${ready.http}/metrics`)).text();
  const lag = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]) * 1000;
  latencies.sort((a, b) => a - b);
  const line = {
    machines,
    messages_per_s: Math.round(published / seconds),
    frames_per_s: Math.round((published * 10) / seconds),
    acknowledged: acked,
    published,
    publish_to_pixel_ms:
      browser === undefined
        ? 'no Chromium'
        : { n: latencies.length, p50: quantile(latencies, 0.5), p95: quantile(latencies, 0.95) },
    written_gb_per_day: Number(((bytes / (seconds + 6)) * (DAY_S / 1e9)).toFixed(2)),
    rss_mb: Math.round(resident(pid)),
    event_loop_p99_ms: Number(lag.toFixed(1)),
    start_ms: Math.round(startMs),
  };
  process.stdout.write(`${JSON.stringify(line, null, 2)}\n`);
  await Promise.all(fleet.map(({ mqtt }) => mqtt.endAsync(true)));
  await browser?.close();
} finally {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
