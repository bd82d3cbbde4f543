/** An address before several servers of HTTP: each request goes to the next one, as a load balancer without memory does. */
import { Agent, createServer, request } from 'node:http';

export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** Requests of each server whose path begins with this text. */
  count(path: string): readonly number[];
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const paths: string[][] = ports.map(() => []);
  let next = 0;
  const server = createServer((asked, answer) => {
    const n = next++ % ports.length;
    const { method, url, headers } = asked;
    paths[n]?.push(url ?? '');
    const sent = request({ host: '127.0.0.1', port: ports[n], agent, method, path: url, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    count: (path) => paths.map((list) => list.filter((one) => one.startsWith(path)).length),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
