/** The tables of settings: for each setting its variable, flag, default and allowed values. `config.ts` reads and checks them. */
import { LIMITS } from '#contract/base/limits.ts';

/** The levels of the log, from all messages to none. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** A row of a table of settings. */
export interface Setting {
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
  httpsPort: {
    env: 'HEADFRAME_HTTPS_PORT',
    flag: 'https-port',
    fallback: '8443',
    allowed: PORT,
    description: 'Port of screens, REST and MCP with TLS; a free port if the port without TLS is 0',
  },
  mqttsPort: {
    env: 'HEADFRAME_MQTTS_PORT',
    flag: 'mqtts-port',
    fallback: '8883',
    allowed: PORT,
    description: 'Port of the MQTT broker with TLS; a free port if the port without TLS is 0',
  },
  bucketTlsPort: {
    env: 'HEADFRAME_BUCKET_TLS_PORT',
    flag: 'bucket-tls-port',
    fallback: '9443',
    allowed: PORT,
    description: 'Port of the bucket with TLS; a free port if the port without TLS is 0',
  },
  tlsCert: {
    env: 'HEADFRAME_TLS_CERT',
    flag: 'tls-cert',
    fallback: '',
    allowed: 'the path of a file, together with HEADFRAME_TLS_KEY (--tls-key)',
    description: 'File with your own TLS certificate and its chain, in PEM; without it the gateway makes one',
  },
  tlsKey: {
    env: 'HEADFRAME_TLS_KEY',
    flag: 'tls-key',
    fallback: '',
    allowed: 'the path of a file, together with HEADFRAME_TLS_CERT (--tls-cert)',
    description: 'File with the private key of --tls-cert, in PEM',
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
  historyPercent: {
    env: 'HEADFRAME_HISTORY_PERCENT',
    fallback: String(LIMITS.history_share.value),
    allowed: 'a whole number from 1 to 90',
    description: 'Percent of the disk for samples of history, with their copy in the backups',
  },
  rollupPercent: {
    env: 'HEADFRAME_ROLLUP_PERCENT',
    fallback: String(LIMITS.rollup_share.value),
    allowed: 'a whole number from 1 to 90',
    description: 'Percent of the disk for the statistics of each minute, with their copy in the backups',
  },
  rawPercent: {
    env: 'HEADFRAME_RAW_PERCENT',
    fallback: '',
    allowed: 'a whole number from 1 to 90',
    description: 'Percent of the disk for the raw messages of devices',
  },
  freezeSeconds: {
    env: 'HEADFRAME_FREEZE_SECONDS',
    fallback: String(LIMITS.freeze_seconds.value),
    allowed: 'a whole number from 0 to 600',
    description: 'Seconds before and after a critical alert whose raw CAN frames are kept; 0 keeps none',
  },
  freezeDayMegabytes: {
    env: 'HEADFRAME_FREEZE_DAY_MEGABYTES',
    fallback: String(LIMITS.freeze_day.value),
    allowed: 'a whole number from 1 to 100000',
    description: 'Megabytes of raw CAN frames that are kept in a day around critical alerts',
  },
  freezeTotalMegabytes: {
    env: 'HEADFRAME_FREEZE_TOTAL_MEGABYTES',
    fallback: String(LIMITS.freeze_total.value),
    allowed: 'a whole number from 1 to 100000',
    description: 'Megabytes of all kept raw CAN frames; the oldest are deleted',
  },
  database: {
    env: 'HEADFRAME_DATABASE',
    flag: 'database',
    fallback: '',
    allowed: 'postgres://USER:PASSWORD@HOST:PORT/NAME, only for head office (--role cloud)',
    description: 'PostgreSQL database of head office, in place of the file in the data folder',
  },
  files: {
    env: 'HEADFRAME_FILES',
    flag: 'files',
    fallback: '',
    allowed: 's3://BUCKET or s3://BUCKET/PREFIX, only for head office (--role cloud)',
    description: 'Bucket with the files of head office, in place of its data folder; several processes share it',
  },
  filesEndpoint: {
    env: 'HEADFRAME_FILES_ENDPOINT',
    flag: 'files-endpoint',
    fallback: '',
    allowed: 'https://HOST:PORT, or http://ADDRESS:PORT with an address of the own network',
    description: 'S3 service of the bucket, if it is not that of Amazon',
  },
  databaseGigabytes: {
    env: 'HEADFRAME_DATABASE_GIGABYTES',
    fallback: '',
    allowed: 'a number from 1 to 100000, such as 20 or 7.5',
    description: 'Size of the database, in gigabytes, above which the oldest samples are deleted',
  },
  mdns: {
    env: 'HEADFRAME_MDNS',
    flag: 'mdns',
    fallback: 'on',
    allowed: 'on, off, or a name of letters, digits and hyphens such as quarry-north (for quarry-north.local)',
    description: 'Name of the gateway in the local network: on (headframe.local), off, or another name',
  },
  role: {
    env: 'HEADFRAME_ROLE',
    flag: 'role',
    fallback: 'gateway',
    allowed: 'gateway or cloud',
    description: 'gateway: a site, with broker, buses and bucket; cloud: head office, which only sites send data to',
  },
  cloudUrl: {
    env: 'HEADFRAME_CLOUD_URL',
    flag: 'cloud-url',
    fallback: '',
    allowed: 'the https:// address of head office, such as https://head-office.example.com',
    description: 'Address of head office, to which this site sends its data; none when absent',
  },
  enrolCode: {
    env: 'HEADFRAME_ENROL_CODE',
    fallback: null,
    allowed: 'the code that head office made for this gateway',
    description: 'Code with which this site connects to head office; used once',
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
/** The settings with a flag of the commands that run a gateway. */
export const SERVING = [
  'data',
  'host',
  'port',
  'mqttPort',
  'bucketPort',
  'httpsPort',
  'mqttsPort',
  'bucketTlsPort',
  'tlsCert',
  'tlsKey',
  'mdns',
  'role',
  'database',
  'files',
  'filesEndpoint',
  'cloudUrl',
  'log',
] as const satisfies readonly (keyof typeof SETTINGS)[];

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
    allowed: 'mqtt://HOST:PORT or mqtts://HOST:PORT of the gateway, such as mqtt://192.168.1.10:1883',
    description: 'MQTT address of the gateway: mqtt://HOST:1883, or mqtts://HOST:8883 with TLS',
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
