/** Connects a command to the gateway of a data folder: to the running one through its control file, else to one that it starts itself. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Client, ClientError, createClient } from '#contract/client.ts';
import { startSentence } from '#process/start-errors.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';

/** The control file, which a running gateway writes to its data folder. Only its own user can read it. */
const Control = z.object({
  pid: z.number().int().positive(),
  http: z.url(),
  mqtt: z.number().int(),
  token: z.string(),
});
export type Control = z.infer<typeof Control>;

/** Reads the control file of the gateway that runs on this data folder; undefined when none runs. */
export async function readControl(data: string): Promise<Control | undefined> {
  const text = await readFile(join(data, 'control.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const control = Control.parse(JSON.parse(text));
    // Signal 0 only checks that the process exists. A killed gateway leaves its file with the id of a process that has ended.
    process.kill(control.pid, 0);
    return control;
  } catch {
    return undefined;
  }
}

/** Creates a client with the rights of the control file, whose token it uses. */
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

/** Runs an action against the running gateway, else against a temporary one that only this host can reach. */
export async function withGateway<T>(
  config: Config,
  action: (client: Client) => Promise<T>,
  /** Allows to create a gateway in an empty folder. It is false so that a mistyped name does not look like an empty gateway. */
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
  const quiet: Config = { ...config, host: '127.0.0.1', port: 0, mqttPort: 0, log: 'error', can: [] };
  await using node = await startNode(quiet).catch((error: unknown) => {
    const sentence = startSentence(error, quiet);
    throw sentence === undefined ? error : new CommandError(sentence, EXIT.refused, { cause: error });
  });
  return await asSentences(() => action(createClient({ base_url: node.http, key: node.controlToken })));
}

/** Turns an error response of the gateway into a `CommandError`, which prints as a sentence. */
export async function asSentences<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ClientError) throw new CommandError(error.message, EXIT.fault, { cause: error });
    throw error;
  }
}
