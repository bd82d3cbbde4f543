/** The data folder: where it is by default, and whether a folder that a person chose is fit for it. */
import { accessSync, constants, existsSync, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The least free space with which a new gateway makes sense. */
const LEAST_FREE_BYTES = 2 * 2 ** 30;
/** Programs that synchronise a folder replace files while the database is open, which damages it. */
const SYNCED =
  /[\\/](onedrive|dropbox|google drive|googledrive|icloud ?drive|nextcloud|owncloud)( - [^\\/]+)?([\\/]|$)/i;

/**
 * Returns the folder that the first run suggests: in the home folder, where a person finds it for a backup. The folders Documents and Desktop
 * are often synchronised with a cloud service, so they are not used.
 */
export function suggestedFolder(home: string): string {
  return join(home, 'Headframe');
}

/** Returns what is wrong with a folder, and what to do; undefined if a gateway can use it. Creates nothing. */
export function folderProblem(folder: string): string | undefined {
  if (folder.startsWith('\\\\'))
    return 'This folder is on another computer. Choose a folder on a disk of this computer: the gateway also has to work while the network is down.';
  if (SYNCED.test(folder))
    return 'A cloud service synchronises this folder, which would damage the database. Choose a folder that is not synchronised.';
  let there = folder;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  try {
    accessSync(there, constants.R_OK | constants.W_OK);
  } catch {
    return `You may not write to ${there}. Choose another folder, or ask the person who administers this computer for the right to write there.`;
  }
  try {
    if (there === folder && isForeign(folder))
      return 'This folder has files of something else. Choose an empty folder, or the data folder of a gateway.';
    const { bavail, bsize } = statfsSync(there);
    if (there !== folder && bavail * bsize < LEAST_FREE_BYTES)
      return `The disk has only ${((bavail * bsize) / 2 ** 30).toFixed(1)} GB free space. Choose a folder on a disk with at least 2 GB; 20 GB are better.`;
  } catch (error) {
    return `${folder} cannot be used (${(error as NodeJS.ErrnoException).code}). Choose another folder.`;
  }
  return undefined;
}

/** Creates the folder; only the own user can read it. Throws an error of the operating system. */
export function createFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Returns true if a folder has files, but not those of a gateway. */
function isForeign(folder: string): boolean {
  const names = readdirSync(folder);
  return names.length > 0 && !names.includes('store') && !names.includes('clock.json');
}
