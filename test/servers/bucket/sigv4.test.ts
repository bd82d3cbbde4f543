/** Signatures as Amazon publishes them: the examples of the S3 API Reference, as facts (keys, times, requests, signatures). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readAwsChunked } from '#servers/bucket/aws-chunked.ts';
import { startChecksum } from '#servers/bucket/checksums.ts';
import { BucketError } from '#servers/bucket/errors.ts';
import {
  canonicalRequest,
  createChunkChecker,
  isSigned,
  readClaim,
  type SigClaim,
  type SigRequest,
  signingKey,
} from '#servers/bucket/sigv4.ts';

const ACCESS = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const HOST = 'examplebucket.s3.amazonaws.com';
const TIME = '20130524T000000Z';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface Example {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: string;
}

/** "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk", its four examples. */
const EXAMPLES: readonly Example[] = [
  {
    method: 'GET',
    target: '/test.txt',
    headers: { host: HOST, range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY, 'x-amz-date': TIME },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    method: 'PUT',
    target: '/test$file.text',
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      host: HOST,
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-date': TIME,
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    method: 'GET',
    target: '/?lifecycle',
    headers: { host: HOST, 'x-amz-content-sha256': EMPTY, 'x-amz-date': TIME },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    headers: { host: HOST, 'x-amz-content-sha256': EMPTY, 'x-amz-date': TIME },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

function requestOf({ method, target, headers, signature }: Example): SigRequest {
  const signed = Object.keys(headers).sort().join(';');
  const authorization = `AWS4-HMAC-SHA256 Credential=${ACCESS}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signed},Signature=${signature}`;
  return { method, target, headers: new Map(Object.entries({ ...headers, authorization })) };
}

function claimOf(request: SigRequest): SigClaim {
  const claim = readClaim(request);
  assert.ok(claim);
  return claim;
}

const refuses = (code: string) => (error: unknown) => error instanceof BucketError && error.code === code;

test('[W200] the four published header signatures verify, and fail after any change', () => {
  for (const example of EXAMPLES) {
    const request = requestOf(example);
    const claim = claimOf(request);
    assert.ok(isSigned(request, claim, signingKey(SECRET, claim)), example.target);
    assert.ok(!isSigned({ ...request, method: 'DELETE' }, claim, signingKey(SECRET, claim)));
    assert.ok(!isSigned({ ...request, target: `${request.target}x` }, claim, signingKey(SECRET, claim)));
    assert.ok(!isSigned(request, claim, signingKey(`${SECRET}x`, claim)));
    for (const name of claim.signedHeaders) {
      const headers = new Map(request.headers).set(name, `${request.headers.get(name)}1`);
      assert.ok(!isSigned({ ...request, headers }, claim, signingKey(SECRET, claim)), name);
    }
  }
});

test('[W200] the published query signature verifies', () => {
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${ACCESS}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request`,
    `X-Amz-Date=${TIME}`,
    'X-Amz-Expires=86400',
    'X-Amz-SignedHeaders=host',
    'X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  ];
  const request = { method: 'GET', target: `/test.txt?${query.join('&')}`, headers: new Map([['host', HOST]]) };
  const claim = claimOf(request);
  assert.equal(claim.expires_s, 86_400);
  assert.equal(claim.payload, 'UNSIGNED-PAYLOAD');
  assert.ok(isSigned(request, claim, signingKey(SECRET, claim)));
});

/** "Transferring Payload in Multiple Chunks": 65 KiB of the letter a in chunks of 64 KiB. */
const CHUNKED: Example = {
  method: 'PUT',
  target: '/examplebucket/chunkObject.txt',
  headers: {
    'content-encoding': 'aws-chunked',
    'content-length': '66824',
    host: 's3.amazonaws.com',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'x-amz-date': TIME,
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  },
  signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
};
const CHUNKS = [
  'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
  '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
  'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
];
/** The same "... including trailing headers". */
const TRAILED: Example = {
  ...CHUNKED,
  headers: {
    'content-encoding': 'aws-chunked',
    host: 's3.amazonaws.com',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    'x-amz-date': TIME,
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-trailer': 'x-amz-checksum-crc32c',
  },
  signature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
};
const TRAILED_CHUNKS = [
  'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
  '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
  '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
];
const TRAILER_SIGNATURE = 'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435';

const LETTERS = Buffer.alloc(66_560, 'a');
const PIECES = [LETTERS.subarray(0, 65_536), LETTERS.subarray(65_536), Buffer.alloc(0)];

function framed(signatures: readonly string[], tail: string): Buffer {
  const chunks = PIECES.map((piece, i) =>
    Buffer.concat([
      Buffer.from(`${piece.length.toString(16)};chunk-signature=${signatures[i]}\r\n`),
      piece,
      Buffer.from(piece.length === 0 ? '' : '\r\n'),
    ]),
  );
  return Buffer.concat([...chunks, Buffer.from(tail)]);
}

async function readAll(example: Example, body: Buffer, step: number, trailer = false) {
  const request = requestOf(example);
  const claim = claimOf(request);
  const key = signingKey(SECRET, claim);
  assert.ok(isSigned(request, claim, key));
  async function* pieces() {
    for (let at = 0; at < body.length; at += step) yield body.subarray(at, at + step);
  }
  const hash = createHash('sha256');
  const trailers: string[] = [];
  const onTrailer = (name: string, value: string) => trailers.push(`${name}=${value}`);
  const checker = createChunkChecker(claim, key);
  for await (const chunk of readAwsChunked(pieces(), { checker, trailer, onTrailer })) hash.update(chunk);
  assert.equal(hash.digest('hex'), createHash('sha256').update(LETTERS).digest('hex'));
  return trailers;
}

test('[W201] the published chunked body verifies for every split, and fails after any changed byte', async () => {
  const body = framed(CHUNKS, '\r\n');
  for (const step of [1_000_000, 4_096, 17]) await readAll(CHUNKED, body, step);
  for (const at of [3, 30, 60_000, 65_630, 66_000, body.length - 20]) {
    const broken = Buffer.from(body);
    broken[at] = (broken[at] as number) ^ 1;
    await assert.rejects(readAll(CHUNKED, broken, 4_096), BucketError, String(at));
  }
  await assert.rejects(readAll(CHUNKED, body.subarray(0, 65_000), 4_096), refuses('IncompleteBody'));
  await assert.rejects(
    readAll(CHUNKED, framed([...CHUNKS].reverse(), '\r\n'), 4_096),
    refuses('SignatureDoesNotMatch'),
  );
});

test('[W201] the published body with a trailer verifies, and fails with a changed trailer', async () => {
  const line = 'x-amz-checksum-crc32c:sOO8/Q==';
  const tail = `${line}\r\nx-amz-trailer-signature:${TRAILER_SIGNATURE}\r\n\r\n`;
  const told = await readAll(TRAILED, framed(TRAILED_CHUNKS, tail), 1_000, true);
  assert.deepEqual(told, ['x-amz-checksum-crc32c=sOO8/Q==']);
  const other = tail.replace('sOO8', 'sOO9');
  await assert.rejects(readAll(TRAILED, framed(TRAILED_CHUNKS, other), 1_000, true), refuses('SignatureDoesNotMatch'));
  const none = `${line}\r\n\r\n`;
  await assert.rejects(readAll(TRAILED, framed(TRAILED_CHUNKS, none), 1_000, true), refuses('SignatureDoesNotMatch'));
});

test('[W202] checksums equal the published check values', () => {
  const of = (name: Parameters<typeof startChecksum>[0], text: string | Buffer) => {
    const running = startChecksum(name);
    const bytes = Buffer.from(text);
    running.update(bytes.subarray(0, 3));
    running.update(bytes.subarray(3));
    return running.digest();
  };
  // The catalogue of CRCs gives each by its value for these nine digits; the last is of the example above.
  assert.equal(of('CRC32', '123456789').toString('hex'), 'cbf43926');
  assert.equal(of('CRC32C', '123456789').toString('hex'), 'e3069283');
  assert.equal(of('CRC64NVME', '123456789').toString('hex'), 'ae8b14860a799888');
  assert.equal(of('SHA1', 'abc').toString('hex'), 'a9993e364706816aba3e25717850c26c9cd0d89d');
  assert.equal(of('SHA256', '').toString('hex'), EMPTY);
  assert.equal(of('CRC32C', LETTERS).toString('base64'), 'sOO8/Q==');
});

test('[W203] the canonical request has the path encoded once, the sorted query, and single spaces in header values', () => {
  const canonical = (target: string, headers: Record<string, string> = {}) =>
    canonicalRequest(
      { method: 'GET', target, headers: new Map(Object.entries(headers)) },
      { signedHeaders: Object.keys(headers), payload: 'P' },
    ).split('\n');
  assert.equal(canonical('/a//b/../c/./%7e%C3%A4+%2f')[1], '/a//b/../c/./~%C3%A4%2B/');
  assert.equal(canonical('/?b=2&a=%20&a=&B&X-Amz-Signature=x&a-=1&c=a+b')[2], 'B=&a=&a=%20&a-=1&b=2&c=a%20b');
  assert.equal(canonical('/', { host: 'h', 'x-amz-meta-a': '  two   words ' })[4], 'x-amz-meta-a:two words');
});

test('[W204] the error for a malformed signature names the malformed or missing part', () => {
  const base = requestOf(EXAMPLES[0] as Example);
  const change = (name: string, value: string | undefined) => {
    const headers = new Map(base.headers);
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
    return { ...base, headers };
  };
  const authorization = base.headers.get('authorization') as string;
  const cases: readonly (readonly [SigRequest, string])[] = [
    [change('authorization', 'AWS AKIA:sig'), 'InvalidRequest'],
    [change('authorization', authorization.replace('/s3/', '/ec2/')), 'AuthorizationHeaderMalformed'],
    [change('authorization', authorization.replace('20130524', '20130525')), 'AuthorizationHeaderMalformed'],
    [change('authorization', authorization.replace(/Signature=.*/, 'Signature=00')), 'AuthorizationHeaderMalformed'],
    [change('authorization', authorization.replace('host;', '')), 'AccessDenied'],
    [change('x-amz-meta-added', 'later'), 'AccessDenied'],
    [change('x-amz-date', undefined), 'AccessDenied'],
    [change('x-amz-date', 'yesterday'), 'AccessDenied'],
    [change('x-amz-content-sha256', undefined), 'InvalidRequest'],
    [{ ...base, target: '/x?X-Amz-Signature=1' }, 'InvalidArgument'],
    [{ ...base, target: '/x?%zz' }, 'InvalidURI'],
  ];
  for (const [request, code] of cases) assert.throws(() => readClaim(request), refuses(code), code);
  const presigned = (more: string) => ({
    method: 'GET',
    target: `/x?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F20130524%2Fr%2Fs3%2Faws4_request&X-Amz-Date=${TIME}&X-Amz-SignedHeaders=host&X-Amz-Signature=${'0'.repeat(64)}${more}`,
    headers: new Map([['host', 'h']]),
  });
  for (const more of ['', '&X-Amz-Expires=0', '&X-Amz-Expires=604801', '&X-Amz-Expires=-1', '&X-Amz-Expires=1e3'])
    assert.throws(() => readClaim(presigned(more)), refuses('AuthorizationQueryParametersError'), more);
  assert.equal(readClaim(presigned('&X-Amz-Expires=604800'))?.expires_s, 604_800);
  assert.equal(readClaim({ method: 'GET', target: '/x', headers: new Map([['host', 'h']]) }), undefined);
});
