/** A broker without a gateway, and its clients: MQTT.js clients, and raw ones that send bytes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import type { DeviceIdentity, IngestMessage } from '#contract/fleet/ingest.ts';
import { startBroker } from '#servers/mqtt/broker.ts';
import type { Broker, BrokerOptions } from '#servers/mqtt/broker-types.ts';
import { soon } from '#test/support/until.ts';

export { until } from '#test/support/until.ts';

export interface Rig extends AsyncDisposable {
  readonly broker: Broker;
  readonly messages: IngestMessage[];
  readonly refused: [source: string, reason: string][];
  readonly sessions: string[];
  readonly logged: string[];
  client(username: string, options?: IClientOptions): Promise<MqttClient>;
  socket(): Promise<Raw>;
}

/** A client that sends and reads bytes. */
export interface Raw {
  readonly socket: Socket;
  send(...bytes: (number | string | Uint8Array)[]): void;
  /** Reads so many bytes; fewer when the connection ends before. */
  read(bytes: number): Promise<Buffer>;
  /** Resolves when the broker has closed the connection. */
  readonly closed: Promise<true>;
}

export const KEY = 'dk_secret';

/**
 * Stops the timers of this process until the test ends. The broker then closes no connection for silence or for a late CONNECT, so a
 * closed connection was closed because of what the test did.
 */
export function stopTimers(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
}

export async function startRig(options: Partial<BrokerOptions> = {}): Promise<Rig> {
  const messages: IngestMessage[] = [];
  const refused: [string, string][] = [];
  const sessions: string[] = [];
  const logged: string[] = [];
  const clients: MqttClient[] = [];
  const sockets: Socket[] = [];
  const identity = (name: string): DeviceIdentity => ({ device: `dev_${name}`, device_id: name, project_id: 'prj_1' });
  const broker = await startBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: async (username, password) =>
      Buffer.from(password).toString() === KEY && username !== '' ? identity(username) : undefined,
    accept: async (message) => {
      messages.push({ ...message, payload: Uint8Array.from(message.payload) });
    },
    connected: (device) => sessions.push(`+${device.device_id}`),
    disconnected: (device) => sessions.push(`-${device.device_id}`),
    refused: (source, reason) => refused.push([source, reason]),
    loginRefused: (_username, address, reason) => refused.push([address, reason]),
    clock: Date.now,
    log: (level, message, data) => logged.push(`${level} ${message} ${JSON.stringify(data)}`),
    ...options,
  });
  return {
    broker,
    messages,
    refused,
    sessions,
    logged,
    async client(username, more) {
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
        username,
        password: KEY,
        protocolVersion: 4,
        reconnectPeriod: 0,
        ...more,
      });
      client.on('error', () => {});
      clients.push(client);
      return client;
    },
    async socket() {
      const socket = dial(broker.port, '127.0.0.1');
      sockets.push(socket);
      let answer = Buffer.alloc(0);
      let wake = (): void => {};
      let ended = false;
      socket.on('data', (chunk) => {
        answer = Buffer.concat([answer, chunk as Buffer]);
        wake();
      });
      socket.on('error', () => {});
      const closed = new Promise<true>((done) => {
        socket.on('close', () => {
          ended = true;
          wake();
          done(true);
        });
      });
      await once(socket, 'connect');
      return {
        socket,
        send(...parts) {
          const bytes = parts.map((part) =>
            typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as string),
          );
          socket.write(Buffer.concat(bytes));
        },
        async read(wanted) {
          while (answer.length < wanted && !ended) {
            const more = new Promise<void>((done) => {
              wake = done;
            });
            await soon(more, `${wanted} bytes of the broker, ${answer.length} are here`);
          }
          const taken = answer.subarray(0, wanted);
          answer = answer.subarray(taken.length);
          return taken;
        },
        closed,
      };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.endAsync(true);
      for (const socket of sockets) socket.destroy();
      await broker[Symbol.asyncDispose]();
    },
  };
}

export const text = (value: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
};

export function packet(first: number, ...parts: (Uint8Array | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length: number[] = [];
  for (let rest = body.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}

export function connectPacket(user = 'truck', id = 'c1', { level = 4, keepalive = 60, key = KEY } = {}): Buffer {
  const head = [...text('MQTT'), level, 0xc2, keepalive >> 8, keepalive & 255];
  return packet(0x10, head, text(id), text(user), text(key));
}

export async function connected(rig: Rig, user = 'truck', id = 'c1'): Promise<Raw> {
  const raw = await rig.socket();
  raw.send(connectPacket(user, id));
  assert.deepEqual([...(await raw.read(4))], [0x20, 2, 0, 0]);
  return raw;
}

export const publishPacket = (topic: string, id: number, payload: Uint8Array, first = 0x32): Buffer =>
  packet(first, text(topic), first & 6 ? [id >> 8, id & 255] : [], payload);

export const topicOf = (device: string, topic: string) => `v1/devices/${device}/${topic}`;

/** A raw client with a session; resolves with the session present flag of CONNACK. */
export async function resumed(rig: Rig, id = 'unit'): Promise<{ raw: Raw; present: number }> {
  const raw = await rig.socket();
  raw.send(packet(0x10, text('MQTT'), [4, 0xc0, 0, 60], text(id), text('truck'), text(KEY)));
  const answer = await raw.read(4);
  assert.deepEqual([answer[0], answer[3]], [0x20, 0]);
  return { raw, present: answer[2] as number };
}

export const subscribePacket = (topic: string, qos: number): Buffer => packet(0x82, [0, 1], text(topic), [qos]);
