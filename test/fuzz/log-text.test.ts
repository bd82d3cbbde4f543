import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzLogText } from './log-text.ts';

test('[F56] damaged candump, ASC and TRC files are read, surveyed and written without a throw', async () => {
  let files = 0;
  const { frames, unparsable } = await fuzzLogText(20_261_121, () => files++ > 150);
  assert.ok(frames > 3_000);
  assert.ok(unparsable > 100);
});
