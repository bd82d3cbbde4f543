/** A real gateway in this process, on ports and a folder of its own, and real MQTT devices that talk to it. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import { type Client, createClient } from '#contract/client.ts';
import { type Node, startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { OWNER_KEY } from './owner-key.ts';

export { OWNER_KEY };

export interface TestGateway extends AsyncDisposable {
  readonly node: Node;
  readonly folder: string;
  readonly client: Client;
  /** A client of one project of this gateway. */
  project(id: string): Client;
}

/**
 * Starts a gateway on free ports; `folder` reopens an earlier one, which then outlives the disposal; `outside` stands in for
 * the system, `settings` for the environment.
 */
export async function startGateway(
  folder?: string,
  outside: Parameters<typeof startNode>[1] = {},
  settings: Readonly<Record<string, string>> = {},
  host = '127.0.0.1',
): Promise<TestGateway> {
  const data = folder ?? mkdtempSync(join(tmpdir(), 'headframe-test-'));
  const config = readConfig(
    { data, host, port: '0', 'mqtt-port': '0', 'bucket-port': '0', log: 'error' },
    { HEADFRAME_API_KEY: OWNER_KEY, ...settings },
  );
  const node = await startNode(config, outside);
  const connect = (project_id?: string): Client =>
    createClient({ base_url: node.http, key: OWNER_KEY, ...(project_id === undefined ? {} : { project_id }) });
  return {
    node,
    folder: data,
    client: connect(),
    project: connect,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      if (folder === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Starts a gateway on a port that stays the same after a restart. The caller ends it. */
export function startAtPort(
  data: string,
  port: number | string,
  outside: Parameters<typeof startNode>[1] = {},
): ReturnType<typeof startNode> {
  const settings = {
    ...{ data, host: '127.0.0.1', port: String(port), log: 'error' },
    ...{ 'https-port': '0', 'mqtt-port': '0', 'bucket-port': '0' },
  };
  return startNode(readConfig(settings, { HEADFRAME_API_KEY: OWNER_KEY }), outside);
}

export interface TestMachine {
  readonly equipment_id: string;
  /** Record id of the device. */
  readonly device: string;
  readonly device_id: string;
  readonly key: string;
}

/** A machine with a provisioned and linked logger, through the interface that customers use. */
export async function addMachine(client: Client, unit: string): Promise<TestMachine> {
  const machine = await client.call('equipment_create', { unit_number: unit });
  const made = await client.call('devices_provision', {
    serial: `SN-${unit}`,
    kind: 'can_logger',
    equipment_id: machine.id,
  });
  if (made.credential.key === null) throw new Error('a fresh provision must show its key');
  return {
    equipment_id: machine.id,
    device: made.device.id,
    device_id: made.device.device_id,
    key: made.credential.key,
  };
}

/** A file of a device, by a resumable upload (tus 1.0.0); the id of the artifact that it became. */
export async function uploadFile(
  base: string,
  { device, key }: Pick<TestMachine, 'device' | 'key'>,
  name: string,
  bytes: Uint8Array,
): Promise<string> {
  const headers = { 'Tus-Resumable': '1.0.0', authorization: `Bearer ${key}` };
  const made = await fetch(`${base}/api/v1/devices/${device}/media`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
      'idempotency-key': name,
    },
  });
  const done = await fetch(made.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    body: new Uint8Array(bytes),
  });
  const id = done.headers.get('artifact-id');
  if (id === null) throw new Error(`the upload was answered ${done.status}: ${await done.text()}`);
  return id;
}

/** Connects as a device, with MQTT 3.1.1. That its connection breaks is told by its messages and its `close`. */
export async function connectDevice(
  port: number,
  machine: Pick<TestMachine, 'device_id' | 'key'>,
  reconnectPeriod = 0,
): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 4,
    username: machine.device_id,
    password: machine.key,
    clientId: machine.device_id,
    reconnectPeriod,
  });
  client.on('error', () => {});
  return client;
}

/** A port for what ends and begins anew on it: one that the system gives to nobody of its own accord meanwhile. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = randomInt(10_000, 30_000);
    const free = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}

/** Cuts text into messages of so many lines, as `mosquitto_pub -l` would send them one by one. */
export function batches(text: Buffer, lines: number): Buffer[] {
  const all = text.toString('latin1').trimEnd().split('\n');
  const out: Buffer[] = [];
  for (let i = 0; i < all.length; i += lines)
    out.push(Buffer.from(`${all.slice(i, i + lines).join('\n')}\n`, 'latin1'));
  return out;
}

/** Asks until the answer satisfies; fails with the last answer after `seconds`, which are many for a machine that is slow. */
export async function eventually<T>(ask: () => Promise<T>, enough: (answer: T) => boolean, seconds = 60): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (enough(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`still not so after ${seconds} s: ${JSON.stringify(answer).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
