/** The rules of all SPEC.md files, the titles of all tests, and numeric constants of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './source.ts';

export interface Rule {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.ci', 'headframe-data']);
const BEGIN = /^\s*- \**\[([A-Z]+\d+)\]\**\s/;

/** All files of a kind, from the root of the house. */
export function filesOf(root: string, ends: string): Source[] {
  const found: Source[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) walk(path);
      else if (path.endsWith(ends)) found.push({ path, text: readFileSync(join(root, path), 'utf8') });
    }
  };
  walk('');
  return found;
}

/** The rules of a SPEC.md; a rule ends at an empty line, at a heading or at the next rule. */
export function rulesOf({ path, text }: Source): Rule[] {
  const rules: Rule[] = [];
  let open: { id: string; path: string; line: number; text: string } | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const id = BEGIN.exec(line)?.[1];
    if (id !== undefined) {
      open = { id, path, line: i + 1, text: line };
      rules.push(open);
    } else if (line.trim() === '' || line.startsWith('#')) open = undefined;
    else if (open !== undefined) open.text += ` ${line.trim()}`;
  }
  return rules;
}

/** The ids with which the titles of the tests begin. */
export function testedRules(tests: readonly Source[]): Set<string> {
  const ids = new Set<string>();
  for (const { text } of tests)
    for (const [, head = ''] of text.matchAll(/\btest(?:\.\w+)?\(\s*['"`]((?:\[[A-Z]+\d+\]\s*)+)/g))
      for (const [, id = ''] of head.matchAll(/\[([A-Z]+\d+)\]/g)) ids.add(id);
  return ids;
}

/** The value of an expression of numbers and `+ - * / << **`; NaN for any other one. */
function evaluate(expression: string): number {
  const plain = expression.replaceAll('_', '').trim();
  if (!/^[\s0-9a-fxe.()*/+<-]+$/i.test(plain)) return Number.NaN;
  return Number(new Function(`return (${plain})`)());
}

/**
 * The values of all constants of this name below a folder; constants of the same file may stand in their expressions. `TABLE.name` is
 * a property of a constant object.
 */
export function constantsOf(sources: readonly Source[], below: string, name: string): number[] {
  const [constant = '', property] = name.split('.');
  return sources
    .filter(({ path }) => path.startsWith(`${below}/`))
    .flatMap(({ text }) => {
      const read = (wanted: string): string | undefined =>
        new RegExp(`^(?:export )?const ${wanted}(?:: \\w+)? = ([^;]+);`, 'm').exec(text)?.[1];
      const whole = read(constant);
      const found = property === undefined ? whole : new RegExp(`\\b${property}: ([^,}]+)`).exec(whole ?? '')?.[1];
      if (found === undefined) return [];
      return [evaluate(found.replace(/[A-Z][A-Z_]+/g, (inner) => `(${read(inner) ?? inner})`))];
    });
}
