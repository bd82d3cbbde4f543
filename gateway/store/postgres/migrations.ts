/**
 * The versions of the tables in PostgreSQL, and how the tables of one version become those of the next.
 *
 * The tables follow from the code (`tables.ts`). So whoever adds an indexed field or changes a table also adds a version here: the hash of
 * the new tables, and the step that changes a database of the version before. A test fails without it. A step is never changed later, and
 * its statements do not follow from the code.
 */
import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { StoreError } from '#contract/base/store-error.ts';
import type { CollectionName } from '#contract/base/view.ts';
import { hasBodies } from '#store/base/body.ts';
import { readerOf } from '#store/sqlite/columns.ts';
import { parseDocument } from '#store/sqlite/damaged-documents.ts';
import { type Log, UNHURRIED } from './pool.ts';
import { createStatements, PROJECT, SCHEMA } from './tables.ts';
import { fromText, toKey } from './values.ts';

/** The rows whose new columns one statement fills. */
const MOST_FILLED = 500;

/** Changes the tables. It runs in a transaction. */
type Step = (client: ClientBase) => Promise<void>;

interface Version {
  /** Hash of the statements that create the tables of this version in an empty database. */
  readonly tables: string;
  /** Changes the tables of the version before. */
  readonly step: Step;
}

/** The versions, from version 1 on. */
const VERSIONS: readonly Version[] = [
  { tables: '4dc6c5e1a496ffa33f3ed373435352c06fda2ee5d2a48b37f12bba7470d5290e', step: async () => {} },
  {
    tables: '1fc5f20ac78aae681bda68c2b1af77251422977d6b0d6506327b39ba3fc45289',
    step: async (client) => {
      await addColumns(client, 'records', ['data.replication', 'data.wanted_at']);
      await addIndexes(client, 'records', 'artifact', ['data.replication', 'data.wanted_at']);
    },
  },
  {
    tables: '2976d923315a689b1ba6b5ac4cfe6e607b3271bf2d21a93cd4004135fc682815',
    step: async (client) => {
      const columns = 'name text PRIMARY KEY, token bigint NOT NULL, beats bigint NOT NULL, holder text NOT NULL';
      await run(client, `CREATE TABLE ${SCHEMA}.leases (${columns})`);
      await run(client, `INSERT INTO ${SCHEMA}.leases VALUES ('background', 0, 0, '')`);
    },
  },
  {
    tables: '93f64eb8dacab8087e85594d8821af8a1a38c80fc2bfe136c3a6d15b29eb7106',
    step: async (client) => {
      await addColumns(client, 'local', ['data.link']);
      await addIndexes(client, 'local', 'late_receipt', ['data.expires_ms']);
      await addIndexes(client, 'local', 'fault_receipt', ['data.expires_ms', 'data.link']);
    },
  },
  {
    tables: '04473a0c2d641720d22fdfd6b7ed2a91ca9f885b7587311e926e7beabb4e5735',
    step: async (client) => {
      await addColumns(client, 'records', ['data.links.custom_action_id']);
      await addIndexes(client, 'records', 'task', ['data.links.custom_action_id']);
      await addIndexes(client, 'local', 'display', ['data.token_hash', 'data.object_id']);
    },
  },
];

/** The version of the tables that this code uses. */
export const VERSION = VERSIONS.length;

/** Hash of the statements that create the tables of this version. */
export const hashOfTables = (): string => createHash('sha256').update(createStatements().join('\n')).digest('hex');

/** The hash that `VERSIONS` names for the newest version. */
export const listedHash = (): string => VERSIONS.at(-1)?.tables ?? '';

/**
 * Changes the tables of a database to this version, and returns the hash of the tables. Call it only in a transaction that has locked the
 * row `node`. Throws `StoreError` if the tables are not those of a version that this code knows.
 */
export async function migrate(
  client: ClientBase,
  { version, tables }: { readonly version: number; readonly tables: string },
  name: string,
  log: Log | undefined,
): Promise<string> {
  if (version > VERSION) throw new StoreError('database_version', `${name} ${newer(version)}`);
  const known = version === VERSION ? hashOfTables() : VERSIONS[version - 1]?.tables;
  if (tables !== known) throw new StoreError('database_version', `${name} ${OTHER_TABLES}`);
  if (version === VERSION) return tables;
  const data = { database: name, from: version, to: VERSION };
  log?.('info', 'the tables of the database are changed to a newer version', data);
  for (const { step } of VERSIONS.slice(version)) await step(client);
  log?.('info', 'the tables of the database have the newer version', data);
  return hashOfTables();
}

const OTHER_TABLES =
  'has tables with other columns or indexes than this Headframe writes: install the version that made them';

const newer = (version: number): string =>
  `has tables of version ${version}, which a newer Headframe made: install that version or a later one`;

const run = async (client: ClientBase, text: string, values: readonly unknown[] = []): Promise<unknown[][]> =>
  (await client.query({ text, values: [...values], rowMode: 'array', ...UNHURRIED })).rows as unknown[][];

/** Adds columns for fields of documents, and fills them from the documents. */
async function addColumns(client: ClientBase, collection: CollectionName, paths: readonly string[]): Promise<void> {
  const table = `${SCHEMA}."${collection}"`;
  await run(client, `ALTER TABLE ${table} ${paths.map((path) => `ADD COLUMN "${path}" bytea`).join(', ')}`);
  const readers = paths.map(readerOf);
  const body = hasBodies(collection) ? 'body' : 'NULL';
  const page = `SELECT ${PROJECT}, id, data, sum, ${body} FROM ${table} WHERE (${PROJECT}, id) > ($1, $2)
    ORDER BY ${PROJECT}, id LIMIT ${MOST_FILLED}`;
  const arrays = paths.map((_, i) => `$${i + 3}::bytea[]`);
  const set = paths.map((path, i) => `"${path}" = u.c${i}`);
  const fill = `UPDATE ${table} t SET ${set.join(', ')}
    FROM unnest($1::text[], $2::text[], ${arrays.join(', ')}) AS u(p, i, ${paths.map((_, i) => `c${i}`).join(', ')})
    WHERE t.${PROJECT} = u.p AND t.id = u.i`;
  let last: readonly unknown[] = ['', ''];
  for (;;) {
    const rows = await run(client, page, last.slice(0, 2));
    const filled = rows
      .map((row) => [row[0], row[1], ...keysOf(row, readers)])
      .filter(([, , ...keys]) => keys.some((key) => key !== null));
    const column = (i: number) => filled.map((row) => row[i]);
    if (filled.length > 0) await run(client, fill, [column(0), column(1), ...paths.map((_, i) => column(i + 2))]);
    if (rows.length < MOST_FILLED) return;
    last = rows.at(-1) ?? [];
  }
}

/** Returns the values of the new columns. A damaged document has none: every read of it fails in any case, but the start must not. */
function keysOf(
  [, , data, sum, body]: readonly unknown[],
  readers: readonly ReturnType<typeof readerOf>[],
): (Buffer | null)[] {
  let document: object;
  try {
    document = parseDocument<object>(
      fromText(String(data)),
      sum,
      body === null ? null : new Uint8Array(body as Buffer),
    );
  } catch {
    return readers.map(() => null);
  }
  return readers.map((read) => toKey(read(document)));
}

/** Adds the indexes of fields that lists of a kind of documents use. */
async function addIndexes(
  client: ClientBase,
  collection: CollectionName,
  object: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths)
    await run(
      client,
      `CREATE INDEX "${collection}:${object}:${path}" ON ${SCHEMA}."${collection}" ("${path}", ${PROJECT}, created_at, id)
        WHERE del=0 AND object='${object}'`,
    );
}
