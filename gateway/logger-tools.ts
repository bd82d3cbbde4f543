/**
 * Functions for the configuration files of loggers: checking a file against the schema of the logger, encrypting secrets for one
 * logger, and CRC-32. Handlers get them as a service, because handlers may not start threads or use `node:crypto`.
 */
import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { LoggerTools } from '#contract/context.ts';

/** Time limit of a check. The schema comes from a device, and a regular expression in it may run without end. */
const CHECK_MS = 2_000;
const MEMORY_MB = 64;
const CURVE = 'prime256v1';
/** The first byte of an uncompressed point of the curve P-256. The public key that a logger sends has only the 64 bytes after this byte. */
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
      new OperationError(
        'config_invalid',
        say("The logger's schema cannot be used to check a configuration: {why}.", { why }),
        {
          param: 'config',
        },
      ),
    );
  const timer = setTimeout(() => {
    refuse(`the check took more than ${CHECK_MS / 1000} s`);
    void worker.terminate();
  }, CHECK_MS);
  worker.once('message', (problems: Problems) => resolve(problems));
  worker.once('error', (error: Error) => refuse(error.message));
  worker.once('exit', () => {
    clearTimeout(timer);
    refuse('the process that checks it ended early');
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
    throw new RangeError('the public key of the logger is not a point of the curve P-256', { cause: error });
  }
  const key = createHmac('sha256', shared).update('config').digest().subarray(0, 16);
  const encrypted = texts.map((text) => {
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-128-ctr', key, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64');
  });
  return { kpub: point.subarray(1).toString('base64'), encrypted };
}

/** The functions of this file, in the form in which handlers get them. */
export const loggerTools: LoggerTools = {
  check,
  encrypt,
  crc32: (content) => crc32(content).toString(16).padStart(8, '0').toUpperCase(),
};
