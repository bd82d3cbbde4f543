/** Turns the error of a failed start into a message for people: what is wrong and what to do. */

import { StoreError } from '#contract/base/store-error.ts';
import { type Config, ConfigError } from '#settings/config.ts';
import { SETTINGS } from '#settings/settings.ts';
import { isDamageNoted } from '#store/file/recover.ts';

/** An error of the operating system, with the fields that Node.js adds. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall?: string;
  readonly port?: number;
  readonly path?: string;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}

const FOLDER_REMEDY =
  'Give this user the right to read and write the folder, or choose another folder with --data DIR (HEADFRAME_DATA).';

/**
 * Error codes of causes that can end without a change of the gateway's settings, such as a full disk, a disk mounted read-only, or a
 * database server that does not answer.
 */
const PASSING = new Set<string>(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']);
const PASSING_STORE = new Set<string>(['disk_full', 'read_only', 'io_error', 'locked', 'database_away']);

/** Returns true if the same start may succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof StoreError) return PASSING_STORE.has(error.code);
  return isSystemError(error) && PASSING.has(error.code);
}

/** Returns true if the start failed because the disk is full. */
export function isFull(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'disk_full';
  return isSystemError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** The names of the listeners, by the setting of their port. */
const LISTENERS = {
  port: 'HTTP',
  mqttPort: 'MQTT',
  bucketPort: 'Bucket',
  httpsPort: 'HTTPS',
  mqttsPort: 'MQTT over TLS',
  bucketTlsPort: 'Bucket TLS',
} as const;

/** The cause of a failed start, for programs. */
export interface StartCause {
  /** Code of the operating system, such as `EADDRINUSE`, or of the store, such as `locked`; `config` for a wrong setting. */
  readonly code: string;
  /** The flag of the setting of the port, such as `mqtt-port`, and the port, if the port is the cause. */
  readonly port: { readonly flag: string; readonly number: number } | null;
}

/** Returns the setting of the listener that uses a port. */
function portSetting(port: number | undefined, config: Config): keyof typeof LISTENERS {
  const settings = Object.keys(LISTENERS) as (keyof typeof LISTENERS)[];
  return settings.find((one) => config[one] === port) ?? 'port';
}

/** Returns the name of the listener on a port, and the flag and the environment variable that set the port. */
function portOf(port: number | undefined, config: Config): readonly [name: string, flag: string, variable: string] {
  const setting = portSetting(port, config);
  return [LISTENERS[setting], `--${SETTINGS[setting].flag}`, SETTINGS[setting].env];
}

/** Returns the cause of a failed start for which `startSentence` has a message. */
export function startCause(error: unknown, config: Config): StartCause {
  if (error instanceof StoreError) return { code: error.code, port: null };
  if (!isSystemError(error)) return { code: 'config', port: null };
  const { code, port: number } = error;
  const port = number === undefined ? null : { flag: SETTINGS[portSetting(number, config)].flag, number };
  return { code, port };
}

/**
 * Returns the message for the error of a failed start. Undefined for a bug of the gateway, and for damage that the next start repairs by
 * itself. In both cases the supervisor starts the gateway again.
 */
export function startSentence(error: unknown, config: Config): string | undefined {
  // The damage is recorded in a file, so the next start repairs the database or replaces it by a backup.
  if (error instanceof StoreError && error.code === 'corrupt' && isDamageNoted(config.data)) return undefined;
  if (error instanceof ConfigError || error instanceof StoreError) return error.message;
  if (!isSystemError(error)) return undefined;
  const [name, flag, variable] = portOf(error.port, config);
  switch (error.code) {
    case 'EADDRINUSE':
      return `${name} port ${error.port} is in use. Stop the program that uses it (another gateway?), or choose another port with ${flag} PORT (${variable}).`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${config.host} is not an address of this machine. Choose another one with --host ADDRESS (HEADFRAME_HOST). 0.0.0.0 means all addresses.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of the data folder ${config.data} is full. Free some space and start again.`;
    case 'EACCES':
    case 'EPERM':
      if (error.syscall === 'listen')
        return `This user may not listen on ${name} port ${error.port}. Choose one above 1023 with ${flag} PORT (${variable}).`;
      return `The data folder ${config.data} cannot be used (${error.code} at ${error.path ?? config.data}). ${FOLDER_REMEDY}`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${error.path ?? config.data} is a file, not a folder. Choose another data folder with --data DIR (HEADFRAME_DATA).`;
    case 'EROFS':
    case 'EIO':
      return `The disk of the data folder ${config.data} accepts no writes (${error.code}). Check the disk. If the system mounted it read-only, mount it for writing again.`;
    case 'EMFILE':
    case 'ENFILE':
      return 'The limit of open files is reached. Raise the limit (LimitNOFILE of the systemd service, or `ulimit -n`).';
    case 'EISDIR':
    case 'ENOENT':
    case 'ELOOP':
      return `The data folder ${config.data} cannot be used (${error.code} at ${error.path ?? config.data}). ${FOLDER_REMEDY}`;
    default:
      return undefined;
  }
}
