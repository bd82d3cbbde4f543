/** What the tables of the replication use of a database connection. All calls are inside the callback of a write (`Writing.run`). */
import type { RowDb } from '#store/sqlite/rows.ts';

export interface SyncDb extends Pick<RowDb, 'execute' | 'peek' | 'peekAll' | 'getMeta' | 'setMeta' | 'nextSeq'> {
  /** Returns the number of a new word; null if the database counts. Absent: null. */
  wordNumber?(word: string): number | null;
}
