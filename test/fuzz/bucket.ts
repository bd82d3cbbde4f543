/**
 * Nonsense at the door of the bucket: mutated signatures, header fields, paths, queries, XML and chunk framing, signed rightly, wrongly
 * or not at all, over sockets and straight into the readers. After each: an answer or an end in time, no fault of ours, nothing of the
 * other logger. At the end: what was there is there, no socket and no half file is left, and memory is what it was.
 *
 *   node test/fuzz/bucket.ts [MINUTES] [SEED]      npm run fuzz:bucket
 */
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { readAwsChunked } from '#servers/bucket/aws-chunked.ts';
import { BucketError } from '#servers/bucket/errors.ts';
import { readKey } from '#servers/bucket/keys.ts';
import { canonicalRequest, createChunkChecker, isSigned, readClaim, signingKey } from '#servers/bucket/sigv4.ts';
import { readXml } from '#servers/bucket/xml.ts';
import { addLogger, type TestLogger } from '#test/support/bucket.ts';
import { eventually, startGateway } from '#test/support/gateway.ts';
import { randomOf } from '#test/support/random-of.ts';
import { type S3Call, signedChunks } from '#test/support/s3.ts';

export interface BucketFuzz {
  readonly shots: number;
  /** How often each answer came: a status, or `end` for a connection that was closed without one. */
  readonly answers: Readonly<Record<string, number>>;
  readonly read: number;
  readonly violations: readonly string[];
  readonly heap_mb: { readonly before: number; readonly after: number };
}

const CANARY = 'canary-of-the-other-logger';
const ANSWER_MS = 20_000;
const AT_ONCE = 8;

type Random = () => number;

/** Words that such requests are made of. */
const WORDS = [
  'headframe',
  'x-amz-date',
  'x-amz-content-sha256',
  'x-amz-meta-a',
  'AWS4-HMAC-SHA256',
  'Credential=',
  'SignedHeaders=host',
  'Signature=',
  'uploadId',
  'uploads',
  'partNumber',
  'list-type',
  'prefix',
  'delimiter',
  'max-keys',
  'continuation-token',
  'delete',
  'location',
  '..',
  '%2e%2e',
  '%',
  '%zz',
  '%ff',
  '/',
  '//',
  '\\',
  '&',
  '=',
  '+',
  ' ',
  '\0',
  '\u00e9',
  '<',
  '>',
  '<a>',
  '</a>',
  '<!DOCTYPE',
  '&amp;',
  '&#x110000;',
  '&#0;',
  ']]>',
  '0',
  '1',
  '-1',
  '9999999999999999',
  '1e9',
  'NaN',
  '\r\n',
  '0\r\n',
  'ffffffff',
  ';chunk-signature=',
  'aws-chunked',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'UNSIGNED-PAYLOAD',
  'bytes=0-',
  '*',
  '"',
  'a'.repeat(2_000),
] as const;

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const words = (random: Random, most: number) =>
  Array.from({ length: Math.floor(random() * most) }, () => pick(random, WORDS)).join('');

/** A text with some of it changed, cut, doubled or strewn with words. */
function mutate(random: Random, text: string): string {
  let made = text;
  for (let i = Math.ceil(random() * 3); i > 0; i--) {
    const at = Math.floor(random() * (made.length + 1));
    const way = random();
    if (way < 0.3) made = made.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + made.slice(at + 1);
    else if (way < 0.5) made = made.slice(0, at) + pick(random, WORDS) + made.slice(at);
    else if (way < 0.7) made = made.slice(0, at) + made.slice(at + Math.floor(random() * 20));
    else if (way < 0.8) made = made.slice(0, at);
    else made = made.slice(0, at) + made.slice(Math.max(0, at - 30));
  }
  return made;
}

const DELETE = '<?xml version="1.0"?><Delete><Object><Key>FUZZ0001/a</Key></Object><Quiet>true</Quiet></Delete>';
const COMPLETE = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"${'0'.repeat(32)}"</ETag></Part></CompleteMultipartUpload>`;
const METHODS = ['GET', 'PUT', 'HEAD', 'DELETE', 'POST', 'PATCH', 'OPTIONS'] as const;
/** Header fields and queries must be what Node lets pass. */
const field = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '');

/** A request that is signed as it is sent. */
function signedCall(random: Random, id: string): S3Call {
  const way = random();
  const body = Buffer.from(words(random, 20));
  // Some that are right, so that there is something to find.
  if (way < 0.1) return { method: pick(random, ['GET', 'PUT', 'HEAD', 'DELETE']), key: `${id}/a`, body };
  if (way < 0.2) return { method: 'POST', query: { delete: '' }, body: mutate(random, DELETE) };
  if (way < 0.3)
    return {
      method: 'POST',
      key: `${id}/a`,
      query: { uploadId: mutate(random, 'upl_00000000000000000000000000') },
      body: mutate(random, COMPLETE),
    };
  if (way < 0.55) {
    const trailer = { name: 'x-amz-checksum-crc32', value: 'AAAAAA==' };
    const payload = pick(random, [
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    ]);
    return {
      method: 'PUT',
      key: `${id}/chunked`,
      payload,
      headers: { 'x-amz-decoded-content-length': random() < 0.8 ? String(body.length) : field(words(random, 3)) },
      frame: (seed) => {
        const whole = signedChunks(body, seed, 1 + Math.floor(random() * 64), random() < 0.5 ? trailer : undefined);
        return random() < 0.3 ? whole : Buffer.from(mutate(random, whole.toString('latin1')), 'latin1');
      },
    };
  }
  const query: Record<string, string> = {};
  for (let i = Math.floor(random() * 4); i > 0; i--) query[words(random, 2)] = words(random, 3);
  const headers: Record<string, string> = {};
  for (const name of [
    'range',
    'if-match',
    'if-none-match',
    'if-modified-since',
    'content-md5',
    'x-amz-checksum-crc32',
    'x-amz-trailer',
    'x-amz-copy-source',
    'x-amz-meta-a',
    'content-type',
    'expect',
  ])
    if (random() < 0.12) headers[name] = name === 'expect' ? '100-continue' : field(words(random, 3));
  const key =
    random() < 0.5
      ? { key: `${id}/${words(random, 4)}`.toWellFormed() }
      : {
          path: field(mutate(random, `/headframe/${id}/a`))
            .replace(/[\t ?#]/g, '')
            .replace(/^\/*/, '/'),
        };
  return {
    method: pick(random, METHODS),
    ...key,
    query,
    headers,
    body,
    ...(random() < 0.2 ? { expires_s: Math.floor(random() * 1_000) } : {}),
  };
}

/** A request as bytes: one that is right, with some of it changed. */
function rawShot(random: Random, logger: TestLogger): Buffer {
  const { method, path, query, headers, body } = logger.prepare(signedCall(random, logger.device_id));
  const lines = Object.entries({ ...headers, 'content-length': String(body.length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(random() < 0.1 ? head : mutate(random, head), 'latin1'), body]);
}

/** Sends bytes; the status of the first answer, or `end`. */
function shoot(port: number, bytes: Buffer): Promise<{ answer: string; text: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error('no answer and no end'));
    }, ANSWER_MS);
    const end = () => {
      clearTimeout(late);
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({ answer: /^HTTP\/1\.1 (?!100)(\d{3})/m.exec(text)?.[1] ?? 'end', text });
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', end);
    // What stays incomplete on our side is ended by us, so that the other side need not wait for it.
    socket.end(bytes);
  });
}

/** Straight into the readers: they return or throw an error of the table, and nothing else. */
async function readers(random: Random, violate: (what: string) => void): Promise<void> {
  const key = Buffer.alloc(32, 7);
  const target = mutate(random, '/headframe/FUZZ0001/a?X-Amz-Signature=1&prefix=b');
  const authorization = mutate(
    random,
    `AWS4-HMAC-SHA256 Credential=HF/20261121/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${'0'.repeat(64)}`,
  );
  const headers = new Map([
    ['host', 'h'],
    ['x-amz-date', mutate(random, '20261121T000000Z')],
    ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
    ...(random() < 0.9 ? ([['authorization', authorization]] as const) : []),
  ]);
  const request = { method: 'GET', target: random() < 0.5 ? '/a' : target, headers };
  const attempt = async (what: string, work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof BucketError)) violate(`${what}: ${String(error)}`);
    }
  };
  await attempt(`readClaim ${JSON.stringify([...headers])} ${target}`, () => {
    const claim = readClaim(request);
    if (claim !== undefined && isSigned(request, claim, signingKey('s', claim)))
      violate('a signature of zeros is right');
  });
  await attempt(`canonicalRequest ${target}`, () =>
    canonicalRequest({ ...request, target }, { signedHeaders: ['host'], payload: '' }),
  );
  const xml = mutate(random, random() < 0.5 ? DELETE : COMPLETE);
  await attempt(`readXml ${xml}`, () => readXml(xml));
  const name = words(random, 5);
  await attempt(`readKey ${name}`, () => {
    if (/(^|[/\\])\.\.?([/\\]|$)/.test(readKey(name))) violate(`readKey takes ${name}`);
  });
  const body = Buffer.from(mutate(random, `5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n`), 'latin1');
  async function* pieces() {
    for (let at = 0; at < body.length; ) {
      const step = 1 + Math.floor(random() * 9);
      yield body.subarray(at, at + step);
      at += step;
    }
  }
  const claim = {
    access_key_id: 'a',
    date: '20261121',
    region: 'r',
    service: 's3',
    signedHeaders: [],
    signature: '0'.repeat(64),
    time: '20261121T000000Z',
    at_ms: 0,
    expires_s: null,
    payload: '',
  };
  const checker = random() < 0.3 ? createChunkChecker(claim, key) : undefined;
  await attempt(`readAwsChunked ${JSON.stringify(body.toString('latin1'))}`, async () => {
    let bytes = 0;
    for await (const chunk of readAwsChunked(pieces(), { checker, trailer: true, onTrailer: () => {} }))
      bytes += chunk.length;
    if (bytes > body.length) violate('a framed body is longer than its frame');
  });
}

const heapMb = () => {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1e5) / 10;
};

/** Shoots until told otherwise, or so often. */
export async function fuzzBucket(seed: number, going: (shots: number) => boolean): Promise<BucketFuzz> {
  const random = randomOf(seed);
  await using gateway = await startGateway(undefined, {}, { HEADFRAME_REQUESTS_PER_MINUTE: '1000000' });
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const logger = await addLogger(gateway, project.id, 'FUZZ0001');
  const other = await addLogger(gateway, project.id, 'OTHER001');
  await other.send({ method: 'PUT', key: `${other.device_id}/canary`, body: CANARY });
  const port = gateway.node.bucketPort;
  const answers: Record<string, number> = {};
  const violations: string[] = [];
  const violate = (what: string) => {
    if (violations.length < 20) violations.push(what);
  };
  let shots = 0;
  let read = 0;

  async function one(): Promise<void> {
    for (let i = 0; i < 5; i++, read++) await readers(random, violate);
    const raw = random() < 0.5;
    const bytes = raw ? rawShot(random, logger) : undefined;
    const call = signedCall(random, random() < 0.9 ? logger.device_id : other.device_id);
    const told = () =>
      (bytes?.toString('latin1') ?? JSON.stringify({ ...call, body: String(call.body ?? '') })).slice(0, 1_000);
    try {
      let status = '';
      let text = '';
      if (bytes !== undefined) ({ answer: status, text } = await shoot(port, bytes));
      else {
        const answer = await Promise.race([
          logger.send(call).catch((error: Error & { code?: string }) => {
            // A refusal may close the connection while the body is on its way.
            if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return { status: 'end', text: '' };
            throw error;
          }),
          new Promise<never>((_, reject) => setTimeout(reject, ANSWER_MS, new Error('no answer')).unref()),
        ]);
        status = String(answer.status);
        text = answer.text;
      }
      answers[status] = (answers[status] ?? 0) + 1;
      if (/^5/.test(status) && status !== '501' && status !== '503') violate(`${status}: ${told()}`);
      if (text.includes(CANARY)) violate(`shows the other logger: ${told()}`);
    } catch (error) {
      violate(`${String(error)}: ${told()}`);
    }
  }

  let before = 0;
  while (going(shots)) {
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    shots += AT_ONCE;
    if (shots === 50 * AT_ONCE) before = heapMb();
  }
  if ((await other.send({ key: `${other.device_id}/canary` })).text !== CANARY)
    violate('the other logger has lost its object');
  await eventually(
    async () => readdirSync(join(gateway.folder, 'artifacts', 'tmp')),
    (half) => half.length === 0,
  ).catch((error: unknown) => violate(`half files are left: ${String(error)}`));
  return { shots, answers, read, violations, heap_mb: { before, after: heapMb() } };
}

if (import.meta.main) {
  const [minutes = '10', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
  console.log(`seed ${seed}`);
  const until = Date.now() + Number(minutes) * 60_000;
  const result = await fuzzBucket(Number(seed), () => Date.now() < until);
  for (const violation of result.violations) console.log(violation);
  console.log(JSON.stringify({ ...result, violations: result.violations.length }));
  process.exitCode = result.violations.length === 0 ? 0 : 1;
}
