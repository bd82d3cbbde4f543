/**
 * `kill -9` at each step of QoS 2, with a client of bytes and the gateway as it is shipped: exactly one effect, PUBCOMP always answered.
 *
 *   1 PUBLISH sent   2 PUBREC sent   3 PUBREL sent   4 PUBCOMP sent     the effect: one event in the log of the device
 *
 * Before each kill pass 0 to 8 ms, so that the gateway is met at any moment of its work. `node test/faults/qos2-steps.ts [ROUNDS]`
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { addMachine, eventually, OWNER_KEY, type TestMachine } from '#test/support/gateway.ts';
import { framed, text } from './raw-device.ts';

const rounds = Number(process.argv[2] ?? 5);
const ANSWER_MS = 20_000;

async function start(folder: string): Promise<{ child: ChildProcess; http: string; mqtt: number }> {
  const script = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...(JSON.parse(line as string) as { http: string; mqtt: number }) };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A connection that says what came, four bytes at a time: all answers here are so long. */
class Line {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  #wake = (): void => {};

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk as Buffer]);
      this.#wake();
    });
    this.socket.on('close', () => this.#wake());
  }

  /** The next answer in hexadecimal. */
  async next(): Promise<string> {
    const late = AbortSignal.timeout(ANSWER_MS);
    while (this.#bytes.length < 4 && !this.socket.closed && !late.aborted)
      await new Promise<void>((done) => {
        this.#wake = done;
        late.addEventListener('abort', () => done(), { once: true });
      });
    const taken = this.#bytes.subarray(0, 4);
    this.#bytes = this.#bytes.subarray(4);
    return taken.toString('hex');
  }
}

async function open(port: number, { device_id, key }: TestMachine): Promise<Line> {
  const line = new Line(port);
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc0, 0, 60])]);
  line.socket.write(framed(0x10, head, text(device_id), text(device_id), text(key)));
  const answer = await line.next();
  if (!answer.startsWith('2002') || !answer.endsWith('00')) throw new Error(`CONNACK ${answer}`);
  return line;
}

const ID = '0007';
const [PUBREC, PUBCOMP] = [`5002${ID}`, `7002${ID}`];
const number = Buffer.from(ID, 'hex');
const pubrel = framed(0x62, number);

const wrong: string[] = [];
function expect(step: string, got: string, wanted: string): void {
  if (got !== wanted) wrong.push(`${step}: ${got || 'nothing'} instead of ${wanted}`);
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-qos2-'));
let running = await start(folder);
try {
  const owner = createClient({ base_url: running.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'QoS 2' });
  const first = createClient({ base_url: running.http, key: OWNER_KEY, project_id: project.id });
  const machine = await addMachine(first, 'Q-1');
  const topic = text(`v1/devices/${machine.device_id}/events`);
  const expected: string[] = [];

  for (let round = 0; round < rounds; round++) {
    for (const step of ['PUBLISH', 'PUBREC', 'PUBREL', 'PUBCOMP'] as const) {
      const name = `${step} ${round}`;
      // Without an id of its own: only MQTT says that it is the same.
      const payload = Buffer.from(JSON.stringify([{ type: 'note', data: { text: name } }]));
      const publish = (dup: boolean): Buffer => framed(dup ? 0x3c : 0x34, topic, number, payload);
      expected.push(name);
      const line = await open(running.mqtt, machine);
      line.socket.write(publish(false));
      if (step !== 'PUBLISH') expect(name, await line.next(), PUBREC);
      if (step === 'PUBREL' || step === 'PUBCOMP') line.socket.write(pubrel);
      if (step === 'PUBCOMP') expect(name, await line.next(), PUBCOMP);
      await sleep(Math.random() * 8);
      await kill(running.child);
      running = await start(folder);
      const again = await open(running.mqtt, machine);
      if (step === 'PUBLISH') {
        again.socket.write(publish(true));
        expect(`${name} again`, await again.next(), PUBREC);
      }
      // Also where PUBCOMP had come: a client may not have seen it.
      again.socket.write(pubrel);
      expect(`${name} again`, await again.next(), PUBCOMP);
      again.socket.destroy();
    }
  }

  const client = createClient({ base_url: running.http, key: OWNER_KEY, project_id: project.id });
  const notes = async (): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.call('devices_events', {
        id: machine.device,
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { type, data } of page.data) if (type === 'note') found.push(String((data as { text: string }).text));
      cursor = page.next_cursor;
    }
    return found;
  };
  const found = await eventually(notes, (texts) => texts.length >= expected.length, 30);
  // What is too many may come a moment later.
  await sleep(1_500);
  const all = await notes();
  for (const name of expected) {
    const times = all.filter((one) => one === name).length;
    if (times !== 1) wrong.push(`${name}: ${times} effects`);
  }
  for (const one of wrong) process.stdout.write(`${one}\n`);
  const steps = rounds * 4;
  process.stdout.write(`${steps} kills at 4 steps, ${found.length} effects, ${wrong.length} wrong\n`);
  process.stdout.write(`${wrong.length === 0 ? 1 : 0} passed, ${wrong.length === 0 ? 0 : 1} failed\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  running.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
