/**
 * Seals (encrypts) secrets that the gateway must be able to show or use again, such as share links, key pairs of loggers, and private keys
 * of TLS. It encrypts with AES-256-GCM, and with the sealing key in the file `secret.key` of the data folder. Backups do not contain this
 * file unless a person asks for it; `recovery-code.ts` writes the key on paper.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sealer } from '#contract/context.ts';
import { writeDurably } from '#store/base/durable.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * Prefix of an encrypted secret that can be decrypted only for one record. Secrets of earlier versions have no prefix. The prefix has a
 * dot, which base64url never has, so the two forms cannot be confused.
 */
const BOUND = '1.';
/** The largest number of keys in the file: the current key, and keys of earlier starts that only open. */
const MOST_KEYS = 4;

/** The sealer of a data folder, with its current key. */
export interface FolderSealer extends Sealer {
  readonly key: Uint8Array;
  /** Identifies the current key. It shows nothing of the key. */
  readonly check: string;
}

/** Returns a text that identifies a sealing key. */
export function checkOf(key: Uint8Array): string {
  return createHash('sha256').update('headframe sealing key\n').update(key).digest('hex').slice(0, 16);
}

/** Reads the key file of a data folder; the first call creates the file with mode 0600. Throws an `Error` if the file is damaged. */
export function openSealer(folder: string): FolderSealer {
  if (readKeys(folder).length === 0) writeKeys(folder, [randomBytes(KEY_BYTES)]);
  const keys = readKeys(folder);
  const [key] = keys as [Buffer];

  function tryOpen(sealed: string, record: string): string | undefined {
    for (const one of keys) {
      try {
        return decrypt(one, sealed, record);
      } catch {
        // Another key may have sealed this secret.
      }
    }
    return undefined;
  }

  return {
    key,
    check: checkOf(key),
    seal(plain, record) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(record));
      const bytes = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${BOUND}${bytes.toString('base64url')}`;
    },
    tryOpen,
    open(sealed, record) {
      const plain = tryOpen(sealed, record);
      if (plain === undefined) throw new Error('the text is not a secret that this gateway has sealed for this record');
      return plain;
    },
  };
}

function decrypt(key: Uint8Array, sealed: string, record: string): string {
  const bound = sealed.startsWith(BOUND);
  const bytes = Buffer.from(bound ? sealed.slice(BOUND.length) : sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('the text is not a sealed secret');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  if (bound) decipher.setAAD(Buffer.from(record));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const body = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES);
  return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
}

const pathOf = (folder: string): string => join(folder, 'secret.key');

/** Reads the keys of a data folder, the current key first; empty if there is no key file. Throws an `Error` if the file is damaged. */
export function readKeys(folder: string): Buffer[] {
  const path = pathOf(folder);
  if (!existsSync(path)) return [];
  const keys = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => Buffer.from(line, 'base64url'));
  if (keys.some(({ length }) => length !== KEY_BYTES))
    throw new Error(
      `${path} is damaged. Restore it with \`headframe recovery-code --enter\` or from a copy. If you have neither, delete the file: the gateway then makes a new key, and health names the secrets that must be set again.`,
    );
  return keys;
}

/** Makes a key the current key of a data folder. The earlier keys still open secrets. */
export function useKey(folder: string, key: Uint8Array): void {
  let earlier: Buffer[] = [];
  try {
    earlier = readKeys(folder).filter((one) => !one.equals(key));
  } catch {
    // A damaged key file opens nothing, so nothing of it is kept.
  }
  writeKeys(folder, [key, ...earlier].slice(0, MOST_KEYS));
}

function writeKeys(folder: string, keys: readonly Uint8Array[]): void {
  // Sync the file to disk, because an incomplete key file after a power cut would make every later start fail.
  writeDurably(pathOf(folder), keys.map((key) => Buffer.from(key).toString('base64url')).join('\n'));
}
