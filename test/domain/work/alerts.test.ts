import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AlertData } from '#contract/work/alert.ts';
import { type AlertFact, applyAlertFact, raisedFact } from '#domain/work/alert-facts.ts';
import { CALM, judge, type Measured, muting, type Standing } from '#domain/work/alerts.ts';

type Rule = Parameters<typeof judge>[0];

const HOT: Rule = {
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  for_seconds: 10,
  clear_value: 100,
  no_data_seconds: null,
};
const at = (value: number, observed_s: number, received_s = observed_s): Measured => ({
  value,
  observed_ms: observed_s * 1000,
  received_ms: received_s * 1000,
  device_id: 'dev_1',
});

/** Runs a story of [second, value] and tells what was raised and cleared, as the watch would apply it. */
function story(
  rule: Rule,
  steps: readonly (readonly [now_s: number, measured: Measured | undefined, muted?: boolean])[],
) {
  let standing: Standing = CALM;
  const told: string[] = [];
  for (const [now_s, measured, muted = false] of steps) {
    const verdict = judge(rule, standing, measured, now_s * 1000, muted ? 'all' : null, 0);
    if (verdict.clear !== null) told.push(`${now_s} clear ${verdict.clear}`);
    if (verdict.raise !== null) told.push(`${now_s} ${verdict.raise.late ? 'late ' : ''}${verdict.raise.condition}`);
    const open =
      verdict.raise !== null
        ? {
            alert_id: `a${now_s}`,
            condition: verdict.raise.condition,
            late: verdict.raise.late,
            raised_ms: now_s * 1000,
          }
        : verdict.clear !== null
          ? null
          : standing.open;
    standing = { ...verdict.standing, open };
  }
  return told;
}

const live = (...values: [number, number][]) => values.map(([s, value]) => [s, at(value, s)] as const);

test('[A170] an alert is raised after the value has crossed for for_seconds, and not before', () => {
  assert.deepEqual(story(HOT, live([0, 106], [9, 107])), []);
  assert.deepEqual(story(HOT, live([0, 106], [10, 107])), ['10 threshold']);
  assert.deepEqual(story(HOT, live([0, 106], [5, 104], [10, 107], [19, 107])), []);
  assert.deepEqual(story({ ...HOT, for_seconds: 0 }, live([0, 106])), ['0 threshold']);
  // A value that came once is believed for as long as its signal is fresh.
  assert.deepEqual(story(HOT, [...live([0, 106]), [10, at(106, 0)]]), ['10 threshold']);
  assert.deepEqual(story({ ...HOT, for_seconds: 120 }, [...live([0, 106]), [120, at(106, 0)]]), []);
});

test('[A170] wake_ms is the time at which the alert is due', () => {
  assert.equal(judge(HOT, CALM, at(106, 3), 3_000, null, 0).wake_ms, 13_000);
  assert.equal(judge(HOT, CALM, at(90, 3), 3_000, null, 0).wake_ms, null);
  assert.equal(judge({ ...HOT, no_data_seconds: 60 }, CALM, at(90, 3), 3_000, null, 0).wake_ms, 63_000);
});

test('[A171] an alert clears beyond `clear_value`, not between the thresholds, after ten seconds at least', () => {
  const now = { ...HOT, for_seconds: 0 };
  assert.deepEqual(story(now, live([0, 106], [20, 103], [30, 106], [40, 99])), ['0 threshold', '40 clear back']);
  assert.deepEqual(story(now, live([0, 106], [1, 90], [2, 106], [3, 90], [10, 90])), ['0 threshold', '10 clear back']);
  const low: Rule = { ...now, op: 'lte', value: 10, clear_value: 15 };
  assert.deepEqual(story(low, live([0, 10], [20, 15], [30, 15.1])), ['0 threshold', '30 clear back']);
});

test('[A171] for any values raise and clear alternate, and nothing is raised between the thresholds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 95, max: 110 })), { maxLength: 60 }),
      fc.nat(20),
      (moves, for_seconds) => {
        let now = 0;
        const steps = moves.map(([gap, value]) => {
          now += gap;
          return [now, value] as [number, number];
        });
        const told = story({ ...HOT, for_seconds }, live(...steps));
        told.forEach((line, i) => {
          assert.match(line, i % 2 === 0 ? /threshold$/ : /clear back$/);
        });
        for (const line of told) {
          const second = Number.parseInt(line, 10);
          const values = steps.filter(([s]) => s === second).map(([, value]) => value);
          assert.ok(values.some((value) => (line.endsWith('threshold') ? value > 105 : value <= 100)));
        }
      },
    ),
  );
});

test('[A172] a value that was old on arrival opens a late alert; a fresh value raises a live one', () => {
  const now = { ...HOT, for_seconds: 0 };
  assert.deepEqual(
    story(now, [
      [10_000, at(106, 1_000, 10_000)],
      [10_001, at(106, 2_000, 10_001)],
      [10_020, at(90, 3_000, 10_020)],
    ]),
    ['10000 late threshold', '10020 clear back'],
  );
  assert.deepEqual(
    story(now, [
      [10_000, at(106, 1_000, 10_000)],
      [10_005, at(106, 10_005)],
    ]),
    ['10000 late threshold', '10005 clear superseded', '10005 threshold'],
  );
  // A value that came long ago, as after a restart, says nothing of now.
  assert.deepEqual(story(now, [[10_000, at(106, 1_000)]]), []);
});

test('[A172] a gap in the values restarts for_seconds', () => {
  const slow = { ...HOT, for_seconds: 600 };
  const steps = [0, 200, 400, 900, 1_100, 1_300].map((s) => [s, at(106, s)] as const);
  assert.deepEqual(story(slow, steps), []);
  assert.deepEqual(story(slow, [...steps, [1_500, at(106, 1_500)]]), ['1500 threshold']);
});

test('[A173] missing data raises one alert, counted from the start of the gateway, and data clears it', () => {
  const rule: Rule = { ...HOT, op: null, value: null, clear_value: null, no_data_seconds: 60 };
  assert.deepEqual(
    story(rule, [
      [0, undefined],
      [10, at(90, 10)],
      [69, at(90, 10)],
      [70, at(90, 10)],
      [500, at(90, 10)],
      [510, at(90, 510)],
    ]),
    ['70 no_data', '510 clear data'],
  );
  const restarted = judge(rule, CALM, at(90, 10), 5_000_000, null, 4_990_000);
  assert.deepEqual([restarted.raise, restarted.wake_ms], [null, 5_050_000]);
  const open = { alert_id: 'a', condition: 'no_data', late: false, raised_ms: 70_000 } as const;
  assert.equal(judge(rule, { ...CALM, open }, at(90, 10), 5_000_000, null, 4_990_000).clear, null);
  // It comes back too hot: one ends, the other begins.
  const both = { ...HOT, for_seconds: 0, no_data_seconds: 60 };
  assert.deepEqual(
    story(both, [
      [0, at(90, 0)],
      [60, at(90, 0)],
      [70, at(106, 70)],
    ]),
    ['60 no_data', '70 clear data', '70 threshold'],
  );
});

test('[A174] explained missing data raises nothing, but a crossing does', () => {
  const both = { ...HOT, for_seconds: 0, no_data_seconds: 60 };
  assert.equal(judge(both, CALM, at(90, 0), 100_000, 'silence', 0).raise, null);
  assert.equal(judge(both, CALM, at(106, 99), 100_000, 'silence', 0).raise?.condition, 'threshold');
});

test('[A174] a muted rule raises nothing and still clears open alerts', () => {
  const now = { ...HOT, for_seconds: 0 };
  assert.deepEqual(
    story(now, [
      [0, at(106, 0), true],
      [20, at(106, 20)],
      [40, at(90, 40), true],
    ]),
    ['20 threshold', '40 clear back'],
  );
  const iso = (s: number) => new Date(s * 1000).toISOString();
  const mute = [
    { from: iso(10), until: iso(20), equipment_id: 'eq_1', reason: null },
    { from: null, until: iso(5), equipment_id: null, reason: null },
  ];
  assert.deepEqual(muting(mute, 'eq_1', 0), { muted: true, change_ms: 5_000 });
  assert.deepEqual(muting(mute, 'eq_1', 12_000), { muted: true, change_ms: 20_000 });
  assert.deepEqual(muting(mute, 'eq_2', 12_000), { muted: false, change_ms: null });
  assert.deepEqual(muting(mute, 'eq_1', 20_000), { muted: false, change_ms: null });
});

test('[A175] an alert without a machine and a late alert skip every action', () => {
  const rule = {
    ...HOT,
    id: 'rul_1',
    name: 'Hot',
    severity: 'critical' as const,
    scope: { equipment_ids: [], kinds: [], location_ids: [] },
    mute: [],
    actions: ['webhook' as const],
    enabled: true,
    built_in: null,
  };
  const raise = { condition: 'threshold', late: false, measured: at(106, 10) } as const;
  assert.deepEqual(raisedFact('alr_1', rule, 'eq_1', raise, true).actions, [
    { action: 'webhook', status: 'executed', reason: null },
  ]);
  assert.deepEqual(raisedFact('alr_1', rule, null, raise, true).actions, [
    { action: 'webhook', status: 'skipped', reason: 'unpaired_machine' },
  ]);
  assert.deepEqual(raisedFact('alr_1', rule, 'eq_1', { ...raise, late: true }, true).actions, [
    { action: 'webhook', status: 'skipped', reason: 'late' },
  ]);
  assert.deepEqual(raisedFact('alr_1', rule, 'eq_1', raise, false).actions, [
    { action: 'webhook', status: 'skipped', reason: 'no_endpoint' },
  ]);
});

const fold = (facts: readonly AlertFact[]) =>
  facts.reduce<AlertData | undefined>((alert, fact) => applyAlertFact(alert, fact), undefined);

const raised: AlertFact & { readonly type: 'alert.raised' } = {
  type: 'alert.raised',
  at: '2026-11-21T10:00:00.000Z',
  data: {
    alert_id: 'alr_1',
    rule_id: 'rul_1',
    rule_name: 'Hot',
    severity: 'critical',
    signal_name: 'engine.coolant_temperature',
    machine_id: 'eq_1',
    device_id: 'dev_1',
    condition: 'threshold',
    value: 106,
    threshold: 105,
    unit: '°C',
    observed_at: '2026-11-21T10:00:00.000Z',
    late: false,
    actions: [],
  },
};

test('[A186] joined rules and acknowledgements in any order give the same alert', () => {
  const at = (minute: number) => `2026-11-21T10:0${minute}:00.000Z`;
  const joins = (rule_id: string, minute: number, severity: 'info' | 'warning' | 'critical'): AlertFact => ({
    type: 'alert.joined',
    at: at(minute),
    data: {
      joined: {
        rule_id,
        rule_name: rule_id,
        severity,
        signal_name: 'dtc.red_stop',
        value: 1,
        threshold: 1,
        raised_severity: severity === 'critical',
        alert_id: null,
      },
      actions: [{ action: 'webhook', status: 'executed', reason: null }],
    },
  });
  const base: AlertFact = { ...raised, data: { ...raised.data, severity: 'warning' } };
  const rest: AlertFact[] = [
    joins('r1', 1, 'info'),
    { type: 'alert.acknowledged', at: at(2), data: { by: 'Ada' } },
    joins('r2', 3, 'critical'),
    { type: 'alert.acknowledged', at: at(4), data: { by: 'Bo' } },
    joins('r3', 5, 'warning'),
  ];
  const wanted = fold([base, ...rest]);
  assert.deepEqual(
    [wanted?.severity, wanted?.acknowledged_by, wanted?.actions.length, wanted?.also?.map(({ rule_id }) => rule_id)],
    ['critical', 'Bo', 1, ['r1', 'r2', 'r3']],
  );
  assert.equal(fold([base, ...rest.slice(0, 3)])?.acknowledged_by, null);
  fc.assert(
    fc.property(fc.shuffledSubarray([...rest, base], { minLength: 6 }), (facts) => {
      assert.deepEqual(fold([base, ...facts, ...facts]), wanted);
    }),
  );
});

test('[A176] repeated events, and clear and acknowledgement in either order, give the same alert', () => {
  const rest: AlertFact[] = [
    { type: 'alert.acknowledged', at: '2026-11-21T10:01:00.000Z', data: { by: 'Ada' } },
    { type: 'alert.cleared', at: '2026-11-21T10:02:00.000Z', data: { because: 'back' } },
  ];
  const wanted = fold([raised, ...rest]);
  assert.equal(wanted?.state, 'cleared');
  fc.assert(
    fc.property(fc.shuffledSubarray([...rest, ...rest, raised], { minLength: 5 }), (facts) => {
      assert.deepEqual(fold([raised, ...facts]), wanted);
    }),
  );
});
