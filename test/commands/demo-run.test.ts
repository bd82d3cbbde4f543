import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readSnapshot, runDemoSite, startOf } from '#commands/demo-site/run.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createSite, type SiteSnapshot } from '#simulator/site.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-demo-run-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const METERS = ['hours', 'idle_hours', 'pto_hours', 'odometer_km', 'used_l', 'idle_used_l'] as const;
const START = Date.UTC(2026, 5, 1, 8);

/** Advances by `step_ms` each time it is read. */
function steppingClock(from_ms: number, step_ms: number): () => number {
  let now = from_ms;
  return () => {
    now += step_ms;
    return now;
  };
}

test('a demo killed at any publication continues with no meter below what it had published', async () => {
  const path = join(folder, 'demo.json');
  const site = createSite({ seed: 7, start_ms: START });
  const stop = new AbortController();
  let past = 0;
  let live = 0;
  await runDemoSite({
    site,
    seed: 7,
    path,
    clock: steppingClock(START + 300_000, 3_000),
    publish(machine, { count }, seq) {
      if (count === 0) return;
      const saved = JSON.parse(readFileSync(path, 'utf8')) as SiteSnapshot;
      const sent = site.physics(machine);
      for (const meter of METERS) assert.ok(Number(saved.machines[machine]?.[meter]) >= sent[meter], meter);
      if (seq === null) past++;
      else if (++live === 1_500) stop.abort();
    },
    room: async () => {},
    stop: stop.signal,
  });
  assert.ok(past > 12);
  const state = await readSnapshot(path);
  assert.ok(state !== undefined && state.now_ms > START + 300_000);
});

test('a site starts with the meters of its saved state, and never after the clock', () => {
  const site = createSite({ seed: 7, start_ms: START });
  const ahead = site.snapshotAt(START + 600_000);
  assert.equal(site.now_ms, START);
  assert.equal(startOf(ahead, START + 30_000), START + 30_000);
  assert.equal(startOf(ahead, START + 700_000), START + 600_000);
  assert.equal(startOf(undefined, START), START - 12 * 3_600_000);
  const next = createSite({ seed: 7, start_ms: startOf(ahead, START + 30_000), from: ahead });
  for (const [i, saved] of ahead.machines.entries())
    for (const meter of METERS) assert.equal(next.physics(i)[meter], saved[meter]);

  site.advance(
    START + 600_000,
    site.roster.map(() => new FrameBatch(256)),
  );
  assert.deepEqual(site.snapshot(), ahead);
});
