/** The commands that verify, copy and restore a data folder, export its audit log, and let people in again who locked themselves out. */
import { defineCommand } from 'citty';
import { readConfig } from '#settings/config.ts';
import { data, flags, json, settings } from './command-line.ts';

/** The flags that find a stopped node, which may be head office. */
const node = settings('data', 'role', 'database');

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

const databaseBackup = defineCommand({
  meta: {
    description:
      'At head office on PostgreSQL: run the command that makes and checks a backup of the database, so that sites may delete old history that two such backups have',
  },
  args: {
    command: {
      type: 'positional',
      required: true,
      description: 'Command of the shell, in quotes; it must end with exit code 0 only if the backup is good',
    },
    ...settings('role', 'database'),
  },
  async run({ args }) {
    const { runDatabaseBackup } = await import('./custody-commands.ts');
    return runDatabaseBackup(readConfig(flags(args)), args);
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

const courier = defineCommand({
  meta: {
    description:
      'Files that a person carries between a site and head office, for example on a USB stick; works whether the gateway runs or not',
  },
  subCommands: {
    export: defineCommand({
      meta: { description: 'Write files with the changes that the other end does not have' },
      args: {
        folder: { type: 'positional', required: true, description: 'Folder of the USB stick' },
        site: { type: 'string', description: 'At head office: name or id of the site for which the files are' },
        megabytes: { type: 'string', description: 'Largest size of one file in MiB (256 when absent)' },
        files: {
          type: 'string',
          description: 'Most MiB of photos and logs; 0: none (what the stick holds when absent)',
        },
        next: { type: 'boolean', description: 'Go on after the last file, on another stick' },
        ...json,
        ...node,
      },
      async run({ args }) {
        const { exportBundles } = await import('./courier.ts');
        await exportBundles(readConfig(flags(args)), args);
      },
    }),
    import: defineCommand({
      meta: { description: 'Read a file of the other end; reading it again changes nothing' },
      args: {
        file: { type: 'positional', required: true, description: 'File that ends in .hfbundle' },
        'earlier-life': {
          type: 'boolean',
          description: 'Also take a file that the site wrote before it was put back from a backup',
        },
        ...json,
        ...node,
      },
      async run({ args }) {
        const { importBundle } = await import('./courier.ts');
        return importBundle(readConfig(flags(args)), args);
      },
    }),
    list: defineCommand({
      meta: { description: 'List the files that this end wrote and read, and whether the other end has them' },
      args: { ...json, ...node },
      async run({ args }) {
        const { listBundles } = await import('./courier.ts');
        await listBundles(readConfig(flags(args)), args);
      },
    }),
  },
});

/** These commands, by name. */
export const careCommands = {
  ...{ listeners, verify, backup, 'database-backup': databaseBackup, restore },
  ...{ courier, audit, 'recovery-code': recovery },
};
