/** A whole gateway that is killed in the middle of runs; `npm run faults:agent` kills 100 of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killUnderAgent } from '#test/faults/agent-kill.ts';
import { killsOf } from '#test/support/kills.ts';

test('[AG27] after kill -9 in the middle of runs, each has one replacement, each write was made once, and transcripts are whole', async () => {
  const wanted = killsOf(3);
  const { died, wrong } = await killUnderAgent(wanted, 5, () => undefined);
  assert.deepEqual(wrong, []);
  assert.ok(died >= wanted);
});
