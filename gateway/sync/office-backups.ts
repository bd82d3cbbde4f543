/**
 * Backups of head office, for the sites: a site removes old facts when backups of head office have them.
 *
 *   mark each project of a site ─▶ the backup is made and checked ─▶ note the marks ─▶ the next hello of the site
 */
import { type BackupMark, markBackup, noteBackup, withdrawBackups } from '#domain/sync/backups.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { BroughtProjects } from './brought-projects.ts';

/**
 * Calls a function before each backup, and the function that it returns when the backup is made and checked, or when it failed and the older
 * ones may lack something (`damaged`).
 */
export interface OfficeBackups {
  follow(follower: () => Promise<(end: 'sound' | 'alone' | 'damaged') => Promise<void>>): void;
}

/** Up to where a project of a site is in a backup that begins now. */
interface ProjectMark {
  readonly project: string;
  readonly gateway: string;
  readonly mark: BackupMark;
}

async function markProjects(
  sync: SyncStore,
  ownerOf: (project: string) => string | undefined,
): Promise<readonly ProjectMark[]> {
  const marks: ProjectMark[] = [];
  for (const project of sync.projects()) {
    const gateway = ownerOf(project);
    if (gateway === undefined) continue;
    marks.push({ project, gateway, mark: await sync.run(project, (tx) => markBackup(tx, gateway)) });
  }
  return marks;
}

/** Notes that a backup is made and checked. `alone`: the older backups may lack something. Returns how many marks count. */
export async function noteMarks(sync: SyncStore, marks: readonly ProjectMark[], alone = false): Promise<number> {
  let noted = 0;
  for (const { project, gateway, mark } of marks)
    if (await sync.run(project, (tx) => noteBackup(tx, gateway, mark, alone))) noted++;
  return noted;
}

/** The backups may lack something, and no new one is there: nothing is promised until the next one. */
async function withdrawMarks(sync: SyncStore, marks: readonly ProjectMark[]): Promise<void> {
  for (const { project, gateway } of marks) await sync.run(project, (tx) => withdrawBackups(tx, gateway));
}

/** Marks all projects before each backup that this process makes, and notes the marks when the backup is made and checked. */
export function followBackups(
  backups: OfficeBackups,
  sync: SyncStore,
  ownerOf: (project: string) => string | undefined,
): void {
  backups.follow(async () => {
    const marks = await markProjects(sync, ownerOf);
    return async (end) => {
      if (end === 'damaged') await withdrawMarks(sync, marks);
      else await noteMarks(sync, marks, end === 'alone');
    };
  });
}

/** Marks the projects in a program that opens the database beside head office. */
export async function markStore(
  store: Pick<Store, 'node' | 'changes' | 'sync'>,
): Promise<Awaited<ReturnType<typeof markProjects>>> {
  using projects = new BroughtProjects({ store, sync: store.sync });
  await projects.load();
  return await markProjects(store.sync, (project) => projects.ownerOf(project));
}
