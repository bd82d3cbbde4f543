/** One rule of freshness: the API, the boards of TVs and the office page say the same about one value, and it ages by time alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { freshness, freshnessOf, staleAfter, staleAfterSet, valueFreshnessAt } from '#contract/base/freshness.ts';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { LiveValue } from '#contract/fleet/equipment.ts';
import { drawSignal } from '#domain/board/values.ts';
import { shownValue } from '#ui/office/machines/value-age.ts';
import { valueFreshness } from '#ui/tiles/ageing.ts';

const NOW = Date.UTC(2026, 4, 1, 12);

function liveValue(at_ms: number, expected_interval_s?: number, stale_after_s?: number): LiveValue {
  const observed_at = new Date(at_ms).toISOString();
  return {
    value: 42,
    observed_at,
    received_at: observed_at,
    device_id: 'dev_a',
    run_id: null,
    ref: null,
    bus: 1,
    source_address: 0,
    pgn: null,
    spn: null,
    raw: null,
    ...(expected_interval_s === undefined ? {} : { expected_interval_s }),
    ...(stale_after_s === undefined ? {} : { stale_after_s }),
  };
}

const owner = (field: string, value: LiveValue) => ({
  device_ids: ['dev_a'],
  last_live_data_at: value.observed_at,
  context: { fields: { [field]: value } },
});

test('[D282] the limits of freshness at their edges', () => {
  const at = (kind: 'gauge' | 'level' | 'meter', interval_s: number, age_s: number | null) =>
    freshness(kind, interval_s, age_s);
  for (const kind of ['gauge', 'level', 'meter'] as const) {
    assert.equal(at(kind, 1, null), 'never');
    assert.deepEqual(
      [-3_600, 0, 5, 5.001, 60, 60.001].map((age) => at(kind, 1, age)),
      ['fresh', 'fresh', 'fresh', 'ageing', 'ageing', 'stale'],
    );
    assert.deepEqual(
      [90, 90.001, 300, 300.001].map((age) => at(kind, 30, age)),
      ['fresh', 'ageing', 'ageing', 'stale'],
    );
  }
  assert.deepEqual(
    [600, 600.001].map((age) => at('gauge', 1, age)),
    ['stale', 'none'],
  );
  assert.deepEqual(
    [1e9].flatMap((age) => [at('level', 1, age), at('meter', 1, age)]),
    ['stale', 'stale'],
  );
  // A set interval has no least age of 60 s: after 10 s a value that is expected every second is stale.
  assert.deepEqual(
    [5, 5.001, 10, 10.001].map((age) => freshness('level', 1, age, staleAfterSet(1))),
    ['fresh', 'ageing', 'ageing', 'stale'],
  );
  assert.deepEqual([staleAfter(1), staleAfter(6), staleAfter(7), staleAfter(60)], [60, 60, 70, 600]);
});

test('[D282] a board, a TV and the office page agree on every value at every time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SIGNAL_NAMES),
      fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined }),
      fc.boolean(),
      fc.integer({ min: -100, max: 8_000 }),
      fc.integer({ min: 0, max: 2_000 }),
      (signal, interval_s, isSet, age_s, later_s) => {
        const stale_s = isSet && interval_s !== undefined ? staleAfterSet(interval_s) : undefined;
        const value = liveValue(NOW - age_s * 1000, interval_s, stale_s);
        const later = NOW + later_s * 1000;
        const api = valueFreshnessAt(signal, value, later);
        const drawn = drawSignal(signal, value, later);
        const tile = { now: later, live: true, lastMessageMs: later };
        assert.equal(drawn.freshness, api);
        assert.equal(freshnessOf(signal, value, later).freshness, api);
        assert.equal(valueFreshness(drawn, tile), api);
        // The TV got its last message at NOW, and nothing has arrived since.
        assert.equal(valueFreshness(drawSignal(signal, value, NOW), tile), api);
        assert.equal(shownValue(owner(signalRow(signal).field, value), signal, '42', later).freshness, api);
      },
    ),
    { seed: 3, numRuns: 1_000 },
  );
});

test('[U155] a value on the office page turns from fresh to ageing to stale while nothing arrives', () => {
  const walk = (signal: 'engine.speed' | 'fuel.level', interval_s: number) => {
    const value = liveValue(NOW, interval_s);
    const machine = owner(signalRow(signal).field, value);
    return [0, 5, 6, 60, 61, 600, 601].map((s) => {
      const { freshness: judged, text, age } = shownValue(machine, signal, '42', NOW + s * 1000);
      return [judged, text, age];
    });
  };
  const speed = walk('engine.speed', 1);
  assert.deepEqual(
    speed.map(([judged]) => judged),
    ['fresh', 'fresh', 'ageing', 'ageing', 'stale', 'stale', 'none'],
  );
  assert.deepEqual(
    speed.map(([, text]) => text),
    ['42', '42', '42', '42', '42', '42', null],
  );
  const level = walk('fuel.level', 1);
  assert.deepEqual(level.at(-1)?.slice(0, 2), ['stale', '42'], 'a level is never blank');
  assert.match(String(level.at(-1)?.[2]), /^as of .+ ago$/);
});

test('[U155] a value that never came says "never" and why', () => {
  const say = (device_ids: string[], last_live_data_at: string | null) =>
    shownValue({ device_ids, last_live_data_at, context: {} }, 'engine.speed', null, NOW);
  const at = new Date(NOW).toISOString();
  for (const shown of [say([], null), say(['dev_a'], null), say(['dev_a'], at)])
    assert.deepEqual([shown.freshness, shown.text, shown.age], ['never', null, 'never']);
  const reasons = [say([], null), say(['dev_a'], null), say(['dev_a'], at)].map(({ why }) => why);
  assert.equal(new Set(reasons).size, 3);
  assert.match(String(reasons[0]), /No device is linked/);
});
