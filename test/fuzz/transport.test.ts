import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzTransport } from './transport.ts';

test('[D4] conversations that are cut, doubled, rewound, held and aborted: what comes out was sent, what nothing happened to comes out', () => {
  let rounds = 0;
  const { untouched, messages } = fuzzTransport(20_261_121, () => rounds++ > 400);
  assert.ok(untouched > 1_000);
  assert.ok(messages > untouched);
});
