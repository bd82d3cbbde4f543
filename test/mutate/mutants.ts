/** Mutants of a source file: each is one small change that a test should notice. */
import { createHash } from 'node:crypto';
import { parseSync } from 'vite';

/** One change of one file. Offsets count UTF-16 units, as strings do. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  /** What replaces the text between the offsets. */
  readonly to: string;
  readonly from: string;
  readonly line: number;
  readonly column: number;
  /** The whole line that the change starts on, without the space around it. */
  readonly code: string;
}

/** A node of the syntax tree, as the parser gives it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const BINARY: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
};

const LOGICAL: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };

const ASSIGNMENT: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '|=': '&=',
  '&=': '|=',
  '<<=': '>>=',
  '>>>=': '<<=',
};

const METHODS = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['push', 'unshift'],
  ['shift', 'pop'],
]);

/** Calls that a mutant leaves out: `list.filter(f)` becomes `list`. */
const DROPPED = new Set(['filter', 'slice', 'sort', 'reverse', 'trim', 'toLowerCase', 'toUpperCase']);

/** Nodes that have no effect when the program runs. */
const TYPE_KEYS = new Set(['typeAnnotation', 'typeArguments', 'typeParameters', 'returnType', 'implements']);
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);
const NO_CODE = new Set(['ImportDeclaration', 'ExportAllDeclaration']);

/** The words of these calls are for people; no test should have to repeat them. */
const WORDS = /^(log|complain|say|told|warn|error|.*Error)$/;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([key]) => !TYPE_KEYS.has(key))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return '';
  if (node.type === 'MemberExpression') return nameOf(node.property);
  return typeof node.name === 'string' ? node.name : '';
};

/** Every mutant of the text of a TypeScript file, in the order of their places. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} is not read: ${errors[0]?.message}`);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const found: Mutant[] = [];

  function add(start: number, end: number, to: string): void {
    const line = starts.findLastIndex((at) => at <= start);
    const lineStart = starts[line] ?? 0;
    const code = text.slice(lineStart, starts[line + 1] ?? text.length).trim();
    found.push({ start, end, to, from: text.slice(start, end), line: line + 1, column: start - lineStart + 1, code });
  }

  /** Replaces an operator between two nodes; comments and parentheses around it stay. */
  function operator(left: Node, right: Node, from: string, to: string): void {
    const at = text.indexOf(from, left.end);
    if (at >= 0 && at < right.start) add(at, at + from.length, to);
  }

  function condition(test: Node): void {
    if (test.type === 'Literal') return;
    add(test.start, test.end, 'true');
    add(test.start, test.end, 'false');
  }

  const whole = (node: unknown): string => (isNode(node) ? text.slice(node.start, node.end) : '');

  function call(node: Node): void {
    const callee = node.callee as Node;
    if (callee.type !== 'MemberExpression') return;
    const property = callee.property as Node;
    const other = METHODS.get(nameOf(property));
    if (other !== undefined && callee.computed !== true) add(property.start, property.end, other);
    if (DROPPED.has(nameOf(property)) && callee.optional !== true) add(node.start, node.end, whole(callee.object));
  }

  const KINDS: Readonly<Record<string, (node: Node) => void>> = {
    BinaryExpression(node) {
      const from = node.operator as string;
      for (const to of BINARY[from] ?? []) operator(node.left as Node, node.right as Node, from, to);
    },
    LogicalExpression(node) {
      const [left, right, from] = [node.left as Node, node.right as Node, node.operator as string];
      const to = LOGICAL[from];
      // The language forbids `a && b ?? c` without parentheses.
      if (from === '??') add(node.start, node.end, `((${whole(left)}) && (${whole(right)}))`);
      else if (to !== undefined) operator(left, right, from, to);
    },
    AssignmentExpression(node) {
      const from = node.operator as string;
      const to = ASSIGNMENT[from];
      if (to !== undefined) operator(node.left as Node, node.right as Node, from, to);
    },
    UpdateExpression(node) {
      const argument = whole(node.argument);
      const to = node.operator === '++' ? '--' : '++';
      add(node.start, node.end, node.prefix === true ? `${to}${argument}` : `${argument}${to}`);
    },
    UnaryExpression(node) {
      if (node.operator === '!') add(node.start, node.end, `(${whole(node.argument)})`);
      if (node.operator === '-') add(node.start, node.end, `(+${whole(node.argument)})`);
    },
    Literal(node) {
      if (typeof node.value === 'boolean') add(node.start, node.end, String(!node.value));
      if (typeof node.value === 'string') add(node.start, node.end, node.value === '' ? `'mutant'` : `''`);
    },
    ConditionalExpression: (node) => condition(node.test as Node),
    IfStatement: (node) => condition(node.test as Node),
    WhileStatement: (node) => add((node.test as Node).start, (node.test as Node).end, 'false'),
    ForStatement: (node) => {
      if (isNode(node.test)) add(node.test.start, node.test.end, 'false');
    },
    ExpressionStatement(node) {
      if (typeof node.directive !== 'string') add(node.start, node.end, ';');
    },
    ArrayExpression(node) {
      if ((node.elements as unknown[]).length > 0) add(node.start, node.end, '[]');
    },
    CallExpression: call,
  };

  function visit(node: Node, words: boolean): void {
    if (NO_CODE.has(node.type)) return;
    if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return;
    const silent =
      words ||
      node.type === 'ThrowStatement' ||
      ((node.type === 'CallExpression' || node.type === 'NewExpression') && WORDS.test(nameOf(node.callee)));
    if (!(words && (node.type === 'Literal' || node.type === 'TemplateLiteral'))) KINDS[node.type]?.(node);
    for (const child of childrenOf(node)) {
      // The name of a property, and the module that an import or export names, are no values.
      const isName = child === node.key && node.computed !== true;
      if (!isName && child !== node.source) visit(child, silent);
    }
  }

  for (const statement of program.body) visit(statement as unknown as Node, false);
  return found.sort((a, b) => a.start - b.start || a.end - b.end || (a.to < b.to ? -1 : 1));
}

/** The text with the change made. */
export function mutate(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end);
}

/**
 * So many of these mutants, chosen by the seed, in the order of their places. A mutant is known by its line's text and not by its
 * place: what is edited elsewhere in the file leaves the choice as it is.
 */
export function sample(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const seen = new Map<string, number>();
  return mutants
    .map((mutant) => {
      const name = `${mutant.code}\n${mutant.from}\n${mutant.to}`;
      const nth = (seen.get(name) ?? 0) + 1;
      seen.set(name, nth);
      return { mutant, key: createHash('sha256').update(`${seed}\n${name}\n${nth}`).digest('hex') };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .sort((a, b) => a.start - b.start);
}
