/** Removes expired files and abandoned uploads. First it removes their records, then the files on disk to which no record refers. */

import type { CollectionName, Stored } from '#contract/base/view.ts';
import type { ArtifactData, UploadData } from '#contract/work/artifact.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { decodeTaskId } from '#domain/runs/decode-task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import type { Parts } from '#store/parts.ts';
import type { Uploads } from '#store/uploads.ts';
import { walkChunks } from '#store/walk.ts';

/** The largest number of records that one commit removes. */
const CHUNK = 200;

/** Removes expired records, the bytes of uploads without a record, and unused files. Returns how many records and files it removed. */
export async function sweepFiles(options: {
  store: Pick<Store, 'find' | 'commit' | 'view'>;
  artifacts: Pick<Artifacts, 'sweep'>;
  uploads: Pick<Uploads, 'sweep'>;
  parts: Pick<Parts, 'sweep'>;
  clock: () => number;
  /**
   * False while the gateway does not trust its clock. The sweep then cannot know how old a file or record is, so it deletes nothing because
   * of its age.
   */
  agesKnown: boolean;
  /** False if another process of the database removes the expired records. */
  isOurs?: boolean;
  /**
   * If true, the sweep also searches for files to which no record refers. This needs a query for each file, so the gateway does it only
   * once a day.
   */
  orphans: boolean;
}): Promise<{ records: number; files: number }> {
  const { store, artifacts, uploads, parts, clock, agesKnown, isOurs = true } = options;

  /**
   * Removes the documents with a value less than `before` in the field at `path`, except the documents for which `isKept` returns true.
   * Returns the number of removed documents.
   */
  async function expire<T extends object>(of: {
    collection: CollectionName;
    object: string;
    path: string;
    before: string | number;
    isKept?: (document: Stored<T>) => Promise<boolean>;
  }): Promise<number> {
    const { collection, object, path, before, isKept = async () => false } = of;
    let removed = 0;
    for await (const old of walkChunks<T>(store, collection, { object, where: { [path]: { lt: before } } }, CHUNK)) {
      const kept = await Promise.all(old.map(isKept));
      const expired = old.filter((_, i) => kept[i] === false);
      await store.commit(
        expired.map(({ id, project_id, data }) => ({
          collection,
          id,
          object,
          project_id,
          data: data as Record<string, unknown>,
          deleted: true,
        })),
      );
      removed += expired.length;
    }
    return removed;
  }

  /** Returns true for a log file that is not decoded yet. */
  async function waitsForDecoding({ id, project_id, data }: Stored<ArtifactData>): Promise<boolean> {
    if (data.kind !== 'mf4' && data.kind !== 'file') return false;
    const view = store.view(project_id);
    const task = await view.get<TaskData>('records', decodeTaskId(id));
    const run_id = task?.data.latest_run_id ?? null;
    const run = run_id === null ? undefined : await view.get<RunData>('records', run_id);
    return run !== undefined && !hasEnded(run.data);
  }

  const now = clock();
  const expired = async () =>
    (await expire<ArtifactData>({
      collection: 'records',
      object: 'artifact',
      path: 'data.retention_until',
      before: new Date(now).toISOString(),
      isKept: waitsForDecoding,
    })) + (await expire<UploadData>({ collection: 'local', object: 'upload', path: 'data.expires_ms', before: now }));
  const records = agesKnown && isOurs ? await expired() : 0;
  const exists = async (collection: CollectionName, object: string, where: Record<string, string>) =>
    (await store.find(collection, { object, where, limit: 1 })).length > 0;
  const unused = options.orphans
    ? await artifacts.sweep(
        async (sha256) =>
          (await exists('records', 'artifact', { 'data.sha256': sha256 })) ||
          (await exists('local', 'bucket_object', { 'data.sha256': sha256 })),
        now,
      )
    : [];
  const files =
    unused.length +
    // A file that arrives from the other end of a link has the SHA-256 of its content as the id of its upload.
    (await uploads.sweep((id) =>
      /^[0-9a-f]{64}$/.test(id)
        ? exists('records', 'artifact', { 'data.sha256': id })
        : exists('local', 'upload', { id }),
    )) +
    (await parts.sweep((id) => exists('local', 'bucket_upload', { id })));
  return { records, files };
}
