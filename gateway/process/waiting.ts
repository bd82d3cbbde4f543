/** The HTTP server of a gateway that cannot start on a full disk. It shows the reason, and the size of each part of the data folder. */

import { readdir, stat, statfs } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { isEnough } from '#host/start-room.ts';
import type { Config } from '#settings/config.ts';

const LOOK_MS = 2_000;
/** The shortest wait between two starts, so that repeated failed starts do not load the machine. */
const LEAST_MS = 5_000;
const RETRY_S = '10';

/** Returns the bytes of a file, or of all files in a folder and its subfolders. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return found?.size ?? 0;
  const inner = await readdir(path).catch(() => []);
  const sizes = await Promise.all(inner.map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
const mebi = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

async function page(config: Config, why: string): Promise<string> {
  const names = await readdir(config.data).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => [name, await sizeOf(join(config.data, name))] as const));
  const rows = sizes
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([name, bytes]) => `<tr><td>${escaped(name)}</td><td>${mebi(bytes)}</td></tr>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="10"><title>Headframe: disk full</title>
<style>body{font:18px/1.5 sans-serif;max-width:42em;margin:3em auto;padding:0 1em}td{padding:.2em 2em .2em 0}</style>
<h1>The gateway waits for space on its disk</h1><p>${escaped(why)}</p>
<p>The gateway starts by itself as soon as there is space. Devices keep their messages until the gateway acknowledges them. Contents of the data folder:</p>
<table>${rows.join('')}</table>
<p>To remove the data of one device, run this on the gateway's machine: <code>headframe purge-device DEVICE_ID --data ${escaped(config.data)}</code></p></html>`;
}

function serve(config: Config, why: string): Server {
  const error = new OperationError('storage_unavailable', why);
  const server = createServer((request, response) => {
    response.setHeader('Retry-After', RETRY_S);
    response.setHeader('Cache-Control', 'no-store');
    if ((request.headers.accept ?? '').includes('text/html')) {
      page(config, why).then(
        (html) => response.writeHead(503, { 'Content-Type': 'text/html; charset=utf-8' }).end(html),
        () => response.writeHead(503).end(),
      );
    } else
      response
        .writeHead(503, { 'Content-Type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(errorBody(error, 'req_waiting')));
  });
  // Another program may use the port. The reason is then only on the terminal.
  server.on('error', () => {});
  server.listen(config.port, config.host);
  return server;
}

/** Serves the reason `why` on the HTTP port until the disk of the data folder has enough space for a start. */
export async function waitForRoom(config: Config, why: string): Promise<void> {
  const server = serve(config, why);
  const from = performance.now();
  for (;;) {
    await new Promise((done) => setTimeout(done, LOOK_MS));
    const { bavail, blocks, bsize } = await statfs(config.data).catch(() => ({ bavail: 0, blocks: 0, bsize: 1 }));
    const room = { free: bavail * bsize, total: blocks * bsize };
    if (performance.now() - from >= LEAST_MS && room.total > 0 && isEnough(room)) break;
  }
  server.closeAllConnections();
  await new Promise<void>((done) => server.close(() => done()));
}
