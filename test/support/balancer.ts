/** An address before several servers of HTTP: each request goes to the next one, as a load balancer without memory does. */
import { Agent, createServer, request, type ServerResponse } from 'node:http';

export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** Requests of each server whose path begins with this text. */
  count(path: string): readonly number[];
  /** Cuts the requests whose path begins with one of these texts, now and from now on. */
  cut(...paths: readonly string[]): void;
  /** Passes on requests whose path begins with this text only after the returned function was called. */
  hold(path: string): () => void;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const paths: string[][] = ports.map(() => []);
  const open = new Map<ServerResponse, string>();
  let refused: readonly string[] = [];
  const isRefused = (path: string): boolean => refused.some((begin) => path.startsWith(begin));
  let held: { readonly path: string; readonly free: Promise<void> } | undefined;
  let next = 0;
  const server = createServer(async (asked, answer) => {
    const n = next++ % ports.length;
    const { method, url = '', headers } = asked;
    if (isRefused(url)) {
      asked.destroy();
      return;
    }
    if (held !== undefined && url.startsWith(held.path)) await held.free;
    open.set(answer, url);
    paths[n]?.push(url);
    const sent = request({ host: '127.0.0.1', port: ports[n], agent, method, path: url, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => {
      open.delete(answer);
      sent.destroy();
    });
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    count: (path) => paths.map((list) => list.filter((one) => one.startsWith(path)).length),
    cut(...begins) {
      refused = begins;
      for (const [answer, path] of open) if (isRefused(path)) answer.destroy();
    },
    hold(path) {
      const { promise: free, resolve } = Promise.withResolvers<void>();
      held = { path, free };
      return () => {
        held = undefined;
        resolve();
      };
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
