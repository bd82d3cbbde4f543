import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from './seeds.ts';

test('[AG22] runs against random faults of the provider end as planned, with whole transcripts and each write once', async () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
  const ends = await runSeeds(seeds, { secondMs: 100, stalls: false });
  assert.ok((ends.get('completed') ?? 0) > 5 && ends.size > 4, JSON.stringify([...ends]));
});
