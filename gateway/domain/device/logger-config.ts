/**
 * The configuration file of a CANedge-class logger (`config-XX.XX.json`): which of its fields are secrets, how they are kept, shown and
 * written into the file. Where the logger told its public key they are encrypted for it alone, all under one key, as it demands.
 */

/** What stands where a secret is, for readers; sent back, it means "as before". */
const MASK = '********';

export type Config = Record<string, unknown>;

/** A secret at rest. */
export interface Sealed {
  readonly sealed: string;
}

/** Names of fields that hold secrets, in every schema of these loggers from 01.01 to 01.09. */
const SECRETS: ReadonlySet<string> = new Set(['pwd', 'secretkey', 'password', 'pin']);

/** Where a secret stands: its path (an access point by its name, not its place), and whether the file has it encrypted already. */
export interface SecretPlace {
  readonly path: string;
  readonly encrypted: boolean;
}

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for a secret as it is kept. */
function isSealed(value: unknown): value is Sealed {
  return isObject(value) && typeof value.sealed === 'string' && Object.keys(value).length === 1;
}

/** A copy of a configuration with every secret, and every sealed one, replaced; undefined takes the field away. */
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

/** The configuration for readers. */
export function maskSecrets(config: Config): Config {
  return mapSecrets(config, () => MASK);
}

/** The configuration with all its secrets, for a file; those that `open` gives nothing for stay as they are. */
export function openSecrets(config: Config, open: (sealed: string) => string | undefined): Config {
  return mapSecrets(config, (secret) => (typeof secret === 'string' ? secret : (open(secret.sealed) ?? secret)));
}

/** Paths of secrets that are sealed. */
export function sealedPlaces(config: Config): string[] {
  const found: string[] = [];
  mapSecrets(config, (secret, { path }) => {
    if (typeof secret !== 'string') found.push(path);
    return secret;
  });
  return found;
}

/** Paths at which a secret stands that is no text, in a configuration from outside: only this gateway makes seals. */
export function wrongSecrets(config: unknown, path = ''): string[] {
  if (Array.isArray(config)) return config.flatMap((one, i) => wrongSecrets(one, `${path}[${i}]`));
  if (!isObject(config)) return [];
  return Object.entries(config).flatMap(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return SECRETS.has(name) && typeof value === 'object' && value !== null ? [at] : wrongSecrets(value, at);
  });
}

/**
 * The configuration as it is kept: secrets sealed, masks replaced by what `before` has at the same place. `unknown` are the places of masks
 * that hide nothing, or what does not open any more.
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

/** `patch` laid over `config`, object by object (RFC 7396 without nulls). */
export function mergeConfig(config: Config, patch: Config): Config {
  const made: Config = { ...config };
  for (const [name, value] of Object.entries(patch)) {
    const known = made[name];
    made[name] = isObject(value) && isObject(known) ? mergeConfig(known, value) : value;
  }
  return made;
}

/** The field at a path of names; undefined where there is none. */
export function fieldOf(config: Config, ...path: readonly string[]): unknown {
  let value: unknown = config;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** True when the file has secrets that its author encrypted: then no others can be, because all have to be under one key. */
export function hasEncrypted(config: Config): boolean {
  let found = false;
  mapSecrets(config, (secret, { encrypted }) => {
    if (encrypted) found = true;
    return secret;
  });
  return found;
}

/** The secrets of a configuration in their order, none of them sealed. */
export function secretsOf(config: Config): string[] {
  const found: string[] = [];
  mapSecrets(config, (secret) => {
    if (typeof secret === 'string') found.push(secret);
    return secret;
  });
  return found;
}

/** The configuration with its secrets, in the order of `secretsOf`, replaced by their encrypted forms, which the logger opens with `kpub`. */
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

/** Without secrets that are empty (an open access point): encrypted ones may not be. */
function withoutEmpty<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmpty) as T;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !(SECRETS.has(name) && inner === ''));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutEmpty(inner)])) as T;
}

/** `XX.XX` of a firmware version like `01.09.01`; undefined for what is none. */
export function configVersion(firmware: unknown): string | undefined {
  return typeof firmware === 'string' ? /^(\d{2}\.\d{2})(\.\d{2})?$/.exec(firmware)?.[1] : undefined;
}

/** What a heartbeat (`device.json`) says that provisioning needs; undefined for what it does not say. */
export interface Heartbeat {
  readonly firmware: string | undefined;
  /** Eight hex digits: 0000001D CANedge1, 1F 2, 3D 3, and with GNSS 5D, 5F, 7D. */
  readonly type: string | undefined;
  /** Public key of the logger, 64 bytes as base64: X and Y on P-256. */
  readonly kpub: string | undefined;
  /** CRC-32 of the configuration file that it runs with, hex. */
  readonly config_crc32: string | undefined;
}

const textOf = (value: unknown, shape: RegExp) => (typeof value === 'string' && shape.test(value) ? value : undefined);

/** What of a heartbeat (`logger-heartbeat.ts`) provisioning needs. */
export function heartbeatFacts(said: Readonly<Record<string, unknown>>): Heartbeat {
  return {
    firmware: textOf(said.fw_ver, /^\d{2}\.\d{2}(\.\d{2})?$/),
    type: textOf(said.type, /^[0-9a-fA-F]{8}$/)?.toUpperCase(),
    kpub: textOf(said.kpub, /^[A-Za-z0-9+/]{86}==$/),
    config_crc32: textOf(said.cfg_crc32, /^[0-9a-fA-F]{8}$/)?.toUpperCase(),
  };
}
