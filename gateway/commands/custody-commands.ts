/** `headframe verify`, `backup`, `restore` and `audit`: runs the functions of `custody.ts` and prints their results. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Output } from '#contract/operations.ts';
import { readKeys } from '#gateway/sealer.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { readControl } from '#settings/control-file.ts';
import { faultSentence } from '#store/file/audit-check.ts';
import { openDatabaseStore, type Store } from '#store/open-store.ts';
import { markStore, noteMarks } from '#sync/office-backups.ts';
import { CommandError } from './command-line.ts';
import { asSentences, controlClient, runningGateway, withGateway } from './control.ts';
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
  else {
    tell(config.data, verdict);
    sayFilesAreElsewhere(config);
  }
  return sound ? EXIT.ok : EXIT.fault;
}

/** Compares everything that this site and head office have. The exit code is 0 only if head office has everything, but for declared gaps. */
export async function runVerifySync(config: Config, args: { readonly json?: unknown }): Promise<number> {
  const client = controlClient(await runningGateway(config));
  const { data } = await asSentences(() => client.call('sync_verify', {}));
  const isWhole = data.every(({ verdict }) => verdict === 'complete' || verdict === 'declared_gap');
  if (args.json === true) say(JSON.stringify({ whole: isWhole, receipts: data }));
  else
    for (const { project_id, verdict, sentence, missing, not_taken, lost_in_lives, gaps } of data) {
      say(`${project_id}  ${verdict}: ${sentence}`);
      const named = [...missing, ...not_taken, ...lost_in_lives, ...gaps];
      for (const name of named) say(`  ${name}`);
    }
  return isWhole && data.length > 0 ? EXIT.ok : EXIT.fault;
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
export async function runBackup(
  config: Config,
  args: { readonly folder: string; readonly 'with-key'?: unknown },
): Promise<void> {
  const withKey = args['with-key'] === true;
  const { rows } = await sentences(() => backUpFolder(config.data, args.folder, withKey));
  const sum = Object.values(rows).reduce((n, one) => n + one, 0);
  say(`${args.folder} has a verified copy of ${config.data}: ${sum} rows.`);
  sayFilesAreElsewhere(config);
  if (withKey) say('The copy contains the key that decrypts stored secrets: store the copy as safely as a key.');
  else
    say(
      'The copy does not contain the key that decrypts stored secrets. A restore needs the recovery code: print it with `headframe recovery-code`, and keep it on paper.',
    );
}

function sayFilesAreElsewhere({ files }: Config): void {
  if (files === null) return;
  const { bucket, prefix } = files;
  say(`The files are not in it: they are in the bucket s3://${bucket}/${prefix}, of which you make backups yourself.`);
}

/** Restores a copy or a daily backup to the data folder, which must be absent or empty. */
export async function runRestore(config: Config, args: { readonly folder: string }): Promise<void> {
  if ((await readControl(config.data)) !== undefined)
    throw new CommandError(`A gateway runs on ${config.data}. Stop it first.`, EXIT.refused);
  const daily = await sentences(() => restoreDaily(args.folder, config.data));
  if (daily !== undefined) {
    say(`${config.data} now has the database of ${daily.file} at ${daily.at ?? 'its beginning'}.`);
    say(
      'A daily backup has no files, no raw messages, no TLS keys and no sealing key. Put these back from another copy, if there is one.',
    );
    sayKeyIsMissing(config);
    return;
  }
  const { at, others } = await sentences(() => restoreFolder(args.folder, config.data));
  say(`${config.data} now has the state of ${args.folder} at ${at ?? 'its beginning'}. Later data is not in it.`);
  if (readKeys(config.data).length === 0) sayKeyIsMissing(config);
  if (others > 0)
    say(`${others} other files or folders in the copy were left out, because they are not part of a data folder.`);
}

function sayKeyIsMissing({ data }: Config): void {
  say('The sealing key is missing, so the gateway cannot decrypt the stored secrets. Before its first start, run:');
  say(`  headframe recovery-code --enter --data ${data}`);
  say(
    'If you have no recovery code, start the gateway. The page Health then names what must be set again: key pairs and configurations of loggers, passwords of log files, secrets of webhooks, and PINs. Devices and people keep their keys and passphrases.',
  );
}

async function sentences<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CustodyError) throw new CommandError(error.message, EXIT.refused, { cause: error });
    throw error;
  }
}

interface AuditArgs {
  readonly as?: string | undefined;
  readonly after?: string | undefined;
}

type Entry = Output<'audit_export'>['data'][number];

/** Returns one line about an entry: number, time, who, what, and the changed fields. */
function textOf({ chain, occurred_at, actor, type, subject, data }: Entry): string {
  const who = actor.name ?? actor.id ?? actor.type;
  return stripVTControlCharacters(
    `${chain?.number}  ${occurred_at}  ${JSON.stringify(who)} (${actor.door})  ${type} ${subject.object} ${subject.id}  ${JSON.stringify(data)}`,
  );
}

/** Prints the audit log, as JSON lines that a program can check, or as text for a person. */
export async function runAudit(config: Config, args: AuditArgs): Promise<void> {
  const form = args.as ?? 'text';
  if (form !== 'jsonl' && form !== 'text') throw new CommandError('--as must be jsonl or text.', EXIT.usage);
  const first = Number(args.after ?? 0);
  if (!Number.isSafeInteger(first) || first < 0)
    throw new CommandError('--after must be the number of an entry, or 0.', EXIT.usage);
  await withGateway(config, async (client) => {
    for (let after = first; ; ) {
      const page = await client.call('audit_export', { after, limit: 200 });
      for (const entry of page.data)
        process.stdout.write(`${form === 'jsonl' ? JSON.stringify(entry) : textOf(entry)}\n`);
      if (!page.has_more) return;
      after = page.next_after;
    }
  });
}

/**
 * Runs the command of an administrator that makes a backup of the PostgreSQL database of head office, and lets the sites know that a backup
 * has what they sent before it. So they may remove old history before it is 30 days old.
 */
export async function runDatabaseBackup(config: Config, { command }: { readonly command: string }): Promise<number> {
  const { database } = config;
  if (database === null)
    throw new CommandError(
      'This command is for a head office on PostgreSQL: name its database with HEADFRAME_DATABASE, and set HEADFRAME_ROLE=cloud. A head office with a file makes its backups by itself, and they count without a command.',
      EXIT.usage,
    );
  const marks = await withDatabase(database, markStore);
  const failed = await runShell(command);
  if (failed !== undefined)
    throw new CommandError(`${failed} This backup does not count: the sites keep their history as before.`, EXIT.fault);
  const noted = await withDatabase(database, (store) => noteMarks(store.sync, marks));
  say(`The backup counts for ${noted} of ${marks.length} projects of sites.`);
  if (noted < marks.length)
    say('The others do not count, because the database was put back from a backup meanwhile. Make another backup.');
  return noted === marks.length ? EXIT.ok : EXIT.fault;
}

/** Opens the database as one more process, for a short time. The data folder of head office is locked while head office runs. */
async function withDatabase<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-database-backup-'));
  try {
    const random = (bytes: number): Uint8Array => randomBytes(bytes);
    await using store = await openDatabaseStore({ folder, role: 'cloud', clock: Date.now, random, database });
    return await work(store);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a command of the shell with the input and output of this one. Returns why it failed. */
async function runShell(command: string): Promise<string | undefined> {
  const child = spawn(command, { shell: true, stdio: 'inherit' });
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve(`The command could not be run: ${error.message}.`));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(`The command failed with ${code === null ? `the signal ${signal}` : `exit code ${code}`}.`);
    });
  });
}
