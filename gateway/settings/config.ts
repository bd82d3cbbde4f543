/**
 * The settings of a gateway. A command line flag has precedence over an environment variable, and an environment variable over the default.
 * No other file reads the environment. The message of an error names the flag or the variable.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { parseSource, SourceError } from '#bridge/source.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { DeviceId } from '#contract/fleet/device.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Roles of a node (a running instance of the gateway). The role decides which parts run. */
export type Role = 'gateway';

/** The checked settings with which a gateway starts. */
export interface Config {
  readonly role: Role;
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly host: string;
  /** Port of screens, REST and MCP; 0 means any free port. */
  readonly port: number;
  /** Port of the MQTT broker; 0 means any free port. */
  readonly mqttPort: number;
  /** Port of the bucket to which loggers upload files; 0 means any free port. */
  readonly bucketPort: number;
  /** An owner key that the first start stores, for unattended installations; null if not set. */
  readonly apiKey: string | null;
  /** Calls a minute that one key may make. */
  readonly requestsPerMinute: number;
  /** Days for which samples of history are kept. */
  readonly historyDays: number;
  /** Days for which the statistics of minutes are kept. */
  readonly rollupDays: number;
  /** Size of the database in bytes above which the oldest samples are deleted; null: a share of the disk. */
  readonly databaseBytes: number | null;
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
  /** `mqtt://host:port`. */
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

interface Setting {
  readonly env: string;
  /** Absent for secrets: every user of the machine can read the flags of a process in the process list. */
  readonly flag?: string;
  readonly fallback: string | null;
  readonly allowed: string;
  readonly description: string;
}

const PORT = 'a whole number from 0 to 65535 (0 means any free port)';

/** One row per setting: its variable and flag, its default (`fallback`), and the allowed values. */
export const SETTINGS = {
  data: {
    env: 'HEADFRAME_DATA',
    flag: 'data',
    fallback: './headframe-data',
    allowed: 'the path of a folder',
    description: 'Data folder',
  },
  host: {
    env: 'HEADFRAME_HOST',
    flag: 'host',
    fallback: '0.0.0.0',
    allowed: 'an IP address or host name of this machine (0.0.0.0 means all addresses)',
    description: 'Address to listen on',
  },
  port: {
    env: 'HEADFRAME_PORT',
    flag: 'port',
    fallback: '8480',
    allowed: PORT,
    description: 'Port of screens, REST and MCP',
  },
  mqttPort: {
    env: 'HEADFRAME_MQTT_PORT',
    flag: 'mqtt-port',
    fallback: '1883',
    allowed: PORT,
    description: 'Port of the MQTT broker',
  },
  bucketPort: {
    env: 'HEADFRAME_BUCKET_PORT',
    flag: 'bucket-port',
    fallback: '9480',
    allowed: PORT,
    description: 'Port of the bucket that loggers upload to',
  },
  apiKey: {
    env: 'HEADFRAME_API_KEY',
    fallback: null,
    allowed: 'wk_, 8 letters or digits, _, and 43 base64url characters (letters, digits, - and _)',
    description: 'Owner key that the first start creates',
  },
  requestsPerMinute: {
    env: 'HEADFRAME_REQUESTS_PER_MINUTE',
    fallback: String(LIMITS.requests.value),
    allowed: 'a whole number from 60 to 1000000',
    description: 'Calls a minute that one key may make',
  },
  historyDays: {
    env: 'HEADFRAME_HISTORY_DAYS',
    fallback: String(LIMITS.history_days.value),
    allowed: 'a whole number from 1 to 36500',
    description: 'Days for which samples of history are kept',
  },
  rollupDays: {
    env: 'HEADFRAME_ROLLUP_DAYS',
    fallback: String(LIMITS.rollup_days.value),
    allowed: 'a whole number from 1 to 36500',
    description: 'Days for which the statistics of each minute are kept',
  },
  databaseGigabytes: {
    env: 'HEADFRAME_DATABASE_GIGABYTES',
    fallback: '',
    allowed: 'a number from 1 to 100000, such as 20 or 7.5',
    description: 'Size of the database, in gigabytes, above which the oldest samples are deleted',
  },
  log: {
    env: 'HEADFRAME_LOG',
    flag: 'log',
    fallback: 'info',
    allowed: `one of ${LOG_LEVELS.join(', ')}`,
    description: 'Lowest level of the messages that are logged',
  },
  can: {
    env: 'HEADFRAME_CAN',
    fallback: '',
    allowed: 'a list of DEVICE_ID=SOURCE with spaces between, such as truck-1=slcan:/dev/ttyACM0?bitrate=250000',
    description: 'CAN buses that are plugged into this machine',
  },
} as const satisfies Record<string, Setting>;
type SettingName = keyof typeof SETTINGS;
const rows: Readonly<Record<SettingName, Setting>> = SETTINGS;

/** The settings of `headframe bridge`. The bridge runs on another computer than the gateway. */
export const BRIDGE_SETTINGS = {
  source: {
    env: 'HEADFRAME_BRIDGE_SOURCE',
    flag: 'source',
    fallback: null,
    allowed: 'a source, such as slcan:/dev/ttyACM0?bitrate=250000',
    description: 'The CAN bus: slcan:/dev/ttyACM0?bitrate=250000, socketcan:can0 or candump-tcp:HOST:PORT',
  },
  url: {
    env: 'HEADFRAME_BRIDGE_GATEWAY',
    flag: 'gateway',
    fallback: null,
    allowed: 'mqtt://HOST:PORT of the gateway, such as mqtt://192.168.1.10:1883',
    description: 'MQTT address of the gateway: mqtt://HOST:1883',
  },
  device: {
    env: 'HEADFRAME_BRIDGE_DEVICE',
    flag: 'device',
    fallback: null,
    allowed: 'the device_id that the gateway gave when the device was provisioned',
    description: 'The device_id that the gateway gave for this bus',
  },
  key: {
    env: 'HEADFRAME_BRIDGE_KEY',
    flag: 'key',
    fallback: null,
    allowed: 'the key of the device (dk_...), shown once when it was provisioned',
    description: 'Key of the device. Other users can read a flag in the process list, so prefer the variable',
  },
  megabytes: {
    env: 'HEADFRAME_BRIDGE_MEGABYTES',
    flag: 'megabytes',
    fallback: '1024',
    allowed: 'a whole number from 1 to 100000',
    description: 'Megabytes of frames that may wait on disk while the gateway cannot be reached; default 1024',
  },
} as const satisfies Record<string, Setting>;

/** The variable with the folder in which the tests look for recordings. It is not a setting of the gateway. */
const RECORDINGS = 'HEADFRAME_RECORDINGS';

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);

const wholeDays = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value >= 1 && value <= 36_500);

const shapes = {
  data: z.string().refine((text) => !text.includes('\0')),
  host: z.string().regex(/^[A-Za-z0-9:.%_-]+$/),
  port,
  mqttPort: port,
  bucketPort: port,
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
  databaseGigabytes: z
    .string()
    .regex(/^(\d{1,6}(\.\d{1,3})?)?$/)
    .transform((text) => (text === '' ? null : Number(text)))
    .refine((value) => value === null || (value >= 1 && value <= 100_000)),
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
  const read = <N extends SettingName>(name: N): z.output<(typeof shapes)[N]> => {
    const row = rows[name];
    const flag = row.flag === undefined ? undefined : flags[row.flag];
    // Compose files and systemd units may pass a variable without a value as an empty text. An empty text counts as not set.
    const value = flag ?? (env[row.env] || undefined) ?? defaults[name] ?? row.fallback;
    const parsed = value === '' && row.fallback !== '' ? undefined : shapes[name].safeParse(value);
    if (parsed?.success) return parsed.data as z.output<(typeof shapes)[N]>;
    const key = flag === undefined ? row.env : `--${row.flag}`;
    const shown = name === 'apiKey' ? '' : `, not ${JSON.stringify(value)}`;
    throw new ConfigError(key, `${key} must be ${row.allowed}${shown}.`);
  };
  const data = read('data');
  const gigabytes = read('databaseGigabytes');
  return {
    role: 'gateway',
    data: isAbsolute(data) ? data : resolve(data),
    host: read('host'),
    port: read('port'),
    mqttPort: read('mqttPort'),
    bucketPort: read('bucketPort'),
    apiKey: read('apiKey'),
    requestsPerMinute: read('requestsPerMinute'),
    historyDays: read('historyDays'),
    rollupDays: read('rollupDays'),
    databaseBytes: gigabytes === null ? null : Math.round(gigabytes * 1e9),
    log: read('log'),
    can: read('can'),
    demo: false,
  };
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
    url: read('url', (text) => /^mqtt:\/\/[^/\s:@]+(:\d{1,5})?$|^mqtt:\/\/\[[0-9a-f:]+\](:\d{1,5})?$/i.test(text)),
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

/** Returns the candidate with the smallest edit distance to the word; of several such candidates, the first. */
function nearest(word: string, candidates: readonly string[]): string {
  let best = '';
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const edits = distance(word, candidate);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Returns the Levenshtein distance: the number of inserted, deleted and replaced characters between two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
