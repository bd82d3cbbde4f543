/**
 * A proxy on loopback that adds a key to every request, for suites that cannot send one:
 * `node test/suites/key-proxy.ts PORT GATEWAY_PORT KEY PROJECT_ID`. Host and Origin pass as they came.
 */
import { createServer, request } from 'node:http';

const [port, target, key, project] = process.argv.slice(2);
createServer((incoming, answer) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${key}`, 'project-id': project };
  const outgoing = request(
    { host: '127.0.0.1', port: Number(target), method: incoming.method, path: incoming.url, headers },
    (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    },
  );
  outgoing.on('error', (error) => answer.writeHead(502).end(error.message));
  incoming.pipe(outgoing);
}).listen(Number(port), '127.0.0.1');
