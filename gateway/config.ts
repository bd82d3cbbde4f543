/** The settings of a gateway: flags over environment over defaults. The only file that reads the environment; errors name the key. */
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { LIMITS } from '#contract/limits.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** What a gateway is started with; every field is checked. */
export interface Config {
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly host: string;
  /** Port of screens, REST and MCP; 0 takes any free one. */
  readonly port: number;
  /** Port of the MQTT broker; 0 takes any free one. */
  readonly mqttPort: number;
  /** Port of the bucket that loggers upload files to; 0 takes any free one. */
  readonly bucketPort: number;
  /** An owner key that exists from the first start, for unattended installs. */
  readonly apiKey: string | null;
  /** Calls a minute that one key may make. */
  readonly requestsPerMinute: number;
  readonly log: (typeof LOG_LEVELS)[number];
  /** True for the simulated site of `headframe demo`. */
  readonly demo: boolean;
}

/** A setting is wrong; the message names the key and says what is allowed. */
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
  /** Absent where a flag would show a secret to everybody who can list processes. */
  readonly flag?: string;
  readonly fallback: string | null;
  readonly allowed: string;
  readonly description: string;
}

const PORT = 'a whole number from 0 to 65535; 0 takes any free port';

/** One row per setting: where it is read, what stands there when nobody says, what is allowed. */
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
    allowed: 'an IP address or host name of this machine; 0.0.0.0 is all of them',
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
    description: 'Owner key made at the first start',
  },
  requestsPerMinute: {
    env: 'HEADFRAME_REQUESTS_PER_MINUTE',
    fallback: String(LIMITS.requests.value),
    allowed: 'a whole number from 60 to 1000000',
    description: 'Calls a minute that one key may make',
  },
  log: {
    env: 'HEADFRAME_LOG',
    flag: 'log',
    fallback: 'info',
    allowed: `one of ${LOG_LEVELS.join(', ')}`,
    description: 'Least level that is logged',
  },
} as const satisfies Record<string, Setting>;
type SettingName = keyof typeof SETTINGS;
const rows: Readonly<Record<SettingName, Setting>> = SETTINGS;

/** Where the tests look for recordings. */
const RECORDINGS = 'HEADFRAME_RECORDINGS';

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);

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
  log: z.enum(LOG_LEVELS),
} satisfies Record<SettingName, z.ZodType>;

export type Flags = Readonly<Record<string, string | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks every setting; `defaults` stand in for the table's where a command wants others. Throws `ConfigError`. */
export function readConfig(
  flags: Flags = {},
  env: Environment = process.env,
  defaults: Partial<Record<SettingName, string>> = {},
): Config {
  refuseUnknown(env);
  const read = <N extends SettingName>(name: N): z.output<(typeof shapes)[N]> => {
    const row = rows[name];
    const flag = row.flag === undefined ? undefined : flags[row.flag];
    // An empty variable is how compose files and unit files say "not set".
    const value = flag ?? (env[row.env] || undefined) ?? defaults[name] ?? row.fallback;
    const parsed = value === '' ? undefined : shapes[name].safeParse(value);
    if (parsed?.success) return parsed.data as z.output<(typeof shapes)[N]>;
    const key = flag === undefined ? row.env : `--${row.flag}`;
    const shown = name === 'apiKey' ? '' : `, not ${JSON.stringify(value)}`;
    throw new ConfigError(key, `${key} must be ${row.allowed}${shown}.`);
  };
  const data = read('data');
  return {
    data: isAbsolute(data) ? data : resolve(data),
    host: read('host'),
    port: read('port'),
    mqttPort: read('mqttPort'),
    bucketPort: read('bucketPort'),
    apiKey: read('apiKey'),
    requestsPerMinute: read('requestsPerMinute'),
    log: read('log'),
    demo: false,
  };
}

/** The environment of this process with more in it, for a process of ours. */
export function inherited(more: Environment): Environment {
  return { ...process.env, ...more };
}

function refuseUnknown(env: Environment): void {
  const known = [...Object.values(rows).map((row) => row.env), RECORDINGS];
  for (const key of Object.keys(env)) {
    if (!key.startsWith('HEADFRAME_') || known.includes(key)) continue;
    throw new ConfigError(key, `${key} is not a setting; did you mean ${nearest(key, known)}? Rename or unset it.`);
  }
}

/** The candidate with the fewest edits to the word; the first of equals. */
function nearest(word: string, candidates: readonly string[]): string {
  let best = '';
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const edits = distance(word, candidate);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Levenshtein distance. */
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
