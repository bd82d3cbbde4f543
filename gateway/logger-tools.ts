/** What handlers need for configuration files of loggers and cannot do themselves: a stranger's schema, encryption for one logger, CRC-32. */
import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { OperationError } from '#contract/base/errors.ts';
import type { LoggerTools } from '#contract/context.ts';

/** A schema comes from a device: patterns in it may take for ever. */
const CHECK_MS = 2_000;
const MEMORY_MB = 64;
const CURVE = 'prime256v1';
/** Of an uncompressed point on the curve. */
const POINT = Buffer.from([4]);

type Problems = readonly { readonly path: string; readonly message: string }[];

function check(schema: string, config: string): Promise<Problems> {
  const { promise, resolve, reject } = Promise.withResolvers<Problems>();
  const worker = new Worker(new URL('./schema-worker.ts', import.meta.url), {
    workerData: { schema, config },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const refuse = (why: string) =>
    reject(
      new OperationError('config_invalid', `The logger's schema cannot be used to check a configuration: ${why}.`, {
        param: 'config',
      }),
    );
  const timer = setTimeout(() => {
    refuse(`it took more than ${CHECK_MS / 1000} s`);
    void worker.terminate();
  }, CHECK_MS);
  worker.once('message', (problems: Problems) => resolve(problems));
  worker.once('error', (error: Error) => refuse(error.message));
  worker.once('exit', () => {
    clearTimeout(timer);
    refuse('its check ended');
  });
  return promise;
}

function encrypt(kpub: string, texts: readonly string[]) {
  const theirs = Buffer.from(kpub, 'base64');
  if (theirs.length !== 64) throw new RangeError('a public key of a logger has 64 bytes');
  const ours = createECDH(CURVE);
  const point = ours.generateKeys();
  let shared: Buffer;
  try {
    shared = ours.computeSecret(Buffer.concat([POINT, theirs]));
  } catch (error) {
    throw new RangeError('the public key of the logger is no point on P-256', { cause: error });
  }
  const key = createHmac('sha256', shared).update('config').digest().subarray(0, 16);
  const encrypted = texts.map((text) => {
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-128-ctr', key, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64');
  });
  return { kpub: point.subarray(1).toString('base64'), encrypted };
}

/** The tools. */
export const loggerTools: LoggerTools = {
  check,
  encrypt,
  crc32: (content) => crc32(content).toString(16).padStart(8, '0').toUpperCase(),
};
