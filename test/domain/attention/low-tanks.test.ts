/** Low tanks: the limit, the way back, the rules of the site, and since when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TankRule } from '#contract/work/alert.ts';
import { LOW_PCT, lowSince, lowTanks, ruledTanks } from '#domain/attention/low-tanks.ts';
import { scoreOf } from '#domain/attention/score.ts';
import { machine, NOW, reports } from '#test/domain/board/board-kit.ts';
import { momentOf, NOTHING_OPEN } from './kit.ts';

const level = (percent: number, age_s = 1) => reports({ 'fuel.level': percent }, age_s);
const rule = (more: Partial<TankRule> = {}): TankRule => ({
  signal: 'fuel.level',
  op: 'lt',
  value: 5,
  enabled: true,
  scope: { equipment_ids: [], kinds: [], location_ids: [] },
  ...more,
});

test('[V36] only a current value at or below 10 % is low', () => {
  const low = (percent: number, age_s?: number) => lowTanks([], level(percent, age_s), [], NOW).length === 1;
  assert.deepEqual([low(0), low(LOW_PCT), low(LOW_PCT + 0.4), low(3, 86_400)], [true, true, false, false]);
  assert.deepEqual(lowTanks([], undefined, [], NOW), []);
});

test('[V36] in planned service and outside the shift a low tank is no reason', () => {
  const of = (status: 'in_use' | 'maintenance', in_shift: boolean) =>
    scoreOf(
      machine('m0', { status }),
      { ...level(3), live_status: 'off' },
      NOTHING_OPEN,
      momentOf({ in_shift, low: () => [{ signal: 'fuel.level', since_ms: NOW - 60_000 }] }),
    ).grade;
  assert.deepEqual([of('in_use', true), of('maintenance', true), of('in_use', false)], ['look', null, null]);
});

test('[V37] a rule of the site about the same tank and machine replaces the limit', () => {
  const subject = { id: 'm0', kind: 'haul_truck', within: ['pit', 'site'] };
  const replaces = (more: Partial<TankRule>) => ruledTanks([rule(more)], subject).join();
  const scope = { equipment_ids: [], kinds: [], location_ids: [] };
  for (const more of [
    {},
    { op: 'lte' as const },
    { scope: { ...scope, equipment_ids: ['m1', 'm0'] } },
    { scope: { ...scope, kinds: ['haul_truck'], location_ids: ['site'] } },
  ])
    assert.equal(replaces(more), 'fuel.level', JSON.stringify(more));
  for (const more of [
    { enabled: false },
    { op: 'gt' as const },
    { op: null, value: null },
    { scope: { ...scope, equipment_ids: ['m1'] } },
    { scope: { ...scope, kinds: ['dozer'] } },
    { scope: { ...scope, location_ids: ['dump'] } },
  ])
    assert.equal(replaces(more), '', JSON.stringify(more));
  assert.equal(replaces({ signal: 'def.level' }), 'def.level');
  assert.deepEqual(lowTanks([], level(3), ['fuel.level'], NOW), []);
});

test('[V37] the history gives the same start as watching each value', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 40 }), (levels) => {
      let low: ReturnType<typeof lowTanks> = [];
      levels.forEach((percent, i) => {
        const at_ms = NOW + i * 1000;
        const value = reports({ 'fuel.level': percent }, 0);
        const known = value.values['fuel.level'];
        assert.ok(known);
        value.values['fuel.level'] = { ...known, observed_at: new Date(at_ms).toISOString() };
        low = lowTanks(low, value, [], at_ms);
      });
      const { since_s, isWhole } = lowSince({ t: levels.map((_, i) => NOW / 1000 + i), v: levels });
      assert.equal(since_s === null ? null : since_s * 1000, low[0]?.since_ms ?? null);
      assert.equal(
        isWhole,
        levels.some((percent) => percent >= 13),
      );
    }),
  );
});
