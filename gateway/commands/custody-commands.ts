/** `headframe verify`, `backup` and `restore`: runs the functions of `custody.ts` and prints their results. */
import { existsSync } from 'node:fs';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { faultSentence } from '#store/file/audit-check.ts';
import { CommandError } from './command-line.ts';
import { readControl } from './control.ts';
import {
  type BackupVerdict,
  backUpFolder,
  CustodyError,
  restoreDaily,
  restoreFolder,
  type Verdict,
  verifyBackupFolder,
  verifyFolder,
} from './custody.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Verifies a data folder, or a copy of a data folder. The exit code is 1 when a part is damaged. */
export async function runVerify(config: Config, args: { readonly json?: unknown }): Promise<number> {
  if (!existsSync(config.data)) throw new CommandError(`There is no folder ${config.data}.`, EXIT.fault);
  const alone = verifyBackupFolder(config.data);
  if (alone !== undefined) return tellBackups(config.data, alone, args.json === true);
  const verdict = await verifyFolder(config.data);
  const sound = verdict.damage.length === 0 && verdict.audit.fault === null;
  if (args.json === true) say(JSON.stringify({ folder: config.data, sound, ...verdict }));
  else tell(config.data, verdict);
  return sound ? EXIT.ok : EXIT.fault;
}

function tellBackups(folder: string, { backups, audit, damage }: BackupVerdict, json: boolean): number {
  const sound = damage.length === 0 && audit.length === 0;
  if (json) say(JSON.stringify({ folder, sound, backups, audit, damage }));
  else {
    say(`${folder} is a folder of daily backups.`);
    for (const file of backups) say(`  ${file}`);
    for (const sentence of [...audit, ...damage]) say(`  ${sentence}`);
    say(conclusion(damage.length === 0, audit.length === 0));
  }
  return sound ? EXIT.ok : EXIT.fault;
}

function conclusion(isWhole: boolean, isUnchanged: boolean): string {
  if (isWhole) return isUnchanged ? 'Everything is sound.' : 'The audit log was changed by another program.';
  return 'This folder is damaged.';
}

function tell(folder: string, { database, journal, artifacts, backups, audit, damage }: Verdict): void {
  const rows = Object.values(database.rows).reduce((sum, n) => sum + n, 0);
  say(`${folder}`);
  say(`  database   ${rows} rows, last commit ${database.at ?? 'none'}, life ${database.incarnation.number}`);
  say(`  journal    ${journal.records} records in ${journal.segments} segments`);
  say(`  artifacts  ${artifacts}`);
  say(`  backups    ${backups}`);
  const earlier = audit.earlier === 0 ? '' : `, and ${audit.earlier} of earlier versions`;
  say(`  audit log  ${audit.entries} entries${earlier}${audit.head === null ? '' : `, last hash ${audit.head.hash}`}`);
  for (const { found_at, from, to } of database.losses)
    say(
      `  At ${found_at} the gateway found that commits between ${from ?? 'the beginning'} and ${to ?? 'then'} are missing.`,
    );
  for (const { at, from, through } of audit.losses)
    say(`  At ${at} the gateway found that the entries ${from} to ${through} of the audit log were missing.`);
  if (audit.fault !== null) say(`  ${faultSentence(audit.fault)}`);
  for (const sentence of damage) say(`  ${sentence}`);
  say(conclusion(damage.length === 0, audit.fault === null));
}

/** Copies the data folder to a new folder. The gateway may run during the copy. */
export async function runBackup(config: Config, args: { readonly folder: string }): Promise<void> {
  const { rows } = await sentences(() => backUpFolder(config.data, args.folder));
  const sum = Object.values(rows).reduce((n, one) => n + one, 0);
  say(`${args.folder} has a verified copy of ${config.data}: ${sum} rows.`);
  say('The copy contains the key that decrypts stored secrets: store the copy as safely as a key.');
}

/** Restores a copy or a daily backup to the data folder, which must be absent or empty. */
export async function runRestore(config: Config, args: { readonly folder: string }): Promise<void> {
  if ((await readControl(config.data)) !== undefined)
    throw new CommandError(`A gateway runs on ${config.data}. Stop it first.`, EXIT.refused);
  const daily = await sentences(() => restoreDaily(args.folder, config.data));
  if (daily !== undefined) {
    say(`${config.data} now has the database of ${daily.file} at ${daily.at ?? 'its beginning'}.`);
    say(
      'A daily backup has no files, no raw messages and no secret key. Put these back from another copy, if there is one.',
    );
    return;
  }
  const { at, others } = await sentences(() => restoreFolder(args.folder, config.data));
  say(`${config.data} now has the state of ${args.folder} at ${at ?? 'its beginning'}. Later data is not in it.`);
  if (others > 0)
    say(`${others} other files or folders in the copy were left out, because they are not part of a data folder.`);
}

async function sentences<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CustodyError) throw new CommandError(error.message, EXIT.refused, { cause: error });
    throw error;
  }
}
