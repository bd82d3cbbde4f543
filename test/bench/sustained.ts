/**
 * What a gateway takes, keeps and folds for as long as one likes: `node test/bench/sustained.ts [SECONDS] [MESSAGES_PER_S] [FRAMES] [binary|text]`
 * Without a rate, or with 0: what the goal asks for, 250,000 frames a second and 0.15 of bare aedes, and a little more.
 *
 *   1. bare: aedes with no storage in a process of its own, as fast as it answers (QoS 1, the same payloads)
 *   2. the gateway as it is shipped: keys, broker, journal, fold, store; so many messages a second, for so long
 *
 * Load is made of bytes, in this process. The backlog is what is acknowledged and not yet folded; it is flat when it is no larger in
 * the last third than in the first, give or take what half a second brings.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Aedes } from 'aedes';
import { encodeBinary } from '#codec/can-binary.ts';
import { createClient } from '#contract/client.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { addMachine, OWNER_KEY, type TestMachine } from '#test/support/gateway.ts';
import {
  askFigures,
  memoryMb,
  processorSeconds,
  quantile,
  resetPeak,
  startGatewayProcess,
  writtenBytes,
} from './gateway-process.ts';

const seconds = Number(process.argv[2] ?? 60);
const frames = Number(process.argv[4] ?? 10);
const form = process.argv[5] ?? 'binary';
/** A full bus of 250 kbit/s is about 1,800 frames a second; two or three on each device. */
const FRAMES_A_DEVICE = 5_000;
/** Frames a second that must be sustained when no rate is told. */
const GOAL_FRAMES = 250_000;
const MARGIN = 1.02;
const BARE_S = 6;
const BARE_CLIENTS = 20;
const BARE_WINDOW = 100;
const WARM_UP_S = 3;
/** Messages of one device that are not answered; beyond, it waits. */
const WINDOW = 4_000;
const STEP_MS = 10;
/** The backlog has so long to be folded after the last message. */
const DRAIN_MS = 30_000;
const GOAL_RATIO = 0.15;

/** Identifiers of a machine that runs, and what they say; byte by byte, so that nothing is computed while it is sent. */
const FRAMES: readonly (readonly [id: number, data: (n: number) => readonly number[]])[] = [
  [0x0cf00400, (n) => [0xf0, 125, 140, n & 0xff, 0x20 + ((n >> 3) & 15), 0, 255, 255]],
  [0x0cf00300, (n) => [0xff, 100 + (n % 9), 40 + (n % 20), 255, 255, 255, 255, 255]],
  [0x18fef200, (n) => [0x34 + (n % 50), 3, 255, 255, 255, 255, 255, 255]],
  [0x18feee00, (n) => [125 + (n % 3), 80, 255, 255, 255, 255, 255, 255]],
  [0x18feef00, () => [255, 255, 255, 100, 255, 255, 255, 255]],
  [0x18fef100, (n) => [255, n & 0xff, 20, 255, 255, 255, 255, 255]],
  [0x18fef700, (n) => [255, 255, 255, 255, 0x30 + (n % 3), 2, 255, 255]],
  [0x18fefc00, () => [255, 150, 255, 255, 255, 255, 255, 255]],
  [0x18fef500, () => [255, 0x28, 0x23, 255, 255, 255, 255, 255]],
  [0x18fef600, (n) => [255, 60 + (n % 4), 80, 255, 255, 255, 255, 255]],
];

/** A payload whose times, and number where it has one, are written into it before it is sent. */
interface Template {
  readonly payload: Buffer;
  /** Writes when its first frame was and which message it is. */
  stamp(at: Buffer, from: number, us: number, seq: number): void;
}

/** Where decimal digits of a candump time stand, `(1700000000.000000)`. */
function putDigits(into: Buffer, at: number, us: number): void {
  let rest = us;
  for (let i = at + 17; i > at; i--) {
    if (i === at + 11) continue;
    const digit = rest % 10;
    into[i] = 48 + digit;
    rest = (rest - digit) / 10;
  }
}

function textTemplate(n: number): Template {
  const lines = Array.from({ length: frames }, (_, i) => {
    const [id, data] = FRAMES[(i + n) % FRAMES.length] as (typeof FRAMES)[number];
    return `(1700000000.000000) can0 ${id.toString(16).toUpperCase().padStart(8, '0')}#${Buffer.from(data(n)).toString('hex').toUpperCase()}\n`;
  });
  const length = lines[0]?.length ?? 0;
  return {
    payload: Buffer.from(lines.join('')),
    stamp(at, from, us) {
      for (let i = 0; i < frames; i++) putDigits(at, from + i * length, us + i);
    },
  };
}

function putVarint(into: Buffer, at: number, value: number): number {
  let to = at;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) into[to++] = (rest % 128) | 128;
  into[to++] = rest;
  return to;
}

/** Its numbers begin where a varint has four bytes, so that every message is as long as the first. */
const FIRST_SEQ = 2 ** 21;

function binaryTemplate(n: number): Template {
  const batch = new FrameBatch(frames);
  for (let i = 0; i < frames; i++) {
    const [id, data] = FRAMES[(i + n) % FRAMES.length] as (typeof FRAMES)[number];
    batch.push(1_700_000_000_000_000 + i, 0, id, FRAME.extended, Uint8Array.from(data(n)), 0, 8);
  }
  const payload = Buffer.from(encodeBinary(batch, FIRST_SEQ));
  return {
    payload,
    stamp(at, from, us, seq) {
      putVarint(at, putVarint(at, from + 6, FIRST_SEQ + seq), us);
      const end = from + payload.length - 4;
      at.writeUInt32LE(crc32(at.subarray(from, end)), end);
    },
  };
}

const templates = Array.from({ length: 64 }, (_, n) => (form === 'text' ? textTemplate(n) : binaryTemplate(n)));

const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);

/** A packet with its length (MQTT 3.1.1, 2.2.3). */
function framed(first: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head[0] = first;
  return Buffer.concat([head.subarray(0, putVarint(head, 1, body.length)), body]);
}

interface Sender {
  acked: number;
  sent: number;
  /** Sends so many more, as far as its window allows. */
  send(count: number): void;
  end(): void;
}

/** A client of bytes; `refill`: each answer sends the next. */
function dial(port: number, device_id: string, key: string, refill: number): Promise<Sender> {
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2, 0, 60])]);
  socket.write(framed(0x10, Buffer.concat([head, text(device_id), text(device_id), text(key)])));
  const topic = text(`v1/devices/${device_id}/can`);
  const packets = templates.map(({ payload, stamp }) => {
    const bytes = framed(0x32, Buffer.concat([topic, Buffer.from([0, 0]), payload]));
    return { bytes, payloadAt: bytes.length - payload.length, stamp };
  });
  const sender: Sender = {
    acked: 0,
    sent: 0,
    send(count) {
      const free = Math.min(count, WINDOW - (sender.sent - sender.acked));
      if (free <= 0) return;
      const us = Date.now() * 1000;
      let length = 0;
      for (let i = 0; i < free; i++) length += packets[(sender.sent + i) % packets.length]?.bytes.length ?? 0;
      const out = Buffer.allocUnsafe(length);
      let at = 0;
      for (let i = 0; i < free; i++) {
        const { bytes, payloadAt, stamp } = packets[sender.sent % packets.length] as (typeof packets)[number];
        bytes.copy(out, at);
        out.writeUInt16BE((sender.sent % 65_535) + 1, at + payloadAt - 2);
        stamp(out, at + payloadAt, us + i * (frames + 1), sender.sent);
        at += bytes.length;
        sender.sent++;
      }
      socket.write(out);
    },
    end: () => void socket.destroy(),
  };
  return new Promise((ready, fail) => {
    let got = 0;
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      const before = Math.max(0, Math.floor((got - 4) / 4));
      const greeted = got >= 4;
      got += chunk.length;
      if (!greeted && got >= 4) {
        ready(sender);
        sender.send(refill);
      }
      const answers = Math.max(0, Math.floor((got - 4) / 4)) - before;
      sender.acked += answers;
      if (refill > 0 && answers > 0) sender.send(answers);
    });
  });
}

async function serveBare(): Promise<void> {
  const aedes = await Aedes.createBroker();
  const server = createServer((socket) => void aedes.handle(socket));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
  });
}

async function measureBare(): Promise<number> {
  const child = spawn(process.execPath, [import.meta.filename, 'bare'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((done) =>
    createInterface({ input: child.stdout }).once('line', (line) => done(Number(line))),
  );
  const senders = await Promise.all(
    Array.from({ length: BARE_CLIENTS }, (_, i) => dial(port, `bare-${i}`, 'key', BARE_WINDOW)),
  );
  await sleep(1_000);
  const total = (): number => senders.reduce((sum, one) => sum + one.acked, 0);
  const [before, from] = [total(), performance.now()];
  await sleep(BARE_S * 1_000);
  const perSecond = (total() - before) / ((performance.now() - from) / 1_000);
  for (const one of senders) one.end();
  child.kill();
  return perSecond;
}

/** Sends at an even rate until told to stop. */
function pace(senders: readonly Sender[], perSecond: number): () => void {
  const from = performance.now();
  let given = 0;
  let turn = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - from) / 1_000) * perSecond) - given;
    given += due;
    // Who is first changes, so that what is left of a division goes to everybody.
    for (let i = 0; i < senders.length; i++) {
      const share = Math.floor((due * (i + 1)) / senders.length) - Math.floor((due * i) / senders.length);
      senders[(i + turn) % senders.length]?.send(share);
    }
    turn++;
  }, STEP_MS);
  return () => clearInterval(timer);
}

async function measureGateway(rate: number) {
  const count = Math.max(4, Math.round((rate * frames) / FRAMES_A_DEVICE));
  const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
  try {
    await using gateway = await startGatewayProcess(folder);
    const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Bench' });
    const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
    const machines: TestMachine[] = [];
    for (let i = 0; i < count; i++) machines.push(await addMachine(client, `B-${i}`));
    const senders = await Promise.all(machines.map(({ device_id, key }) => dial(gateway.mqtt, device_id, key, 0)));
    const stop = pace(senders, rate);
    await sleep(WARM_UP_S * 1_000);
    await askFigures(gateway.http);
    resetPeak(gateway.pid);
    const total = (): number => senders.reduce((sum, one) => sum + one.acked, 0);
    const [acked, from] = [total(), performance.now()];
    const [cpu, ownCpu, written] = [processorSeconds(gateway.pid), process.cpuUsage(), writtenBytes(gateway.pid)];
    const backlog: number[] = [];
    const perSecond: number[] = [];
    for (let i = 0; i < seconds; i++) {
      const before = total();
      await sleep(Math.max(0, from + (i + 1) * 1_000 - performance.now()));
      perSecond.push(total() - before);
      backlog.push((await owner.call('health_get', {})).journal.unfolded_messages);
    }
    const lasted = (performance.now() - from) / 1_000;
    const messages = total() - acked;
    const own = process.cpuUsage(ownCpu);
    const used = { gateway: processorSeconds(gateway.pid) - cpu, load: (own.user + own.system) / 1e6 };
    const { event_loop_p99_ms, event_loop_max_ms } = await askFigures(gateway.http);
    const bytes = writtenBytes(gateway.pid) - written;
    stop();
    const stopped = performance.now();
    while (performance.now() - stopped < DRAIN_MS && (await owner.call('health_get', {})).journal.unfolded_messages > 0)
      await sleep(50);
    const drained_s = (performance.now() - stopped) / 1_000;
    const third = Math.max(1, Math.floor(seconds / 3));
    const median = (values: readonly number[]): number =>
      quantile(
        [...values].sort((a, b) => a - b),
        0.5,
      );
    const [first, last] = [median(backlog.slice(0, third)), median(backlog.slice(-third))];
    // Folded for good: the counters of the devices, which a commit has written.
    let counted = 0;
    let framesCounted = 0;
    let repeats = 0;
    for (const { device } of machines) {
      const { metrics } = await client.call('devices_get', { id: device });
      counted += metrics.messages_total;
      framesCounted += metrics.frames_total;
      repeats += metrics.duplicates_total;
    }
    for (const one of senders) one.end();
    return {
      devices: count,
      'messages/s': Math.round(messages / lasted),
      'frames/s': Math.round((messages * frames) / lasted),
      'slowest second': Math.min(...perSecond),
      'backlog first third': first,
      'backlog last third': last,
      'backlog max': Math.max(...backlog),
      'drained after s': Number(drained_s.toFixed(1)),
      flat: last - first <= rate / 2,
      'acknowledged, not folded': total() - counted,
      'frames missing': total() * frames - framesCounted,
      repeats,
      'gateway cores': Number((used.gateway / lasted).toFixed(2)),
      'load cores': Number((used.load / lasted).toFixed(2)),
      'loop p99 ms': event_loop_p99_ms,
      'loop max ms': event_loop_max_ms,
      'rss peak MB': memoryMb(gateway.pid).peak,
      'written MB/s': Number((bytes / lasted / 1e6).toFixed(1)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'bare') await serveBare();
else {
  const bare = await measureBare();
  const asked = Number(process.argv[3] ?? 0);
  const rate = asked > 0 ? asked : Math.round(Math.max(GOAL_FRAMES / frames, GOAL_RATIO * bare) * MARGIN);
  const found = await measureGateway(rate);
  const ratio = found['messages/s'] / bare;
  process.stdout.write(
    `${rate} messages a second of ${frames} ${frames === 1 ? 'frame' : 'frames'} as ${form}, ${seconds} s; bare aedes with no storage ${Math.round(bare)} messages/s\n`,
  );
  process.stdout.write(`${JSON.stringify({ ...found, 'of bare': Number(ratio.toFixed(3)) }, null, 2)}\n`);
  const checks = {
    'offered rate taken': found['messages/s'] >= rate * 0.99,
    'backlog flat': found.flat,
    'every acknowledged message folded': found['acknowledged, not folded'] === 0 && found['frames missing'] === 0,
    ...(asked > 0 ? {} : { [`at least ${GOAL_RATIO} of bare aedes`]: ratio >= GOAL_RATIO }),
  };
  for (const [what, holds] of Object.entries(checks)) process.stdout.write(`${holds ? 'ok' : 'NOT'}: ${what}\n`);
  process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1;
}
