/** Which node wrote the documents of tasks at an end, as its store has them. No operation shows this. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { queryOnce } from '#test/support/postgres.ts';
import type { End } from '#test/sync/ends.ts';

/** A stored task, run or entry of a transcript. */
export interface Written {
  readonly object: string;
  readonly id: string;
  /** The node that wrote it last. */
  readonly origin: string;
  readonly data: { readonly node_id?: string; readonly task_id?: string; readonly run_id?: string };
}

const TABLES = ['records', 'live', 'events'] as const;
const OBJECTS = ['task', 'run', 'message'];

/** Returns the documents of tasks of a project at an end. */
export async function writtenAt(end: End, project: string): Promise<Written[]> {
  const texts: unknown[] = [];
  if (end.database === undefined) {
    using file = new DatabaseSync(join(end.folder, 'store', 'headframe.db'), { readOnly: true, timeout: 60_000 });
    for (const table of TABLES) {
      const rows = file.prepare(`SELECT data FROM ${table}_0 WHERE ".project_id"=? AND del=0`).all(project);
      texts.push(...rows.map((row) => row.data));
    }
  } else
    for (const table of TABLES) {
      const sql = `SELECT data FROM headframe.${table} WHERE project_id=$1 AND del=0`;
      texts.push(...(await queryOnce(end.database, sql, [project])).map(([data]) => data));
    }
  const found = texts.map((text) => JSON.parse(String(text)) as Written);
  return found.filter(({ object }) => OBJECTS.includes(object));
}
