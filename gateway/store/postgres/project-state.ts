/** The rows of the table `projects`: the last numbers and times of each project. A transaction locks the rows of its projects first. */
import type { ClientBase } from 'pg';
import { AUDIT_HEAD_KEY } from '#store/base/audit-chain.ts';
import { CLOCK_KEY, NO_TIME } from '#store/sqlite/commit.ts';
import { AHEAD_KEY } from '#store/sync/sync-tx.ts';
import { VERSION } from './migrations.ts';
import { PROJECT, SCHEMA } from './tables.ts';
import { fromText, toText } from './values.ts';
import { AUDIT_ROW, FLOOR, feedKey, SEQ } from './workspace.ts';

/** What a row has, as JSON. */
export interface ProjectState {
  readonly seq: number;
  /** Time of the last commit. */
  readonly hlc: string;
  /** The last number of each table's change feed. */
  readonly feeds: Readonly<Record<string, number>>;
  /** True if the project takes part in the replication. */
  readonly joined?: boolean;
  /** Token of the incarnation in which the last transaction of the project was committed. */
  readonly incarnation?: string;
  /** The greatest time of a document that is ahead of the clock. */
  readonly ahead?: string;
  /** The last entry of the audit log; only in the row `AUDIT_ROW`. */
  readonly audit?: string;
}

export interface LockedProject {
  readonly v: number;
  readonly state: ProjectState;
}

const NEW: LockedProject = { v: 0, state: { seq: 0, hlc: NO_TIME, feeds: {} } };

/** Locks the rows of these projects, in the order of their ids, and creates the missing ones. */
export async function lockProjects(
  client: ClientBase,
  projects: readonly string[],
): Promise<Map<string, LockedProject>> {
  const ids = projects.map(toText);
  const sql = `SELECT ${PROJECT}, v, state FROM ${SCHEMA}.projects WHERE ${PROJECT} = ANY($1) ORDER BY ${PROJECT} FOR UPDATE`;
  const found = new Map<string, LockedProject>();
  for (let tries = 0; ; tries++) {
    const { rows } = await client.query({ text: sql, values: [ids], rowMode: 'array' });
    for (const [project, v, state] of rows as [string, number, string][])
      found.set(fromText(project), { v, state: JSON.parse(state) as ProjectState });
    if (found.size >= projects.length) return found;
    if (tries > 1) throw new Error('the rows of new projects cannot be locked');
    const add = `INSERT INTO ${SCHEMA}.projects (${PROJECT}, v, state) SELECT p, 0, $2 FROM unnest($1::text[]) AS p ON CONFLICT DO NOTHING`;
    await client.query(add, [ids, JSON.stringify(NEW.state)]);
  }
}

/** Returns the values with which the code of a transaction begins. `clock`: the last time of this process. */
export function valuesOf(
  locked: ReadonlyMap<string, LockedProject>,
  clock: string,
  floor: number,
): Map<string, string | number> {
  let [seq, hlc, ahead] = [floor, clock, ''];
  const values = new Map<string, string | number>([[FLOOR, floor]]);
  for (const [project, { state }] of locked) {
    seq = Math.max(seq, state.seq);
    if (state.hlc > hlc) hlc = state.hlc;
    if ((state.ahead ?? '') > ahead) ahead = state.ahead ?? '';
    for (const [table, n] of Object.entries(state.feeds)) values.set(feedKey(table, project), n);
    if (state.audit !== undefined) values.set(AUDIT_HEAD_KEY, state.audit);
  }
  values.set(SEQ, seq).set(CLOCK_KEY, hlc);
  if (ahead !== '') values.set(AHEAD_KEY, ahead);
  return values;
}

/** Returns the state of a project after a transaction. */
export function stateAfter(
  project: string,
  { state }: LockedProject,
  values: ReadonlyMap<string, string | number>,
  tables: readonly string[],
  incarnation: string,
): ProjectState {
  const feeds = { ...state.feeds };
  for (const table of tables) {
    const n = values.get(feedKey(table, project));
    if (n !== undefined) feeds[table] = Number(n);
  }
  const [ahead, audit] = [values.get(AHEAD_KEY), values.get(AUDIT_HEAD_KEY)];
  return {
    seq: Number(values.get(SEQ)),
    hlc: String(values.get(CLOCK_KEY)),
    feeds,
    incarnation,
    ...(state.joined === true && { joined: true }),
    ...(ahead !== undefined && { ahead: String(ahead) }),
    ...(project === AUDIT_ROW && audit !== undefined && { audit: String(audit) }),
  };
}

/**
 * Writes the states, and the token of the transaction at the project `first`. Returns false if another process has changed the tables to a
 * newer version or begun a new incarnation, so the transaction must not be committed: its rows lack the new columns, or its numbers are of
 * a lost range. A change of the tables waits for transactions that have written to them, and transactions that write later wait for the change. So this statement, which comes after all other writes, sees the right version.
 */
export async function saveProjects(
  client: ClientBase,
  states: ReadonlyMap<string, ProjectState>,
  first: string,
  token: string,
  now: number,
  identity: string,
): Promise<boolean> {
  const ids = [...states.keys()].map(toText);
  const sql = `UPDATE ${SCHEMA}.projects t SET v = t.v + 1, state = u.state
    FROM unnest($1::text[], $2::text[]) AS u(p, state) WHERE t.${PROJECT} = u.p`;
  const texts = [...states.values()].map((state) => JSON.stringify(state));
  const note = `INSERT INTO ${SCHEMA}.commits (${PROJECT}, token, at_ms)
    SELECT $1, $2, $3::bigint FROM ${SCHEMA}.node WHERE one=1 AND version=$4 AND state=$5`;
  const [, noted] = await Promise.all([
    client.query(sql, [ids, texts]),
    client.query(note, [toText(first), token, now, VERSION, identity]),
  ]);
  return noted.rowCount === 1;
}

/** Returns true if the transaction with this token is committed. Waits until it is over if it still runs. */
export async function isCommitted(client: ClientBase, project: string, token: string): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await lockProjects(client, [project]);
    const sql = `SELECT 1 FROM ${SCHEMA}.commits WHERE ${PROJECT} = $1 AND token = $2`;
    return (await client.query(sql, [toText(project), token])).rowCount === 1;
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

/** Returns the version of the tables in the database. */
export async function tablesVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query(`SELECT version FROM ${SCHEMA}.node WHERE one=1`);
  return Number((rows as { version: unknown }[])[0]?.version);
}
