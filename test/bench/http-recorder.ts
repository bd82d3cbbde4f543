/** A TCP proxy that counts the bytes of HTTP messages, as they were sent and as they would be with gzip. */
import { createServer, connect as dial, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Bytes {
  readonly messages: number;
  /** Headers and bodies, as they were sent. */
  readonly plain: number;
  /** The same with the bodies compressed with gzip, where that makes them smaller. */
  readonly gzipped: number;
}

export interface Recorder extends AsyncDisposable {
  readonly port: number;
  /** What was sent in both directions since the last call. Throws if a message is not complete. */
  take(): Bytes;
}

const END = '\r\n\r\n';

/** The body that begins a buffer, and its length on the network; undefined if it is not complete. */
function bodyOf(head: string, rest: Buffer): { readonly body: Buffer; readonly length: number } | undefined {
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const parts: Buffer[] = [];
    for (let at = 0; ; ) {
      const line = rest.indexOf('\r\n', at);
      if (line < 0) return undefined;
      const size = Number.parseInt(rest.toString('latin1', at, line), 16);
      parts.push(rest.subarray(line + 2, line + 2 + size));
      at = line + 2 + size + 2;
      if (at > rest.length) return undefined;
      if (size === 0) return { body: Buffer.concat(parts), length: at };
    }
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return length > rest.length ? undefined : { body: rest.subarray(0, length), length };
}

/** Counts the messages of one direction of one connection. */
function count(stream: Buffer): Bytes & { readonly rest: Buffer } {
  let [messages, plain, gzipped] = [0, 0, 0];
  let rest = stream;
  for (;;) {
    const end = rest.indexOf(END);
    if (end < 0) break;
    const head = rest.toString('latin1', 0, end + END.length);
    const found = bodyOf(head, rest.subarray(end + END.length));
    if (found === undefined) break;
    messages++;
    plain += head.length + found.length;
    gzipped += head.length + Math.min(found.body.length, gzipSync(found.body).length);
    rest = rest.subarray(head.length + found.length);
  }
  return { messages, plain, gzipped, rest };
}

export async function startRecorder(target: number): Promise<Recorder> {
  const streams: { bytes: Buffer }[] = [];
  const sockets = new Set<Socket>();
  const pipe = (from: Socket, to: Socket): void => {
    const stream = { bytes: Buffer.alloc(0) };
    streams.push(stream);
    sockets.add(from);
    from.on('data', (chunk) => {
      stream.bytes = Buffer.concat([stream.bytes, chunk]);
      to.write(chunk);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = dial(target, '127.0.0.1');
    sockets.add(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    // Bytes for a server that does not run would not leave the site.
    client.pause();
    upstream.on('connect', () => {
      pipe(client, upstream);
      pipe(upstream, client);
      client.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    take() {
      const all = streams.map((stream) => {
        const { rest, ...bytes } = count(stream.bytes);
        stream.bytes = rest;
        return bytes;
      });
      const sum = (of: (bytes: Bytes) => number): number => all.reduce((total, bytes) => total + of(bytes), 0);
      return {
        messages: sum(({ messages }) => messages),
        plain: sum(({ plain }) => plain),
        gzipped: sum(({ gzipped }) => gzipped),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
