/** A certificate of one's own: the files of `--tls-cert` and `--tls-key`, which the gateway reads again when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { KeyPair } from './site-authority.ts';

/** The log function of this room. */
export type Log = (level: 'debug' | 'info' | 'error', message: string, data?: object) => void;

/** Paths of the files, both in PEM. The file of the certificate may also have the certificates of its authorities. */
export interface OwnFiles {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
/** A certificate that ends within this many days is reported. */
const WARN_DAYS = 21;
/** Largest file that is read as a certificate or key. */
const MAX_BYTES = 1 << 20;

interface OwnCertificate {
  /** Undefined until the files were accepted for the first time. */
  readonly current: KeyPair | undefined;
  /** Reads the files if they have changed. If they are not accepted, the earlier certificate stays in use. */
  check(): void;
  problems(): { readonly code: string; readonly message: string }[];
}

/** Opens the files. Files that are not accepted do not prevent the start: the gateway uses the certificate of the site authority. */
export function openOwnCertificate(files: OwnFiles, clock: () => number, log: Log): OwnCertificate {
  let current: KeyPair | undefined;
  let seen = '';
  let refused: string | undefined;

  function check(): void {
    const state = `${stateOf(files.certificate)} ${stateOf(files.key)}`;
    if (state === seen) return;
    seen = state;
    const read = readFiles(files, clock());
    refused = typeof read === 'string' ? read : undefined;
    if (typeof read === 'string') log('error', 'the files of the TLS certificate are refused', { reason: read });
    else {
      current = read;
      log('info', 'the TLS certificate was read', { certificate: files.certificate });
    }
  }

  check();
  return {
    get current() {
      return current;
    },
    check,
    problems() {
      const used = current === undefined ? 'the certificate of the site authority' : 'the earlier certificate';
      const problems = [];
      if (refused !== undefined)
        problems.push({ code: 'tls_files_refused', message: `${refused} The gateway uses ${used} until then.` });
      const days =
        current && Math.floor((new X509Certificate(current.certificate).validToDate.getTime() - clock()) / DAY_MS);
      if (days !== undefined && days < WARN_DAYS)
        problems.push({
          code: 'tls_certificate_ends',
          message: `The TLS certificate ${files.certificate} ${days < 0 ? 'has expired' : `expires in ${days} days`}. Replace the files; the gateway reads them without a restart.`,
        });
      return problems;
    },
  };
}

/** Returns a text that changes when the file changes. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? 'absent' : `${found.ino}:${found.size}:${found.mtimeNs}`;
}

/** Reads and checks the files. Returns a text for people if they are not accepted. */
function readFiles(files: OwnFiles, now: number): KeyPair | string {
  const certificate = readText(files.certificate);
  if (certificate === undefined)
    return `The certificate file ${files.certificate} cannot be read. Check the path and the rights.`;
  const key = readText(files.key);
  if (key === undefined) return `The key file ${files.key} cannot be read. Check the path and the rights.`;
  let read: X509Certificate;
  try {
    read = new X509Certificate(certificate);
  } catch {
    return `The file ${files.certificate} has no certificate in PEM. Convert the certificate to PEM.`;
  }
  try {
    if (!read.checkPrivateKey(createPrivateKey(key)))
      return `The key ${files.key} does not belong to the certificate ${files.certificate}. Use the key with which the certificate was requested.`;
  } catch {
    return `The file ${files.key} has no private key in PEM without a password. Convert the key.`;
  }
  if (read.validToDate.getTime() <= now)
    return `The certificate ${files.certificate} expired on ${read.validToDate.toISOString().slice(0, 10)}. Replace it by a valid one.`;
  return { key, certificate };
}

function readText(path: string): string | undefined {
  try {
    return statSync(path).size > MAX_BYTES ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
