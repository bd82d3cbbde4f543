/** Sealing of secrets that must be shown again (share links, receipts of one-time answers): AES-256-GCM under a key file of this gateway. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sealer } from '#contract/context.ts';
import { writeDurably } from '#store/base/durable.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Seals that begin like this open for their record alone; earlier versions made them without. No base64url has this character. */
const BOUND = '1.';

/** Opens the key file of a data folder, made at first use with mode 0600; a damaged file throws a sentence that says so. */
export function openSealer(folder: string): Sealer & { readonly key: Uint8Array } {
  const path = join(folder, 'secret.key');
  if (!existsSync(path))
    // whole or not at all: half a key would stop every later start
    writeDurably(path, randomBytes(32).toString('base64url'));
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
  if (key.length !== 32)
    throw new Error(`${path} is damaged: put back the copy of your backup, or remove it and make new TV links`);
  return {
    key,
    seal(plain, record) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(record));
      const bytes = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${BOUND}${bytes.toString('base64url')}`;
    },
    open(sealed, record) {
      const bound = sealed.startsWith(BOUND);
      const bytes = Buffer.from(bound ? sealed.slice(BOUND.length) : sealed, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('that is no seal');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      if (bound) decipher.setAAD(Buffer.from(record));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const body = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES);
      return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
