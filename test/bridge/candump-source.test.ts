import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSocketcanSource } from '#bridge/socketcan-source.ts';
import { type CanSource, parseSource, type SourceSpec } from '#bridge/source.ts';
import { openTcpSource } from '#bridge/tcp-source.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { eventually, lastingPort } from '#test/support/gateway.ts';
import { ownRecording } from '#test/support/own-recordings.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

type Of<K> = Extract<SourceSpec, { kind: K }>;

const folder = mkdtempSync(join(tmpdir(), 'headframe-candump-'));
const path = process.env.PATH;
before(() => {
  process.env.PATH = `${folder}:${path}`;
});
after(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true, force: true });
});

/** Stands in for a program of can-utils: the kernel here has no CAN. */
function program(name: string, body: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

function kit() {
  const batch = new FrameBatch();
  return { batch, options: { sink: { batch, filled() {} }, clock: Date.now, log() {} } };
}
function socketcan(text = 'socketcan:can0') {
  const { batch, options } = kit();
  return { batch, source: openSocketcanSource(parseSource(text) as Of<'socketcan'>, options) };
}
const reports = (source: CanSource, enough: (report: ReturnType<CanSource['report']>) => boolean) =>
  eventually(async () => source.report(), enough);
const count = (batch: FrameBatch, n: number) =>
  eventually(
    async () => batch.count,
    (frames) => frames === n,
  );

test('[F86] candump is asked for all frames, errors and drops; what it says becomes frames and counts', async () => {
  program(
    'candump',
    `echo "$@" > ${folder}/args
cat <<'TEXT'
(1795248000.000001) can1 18FEE500#E02E0000FFFFFFFF
DROPCOUNT: dropped 12 CAN frames on 'can1' socket (total drops 12)
(1795248000.000100) can1 20000004#0010000000000000
(1795248000.000200) can1 20000080#0000000000000000
nonsense
The socket receive buffer size was adjusted due to /proc/sys/net/core/rmem_max.
(1795248000.000300) can1 123#01
TEXT
exec sleep 60`,
  );
  const { batch, source } = socketcan('socketcan:can1?bitrate=250000');
  await using _ = source;
  await count(batch, 4);
  assert.equal(readFileSync(join(folder, 'args'), 'utf8').trim(), '-L -d -r 1048576 can1,0:0,#FFFFFFFF');
  const { state, bus_state, bus_errors, overruns, malformed, bitrate } = source.report();
  assert.deepEqual(
    { state, bus_state, bus_errors, overruns, malformed, bitrate },
    { state: 'listening', bus_state: 'passive', bus_errors: 1, overruns: 12, malformed: 1, bitrate: 250_000 },
  );
  assert.deepEqual([...batch.bus.subarray(0, 4)], [1, 1, 1, 1]);
  assert.equal((batch.flags[1] as number) & FRAME.error, FRAME.error);
});

test('[F86] an interface that goes down ends candump: it is told, and candump is started again', async () => {
  program('candump', `echo "(1795248000.000001) can0 123#01"\nsleep 0.2\necho "read: Network is down" >&2\nexit 1`);
  const { batch, source } = socketcan();
  await using _ = source;
  const { detail } = await reports(source, ({ disconnects, detail }) => disconnects >= 2 && detail !== null);
  assert.match(detail ?? '', /Network is down/);
  assert.ok(batch.count >= 2);
});

test('[F86] a candump that ends at once is away all the time, and no way that was lost', async () => {
  program('candump', `echo tried >> ${folder}/tries\necho "SIOCGIFINDEX: No such device" >&2\nexit 1`);
  const { source } = socketcan();
  await using _ = source;
  const seen = new Set<string>();
  await eventually(
    async () => {
      seen.add(source.report().state);
      try {
        return readFileSync(join(folder, 'tries'), 'utf8').split('\n').length;
      } catch {
        return 0;
      }
    },
    (tries) => tries > 3,
  );
  assert.deepEqual([seen.has('listening'), source.report().disconnects], [false, 0]);
  assert.match(source.report().detail ?? '', /No such device/);
});

test('[F86] without can-utils the source says what to install', async () => {
  process.env.PATH = '/nonexistent';
  try {
    const { source } = socketcan();
    await using _ = source;
    const { detail } = await reports(source, ({ state }) => state === 'refused');
    assert.match(detail ?? '', /apt-get install can-utils/);
  } finally {
    process.env.PATH = `${folder}:${path}`;
  }
});

test('[F82] cansend runs only while sending is allowed', async () => {
  program('candump', 'exec sleep 60');
  program('cansend', `echo "$@" >> ${folder}/sent`);
  const { source } = socketcan();
  await using _ = source;
  await reports(source, ({ state }) => state === 'listening');
  assert.equal(source.send(0x18eafff9, Uint8Array.of(0xe5, 0xfe, 0)), false);
  source.allowSending(true);
  assert.equal(source.send(0x18eafff9, Uint8Array.of(0xe5, 0xfe, 0)), true);
  source.allowSending(false);
  assert.equal(source.send(0x18eafff9, Uint8Array.of(1)), false);
  const sent = await eventually(
    async () => {
      try {
        return readFileSync(join(folder, 'sent'), 'utf8');
      } catch {
        return '';
      }
    },
    (text) => text !== '',
  );
  assert.equal(sent, 'can0 18EAFFF9#E5FE00\n');
});

test('[F86] a simulated log through candump is the log', async () => {
  const { batch: wanted, text } = ownRecording();
  writeFileSync(join(folder, 'own'), text);
  program('candump', `cat ${folder}/own\nexec sleep 60`);
  const { batch, source } = socketcan();
  await using _ = source;
  await count(batch, wanted.count);
  for (let i = 0; i < wanted.count; i++)
    assert.deepEqual([batch.t[i], batch.id[i], batch.payload(i)], [wanted.t[i], wanted.id[i], wanted.payload(i)]);
  assert.equal(source.report().malformed, 0);
});

test('[F86] a recording through candump is the recording', { skip: withoutRecordings }, async () => {
  const text = recording('candump/FCBF0606-jd6130.candump.log');
  writeFileSync(join(folder, 'recording'), text);
  program('candump', `cat ${folder}/recording\nexec sleep 60`);
  const { batch, source } = socketcan();
  await using _ = source;
  await count(batch, 1815);
  assert.equal(batch.t[0], 1_622_547_830_084_000);
  assert.equal(source.report().malformed, 0);
});

interface Peer extends AsyncDisposable {
  readonly port: number;
  readonly sockets: Socket[];
  /** Bytes that came from us. */
  readonly got: () => number;
}
async function peer(port = 0): Promise<Peer> {
  const sockets: Socket[] = [];
  let got = 0;
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => {
      got += chunk.length;
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    sockets,
    got: () => got,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
function tcp(port: number) {
  const { batch, options } = kit();
  const spec = parseSource(`candump-tcp:127.0.0.1:${port}`) as Of<'candump-tcp'>;
  return { batch, source: openTcpSource(spec, options) };
}

test('[F87] candump text over TCP: cut anywhere, long lines passed over, a peer that hangs up met again, nothing sent', async () => {
  const port = await lastingPort();
  let at = await peer(port);
  const { batch, source } = tcp(port);
  await using _ = source;
  const connected = () =>
    eventually(
      async () => at.sockets.length,
      (n) => n > 0,
    );
  await connected();
  const write = (text: string) => at.sockets.at(-1)?.write(text);
  write('(1795248000.000001) can0 123#01\n(1795248000.0000');
  await count(batch, 1);
  write('02) can0 124#02\n');
  await count(batch, 2);
  for (let i = 0; i < 100; i++) write('x'.repeat(1000));
  write('\n(1795248000.000003) can0 125#03\n');
  await count(batch, 3);
  assert.equal(source.report().malformed, 1);
  assert.equal(at.got(), 0);
  await at[Symbol.asyncDispose]();
  await reports(source, ({ state }) => state === 'away');
  at = await peer(port);
  await using _at = at;
  await connected();
  write('126#04\n');
  await count(batch, 4);
  assert.equal(
    (batch.flags[3] as number) & FRAME.noTime,
    FRAME.noTime,
    'a line without a date has the time of its receipt',
  );
  source.allowSending(true);
  assert.equal(source.send(1, Uint8Array.of()), false);
  assert.equal(at.got(), 0);
});
