/** Texts and forms of records with values that only a newer version knows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOperations } from '#contract/work/alert.ts';
import { repairTicketOperations } from '#contract/work/repair-ticket.ts';
import { actionChoices, priorityChoices } from '#ui/office/care/maintenance-text.ts';
import { isKnown } from '#ui/office/rules/rule-draft.ts';
import { type Rule, ruleSentence } from '#ui/office/rules/rule-text.ts';
import { byGravity, crossed } from '#ui/office/work/alert-text.ts';
import { factsOf, updateOf } from '#ui/office/work/ticket-draft.ts';
import {
  byNeed,
  HOLD_WORDS,
  PRIORITY_OF,
  PRIORITY_WORDS,
  STATUS_WORDS,
  TYPE_WORDS,
} from '#ui/office/work/ticket-text.ts';
import { NOW } from './kit.ts';

const AT = new Date(NOW).toISOString();
const STORED = { id: 'id_1', project_id: 'prj_1', revision: 1, created_at: AT, updated_at: AT };
const NAMES = { machine: (id: string) => id, location: (id: string) => id, plan: (id: string) => id };

const RULE: Rule = alertOperations.alert_rules_get.output.parse({
  object: 'alert_rule',
  ...STORED,
  name: 'Lamp',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  for_seconds: 0,
  clear_value: null,
  no_data_seconds: null,
  spn: null,
  fmi: null,
  geofence: null,
  change: null,
  service: null,
  severity: 'warning',
  scope: {},
  mute: [],
  actions: [],
  enabled: true,
  built_in: null,
});

const ALERT = alertOperations.alerts_get.output.parse({
  object: 'alert',
  ...STORED,
  rule_id: 'rul_1',
  rule_name: 'Lamp',
  severity: 'unknown',
  signal_name: 'unknown',
  machine_id: 'eq_1',
  device_id: null,
  condition: 'threshold',
  value: 3,
  threshold: 2,
  unit: '',
  state: 'active',
  acknowledged_at: null,
  acknowledged_by: null,
  raised_at: AT,
  cleared_at: null,
  cleared_because: null,
  observed_at: AT,
  late: false,
  actions: [],
  raw_traffic: null,
});

const TICKET = repairTicketOperations.repair_tickets_get.output.parse({
  object: 'repair_ticket',
  ...STORED,
  number: 'RT-1-abcd',
  title: 'Leak',
  description: '',
  equipment_id: 'eq_1',
  location_id: null,
  status: 'unknown',
  priority: 'unknown',
  safety_critical: false,
  type: 'unknown',
  failure: {},
  source: { kind: 'unknown' },
  reported_by: null,
  assigned_mechanic_ids: [],
  meter_at_flag: null,
  flagged_at: AT,
  due_at: null,
  started_at: null,
  fixed_at: null,
  closed_at: null,
  labor: [],
  parts: [],
  downtime_minutes: null,
  hold_reason: 'unknown',
  signature: null,
  related_to: null,
  labels: {},
  context: { run_id: null, device_id: null, media: [] },
});

test('[U230] texts of alerts, rules and tickets say that a value is unknown', () => {
  const { status, priority, type, hold_reason } = TICKET;
  const words = [STATUS_WORDS[status], PRIORITY_WORDS[priority], TYPE_WORDS[type], HOLD_WORDS[hold_reason ?? 'other']];
  assert.deepEqual(words, ['Unknown status', 'Unknown', 'Unknown', 'Unknown']);
  assert.equal(crossed(ALERT), 'Unknown signal 3');
  const sentence = ruleSentence({ ...RULE, signal: 'unknown', op: 'unknown', severity: 'unknown' }, NAMES);
  assert.match(sentence ?? '', /an unknown alert when Unknown signal is beyond 105/);
});

test('[U230] an unknown severity or priority stands with the critical ones', () => {
  const warning = { ...ALERT, id: 'id_0', severity: 'warning' as const };
  assert.deepEqual([warning, ALERT].sort(byGravity), [ALERT, warning]);
  const high = { ...TICKET, id: 'id_0', priority: 'high' as const };
  assert.deepEqual([high, TICKET].sort(byNeed), [TICKET, high]);
});

test('[U230] a form replaces no value that it cannot show', () => {
  assert.equal(isKnown(RULE), true);
  const newer = [
    { ...RULE, op: 'unknown' },
    { ...RULE, severity: 'unknown' },
    { ...RULE, actions: ['unknown'] },
  ];
  assert.deepEqual(
    newer.map((one) => isKnown(one as Rule)),
    [false, false, false],
  );
  const facts = factsOf(TICKET);
  const draft = { title: 'Leak at the pump', priority: 'unknown', type: 'unknown' } as const;
  assert.deepEqual(updateOf({ ...facts, ...draft }, draft), { title: 'Leak at the pump' });
});

test('[U240] an unknown severity counts as critical, and the form of a plan keeps an unknown value', () => {
  assert.equal(PRIORITY_OF[ALERT.severity], 'critical');
  assert.deepEqual(
    [actionChoices('unknown'), priorityChoices('unknown')].map(([first]) => first?.[0]),
    ['unknown', 'unknown'],
  );
  for (const choices of [actionChoices('none'), actionChoices(undefined), priorityChoices('high')])
    assert.equal(
      choices.some(([value]) => value === 'unknown'),
      false,
    );
});
