/**
 * What a wall costs: sizes, time to the first live tile on a slow TV, memory over many deltas and rotations. `node test/bench/tv.ts
 * [--baseline FOLDER]`. With FOLDER, which has the packages that `tv-baseline.ts` names, the time to the first tile and to the trend is
 * compared with a page of equal content in React and ECharts, in turns.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { CDPSession, Page } from 'playwright';
import type { BoardView, LiveEvents, LiveSnapshot, MachineTile } from '#contract/site/live.ts';
import { startBrowser } from '#test/e2e/browser.ts';
import { uiBuildId } from '#ui/build.ts';
import { type Baseline, buildBaseline } from './tv-baseline.ts';

const { values: args } = parseArgs({
  options: { baseline: { type: 'string' }, tries: { type: 'string', default: '5' } },
});
const TRIES = Number(args.tries);
const MACHINES = 24;
const DELTAS = 6_000;
const ROTATIONS = 400;
const dist = new URL('../../ui/dist/', import.meta.url);

function tile(i: number, now: number): MachineTile {
  const rate = 20 + ((i * 37 + now / 500) % 60);
  return {
    id: `eq_${i}`,
    unit_number: `HT-${String(i + 1).padStart(2, '0')}`,
    name: '',
    status: i === 7 ? 'down' : 'in_use',
    live_status: i % 4 === 0 ? 'idle' : 'running',
    live_since_ms: now - i * 60_000,
    freshness: 'fresh',
    last_data_ms: now,
    conflict: false,
    dtc_active: i % 5,
    stop_lamp: i === 3,
    reasons: [],
    primary: {
      label: 'Fuel rate',
      text: rate.toFixed(1),
      unit: 'L/h',
      value: rate,
      freshness: 'fresh',
      as_of_ms: now,
      level: 'normal',
      kind: 'gauge',
      interval_s: 1,
    },
  };
}

function boards(now: number): BoardView[] {
  const seconds = Math.floor(now / 1000);
  const t = Array.from({ length: 180 }, (_, i) => seconds - 1_800 + i * 10);
  const trend = {
    type: 'timeseries' as const,
    trend: {
      window_s: 1_800,
      lines: ['a', 'b'].map((key, k) => ({
        key,
        label: `Line ${key}`,
        unit: 'L/h',
        freshness: 'fresh' as const,
        t,
        v: t.map((x) => 50 + 20 * Math.sin(x / 90 + k)),
      })),
    },
  };
  const machines = Array.from({ length: MACHINES }, (_, i) => tile(i, now));
  const position = { x: 0, y: 0, w: 9, h: 6 };
  const aside = { x: 9, y: 0, w: 3, h: 6 };
  const text = {
    id: 'text',
    type: 'text' as const,
    title: 'Notice',
    position: aside,
    data: { type: 'text' as const, text: 'x' },
  };
  return ['one', 'two'].map((id) => ({
    id,
    name: `Board ${id}`,
    theme: 'tv-dark',
    duration_s: 3_600,
    subtitle: '',
    widgets: [
      ...(id === 'one'
        ? [
            {
              id: 'fleet',
              type: 'status_board' as const,
              title: '',
              position,
              data: { type: 'status_board' as const, machines },
            },
            { id: 'short', type: 'timeseries' as const, title: 'Trend', position: aside, data: trend },
          ]
        : [{ id: 'trend', type: 'timeseries' as const, title: 'Trend', position, data: trend }, text]),
    ],
  }));
}

/** A gateway that only streams. */
async function startStream(baseline: Baseline | undefined) {
  const build = (await uiBuildId()) ?? '';
  const clients = new Set<ServerResponse>();
  const send = <N extends keyof LiveEvents>(to: ServerResponse, name: N, data: LiveEvents[N]) =>
    to.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const types: Record<string, string> = {
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.woff2': 'font/woff2',
  };
  const zipped = new Map<string, Buffer>();
  /** Answers with a file, compressed as a gateway does. */
  const give = (to: ServerResponse, name: string, read: () => Buffer): void => {
    const body = zipped.get(name) ?? gzipSync(read(), { level: 9 });
    zipped.set(name, body);
    to.writeHead(200, { 'content-type': types[extname(name)] ?? 'text/plain', 'content-encoding': 'gzip' }).end(body);
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://wall').pathname;
    if (path.endsWith('/live')) {
      const now = Date.now();
      const project = { name: 'Bench', timezone: 'UTC', simulated: false };
      const snapshot: LiveSnapshot = { build, server_ms: now, project, title: 'Bench', boards: boards(now) };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      send(response, 'snapshot', snapshot);
      clients.add(response);
      response.on('close', () => clients.delete(response));
    } else if (path.startsWith('/assets/')) give(response, path, () => readFileSync(new URL(path.slice(1), dist)));
    else if (path === '/baseline.js' && baseline !== undefined) give(response, path, () => baseline.script);
    else if (path.startsWith('/baseline')) response.writeHead(200, { 'content-type': 'text/html' }).end(baseline?.html);
    else response.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(new URL('tv.html', dist)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tv/bench`,
    baseline: `http://127.0.0.1:${(server.address() as AddressInfo).port}/baseline`,
    delta(n: number) {
      const now = Date.now();
      const machine = tile(n % MACHINES, now);
      const point = {
        board: 'two',
        widget: 'trend',
        line: 'a',
        freshness: 'fresh' as const,
        t: [now / 1000],
        v: [50 + (n % 20)],
      };
      const patches = [{ board: 'one', widget: 'fleet', machine }, ...(n % 10 === 0 ? [point] : [])];
      for (const client of clients) send(client, 'delta', { server_ms: now, patches });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Memory {
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

async function memory(cdp: CDPSession): Promise<Memory> {
  for (let i = 0; i < 3; i += 1) await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function rotate(page: Page, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const name = await page.textContent('header h1');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((before) => document.querySelector('header h1')?.textContent !== before, name);
  }
  await page.waitForFunction(() => document.querySelectorAll('.layer').length === 1);
}

interface Paint {
  readonly tile: number;
  readonly trend: number;
}

/** How each page marks its first live tile and its trend. */
const OURS = { tile: '.layer.shown .machine[data-fresh="fresh"]', trend: '.layer.shown svg.drawing path' };
const THEIRS = { tile: '.tile[data-fresh="fresh"]', trend: '.trend canvas' };

/** Milliseconds from navigation to the first painted live tile and to the trend, 6x slower CPU, 10 Mbit/s, 20 ms. */
async function firstPaint(
  url: string,
  marks: typeof OURS,
  open: (url: string) => Promise<{ page: Page } & AsyncDisposable>,
): Promise<Paint> {
  await using blank = await open('about:blank');
  const { page } = blank;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await cdp.send('Network.enable');
  const line = { offline: false, latency: 20, downloadThroughput: 1.25e6, uploadThroughput: 1.25e6 };
  await cdp.send('Network.emulateNetworkConditions', line);
  await page.addInitScript((all) => {
    const painted: Record<string, number> = {};
    Object.assign(window, { painted });
    const watch = () => {
      for (const [name, mark] of Object.entries(all))
        if (painted[name] === undefined && document.querySelector(mark) !== null) {
          painted[name] = 0;
          requestAnimationFrame(() => Object.assign(painted, { [name]: performance.now() }));
        }
      requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
  }, marks);
  await page.goto(url);
  const at = await page.waitForFunction(() => {
    const { painted } = window as unknown as { painted: Partial<Paint> };
    return painted.tile && painted.trend ? painted : undefined;
  });
  return (await at.jsonValue()) as Paint;
}

const gz = (pattern: RegExp) =>
  readdirSync(new URL('assets/', dist))
    .filter((name) => pattern.test(name))
    .reduce((sum, name) => sum + gzipSync(readFileSync(new URL(`assets/${name}`, dist)), { level: 9 }).length, 0);

await using chromium = await startBrowser(['--enable-precise-memory-info']);
const baseline = args.baseline === undefined ? undefined : await buildBaseline(args.baseline);
const stream = await startStream(baseline);
const say = (name: string, value: string) => process.stdout.write(`${name.padEnd(44)} ${value}\n`);
const entry = /src="\/assets\/([^"]+\.js)"/.exec(readFileSync(new URL('tv.html', dist), 'utf8'))?.[1] ?? '';
const first = gz(new RegExp(`^${entry}$`));
say('TV script, gzipped', `${first} B, with trends ${first + gz(/^tv-trend.*\.js$/)} B`);
const late = gz(/^tv-.*\.js$/) - first - gz(/^tv-(pairing|trend).*\.js$/);
say('tiles that load when a board has them, gzipped', `${late} B in all`);
say('TV style, gzipped', `${gz(/^tv-.*\.css$/)} B`);
if (baseline !== undefined)
  say('script in React and ECharts, gzipped', `${gzipSync(baseline.script, { level: 9 }).length} B`);
say('office script, gzipped', `${gz(/^index-.*\.js$/)} B`);

{
  const [ours, theirs]: [Paint[], Paint[]] = [[], []];
  for (let i = 0; i < TRIES; i += 1) {
    ours.push(await firstPaint(stream.url, OURS, (url) => chromium.open(url)));
    if (baseline !== undefined) theirs.push(await firstPaint(stream.baseline, THEIRS, (url) => chromium.open(url)));
  }
  const sorted = (runs: readonly Paint[], of: keyof Paint) => runs.map((run) => run[of]).toSorted((a, b) => a - b);
  const median = (runs: readonly Paint[], of: keyof Paint) => sorted(runs, of)[runs.length >> 1] ?? Number.NaN;
  for (const what of ['tile', 'trend'] as const) {
    const name = what === 'tile' ? 'first live tile' : 'trend of the same board';
    const best = Math.round(sorted(ours, what)[0] ?? 0);
    say(`${name}, 6x CPU, 10 Mbit, 20 ms`, `median ${Math.round(median(ours, what))} ms, best ${best} ms`);
    if (baseline === undefined) continue;
    const ratio = (median(ours, what) / median(theirs, what)).toFixed(2);
    say('  the page in React and ECharts', `median ${Math.round(median(theirs, what))} ms, ratio ${ratio}`);
  }
}

{
  await using watched = await chromium.open(stream.url);
  const { page } = watched;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.locator('.layer.shown .machine').first().waitFor();
  await rotate(page, 20);
  for (let n = 0; n < 600; n += 1) {
    stream.delta(n);
    if (n % 4 === 0) await pause(5);
  }
  await pause(1_000);
  const show = (name: string, a: Memory, b: Memory) =>
    say(
      name,
      `heap ${((b.heap - a.heap) / 1e6).toFixed(2)} MB (of ${(a.heap / 1e6).toFixed(1)}), nodes ${b.nodes - a.nodes}, listeners ${b.listeners - a.listeners}`,
    );
  const start = await memory(cdp);
  const before = Date.now();
  for (let n = 0; n < DELTAS; n += 1) {
    stream.delta(n);
    if (n % 4 === 0) await pause(5);
  }
  await pause(1_000);
  const afterDeltas = await memory(cdp);
  show(`${DELTAS} deltas in ${((Date.now() - before) / 1000).toFixed(0)} s`, start, afterDeltas);
  await rotate(page, ROTATIONS);
  await pause(1_000);
  show(`${ROTATIONS} rotations`, afterDeltas, await memory(cdp));
}
stream.close();
