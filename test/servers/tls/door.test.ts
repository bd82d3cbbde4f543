import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { openSealer } from '#gateway/sealer.ts';
import { openListener } from '#servers/base/listener.ts';
import { createHandshakeTurns } from '#servers/tls/handshake-turns.ts';
import { openTls, type Tls } from '#servers/tls/tls.ts';
import { soon, until } from '#test/support/until.ts';

function openAuthority(t: TestContext): Tls {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tls = openTls({
    folder,
    names: () => ['localhost', '127.0.0.1'],
    revocationUrl: () => null,
    own: null,
    clock: Date.now,
    log: () => {},
    sealer: openSealer(folder),
  });
  t.after(() => tls[Symbol.dispose]());
  return tls;
}

interface Rig extends AsyncDisposable {
  readonly port: number;
  readonly tlsPort: number;
  readonly sockets: () => number;
  readonly failures: string[];
  refused: number;
  dial(port: number): Promise<Socket>;
  tls(): Promise<TLSSocket>;
}

/** An HTTP listener with and without TLS that answers each request with `ok`. */
async function openRig(t: TestContext, limits: { perAddress?: number; maxSockets?: number } = {}): Promise<Rig> {
  const tls = openAuthority(t);
  const sockets: Socket[] = [];
  const failures: string[] = [];
  const listener = await openListener({
    host: '127.0.0.1',
    port: 0,
    secure: { tls, port: 0 },
    perAddress: limits.perAddress ?? 100,
    maxSockets: limits.maxSockets ?? 100,
    graceMs: 4_000,
    onRequest: (_request, response) => response.end('ok'),
    onRefused: () => {
      rig.refused++;
    },
    onMalformed: (code) => failures.push(code),
  });
  const rig: Rig = {
    port: listener.port,
    tlsPort: listener.tlsPort,
    sockets: () => listener.sockets,
    failures,
    refused: 0,
    async dial(port) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    },
    async tls() {
      const socket = connectTls({ port: rig.tlsPort, host: '127.0.0.1', ca: tls.certificates.authority() });
      socket.on('error', () => {});
      sockets.push(socket);
      await soon(once(socket, 'secureConnect'), 'a TLS connection');
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await listener[Symbol.asyncDispose]();
    },
  };
  return rig;
}

test('[E8] sockets with and without TLS count together, also before their handshake, until they close', async (t) => {
  await using rig = await openRig(t, { maxSockets: 3 });
  const encrypted = await rig.tls();
  const silent = await rig.dial(rig.tlsPort);
  const plain = await rig.dial(rig.port);
  await until(() => rig.sockets() === 3);
  const extra = await rig.dial(rig.tlsPort);
  await soon(once(extra, 'close'), 'the close of the fourth socket');
  const another = await rig.dial(rig.port);
  await soon(once(another, 'close'), 'the close of the fifth socket');
  assert.equal(rig.refused, 2);
  for (const socket of [encrypted, silent, plain]) socket.destroy();
  await until(() => rig.sockets() === 0);
  const again = await rig.tls();
  again.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [answer] = await soon(once(again, 'data'), 'an answer');
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
});

test('[E8] the limit of one address counts sockets with TLS', async (t) => {
  await using rig = await openRig(t, { perAddress: 2 });
  await rig.tls();
  await rig.tls();
  const third = await rig.dial(rig.port);
  await soon(once(third, 'close'), 'the close of the third socket');
  assert.equal(rig.refused, 1);
});

test('[E8] a client that sends something else than a ClientHello in one record is refused', async (t) => {
  await using rig = await openRig(t);
  const hello = (length: number, message: number) => {
    const bytes = Buffer.alloc(9);
    bytes.set([22, 3, 1]);
    bytes.writeUInt16BE(length, 3);
    bytes[5] = 1;
    bytes.writeUIntBE(message, 6, 3);
    return bytes;
  };
  const cases: readonly (readonly [Buffer, string])[] = [
    [Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'not_tls'],
    [hello(20_000, 19_996), 'record_too_long'],
    [hello(100, 500), 'hello_in_parts'],
  ];
  for (const [bytes, code] of cases) {
    const socket = await rig.dial(rig.tlsPort);
    socket.write(bytes);
    await soon(once(socket, 'close'), `the refusal ${code}`);
    assert.equal(rig.failures.pop(), code);
  }
});

test('[E8] a ClientHello that arrives byte by byte is accepted, and one that does not arrive is not awaited for long', async (t) => {
  await using rig = await openRig(t);
  const relay = await rig.dial(rig.tlsPort);
  const socket = connectTls({
    socket: Object.assign(relay, {
      write: (
        (write) =>
        (bytes: Buffer, ...rest: []) => {
          for (const byte of bytes.subarray(0, 40)) write(Buffer.of(byte));
          return write(bytes.subarray(40), ...rest);
        }
      )(relay.write.bind(relay) as (bytes: Buffer, ...rest: []) => boolean),
    }),
    rejectUnauthorized: false,
  });
  await soon(once(socket, 'secureConnect'), 'a TLS connection');
  socket.destroy();
  const silent = await rig.dial(rig.tlsPort);
  silent.write(Buffer.from([22, 3, 1, 1]));
  await soon(once(silent, 'close'), 'the close of a silent socket');
  assert.deepEqual(rig.failures, ['hello_timeout']);
});

test('[E8] closing a listener ends handshakes that have not ended', async (t) => {
  const rig = await openRig(t);
  const silent = await rig.dial(rig.tlsPort);
  const closed = once(silent, 'close');
  await until(() => rig.sockets() === 1);
  await rig[Symbol.asyncDispose]();
  await soon(closed, 'the close of the socket');
});

test('[E9] at most 4 handshakes begin in 10 ms, and addresses are served in rotation', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = createHandshakeTurns();
  const began: string[] = [];
  for (let i = 0; i < 10; i++) turns.enter('flood', () => began.push('flood'));
  turns.enter('one', () => began.push('one'));
  turns.enter('two', () => began.push('two'));
  assert.deepEqual(
    began.splice(0),
    Array.from({ length: 4 }, () => 'flood'),
  );
  t.mock.timers.tick(9);
  assert.deepEqual(began, []);
  t.mock.timers.tick(1);
  assert.deepEqual(began.splice(0).toSorted(), ['flood', 'flood', 'one', 'two']);
  t.mock.timers.tick(10);
  assert.equal(began.length, 4);
});

test('[E9] at most 256 handshakes are unfinished, 192 of one address, and at most 4,096 wait', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = createHandshakeTurns();
  let began = 0;
  const pass = () => {
    for (let i = 0; i < 200; i++) t.mock.timers.tick(10);
  };
  const enter = (address: string, many: number) =>
    Array.from({ length: many }, () => turns.enter(address, () => began++));
  const flood = enter('flood', 4_200);
  assert.equal(flood.filter((leave) => leave !== undefined).length, 4_100, '4,096 wait, and 4 began at once');
  pass();
  assert.equal(began, 192);
  const other = enter('other', 100);
  pass();
  assert.equal(began, 256);
  for (const leave of flood) leave?.();
  pass();
  assert.equal(began, 192 + 100);
  for (const leave of other) leave?.();
  const again = enter('flood', 200);
  pass();
  assert.equal(began, 192 + 100 + 192);
  for (const leave of again) leave?.();
});

test('[E9] a client cannot make a second handshake on an open connection', async (t) => {
  await using rig = await openRig(t);
  const socket = connectTls({ port: rig.tlsPort, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false });
  await soon(once(socket, 'secureConnect'), 'a TLS connection');
  const refused = new Promise<Error | null>((done) => {
    socket.once('error', done);
    socket.renegotiate({}, done);
  });
  assert.match(String(await soon(refused, 'the refusal')), /no renegotiation|renegotiation/i);
  socket.destroy();
});
