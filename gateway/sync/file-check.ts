/** Compares the files of a site with those of head office. While both have the same, this takes one request, however many files there are. */
import type { View } from '#contract/base/view.ts';
import { FILE_GROUPS, MOST_OFFERED } from '#contract/site/sync-files.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { walk } from '#store/walk.ts';
import { markFile } from '#sync/files/file-marks.ts';
import type { FileRecord } from '#sync/files/file-queue.ts';
import type { FileClient } from './file-client.ts';
import { FileSums, groupOf } from './file-states.ts';

/** The result of a comparison of all files of a project. */
export interface FileCheck {
  readonly waiting: number;
  /** Ids of files that neither end has. */
  readonly lost: readonly string[];
}

interface CheckOptions {
  readonly project_id: string;
  readonly view: View;
  readonly client: FileClient;
  readonly isHere: (record: FileRecord) => Promise<boolean>;
}

/** Finds the files that head office lacks. Those that are here are marked, so that they are sent again. */
export async function checkFiles(options: CheckOptions): Promise<FileCheck> {
  const { project_id, view, client } = options;
  const sums = new FileSums();
  for await (const record of files(view)) if (record.data.replication === 'cloud') sums.add(record);
  const { differs } = await client.offer({ project_id, files: [], sums: sums.text() });
  const groups = new Set(differs);
  const lost: string[] = [];
  let waiting = 0;
  let batch: FileRecord[] = [];
  const compare = async (): Promise<void> => {
    for (const record of await lacking(options, batch))
      if (!(await options.isHere(record))) lost.push(record.id);
      else {
        waiting++;
        await markFile(view, record, 'local');
      }
    batch = [];
  };
  for await (const record of files(view)) {
    const { replication, sha256 } = record.data;
    if (replication === 'cloud' && groups.size < FILE_GROUPS && !groups.has(groupOf(sha256))) continue;
    batch.push(record);
    if (batch.length === MOST_OFFERED) await compare();
  }
  if (batch.length > 0) await compare();
  return { waiting, lost };
}

const files = (view: View) => walk<ArtifactData>(view, 'records', { object: 'artifact' });

/** The files of a batch that head office does not have. */
async function lacking(
  { project_id, client }: Pick<CheckOptions, 'project_id' | 'client'>,
  batch: readonly FileRecord[],
): Promise<FileRecord[]> {
  const asked = [...new Set(batch.map(({ data }) => data.sha256))];
  const { files: answers } = await client.offer({ project_id, files: asked });
  const has = new Set(answers.filter((one) => one.has).map(({ sha256 }) => sha256));
  return batch.filter(({ data }) => !has.has(data.sha256));
}
