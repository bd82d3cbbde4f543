/** MQTT over WebSocket: the rules of gateway/servers/mqtt/SPEC.md. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import mqtt from 'mqtt';
import { soon } from '#test/support/until.ts';
import { connectPacket, KEY, packet, publishPacket, subscribePacket, topicOf, until } from './broker-rig.ts';
import { startWebSocketRig, type WebSocketClient, type WebSocketRig } from './web-socket-rig.ts';

/** A WebSocket with an accepted MQTT client. */
async function accepted(rig: WebSocketRig, id = 'c1'): Promise<WebSocketClient> {
  const client = rig.open();
  await soon(once(client.webSocket, 'open'), 'the upgrade');
  client.webSocket.send(connectPacket('truck', id));
  assert.deepEqual([...(await client.read(4))], [0x20, 2, 0, 0]);
  return client;
}

/** A masked frame of a client (RFC 6455 5.2) whose length field states `length`. */
function frame(first: number, payload: Uint8Array, length = payload.length): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([first, 0x80 | 127]), size, Buffer.alloc(4), payload]);
}

const closeCode = (bytes: Buffer): number => bytes.readUInt16BE(bytes.length - (bytes[1] as number));

test('[B27] MQTT.js publishes and subscribes over a WebSocket with each QoS, and presence follows the connection', async () => {
  await using ws = await startWebSocketRig();
  const client = await mqtt.connectAsync(ws.url, { username: 'truck', password: KEY, reconnectPeriod: 0 });
  for (const qos of [0, 1, 2] as const) await client.publishAsync(topicOf('truck', 'can'), `${qos}`, { qos });
  await until(() => ws.rig.messages.length === 3);
  assert.deepEqual(
    ws.rig.messages.map(({ payload }) => String(Buffer.from(payload))),
    ['0', '1', '2'],
  );
  await client.subscribeAsync(topicOf('truck', 'commands'), { qos: 1 });
  const came = new Promise<string>((done) => client.once('message', (_topic, payload) => done(String(payload))));
  await ws.rig.broker.publish('truck', 'commands', 'horn');
  assert.equal(await soon(came, 'the command'), 'horn');
  assert.deepEqual(ws.rig.sessions, ['+truck']);
  await client.endAsync();
  await until(() => ws.rig.sessions.at(-1) === '-truck');
});

test('[B27] one frame may have several packets, and one packet several frames and fragments', async () => {
  await using ws = await startWebSocketRig();
  const { webSocket, read } = await accepted(ws);
  const one = publishPacket(topicOf('truck', 'can'), 1, Buffer.from('one'));
  const two = publishPacket(topicOf('truck', 'can'), 2, Buffer.from('two'));
  const three = publishPacket(topicOf('truck', 'can'), 3, Buffer.from('three'));
  webSocket.send(Buffer.concat([one, two.subarray(0, 5)]));
  webSocket.send(two.subarray(5, 9), { fin: false });
  webSocket.send(Buffer.concat([two.subarray(9), three]), { fin: true });
  assert.deepEqual([...(await read(12))], [0x40, 2, 0, 1, 0x40, 2, 0, 2, 0x40, 2, 0, 3]);
});

test('[B27] a client must request the subprotocol mqtt or mqttv3.1', async () => {
  await using ws = await startWebSocketRig();
  const none = ws.open({ protocols: [] });
  assert.equal((await none.ended).status, 400);
  const other = ws.open({ protocols: ['chat'] });
  assert.equal((await other.ended).status, 400);
  for (const name of ['mqtt', 'mqttv3.1']) {
    const client = ws.open({ protocols: ['chat', name] });
    await soon(once(client.webSocket, 'open'), 'the upgrade');
    assert.equal(client.webSocket.protocol, name);
  }
  assert.equal(ws.refusals, 2);
});

test('[B27] a page of another site, and a Host of another server, get no upgrade', async () => {
  await using ws = await startWebSocketRig();
  const { port } = ws.listener;
  const foreign = ws.open({ headers: { origin: 'http://evil.example' } });
  assert.equal((await foreign.ended).status, 403);
  const rebound = ws.open({ headers: { host: `evil.example:${port}`, origin: `http://evil.example:${port}` } });
  assert.equal((await rebound.ended).status, 421);
  const own = ws.open({ headers: { origin: `http://127.0.0.1:${port}` } });
  await soon(once(own.webSocket, 'open'), 'the upgrade');
});

test('[B27] other upgrade requests are answered as normal requests', async () => {
  await using ws = await startWebSocketRig();
  for (const headers of [
    { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' },
    { connection: 'Upgrade', upgrade: 'TLS/1.2' },
  ]) {
    const asked = request({ host: '127.0.0.1', port: ws.listener.port, path: '/mqtt', headers });
    asked.end();
    const [answer] = await soon(once(asked, 'response'), 'the answer');
    assert.equal(answer.statusCode, 200);
    answer.resume();
  }
  const elsewhere = ws.open({ path: '/mqtt2' });
  assert.equal((await elsewhere.ended).status, 200);
});

test('[B27] a text frame, an unmasked frame and a reserved bit end the connection, and are counted under the device', async () => {
  await using ws = await startWebSocketRig();
  const { webSocket, ended } = await accepted(ws);
  webSocket.send('text');
  assert.equal((await ended).code, 1003);
  assert.match(String(ws.rig.refused.at(-1)), /^truck,a text frame/);
  const unmasked = await ws.upgraded();
  unmasked.socket.write(Buffer.from([0x82, 1, 0x10]));
  assert.equal(closeCode(await unmasked.closed), 1002);
  const reserved = await ws.upgraded();
  reserved.socket.write(frame(0xc2, Buffer.of(0x10)));
  assert.equal(closeCode(await reserved.closed), 1002);
  assert.equal(ws.rig.broker.counters().malformed_total, 3);
  await until(() => ws.rig.broker.counters().connections === 0);
});

test('[B27] a frame that announces 1 GB, a message over 16 MiB and 1,025 fragments end the connection', async () => {
  await using ws = await startWebSocketRig();
  const huge = await ws.upgraded();
  huge.socket.write(frame(0x82, Buffer.of(0x10), 1 << 30));
  assert.equal(closeCode(await huge.closed), 1009);
  const long = await accepted(ws);
  long.webSocket.send(Buffer.alloc(16 * 1024 * 1024 + 1));
  assert.equal((await long.ended).code, 1009);
  const many = await accepted(ws);
  for (let i = 0; i < 1_025; i++) many.webSocket.send(Buffer.of(0xc0), { fin: false });
  assert.equal((await many.ended).code, 1008);
});

test('[B9] a publish over 256 KiB in one WebSocket message is acknowledged and not stored', async () => {
  await using ws = await startWebSocketRig();
  const { webSocket, read } = await accepted(ws);
  for (const [id, kilobytes] of [300, 600, 15_000].entries()) {
    webSocket.send(publishPacket(topicOf('truck', 'can'), id + 1, Buffer.alloc(kilobytes * 1024)));
    assert.deepEqual([...(await read(4))], [0x40, 2, 0, id + 1]);
  }
  assert.equal(ws.rig.messages.length, 0);
});

test('[B27] two connections may send a message over 512 KiB at the same time, and a third is closed with 1013', async () => {
  await using ws = await startWebSocketRig();
  const publish = publishPacket(topicOf('truck', 'can'), 7, Buffer.alloc(600 * 1024));
  const [first, second, third] = [await accepted(ws, 'c1'), await accepted(ws, 'c2'), await accepted(ws, 'c3')];
  for (const { webSocket } of [first, second]) {
    webSocket.send(publish, { fin: false });
    // The broker answers a ping when it has received all bytes before.
    webSocket.ping();
    await soon(once(webSocket, 'pong'), 'the pong');
  }
  third.webSocket.send(publish, { fin: false });
  assert.equal((await third.ended).code, 1013);
  first.webSocket.send(Buffer.alloc(0), { fin: true });
  assert.deepEqual([...(await first.read(4))], [0x40, 2, 0, 7]);
  const fourth = await accepted(ws, 'c4');
  fourth.webSocket.send(publish);
  assert.deepEqual([...(await fourth.read(4))], [0x40, 2, 0, 7]);
});

test('[B10] a WebSocket without CONNECT is closed after five seconds, and one that sends 128 KiB before its login at once', async () => {
  await using ws = await startWebSocketRig();
  const silent = ws.open();
  assert.equal((await silent.ended).status, undefined);
  const noisy = await ws.upgraded();
  noisy.socket.write(frame(0x82, Buffer.alloc(400 * 1024)).subarray(0, 200 * 1024));
  await noisy.closed;
  assert.match(String(ws.rig.refused.at(-1)), /too many bytes before the end of the login/);
  await until(() => ws.rig.broker.counters().connections === 0);
});

test('[B10] WebSockets and TCP sockets count together, and an upgraded socket no longer counts for HTTP', async () => {
  await using ws = await startWebSocketRig({ limits: { unauthenticated: 8, sockets: 16 } });
  const open = [];
  for (let i = 0; i < 6; i++) {
    const client = ws.open();
    await soon(once(client.webSocket, 'open'), 'the upgrade');
    open.push(client);
  }
  assert.equal(ws.listener.sockets, 0, 'the listener allows 4 sockets of one address');
  const seventh = ws.open();
  assert.equal((await seventh.ended).status, 429);
  const tcp = await ws.rig.socket();
  assert.equal(await tcp.closed, true);
  for (const { webSocket } of open) webSocket.terminate();
  await until(() => ws.rig.broker.counters().connections === 0);
  await accepted(ws);
});

test('[B10] an upgrade that the library refuses does not stay counted', async () => {
  await using ws = await startWebSocketRig({ limits: { unauthenticated: 2, sockets: 16 } });
  for (let i = 0; i < 4; i++) {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'mqtt' };
    const asked = request({ host: '127.0.0.1', port: ws.listener.port, path: '/mqtt', headers });
    asked.end();
    const [answer] = await soon(once(asked, 'response'), 'the answer');
    assert.equal(answer.statusCode, 400);
    answer.resume();
    await once(answer, 'close');
  }
  await until(() => ws.rig.broker.counters().connections === 0);
  await accepted(ws);
});

test('[B27] a ping is answered, but not while 64 KiB wait to be sent', async () => {
  await using ws = await startWebSocketRig();
  const { webSocket, ended } = await accepted(ws);
  webSocket.ping('now');
  const [data] = await soon(once(webSocket, 'pong'), 'the pong');
  assert.equal(String(data), 'now');
  const flood = await ws.upgraded();
  flood.socket.write(frame(0x82, connectPacket('truck', 'flood')));
  await until(() => ws.rig.broker.counters().connections_total === 2);
  flood.socket.pause();
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125]), Buffer.alloc(4 + 125)]);
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => ping));
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 400; i++) if (!flood.socket.write(pings)) await soon(once(flood.socket, 'drain'), 'a read');
  assert.ok(process.memoryUsage().rss - before < 40e6, 'the answers would take 50 MB');
  webSocket.close();
  await ended;
});

test('[B19] a WebSocket client that does not read is disconnected, and the others get their messages', async () => {
  await using ws = await startWebSocketRig({ access: { publish: () => true, subscribe: () => true } });
  const slow = await ws.upgraded();
  slow.socket.pause();
  slow.socket.write(frame(0x82, connectPacket('truck', 'slow')));
  slow.socket.write(frame(0x82, subscribePacket('news', 0)));
  await until(() => ws.rig.sessions.includes('+truck'));
  const sender = await accepted(ws, 'sender');
  const payload = Buffer.alloc(200 * 1024);
  let sent = 0;
  await until(() => {
    if (sent < 200) sender.webSocket.send(publishPacket('news', ++sent, payload));
    return ws.rig.broker.counters().frozen_total + ws.rig.broker.counters().shed_total > 0;
  });
  const { read, webSocket } = await accepted(ws, 'other');
  webSocket.send(packet(0xc0));
  assert.deepEqual([...(await read(2))], [0xd0, 0]);
});

test('[B8] when the gateway stops, it closes WebSockets with code 1001 and does not publish their wills', async () => {
  const ws = await startWebSocketRig();
  const client = await mqtt.connectAsync(ws.url, {
    username: 'truck',
    password: KEY,
    reconnectPeriod: 0,
    will: { topic: topicOf('truck', 'status'), payload: Buffer.from('gone'), qos: 1, retain: false },
  });
  const { ended } = await accepted(ws);
  await ws.rig.broker.webSockets.close();
  assert.equal((await ended).code, 1001);
  await until(() => !client.connected);
  assert.equal(ws.rig.messages.length, 0);
  const late = ws.open();
  assert.equal((await late.ended).status, 429);
  await ws[Symbol.asyncDispose]();
});
