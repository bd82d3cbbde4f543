/**
 * Selects the files of a copy (backup) that a restore copies: regular files with known names and limited sizes. These checks are needed
 * because another person may have changed the copy.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '#contract/base/limits.ts';

/** Thrown when a copy could not be made or restored; the message tells the user the reason. */
export class CustodyError extends Error {}

/** A file of a copy; `name` is its path in the copy, with `/`. */
export interface CopiedFile {
  readonly name: string;
  readonly bytes: number;
}

const KIB = 1 << 10;
const MIB = 1 << 20;
const COPY_BYTES = MIB;
/** The names of files in a data folder, with the largest size of each in bytes. The size of the databases has no limit here. */
const KNOWN: readonly (readonly [name: RegExp, most: number])[] = [
  [/^secret\.key$/, KIB],
  [/^clock\.json$/, 64 * KIB],
  [/^store\/format\.json$/, 64 * KIB],
  [/^store\/headframe\.db(-wal)?$/, Number.POSITIVE_INFINITY],
  [/^backup\/headframe-[+\dTZ-]+(\.base)?\.db$/, Number.POSITIVE_INFINITY],
  [/^backup\/history-(segments|rollups)-[+\dTZ-]+\.pack$/, Number.POSITIVE_INFINITY],
  [/^journal\/\d{10}\.journal$/, 256 * MIB],
  [/^artifacts\/[0-9a-f]{2}\/[0-9a-f]{64}$/, LIMITS.artifact.value],
  [/^mqtt\/sessions\.log$/, 1024 * MIB],
];
const FOLDERS = /^(store|backup|journal|mqtt|artifacts(\/[0-9a-f]{2})?)$/;

/**
 * Returns the files that a restore copies, and the number of other files. Throws a `CustodyError` when a file with a known name is a link
 * or a device, or is larger than its limit.
 */
export function copiedFiles(copy: string): { readonly files: readonly CopiedFile[]; readonly others: number } {
  const files: CopiedFile[] = [];
  let others = 0;
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(copy, folder))) {
      const name = folder === '' ? entry : `${folder}/${entry}`;
      const most = KNOWN.find(([known]) => known.test(name))?.[1];
      if (most === undefined && !FOLDERS.test(name)) {
        others++;
        continue;
      }
      const found = lstatSync(join(copy, name));
      if (most === undefined ? !found.isDirectory() : !found.isFile())
        throw new CustodyError(
          `${join(copy, name)} is ${found.isSymbolicLink() ? 'a symbolic link' : `no ${most === undefined ? 'folder' : 'file'}`}, so this is not a copy of a data folder. Nothing was changed.`,
        );
      if (most === undefined) walk(name);
      else if (found.size > most)
        throw new CustodyError(
          `${join(copy, name)} has ${found.size} bytes, but a file with this name has at most ${most} bytes. Nothing was changed.`,
        );
      else files.push({ name, bytes: found.size });
    }
  };
  walk('');
  return { files, others };
}

/** Throws a `CustodyError` when the disk of `folder` has not enough free space for these files. */
export function needRoomFor(files: readonly CopiedFile[], folder: string): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const { bavail, bsize } = statfsSync(folder);
  if (bytes > bavail * bsize)
    throw new CustodyError(
      `The copy has ${bytes} bytes, but the disk of ${folder} has only ${bavail * bsize} bytes free.`,
    );
}

/** Copies one file and syncs the new file to disk. Throws when the source is a link or has more than `most` bytes. */
export function copyFile(from: string, to: string, most = Number.POSITIVE_INFINITY): void {
  const source = openSync(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const target = openSync(to, 'wx', 0o600);
  try {
    if (!fstatSync(source).isFile()) throw new CustodyError(`${from} is no regular file.`);
    const buffer = Buffer.alloc(COPY_BYTES);
    let copied = 0;
    for (let n = readSync(source, buffer); n > 0; n = readSync(source, buffer)) {
      copied += n;
      if (copied > most) throw new CustodyError(`${from} grew while it was copied.`);
      for (let done = 0; done < n; ) done += writeSync(target, buffer, done, n - done);
    }
    fsyncSync(target);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}
