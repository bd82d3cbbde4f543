/** Texts cite only what a reader of the repository can open. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesOf, rulesOf } from './rules.ts';

const root = join(import.meta.dirname, '..', '..');
const SELF = 'test/house/citations.test.ts';

/** Ids of rulings, and chapters of documents, that are not in this repository. `123#R4` is a frame in candump text. */
const OUTSIDE =
  /(?<![#\w`'])R\d{1,2}\b(?![#'\d])|\bD-\d{1,2}[ab]?\b|\bC-\d{1,2}\b|\((?:house|spec|part|issue) \d|\bspec \d|\bdecisions? [A-Z]-?\d|\(decisions\b/;

test('no text cites a ruling from outside the repository', () => {
  const found: string[] = [];
  for (const ends of ['.ts', '.tsx', '.md', '.css', 'docs/openapi.json'])
    for (const { path, text } of filesOf(root, ends)) {
      if (path === SELF) continue;
      for (const [i, line] of text.split('\n').entries())
        if (OUTSIDE.test(line)) found.push(`${path}:${i + 1}: ${line.trim().slice(0, 120)}`);
    }
  assert.deepEqual(found, []);
});

test('the pattern finds each form of citation, and no frame, path or standard', () => {
  for (const text of [
    'kept once (R31).',
    '(decisions D-12a)',
    'as D-40 says',
    '(C-2)',
    '(house 4)',
    'spec 4.3',
    'decisions R7',
  ])
    assert.match(text, OUTSIDE, text);
  for (const text of [
    'can0 123#R4',
    'R100000',
    "'R2'",
    'ADR-12',
    'J1939-21 5.10.3',
    'RFC 9110 13.1.1',
    'parts 4 and 5',
  ])
    assert.doesNotMatch(text, OUTSIDE, text);
});

test('the glossary and the decisions name files and rules that exist', () => {
  const rules = new Set(filesOf(root, 'SPEC.md').flatMap((spec) => rulesOf(spec).map(({ id }) => id)));
  const missing: string[] = [];
  for (const page of ['docs/glossary.md', 'docs/decisions.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, file = ''] of text.matchAll(/`([\w./-]+\.(?:tsx?|md))`/g))
      if (!existsSync(join(root, file))) missing.push(`${page}: ${file}`);
    for (const [, id = ''] of text.matchAll(/\[([A-Z]\d+)\](?!\()/g))
      if (!rules.has(id)) missing.push(`${page}: [${id}]`);
  }
  assert.deepEqual(missing, []);
});
