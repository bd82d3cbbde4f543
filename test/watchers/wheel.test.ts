import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createWheel } from '#watchers/wheel.ts';

test('an entry of the timer wheel is due once, at its earliest time and not before', () => {
  const asked = fc.record({ target: fc.nat(3), rule: fc.nat(3), in_ms: fc.integer({ min: -5_000, max: 60_000 }) });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 40 }), (all) => {
      let now = 1_000;
      const wheel = createWheel(() => now);
      const first = new Map<string, number>();
      for (const { target, rule, in_ms } of all) {
        wheel.add(`t${target}`, `r${rule}`, in_ms);
        const key = `t${target} r${rule}`;
        first.set(key, Math.min(first.get(key) ?? Number.POSITIVE_INFINITY, now + Math.max(0, in_ms)));
      }
      const due = new Map<string, number>();
      for (; now <= 63_000; now += 500)
        wheel.take((target, rule) => {
          const key = `${target} ${rule}`;
          assert.ok(!due.has(key), `${key} was due twice`);
          due.set(key, now);
        });
      assert.deepEqual([...due.keys()].sort(), [...first.keys()].sort());
      for (const [key, at] of due) {
        const wanted = first.get(key) ?? Number.NaN;
        assert.ok(at >= wanted && at < wanted + 1_500, `${key}: asked for ${wanted}, due at ${at}`);
      }
    }),
  );
});
