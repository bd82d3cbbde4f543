/**
 * Seals (encrypts) secrets that the gateway must be able to show again, such as share links and stored answers with a one-time secret. It
 * encrypts with AES-256-GCM, and with the key in the file `secret.key` of the data folder.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sealer } from '#contract/context.ts';
import { writeDurably } from '#store/base/durable.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * Prefix of an encrypted secret that can be decrypted only for one record. Secrets of earlier versions have no prefix. The prefix has a
 * dot, which base64url never has, so the two forms cannot be confused.
 */
const BOUND = '1.';

/** Reads the key file of a data folder; the first call creates the file with mode 0600. Throws an `Error` if the file is damaged. */
export function openSealer(folder: string): Sealer & { readonly key: Uint8Array } {
  const path = join(folder, 'secret.key');
  if (!existsSync(path))
    // Sync the file to disk, because an incomplete key file after a power cut would make every later start fail.
    writeDurably(path, randomBytes(32).toString('base64url'));
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
  if (key.length !== 32)
    throw new Error(`${path} is damaged. Restore the file from your backup, or delete it and create new TV links.`);
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
      if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('the text is not a sealed secret');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      if (bound) decipher.setAAD(Buffer.from(record));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const body = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES);
      return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
