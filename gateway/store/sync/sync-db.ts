/** What the tables of the replication use of a database connection. All calls are inside the callback of a write (`Writing.run`). */
import type { Connection } from '#store/sqlite/connection.ts';

export type SyncDb = Pick<Connection, 'execute' | 'peek' | 'peekAll' | 'getMeta' | 'setMeta'>;
