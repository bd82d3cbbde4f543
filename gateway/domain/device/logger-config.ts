/**
 * The configuration file of a CANedge-class logger (`config-XX.XX.json`): which of its fields are secrets, and how they are stored,
 * shown and written to the file. If the logger has sent its public key, all secrets of a file are encrypted for that logger.
 */

/** API answers contain this text instead of each secret. If a client sends the text back, the gateway does not change the stored secret. */
const MASK = '********';

export type Config = Record<string, unknown>;

/** The stored form of a secret, encrypted with the key file of the gateway. */
export interface Sealed {
  readonly sealed: string;
}

/**
 * Names of the fields that contain secrets. The names are the same in the configuration schemas of all firmware versions of these loggers,
 * from 01.01 to 01.09.
 */
const SECRETS: ReadonlySet<string> = new Set(['pwd', 'secretkey', 'password', 'pin']);

/**
 * Position of a secret in a configuration. `path` names a Wi-Fi access point by its name, not by its index. `encrypted` is true if the
 * author of the file has already encrypted the secret.
 */
export interface SecretPlace {
  readonly path: string;
  readonly encrypted: boolean;
}

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns true if the value is a sealed secret (a secret that is encrypted with the key file of the gateway). */
function isSealed(value: unknown): value is Sealed {
  return isObject(value) && typeof value.sealed === 'string' && Object.keys(value).length === 1;
}

/** Copies a configuration and replaces every secret, plain or sealed, by the result of `replace`. Removes the field if it is undefined. */
function mapSecrets(
  config: Config,
  replace: (secret: string | Sealed, place: SecretPlace) => string | Sealed | undefined,
): Config {
  const walk = (value: unknown, path: string, encrypted: boolean): unknown => {
    if (Array.isArray(value)) {
      return value.map((one, i) => {
        const name = isObject(one) && typeof one.ssid === 'string' ? `[${one.ssid}]` : `[${i}]`;
        return walk(one, `${path}${name}`, encrypted);
      });
    }
    if (!isObject(value)) return value;
    const here = 'keyformat' in value ? value.keyformat === 1 : encrypted;
    const made: Config = {};
    for (const [name, inner] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      const secret = SECRETS.has(name) && ((typeof inner === 'string' && inner !== '') || isSealed(inner));
      const next = secret ? replace(inner as string | Sealed, { path: at, encrypted: here }) : walk(inner, at, here);
      if (next !== undefined) made[name] = next;
    }
    return made;
  };
  return walk(config, '', false) as Config;
}

/** The configuration for API answers, with all secrets masked. */
export function maskSecrets(config: Config): Config {
  return mapSecrets(config, () => MASK);
}

/** Returns the configuration with its secrets decrypted, for the file of the logger. A secret that `open` cannot decrypt stays sealed. */
export function openSecrets(config: Config, open: (sealed: string) => string | undefined): Config {
  return mapSecrets(config, (secret) => (typeof secret === 'string' ? secret : (open(secret.sealed) ?? secret)));
}

/** Paths of all sealed secrets. */
export function sealedPlaces(config: Config): string[] {
  const found: string[] = [];
  mapSecrets(config, (secret, { path }) => {
    if (typeof secret !== 'string') found.push(path);
    return secret;
  });
  return found;
}

/** Returns the paths of secrets that are not strings. A client must send secrets as strings, because only the gateway seals secrets. */
export function wrongSecrets(config: unknown, path = ''): string[] {
  if (Array.isArray(config)) return config.flatMap((one, i) => wrongSecrets(one, `${path}[${i}]`));
  if (!isObject(config)) return [];
  return Object.entries(config).flatMap(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return SECRETS.has(name) && typeof value === 'object' && value !== null ? [at] : wrongSecrets(value, at);
  });
}

/**
 * Converts a configuration to its stored form: seals the secrets, and replaces each mask by the secret of `before` at the same path. A mask
 * can be replaced only if a secret is stored at its path and can still be decrypted. `unknown` lists the paths of all other masks.
 */
export function sealSecrets(
  config: Config,
  before: Config | undefined,
  seal: (plain: string) => string,
  opens: (sealed: string) => boolean = () => true,
): { readonly config: Config; readonly unknown: readonly string[] } {
  const known = new Map<string, Sealed>();
  const keep = (secret: string | Sealed) => (typeof secret === 'string' ? { sealed: seal(secret) } : secret);
  mapSecrets(before ?? {}, (secret, { path }) => {
    known.set(path, keep(secret));
    return secret;
  });
  const unknown: string[] = [];
  const sealed = mapSecrets(config, (secret, { path }) => {
    if (secret !== MASK) return keep(secret);
    const was = known.get(path);
    if (was !== undefined && opens(was.sealed)) return was;
    unknown.push(path);
    return undefined;
  });
  return { config: sealed, unknown };
}

/**
 * Returns `config` with the fields of `patch`. If both have an object in the same field, the two objects are merged in the same way;
 * otherwise the value in `patch` replaces the value in `config`.
 */
export function mergeConfig(config: Config, patch: Config): Config {
  const made: Config = { ...config };
  for (const [name, value] of Object.entries(patch)) {
    const known = made[name];
    made[name] = isObject(value) && isObject(known) ? mergeConfig(known, value) : value;
  }
  return made;
}

/** The field at a path; undefined if it does not exist. */
export function fieldOf(config: Config, ...path: readonly string[]): unknown {
  let value: unknown = config;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

/**
 * True if the author of the file has encrypted some of its secrets. The gateway then must not encrypt the other secrets, because all
 * secrets of a file need the same key.
 */
export function hasEncrypted(config: Config): boolean {
  let found = false;
  mapSecrets(config, (secret, { encrypted }) => {
    if (encrypted) found = true;
    return secret;
  });
  return found;
}

/** The plain secrets of a configuration, in the order of the file. */
export function secretsOf(config: Config): string[] {
  const found: string[] = [];
  mapSecrets(config, (secret) => {
    if (typeof secret === 'string') found.push(secret);
    return secret;
  });
  return found;
}

/**
 * Replaces the secrets of a configuration by their encrypted forms, which must be in the order of `secretsOf`. `kpub` is the public key
 * that the logger needs to decrypt them; it becomes a field of the configuration.
 */
export function withEncrypted(config: Config, encrypted: readonly string[], kpub: string): Config {
  let next = 0;
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark);
    if (!isObject(value)) return value;
    const made = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mark(inner)]));
    return 'keyformat' in made && secretsOf({ made }).length > 0 ? { ...withoutEmpty(made), keyformat: 1 } : made;
  };
  const replaced = mapSecrets(mark(config) as Config, () => encrypted[next++]);
  return mergeConfig(replaced, { general: { security: { kpub } } });
}

/** Removes empty secrets, because an encrypted secret must not be empty. A Wi-Fi access point without a password has an empty one. */
function withoutEmpty<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmpty) as T;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !(SECRETS.has(name) && inner === ''));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutEmpty(inner)])) as T;
}

/**
 * Returns the first two parts of a firmware version, for example `01.09` for `01.09.01`; the file name of the configuration contains them.
 * Returns undefined if the value is not a firmware version.
 */
export function configVersion(firmware: unknown): string | undefined {
  return typeof firmware === 'string' ? /^(\d{2}\.\d{2})(\.\d{2})?$/.exec(firmware)?.[1] : undefined;
}

/**
 * The fields of a heartbeat (`device.json`) that the gateway needs for the configuration and firmware of a logger; undefined for a missing
 * field.
 */
export interface Heartbeat {
  readonly firmware: string | undefined;
  /** Logger type, eight hex digits. CANedge1: 0000001D, with GNSS 0000005D; CANedge2: ...1F and ...5F; CANedge3: ...3D and ...7D. */
  readonly type: string | undefined;
  /** Public key of the logger, 64 bytes as base64: X and Y on P-256. */
  readonly kpub: string | undefined;
  /** CRC-32 of the configuration file that the logger uses, hexadecimal. */
  readonly config_crc32: string | undefined;
}

const textOf = (value: unknown, shape: RegExp) => (typeof value === 'string' && shape.test(value) ? value : undefined);

/** Takes these fields from the fields of a heartbeat that `logger-heartbeat.ts` has read. */
export function heartbeatFacts(said: Readonly<Record<string, unknown>>): Heartbeat {
  return {
    firmware: textOf(said.fw_ver, /^\d{2}\.\d{2}(\.\d{2})?$/),
    type: textOf(said.type, /^[0-9a-fA-F]{8}$/)?.toUpperCase(),
    kpub: textOf(said.kpub, /^[A-Za-z0-9+/]{86}==$/),
    config_crc32: textOf(said.cfg_crc32, /^[0-9a-fA-F]{8}$/)?.toUpperCase(),
  };
}
