/**
 * The certificate authority of the site, which signs the certificate of this gateway. Its name constraints allow only names and addresses of
 * a local network. So somebody who steals its key cannot impersonate a web site to a phone that trusts the authority.
 *
 * Every field of its certificate except the signature follows from its key. So the gateway can write the certificate again if the file is
 * lost, and devices that trust the earlier file trust the new one, too.
 */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import {
  bitString,
  inside,
  integer,
  objectId,
  octetString,
  plain,
  sequence,
  set,
  TRUE,
  time,
  utf8String,
} from './der.ts';

/** The domains under which the certificate may have names. */
const DOMAINS = ['local', 'localhost', 'lan', 'home.arpa'] as const;

/** The networks in which the certificate may have addresses: private, link-local and loopback networks. */
const NETWORKS: readonly (readonly [address: string, bits: number])[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
  ['fd00::', 8],
  ['::1', 128],
];

const permitted = new BlockList();
for (const [address, bits] of NETWORKS) permitted.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Returns true if the authority may sign a certificate for this name or IP address. */
export function mayName(name: string): boolean {
  const family = isIP(name);
  if (family !== 0) return permitted.check(name, family === 6 ? 'ipv6' : 'ipv4');
  return /^[a-z0-9.-]{1,253}$/.test(name) && DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const SUBJECT_KEY = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const ALTERNATIVE_NAMES = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
const AUTHORITY_KEY = '2.5.29.35';
const REVOCATION_LIST_NUMBER = '2.5.29.20';
const REVOCATION_LIST_PLACE = '2.5.29.31';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER = '1.3.6.1.5.5.7.3.1';
/** Tags of a GeneralName (RFC 5280 4.2.1.6). */
const DNS_NAME = 2;
const URI = 6;
const IP_ADDRESS = 7;

/**
 * The authority is valid in these years, whatever the clock of the gateway shows. A gateway that starts for the first time with a wrong
 * clock would otherwise create an authority that no device accepts.
 */
const VALID_FROM = new Date('2026-01-01T00:00:00Z');
const VALID_TO = new Date('2049-12-31T23:59:59Z');
const DAY_MS = 86_400_000;
/** A certificate is valid from this many days before it is signed, because the clock of a device may be late. */
const EARLY_DAYS = 2;
/** Days for which a certificate is valid. Some browsers refuse more than 398. */
const VALID_DAYS = 397;

export interface Authority {
  readonly key: KeyObject;
  /** The certificate in PEM. */
  readonly certificate: string;
}

/** A certificate with its private key, both in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** Generates a key on the curve P-256, which all TLS clients support. */
const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Creates an authority with a new key. */
export function createAuthority(): Authority {
  return authorityOf(newKey());
}

/** Returns the authority with this private key. Throws if the key is not an ECDSA key on the curve P-256. */
export function authorityOf(key: KeyObject): Authority {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('the key of the site authority is not a P-256 key');
  const name = authorityName(key);
  const extensions = [
    extension(BASIC_CONSTRAINTS, true, sequence(TRUE, integer(Buffer.of(0)))),
    extension(KEY_USAGE, true, bitString(Buffer.of(0b0000_0110), 1)), // keyCertSign, cRLSign
    extension(EXTENDED_KEY_USAGE, false, sequence(objectId(SERVER))),
    extension(SUBJECT_KEY, false, octetString(keyId(key))),
    extension(NAME_CONSTRAINTS, true, nameConstraints()),
  ];
  const serial = keyId(key).subarray(0, 16);
  return { key, certificate: certificate({ serial, name, from: VALID_FROM, to: VALID_TO, key, extensions, by: key }) };
}

/** The longest validity that iOS accepts. */
const MAX_DAYS = 825;

/** A new certificate, and the revocation list (CRL) that is valid for the same time. */
export interface Signed {
  readonly pair: KeyPair;
  /** The list in DER. */
  readonly revocationList: Buffer;
}

/**
 * Signs a certificate for a new key, and an empty revocation list. Leaves out every name and address that the authority may not sign. `url`
 * is the address of the list. If `until` is later than the usual end, the certificate is valid until then, for at most 825 days.
 */
export function signCertificate(
  authority: Authority,
  names: readonly string[],
  url: string | null,
  now: Date,
  until?: Date,
): Signed {
  const key = newKey();
  // A clock before the authority became valid is wrong. Clients compare the certificate with their own clocks.
  const signed = Math.max(now.getTime(), VALID_FROM.getTime() + EARLY_DAYS * DAY_MS);
  const from = new Date(signed - EARLY_DAYS * DAY_MS);
  const longest = Math.min(until?.getTime() ?? 0, from.getTime() + MAX_DAYS * DAY_MS);
  const to = new Date(Math.min(Math.max(from.getTime() + VALID_DAYS * DAY_MS, longest), VALID_TO.getTime()));
  const allowed = names.filter(mayName);
  const extensions = [
    extension(BASIC_CONSTRAINTS, true, sequence()),
    extension(KEY_USAGE, true, bitString(Buffer.of(0b1000_0000), 7)), // digitalSignature
    extension(EXTENDED_KEY_USAGE, false, sequence(objectId(SERVER))),
    extension(SUBJECT_KEY, false, octetString(keyId(key))),
    extension(AUTHORITY_KEY, false, sequence(plain(0, keyId(authority.key)))),
    extension(ALTERNATIVE_NAMES, false, sequence(...allowed.map(generalName))),
    ...(url === null ? [] : [extension(REVOCATION_LIST_PLACE, false, revocationListPlace(url))]),
  ];
  const name = distinguishedName(allowed.find((one) => isIP(one) === 0) ?? 'localhost');
  const serial = randomBytes(16);
  const pem = certificate({ serial, name, from, to, key, extensions, by: authority.key });
  return {
    pair: { key: key.export({ type: 'pkcs8', format: 'pem' }) as string, certificate: pem },
    revocationList: emptyRevocationList(authority.key, from, to),
  };
}

/** Returns the extension with the address of the revocation list (RFC 5280 4.2.1.13). */
const revocationListPlace = (url: string): Buffer =>
  sequence(sequence(inside(0, inside(0, plain(URI, Buffer.from(url))))));

/** Signs a revocation list without entries (RFC 5280 5.1). Its number is the time of its beginning in seconds, so that it rises. */
function emptyRevocationList(by: KeyObject, from: Date, to: Date): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(Math.floor(from.getTime() / 1_000));
  const extensions = [
    extension(AUTHORITY_KEY, false, sequence(plain(0, keyId(by)))),
    extension(REVOCATION_LIST_NUMBER, false, integer(number)),
  ];
  const toSign = sequence(
    integer(Buffer.of(1)), // version 2
    ECDSA_SHA256,
    authorityName(by),
    time(from),
    time(to),
    inside(0, sequence(...extensions)),
  );
  return sequence(toSign, ECDSA_SHA256, bitString(sign('sha256', toSign, by)));
}

function certificate(of: {
  readonly serial: Uint8Array;
  readonly name: Uint8Array;
  readonly from: Date;
  readonly to: Date;
  readonly key: KeyObject;
  readonly extensions: readonly Uint8Array[];
  /** The key of the authority that signs the certificate. */
  readonly by: KeyObject;
}): string {
  const toSign = sequence(
    inside(0, integer(Buffer.of(2))), // version 3
    integer(of.serial),
    ECDSA_SHA256,
    authorityName(of.by),
    sequence(time(of.from), time(of.to)),
    of.name,
    publicKey(of.key),
    inside(3, sequence(...of.extensions)),
  );
  const bytes = sequence(toSign, ECDSA_SHA256, bitString(sign('sha256', toSign, of.by)));
  const lines = bytes.toString('base64').match(/.{1,64}/g) as string[];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const publicKey = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

/** Returns the key identifier: the SHA-1 of the point of the public key, which is at the end of its DER form (RFC 5280 4.2.1.2). */
const keyId = (key: KeyObject): Buffer => createHash('sha1').update(publicKey(key).subarray(-65)).digest();

const distinguishedName = (name: string): Buffer => sequence(set(sequence(objectId(COMMON_NAME), utf8String(name))));

/** Returns the name of an authority. It has digits of the key, so that a person can tell the authorities of two gateways apart. */
const authorityName = (key: KeyObject): Buffer =>
  distinguishedName(`Headframe site ${keyId(key).toString('hex').slice(0, 8).toUpperCase()}`);

function extension(id: string, critical: boolean, content: Uint8Array): Buffer {
  return sequence(objectId(id), ...(critical ? [TRUE] : []), octetString(content));
}

function nameConstraints(): Buffer {
  const subtrees = [
    ...DOMAINS.map((domain) => sequence(plain(DNS_NAME, Buffer.from(domain)))),
    ...NETWORKS.map(([address, bits]) => {
      const bytes = addressBytes(address);
      return sequence(plain(IP_ADDRESS, Buffer.concat([bytes, maskOf(bytes.length, bits)])));
    }),
  ];
  return sequence(inside(0, ...subtrees));
}

function generalName(name: string): Buffer {
  return isIP(name) === 0 ? plain(DNS_NAME, Buffer.from(name)) : plain(IP_ADDRESS, addressBytes(name));
}

/** Returns the 4 or 16 bytes of an IP address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [before, after] = [words(head), words(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

function maskOf(bytes: number, bits: number): Buffer {
  return Buffer.from(
    Array.from({ length: bytes }, (_, i) => (0xff << (8 - Math.min(8, Math.max(0, bits - i * 8)))) & 0xff),
  );
}
