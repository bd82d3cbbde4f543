/** The source files of the house, with what they import and how long their functions are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/** A file, as the check sees it. */
export interface Source {
  /** From the root of the house, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** An import of a file: the text between the quotes, and its line. */
export interface Import {
  readonly from: string;
  readonly line: number;
}

export interface LongFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.ci', 'headframe-data']);
/** The pages for readers; a room may have the same name. */
const PAGES = 'docs';
const SOURCE = /\.tsx?$/;

/** All source files below a folder, but the table of the rooms itself. */
export function readHouse(root: string): Source[] {
  const found: Source[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED.has(entry.name) || path === PAGES) continue;
      if (entry.isDirectory()) walk(path);
      else if (SOURCE.test(entry.name) && path !== 'rooms.ts')
        found.push({ path, text: readFileSync(join(root, path), 'utf8') });
    }
  };
  walk('');
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** A node of the syntax tree and all nodes below it. */
export function* nodes(root: Node): Generator<Node> {
  yield root;
  for (const value of Object.values(root)) {
    if (Array.isArray(value)) {
      for (const one of value) if (isNode(one)) yield* nodes(one);
    } else if (isNode(value)) yield* nodes(value);
  }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const IMPORTS = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

interface Parsed {
  readonly imports: readonly Import[];
  readonly functions: readonly LongFunction[];
}

const parsed = new WeakMap<Source, Parsed>();

/** What a file imports, and its functions. */
export function parseSource(source: Source): Parsed {
  const known = parsed.get(source) ?? parse(source);
  parsed.set(source, known);
  return known;
}

function parse({ path, text }: Source): Parsed {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineAt = (offset: number): number => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const program = parseSync(path, text).program as unknown as Node;
  const imports: Import[] = [];
  const functions: LongFunction[] = [];
  for (const node of nodes(program)) {
    if (IMPORTS.has(node.type)) {
      const source = (node.source ?? node.argument) as {
        readonly value?: unknown;
        readonly literal?: { value: unknown };
      } | null;
      const from = source?.value ?? source?.literal?.value;
      if (typeof from === 'string') imports.push({ from, line: lineAt(node.start) });
    }
    if (FUNCTIONS.has(node.type)) {
      const name = (node.id as { name?: string } | null)?.name ?? 'a function';
      functions.push({ name, line: lineAt(node.start), lines: lineAt(node.end) - lineAt(node.start) + 1 });
    }
  }
  return { imports, functions };
}
