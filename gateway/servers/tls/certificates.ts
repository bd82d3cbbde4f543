/**
 * The certificate that all TLS listeners of the gateway use. The site authority of the gateway signs it, unless the settings name the files
 * of a certificate of one's own. The gateway renews or reloads it while it runs.
 *
 * The folder `tls` in the data folder has the certificates, and the private keys, which are sealed (encrypted). Backups do not contain it.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { writeDurably } from '#store/base/durable.ts';
import { type Log, type OwnFiles, openOwnCertificate } from './own-certificate.ts';
import {
  type Authority,
  authorityOf,
  createAuthority,
  type KeyPair,
  mayName,
  signCertificate,
} from './site-authority.ts';

const DAY_MS = 86_400_000;
/** A certificate is renewed when it is valid for fewer days than this. */
const RENEW_DAYS = 60;
/** The gateway checks its addresses, its certificate and the files of the settings after this many milliseconds. */
const CHECK_MS = 10_000;
/** File of the revocation list. */
const LIST = 'ca.crl';
/** Most names and addresses in a certificate. */
const MAX_NAMES = 64;

export interface Certificates extends Disposable {
  /** The certificate of the site authority in PEM, which devices install. */
  authority(): string;
  /** The revocation list of the site authority in DER; undefined if the gateway could not sign one. */
  revocationList(): Buffer | undefined;
  /** The certificate and the key that TLS listeners use now. */
  current(): KeyPair;
  /** True if the listeners use a certificate from files of the settings. */
  isOwn(): boolean;
  /** Calls the listener whenever `current` changes, until the returned function is called. */
  watch(listener: () => void): () => void;
  problems(): { readonly code: string; readonly message: string }[];
}

export interface CertificateOptions {
  /** Folder of the keys and certificates. */
  readonly folder: string;
  /** Returns the names and addresses of this gateway. */
  readonly names: () => readonly string[];
  /** Returns the address at which clients find the revocation list without TLS. Null: the certificate names none. */
  readonly revocationUrl: () => string | null;
  /** Files of a certificate of one's own; null: the site authority signs the certificate. */
  readonly own: OwnFiles | null;
  readonly clock: () => number;
  readonly log: Log;
  /** Encrypts private keys for the disk. */
  readonly sealer: {
    seal(plain: string, record: string): string;
    tryOpen(sealed: string, record: string): string | undefined;
  };
}

/** The beginning of a key file that an earlier version wrote without encryption. */
const PEM = '-----BEGIN';

type Problem = ReturnType<Certificates['problems']>[number];

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens the certificates; the first start creates the site authority. */
export function openCertificates(options: CertificateOptions): Certificates {
  const { clock, log } = options;
  const site = new SiteCertificate(options);
  const own = options.own === null ? undefined : openOwnCertificate(options.own, clock, log);
  const listeners = new Set<() => void>();
  let used = own?.current ?? site.pair;

  const timer = setInterval(() => {
    try {
      own?.check();
      site.check();
    } catch (error) {
      log('error', 'the TLS certificate could not be renewed', { error: messageOf(error) });
    }
    const next = own?.current ?? site.pair;
    if (next === used) return;
    used = next;
    for (const listener of listeners) listener();
  }, CHECK_MS);
  timer.unref();

  return {
    authority: () => site.authorityCertificate,
    revocationList: () => site.revocationList,
    current: () => used,
    isOwn: () => own?.current !== undefined,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    problems: () => [...site.problems(), ...(own?.problems() ?? [])],
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** The site authority and the certificate that it signed for this gateway, with their files. */
class SiteCertificate {
  pair: KeyPair;
  /** The certificate of the authority in PEM. */
  authorityCertificate = '';
  /** The revocation list that was signed together with the certificate. */
  revocationList: Buffer | undefined;
  private readonly options: CertificateOptions;
  /** Undefined while the key file cannot be used and the certificate is still good. */
  private authority: Authority | undefined;
  private unreadable: string | undefined;

  constructor(options: CertificateOptions) {
    this.options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.revocationList = readBytes(this.path(LIST));
    this.pair = this.renewed(this.stored());
  }

  /** Signs a new certificate if the current one does not have all names, or ends soon. */
  check(): void {
    this.pair = this.renewed(this.pair);
  }

  problems(): Problem[] {
    const aside = this.path('ca-key.pem.unreadable');
    const problems: Problem[] = [];
    if (this.unreadable !== undefined)
      problems.push({
        code: 'site_authority_unreadable',
        message: `The key of the site authority cannot be used (${this.unreadable}). The certificate still works, but cannot be renewed. Restore the file ${this.path('ca-key.pem')}.`,
      });
    if (existsSync(aside))
      problems.push({
        code: 'site_authority_replaced',
        message: `The key of the site authority could not be used, so the gateway made a new authority. Install the new one on all devices (page /trust), then delete the file ${aside}.`,
      });
    return problems;
  }

  private path(name: string): string {
    return join(this.options.folder, name);
  }

  /** Reads a private key. Encrypts a file that an earlier version wrote without encryption. */
  private readKey(name: string): string {
    const text = readFileSync(this.path(name), 'utf8');
    if (text.startsWith(PEM)) {
      // Replace the file only if it has a key. A damaged file stays as it is for the person who repairs it.
      createPrivateKey(text);
      this.writeKey(name, text);
      return text;
    }
    const plain = this.options.sealer.tryOpen(text, `tls/${name}`);
    if (plain === undefined) throw new Error('it cannot be decrypted with the key of this gateway');
    return plain;
  }

  private writeKey(name: string, pem: string): void {
    writeDurably(this.path(name), this.options.sealer.seal(pem, `tls/${name}`));
  }

  private stored(): KeyPair | undefined {
    try {
      return {
        key: this.readKey('key.pem'),
        certificate: readFileSync(this.path('cert.pem'), 'utf8'),
      };
    } catch {
      return undefined;
    }
  }

  private renewed(pair: KeyPair | undefined): KeyPair {
    const { names, revocationUrl, clock, log } = this.options;
    const url = revocationUrl();
    const wanted = [...new Set(names())].filter(mayName).slice(0, MAX_NAMES);
    const now = new Date(clock());
    const found = pair && readPair(pair);
    const good = found !== undefined && found.validToDate.getTime() > now.getTime();
    const authority = this.openAuthority(good);
    // Without the key of the authority the gateway uses the current certificate as long as it is valid.
    if (authority === undefined) return pair as KeyPair;
    const reason = reasonToSign(found, authority, wanted, now) ?? this.reasonForList(found, url);
    if (reason === undefined) return pair as KeyPair;
    const until = reason === 'clock' ? found?.validToDate : undefined;
    const signed = signCertificate(authority, wanted, url, now, until);
    // Write the key first. If a power cut prevents the second write, key and certificate do not match, and the next start signs again.
    this.writeKey('key.pem', signed.pair.key);
    writeDurably(this.path('cert.pem'), signed.pair.certificate);
    writeDurably(this.path(LIST), signed.revocationList);
    this.revocationList = signed.revocationList;
    log(reason === 'first' ? 'debug' : 'info', 'signed a new TLS certificate', { reason, names: wanted });
    return signed.pair;
  }

  /** Returns `list` if the certificate does not name the right address of the revocation list, or if there is no list. */
  private reasonForList(found: X509Certificate | undefined, url: string | null): 'list' | undefined {
    const named = url === null || found?.raw.includes(url) === true;
    return named && this.revocationList !== undefined ? undefined : 'list';
  }

  /**
   * Returns the authority. Creates it if there is none. If its key file cannot be used: returns undefined while the certificate is good, and
   * otherwise keeps the file under another name and creates a new authority, so that people can still connect.
   */
  private openAuthority(certificateIsGood: boolean): Authority | undefined {
    if (this.authority !== undefined) return this.authority;
    const { log } = this.options;
    const path = this.path('ca-key.pem');
    try {
      this.authority = existsSync(path)
        ? authorityOf(createPrivateKey(this.readKey('ca-key.pem')))
        : this.newAuthority();
    } catch (error) {
      const reason = messageOf(error);
      if (this.unreadable === undefined) log('error', 'the key of the site authority cannot be used', { path, reason });
      this.unreadable = reason;
      if (certificateIsGood) {
        this.authorityCertificate ||= readCertificate(this.path('ca.pem'));
        return undefined;
      }
      renameSync(path, `${path}.unreadable`);
      this.authority = this.newAuthority();
    }
    this.unreadable = undefined;
    // The certificate of the authority differs from the stored one only in its signature. Keep the stored one, so that its fingerprint stays.
    const stored = readCertificate(this.path('ca.pem'));
    if (stored !== '' && new X509Certificate(stored).checkPrivateKey(this.authority.key))
      this.authorityCertificate = stored;
    else {
      this.authorityCertificate = this.authority.certificate;
      writeDurably(this.path('ca.pem'), this.authority.certificate);
    }
    return this.authority;
  }

  private newAuthority(): Authority {
    const made = createAuthority();
    this.writeKey('ca-key.pem', made.key.export({ type: 'pkcs8', format: 'pem' }).toString());
    return made;
  }
}

/** Returns the content of a file; undefined if it is absent or empty. */
function readBytes(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Returns the text of a certificate file; empty if the file has no certificate. */
function readCertificate(path: string): string {
  try {
    return new X509Certificate(readFileSync(path)).toString();
  } catch {
    return '';
  }
}

/** Returns the certificate of a pair; undefined if the pair is damaged or the key belongs to another certificate. */
function readPair({ key, certificate }: KeyPair): X509Certificate | undefined {
  try {
    const read = new X509Certificate(certificate);
    return read.checkPrivateKey(createPrivateKey(key)) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why a new certificate must be signed; undefined if the current certificate is good. */
function reasonToSign(
  found: X509Certificate | undefined,
  authority: Authority,
  wanted: readonly string[],
  now: Date,
): 'first' | 'authority' | 'end' | 'clock' | 'names' | undefined {
  if (found === undefined) return 'first';
  if (!found.verify(new X509Certificate(authority.certificate).publicKey)) return 'authority';
  if (found.validToDate.getTime() - now.getTime() < RENEW_DAYS * DAY_MS) return 'end';
  if (found.validFromDate > now) return 'clock';
  const has = (name: string) => (isIP(name) === 0 ? found.checkHost(name) : found.checkIP(name)) !== undefined;
  return wanted.every(has) ? undefined : 'names';
}
