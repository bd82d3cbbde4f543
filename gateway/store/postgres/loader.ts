/**
 * Reads the rows that the statements of a workspace need. The statements of the transaction code are simple: one table, conditions on its
 * columns, perhaps an order and a limit. Statements with the same text are one statement in PostgreSQL.
 */
import type { ClientBase } from 'pg';
import { remembered } from './remembered.ts';
import { type ColumnSpec, PROJECT, SPECS, storedColumns, type TableSpec } from './tables.ts';
import { ARRAY_TYPES, fromColumn, fromText, toColumn, toText, type Value } from './values.ts';
import type { Miss, Workspace } from './workspace.ts';

/** The projects of this process by number; see `TableSpec.project`. */
export interface ProjectNumbers {
  idOf(no: number): string | undefined;
  numberOf(project: string): number | undefined;
  /** Notes a project that takes part in the replication, and gives it a number. */
  note(project: string): number;
}

const STATEMENT =
  /^SELECT (?<what>.+?) FROM (?<table>"[^"]+"|\w+)(?: INDEXED BY (?:"[^"]+"|\w+))?(?:\s+WHERE (?<where>.+?))?(?: ORDER BY (?<order>.+?))?(?: LIMIT (?<limit>.+))?$/s;
const COLUMN = /"[^"]+"|\b[a-z_]+\b/g;
const WORDS: ReadonlySet<string> = new Set(['and', 'or', 'is', 'null', 'not']);

interface Parsed {
  readonly spec: TableSpec;
  readonly counts: boolean;
  /** The conditions and the order in PostgreSQL, with `?` for values. */
  readonly rest: string;
  /** The columns with which the values are compared, in order; undefined for a limit. */
  readonly compared: readonly (ColumnSpec | 'project' | undefined)[];
}

const parse = remembered((sql: string): Parsed => {
  const { what = '', table = '', where = '', order, limit } = STATEMENT.exec(sql)?.groups ?? {};
  const spec = SPECS.get(table.replaceAll('"', ''));
  if (spec === undefined) throw new Error(`a transaction cannot read with this statement: ${sql}`);
  const compared: (ColumnSpec | 'project' | undefined)[] = [];
  const named = (name: string): string => {
    const plain = name.replaceAll('"', '');
    if (plain === spec.project.column || plain === 'project') return PROJECT;
    return spec.columns.find(({ memory }) => memory === plain)?.name ?? name;
  };
  const translate = (text: string): string => text.replaceAll(COLUMN, (word) => (WORDS.has(word) ? word : named(word)));
  for (const [, name = ''] of where.matchAll(/("[^"]+"|\w+)\s*(?:=|<=|>=|<|>)\s*\?/g)) {
    const plain = name.replaceAll('"', '');
    const isProject = plain === spec.project.column || plain === 'project';
    compared.push(isProject ? 'project' : spec.columns.find(({ memory }) => memory === plain));
  }
  if (limit === '?') compared.push(undefined);
  const parts = [
    where === '' ? 'TRUE' : `(${translate(where)})`,
    order === undefined || order === 'rowid' ? '' : `ORDER BY ${translate(order)}`,
    limit === undefined ? '' : `LIMIT ${limit}`,
  ];
  return { spec, counts: what === 'COUNT(*)', rest: parts.join(' '), compared };
});

/** What a workspace needs: the statements whose rows it does not have. */
export interface Load {
  readonly workspace: Workspace;
  readonly misses: readonly Miss[];
  /** The projects of its transaction. */
  readonly projects: readonly string[];
  /** Those that take part in the replication. Only these have words. */
  readonly own: readonly string[];
}

/** One statement of a workspace. */
interface Wanted extends Omit<Load, 'misses'> {
  readonly miss: Miss;
}

/** Reads the rows of these statements into their workspaces. The statements with one text are one statement, whatever their workspace. */
export async function loadMisses(client: ClientBase, loads: readonly Load[], numbers: ProjectNumbers): Promise<void> {
  const groups = new Map<string, Wanted[]>();
  for (const { misses, ...load } of loads)
    for (const miss of misses) {
      const group = groups.get(miss.sql) ?? [];
      groups.set(miss.sql, group);
      group.push({ ...load, miss });
    }
  await Promise.all([...groups].map(([sql, group]) => loadGroup(client, parse(sql), group, numbers)));
}

async function loadGroup(
  client: ClientBase,
  { spec, counts, rest, compared }: Parsed,
  group: readonly Wanted[],
  numbers: ProjectNumbers,
): Promise<void> {
  const columns = storedColumns(spec);
  const isKeyed = compared.includes('project');
  // An id belongs to one document only, so the document of an id is looked for in the other projects, too.
  const isAnywhere = spec.project.as === 'text' && !isKeyed;
  // A statement that names no project is asked once for each project of its workspace.
  const projectsOf = ({ projects, own }: Wanted): readonly string[] => (spec.project.as === 'none' ? own : projects);
  const asked = group.flatMap((wanted, i) =>
    isKeyed || isAnywhere
      ? [{ i, wanted, project: '' }]
      : projectsOf(wanted).map((project) => ({ i, wanted, project })),
  );
  const parameters: unknown[] = [asked.map(({ project }) => toText(project))];
  const names = compared.map((column, at) => {
    parameters.push(asked.map(({ wanted: { miss } }) => parameterOf(spec, column, miss.values[at] ?? null, numbers)));
    return `$${parameters.length}::${arrayType(column)}`;
  });
  // The number of the statement in the group, to which a row belongs.
  parameters.push(asked.map(({ i }) => i));
  const list = ['$1::text[]', ...names, `$${parameters.length}::int[]`].join(', ');
  const aliases = ['own', ...names.map((_, i) => `v${i}`), 'statement'].join(', ');
  let at = 0;
  const text = rest.replaceAll('?', () => `k.v${at++}`);
  const what = counts
    ? 'COUNT(*) AS count'
    : [PROJECT, ...columns.map(({ name }) => name)].map((name) => `t.${name}`).join(', ');
  const own = isKeyed || isAnywhere ? '' : `t.${PROJECT} = k.own AND `;
  const inner = `SELECT ${what} FROM ${spec.name} t WHERE ${own}${text}`;
  const sql = `SELECT k.statement, f.* FROM unnest(${list}) AS k(${aliases}) CROSS JOIN LATERAL (${inner}) f`;
  const { rows } = await client.query({ text: sql, values: parameters, rowMode: 'array' });
  const found = new Map<number, (readonly Value[])[]>();
  const sums = new Map<number, number>();
  for (const [statement, project, ...values] of rows as [number, unknown, ...unknown[]][]) {
    if (counts) sums.set(statement, (sums.get(statement) ?? 0) + Number(project));
    else {
      const list = found.get(statement) ?? [];
      found.set(statement, list);
      list.push(memoryRow(spec, columns, fromText(String(project)), values, numbers));
    }
  }
  for (const [i, { workspace, miss, own }] of group.entries()) {
    if (counts) workspace.loadCount(miss, sums.get(i) ?? 0);
    else workspace.load(miss, spec, found.get(i) ?? [], own.length);
  }
}

function arrayType(column: ColumnSpec | 'project' | undefined): string {
  if (column === 'project') return 'text[]';
  return column === undefined ? 'bigint[]' : ARRAY_TYPES[column.type];
}

function parameterOf(
  spec: TableSpec,
  column: ColumnSpec | 'project' | undefined,
  value: Value,
  numbers: ProjectNumbers,
): unknown {
  if (column === 'project')
    return spec.project.as === 'number' && typeof value === 'number'
      ? toText(numbers.idOf(value) ?? '')
      : toText(String(value));
  return column === undefined ? value : toColumn(column.type, value);
}

/** Returns a row of PostgreSQL as a row of the workspace. */
function memoryRow(
  spec: TableSpec,
  columns: readonly ColumnSpec[],
  project: string,
  values: readonly unknown[],
  numbers: ProjectNumbers,
): Value[] {
  const stored = new Map(columns.map(({ memory, type }, i) => [memory, fromColumn(type, values[i])]));
  return spec.columns.map(({ memory }) => {
    if (memory === 'project') return project;
    if (memory !== spec.project.column) return stored.get(memory) ?? null;
    return spec.project.as === 'number' ? (numbers.numberOf(project) ?? null) : project;
  });
}
