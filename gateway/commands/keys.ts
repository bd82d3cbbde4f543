/** `headframe keys`, `claim-code` and `listeners`. These commands need no API key, but must run on the host of the gateway. */

import { table } from '#commands/inspection/text-table.ts';
import type { Output } from '#contract/operations.ts';
import { LISTENERS, type Listener } from '#contract/site/listener.ts';
import { KEY_ROLES } from '#contract/site/node.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';
import { asSentences, controlClient, runningGateway, withGateway } from './control.ts';

interface Printed {
  readonly json?: boolean | undefined;
}

function print(args: Printed, answer: object, text: string): void {
  process.stdout.write(args.json ? `${JSON.stringify(answer)}\n` : `${text}\n`);
}

/** Runs `headframe keys create`. */
export async function createKey(
  config: Config,
  args: Printed & {
    name?: string | undefined;
    role?: string | undefined;
    project?: string | undefined;
    days?: string | undefined;
  },
): Promise<void> {
  const role = KEY_ROLES.find((each) => each === (args.role ?? 'admin'));
  if (role === undefined) throw new CommandError(`--role must be one of ${KEY_ROLES.join(', ')}.`, EXIT.usage);
  if (args.days !== undefined && !/^[1-9]\d{0,3}$/.test(args.days))
    throw new CommandError('--days must be a whole number from 1 to 3650.', EXIT.usage);
  const made = await withGateway(
    config,
    (client) =>
      client.call('keys_create', {
        role,
        ...(args.name === undefined ? {} : { name: args.name }),
        ...(args.project === undefined ? {} : { project_ids: args.project.split(',') }),
        ...(args.days === undefined ? {} : { expires_in_days: Number(args.days) }),
      }),
    true,
  );
  const { key, secret } = made;
  print(args, made, `${key.id} "${key.name}" (${key.role}) was created. The key is shown only once:\n\n  ${secret}\n`);
}

/** Runs `headframe keys list`. */
export async function listKeys(config: Config, args: Printed): Promise<void> {
  const keys: Output<'keys_list'>['data'] = [];
  await withGateway(config, async (client) => {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.call('keys_list', { limit: 200, order: 'asc', ...(cursor ? { cursor } : {}) });
      keys.push(...page.data);
      cursor = page.next_cursor;
    }
  });
  const state = (key: (typeof keys)[number]) =>
    key.revoked_at === null ? (key.expires_at ?? 'no end') : `revoked ${key.revoked_at.slice(0, 10)}`;
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.role,
    `${key.prefix}…`,
    key.project_ids?.join(',') ?? 'all',
    key.created_at.slice(0, 10),
    state(key),
  ]);
  const text =
    rows.length === 0 ? 'No keys yet.' : table(['ID', 'NAME', 'ROLE', 'BEGINS', 'PROJECTS', 'MADE', 'VALID TO'], rows);
  print(args, { object: 'list', data: keys }, text);
}

/** Runs `headframe keys revoke ID`. */
export async function revokeKey(config: Config, args: Printed & { id: string }): Promise<void> {
  const key = await withGateway(config, (client) => client.call('keys_revoke', { id: args.id }));
  print(args, key, `${key.id} "${key.name}" is revoked.`);
}

/** Runs `headframe claim-code`. It needs a running gateway, because the owner enters the printed code on a page of this gateway. */
export async function claimCode(config: Config, args: Printed): Promise<void> {
  const control = await runningGateway(config);
  const answer = await asSentences(() => controlClient(control).call('claim_code', {}));
  const use = answer.claimed
    ? 'It makes an owner, or lets an owner choose a new passphrase.'
    : 'It makes you the owner of this gateway.';
  const until = new Date(answer.expires_at).toLocaleTimeString();
  const text = `${answer.code}   valid once, until ${until}; enter it at ${control.http}/#claim\n${use}`;
  print(args, answer, text);
}

const listenerState = ({ encrypted_only }: Listener) => (encrypted_only ? 'encrypted only' : 'with and without TLS');

/** Runs `headframe listeners`: shows which listeners are encrypted only, or changes it. */
export async function runListeners(
  config: Config,
  args: Printed & { name?: string | undefined; plain?: string | undefined },
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
  if (name === undefined) {
    const { data } = await withGateway(config, (client) => client.call('listeners_list', {}));
    const rows = data.map((one) => [one.name, listenerState(one), String(one.plain_users_total)]);
    print(args, data, table(['Listener', 'State', 'Clients without TLS in 7 days'], rows));
    return;
  }
  const change = { name, encrypted_only: args.plain === 'off' };
  const changed = await withGateway(config, (client) => client.call('listeners_update', change));
  print(
    args,
    changed,
    changed.encrypted_only ? `${name} is encrypted only.` : `${name} accepts connections without TLS.`,
  );
}
