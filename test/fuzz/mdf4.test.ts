/** A short run of `npm run fuzz:mdf4`, always the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzMdf4 } from './mdf4.ts';

test('[F17] changed files give an error with a code, or what is readable of them', async () => {
  const { files, ends, violations } = await fuzzMdf4({ minutes: 2, files: 600 }, 20261121);
  assert.deepEqual(violations, []);
  assert.equal(files, 600);
  for (const end of ['whole', 'gaps', 'not_a_log', 'damaged', 'not_authentic'])
    assert.ok((ends[end] ?? 0) > 0, `no file ended as ${end}: ${JSON.stringify(ends)}`);
});
