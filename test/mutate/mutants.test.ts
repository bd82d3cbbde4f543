/** The mutator changes what runs, and nothing else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'vite';
import { CORE } from './core.ts';
import { EQUAL } from './equal.ts';
import { mutantsOf, mutate, sample } from './mutants.ts';
import { ran } from './trial.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const changesOf = (text: string) => mutantsOf('a.ts', text).map((mutant) => mutate(text, mutant));

test('[T1] each operator, condition, statement and literal has its mutants', () => {
  assert.deepEqual(changesOf('const a = b < c;'), ['const a = b <= c;', 'const a = b >= c;']);
  assert.deepEqual(changesOf('const a = b && c;'), ['const a = b || c;']);
  assert.deepEqual(changesOf('const a = b ?? c;'), ['const a = ((b) && (c));']);
  assert.deepEqual(changesOf('const a = !b;'), ['const a = (b);']);
  assert.deepEqual(changesOf('const a = b ? c : d;'), ['const a = false ? c : d;', 'const a = true ? c : d;']);
  assert.deepEqual(changesOf('if (a) b();'), ['if (false) b();', 'if (true) b();', 'if (a) ;']);
  assert.deepEqual(changesOf('a += 1;'), [';', 'a -= 1;']);
  assert.deepEqual(changesOf('a++;'), ['a--;', ';']);
  assert.deepEqual(changesOf("const a = 'x';"), ["const a = '';"]);
  assert.deepEqual(changesOf('const a = Math.min(b, c);'), ['const a = Math.max(b, c);']);
  assert.deepEqual(changesOf('const a = b.filter(c);'), ['const a = b;']);
  assert.deepEqual(changesOf('const a = [b];'), ['const a = [];']);
  assert.deepEqual(changesOf('for (;a;) b();'), ['for (;false;) b();', 'for (;a;) ;']);
});

test('[T2] types, imports, names of properties and words for people have none', () => {
  assert.deepEqual(changesOf("import a from 'b'; import type { C } from 'd'; export { e } from 'f';"), []);
  assert.deepEqual(changesOf("interface A { b: 'c' | true } type D = A['b'] extends 'e' ? 1 : 2;"), []);
  assert.deepEqual(changesOf("const a: 'b' = c as 'b';"), []);
  assert.deepEqual(changesOf("const a = { 'b': c };"), []);
  assert.deepEqual(changesOf("const a = new RangeError('too long');"), []);
  assert.deepEqual(changesOf("function f() { throw error('too long'); }"), []);
  assert.deepEqual(changesOf("log('warn', 'words');"), [';'], 'but whether it is logged counts');
});

test('[T3] every mutant of the core can be read, differs from the code, and says its line', () => {
  for (const file of Object.keys(CORE)) {
    const text = read(file);
    const lines = text.split('\n');
    for (const mutant of sample(mutantsOf(file, text), 40, 7)) {
      const changed = mutate(text, mutant);
      assert.notEqual(changed, text);
      assert.equal(lines[mutant.line - 1]?.trim(), mutant.code);
      assert.deepEqual(parseSync(file, changed).errors, [], `${file}:${mutant.line} ${mutant.from} => ${mutant.to}`);
    }
  }
});

test('[T4] a seed chooses the same mutants again, and what is edited elsewhere in the file leaves the choice', () => {
  const file = 'gateway/store/sqlite/commit.ts';
  const text = read(file);
  const names = (of: string, seed: number) =>
    sample(mutantsOf(file, of), 20, seed).map(({ code, to }) => `${code}${to}`);
  const chosen = names(text, 1);
  assert.equal(chosen.length, 20);
  assert.deepEqual(names(`// One more line.\n${text}`, 1), chosen);
  assert.notDeepEqual(names(text, 2), chosen);
});

test('[T5] the smallest range around a place says whether it ran, in any process', () => {
  const outer = { start: 0, end: 100, ran: true };
  const inner = { start: 10, end: 20, ran: false };
  assert.deepEqual(
    [5, 9, 10, 19, 20, 100].map((at) => ran([[outer, inner]], at)),
    [true, true, false, false, true, false],
  );
  assert.equal(ran([[outer, inner], [{ ...inner, ran: true }]], 15), true);
  assert.equal(ran([], 15), false);
});

test('[T6] each mutant in the list of equal ones is a mutant of its file, once, and has a reason', () => {
  for (const [i, { file, code, from, to, why }] of EQUAL.entries()) {
    const found = mutantsOf(file, read(file)).some(
      (mutant) => mutant.code === code && mutant.from === from && mutant.to === to,
    );
    assert.ok(found, `${file}: ${code}: ${from} => ${to}`);
    assert.ok(why.length > 10);
    const first = EQUAL.findIndex(
      (other) => other.file === file && other.code === code && other.from === from && other.to === to,
    );
    assert.equal(first, i, `${file}: ${code}: twice`);
  }
});

test('[T7] each file of the core and each test that answers for it is there', () => {
  for (const [file, tests] of Object.entries(CORE)) {
    assert.ok(read(file).length > 0);
    for (const name of tests) assert.ok(read(`test/${name}.test.ts`).length > 0);
  }
});
