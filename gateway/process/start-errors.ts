/** Why a gateway cannot start, as one sentence that says what to do. */

import { StoreError } from '#contract/base/store-error.ts';
import { type Config, ConfigError } from '#settings/config.ts';
import { isDamageNoted } from '#store/file/recover.ts';

/** What Node adds to errors of the operating system. */
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
  'Give this user the right to read and write it, or choose another with --data DIR (HEADFRAME_DATA).';

/** What may be different a moment later, without a hand on this gateway: a full disk, one that was mounted read-only, a backup tool. */
const PASSING = new Set<string>(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']);
const PASSING_STORE = new Set<string>(['disk_full', 'read_only', 'io_error', 'locked']);

/** True when starting again later may succeed. */
export function mayPass(error: unknown): boolean {
  if (error instanceof StoreError) return PASSING_STORE.has(error.code);
  return isSystemError(error) && PASSING.has(error.code);
}

/** True when the disk has no room for a start. */
export function isFull(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'disk_full';
  return isSystemError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** What listens on a port, and how to choose another one. */
function portOf(port: number | undefined, config: Config): readonly [name: string, flag: string, variable: string] {
  if (port === config.port) return ['HTTP', '--port', 'HEADFRAME_PORT'];
  if (port === config.mqttPort) return ['MQTT', '--mqtt-port', 'HEADFRAME_MQTT_PORT'];
  if (port === config.bucketPort) return ['Bucket', '--bucket-port', 'HEADFRAME_BUCKET_PORT'];
  return ['HTTP', '--port', 'HEADFRAME_PORT'];
}

/** The sentence for an error that starting again at once would not cure; undefined for a fault of ours. */
export function startSentence(error: unknown, config: Config): string | undefined {
  // noted: the next start puts a backup in its place
  if (error instanceof StoreError && error.code === 'corrupt' && isDamageNoted(config.data)) return undefined;
  if (error instanceof ConfigError || error instanceof StoreError) return error.message;
  if (!isSystemError(error)) return undefined;
  const [name, flag, variable] = portOf(error.port, config);
  switch (error.code) {
    case 'EADDRINUSE':
      return `${name} port ${error.port} is in use. Stop the program that has it (another gateway?), or choose another port with ${flag} PORT (${variable}).`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${config.host} is not an address of this machine. Choose one with --host ADDRESS (HEADFRAME_HOST); 0.0.0.0 is all of them.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `There is no room left on the disk of the data folder ${config.data}. Free some space and start again.`;
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
      return `The disk of the data folder ${config.data} takes no writes (${error.code}). Check the disk; one that the system mounted read-only has to be mounted for writing again.`;
    case 'EMFILE':
    case 'ENFILE':
      return 'The limit of open files is reached. Raise it (LimitNOFILE of the service, or `ulimit -n`).';
    case 'EISDIR':
    case 'ENOENT':
    case 'ELOOP':
      return `The data folder ${config.data} cannot be used (${error.code} at ${error.path ?? config.data}). ${FOLDER_REMEDY}`;
    default:
      return undefined;
  }
}
