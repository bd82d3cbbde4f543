/**
 * `npm run sentences -- [--seed N] [--count 60] [--under PATH]`: prints sentences of this repository, drawn by seed, so that a person
 * can judge whether each is plain. It draws from comments (not those of tests), SPEC.md files, pages that are not generated, and error
 * messages. The same seed gives the same sentences while the files stay as they are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'vite';
import { random, streamOf } from '#domain/base/random.ts';
import { type Node, nodes, type Source } from './source.ts';

export interface Sentence {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** A text without its marks, and the line on which each of its characters stands. */
interface Block {
  text: string;
  readonly lines: number[];
}

const FEWEST_WORDS = 3;
const FEWEST_WORDS_OF_AN_ERROR = 2;
const GENERATED = new Set(['docs/operations.md', 'CHANGELOG.md']);
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.ci', 'headframe-data']);
const DIRECTIVE = /^\s*(biome-ignore|@ts-|@vite|eslint|c8 )/;
/** Where one sentence ends and the next begins. Short words with a full stop, such as `e.g.`, end none. */
const BETWEEN = /(?<!\b(?:e\.g|i\.e|etc|vs|cf|No|approx))(?<=[.!?][)"'`*]*)\s+(?=["'`(*[]*[A-Z0-9`[])/g;

const words = (text: string): number => text.split(/\s+/).filter((word) => /[A-Za-z]/.test(word)).length;

function blockOf(pieces: readonly { readonly text: string; readonly line: number }[]): Block {
  const block: Block = { text: '', lines: [] };
  for (const { text, line } of pieces) {
    const piece = block.text === '' ? text : ` ${text}`;
    block.text += piece;
    for (let i = 0; i < piece.length; i++) block.lines.push(line);
  }
  return block;
}

/** The sentences of a text, each with the line on which it begins. */
function sentencesOf({ text, lines }: Block, path: string): Sentence[] {
  const found: Sentence[] = [];
  let from = 0;
  const add = (to: number): void => {
    const sentence = text.slice(from, to);
    const begin = from + sentence.length - sentence.trimStart().length;
    const clean = sentence.replace(/\s+/g, ' ').trim();
    if (words(clean) >= FEWEST_WORDS) found.push({ path, line: lines[begin] ?? 1, text: clean });
  };
  for (const { index, 0: gap } of text.matchAll(BETWEEN)) {
    add(index);
    from = index + gap.length;
  }
  add(text.length);
  return found;
}

const lineIn = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Comments of a source file. Line comments that follow each other are one text; a drawing ends the text before it. */
function commentsOf({ path, text }: Source, comments: readonly { type: string; value: string; start: number }[]) {
  const blocks: { text: string; line: number }[][] = [];
  let open: { text: string; line: number }[] | undefined;
  let last = -1;
  for (const { type, value, start } of comments) {
    const line = lineIn(text, start);
    if (DIRECTIVE.test(value)) continue;
    if (type === 'Line') {
      if (open === undefined || line !== last + 1) {
        open = [];
        blocks.push(open);
      }
      open.push({ text: value.trim(), line });
      last = line;
      continue;
    }
    open = undefined;
    let paragraph: { text: string; line: number }[] = [];
    blocks.push(paragraph);
    for (const [i, raw] of value.split('\n').entries()) {
      const clean = raw.replace(/^\s*\*+ ?/, '');
      if (clean.trim() === '' || /^\s{2,}\S/.test(clean) || /[─▶│┌└]|->/.test(clean)) {
        paragraph = [];
        blocks.push(paragraph);
      } else paragraph.push({ text: clean.trim(), line: line + i });
    }
  }
  return blocks.filter((block) => block.length > 0).flatMap((block) => sentencesOf(blockOf(block), path));
}

const isErrorName = (name: unknown): boolean =>
  typeof name === 'string' && /(Error|Refused|NotTaken|Conflict)$/.test(name);

/** The text of a string or template; what is put in stands as `…`. */
function literalOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…');
}

/** Texts of errors: those of `throw` and of `new …Error(…)`, and the table of the contract. */
function errorsOf({ path, text }: Source, program: Node): Sentence[] {
  const found = new Map<number, Sentence>();
  for (const node of nodes(program)) {
    const made = node.type === 'NewExpression' && isErrorName((node.callee as { name?: string }).name);
    if (!made && node.type !== 'ThrowStatement' && !(node.type === 'Program' && path.endsWith('/errors.ts'))) continue;
    for (const inner of nodes(node)) {
      const message = literalOf(inner);
      if (message === undefined || !message.includes(' ') || words(message) < FEWEST_WORDS_OF_AN_ERROR) continue;
      found.set(inner.start, { path, line: lineIn(text, inner.start), text: message.replace(/\s+/g, ' ') });
    }
  }
  return [...found.values()];
}

/** The sentences of a page: paragraphs, list items and cells of tables; no code and no generated table. */
export function sentencesOfPage({ path, text }: Source): Sentence[] {
  const blocks: { text: string; line: number }[][] = [];
  let paragraph: { text: string; line: number }[] = [];
  let code = false;
  let generated = false;
  const end = (): void => {
    if (paragraph.length > 0) blocks.push(paragraph);
    paragraph = [];
  };
  for (const [i, raw] of text.split('\n').entries()) {
    const line = i + 1;
    if (raw.startsWith('<!--')) generated = /made by/.test(raw);
    if (/^\s*```/.test(raw)) code = !code;
    if (code || generated || /^\s*(```|<!--|#|$|!\[)/.test(raw)) end();
    else if (raw.startsWith('|')) {
      end();
      for (const cell of raw.split('|')) if (/[a-z]/.test(cell)) blocks.push([{ text: cell.trim(), line }]);
    } else {
      if (/^\s*([-*]|\d+\.) /.test(raw)) end();
      paragraph.push({ text: raw.trim().replace(/^([-*]|\d+\.) /, ''), line });
    }
  }
  end();
  return blocks.flatMap((block) => sentencesOf(blockOf(block), path));
}

/** The sentences of a source file: its comments and its error messages. */
export function sentencesOfSource(source: Source): Sentence[] {
  const { program, comments } = parseSync(source.path, source.text) as unknown as {
    program: Node;
    comments: { type: string; value: string; start: number }[];
  };
  return [...commentsOf(source, comments), ...errorsOf(source, program)];
}

/** All sentences below a folder. */
export function readSentences(root: string, under = ''): Sentence[] {
  const found: Sentence[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED.has(entry.name) || GENERATED.has(path)) continue;
      if (entry.isDirectory()) walk(path);
      else if (path.startsWith(under)) {
        const read = () => ({ path, text: readFileSync(join(root, path), 'utf8') });
        if (path.endsWith('.md')) found.push(...sentencesOfPage(read()));
        else if (/\.tsx?$/.test(path) && !path.startsWith('test/')) found.push(...sentencesOfSource(read()));
      }
    }
  };
  walk('');
  return found;
}

/** So many of them, each once, chosen by the seed. */
export function draw(all: readonly Sentence[], count: number, seed: number): Sentence[] {
  const rest = [...all];
  const stream = streamOf(seed);
  const drawn: Sentence[] = [];
  while (drawn.length < count && rest.length > 0) {
    const at = Math.floor(random(stream) * rest.length);
    drawn.push(rest[at] as Sentence);
    rest[at] = rest.at(-1) as Sentence;
    rest.pop();
  }
  return drawn;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '60' },
      under: { type: 'string', default: '' },
    },
  });
  const all = readSentences(join(import.meta.dirname, '..', '..'), values.under);
  process.stdout.write(`${all.length} sentences; seed ${values.seed}\n`);
  for (const [i, { path, line, text }] of draw(all, Number(values.count), Number(values.seed)).entries())
    process.stdout.write(`${String(i + 1).padStart(3)}. ${path}:${line}: ${text}\n`);
}
