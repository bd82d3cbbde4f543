/** `headframe recovery-code`: prints the sealing key as a code for paper, or puts the key of a restored gateway back from such a code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { DatabaseSync } from 'node:sqlite';
import { SEALING_KEYS_ID, type SealingKeysData } from '#gateway/lost-secrets.ts';
import { RecoveryCodeError, readRecoveryCode, recoveryCode } from '#gateway/recovery-code.ts';
import { checkOf, readKeys, useKey } from '#gateway/sealer.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { readControl } from '#settings/control-file.ts';
import { CommandError } from './command-line.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Number of groups in a printed line. */
const GROUPS_IN_LINE = 7;

/** Runs `headframe recovery-code`. */
export async function runRecoveryCode(config: Config, args: { readonly enter?: unknown }): Promise<void> {
  if (args.enter === true) await enter(config);
  else print(config);
}

function print({ data }: Config): void {
  const [key] = readKeys(data);
  if (key === undefined)
    throw new CommandError(`There is no sealing key in ${data}. A gateway makes it at its first start.`, EXIT.fault);
  const groups = recoveryCode(key).split('-');
  say('Recovery code of this gateway:');
  for (let at = 0; at < groups.length; at += GROUPS_IN_LINE)
    say(`  ${groups.slice(at, at + GROUPS_IN_LINE).join('-')}`);
  say(
    'Write it on paper and keep it where you keep keys, not beside the gateway or its backups. Whoever has the code and',
  );
  say('a backup can decrypt the stored secrets. After a restore, `headframe recovery-code --enter` needs it.');
}

async function enter({ data }: Config): Promise<void> {
  if ((await readControl(data)) !== undefined)
    throw new CommandError(`A gateway runs on ${data}. Stop it first.`, EXIT.refused);
  if (!existsSync(join(data, 'store')))
    throw new CommandError(`There is no gateway in ${data}. Restore a backup first.`, EXIT.fault);
  const key = await readTypedKey();
  const known = knownKeys(data);
  if (known.length > 0 && !known.includes(checkOf(key)))
    throw new CommandError('This is a recovery code, but of another gateway. Nothing was changed.', EXIT.refused);
  useKey(data, key);
  say('The sealing key is back. Start the gateway; the page Health names secrets that it still cannot decrypt.');
}

/** Reads the code from the standard input, so that it is in no command history. The code may have several lines. */
async function readTypedKey(): Promise<Uint8Array> {
  if (process.stdin.isTTY) say('Type the recovery code, then an empty line:');
  let typed = '';
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '' && typed !== '') break;
    typed += `${line} `;
  }
  try {
    return readRecoveryCode(typed);
  } catch (error) {
    if (error instanceof RecoveryCodeError) throw new CommandError(error.message, EXIT.refused, { cause: error });
    throw error;
  }
}

/** Returns the ids of the sealing keys that the database has used; empty for a database of an earlier version. */
function knownKeys(data: string): readonly string[] {
  const file = join(data, 'store', 'headframe.db');
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare('SELECT data FROM local_0 WHERE id=? AND del=0').get(SEALING_KEYS_ID);
    return row === undefined ? [] : (JSON.parse(String(row.data)) as { data: SealingKeysData }).data.checks;
  } finally {
    database.close();
  }
}
