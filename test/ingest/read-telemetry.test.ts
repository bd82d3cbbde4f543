/** Reads of telemetry straight from the store of a site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTelemetry } from '#history/read-telemetry.ts';
import { noMemory } from './no-memory.ts';
import { startSite } from './support.ts';

test('[A805] a read that examined too many samples ends with its day, and continuing misses and repeats no sample', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'HT-1');
  const start = site.time.ms - 4 * 86_400_000;
  const points = Array.from({ length: 400 }, (_, i) => ({
    ts: start + i * 800_000,
    values: { 'engine.speed': 800 + i, 'fuel.level': 50 },
  }));
  await site.send(device, 'telemetry', JSON.stringify({ points }));
  await site.settle();
  // A segment is stored when its first sample is a minute old.
  site.time.pass(61_000);
  await site.stored();
  const source = {
    view: site.store.view(site.project),
    equipment_id: site.machine('HT-1'),
    ...noMemory(),
  };
  const query = {
    project_id: site.project,
    equipment_id: source.equipment_id,
    signals: ['engine.speed'] as const,
    to_ms: site.time.ms,
    step_s: null,
    now_ms: site.time.ms,
  };
  const found: [t: number, value: number | undefined][] = [];
  let reads = 0;
  assert.ok((await site.store.view(site.project).find('telemetry', { object: 'segment', limit: 9 })).length >= 4);
  for (let from_ms = start; from_ms < query.to_ms; reads++) {
    const { until_ms, series, unreadable } = await readTelemetry(source, { ...query, from_ms }, 1);
    assert.equal(unreadable, 0);
    assert.ok(until_ms === query.to_ms || until_ms % 86_400_000 === 0);
    for (const { t, value } of series) for (const [i, at] of t.entries()) found.push([at, value?.[i]]);
    from_ms = until_ms;
  }
  assert.equal(reads, 5);
  assert.deepEqual(
    found,
    points.map(({ ts, values }) => [ts, values['engine.speed']]),
  );
  const whole = await readTelemetry(source, { ...query, from_ms: start });
  assert.deepEqual([whole.until_ms, whole.series[0]?.samples], [query.to_ms, points.length]);
});
