/** The documents about kept raw traffic: one document for each alert, with the files of the alert. */
import type { ProjectWrite, Stored } from '#contract/base/view.ts';
import { type RawFreezeData, rawFreezeId } from '#contract/work/raw-traffic.ts';

/** The largest number of documents. If there are more, the gateway deletes the oldest ones, with their files. */
export const MOST_DOCUMENTS = 1_000;

/** A document as it is stored. */
export type Waiting = Stored<RawFreezeData>;

/** Returns the sizes of the files of these documents, by the id of the file. */
export const sizesOf = (known: readonly Waiting[]): Map<string, number> =>
  new Map(known.flatMap(({ data }) => data.files.map((one) => [one.artifact_id, one.bytes] as const)));
/** Returns the sum of these sizes. */
export const sumOf = (sizes: ReadonlyMap<string, number>): number =>
  [...sizes.values()].reduce((sum, one) => sum + one, 0);

/** Returns the write of a document. */
export function write(project_id: string, data: RawFreezeData, expected: number): ProjectWrite {
  const id = rawFreezeId(data.alert_id);
  return { collection: 'local', id, object: 'raw_freeze', project_id, data: { ...data }, expected };
}

/** Returns the oldest documents that do not wait, a tenth of the list. */
export function oldDocuments(found: readonly Waiting[]): Waiting[] {
  return found.filter(({ data }) => data.state !== 'waiting').slice(0, MOST_DOCUMENTS / 10);
}
