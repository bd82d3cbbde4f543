/**
 * Connects a command to the gateway of a data folder. If a gateway runs on this folder, the command finds it by its control file.
 * Otherwise the command starts a temporary gateway.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, ClientError, createClient } from '#contract/client.ts';
import { startSentence } from '#process/start-errors.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { type Control, readControl } from '#settings/control-file.ts';
import { CommandError } from './command-line.ts';

/** Creates an API client that authenticates with the token of the control file. */
export function controlClient(control: Control, project_id?: string): Client {
  return createClient({
    base_url: control.http,
    key: control.token,
    ...(project_id === undefined ? {} : { project_id }),
  });
}

/** Returns the gateway that runs on this data folder; throws a `CommandError` when none runs. */
export async function runningGateway(config: Config): Promise<Control> {
  const control = await readControl(config.data);
  if (control !== undefined) return control;
  throw new CommandError(
    `No gateway runs on the data folder ${config.data}. Start one with \`headframe start\`, or name its folder with --data DIR (HEADFRAME_DATA).`,
    EXIT.refused,
  );
}

/** Ports for a gateway that only serves this command. */
const FREE_PORTS = { port: 0, mqttPort: 0, bucketPort: 0, httpsPort: 0, mqttsPort: 0, bucketTlsPort: 0 } as const;

/** Runs an action with a client of the running gateway, or of a temporary gateway that only this host can reach. */
export async function withGateway<T>(
  config: Config,
  action: (client: Client) => Promise<T>,
  /** If true, the call creates a gateway in an empty folder. If false, an empty folder is an error, because its name may be mistyped. */
  mayMake = false,
): Promise<T> {
  const control = await readControl(config.data);
  if (control !== undefined) return await asSentences(() => action(controlClient(control)));
  if (!mayMake && !existsSync(join(config.data, 'store', 'format.json')))
    throw new CommandError(
      `There is no gateway in ${config.data}. Name its data folder with --data DIR (HEADFRAME_DATA).`,
      EXIT.refused,
    );
  const { startNode } = await import('#gateway/main.ts');
  const quiet: Config = { ...config, host: '127.0.0.1', ...FREE_PORTS, log: 'error', can: [] };
  await using node = await startNode(quiet).catch((error: unknown) => {
    const sentence = startSentence(error, quiet);
    throw sentence === undefined ? error : new CommandError(sentence, EXIT.refused, { cause: error });
  });
  return await asSentences(() => action(createClient({ base_url: node.http, key: node.controlToken })));
}

/** Runs an action, and turns an error response of the gateway into a `CommandError` with the message of the gateway. */
export async function asSentences<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ClientError) throw new CommandError(error.message, EXIT.fault, { cause: error });
    throw error;
  }
}
