/** Reads of several machines when the read of one of them ends early. The reader of this test ends as the real reader does at its limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TelemetryQuery, TelemetryRead } from '#contract/context.ts';
import { readMachines } from '#handlers/fleet/read-machines.ts';

test('[A820] if the read of one machine ends early, the reads of all machines end at that time', async () => {
  const ends: Record<string, number> = { a: 90, b: 40, c: 70 };
  const asked: string[] = [];
  const read = async ({ equipment_id, to_ms }: TelemetryQuery): Promise<TelemetryRead> => {
    asked.push(`${equipment_id} ${to_ms}`);
    return { until_ms: Math.min(to_ms, ends[equipment_id] as number), unreadable: 0, series: [] };
  };
  const query = { project_id: 'p', signals: [], from_ms: 0, to_ms: 100, step_s: null, now_ms: 100 };
  const { until_ms, reads } = await readMachines(read, ['a', 'b', 'c'], query);
  assert.equal(until_ms, 40);
  assert.deepEqual(
    [...reads.values()].map((one) => one.until_ms),
    [40, 40, 40],
  );
  assert.deepEqual(asked, ['a 100', 'b 90', 'c 40', 'a 40']);
});
