/**
 * The hostile client of `fairness.ts`, in a process of its own: `fork` it, then send `{attack}` to begin, `quiet` to stop. While it is
 * quiet it keeps its processor busy, so that what is compared is the gateway and not the machine. It comes from 127.0.0.7.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createS3 } from '#test/support/s3.ts';
import { framed, text } from './raw-device.ts';

/** What one hostile client does at full speed. */
export interface Attack {
  readonly kind: 'http' | 'half' | 'unread' | 'mqtt' | 'login' | 'bucket' | 'upload';
  readonly port: number;
  readonly sockets: number;
  readonly method?: string;
  /** Asked in turns. */
  readonly paths?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A header with a value of its own for each request. */
  readonly fresh?: string;
  readonly body?: string;
  readonly device_id?: string;
  readonly key?: string;
  readonly s3?: { readonly access: string; readonly secret: string };
}

const LOCAL = '127.0.0.7';
let running: Attack | undefined;
let sent = 0;
const answers: Record<string, number> = {};
const sockets = new Set<Socket>();
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const count = (answer: string | number | undefined) => {
  answers[String(answer)] = (answers[String(answer)] ?? 0) + 1;
};

function dial(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: LOCAL });
    sockets.add(socket);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => {
      sockets.delete(socket);
      resolve(undefined);
    });
  });
}

/** Asks as fast as it is answered, on one connection. */
async function ask(attack: Attack, agent: Agent): Promise<void> {
  const { port, method = 'GET', paths = ['/'], headers = {}, fresh, body } = attack;
  for (let i = 0; running === attack; i++) {
    await new Promise<void>((resolve) => {
      const asked = request(
        {
          port,
          host: '127.0.0.1',
          localAddress: LOCAL,
          agent,
          method,
          path: paths[i % paths.length],
          headers: { ...headers, ...(fresh === undefined ? {} : { [fresh]: `h${Math.random()}` }) },
        },
        (response) => {
          sent++;
          count(response.statusCode);
          // A stream has no end; another one is opened instead.
          if (response.headers['content-type']?.startsWith('text/event-stream') === true) asked.destroy();
          response.on('end', resolve).on('close', resolve).resume();
        },
      );
      asked.on('error', () => void pause(5).then(resolve));
      asked.end(body);
    });
  }
}

/** Paths of objects that may be put without further signing. */
function presigned({ port, device_id }: Attack, pair: NonNullable<Attack['s3']>): string[] {
  const s3 = createS3({ port, ...pair });
  return Array.from({ length: 200 }, (_, i) => {
    const { path, query } = s3.prepare({
      method: 'PUT',
      key: `${device_id}/half${i}`,
      expires_s: 3_600,
      host: '127.0.0.1',
    });
    return `${path}?${query}`;
  });
}

/** Uploads complete files, one after the other. */
async function upload(attack: Attack, agent: Agent): Promise<void> {
  const { port, paths = ['/'], headers = {}, body = '' } = attack;
  const send = (method: string, path: string, more: Record<string, string>, content: string) =>
    new Promise<string>((resolve) => {
      const asked = request(
        { port, host: '127.0.0.1', localAddress: LOCAL, agent, method, path, headers: { ...headers, ...more } },
        (response) => {
          sent++;
          count(`${method} ${response.statusCode}`);
          let answer = '';
          response.on('data', (chunk: Buffer) => {
            answer += chunk;
          });
          response.on('close', () => resolve(answer));
        },
      );
      asked.on('error', () => void pause(5).then(() => resolve('')));
      asked.end(content);
    });
  while (running === attack) {
    const json = { 'content-type': 'application/json' };
    const slot = await send('POST', paths[0] as string, json, JSON.stringify({ bytes: body.length }));
    const url = /"upload_url":"([^"]*)"/.exec(slot)?.[1];
    if (url === undefined) continue;
    const tus = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    };
    await send('PATCH', new URL(url).pathname, tus, body);
  }
}

/** Opens requests and sends half of them, or reads no answer; what is refused or cut off is opened again. */
async function hold(attack: Attack): Promise<void> {
  const { port, method = 'GET', headers = {}, fresh, kind } = attack;
  const paths = attack.s3 === undefined ? (attack.paths ?? ['/']) : presigned(attack, attack.s3);
  for (let i = 0; running === attack; i++) {
    const socket = await dial(port);
    if (socket === undefined) {
      await pause(5);
      continue;
    }
    sent++;
    const lines = Object.entries({ ...headers, ...(fresh === undefined ? {} : { [fresh]: `h${Math.random()}` }) });
    const length = kind === 'half' ? 'Content-Length: 90000\r\n' : '';
    socket.write(
      `${method} ${paths[i % paths.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${length}\r\n`,
    );
    if (kind === 'half') socket.write(Buffer.from('\xff\xd8\xff\xe0'.padEnd(500), 'latin1'));
    if (kind === 'unread') socket.pause();
    else
      socket.once('data', (chunk) => {
        count(chunk.toString('latin1').slice(9, 12));
        socket.destroy();
      });
    await new Promise((resolve) => socket.once('close', resolve));
  }
}

/** Publishes with as many messages unanswered as the gateway allows. */
async function publish(attack: Attack): Promise<void> {
  const { device_id = '', key = '', port } = attack;
  const topic = text(`v1/devices/${device_id}/telemetry`);
  while (running === attack) {
    const socket = await dial(port);
    if (socket === undefined) {
      await pause(5);
      continue;
    }
    const id = `${device_id}-${Math.random().toString(36).slice(2, 8)}`;
    const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2, 0, 60])]);
    socket.write(framed(0x10, head, text(id), text(device_id), text(key)));
    let open = true;
    socket.on('close', () => {
      open = false;
    });
    socket.once('data', (bytes) => count(`connack ${bytes[3]}`));
    socket.on('data', () => {});
    if (attack.kind === 'login') {
      sent++;
      await new Promise((resolve) => socket.once('close', resolve));
      continue;
    }
    for (let n = 1; open && running === attack; n++) {
      const values = { 'engine.speed': 700 + (n % 900) };
      const payload = Buffer.from(JSON.stringify({ ts: Date.now(), seq: n, values }));
      sent++;
      if (!socket.write(framed(0x32, topic, Buffer.from([(n >> 8) & 255, n & 255 || 1]), payload)))
        await new Promise<void>((resolve) => {
          socket.once('drain', resolve).once('close', resolve);
        });
    }
  }
}

async function put(attack: Attack): Promise<void> {
  const s3 = createS3({ port: attack.port, ...(attack.s3 ?? { access: 'unknown', secret: 'unknown' }) });
  for (let i = 0; running === attack; i++)
    await s3.send({ method: 'PUT', key: `${attack.device_id}/h${i}`, body: attack.body ?? '' }).then(
      ({ status }) => {
        sent++;
        count(status);
      },
      () => pause(5),
    );
}

function begin(attack: Attack): void {
  running = attack;
  const agent = new Agent({ keepAlive: true, maxSockets: attack.sockets });
  const one = { http: ask, half: hold, unread: hold, mqtt: publish, login: publish, bucket: put, upload }[attack.kind];
  for (let i = 0; i < attack.sockets; i++) void one(attack, agent);
}

function spin(): void {
  if (running !== undefined) return;
  for (const until = performance.now() + 20; performance.now() < until; );
  setImmediate(spin);
}

// Whoever ends the measurement early leaves no busy process behind.
process.on('disconnect', () => process.exit());
process.on('message', (told: Attack | 'quiet') => {
  if (told === 'quiet') {
    running = undefined;
    for (const socket of sockets) socket.destroy();
    process.send?.({ sent, answers: { ...answers } });
    sent = 0;
    for (const name of Object.keys(answers)) delete answers[name];
    spin();
  } else begin(told);
});
spin();
