/**
 * The tables of a new database, and the row `node`: the identity that all processes of one head office share, and the incarnation of the
 * database (the time between two losses of commits).
 *
 * A database that was restored from a backup is found by its place: the identifier of the PostgreSQL cluster, the timeline of its log, and
 * the number of the database in the cluster. If one of them differs from the last start, a new incarnation begins. A server that does not
 * tell its place changes nothing.
 */
import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { makeId } from '#contract/base/ids.ts';
import { StoreError } from '#contract/base/store-error.ts';
import type { Incarnation } from '#store/base/engine.ts';
import { isAway, isConflict, isRefused } from './errors.ts';
import type { Database } from './pool.ts';
import { createStatements, SCHEMA } from './tables.ts';

/** The version of the tables. */
const VERSION = 1;
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
}

interface NodeState {
  readonly node: string;
  readonly rx: string;
  readonly incarnation: Incarnation;
  readonly place: string;
  /** Hash of the statements that created the tables. */
  readonly tables: string;
}

export interface IdentityOptions {
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const hashOfTables = (): string => createHash('sha256').update(createStatements().join('\n')).digest('hex');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Creates the tables of an empty database, and reads the identity. Throws `StoreError` if the tables have another version. */
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

async function readIdentity(client: ClientBase, name: string, { clock, random }: IdentityOptions): Promise<Identity> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${SCHEMA}.node (one bigint PRIMARY KEY, version bigint NOT NULL, state text NOT NULL)`,
  );
  const { rows } = await client.query(`SELECT version, state FROM ${SCHEMA}.node WHERE one=1 FOR UPDATE`);
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
    return identityOf(state);
  }
  if (row.version !== VERSION) throw new StoreError('database_version', `${name} ${wrongVersion(row.version)}`);
  const known = JSON.parse(row.state) as NodeState;
  if (known.tables !== hashOfTables()) throw new StoreError('database_version', `${name} ${OTHER_TABLES}`);
  if (place === '' || known.place === place) return identityOf(known);
  const { number } = known.incarnation;
  const state: NodeState = { ...known, place, incarnation: { number: number + 1, token: hex(random(16)) } };
  await client.query(`UPDATE ${SCHEMA}.node SET state=$1 WHERE one=1`, [JSON.stringify(state)]);
  return identityOf(state);
}

const OTHER_TABLES =
  'has tables with other columns or indexes than this Headframe writes: install the version that made them';

const wrongVersion = (version: number): string =>
  version > VERSION
    ? `has tables of version ${version}, which a newer Headframe made: install that version or a later one`
    : `has tables of version ${version}, which this Headframe cannot use: install the version before it`;

function identityOf({ node, rx, incarnation }: NodeState): Identity {
  return { nodeId: node, rxToken: rx, incarnation, floor: (incarnation.number - 1) * SPAN };
}

/** Returns where the database is, or an empty text if the server does not tell it. */
async function placeOf(client: ClientBase): Promise<string> {
  await client.query('SAVEPOINT place');
  try {
    const sql = `SELECT s.system_identifier::text AS system, c.timeline_id AS timeline, d.oid::text AS database
      FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()`;
    const { rows } = await client.query(sql);
    return JSON.stringify(rows[0]);
  } catch (error) {
    if (isConflict(error) || isAway(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT place');
    return '';
  }
}
