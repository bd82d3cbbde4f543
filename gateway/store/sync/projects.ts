/** The projects of this node that take part in the replication. Their numbers are read at the open and never change. */
import type { ProjectWrite } from '#contract/base/view.ts';
import type { NodeRow } from '#domain/sync/store.ts';
import type { SyncDb } from './sync-db.ts';

/** How far the documents of a project are counted; see `counting.ts`. */
export interface Work {
  /** The last number of each collection's change feed that was counted. */
  readonly done: Readonly<Record<string, number>>;
  /** True when all documents that were there at the begin are counted. */
  readonly isCounted: boolean;
  /** True if a version that copies the orders of lists added the project, so what was counted at the begin has its orders. */
  readonly isOrdered?: boolean;
}

export class Projects {
  readonly #numbers = new Map<string, number>();

  /** Reads the projects. Call it only inside the callback of a write (`Writing.run`). */
  load(db: SyncDb): void {
    for (const [no, project] of db.peekAll('SELECT no, project FROM sync_projects'))
      this.note(String(project), Number(no));
  }

  note(project: string, no: number): void {
    this.#numbers.set(project, no);
  }

  number(project: string): number | undefined {
    return this.#numbers.get(project);
  }

  get names(): string[] {
    return [...this.#numbers.keys()];
  }

  /** The project in which a document is copied; undefined for a document that stays on this node. */
  of({
    collection,
    object,
    id,
    project_id,
  }: Pick<ProjectWrite, 'collection' | 'object' | 'id' | 'project_id'>): string | undefined {
    if (this.#numbers.size === 0 || collection === 'local') return undefined;
    const project = collection === 'records' && object === 'project' ? id : project_id;
    return this.#numbers.has(project) ? project : undefined;
  }
}

/** Adds a project. Returns its number. `no` is the number that it gets if it is new; null if the database counts. */
export function addProject(
  db: SyncDb,
  project: string,
  node: Omit<NodeRow, 'clock'>,
  no: number | null = null,
): number {
  const work: Work = { done: {}, isCounted: false, isOrdered: true };
  db.execute(
    "INSERT OR IGNORE INTO sync_projects (no, project, node, n, chain, site, work) VALUES (?, ?, ?, 0, '', '', ?)",
    ...[no, project, JSON.stringify(node), JSON.stringify(work)],
  );
  return Number(db.peek('SELECT no FROM sync_projects WHERE project=?', project)?.[0]);
}

export function readWork(db: SyncDb, p: number): Work {
  return JSON.parse(String(db.peek('SELECT work FROM sync_projects WHERE no=?', p)?.[0])) as Work;
}

export function writeWork(db: SyncDb, p: number, work: Work): void {
  db.execute('UPDATE sync_projects SET work=? WHERE no=?', JSON.stringify(work), p);
}
