/**
 * Runs mosquitto's packet sequences against a broker of ours:
 * `node test/suites/packet-sequences.ts FOLDER`, where FOLDER is `test/broker/data` of a checkout of eclipse/mosquitto.
 * Chosen are all sequences of every file whose version is 3 or 4 (MQTT 3.1 and 3.1.1) and whose group is not disabled. A sequence
 * passes when every expected answer arrives byte for byte within two seconds, and the connection then ends or lives as it says.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

interface Step {
  readonly type: 'send' | 'recv' | 'publish';
  readonly payload: string;
  readonly topic?: string;
  readonly qos?: number;
}
interface Sequence {
  readonly name: string;
  readonly ver?: number;
  readonly connect?: boolean;
  readonly expect_disconnect?: boolean;
  readonly msgs: readonly Step[];
}
interface Group {
  readonly group: string;
  readonly disable?: boolean;
  readonly tests: readonly Sequence[];
}

const WAIT_MS = 2_000;

/** A string as MQTT writes it (MQTT 3.1.1, 1.5.3). */
const text = (value: string) => Buffer.concat([Buffer.from([0, Buffer.byteLength(value)]), Buffer.from(value)]);
const packet = (first: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  const head = body.length < 128 ? [first, body.length] : [first, (body.length & 0x7f) | 0x80, body.length >> 7];
  return Buffer.concat([Buffer.from(head), body]);
};
const connectPacket = (id: string, version: number) =>
  packet(0x10, text(version === 3 ? 'MQIsdp' : 'MQTT'), Buffer.from([version, 2, 0, 60]), text(id));

/** One connection: what it received, and whether the broker ended it. */
class Peer {
  private bytes = Buffer.alloc(0);
  private ended = false;
  private wake = () => {};
  readonly socket: Socket;
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
      this.wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }
  /** Waits for news; false when none came in time. */
  private async news(until: number): Promise<boolean> {
    const left = until - performance.now();
    if (left <= 0) return false;
    return await new Promise((done) => {
      const timer = setTimeout(() => done(false), left);
      this.wake = () => {
        clearTimeout(timer);
        done(true);
      };
    });
  }
  async expect(wanted: Buffer): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (this.bytes.length < wanted.length && !this.ended && (await this.news(until)));
    const got = this.bytes.subarray(0, wanted.length);
    this.bytes = this.bytes.subarray(wanted.length);
    if (!got.equals(wanted)) throw new Error(`expected ${wanted.toString('hex')}, got ${got.toString('hex')}`);
  }
  async end(): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (!this.ended && this.bytes.length === 0 && (await this.news(until)));
    if (!this.ended) throw new Error('still connected');
  }
}

async function open(port: number): Promise<Peer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return new Peer(socket);
}

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** Publishes a message as another client, and waits for its answers. */
async function publish(port: number, { topic = '', payload, qos = 0 }: Step): Promise<void> {
  const helper = await open(port);
  helper.socket.write(connectPacket('helper', 4));
  await helper.expect(Buffer.from([0x20, 2, 0, 0]));
  const id = qos === 0 ? Buffer.alloc(0) : Buffer.from([0, 1]);
  helper.socket.write(packet(0x30 | (qos << 1), text(topic), id, Buffer.from(payload)));
  if (qos === 1) await helper.expect(Buffer.from([0x40, 2, 0, 1]));
  if (qos === 2) {
    await helper.expect(Buffer.from([0x50, 2, 0, 1]));
    helper.socket.write(Buffer.from([0x62, 2, 0, 1]));
    await helper.expect(Buffer.from([0x70, 2, 0, 1]));
  }
  helper.socket.destroy();
}

async function run(port: number, name: string, sequence: Sequence): Promise<void> {
  const peer = await open(port);
  try {
    const version = sequence.ver ?? 4;
    if (sequence.connect !== false) {
      peer.socket.write(connectPacket(name, version));
      await peer.expect(Buffer.from([0x20, 2, 0, 0]));
    }
    for (const step of sequence.msgs) {
      if (step.type === 'send') peer.socket.write(bytesOf(step.payload));
      else if (step.type === 'recv') await peer.expect(bytesOf(step.payload));
      else await publish(port, step);
    }
    if (sequence.expect_disconnect !== false) return await peer.end();
    peer.socket.write(Buffer.from([0xc0, 0]));
    await peer.expect(Buffer.from([0xd0, 0]));
  } finally {
    peer.socket.destroy();
  }
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('name the folder test/broker/data of a checkout of eclipse/mosquitto');
const broker = spawn(process.execPath, [join(import.meta.dirname, 'open-broker.ts'), '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(broker.stdout, 'data')) as [Buffer];
const port = Number(line.toString());
const failed: string[] = [];
let total = 0;
for (const file of readdirSync(folder)
  .filter((one) => one.endsWith('.json'))
  .sort()) {
  for (const { group, disable, tests } of JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[]) {
    if (disable === true) continue;
    for (const sequence of tests) {
      if ((sequence.ver ?? 4) > 4) continue;
      total++;
      const name = `${group} ${sequence.name}`;
      await run(port, name, sequence).catch((error: Error) => failed.push(`${file}: ${name}: ${error.message}`));
    }
  }
}
broker.kill();
for (const one of failed) process.stdout.write(`${one}\n`);
process.stdout.write(`${total - failed.length} of ${total} sequences pass\n`);
