/** Writes the rows that a transaction changed in its workspace to PostgreSQL: one statement for each table, operation and set of columns. */
import type { ClientBase } from 'pg';
import type { ProjectNumbers } from './loader.ts';
import type { RowChange } from './memory-rows.ts';
import { type ColumnSpec, PROJECT, SPECS, storedColumns, type TableSpec } from './tables.ts';
import { ARRAY_TYPES, toColumn, toText, type Value } from './values.ts';

/** The most rows of one statement, so that its parameters stay small. */
const MOST_ROWS = 500;
/** The most bytes of the parameters of one statement, more or less. */
const MOST_BYTES = 8 << 20;

interface Change {
  readonly project: string;
  readonly values: ReadonlyMap<string, Value | undefined>;
}

interface Group {
  readonly spec: TableSpec;
  readonly operation: RowChange['operation'];
  /** The columns of the statement; for a change and a deletion, the primary key comes first. */
  readonly columns: readonly ColumnSpec[];
  readonly changes: Change[];
}

/** What one workspace changed. */
export interface Flushed {
  readonly changes: readonly RowChange[];
  /** Its projects that take part in the replication. They get the new words. */
  readonly own: readonly string[];
}

/** Writes the changes of all workspaces. No two of them have changed one row. */
export async function flushChanges(
  client: ClientBase,
  parts: readonly Flushed[],
  numbers: ProjectNumbers,
): Promise<void> {
  const groups = new Map<string, Group>();
  for (const { changes, own } of parts) for (const change of changes) addChange(groups, change, own, numbers);
  const writes = [...groups.values()].flatMap((group) => [...partsOf(group)].map((part) => write(client, group, part)));
  await Promise.all(writes);
}

function addChange(
  groups: Map<string, Group>,
  { table, operation, values }: RowChange,
  own: readonly string[],
  numbers: ProjectNumbers,
): void {
  const spec = SPECS.get(table);
  if (spec === undefined) throw new Error(`a transaction changed the unknown table ${table}`);
  const byName = new Map(spec.columns.map(({ memory }, i) => [memory, values[i]]));
  const stored = storedColumns(spec);
  const isKey = ({ memory }: ColumnSpec): boolean => spec.keys.includes(memory);
  const columns =
    operation === 'insert'
      ? stored
      : [
          ...stored.filter(isKey),
          ...stored.filter(
            (column) => operation === 'update' && !isKey(column) && byName.get(column.memory) !== undefined,
          ),
        ];
  const name = `${table} ${operation} ${columns.map((column) => column.memory).join()}`;
  const group = groups.get(name) ?? { spec, operation, columns, changes: [] };
  groups.set(name, group);
  for (const project of projectsOf(spec, byName, own, numbers)) group.changes.push({ project, values: byName });
}

function projectsOf(
  { project }: TableSpec,
  values: ReadonlyMap<string, Value | undefined>,
  own: readonly string[],
  numbers: ProjectNumbers,
): readonly string[] {
  if (project.as === 'none') return own;
  const value = values.get(project.column);
  const id = project.as === 'number' ? numbers.idOf(Number(value)) : String(value);
  if (id === undefined || value === undefined) throw new Error('a changed row names no project');
  return [id];
}

function* partsOf({ changes }: Group): Generator<readonly Change[]> {
  let from = 0;
  let bytes = 0;
  for (const [i, { values }] of changes.entries()) {
    for (const value of values.values())
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    if (i + 1 - from < MOST_ROWS && bytes < MOST_BYTES) continue;
    yield changes.slice(from, i + 1);
    [from, bytes] = [i + 1, 0];
  }
  if (from < changes.length) yield changes.slice(from);
}

async function write(client: ClientBase, { spec, operation, columns }: Group, part: readonly Change[]): Promise<void> {
  const parameters: unknown[] = [part.map(({ project }) => toText(project))];
  for (const { memory, type } of columns)
    parameters.push(part.map(({ values }) => toColumn(type, values.get(memory) ?? null)));
  const types = ['text[]', ...columns.map(({ type }) => ARRAY_TYPES[type])];
  const rows = `unnest(${types.map((type, i) => `$${i + 1}::${type}`).join(', ')}) AS u(${['p', ...columns.map((_, i) => `c${i}`)].join(', ')})`;
  const keys = columns.flatMap(({ memory, name }, i) => (spec.keys.includes(memory) ? [`t.${name} = u.c${i}`] : []));
  const where = [`t.${PROJECT} = u.p`, ...keys].join(' AND ');
  const { rowCount } = await client.query(statement(spec, operation, columns, rows, where), parameters);
  // A word and its number are the same in every transaction. If another transaction has stored the word already, nothing is left to do.
  if (rowCount !== part.length && spec.project.as !== 'none')
    throw new Error(`${rowCount} of ${part.length} rows of ${spec.name} were written`);
}

function statement(
  spec: TableSpec,
  operation: RowChange['operation'],
  columns: readonly ColumnSpec[],
  rows: string,
  where: string,
): string {
  const names = columns.map(({ name }) => `, ${name}`).join('');
  const values = columns.map((_, i) => `, c${i}`).join('');
  switch (operation) {
    case 'insert': {
      const shared = spec.project.as === 'none' ? ' ON CONFLICT DO NOTHING' : '';
      return `INSERT INTO ${spec.name} (${PROJECT}${names}) SELECT p${values} FROM ${rows}${shared}`;
    }
    case 'update': {
      const set = columns.flatMap(({ memory, name }, i) => (spec.keys.includes(memory) ? [] : [`${name} = u.c${i}`]));
      return `UPDATE ${spec.name} t SET ${set.join(', ')} FROM ${rows} WHERE ${where}`;
    }
    case 'delete':
      return `DELETE FROM ${spec.name} t USING ${rows} WHERE ${where}`;
  }
}
