/** Inside the virtual machine of `vcan.ts`: the SocketCAN source on vcan0, with the programs of can-utils. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSocketcanSource } from '#bridge/socketcan-source.ts';
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';

const SECONDS = 90;

/** Asks until the answer satisfies; the gateway's own would load the gateway, which takes minutes on such a processor. */
async function eventually<T>(ask: () => T, enough: (answer: T) => boolean): Promise<T> {
  for (const end = Date.now() + SECONDS * 1000; ; ) {
    const answer = ask();
    if (enough(answer)) return answer;
    if (Date.now() > end) throw new Error(`still not so after ${SECONDS} s: ${JSON.stringify(answer)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
const recording = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'shared',
  'data',
  'candump',
  'FCBF0606-jd6130.candump.log',
);

const sent = new FrameBatch();
if (existsSync(recording)) parseCandump(readFileSync(recording), sent, 0);
else
  for (let i = 0; i < 2_000; i++)
    sent.push(1e15 + i * 500, 0, 0x18fee500 + (i % 250), FRAME.extended, Uint8Array.of(i & 255), 0, 1);
sent.bus.fill(0);
// As fast as a full bus of 250 kbit/s.
for (let i = 0; i < sent.count; i++) sent.t[i] = 1e15 + i * 571;

/** Identifier and payload, which is what passes a bus. */
function rows(batch: FrameBatch, from = 0): string[] {
  return formatText(batch).slice(from);
}
function formatText(batch: FrameBatch): string[] {
  const text = Buffer.from(formatCandump(batch)).toString('latin1').trimEnd().split('\n');
  return text.map((line) => line.split(' ')[2] ?? '');
}
const ip = (...args: string[]) => execFileSync('ip', args);

let passed = 0;
let failed = 0;
function fact(name: string, holds: boolean): void {
  if (holds) passed++;
  else failed++;
  process.stdout.write(`${holds ? 'ok' : 'NOT OK'} ${name}\n`);
}

const batch = new FrameBatch();
const source = openSocketcanSource(
  { kind: 'socketcan', interface: 'vcan0', bus: 0, bitrate: null },
  { sink: { batch, filled() {} }, clock: Date.now, log() {} },
);
const until = (state: string) =>
  eventually(
    () => source.report(),
    (report) => report.state === state,
  );
await until('listening');
// candump binds after it was started.
await new Promise((done) => setTimeout(done, 2_000));

const text = Buffer.from(formatCandump(sent)).toString('latin1').replaceAll(' can0 ', ' vcan0 ');
const player = spawn('canplayer', [], { stdio: ['pipe', 'ignore', 'inherit'] });
player.stdin.end(text);
await eventually(
  () => batch.count,
  (count) => count >= sent.count,
);
fact(
  `${sent.count} frames of a recording arrive, in order`,
  JSON.stringify(rows(batch)) === JSON.stringify(rows(sent)),
);
fact(`none was dropped: ${source.report().overruns}`, source.report().overruns === 0);
fact('their times are of now', Math.abs((batch.t[0] as number) / 1000 - Date.now()) < SECONDS * 1000);

ip('link', 'set', 'vcan0', 'down');
const { detail } = await until('away');
fact(`an interface that goes down is told: ${detail}`, detail !== null);
ip('link', 'set', 'vcan0', 'up');
await until('listening');
await new Promise((done) => setTimeout(done, 2_000));
batch.clear();
execFileSync('cansend', ['vcan0', '18FEE500#0102030405060708']);
await eventually(
  () => batch.count,
  (count) => count === 1,
);
fact('and heard again when it is up', rows(batch)[0] === '18FEE500#0102030405060708');

fact('nothing is sent while that is not allowed', !source.send(0x18eafff7, Uint8Array.of(0xe5, 0xfe, 0)));
source.allowSending(true);
fact('a question goes out when it is', source.send(0x18eafff7, Uint8Array.of(0xe5, 0xfe, 0)));
await eventually(
  () => batch.count,
  (count) => count === 2,
);
fact('and is on the bus', rows(batch)[1] === '18EAFFF7#E5FE00');
await source[Symbol.asyncDispose]();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
