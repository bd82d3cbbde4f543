/** The mark of a file: whether head office has its content. Each end has a mark of its own, which is never copied. */
import { type Stored, type View, WriteConflict } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { nodeOf } from '#domain/sync/registers/registers.ts';
import type { SyncStore } from '#store/sync/replica.ts';

/** Writes the mark of a file, if it has another one. */
export async function markFile(
  view: Pick<View, 'get' | 'commit'>,
  record: Stored<ArtifactData>,
  replication: ArtifactData['replication'],
): Promise<void> {
  const { id } = record;
  let current: Stored<ArtifactData> | undefined = record;
  while (current !== undefined && current.data.replication !== replication) {
    const data: ArtifactData = { ...current.data, replication };
    try {
      await view.commit([{ collection: 'records', id, object: 'artifact', data, expected: current.revision }]);
      return;
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      current = await view.get<ArtifactData>('records', id);
    }
  }
}

/** Files whose marks one commit writes. */
const MARKS = 200;

/** Writes the mark of many files, in few commits. */
export async function markFiles(
  view: Pick<View, 'get' | 'commit'>,
  records: AsyncIterable<Stored<ArtifactData>>,
  replication: ArtifactData['replication'],
): Promise<void> {
  let batch: Stored<ArtifactData>[] = [];
  const write = async (): Promise<void> => {
    const writes = batch.map(({ id, revision, data }) => ({
      ...({ collection: 'records', object: 'artifact' } as const),
      ...{ id, data: { ...data, replication }, expected: revision },
    }));
    try {
      if (writes.length > 0) await view.commit(writes);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      // Somebody wrote one of them meanwhile.
      for (const record of batch) await markFile(view, record, replication);
    }
    batch = [];
  };
  for await (const record of records) {
    batch.push(record);
    if (batch.length === MARKS) await write();
  }
  await write();
}

/** True if this node made the file. */
export async function isMadeBy(sync: SyncStore, project: string, id: string, node: string): Promise<boolean> {
  const life = await sync.run(project, (tx) => tx.get(`records/${id}`)?.registers.get('=sha256')?.[0]?.life);
  return life !== undefined && nodeOf(life) === node;
}
