/**
 * Webhooks: a server that receives events of the gateway and verifies their signatures (Standard Webhooks 1.0.0).
 *
 *   WEBHOOK_SECRET=whsec_... PORT=8090 node examples/webhook-receiver.ts
 *
 * The gateway may deliver an event more than once, always with the same `webhook-id`. So a receiver must ignore an event if it has already
 * received this id.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '8090' } = process.env;
const secret = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const OLDEST_S = 300;
const seen = new Set<string>();

/** True when one of the signatures is right and the message is not older than five minutes. */
function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > OLDEST_S) return false;
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ''), 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  const id = String(request.headers['webhook-id']);
  if (!isGenuine(request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  if (!seen.has(id)) {
    seen.add(id);
    const event = JSON.parse(body) as { type: string };
    process.stdout.write(`${event.type} ${id}\n`);
  }
  // Any 2xx status means success. After any other answer the gateway delivers the event again later.
  response.writeHead(204).end();
});
server.listen(Number(PORT), () => process.stdout.write('listening\n'));
