/** Files whose time is over, and what came of uploads that were given up: records first, then the bytes that nobody names. */

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

/** Records removed in one commit. */
const CHUNK = 200;

/** Removes records that have expired, what came of uploads without one, and the bytes that nobody names; how many records and files. */
export async function sweepFiles(options: {
  store: Pick<Store, 'find' | 'commit' | 'view'>;
  artifacts: Pick<Artifacts, 'sweep'>;
  uploads: Pick<Uploads, 'sweep'>;
  parts: Pick<Parts, 'sweep'>;
  clock: () => number;
  /** False while nothing may be deleted for its age. */
  agesKnown: boolean;
  /** Look at every file, too: each costs a search of the store, so once a day. */
  orphans: boolean;
}): Promise<{ records: number; files: number }> {
  const { store, artifacts, uploads, parts, clock, agesKnown } = options;

  async function expire<T extends object>(
    collection: CollectionName,
    object: string,
    path: string,
    now: string | number,
    waits: (document: Stored<T>) => Promise<boolean> = async () => false,
  ) {
    let removed = 0;
    for await (const old of walkChunks<T>(store, collection, { object, where: { [path]: { lt: now } } }, CHUNK)) {
      const kept = await Promise.all(old.map(waits));
      const over = old.filter((_, i) => kept[i] === false);
      await store.commit(
        over.map(({ id, project_id, data }) => ({
          collection,
          id,
          object,
          project_id,
          data: data as Record<string, unknown>,
          deleted: true,
        })),
      );
      removed += over.length;
    }
    return removed;
  }

  /** A log that is still to be decoded. */
  async function isAwaited({ id, project_id, data }: Stored<ArtifactData>): Promise<boolean> {
    if (data.kind !== 'mf4' && data.kind !== 'file') return false;
    const view = store.view(project_id);
    const task = await view.get<TaskData>('records', decodeTaskId(id));
    const run_id = task?.data.latest_run_id ?? null;
    const run = run_id === null ? undefined : await view.get<RunData>('records', run_id);
    return run !== undefined && !hasEnded(run.data);
  }

  const now = clock();
  const expired = async () =>
    (await expire<ArtifactData>(
      'records',
      'artifact',
      'data.retention_until',
      new Date(now).toISOString(),
      isAwaited,
    )) + (await expire<UploadData>('local', 'upload', 'data.expires_ms', now));
  const records = agesKnown ? await expired() : 0;
  const named = async (collection: CollectionName, object: string, where: Record<string, string>) =>
    (await store.find(collection, { object, where, limit: 1 })).length > 0;
  const nameless = options.orphans
    ? await artifacts.sweep(
        async (sha256) =>
          (await named('records', 'artifact', { 'data.sha256': sha256 })) ||
          (await named('local', 'bucket_object', { 'data.sha256': sha256 })),
        now,
      )
    : [];
  const files =
    nameless.length +
    (await uploads.sweep((id) => named('local', 'upload', { id }))) +
    (await parts.sweep((id) => named('local', 'bucket_upload', { id })));
  return { records, files };
}
