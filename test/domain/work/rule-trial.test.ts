import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random as draw, streamOf } from '#domain/base/random.ts';
import { CALM, judge, type Measured, type Standing } from '#domain/work/alerts.ts';
import { MOST_LISTED, RuleTrial } from '#domain/work/rule-trial.ts';

type Rule = ConstructorParameters<typeof RuleTrial>[0];

const START = Date.parse('2026-11-14T08:00:00Z');
const RULE: Rule = {
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  for_seconds: 0,
  clear_value: 100,
  no_data_seconds: null,
};

/** Judges the rule every second over the values, as the gateway does live. */
function live(rule: Rule, values: readonly (readonly [t_ms: number, value: number])[], to_ms: number) {
  let standing: Standing = CALM;
  let newest: Measured | undefined;
  const story: string[] = [];
  let next = 0;
  for (let now = START; now <= to_ms; now += 1000) {
    for (; (values[next]?.[0] ?? Number.POSITIVE_INFINITY) <= now; next++) {
      const [t, value] = values[next] as [number, number];
      newest = { value, observed_ms: t, received_ms: t, device_id: null };
    }
    const verdict = judge(rule, standing, newest, now, null, START);
    standing = verdict.standing;
    if (verdict.clear !== null) {
      story.push(`clear ${now - START}`);
      standing = { ...standing, open: null };
    }
    if (verdict.raise === null) continue;
    const { condition } = verdict.raise;
    story.push(`${condition} ${now - START}`);
    standing = { ...standing, open: { alert_id: '', condition, late: false, raised_ms: now } };
  }
  return story;
}

function tried(rule: Rule, values: readonly (readonly [t_ms: number, value: number])[], to_ms: number) {
  const trial = new RuleTrial(rule, START);
  for (const [t, value] of values) trial.add(t, value);
  const result = trial.finish(to_ms);
  const story = result.alerts.flatMap(({ raised_ms, cleared_ms, condition }) => [
    [raised_ms, `${condition} ${raised_ms - START}`] as const,
    ...(cleared_ms === null ? [] : [[cleared_ms, `clear ${cleared_ms - START}`] as const]),
  ]);
  return { ...result, story: story.sort(([a], [b]) => a - b).map(([, text]) => text) };
}

test('[A837] a trial raises and clears the alerts of the live judge, at the same seconds', () => {
  let alerts = 0;
  for (let seed = 1; seed <= 1_000; seed++) {
    const stream = streamOf(seed);
    const random = () => draw(stream);
    const rule = {
      ...RULE,
      for_seconds: Math.floor(random() * 3) * 10,
      no_data_seconds: random() < 0.3 ? 90 : null,
    };
    let at = START;
    let value = 100;
    const values = Array.from({ length: 200 }, () => {
      at += random() < 0.02 ? 1000 * Math.floor(random() * 400) : 1000;
      if (random() < 0.2) value = 95 + Math.floor(random() * 15);
      return [at, value] as const;
    });
    const wanted = live(rule, values, at + 60_000);
    assert.deepEqual(tried(rule, values, at + 60_000).story.sort(), wanted.sort(), `seed ${seed}`);
    alerts += wanted.length;
  }
  assert.ok(alerts > 2_000, `${alerts}`);
});

test('[A837] a trial says for how much of the time it had values, and where they were missing', () => {
  const minute = (from_s: number) => Array.from({ length: 60 }, (_, i) => [START + (from_s + i) * 1000, 90] as const);
  const { covered_ms, gaps, gaps_total, alerts_total } = tried(
    RULE,
    [...minute(600), ...minute(1_200)],
    START + 1_800_000,
  );
  // Each value counts until the next one, for at most the stale limit of 60 s.
  assert.deepEqual([covered_ms, gaps_total, alerts_total], [2 * 59_000 + 2 * 60_000, 3, 0]);
  assert.deepEqual(
    gaps.map(({ from_ms, to_ms }) => [(from_ms - START) / 1000, (to_ms - START) / 1000]),
    [
      [0, 600],
      [659, 1_200],
      [1_259, 1_800],
    ],
  );
  const none = new RuleTrial(RULE, START).finish(START + 1_000);
  assert.deepEqual([none.covered_ms, none.gaps_total, none.values], [0, 1, 0]);
});

test('[A838] the list of alerts has a limit, and the total counts all', () => {
  const values = Array.from({ length: 300 }, (_, i) => [
    [START + i * 40_000, 110] as const,
    [START + i * 40_000 + 20_000, 90] as const,
  ]).flat();
  const { alerts, alerts_total } = tried(RULE, values, START + 300 * 40_000);
  assert.deepEqual([alerts.length, alerts_total], [MOST_LISTED, 300]);
});
