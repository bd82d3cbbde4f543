/** The change feed of one project in one collection, by numbers that rise in commit order whatever the clock does. */
import type { CollectionName, Stored } from '#contract/base/view.ts';
import { toStored } from './commit.ts';
import type { ViewSource } from './view.ts';

const MAX_LIMIT = 1000;

/** The last write of one document. */
interface ChangeFeedEntry {
  /** Number within (project, collection); a later write of the document has another. */
  readonly seq: number;
  readonly deleted: boolean;
  /** As it is now; for a deleted one what was left of it. */
  readonly document: Stored;
}

export interface ChangeFeed {
  /** Oldest first; the last one's `seq` is where to go on. */
  readonly entries: readonly ChangeFeedEntry[];
  /** The project's last number in this collection: nothing waits when the reader has come to it. */
  readonly head: number;
}

/** Reads the feed after a number; throws `RangeError` for a limit that is not 1 to 1,000. */
export function readChangeFeed(
  source: ViewSource,
  project_id: string,
  collection: CollectionName,
  after: number,
  limit: number,
): Promise<ChangeFeed> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new RangeError(`limit must be 1 to ${MAX_LIMIT}, not ${limit}`);
  }
  const table = source.tables[collection];
  return source.connection.read((read) => ({
    entries: table.feed(read, project_id, after, limit).map(([seq, data, checksum]) => {
      const document = source.connection.parse<Stored & { readonly _deleted: boolean }>(data, checksum);
      return { seq: Number(seq), deleted: document._deleted, document: toStored(document) };
    }),
    head: table.head(source.connection, read, project_id),
  }));
}
