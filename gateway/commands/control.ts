/** How the command reaches the gateway of a data folder: through the control file of the running one, else by one of its own. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Client, ClientError, createClient } from '#contract/client.ts';
import { startSentence } from '#process/start-errors.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';

/** What a running gateway leaves in its data folder, readable by its own user only. */
const Control = z.object({
  pid: z.number().int().positive(),
  http: z.url(),
  mqtt: z.number().int(),
  token: z.string(),
});
export type Control = z.infer<typeof Control>;

/** The control file of the gateway that runs on this data folder; undefined when none does. */
export async function readControl(data: string): Promise<Control | undefined> {
  const text = await readFile(join(data, 'control.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const control = Control.parse(JSON.parse(text));
    // Signal 0 only asks; a file left by a killed gateway names a process that is gone.
    process.kill(control.pid, 0);
    return control;
  } catch {
    return undefined;
  }
}

/** A client with the rights of whoever may read the control file. */
export function controlClient(control: Control, project_id?: string): Client {
  return createClient({
    base_url: control.http,
    key: control.token,
    ...(project_id === undefined ? {} : { project_id }),
  });
}

/** The gateway that runs on this data folder, or a sentence that none does. */
export async function runningGateway(config: Config): Promise<Control> {
  const control = await readControl(config.data);
  if (control !== undefined) return control;
  throw new CommandError(
    `No gateway runs on the data folder ${config.data}. Start one with \`headframe start\`, or name its folder with --data DIR (HEADFRAME_DATA).`,
    EXIT.refused,
  );
}

/** Runs an action against the running gateway, else against one that lives for this moment and for this machine only. */
export async function withGateway<T>(
  config: Config,
  action: (client: Client) => Promise<T>,
  /** Whether a folder without a gateway may become one; a mistyped name must not look like an empty gateway. */
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

/** What the gateway refuses is a sentence for the person at the command, not a fault of it. */
export async function asSentences<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ClientError) throw new CommandError(error.message, EXIT.fault, { cause: error });
    throw error;
  }
}
