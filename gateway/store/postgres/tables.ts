/**
 * The tables in PostgreSQL. Each of them has the rows of a table in SQLite (`store/sqlite/table.ts`, `store/sync/tables.ts`), keyed by the
 * project first:
 *
 *   projects            the last numbers and times of a project. A transaction locks the rows of its projects before it reads
 *   commits             the tokens of transactions, by which a process learns the outcome of a COMMIT whose answer was lost
 *   records, live, ...  the documents of the collections
 *   sync_...            what the replication to head office knows
 *   node                one row: the identity of this head office and of this database
 *   leases              one row: which process does the background work (`lease.ts`)
 */
import { COLLECTIONS, type CollectionName } from '#contract/base/view.ts';
import { type IndexSpec, indexSpecs } from '#store/sqlite/columns.ts';
import { byCollection } from '#store/sqlite/database.ts';
import { documentTable } from '#store/sqlite/document-table.ts';
import { literal, type Table } from '#store/sqlite/table.ts';
import { type ColumnType, SQL_TYPES } from './values.ts';

export const SCHEMA = 'headframe';

export interface ColumnSpec {
  /** The name in the workspace, which is in SQLite, without quotes. */
  readonly memory: string;
  /** The name in PostgreSQL, in quotes. */
  readonly name: string;
  readonly type: ColumnType;
}

export interface TableSpec {
  /** The name in the workspace, without quotes. */
  readonly memory: string;
  /** The name in PostgreSQL, with its schema. */
  readonly name: string;
  /** The columns in their order in the workspace. */
  readonly columns: readonly ColumnSpec[];
  /** How many of the first columns are the primary key in PostgreSQL, besides the project. */
  readonly keys: readonly string[];
  /**
   * How a row names its project. `text`: the column has its id. `number`: the column has its number in this process, and PostgreSQL the id.
   * `none`: rows of the workspace belong to all projects of the transaction.
   */
  readonly project: { readonly column: string; readonly as: 'text' | 'number' | 'none' };
}

/** The row of `leases` for the background work. */
export const BACKGROUND = 'background';
export const PROJECT = 'project_id';
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const nameOf = (name: string): string => `${SCHEMA}.${quoted(name)}`;

/** Fields of documents whose values are always texts. */
const TEXTS: ReadonlySet<string> = new Set(['project_id', 'object', 'created_at']);

/** The tables of documents, as the code of transactions sees them. */
export const DOCUMENT_TABLES: Readonly<Record<CollectionName, Table>> = byCollection(documentTable);

function documentSpec(collection: CollectionName): TableSpec {
  const table = DOCUMENT_TABLES[collection];
  const fixed: readonly (readonly [string, ColumnType])[] = [
    ['id', 'text'],
    ['seq', 'int'],
    ['rev', 'text'],
    ['del', 'int'],
    ['lwt', 'real'],
    ['data', 'text'],
    ['sum', 'int'],
    ['part_seq', 'int'],
  ];
  const columns: ColumnSpec[] = fixed.map(([name, type]) => ({ memory: name, name: quoted(name), type }));
  for (const { plain, path } of table.columns)
    columns.push({ memory: plain, name: quoted(path), type: TEXTS.has(path) ? 'text' : 'key' });
  if (table.hasBodies) columns.push({ memory: 'body', name: '"body"', type: 'bytes' });
  const memory = `${collection}_0`;
  return {
    ...{ memory, name: nameOf(collection), columns, keys: ['id'] },
    project: { column: '.project_id', as: 'text' },
  };
}

type SyncColumns = Readonly<Record<string, ColumnType>>;

function syncSpec(memory: string, keys: readonly string[], columns: SyncColumns, by: TableSpec['project']): TableSpec {
  return {
    ...{ memory, name: nameOf(memory), keys, project: by },
    columns: Object.entries(columns).map(([name, type]) => ({ memory: name, name: quoted(name), type })),
  };
}

const BY_NUMBER = { column: 'p', as: 'number' } as const;

const SYNC_SPECS: readonly TableSpec[] = [
  syncSpec(
    'sync_projects',
    [],
    { no: 'int', project: 'text', node: 'text', n: 'int', chain: 'text', site: 'text', work: 'text' },
    { column: 'no', as: 'number' },
  ),
  syncSpec('sync_words', ['no'], { no: 'int', word: 'text' }, { column: '', as: 'none' }),
  syncSpec(
    'sync_docs',
    ['key'],
    {
      ...{ p: 'int', key: 'text', life: 'int', hlc: 'text', state: 'text', n: 'int', leaf: 'int' },
      ...{ scope: 'int', hash: 'bytes', machine: 'int', machine_hash: 'bytes', dead: 'int' },
    },
    BY_NUMBER,
  ),
  syncSpec('sync_held', ['life'], { p: 'int', life: 'int', n: 'int', sum: 'bytes' }, BY_NUMBER),
  syncSpec(
    'sync_leaves',
    ['scope', 'leaf'],
    { p: 'int', scope: 'int', leaf: 'int', n: 'int', sum: 'bytes' },
    BY_NUMBER,
  ),
  syncSpec(
    'sync_log',
    ['n'],
    {
      ...{ p: 'int', n: 'int', key: 'key', chain: 'key', life: 'int', hlc: 'text' },
      ...{ lane: 'int', giver: 'int', members: 'text' },
    },
    BY_NUMBER,
  ),
  syncSpec('sync_state', ['kind', 'name'], { p: 'int', kind: 'text', name: 'text', value: 'text' }, BY_NUMBER),
  syncSpec('sync_claims', ['name', 'id'], { p: 'int', name: 'text', hlc: 'text', id: 'text' }, BY_NUMBER),
];

/** All tables whose rows a transaction reads into its workspace, by their name there. */
export const SPECS: ReadonlyMap<string, TableSpec> = new Map(
  [...COLLECTIONS.map(documentSpec), ...SYNC_SPECS].map((spec) => [spec.memory, spec]),
);

/** Returns the columns of a table that PostgreSQL has, without the project. */
export function storedColumns({ columns, project }: TableSpec): readonly ColumnSpec[] {
  return columns.filter(({ memory }) => memory !== project.column && memory !== 'project');
}

/** The statements that create the tables of this version in an empty database. */
export function createStatements(): string[] {
  const statements = [
    `CREATE TABLE ${SCHEMA}.projects (${PROJECT} ${SQL_TYPES.text} PRIMARY KEY, v bigint NOT NULL, state text NOT NULL)`,
    `CREATE TABLE ${SCHEMA}.commits (${PROJECT} ${SQL_TYPES.text}, token text, at_ms bigint NOT NULL, PRIMARY KEY (${PROJECT}, token))`,
    `CREATE TABLE ${SCHEMA}.leases (name text PRIMARY KEY, token bigint NOT NULL, beats bigint NOT NULL, holder text NOT NULL)`,
    `INSERT INTO ${SCHEMA}.leases VALUES ('${BACKGROUND}', 0, 0, '')`,
  ];
  for (const spec of SPECS.values()) {
    const columns = storedColumns(spec).map(({ name, type }) => `${name} ${SQL_TYPES[type]}`);
    const keys = [PROJECT, ...spec.keys.map(quoted)].join(', ');
    statements.push(
      `CREATE TABLE ${spec.name} (${[`${PROJECT} ${SQL_TYPES.text}`, ...columns].join(', ')}, PRIMARY KEY (${keys}))`,
    );
  }
  return [...statements, ...COLLECTIONS.flatMap(documentIndexes), ...syncIndexes()];
}

/** The column of PostgreSQL for a path of a document; undefined if it has none. */
export function documentColumn(collection: CollectionName, path: string): ColumnSpec | undefined {
  const spec = SPECS.get(`${collection}_0`);
  return spec?.columns.find(({ memory, name }) => name === quoted(path) && (memory === 'id' || memory.startsWith('.')));
}

function documentIndexes(collection: CollectionName): string[] {
  const table = nameOf(collection);
  const index = (name: string, columns: string, where = ''): string =>
    `CREATE INDEX ${quoted(`${collection}:${name}`)} ON ${table} (${columns})${where}`;
  const of = ({ name, paths, object }: IndexSpec): string =>
    index(
      name,
      paths.map(quoted).join(', '),
      ` WHERE del=0${object === undefined ? '' : ` AND object=${literal(object)}`}`,
    );
  return [
    index('id', 'id'),
    index('feed', `${PROJECT}, part_seq`),
    index('deleted', `${PROJECT}, lwt`, ' WHERE del=1'),
    ...indexSpecs(collection).map(of),
  ];
}

function syncIndexes(): string[] {
  const index = (table: string, name: string, columns: string, where = ''): string =>
    `CREATE INDEX ${name} ON ${SCHEMA}.${table} (${PROJECT}, ${columns})${where}`;
  return [
    index('sync_docs', 'sync_docs_scope', 'scope, leaf', ' WHERE scope IS NOT NULL'),
    index('sync_docs', 'sync_docs_machine', 'machine, leaf', ' WHERE machine IS NOT NULL'),
    index('sync_docs', 'sync_docs_dead', 'key', ' WHERE dead=1'),
    index('sync_log', 'sync_log_key', 'key'),
    index('sync_log', 'sync_log_lane', 'lane, n'),
  ];
}
