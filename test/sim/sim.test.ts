import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Outcome, simulate } from './sim.ts';
import type { Sabotage } from './world.ts';

const CI_SEEDS = 200;

/** The first of some seeds that notices what is broken. */
async function noticed(sabotage: Sabotage): Promise<Outcome | undefined> {
  for (let seed = 1; seed <= 20; seed++) {
    const outcome = await simulate(seed, { sabotage });
    if (outcome.violation !== undefined) return outcome;
  }
  return undefined;
}

test(`[T11] [T12] ${CI_SEEDS} sites through crashes, bad disks, bad clocks and a bad network: nothing lost, nothing twice, all comes to rest`, async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), String(CI_SEEDS), '1']);
  const [said, complained, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done) => child.on('exit', done)),
  ]);
  assert.equal(code, 0, `${said}${complained}`);
  assert.match(said, new RegExp(`^${CI_SEEDS} seeds from 1: 0 failed`, 'm'));
});

test('[T13] the same seed is the same world, to the last step; another seed is another', async () => {
  const traces = new Set<string>();
  for (const seed of [1, 2, 3]) {
    const [once, again] = [await simulate(seed), await simulate(seed)];
    assert.deepEqual(once, again);
    traces.add(once.trace);
  }
  assert.equal(traces.size, 3);
});

test('[T14] a disk that answers before it has synced is noticed', async () => {
  assert.match((await noticed('disk that answers before it has synced'))?.violation ?? '', /\[I1\] .* not on the disk/);
});

test('[T14] a fold that takes repeats for new is noticed', async () => {
  assert.match(
    (await noticed('fold that takes repeats for new'))?.violation ?? '',
    /\[I2\] .* (frames|duplicates) instead/,
  );
});

test('[T14] a fold that takes the receipt for a date, a store that forgets gap records and a judge who believes all are noticed', async () => {
  assert.match((await noticed('fold that takes the receipt for a date'))?.violation ?? '', /\[I2\] .* instead/);
  assert.match((await noticed('store that forgets gap records'))?.violation ?? '', /\[I36\] .* untold/);
  assert.match(
    (await noticed('judge who believes every reading'))?.violation ?? '',
    /\[I2\] .*(hours|fuel_used|odometer)/,
  );
});
