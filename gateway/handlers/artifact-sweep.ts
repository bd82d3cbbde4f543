/** Files whose time is over, and what came of uploads that were given up: records first, then the bytes that nobody names. */
import type { ArtifactData, UploadData } from '#contract/artifact.ts';
import type { CollectionName, Stored } from '#contract/view.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import type { Uploads } from '#store/uploads.ts';

const PAGE = 200;

/** Removes records that have expired, what came of uploads without one, and the bytes that nobody names; how many records and files. */
export async function sweepFiles(options: {
  store: Pick<Store, 'find' | 'commit'>;
  artifacts: Pick<Artifacts, 'sweep'>;
  uploads: Pick<Uploads, 'sweep'>;
  clock: () => number;
  /** Look at every file, too: each costs a search of the store, so once a day. */
  orphans: boolean;
}): Promise<{ records: number; files: number }> {
  const { store, artifacts, uploads, clock } = options;

  async function expire<T extends object>(
    collection: CollectionName,
    object: string,
    path: string,
    now: string | number,
  ) {
    for (let removed = 0; ; ) {
      const old: Stored<T>[] = await store.find<T>(collection, { object, where: { [path]: { lt: now } }, limit: PAGE });
      await store.commit(
        old.map(({ id, project_id, data }) => ({
          collection,
          id,
          object,
          project_id,
          data: data as Record<string, unknown>,
          deleted: true,
        })),
      );
      removed += old.length;
      if (old.length < PAGE) return removed;
    }
  }

  const now = clock();
  const records =
    (await expire<ArtifactData>('records', 'artifact', 'data.retention_until', new Date(now).toISOString())) +
    (await expire<UploadData>('local', 'upload', 'data.expires_ms', now));
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
  const files = nameless.length + (await uploads.sweep((id) => named('local', 'upload', { id })));
  return { records, files };
}
