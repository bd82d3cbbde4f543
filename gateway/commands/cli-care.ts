/** The commands that verify, copy and restore a data folder, export its audit log, and let people in again who locked themselves out. */
import { defineCommand } from 'citty';
import { readConfig } from '#settings/config.ts';
import { data, flags, json } from './cli-flags.ts';

const verify = defineCommand({
  meta: {
    description: 'Read all files of the data folder, or of a copy named with --data, and report any damage',
  },
  args: {
    sync: { type: 'boolean', description: 'Compare everything with head office instead; the gateway must run' },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runVerify, runVerifySync } = await import('./custody-commands.ts');
    if (args.sync === true) return runVerifySync(readConfig(flags(args)), args);
    return runVerify(readConfig(flags(args)), args);
  },
});

const backup = defineCommand({
  meta: { description: 'Copy the data folder and verify the copy; the gateway may run' },
  args: {
    folder: { type: 'positional', required: true, description: 'Folder for the copy; it must not exist yet' },
    'with-key': { type: 'boolean', description: 'Also copy the key that decrypts stored secrets' },
    ...data,
  },
  async run({ args }) {
    const { runBackup } = await import('./custody-commands.ts');
    await runBackup(readConfig(flags(args)), args);
  },
});

const restore = defineCommand({
  meta: { description: 'Restore a copy or a daily backup to a data folder that does not exist or is empty' },
  args: { folder: { type: 'positional', required: true, description: 'Copy, folder of backups, or backup' }, ...data },
  async run({ args }) {
    const { runRestore } = await import('./custody-commands.ts');
    await runRestore(readConfig(flags(args)), args);
  },
});

const audit = defineCommand({
  meta: { description: 'Print the audit log in the order of its hash chain; works whether the gateway runs or not' },
  args: {
    as: { type: 'string', description: 'jsonl or text (text when absent)' },
    after: { type: 'string', description: 'Number of the last entry that you have (0 when absent)' },
    ...data,
  },
  async run({ args }) {
    const { runAudit } = await import('./custody-commands.ts');
    await runAudit(readConfig(flags(args)), args);
  },
});

const recovery = defineCommand({
  meta: { description: 'Print the code that a restore needs to decrypt stored secrets; keep it on paper' },
  args: {
    enter: { type: 'boolean', description: 'Read the code from standard input and put the key back, after a restore' },
    ...data,
  },
  async run({ args }) {
    const { runRecoveryCode } = await import('./recovery.ts');
    await runRecoveryCode(readConfig(flags(args)), args);
  },
});

const listeners = defineCommand({
  meta: {
    description:
      'Print which listeners other computers can use without TLS, or change it; works whether the gateway runs or not',
  },
  args: {
    name: { type: 'positional', required: false, description: 'http, mqtt or bucket' },
    plain: { type: 'string', description: 'on: allow connections without TLS; off: with TLS only' },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runListeners } = await import('./keys.ts');
    await runListeners(readConfig(flags(args)), args);
  },
});

/** These commands, by name. */
export const careCommands = { listeners, verify, backup, restore, audit, 'recovery-code': recovery };
