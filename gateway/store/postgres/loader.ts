/**
 * Reads the rows that the statements of a workspace need. The statements of the transaction code are simple: one table, conditions on its
 * columns, perhaps an order and a limit. Statements with the same text are one statement in PostgreSQL.
 */
import type { ClientBase } from 'pg';
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

/** The most statements whose translation is kept. */
const MOST_STATEMENTS = 1_000;
const parsed = new Map<string, Parsed>();

function parse(sql: string): Parsed {
  const known = parsed.get(sql);
  if (known !== undefined) return known;
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
  const made = { spec, counts: what === 'COUNT(*)', rest: parts.join(' '), compared };
  if (parsed.size >= MOST_STATEMENTS) parsed.clear();
  parsed.set(sql, made);
  return made;
}

/** Reads the rows of these statements into the workspace. */
export async function loadMisses(
  client: ClientBase,
  workspace: Workspace,
  misses: readonly Miss[],
  projects: readonly string[],
  numbers: ProjectNumbers,
): Promise<void> {
  const groups = new Map<string, Miss[]>();
  for (const miss of misses) {
    const group = groups.get(miss.sql) ?? [];
    groups.set(miss.sql, group);
    group.push(miss);
  }
  for (const [sql, group] of groups) await loadGroup(client, workspace, parse(sql), group, projects, numbers);
}

async function loadGroup(
  client: ClientBase,
  workspace: Workspace,
  { spec, counts, rest, compared }: Parsed,
  group: readonly Miss[],
  projects: readonly string[],
  numbers: ProjectNumbers,
): Promise<void> {
  const columns = storedColumns(spec);
  const parameters: unknown[] = [projects.map(toText)];
  const names = compared.map((column, i) => {
    const values = group.map((miss) => parameterOf(spec, column, miss.values[i] ?? null, numbers));
    parameters.push(values);
    return `$${parameters.length}::${arrayType(column)}`;
  });
  // The number of the statement in the group, to which a row belongs.
  parameters.push(group.map((_, i) => i));
  const list = [...names, `$${parameters.length}::int[]`].join(', ');
  const aliases = [...names.map((_, i) => `v${i}`), 'statement'].join(', ');
  let at = 0;
  const text = rest.replaceAll('?', () => `k.v${at++}`);
  const what = counts
    ? 'COUNT(*) AS count'
    : [PROJECT, ...columns.map(({ name }) => name)].map((name) => `t.${name}`).join(', ');
  const select = (condition: string): string => `SELECT ${what} FROM ${spec.name} t WHERE ${condition} AND ${text}`;
  const isKeyed = compared.includes('project');
  const own = `t.${PROJECT} = ANY($1)`;
  // An id belongs to one document only, so the document of an id is looked for in the other projects, too.
  const inner =
    spec.project.as === 'text' && !isKeyed
      ? `${select(own)} UNION ALL ${select(`NOT ${own}`)}`
      : select(isKeyed ? '$1::text[] IS NOT NULL' : own);
  const sql = `SELECT k.statement, f.* FROM unnest(${list}) AS k(${aliases}) CROSS JOIN LATERAL (${inner}) f`;
  const { rows } = await client.query({ text: sql, values: parameters, rowMode: 'array' });
  const found = new Map<number, (readonly Value[])[]>();
  for (const [statement, project, ...values] of rows as [number, unknown, ...unknown[]][]) {
    if (counts) workspace.loadCount(group[statement] as Miss, Number(project));
    else {
      const list = found.get(statement) ?? [];
      found.set(statement, list);
      list.push(memoryRow(spec, columns, fromText(String(project)), values, numbers));
    }
  }
  if (!counts) for (const [i, miss] of group.entries()) workspace.load(miss, spec, found.get(i) ?? []);
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
