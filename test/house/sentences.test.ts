import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draw, readSentences, type Sentence, sentencesOfPage, sentencesOfSource } from './sentences.ts';

const short = (found: readonly Sentence[]) => found.map(({ line, text }) => `${line}: ${text}`);

test('sentencesOfSource finds comments and error messages with their lines, and no code, drawings or directives', () => {
  const text = [
    '/** The fold applies a message. It never',
    ' * waits for the disk.',
    ' *',
    ' *   message -> fold -> state',
    ' */',
    '// biome-ignore lint/a/b: a reason of three words',
    '// The first half of a comment,',
    '// and its second half.',
    "const label = 'this is no error message';",
    'throw new OperationError("not_found", `No machine $' + '{id} in this project.`);',
    "const failed = new StoreError('locked', 'Another process holds the folder.');",
  ].join('\n');
  assert.deepEqual(short(sentencesOfSource({ path: 'a.ts', text })), [
    '1: The fold applies a message.',
    '1: It never waits for the disk.',
    '7: The first half of a comment, and its second half.',
    '10: No machine … in this project.',
    '11: Another process holds the folder.',
  ]);
});

test('sentencesOfPage reads paragraphs, items and cells, and skips code and generated tables', () => {
  const text = [
    '# A title of a page',
    'One sentence here. Another one',
    'over two lines.',
    '- **[B1]** The broker closes it.',
    '```sh',
    'npm run some thing',
    '```',
    '| name | the broker closes it |',
    '<!-- rooms: made by npm run rooms -->',
    '| this table is generated |',
    '<!-- end of rooms -->',
    'The last sentence stands here.',
  ].join('\n');
  assert.deepEqual(short(sentencesOfPage({ path: 'a.md', text })), [
    '2: One sentence here.',
    '2: Another one over two lines.',
    '4: **[B1]** The broker closes it.',
    '8: the broker closes it',
    '12: The last sentence stands here.',
  ]);
});

test('draw gives the same sentences for the same seed, and each once', () => {
  const all = readSentences(`${import.meta.dirname}/../..`, 'gateway/domain');
  assert.ok(all.length > 500);
  const drawn = draw(all, 50, 7);
  assert.equal(new Set(drawn).size, 50);
  assert.deepEqual(draw(all, 50, 7), drawn);
  assert.notDeepEqual(draw(all, 50, 8), drawn);
  assert.equal(draw(all.slice(0, 3), 50, 7).length, 3);
});
