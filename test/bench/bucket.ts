/**
 * Uploads to the bucket of a gateway that is a process of its own, signed and hashed, on disk when they are answered: one logger, four at
 * once, many small logs; memory and processor time of the gateway beside it, and the same bytes to a bare server that writes and syncs.
 *
 *   node test/bench/bucket.ts [MB] [SMALL]
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, promises, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '#contract/client.ts';
import { provisionLogger, type TestLogger } from '#test/support/bucket.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { memoryMb, processorSeconds, resetPeak, startGatewayProcess } from './gateway-process.ts';

const [mb = '512', small = '1000'] = process.argv.slice(2);
/** The default split of such a logger. */
const LOG = randomBytes(50e6);
const LOG_HASH = createHash('sha256').update(LOG).digest('hex');
const COUNT = Math.max(4, Math.round((Number(mb) * 1e6) / LOG.length));
const SMALL_BYTES = 100_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Sends a body as it is; Node's own client, as little as possible around it. */
function post(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function timed(count: number, atOnce: number, one: (i: number) => Promise<number>): Promise<number> {
  const started = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let i = next++; i < count; i = next++) {
        const status = await one(i);
        if (status !== 200) throw new Error(`upload ${i} was answered ${status}`);
      }
    }),
  );
  return (performance.now() - started) / 1000;
}

/** A server that does nothing but write what comes and sync it. */
async function bare(folder: string): Promise<{ port: number; close(): void }> {
  let files = 0;
  const server = createServer(async (request, response) => {
    const handle = await promises.open(join(folder, `bare-${files++ % 8}`), 'w');
    for await (const chunk of request) await handle.write(chunk as Buffer);
    await handle.sync();
    await handle.close();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-bucket-bench-'));
{
  await using gateway = await startGatewayProcess(folder);
  const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Quarry' });
  const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  const loggers: TestLogger[] = [];
  for (let i = 0; i < 4; i++) loggers.push(await provisionLogger(client, gateway.bucket, `0000000${i}`));
  let sent = 0;
  const put = (logger: TestLogger, body: Buffer, payload: string) => {
    // Not named like a log, so that no decoding runs beside it.
    const key = `${logger.device_id}/bench/${sent++}`;
    const { path, headers } = logger.prepare({ method: 'PUT', key, payload });
    return post(gateway.bucket, 'PUT', path, headers, body);
  };
  const figure = async (
    name: string,
    bytes: number,
    count: number,
    atOnce: number,
    one: (i: number) => Promise<number>,
  ) => {
    resetPeak(gateway.pid);
    const before = processorSeconds(gateway.pid);
    const seconds = await timed(count, atOnce, one);
    const used = processorSeconds(gateway.pid) - before;
    const { peak } = memoryMb(gateway.pid);
    const rate = (count * bytes) / seconds / 1e6;
    say(
      `${name}: ${rate.toFixed(0)} MB/s, ${(count / seconds).toFixed(1)} objects/s, processor ${((used / seconds) * 100).toFixed(0)} %, peak ${peak} MB resident`,
    );
  };
  await put(loggers[0] as TestLogger, LOG, LOG_HASH);
  const signed = (i: number) => put(loggers[i % 4] as TestLogger, LOG, LOG_HASH);
  await figure('one at a time, 50 MB, hash signed', LOG.length, COUNT, 1, signed);
  await figure('one at a time, 50 MB, hash not signed', LOG.length, COUNT, 1, (i) =>
    put(loggers[i % 4] as TestLogger, LOG, 'UNSIGNED-PAYLOAD'),
  );
  await figure('four at once, 50 MB, hash signed', LOG.length, COUNT, 4, signed);
  const little = Array.from({ length: 16 }, () => randomBytes(SMALL_BYTES));
  const hashes = little.map((body) => createHash('sha256').update(body).digest('hex'));
  await figure('four at once, 100 kB, hash signed', SMALL_BYTES, Number(small), 4, (i) =>
    put(loggers[i % 4] as TestLogger, little[i % 16] as Buffer, hashes[i % 16] as string),
  );
  const beside = await bare(folder);
  const seconds = await timed(COUNT, 1, () => post(beside.port, 'POST', '/', {}, LOG));
  say(
    `bare server that writes and syncs, in this process, one at a time: ${((COUNT * LOG.length) / seconds / 1e6).toFixed(0)} MB/s`,
  );
  beside.close();
}
rmSync(folder, { recursive: true, force: true });
