/**
 * The settings of a gateway. A command line flag has precedence over an environment variable, and an environment variable over the default.
 * No other file reads the environment. The message of an error names the flag or the variable.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { parseSource, SourceError } from '#bridge/source.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { DeviceId } from '#contract/fleet/device.ts';
import { type BucketSetting, isBucketUrl, isServiceUrl, readBucket } from './bucket-url.ts';
import { readCloudUrl } from './cloud-url.ts';
import { isPostgresUrl, siteDatabase } from './database-url.ts';
import { nearest } from './nearest.ts';
import { BRIDGE_SETTINGS, LOG_LEVELS, SETTINGS, type Setting } from './settings.ts';

/** Roles of a node (a running instance of the gateway). The role decides which parts run. */
export type Role = 'gateway' | 'cloud';

/** The checked settings with which a gateway starts. */
export interface Config {
  readonly role: Role;
  /** Absolute path of the data folder. */
  readonly data: string;
  /** Address of the PostgreSQL database of head office; null: the database is a file in the data folder. */
  readonly database: string | null;
  /** The bucket that has the files of head office; null: they are in the data folder. */
  readonly files: BucketSetting | null;
  readonly host: string;
  /** Port of screens, REST and MCP; 0 means any free port. */
  readonly port: number;
  /** Port of the MQTT broker; 0 means any free port. */
  readonly mqttPort: number;
  /** Port of the bucket to which loggers upload files; 0 means any free port. */
  readonly bucketPort: number;
  /** Ports of the same three listeners with TLS; 0 means any free port. */
  readonly httpsPort: number;
  readonly mqttsPort: number;
  readonly bucketTlsPort: number;
  /** Absolute paths of the files of a TLS certificate of one's own; null: the gateway makes its certificate. */
  readonly ownCertificate: { readonly certificate: string; readonly key: string } | null;
  /** Head office: its address, and the code for the first contact. Null: not set. */
  readonly cloud: { readonly url: string | null; readonly code: string | null };
  /** The variables that name proxies, for connections to head office. */
  readonly proxies: Readonly<Record<string, string | undefined>>;
  /** An owner key that the first start stores, for unattended installations; null if not set. */
  readonly apiKey: string | null;
  /** Calls a minute that one key may make. */
  readonly requestsPerMinute: number;
  /** Days for which samples of history are kept. */
  readonly historyDays: number;
  /** Days for which the statistics of minutes are kept. */
  readonly rollupDays: number;
  /** Largest share of the disk in percent for samples and for statistics of minutes, each with its copy in the backups. */
  readonly historyPercent: number;
  readonly rollupPercent: number;
  /** Largest share of the disk in percent for raw messages; null: the default share, and at most 4 GiB. */
  readonly rawPercent: number | null;
  /** How much raw traffic is kept around critical alerts. */
  readonly freeze: { readonly seconds: number; readonly dayBytes: number; readonly totalBytes: number };
  /** Size of the database in bytes above which the oldest samples are deleted; null: a share of the disk. */
  readonly databaseBytes: number | null;
  /**
   * The name of the gateway in the local network: its first part, and true for `isChosen` if a person chose it. Null: no name is announced.
   */
  readonly localName: { readonly base: string; readonly isChosen: boolean } | null;
  readonly log: (typeof LOG_LEVELS)[number];
  /** CAN buses with adapters that are plugged into this machine. */
  readonly can: readonly CanSetting[];
  /** True if the gateway runs the simulated site of `headframe demo`. */
  readonly demo: boolean;
}

/** A CAN bus of this machine, and the id of the device to which its frames belong. */
export interface CanSetting {
  readonly device_id: string;
  readonly source: string;
}

/** The checked settings with which `headframe bridge` starts. */
export interface BridgeConfig extends CanSetting {
  /** Absolute path of the folder that keeps frames while the bridge cannot reach the gateway. */
  readonly folder: string;
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly url: string;
  readonly key: string;
  readonly maxBytes: number;
  readonly log: Config['log'];
}

/** The error for a wrong setting. The message names the flag or the variable, and the values that are allowed. */
export class ConfigError extends Error {
  readonly key: string;
  constructor(key: string, message: string) {
    super(message);
    this.name = 'ConfigError';
    this.key = key;
  }
}

type SettingName = keyof typeof SETTINGS;
const rows: Readonly<Record<SettingName, Setting>> = SETTINGS;

/** Settings whose values are secrets, which no message shows. */
const SECRETS: ReadonlySet<SettingName> = new Set(['apiKey', 'enrolCode', 'database']);

/** The variable with the folder in which the tests look for recordings. It is not a setting of the gateway. */
const RECORDINGS = 'HEADFRAME_RECORDINGS';

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);

/** The largest sum of the shares of the disk in percent. With less than 10 % free disk space, health reports `disk_low`. */
const MOST_PERCENT = 90;

const wholeDays = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value >= 1 && value <= 36_500);

const percent = z
  .string()
  .regex(/^\d{1,2}$/)
  .transform(Number)
  .refine((value) => value >= 1 && value <= 90);

const upTo = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most);

const shapes = {
  data: z.string().refine((text) => !text.includes('\0')),
  host: z.string().regex(/^[A-Za-z0-9:.%_-]+$/),
  port,
  mqttPort: port,
  bucketPort: port,
  httpsPort: port,
  mqttsPort: port,
  bucketTlsPort: port,
  tlsCert: z.string(),
  tlsKey: z.string(),
  apiKey: z
    .string()
    .regex(/^wk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/)
    .nullable(),
  requestsPerMinute: z
    .string()
    .regex(/^\d{2,7}$/)
    .transform(Number)
    .refine((value) => value >= 60 && value <= 1_000_000),
  historyDays: wholeDays,
  rollupDays: wholeDays,
  freezeSeconds: upTo(0, 600),
  freezeDayMegabytes: upTo(1, 100_000),
  freezeTotalMegabytes: upTo(1, 100_000),
  historyPercent: percent,
  rollupPercent: percent,
  rawPercent: z.union([z.literal('').transform(() => null), percent]),
  databaseGigabytes: z
    .string()
    .regex(/^(\d{1,6}(\.\d{1,3})?)?$/)
    .transform((text) => (text === '' ? null : Number(text)))
    .refine((value) => value === null || (value >= 1 && value <= 100_000)),
  mdns: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9]([a-z0-9-]{0,57}[a-z0-9])?(\.local)?$/)
    .transform((text) => text.replace(/\.local$/, '')),
  database: z.string().refine((text) => text === '' || isPostgresUrl(text)),
  files: z.string().refine((text) => text === '' || isBucketUrl(text)),
  filesEndpoint: z.string().refine((text) => text === '' || isServiceUrl(text)),
  role: z.enum(['gateway', 'cloud']),
  cloudUrl: z.string().max(500),
  enrolCode: z.string().min(4).max(40).nullable(),
  log: z.enum(LOG_LEVELS),
  can: z.string().transform((text) =>
    text
      .split(/\s+/)
      .filter((one) => one !== '')
      .map(readCan),
  ),
} satisfies Record<SettingName, z.ZodType>;

export type Flags = Readonly<Record<string, string | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks every setting. `defaults` replaces defaults of the table, for example for `headframe demo`. Throws `ConfigError`. */
export function readConfig(
  flags: Flags = {},
  env: Environment = process.env,
  defaults: Partial<Record<SettingName, string>> = {},
): Config {
  refuseUnknown(env);
  const read = <N extends SettingName>(name: N, instead?: string): z.output<(typeof shapes)[N]> => {
    const row = rows[name];
    const flag = row.flag === undefined ? undefined : flags[row.flag];
    // Compose files and systemd units may pass a variable without a value as an empty text. An empty text counts as not set.
    const value = flag ?? (env[row.env] || undefined) ?? defaults[name] ?? instead ?? row.fallback;
    const parsed = value === '' && row.fallback !== '' ? undefined : shapes[name].safeParse(value);
    if (parsed?.success) return parsed.data as z.output<(typeof shapes)[N]>;
    const key = flag === undefined ? row.env : `--${row.flag}`;
    const shown = SECRETS.has(name) ? '' : `, not ${JSON.stringify(value)}`;
    throw new ConfigError(key, `${key} must be ${row.allowed}${shown}.`);
  };
  /** Reads the port of a listener with TLS. If the listener without TLS takes any free port, so does this one by default. */
  const tlsPort = (name: 'httpsPort' | 'mqttsPort' | 'bucketTlsPort', plain: number) =>
    read(name, plain === 0 ? '0' : undefined);
  const [httpPort, mqttPort, bucketPort] = [read('port'), read('mqttPort'), read('bucketPort')];
  const data = read('data');
  const role = read('role');
  const gigabytes = read('databaseGigabytes');
  const [historyPercent, rollupPercent, rawPercent] = [
    read('historyPercent'),
    read('rollupPercent'),
    read('rawPercent'),
  ];
  checkShares(historyPercent, rollupPercent, rawPercent);
  return {
    role,
    cloud: { url: cloudUrl(read('cloudUrl'), role), code: read('enrolCode') },
    proxies: proxiesOf(env),
    data: isAbsolute(data) ? data : resolve(data),
    database: databaseOf(read('database'), role),
    files: filesOf(read('files'), read('filesEndpoint'), role, env),
    host: read('host'),
    port: httpPort,
    mqttPort,
    bucketPort,
    httpsPort: tlsPort('httpsPort', httpPort),
    mqttsPort: tlsPort('mqttsPort', mqttPort),
    bucketTlsPort: tlsPort('bucketTlsPort', bucketPort),
    ownCertificate: ownCertificate(read('tlsCert'), read('tlsKey')),
    apiKey: read('apiKey'),
    requestsPerMinute: read('requestsPerMinute'),
    historyDays: read('historyDays'),
    rollupDays: read('rollupDays'),
    historyPercent,
    rollupPercent,
    rawPercent,
    freeze: {
      seconds: read('freezeSeconds'),
      dayBytes: read('freezeDayMegabytes') * 1e6,
      totalBytes: read('freezeTotalMegabytes') * 1e6,
    },
    databaseBytes: gigabytes === null ? null : Math.round(gigabytes * 1e9),
    localName: localName(read('mdns', role === 'cloud' ? 'off' : undefined)),
    log: read('log'),
    can: read('can'),
    demo: false,
  };
}

/** Checks the address of head office; throws `ConfigError`. */
function cloudUrl(text: string, role: Role): string | null {
  if (text === '') return null;
  const { env } = SETTINGS.cloudUrl;
  if (role === 'cloud')
    throw new ConfigError(
      env,
      `${env} is for a site. With ${SETTINGS.role.env}=cloud this node is head office itself.`,
    );
  const read = readCloudUrl(text);
  if ('wrong' in read) throw new ConfigError(env, `${env}: ${read.wrong}`);
  return read.url;
}

function databaseOf(text: string, role: Role): string | null {
  if (text !== '' && role !== 'cloud')
    throw new ConfigError(SETTINGS.database.env, siteDatabase(SETTINGS.database.env));
  return text === '' ? null : text;
}

function filesOf(text: string, endpoint: string, role: Role, env: Environment): BucketSetting | null {
  const { files, filesEndpoint } = SETTINGS;
  if (text === '') {
    if (endpoint === '') return null;
    throw new ConfigError(filesEndpoint.env, `${filesEndpoint.env} is set without ${files.env}. Set both, or none.`);
  }
  if (role !== 'cloud')
    throw new ConfigError(
      files.env,
      `${files.env} is for head office. A site keeps its files in its data folder, because it must work without a network. Start with --role cloud, or leave it out.`,
    );
  return readBucket(text, endpoint, env);
}

/** The variables with which most programs find a proxy. */
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy'];

const proxiesOf = (env: Environment): Config['proxies'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PROXIES.includes(name.toLowerCase())));

/** The first part of the name of a gateway for which nobody chose another name. */
const USUAL_NAME = 'headframe';

function localName(text: string): Config['localName'] {
  if (text === 'off') return null;
  return text === 'on' ? { base: USUAL_NAME, isChosen: false } : { base: text, isChosen: true };
}

/** Returns the files of the TLS certificate; throws `ConfigError` if only one of the two is set. */
function ownCertificate(certificate: string, key: string): Config['ownCertificate'] {
  if (certificate === '' && key === '') return null;
  const { env, allowed } = certificate === '' ? SETTINGS.tlsCert : SETTINGS.tlsKey;
  if (certificate === '' || key === '')
    throw new ConfigError(env, `${env} must be ${allowed}; only one of them is set.`);
  return { certificate: resolve(certificate), key: resolve(key) };
}

/** Throws `ConfigError` if the shares of the disk together are larger than the disk, less the part that must stay free. */
function checkShares(history: number, rollup: number, raw: number | null): void {
  const shares = [history, rollup, raw ?? LIMITS.raw_share.value];
  const sum = shares.reduce((a, b) => a + b);
  if (sum <= MOST_PERCENT) return;
  const names = `${rows.historyPercent.env}, ${rows.rollupPercent.env} and ${rows.rawPercent.env}`;
  throw new ConfigError(
    rows.historyPercent.env,
    `${names} must together be at most ${MOST_PERCENT}, not ${shares.join(' + ')} = ${sum}. Lower one of them.`,
  );
}

/** Reads one entry of `HEADFRAME_CAN`; throws `ConfigError`. */
function readCan(text: string): CanSetting {
  const { env, allowed } = SETTINGS.can;
  const at = text.indexOf('=');
  const device_id = text.slice(0, Math.max(0, at));
  if (!DeviceId.safeParse(device_id).success)
    throw new ConfigError(env, `${env} must be ${allowed}, not ${JSON.stringify(text)}.`);
  return { device_id, source: readSource(env, text.slice(at + 1)) };
}

function readSource(key: string, text: string): string {
  try {
    parseSource(text);
    return text;
  } catch (error) {
    if (error instanceof SourceError) throw new ConfigError(key, `${key}: ${error.message}`);
    throw error;
  }
}

/** Reads and checks the settings of `headframe bridge`; throws `ConfigError`. */
export function readBridgeConfig(flags: Flags = {}, env: Environment = process.env): BridgeConfig {
  const { data, log } = readConfig({ data: flags.data, log: flags.log }, env);
  const read = (name: keyof typeof BRIDGE_SETTINGS, fits: (text: string) => boolean): string => {
    const row: Setting = BRIDGE_SETTINGS[name];
    const key = row.flag !== undefined && flags[row.flag] !== undefined ? `--${row.flag}` : row.env;
    const value = flags[row.flag ?? ''] ?? (env[row.env] || undefined) ?? row.fallback;
    if (value !== null && fits(value)) return name === 'source' ? readSource(key, value) : value;
    const shown = value === null || name === 'key' ? '' : `, not ${JSON.stringify(value)}`;
    throw new ConfigError(
      key,
      `${value === null ? `--${row.flag} (${row.env})` : key} must be ${row.allowed}${shown}.`,
    );
  };
  const device_id = read('device', (text) => DeviceId.safeParse(text).success);
  return {
    device_id,
    source: read('source', () => true),
    url: read('url', (text) => /^mqtts?:\/\/([^/\s:@]+|\[[0-9a-f:]+\])(:\d{1,5})?$/i.test(text)),
    key: read('key', (text) => /^[\x21-\x7e]{8,200}$/.test(text)),
    maxBytes:
      Number(read('megabytes', (text) => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= 100_000)) *
      2 ** 20,
    folder: join(data, 'bridge', device_id),
    log,
  };
}

/** Returns the environment of this process with some variables added, for a child process. */
export function inherited(more: Environment): Environment {
  return { ...process.env, ...more };
}

function refuseUnknown(env: Environment): void {
  const all: readonly Setting[] = [...Object.values(rows), ...Object.values(BRIDGE_SETTINGS)];
  const known = [...all.map((row) => row.env), RECORDINGS];
  for (const key of Object.keys(env)) {
    if (!key.startsWith('HEADFRAME_') || known.includes(key)) continue;
    throw new ConfigError(
      key,
      `${key} is not a setting of Headframe. Did you mean ${nearest(key, known)}? Rename or unset the variable.`,
    );
  }
}
