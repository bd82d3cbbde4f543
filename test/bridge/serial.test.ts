import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSerialSource } from '#bridge/serial-source.ts';
import { type CanSource, parseSource, SourceError } from '#bridge/source.ts';
import { formatSlcan } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { eventually } from '#test/support/gateway.ts';
import { startAdapter } from '#test/support/slcan-adapter.ts';
import { until as holds, soon } from '#test/support/until.ts';

type Slcan = Extract<ReturnType<typeof parseSource>, { kind: 'slcan' }>;

/** A source on the path, and what it heard. */
function listen(path: string, query = 'bitrate=250000') {
  const batch = new FrameBatch();
  const source = openSerialSource(parseSource(`slcan:${path}?${query}`) as Slcan, {
    sink: { batch, filled() {} },
    clock: Date.now,
    log() {},
  });
  return { source, batch };
}
const until = (source: CanSource, state: string) =>
  eventually(
    async () => source.report(),
    (report) => report.state === state,
  );
/** HOURS of source address `n`. */
function frames(...numbers: number[]): Uint8Array {
  const batch = new FrameBatch();
  for (const n of numbers) batch.push(0, 0, 0x18fee500 + n, FRAME.extended, Uint8Array.of(n), 0, 1);
  return formatSlcan(batch);
}
const heard = (batch: FrameBatch) => [...batch.id.subarray(0, batch.count)].map((id) => id & 0xff);

test('[F80] a source is named in words; what is none is told what would be', () => {
  assert.deepEqual(parseSource('slcan:/dev/ttyACM0?bitrate=250000'), {
    kind: 'slcan',
    path: '/dev/ttyACM0',
    baud: 115_200,
    stamps: true,
    bus: null,
    bitrate: 250_000,
  });
  assert.equal(parseSource('slcan:usb:1d50:606f:A1?bitrate=auto&stamps=0&bus=2').bitrate, 'auto');
  assert.deepEqual(parseSource('socketcan:can0'), { kind: 'socketcan', interface: 'can0', bus: null, bitrate: null });
  assert.deepEqual(parseSource('candump-tcp:[::1]:29536'), {
    kind: 'candump-tcp',
    host: '::1',
    port: 29536,
    bus: null,
    bitrate: null,
  });
  const none = [
    '',
    'can0',
    'slcan:/dev/x',
    'slcan:/dev/x?bitrate=7',
    'slcan:/dev/x?bitrate=250000&speed=1',
    'socketcan:can 0',
    'socketcan:can0?bitrate=auto',
    'candump-tcp:host',
    'candump-tcp:host:0',
  ];
  for (const text of none) assert.throws(() => parseSource(text), SourceError, text);
});

test('[F81] an adapter is opened to listen only, and its frames arrive', async () => {
  await using adapter = await startAdapter();
  const { source, batch } = listen(adapter.path);
  await using _ = source;
  await until(source, 'listening');
  assert.equal(adapter.channel(), 'listening');
  assert.match(adapter.written(), /^\r+C\rS5\rZ1\rL\r/);
  await adapter.send(frames(1, 2, 3));
  await eventually(
    async () => heard(batch),
    (ids) => ids.length === 3,
  );
  assert.deepEqual(heard(batch), [1, 2, 3]);
  assert.equal(source.report().sending, false);
});

test('[F82] not one byte that sends, or takes part, leaves while sending is not allowed', async () => {
  const sent: string[] = [];
  await using adapter = await startAdapter({ onFrame: (text) => sent.push(text) });
  const { source } = listen(adapter.path);
  {
    await using _ = source;
    await until(source, 'listening');
    assert.equal(source.send(0x18eafff9, Uint8Array.of(0xe5, 0xfe, 0)), false);
    source.allowSending(true);
    await eventually(
      async () => source.report().sending,
      (sending) => sending,
    );
    assert.equal(adapter.channel(), 'open');
    assert.equal(source.send(0x18eafff9, Uint8Array.of(0xe5, 0xfe, 0)), true);
    await eventually(
      async () => sent,
      (all) => all.length === 1,
    );
    const armed = adapter.written().length;
    source.allowSending(false);
    assert.equal(source.send(0x18eafff9, Uint8Array.of(0xe5, 0xfe, 0)), false, 'at once');
    await eventually(
      async () => adapter.channel(),
      (channel) => channel === 'listening',
    );
    // Allowed and forbidden again before the adapter could answer: it ends closed to sending.
    source.allowSending(true);
    source.allowSending(false);
    source.allowSending(true);
    source.allowSending(false);
    await eventually(
      async () => [adapter.channel(), adapter.written().endsWith('F\r')],
      ([channel, settled]) => channel === 'listening' && settled === true,
    );
    assert.match(adapter.written().slice(armed), /^C\r/);
  }
  const before = adapter.written().slice(0, adapter.written().indexOf('O\r'));
  const after = adapter.written().slice(adapter.written().lastIndexOf('L\r'));
  for (const text of [before, after]) assert.doesNotMatch(text, /[tTrRdDbBxXO]/);
  assert.deepEqual(sent, ['T18EAFFF93E5FE00']);
});

test('[F82] an adapter that cannot listen only is never told to take part', async () => {
  await using adapter = await startAdapter({ listens: false });
  const { source } = listen(adapter.path);
  await using _ = source;
  const { detail } = await until(source, 'refused');
  assert.match(detail ?? '', /listen only/);
  await eventually(
    async () => adapter.written().split('L\r').length,
    (tries) => tries > 2,
  );
  assert.doesNotMatch(adapter.written(), /[tTrRdDbBxXO]/);
});

test('[F83] a port that vanishes is told, waited for and opened again', async () => {
  await using adapter = await startAdapter();
  const { source, batch } = listen(adapter.path);
  await using _ = source;
  await until(source, 'listening');
  await adapter.send(frames(1));
  await adapter.unplug();
  const away = await until(source, 'away');
  assert.equal(away.disconnects, 1);
  assert.match(
    await eventually(
      async () => source.report().detail ?? '',
      (text) => text.startsWith('There is no'),
    ),
    /There is no/,
  );
  await adapter.plug();
  await until(source, 'listening');
  await adapter.send(frames(2));
  await eventually(
    async () => heard(batch),
    (ids) => ids.includes(2),
  );
  assert.equal(source.report().detail, null);
});

test('[F83] an adapter that takes nothing any more holds neither the stop nor the next start', async () => {
  await using adapter = await startAdapter();
  const { source } = listen(adapter.path);
  await until(source, 'listening');
  source.allowSending(true);
  await eventually(
    async () => source.report().sending,
    (sending) => sending,
  );
  adapter.hang();
  // Far more than a line of the kernel and the program behind it take: the rest waits in this process.
  for (let i = 0; i < 20_000; i++) source.send(0x18eafff9, Uint8Array.of(0xe5, 0xfe, 0));
  // One write follows the other without a pause, so when none is under way the line is full.
  await holds(() => !process.getActiveResourcesInfo().includes('FSReqCallback'));
  await soon(Promise.resolve(source[Symbol.asyncDispose]()), 'the end of a source whose adapter hangs');
  assert.equal(source.report().sending, false);
  await adapter.unplug();
  await adapter.plug();
  const again = listen(adapter.path);
  await using _ = again.source;
  await until(again.source, 'listening');
});

test('[F83] an adapter named by its USB numbers is waited for', async () => {
  const { source } = listen('usb:dead:beef:1');
  await using _ = source;
  const { detail } = await until(source, 'away');
  assert.match(detail ?? '', /USB adapter usb:dead:beef:1 is connected/);
});

test('[F84] the bit rate is found by listening: frames and no errors', async () => {
  await using adapter = await startAdapter({ bitrate: 500_000 });
  const feed = setInterval(() => void adapter.send(frames(1, 2)), 50);
  try {
    const { source, batch } = listen(adapter.path, 'bitrate=auto');
    await using _ = source;
    const { bitrate } = await until(source, 'listening');
    assert.equal(bitrate, 500_000);
    assert.ok(batch.count > 0);
    assert.ok(source.report().bus_errors > 0, 'errors were heard at the wrong rate');
    assert.doesNotMatch(adapter.written(), /[tTrRdDbBxXO]/);
  } finally {
    clearInterval(feed);
  }
});

test('[F85] noise at full rate: every good frame between it arrives, and memory does not grow', async () => {
  await using adapter = await startAdapter();
  const { source, batch } = listen(adapter.path, 'bitrate=250000&stamps=0');
  await using _ = source;
  await until(source, 'listening');
  const noise = Buffer.alloc(4096);
  // No CR and nothing that a frame begins with: what is between two frames is one line too long.
  for (let i = 0; i < noise.length; i++) noise[i] = 128 + ((i * 37) % 100);
  const rounds = 200;
  for (let i = 0; i < rounds; i++) {
    await adapter.send(noise);
    await adapter.send(Buffer.concat([Buffer.from('\r'), frames(i % 250)]));
  }
  await eventually(
    async () => batch.count,
    (count) => count === rounds,
  );
  assert.ok(source.report().malformed >= rounds);
});
