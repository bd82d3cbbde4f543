/** Errors of the store, each with a message that says what to do. */

/** Message by code. `{0}` is the path or value that the error concerns. */
const SENTENCES = {
  folder_unusable:
    'The data folder {0} cannot be used. Check that it exists, is a folder, and that this user may read and write it, or choose another with HEADFRAME_DATA.',
  in_use:
    'The data folder {0} is in use by another Headframe process. Stop that one first, or choose another folder with HEADFRAME_DATA.',
  format_newer:
    'The data folder {0} was written by a newer Headframe. Install that version or a later one; this version has changed nothing.',
  format_unreadable:
    'The file {0} is damaged, so the version of this data folder is unknown. Restore the folder from a backup, or start with an empty folder.',
  corrupt:
    'The database {0} is damaged or is not a Headframe database. Stop the gateway, keep a copy of the folder, and restore it from a backup or start with an empty folder.',
  locked:
    'Another program holds the database {0} locked. Close it (a backup or database tool, perhaps), then start the gateway again.',
  disk_full: 'The disk of {0} is full. Free some space, then start the gateway again.',
  read_only:
    'The disk of {0} is mounted read-only, so nothing can be written. Operating systems do that after disk errors: check the disk, then mount it for writing again.',
  io_error:
    'The disk of {0} reports errors. The gateway writes nothing more. Check the disk and its cables, then start the gateway again.',
  sqlite_too_old: 'SQLite {0} is too old: 3.51.3 or later is needed. Run the gateway with the Node that npm installed.',
  database_away:
    'The PostgreSQL database {0} does not answer. Check that it runs and that its address in HEADFRAME_DATABASE is right. Nothing was written.',
  database_refused:
    'PostgreSQL refused the connection to {0}. Check the user, the password and the name of the database in HEADFRAME_DATABASE.',
  outcome_unknown:
    'The PostgreSQL database {0} did not answer to a COMMIT. The change may have been written. Read the record again before you repeat it.',
  database_version: 'The PostgreSQL database {0}. Nothing was changed.',
  key_differs:
    'The data folder {0} has another key file (secret.key) than the processes that use this database, so it can read none of their secrets. Copy secret.key from the data folder of one of them, or run `headframe recovery-code --enter`. If nobody has the key any more, delete the row with the id sealing_keys from the table headframe.local, start again, and set again the secrets that health names.',
  commits_lost:
    'The PostgreSQL database {0} no longer has commits that it had acknowledged, because another server took its place. This process starts again, so that it shows what the database has. Sites give back what they had sent. Use synchronous replication, so that a failover loses nothing.',
  lease_lost:
    'Another process that uses the database {0} does the background work now, such as webhooks. This process wrote nothing for it.',
  files_away:
    'The place of the files {0} does not answer. Files can neither be shown nor stored until it does; all else goes on. Check its network and HEADFRAME_FILES_ENDPOINT.',
  files_refused:
    'The place of the files {0} refuses this head office. Check the bucket in HEADFRAME_FILES, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and HEADFRAME_FILES_ENDPOINT, and whether this key may list, read, write and delete objects.',
  files_foreign:
    'The place of the files {0} belongs to another head office, which would delete the files of this one. Choose another bucket or prefix in HEADFRAME_FILES.',
  overloaded: 'The database {0} receives more writes than it can store. Try again in a moment.',
  closed: 'The database {0} is closed.',
} as const;

export type StoreErrorCode = keyof typeof SENTENCES;

/** An error of the store. `message` says what happened and what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, about: string, cause?: unknown) {
    super(SENTENCES[code].replace('{0}', about), cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.code = code;
  }
}

/** Maps the error code of a file system call to a store error code. */
export function fileErrorCode(error: unknown): StoreErrorCode {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'disk_full';
  if (code === 'EROFS') return 'read_only';
  return code === 'EIO' ? 'io_error' : 'folder_unusable';
}
