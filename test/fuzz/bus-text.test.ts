import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzBusText } from './bus-text.ts';

test('[F66] damaged SLCAN and candump text, cut anywhere, gives frames within the bounds of CAN or counts', () => {
  let rounds = 0;
  const { frames, refused } = fuzzBusText(20_261_121, () => rounds++ > 1_500);
  assert.ok(frames > 10_000);
  assert.ok(refused > 1_000);
});
