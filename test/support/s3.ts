/**
 * A sender of S3 requests, written from Amazon's documents and not from the gateway's checker: what it signs, the gateway must find right.
 */
import { createHash, createHmac } from 'node:crypto';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';

export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  /** `Code` of an error. */
  readonly code: string | undefined;
}

export interface S3Call {
  readonly method?: string;
  /** Path behind the bucket, as text; empty for the bucket. */
  readonly key?: string;
  /** Path as it stands on the wire, instead of `key`. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** `x-amz-content-sha256` when it is not the hash of the body. */
  readonly payload?: string;
  /** What is sent instead of what was signed. */
  readonly tamper?: {
    readonly body?: Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
    readonly path?: string;
  };
  /** Time of the signature, in ms. */
  readonly at_ms?: number;
  /** Presigned for so many seconds. */
  readonly expires_s?: number;
  readonly credentials?: { readonly access: string; readonly secret: string } | null;
  /** Header fields that are sent and not signed. */
  readonly unsigned?: Readonly<Record<string, string>>;
  /** Makes the body once the signature of the request is known. */
  readonly frame?: (seed: Seed) => Uint8Array;
  readonly host?: string;
}

/** What chunk signatures begin with. */
export interface Seed {
  readonly signature: string;
  readonly time: string;
  readonly scope: string;
  readonly key: Buffer;
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');
const mac = (key: Uint8Array | string, data: string) => createHmac('sha256', key).update(data).digest();
/** RFC 3986 encoding of the UTF-8 bytes of a text. */
export const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** The bytes of a content in signed chunks, with a trailer where one is given. */
export function signedChunks(
  content: Uint8Array,
  { signature, time, scope, key }: Seed,
  size: number,
  trailer?: { readonly name: string; readonly value: string },
): Buffer {
  const out: Buffer[] = [];
  let before = signature;
  const sign = (kind: string, rest: string[]) => {
    before = mac(key, [`AWS4-HMAC-SHA256-${kind}`, time, scope, before, ...rest].join('\n')).toString('hex');
    return before;
  };
  for (let at = 0; ; at += size) {
    const piece = content.subarray(at, at + size);
    const tag = sign('PAYLOAD', [sha256(''), sha256(piece)]);
    out.push(Buffer.from(`${piece.length.toString(16)};chunk-signature=${tag}\r\n`), Buffer.from(piece));
    if (piece.length === 0) break;
    out.push(Buffer.from('\r\n'));
  }
  if (trailer !== undefined) {
    const line = `${trailer.name}:${trailer.value}`;
    const tag = sign('TRAILER', [sha256(`${line}\n`)]);
    out.push(Buffer.from(`${line}\r\nx-amz-trailer-signature:${tag}\r\n`));
  }
  out.push(Buffer.from('\r\n'));
  return Buffer.concat(out);
}

/** Talks to the bucket on this port. */
export function createS3(options: {
  readonly port: number;
  readonly access: string;
  readonly secret: string;
  readonly bucket?: string;
}) {
  const { port, bucket = 'headframe' } = options;

  function prepare(call: S3Call) {
    const { access, secret } = call.credentials ?? options;
    const method = call.method ?? 'GET';
    const host = call.host ?? `127.0.0.1:${port}`;
    const path =
      call.path ?? `/${bucket}${call.key === undefined ? '' : `/${call.key.split('/').map(encode).join('/')}`}`;
    const body = Buffer.from(call.body ?? '');
    const time = new Date(call.at_ms ?? Date.now()).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
    const payload = call.payload ?? (call.expires_s === undefined ? sha256(body) : 'UNSIGNED-PAYLOAD');
    const headers: Record<string, string> = { host, ...lower(call.headers ?? {}) };
    const query: Record<string, string> = { ...call.query };
    const presigned = call.expires_s !== undefined;
    if (!presigned) {
      headers['x-amz-date'] = time;
      headers['x-amz-content-sha256'] = payload;
    }
    const signed = Object.keys(headers).sort().join(';');
    if (presigned) {
      query['X-Amz-Algorithm'] = 'AWS4-HMAC-SHA256';
      query['X-Amz-Credential'] = `${access}/${scope}`;
      query['X-Amz-Date'] = time;
      query['X-Amz-Expires'] = String(call.expires_s);
      query['X-Amz-SignedHeaders'] = signed;
    }
    const text = Object.keys(query)
      .map((name) => `${encode(name)}=${encode(query[name] ?? '')}`)
      .sort()
      .join('&');
    const fields = Object.keys(headers)
      .sort()
      .map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
    const canonical = [method, path, text, fields.join(''), signed, payload].join('\n');
    const key = ['us-east-1', 's3', 'aws4_request'].reduce(mac, mac(`AWS4${secret}`, time.slice(0, 8)));
    const signature = mac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
    if (!presigned && call.credentials !== null)
      headers.authorization = `AWS4-HMAC-SHA256 Credential=${access}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
    const asked = presigned ? `${text}&X-Amz-Signature=${signature}` : text;
    const sent = call.frame?.({ signature, time, scope, key }) ?? body;
    return { method, path, query: asked, headers, body: Buffer.from(sent) };
  }

  /** Sends one request. */
  function send(call: S3Call): Promise<S3Answer> {
    const made = prepare(call);
    const { tamper = {} } = call;
    const path = tamper.path ?? made.path;
    const body = tamper.body ?? made.body;
    const headers: OutgoingHttpHeaders = {
      ...made.headers,
      ...lower(call.unsigned ?? {}),
      ...lower(tamper.headers ?? {}),
    };
    if (made.method !== 'GET' && made.method !== 'HEAD' && headers['content-length'] === undefined)
      headers['content-length'] = body.length;
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port,
          method: made.method,
          path: made.query === '' ? path : `${path}?${made.query}`,
          headers,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const whole = Buffer.concat(chunks);
            const code = /<Code>([^<]*)<\/Code>/.exec(whole.toString())?.[1];
            const { statusCode: status = 0 } = response;
            resolve({
              status,
              headers: response.headers as Record<string, string>,
              body: whole,
              text: whole.toString(),
              code,
            });
          });
        },
      );
      request.on('error', reject);
      if (headers.expect === undefined) request.end(body);
      else {
        request.on('continue', () => request.end(body));
        request.flushHeaders();
      }
    });
  }

  return { send, prepare };
}

function lower(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
