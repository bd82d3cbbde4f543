/**
 * The parts of a transaction: which waiting calls share it, and what each part changed. A part has the calls of the same projects, and a
 * workspace of its own.
 */
import type { Change } from '#contract/base/view.ts';
import type { Fence } from '#store/base/lease.ts';
import { CLOCK_KEY } from '#store/sqlite/commit.ts';
import { AHEAD_KEY } from '#store/sync/sync-tx.ts';
import type { RowChange } from './memory-rows.ts';
import { type LockedProject, type ProjectState, stateAfter } from './project-state.ts';
import { DOCUMENT_TABLES } from './tables.ts';
import { type Call, Workspace } from './workspace.ts';

/** The most rows of the calls of a part. A call that may write more is a part alone. */
const MOST_ROWS = 250;
/** The most parts of a transaction. */
const MOST_PARTS = 16;

/** A call that waits. */
export interface Job extends Call {
  /** The projects of the call, and those that an attempt has named. */
  readonly projects: Set<string>;
  readonly rows: number;
  readonly fence: Fence | undefined;
  /** Reads rows that the call will need. */
  readonly ahead: (() => void) | undefined;
  changes(): readonly Change[];
  settle(): void;
  fail(error: unknown): void;
}

/** Calls whose projects no other part of the transaction has. They run in one workspace. */
export interface Part {
  readonly jobs: Job[];
  /** The projects of the calls, and those that an attempt has named. */
  readonly projects: Set<string>;
  /** The projects of the first call, which has all projects of the others. */
  readonly own: ReadonlySet<string>;
  readonly workspace: Workspace;
  rows: number;
}

/** A part in one try of its transaction. */
export interface BegunPart {
  readonly part: Part;
  /** Its projects that take part in the replication. */
  readonly own: readonly string[];
  /** The values with which the try begins. */
  readonly values: ReadonlyMap<string, string | number>;
  /** Calls that begin a new life in projects of an earlier incarnation. They run before the calls of the part. */
  readonly renewals: readonly Call[];
}

/** What a part has changed. */
export interface ChangedPart extends BegunPart {
  readonly changes: readonly RowChange[];
}

/**
 * Takes the first call whose projects are free, and later ones: of the same projects, and of others whose projects are free. Calls of one
 * project keep their order. Background work shares no transaction with other work.
 */
export function takeParts(
  queue: readonly Job[],
  busy: ReadonlySet<string>,
): { readonly parts: readonly Part[]; readonly left: Job[] } {
  const blocked = new Set(busy);
  const parts: Part[] = [];
  const left: Job[] = [];
  const newPart = ({ projects }: Job): Part => {
    const part: Part = {
      jobs: [],
      projects: new Set(projects),
      own: new Set(projects),
      workspace: new Workspace(),
      rows: 0,
    };
    parts.push(part);
    return part;
  };
  const placeOf = (job: Job): Part | undefined => {
    const [first] = parts;
    if (first === undefined) return newPart(job);
    if (job.fence?.token !== first.jobs[0]?.fence?.token) return undefined;
    const related = parts.filter((part) => [...job.projects].some((one) => part.own.has(one)));
    if (related.length === 0) return job.fence === undefined && parts.length < MOST_PARTS ? newPart(job) : undefined;
    const [only] = related as [Part];
    const fits = only.rows + job.rows <= MOST_ROWS && [...job.projects].every((one) => only.own.has(one));
    return related.length === 1 && fits ? only : undefined;
  };
  for (const job of queue) {
    const isFree = [...job.projects].every((project) => !blocked.has(project));
    const part = isFree ? placeOf(job) : undefined;
    if (part === undefined) {
      left.push(job);
      for (const project of job.projects) blocked.add(project);
    } else {
      part.jobs.push(job);
      part.rows += job.rows;
    }
  }
  return { parts, left };
}

const DOCUMENT_NAMES = Object.values(DOCUMENT_TABLES).map(({ plainName }) => plainName);

const isJoin = ({ table, operation }: RowChange): boolean => table === 'sync_projects' && operation === 'insert';

/** Returns the locked rows of the projects of a part. */
export function lockedOf({ projects }: Part, before: ReadonlyMap<string, LockedProject>): Map<string, LockedProject> {
  return new Map([...before].filter(([project]) => projects.has(project)));
}

/** Returns the states of the projects of the changed parts. */
export function statesAfter(
  changed: readonly ChangedPart[],
  before: ReadonlyMap<string, LockedProject>,
  incarnation: string,
): Map<string, ProjectState> {
  const after = new Map<string, ProjectState>();
  for (const { part, changes } of changed) {
    const joins = new Set(changes.flatMap((change) => (isJoin(change) ? [String(change.values[1])] : [])));
    for (const [project, locked] of lockedOf(part, before)) {
      const state = stateAfter(project, locked, part.workspace.values, DOCUMENT_NAMES, incarnation);
      after.set(project, joins.has(project) ? { ...state, joined: true } : state);
    }
  }
  return after;
}

/** True if there is something to write. */
export function isChanged({ part, values, changes }: ChangedPart): boolean {
  if (changes.length > 0) return true;
  return [CLOCK_KEY, AHEAD_KEY].some((key) => part.workspace.values.get(key) !== values.get(key));
}
