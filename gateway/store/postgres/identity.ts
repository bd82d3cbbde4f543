/**
 * The tables of a new database, or those of an earlier version that are changed to the ones of this version (`migrations.ts`), and the row
 * `node`: the identity that all processes of one head office share, and the incarnation of the database (the time between two losses of
 * commits). All of it happens in one transaction that locks the row `node`. So of several processes that start at once, one changes the
 * tables and the others wait for it, and a process that is killed meanwhile has changed nothing.
 *
 * A database that was restored from a backup is found by its place: the identifier of the PostgreSQL cluster, the timeline of its log, and
 * the number of the database in the cluster. If one of them differs from the last start, a new incarnation begins. A server that does not
 * tell its place changes nothing.
 */
import type { ClientBase } from 'pg';
import { makeId } from '#contract/base/ids.ts';
import { StoreError } from '#contract/base/store-error.ts';
import type { Incarnation } from '#store/base/engine.ts';
import { isAway, isConflict, isRefused, NOT_NOW } from './errors.ts';
import { hashOfTables, migrate, VERSION } from './migrations.ts';
import { type Database, type Log, UNHURRIED } from './pool.ts';
import { createStatements, SCHEMA } from './tables.ts';

/** The size of the range of numbers of one incarnation; see `store/file/incarnation.ts`. */
const SPAN = 2 ** 40;
const MOST_TRIES = 20;
/** Another process creates the same tables at the same time. */
const RACES: ReadonlySet<string> = new Set(['23505', '42P06', '42P07', 'XX000']);

export interface Identity {
  readonly nodeId: string;
  /** A part of the revisions of RxDB. */
  readonly rxToken: string;
  readonly incarnation: Incarnation;
  /** Numbers up to this one may have been used by commits that are lost. */
  readonly floor: number;
  /** Where the database is; an empty text if the server does not tell it. */
  readonly place: string;
  /** The text of the row. A transaction whose process knows another text is not committed. */
  readonly text: string;
}

interface NodeState {
  readonly node: string;
  readonly rx: string;
  readonly incarnation: Incarnation;
  readonly place: string;
  /** Hash of the statements that create such tables in an empty database. */
  readonly tables: string;
}

export interface IdentityOptions {
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log?: Log;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Creates the tables of an empty database, or changes those of an earlier version, and reads the identity. Throws `StoreError` if it cannot
 * use the tables.
 */
export async function openIdentity(database: Database, options: IdentityOptions): Promise<Identity> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.use((client) => inTransaction(client, () => readIdentity(client, database.name, options)));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (isRefused(error)) throw new StoreError('database_refused', database.name, error);
      if (tries >= MOST_TRIES || !(isConflict(error) || isAway(error) || RACES.has(code))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * tries));
    }
  }
}

/**
 * Returns the identity if this connection leads to another place than the one that is known, such as a server that took the place of
 * another. Begins a new incarnation if no other process has done it. `isCertain`: the identity has changed in any case.
 */
export async function identityAt(
  client: ClientBase,
  { place }: Identity,
  name: string,
  options: IdentityOptions,
  isCertain = false,
): Promise<Identity | undefined> {
  if (!isCertain) {
    await client.query('BEGIN');
    const now = await placeOf(client).finally(() => client.query('ROLLBACK').catch(() => {}));
    if (now === '' || now === place) return undefined;
  }
  return await inTransaction(client, () => readIdentity(client, name, options));
}

async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function readIdentity(
  client: ClientBase,
  name: string,
  { clock, random, log }: IdentityOptions,
): Promise<Identity> {
  // Another process may change the tables now, which takes long if there are many documents.
  await client.query('SET LOCAL statement_timeout = 0');
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${SCHEMA}.node (one bigint PRIMARY KEY, version bigint NOT NULL, state text NOT NULL)`,
  );
  const text = `SELECT version, state FROM ${SCHEMA}.node WHERE one=1 FOR UPDATE`;
  const { rows } = await client.query({ text, ...UNHURRIED });
  const [row] = rows as { version: number; state: string }[];
  const place = await placeOf(client);
  if (row === undefined) {
    await client.query(createStatements().join('; '));
    const state: NodeState = {
      node: makeId('gateway', clock(), random(10)),
      rx: hex(random(5)),
      incarnation: { number: 1, token: hex(random(16)) },
      place,
      tables: hashOfTables(),
    };
    await client.query(`INSERT INTO ${SCHEMA}.node VALUES (1, $1, $2)`, [VERSION, JSON.stringify(state)]);
    return identityOf(state, JSON.stringify(state), place);
  }
  const known = JSON.parse(row.state) as NodeState;
  const tables = await migrate(client, { version: row.version, tables: known.tables }, name, log);
  const isMoved = place !== '' && known.place !== place;
  if (tables === known.tables && !isMoved) return identityOf(known, row.state, place);
  const { number } = known.incarnation;
  const state: NodeState = {
    ...{ ...known, tables },
    ...(isMoved && { place, incarnation: { number: number + 1, token: hex(random(16)) } }),
  };
  const values = [VERSION, JSON.stringify(state)];
  await client.query(`UPDATE ${SCHEMA}.node SET version=$1, state=$2 WHERE one=1`, values);
  return identityOf(state, JSON.stringify(state), place);
}

function identityOf({ node, rx, incarnation }: NodeState, text: string, place: string): Identity {
  return { nodeId: node, rxToken: rx, incarnation, floor: (incarnation.number - 1) * SPAN, place, text };
}

/** A server that is a replica now tells no place, and may become the primary while the connection stays. */
const IN_RECOVERY = '55000';

/** Returns where the database is, or an empty text if the server does not tell it. Throws if the server is a replica. */
async function placeOf(client: ClientBase): Promise<string> {
  await client.query('SAVEPOINT place');
  try {
    // The control file has a new timeline only after the next checkpoint, so the timeline is read from the name of the log file.
    const sql = `SELECT s.system_identifier::text AS system, pg_walfile_name(pg_current_wal_insert_lsn()) AS file, d.oid::text AS database
      FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`;
    const { rows } = await client.query(sql);
    const [{ system, file, database }] = rows as [{ system: string; file: string; database: string }];
    return JSON.stringify({ system, timeline: Number.parseInt(file.slice(0, 8), 16), database });
  } catch (error) {
    if (isConflict(error) || isAway(error)) throw error;
    if ((error as { code?: unknown }).code === IN_RECOVERY)
      throw Object.assign(new Error('the server is a replica', { cause: error }), { code: NOT_NOW });
    await client.query('ROLLBACK TO SAVEPOINT place');
    return '';
  }
}
