/** `headframe listeners`: shows which listeners are encrypted only, and changes it. It works on the host of the gateway without a key. */
import { table } from '#commands/inspection/text-table.ts';
import { LISTENERS, type Listener } from '#contract/site/listener.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';
import { withGateway } from './control.ts';

const stateOf = ({ encrypted_only }: Listener) => (encrypted_only ? 'encrypted only' : 'with and without TLS');

/** Runs `headframe listeners`. */
export async function runListeners(
  config: Config,
  args: { name?: string | undefined; plain?: string | undefined; json?: boolean | undefined },
): Promise<void> {
  const name = LISTENERS.find((one) => one === args.name);
  if (args.name !== undefined && name === undefined)
    throw new CommandError(`NAME must be one of ${LISTENERS.join(', ')}.`, EXIT.usage);
  if ((name === undefined) !== (args.plain === undefined))
    throw new CommandError(
      'Give NAME and --plain together, such as `headframe listeners http --plain on`.',
      EXIT.usage,
    );
  if (args.plain !== undefined && args.plain !== 'on' && args.plain !== 'off')
    throw new CommandError('--plain must be on or off.', EXIT.usage);
  const print = (answer: object, text: string) =>
    process.stdout.write(args.json ? `${JSON.stringify(answer)}\n` : `${text}\n`);
  if (name === undefined) {
    const { data } = await withGateway(config, (client) => client.call('listeners_list', {}));
    const rows = data.map((one) => [one.name, stateOf(one), String(one.plain_users_total)]);
    print(data, table(['Listener', 'State', 'Clients without TLS in 7 days'], rows));
    return;
  }
  const change = { name, encrypted_only: args.plain === 'off' };
  const changed = await withGateway(config, (client) => client.call('listeners_update', change));
  print(changed, changed.encrypted_only ? `${name} is encrypted only.` : `${name} accepts connections without TLS.`);
}
