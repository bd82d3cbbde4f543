/** Pure parts of the alert and repair pages: texts, drafts, errors, sort orders and times. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { ClientError } from '#contract/client.ts';
import { OFFICE_DE } from '#ui/languages/de/office.ts';
import { languageOf } from '#ui/languages/made.ts';
import { ENGLISH, setLanguage } from '#ui/languages/texts.ts';
import { WALL_DE } from '#ui/languages/wall-de.ts';
import { joined, reconcile, touched } from '#ui/office/base/draft.ts';
import { withEntry } from '#ui/office/base/tab-state.ts';
import { fieldsOfRule, NEW_RULE, ruleOf } from '#ui/office/rules/rule-draft.ts';
import {
  alertWords,
  notJudgedWords,
  type RuleText,
  ruleName,
  ruleSentence,
  trialWords,
} from '#ui/office/rules/rule-text.ts';
import { instantOf, wallTime } from '#ui/office/site/site-time.ts';
import { actionsWords } from '#ui/office/work/alert-actions.ts';
import { type Alert, alsoWords, byGravity, crossed, limitOf, repeatsName } from '#ui/office/work/alert-text.ts';
import { fieldsFrom } from '#ui/office/work/new-ticket-draft.ts';
import { factsOf, updateOf } from '#ui/office/work/ticket-draft.ts';
import { eventText } from '#ui/office/work/ticket-log-text.ts';
import {
  byNeed,
  codePartText,
  codeWords,
  failureHint,
  isOverdue,
  parameterHint,
  type Ticket,
  type TicketEvent,
} from '#ui/office/work/ticket-text.ts';
import { failureText, isAnswered } from '#ui/office/work/write.ts';
import { NOW } from './kit.ts';

afterEach(() => setLanguage(ENGLISH));

const at = (ms: number) => new Date(NOW + ms).toISOString();

const alert = (more: Partial<Alert> = {}): Alert => ({
  object: 'alert',
  id: 'alr_1',
  project_id: 'prj_1',
  revision: 1,
  created_at: at(0),
  updated_at: at(0),
  rule_id: 'rul_1',
  rule_name: 'Coolant too hot',
  severity: 'critical',
  signal_name: 'engine.coolant_temperature',
  machine_id: 'eq_1',
  device_id: 'dev_1',
  condition: 'threshold',
  value: 109.2,
  threshold: 105,
  unit: '°C',
  state: 'active',
  acknowledged_at: null,
  acknowledged_by: null,
  raised_at: at(0),
  cleared_at: null,
  cleared_because: null,
  observed_at: at(0),
  late: false,
  raw_traffic: null,
  actions: [],
  ...more,
});

const ticket = (more: Partial<Ticket> = {}): Ticket => ({
  object: 'repair_ticket',
  id: 'rt_1',
  project_id: 'prj_1',
  revision: 3,
  created_at: at(0),
  updated_at: at(0),
  number: 'RT-1-abcd',
  title: 'Leak',
  description: '',
  equipment_id: 'eq_1',
  location_id: null,
  status: 'in_progress',
  priority: 'medium',
  safety_critical: false,
  type: 'corrective',
  failure: { component: null, spn: 110, fmi: 0, cause: null, remedy: null },
  source: { kind: 'manual', ref: null },
  reported_by: 'Ana',
  assigned_mechanic_ids: ['mec_1', 'mec_2'],
  meter_at_flag: null,
  flagged_at: at(0),
  due_at: null,
  started_at: at(0),
  fixed_at: null,
  closed_at: null,
  labor: [],
  parts: [],
  downtime_minutes: null,
  hold_reason: null,
  signature: null,
  related_to: null,
  labels: {},
  context: { run_id: null, device_id: null, media: [] },
  ...more,
});

test('[U60] crossed shows the value in the unit of the signal, with one more digit when it rounds to the limit', () => {
  assert.equal(crossed(alert()), 'Coolant 109 °C');
  assert.equal(limitOf(alert()), 'limit 105 °C');
  assert.equal(crossed(alert({ value: 105.3 })), 'Coolant 105.3 °C');
  assert.equal(crossed(alert({ signal_name: 'dtc.red_stop', value: 1, threshold: 1, unit: '1' })), 'Red stop lamp on');
  assert.equal(limitOf(alert({ signal_name: 'dtc.red_stop', value: 1, threshold: 1 })), null);
  const code = { spn: 100, fmi: 1, meaning: null, source_address: 3, bus: 0, device_id: 'dev_1', since: at(0) };
  const coded = alert({ condition: 'code', signal_name: 'dtc.active', value: 1, threshold: null, unit: '1', code });
  assert.deepEqual(
    [crossed(coded), limitOf(coded)],
    ['Engine oil pressure 1: far too low (SPN 100 / FMI 1), from address 3', null],
  );
  assert.equal(alsoWords(coded), null);
  const lamp = {
    rule_id: 'rul_2',
    rule_name: 'Red stop lamp',
    severity: 'critical' as const,
    signal_name: 'dtc.red_stop' as const,
    value: 1,
    threshold: 1,
    raised_severity: true,
    joined_at: at(0),
    alert_id: null,
  };
  assert.equal(alsoWords({ ...coded, also: [lamp] }), 'Also Red stop lamp (critical)');
  const silent = alert({ condition: 'no_data', value: null, threshold: 600, unit: 's' });
  assert.deepEqual([crossed(silent), limitOf(silent)], ['Coolant: no data', 'no data for more than 10 min']);
});

test('[U391] a sentence that begins with the name of its rule needs no title', () => {
  const lamp = { signal_name: 'dtc.red_stop', value: 1, threshold: 1, unit: '1' } as const;
  assert.equal(repeatsName(alert({ ...lamp, rule_name: 'Red stop lamp' })), true);
  assert.equal(repeatsName(alert({ ...lamp, rule_name: 'Red stop' })), true, 'the sentence has all its words');
  assert.equal(repeatsName(alert({ ...lamp, rule_name: 'Stop lamp of the loaders' })), false);
  assert.equal(repeatsName(alert({ ...lamp, rule_name: 'Red', value: 2 })), true);
  assert.equal(repeatsName(alert({ rule_name: 'Coolant too hot' })), false);
});

test('[U60] an alert on a change names both values, the time between them, and the limit', () => {
  const point = (value: number, ms: number) => ({ value, observed_at: at(ms), ref: null });
  const change = { from: point(80, 0), to: point(73.5, 240_000), within_seconds: 600 };
  const stolen = alert({ signal_name: 'fuel.level', condition: 'change', value: 6.5, threshold: 5, unit: '%', change });
  assert.equal(crossed(stolen), 'Fuel fell by 6.5 % in 4 min, from 80 % to 73.5 %');
  assert.equal(limitOf(stolen), 'limit 5 % within 10 min');
});

test('[U60] an alert names the result of each of its actions', () => {
  const actions: Alert['actions'] = [
    { action: 'webhook', status: 'skipped', reason: 'no_endpoint' },
    { action: 'ticket', status: 'executed', reason: null, ticket_id: 'rt_1' },
    { action: 'mqtt', status: 'pending', reason: null },
  ];
  assert.equal(actionsWords(alert({ actions })), 'Repair ticket done; Lights and horns waiting');
  const sent = ruleOf({ ...NEW_RULE, value: '98', ticket: true, mqtt: true });
  assert.deepEqual(sent.actions, ['webhook', 'ticket', 'mqtt']);
  assert.match(
    ruleSentence({ ...sent }, NAMES) ?? '',
    /It makes a repair ticket, or adds the alert to the open ticket about the same fault\. It sends the alert to lights and horns/,
  );
});

test('[U60] byGravity puts alerts without acknowledgement first, then the most severe, then the newest', () => {
  const seen = alert({ id: 'seen', acknowledged_at: at(5) });
  const old = alert({ id: 'old' });
  const young = alert({ id: 'young', raised_at: at(1_000) });
  const info = alert({ id: 'info', severity: 'info', raised_at: at(9_000) });
  assert.deepEqual(
    [seen, info, old, young].sort(byGravity).map(({ id }) => id),
    ['young', 'old', 'info', 'seen'],
  );
});

const NAMES = {
  machine: (id: string) => `unit ${id}`,
  location: (id: string) => `place ${id}`,
  plan: (id: string) => `plan ${id}`,
};
const rule = (more: Partial<RuleText> = {}): RuleText => ({
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  for_seconds: 30,
  clear_value: null,
  no_data_seconds: null,
  spn: null,
  fmi: null,
  change: null,
  geofence: null,
  service: null,
  severity: 'critical',
  scope: { equipment_ids: [], kinds: [], location_ids: [] },
  actions: ['webhook'],
  enabled: true,
  ...more,
});

test('[U61] ruleSentence describes condition, machines, clearing and webhooks', () => {
  assert.equal(
    ruleSentence(rule(), NAMES),
    'The gateway raises a critical alert when Coolant is above 105 °C for 30 s, on all machines. It clears the alert when Coolant is at or below 105 °C. It sends the alert to webhooks that subscribe to alerts.',
  );
  assert.equal(
    ruleSentence(
      rule({ op: 'lt', value: 10, clear_value: 15, for_seconds: 0, no_data_seconds: 3600, actions: [] }),
      NAMES,
    ),
    'The gateway raises a critical alert when Coolant is below 10 °C, or when a machine that sent Coolant before sends none for 1 h, on all machines. It clears the alert when Coolant is at or above 15 °C. It sends the alert to no webhook.',
  );
  const scope = { equipment_ids: ['1'], kinds: ['dozer'], location_ids: ['2'] };
  const lamp = rule({
    signal: 'dtc.red_stop',
    op: 'gte',
    value: 1,
    for_seconds: 0,
    severity: 'info',
    scope,
    enabled: false,
  });
  assert.equal(
    ruleSentence(lamp, NAMES),
    'Switched off. When switched on: The gateway raises an info alert when Red stop lamp is on, on unit 1 of the kind dozer in place 2. It sends the alert to webhooks that subscribe to alerts.',
  );
  const code = rule({ signal: 'dtc.active', op: null, value: null, for_seconds: 0, spn: 100, fmi: 1 });
  assert.equal(
    ruleSentence(code, NAMES),
    'The gateway raises a critical alert when the trouble code SPN 100 (Engine oil pressure 1) with FMI 1 (far too low) is active, on all machines. It clears the alert when the code is no longer active. It sends the alert to webhooks that subscribe to alerts.',
  );
  assert.equal(ruleName({ ...code, spn: 7_000, fmi: null }), 'Trouble code SPN 7000');
  assert.equal(ruleSentence(rule({ op: null, value: null }), NAMES), null);
  assert.equal(ruleName(rule()), 'Coolant above 105 °C');
});

test('[U61] a rule on a change is described with its window, its pauses and its clearing', () => {
  const change = { direction: 'fall', by: 5, within_seconds: 600, across_gaps: false } as const;
  const theft = rule({ signal: 'fuel.level', op: null, value: null, for_seconds: 0, change, severity: 'warning' });
  const raises = 'The gateway raises a warning alert when Fuel falls by 5 % or more within 10 min, on all machines.';
  const clears = 'It clears the alert when the change within this time is less than 2.5 %.';
  const sends = 'It sends the alert to webhooks that subscribe to alerts.';
  assert.equal(
    ruleSentence(theft, NAMES),
    `${raises} It compares no values across a time without data of more than 1 min. ${clears} ${sends}`,
  );
  assert.equal(
    ruleSentence({ ...theft, change: { ...change, across_gaps: true } }, NAMES),
    `${raises} It also compares values from before and after a time without data. ${clears} ${sends}`,
  );
  assert.equal(ruleName(theft), 'Fuel falls by 5 % or more within 10 min');
  const sent = ruleOf({ ...NEW_RULE, watch: 'change', signal: 'dtc.active', by: '10' });
  assert.deepEqual([sent.signal, sent.for_seconds, sent.change?.by], ['engine.speed', 0, 10]);
  assert.throws(() => ruleOf({ ...NEW_RULE, watch: 'change', by: '-3' }), /a number above 0/);
});

test('[U61] a rule on services is described with its plan, its lead and its clearing', () => {
  const fields = {
    ...NEW_RULE,
    watch: 'service',
    plan_id: '3',
    hours_left: '50',
    days_left: '7',
    ticket: true,
  } as const;
  const { name, ...sent } = ruleOf(fields, NAMES);
  assert.equal(name, 'The service plan 3 is due or has at most 50 h or 7 days left');
  assert.deepEqual(
    [sent.signal, sent.for_seconds, sent.op, sent.service],
    ['maintenance.service', 0, null, { plan_id: '3', from: 'due', hours_left: 50, km_left: null, days_left: 7 }],
  );
  assert.equal(
    ruleSentence({ ...sent, actions: ['ticket'] }, NAMES),
    'The gateway raises a warning alert when the service plan 3 is due or has at most 50 h or 7 days left, on all machines. An unknown meter raises no alert. The gateway clears the alert when the service is recorded, or when the plan changes. It makes the ticket of the plan, or adds the alert to the ticket that the plan has made. It sends the alert to no webhook.',
  );
  const overdue = ruleOf({ ...fields, plan_id: '', service_from: 'overdue' }, NAMES);
  assert.deepEqual(overdue.service, {
    plan_id: null,
    from: 'overdue',
    hours_left: null,
    km_left: null,
    days_left: null,
  });
  assert.throws(() => ruleOf({ ...fields, hours_left: '-1' }), /The engine hours left must be above 0/);
});

test('[U60] an alert on a service names plan, limit, meter and basis', () => {
  const service = {
    plan_id: 'mpl_1',
    plan_name: 'Engine oil',
    services: 1,
    state: 'due',
    by: 'hours',
    meter: 'engine.hours',
    basis: 'counted',
    segment: 1,
    needs_review: false,
    now: 1_251,
    due_at: 1_250,
    due_on: null,
    left: -1,
  } as const;
  const due = alert({
    signal_name: 'maintenance.service',
    condition: 'service',
    value: 1_251,
    threshold: 1_250,
    service,
  });
  assert.equal(crossed(due), 'Engine oil is due at 1250 h: engine hours 1251 h (counted by the gateway), 1 h past');
  assert.equal(limitOf(due), null);
});

test('[U61] a rule on a geofence is described with its place and its margin', () => {
  const fields = { ...NEW_RULE, watch: 'geofence', fence_id: '2', fence_event: 'leave', for_seconds: '600' } as const;
  const { name, ...sent } = ruleOf(fields, NAMES);
  assert.deepEqual(
    [name, sent.signal, sent.geofence],
    ['Leaves place 2', 'position.geofence', { location_id: '2', event: 'leave' }],
  );
  assert.equal(
    ruleSentence(sent, NAMES),
    'The gateway raises a warning alert when a machine leaves place 2 and stays outside for 10 min, on all machines. A position within 15 m of the fence does not count, and three positions in a row are needed. A machine without a known position is neither inside nor outside. The gateway clears the alert when the machine is inside again. It sends the alert to webhooks that subscribe to alerts.',
  );
  assert.throws(() => ruleOf({ ...fields, fence_id: '' }), /Select a place/);
  const geofence = { location_id: '2', event: 'leave', latitude: 60.1, longitude: 24.9 } as const;
  assert.equal(
    crossed(alert({ signal_name: 'position.geofence', condition: 'geofence', value: null, threshold: null, geofence })),
    'Left the geofence, seen at 60.10000, 24.90000',
  );
});

test('[U61] the result of a trial says what it found and for how much of the time it had values', () => {
  const machine = {
    equipment_id: 'eq_1',
    unit_number: 'HT-1',
    alerts: [],
    alerts_total: 0,
    coverage: 0.336,
    values: 100,
    gaps: [],
    gaps_total: 2,
    minutes_only: [],
    unreadable: 0,
  };
  assert.equal(trialWords(machine), 'values for 33 % of the time, 2 gaps');
  assert.equal(
    trialWords({ ...machine, coverage: 0.001, gaps_total: 1 }),
    'values for less than 1 % of the time, 1 gap',
  );
  assert.equal(trialWords({ ...machine, values: 0, coverage: 0 }), 'no values are stored for this time');
  const found = {
    raised_at: at(0),
    cleared_at: null,
    condition: 'threshold' as const,
    value: 108,
    change_from: null,
    service: null,
  };
  assert.equal(alertWords(rule(), found), '108 °C');
  const fall = {
    ...found,
    condition: 'change' as const,
    value: 10,
    change_from: { value: 80, observed_at: at(0) },
    service: null,
  };
  assert.equal(alertWords(rule({ signal: 'fuel.level' }), fall), 'changed by 10 % from 80 %');
});

test('[U61] ruleOf and fieldsOfRule are inverse, and ruleOf names an invalid number', () => {
  const sent = ruleOf({ ...NEW_RULE, value: '98,5', clear_value: '90', silent_minutes: '5' });
  assert.deepEqual(
    [sent.name, sent.value, sent.clear_value, sent.no_data_seconds, sent.actions],
    ['Coolant above 98.5 °C', 98.5, 90, 300, ['webhook']],
  );
  const made = {
    object: 'alert_rule' as const,
    id: 'rul_1',
    project_id: 'prj_1',
    revision: 1,
    created_at: at(0),
    updated_at: at(0),
    built_in: null,
    mute: [],
    ...sent,
  };
  assert.deepEqual(ruleOf(fieldsOfRule(made)), sent);
  assert.throws(() => ruleOf({ ...NEW_RULE, value: 'hot' }), /The limit is not a number: hot/);
  const code = ruleOf({ ...NEW_RULE, watch: 'code', value: '98', silent_minutes: '5', spn: '100', fmi: '' });
  assert.deepEqual(
    [code.signal, code.value, code.no_data_seconds, code.spn, code.fmi],
    ['dtc.active', null, null, 100, null],
  );
  assert.deepEqual(ruleOf(fieldsOfRule({ ...made, ...code })), code);
  assert.throws(() => ruleOf({ ...NEW_RULE, watch: 'code' }), /Enter the SPN/);
  assert.throws(() => ruleOf({ ...NEW_RULE, watch: 'code', spn: '100', fmi: '32' }), /from 0 to 31/);
  const silence = ruleOf({ ...NEW_RULE, op: '', value: '98', clear_value: '90', silent_minutes: '15' });
  assert.deepEqual([silence.op, silence.value, silence.clear_value, silence.no_data_seconds], [null, null, null, 900]);
});

test('[U294] what the gateway stores from a rule or an alert is in English and metric in every language', () => {
  const hot = { ...NEW_RULE, value: '110' };
  const rising = { ...NEW_RULE, watch: 'change', by: '10', within_seconds: '172800' } as const;
  const fmi = { ...NEW_RULE, watch: 'code', spn: '100', fmi: '1' } as const;
  const texts = () => [...[hot, rising, fmi].map((fields) => ruleOf(fields).name), fieldsFrom(alert(), null).title];
  const english = texts();
  assert.deepEqual(english, [
    'Coolant above 110 °C',
    'Coolant rises by 10 °C or more within 2 d',
    'Trouble code SPN 100 (Engine oil pressure 1) with FMI 1 (far too low)',
    'Coolant too hot: Coolant 109 °C',
  ]);
  setLanguage(languageOf('de', { ...WALL_DE, ...OFFICE_DE }, true));
  assert.deepEqual(texts(), english);
  assert.equal(crossed(alert()), 'Kühlmittel 228 °F', 'the page shows the alert in its own language');
});

test('[U303] the sentences and trials of rules are in the language of the page, with the metric units of the form', () => {
  const rising = { ...NEW_RULE, watch: 'change', by: '10', within_seconds: '172800' } as const;
  const found = { raised_at: at(0), cleared_at: null, value: 12, service: null };
  const change = { ...found, condition: 'change', change_from: { value: 80, observed_at: at(0) } } as const;
  setLanguage(languageOf('de', { ...WALL_DE, ...OFFICE_DE }, true));
  assert.equal(
    ruleSentence(rule(), NAMES),
    'Das Gateway löst einen kritischen Alarm aus, wenn Kühlmittel über 105 °C liegt, und zwar 30 s lang, bei allen Maschinen. Es beendet den Alarm, wenn Kühlmittel bei 105 °C oder darunter liegt. Es sendet den Alarm an Webhooks, die Alarme abonniert haben.',
  );
  assert.match(
    ruleSentence(ruleOf(rising), NAMES) ?? '',
    /wenn Kühlmittel innerhalb von 2 d um 10 °C oder mehr steigt, .* kleiner als 5 °C ist\./,
  );
  assert.equal(alertWords(ruleOf(rising), change), 'um 12 °C geändert, von 80 °C');
  const kinds = { equipment_ids: [], kinds: ['haul_truck', 'Grúa'], location_ids: [] };
  assert.match(ruleSentence(rule({ scope: kinds }), NAMES) ?? '', /bei Maschinen der Art Muldenkipper oder Grúa\./);
  const words = (text: string) => notJudgedWords({ code: 'not_tried', text });
  assert.equal(
    words('The trial does not apply the mutes of the rule.'),
    'Die Erprobung wendet die Stummschaltungen der Regel nicht an.',
  );
  assert.match(words('The rule watches 7 more machines, on which it was not tried.'), /7 weitere Maschinen/);
  assert.equal(
    words('Engine oil on HT-14 was not tried: history has no engine hours of this time.'),
    'Engine oil auf HT-14 wurde nicht erprobt: der Verlauf hat keine Betriebsstunden dieser Zeit.',
  );
  assert.equal(
    words('HT-14 was not tried: it has no enabled maintenance plan of this rule.'),
    'HT-14 wurde nicht erprobt: sie hat keinen eingeschalteten Wartungsplan dieser Regel.',
  );
  assert.equal(words('Something new.'), 'Something new.');
});

test('[U295] a change of a temperature has no zero point, also in the texts of alerts', () => {
  setLanguage(languageOf('en', {}, true));
  const values = {
    from: { value: 90, observed_at: at(0), ref: null },
    to: { value: 101, observed_at: at(60_000), ref: null },
    within_seconds: 60,
  };
  const rise = alert({ condition: 'change', value: 11, threshold: 10, change: values });
  assert.equal(crossed(rise), 'Coolant rose by 20 °F in 1 min, from 194 °F to 214 °F');
  assert.equal(limitOf(rise), 'limit 18 °F within 1 min');
});

test('[U64] reconcile reports changes of others and keeps edits that differ from the stored value', () => {
  const base = factsOf(ticket());
  let draft = touched(base, {}, 'remedy', 'hose changed');
  draft = touched(base, draft, 'priority', 'high');
  draft = touched(base, draft, 'cause', 'wear');
  const now = factsOf(
    ticket({ priority: 'low', title: 'Leak at the pump', failure: { ...ticket().failure, cause: ' wear' } }),
  );
  const met = reconcile(base, now, draft);
  assert.deepEqual(met.draft, { remedy: 'hose changed', priority: 'high' });
  assert.deepEqual(met.changes, [
    { name: 'title', from: 'Leak', to: 'Leak at the pump', mine: false },
    { name: 'priority', from: 'medium', to: 'low', mine: true },
  ]);
  const later = reconcile(now, factsOf(ticket({ title: 'Leak at the pump', priority: 'critical' })), met.draft);
  assert.deepEqual(
    joined(met.changes, later.changes).map(({ name, from, to }) => [name, from, to]),
    [
      ['title', 'Leak', 'Leak at the pump'],
      ['priority', 'medium', 'critical'],
      ['cause', ' wear', ''],
    ],
  );
  assert.deepEqual(joined(met.changes, [{ name: 'priority', from: 'low', to: 'medium', mine: true }]).length, 1);
  assert.deepEqual(
    touched(base, { priority: 'high' }, 'priority', 'medium'),
    {},
    'a field set back to its stored value is no edit',
  );
  assert.deepEqual(
    touched(base, {}, 'assigned_mechanic_ids', ['mec_2', 'mec_1']),
    {},
    'the order of a list is no change',
  );
});

test('[U64] updateOf sends edited fields only, and a failure as a whole with the values of others', () => {
  const now = factsOf(ticket({ failure: { component: 'Pump', spn: 110, fmi: 0, cause: null, remedy: null } }));
  const draft = { remedy: ' hose changed ', due_at: '' };
  assert.deepEqual(updateOf({ ...now, ...draft }, draft), {
    failure: { component: 'Pump', spn: 110, fmi: 0, cause: null, remedy: 'hose changed' },
    due_at: null,
  });
  assert.throws(() => updateOf({ ...now, spn: '12a' }, { spn: '12a' }), /SPN must be a whole number/);
  assert.throws(() => updateOf({ ...now, title: ' ' }, { title: ' ' }), /needs a title/);
});

test('[U63] isAnswered is false only for writes that the gateway may have applied', () => {
  const body = (code: ConstructorParameters<typeof OperationError>[0], details: Record<string, unknown>[] = []) =>
    errorBody(new OperationError(code, 'As the gateway says it.', { details }), 'req_1').error;
  const refused = (code: ConstructorParameters<typeof OperationError>[0], status: number) =>
    new ClientError('As the gateway says it.', status, body(code));
  const lost = new ClientError('The gateway does not answer.', null, null);
  assert.deepEqual(
    [
      lost,
      refused('internal_error', 500),
      refused('operation_in_progress', 409),
      refused('parameter_invalid', 400),
    ].map(isAnswered),
    [false, false, false, true],
  );
  assert.match(failureText(lost), /^Not sent: .* Your text is kept here\./);
  assert.equal(failureText(refused('parameter_invalid', 400)), 'As the gateway says it.');
});

test('[U62] the text of a refused step names the status of the ticket and the allowed steps', () => {
  const refused = (from: string, allowed: string[]) =>
    new ClientError(
      'x',
      409,
      errorBody(new OperationError('invalid_transition', 'x', { details: [{ from, to: 'closed', allowed }] }), 'req_1')
        .error,
    );
  assert.equal(
    failureText(refused('in_progress', ['on_hold', 'fixed', 'canceled'])),
    'Not saved: this ticket is now In progress. It can change to On hold or Fixed or Canceled.',
  );
  assert.match(failureText(refused('closed', [])), /this ticket is Closed and cannot change/);
});

test('[U63] withEntry keeps at most twenty forms and evicts the oldest', () => {
  let entries: ReturnType<typeof withEntry> = [];
  for (let i = 0; i < 25; i++) entries = withEntry(entries, `form ${i}`, i);
  assert.deepEqual([entries.length, entries[0]?.[0], entries.at(-1)?.[0]], [20, 'form 5', 'form 24']);
  assert.equal(withEntry(entries, 'form 7', null).length, 19);
  assert.deepEqual(withEntry(entries, 'form 5', 'again').at(-1), ['form 5', 'again']);
});

test('[U65] wallTime and instantOf are inverse in every zone, also around clock changes', () => {
  for (const zone of ['Australia/Perth', 'America/St_Johns', 'Europe/Berlin', 'Asia/Kathmandu', 'UTC'])
    for (let day = 0; day < 366; day += 5) {
      const ms = Date.UTC(2026, 0, 1, 7, 30) + day * 86_400_000;
      assert.equal(instantOf(wallTime(ms, zone), zone), ms, `${zone} ${new Date(ms).toISOString()}`);
    }
  assert.equal(wallTime(Date.UTC(2026, 4, 4, 6, 5), 'Australia/Perth'), '2026-05-04T14:05');
  for (const none of ['', 'soon', '2026-13-40T99:99']) assert.equal(instantOf(none, 'UTC'), null, none);
});

test('[U62] byNeed puts safety critical tickets first, then the highest priority, then the oldest', () => {
  const safety = ticket({ id: 'safety', priority: 'low', safety_critical: true });
  const grave = ticket({ id: 'grave', priority: 'critical' });
  const old = ticket({ id: 'old', flagged_at: at(-9_000) });
  assert.deepEqual(
    [ticket(), old, grave, safety].sort(byNeed).map(({ id }) => id),
    ['safety', 'grave', 'old', 'rt_1'],
  );
  const due = ticket({ due_at: at(-1) });
  assert.deepEqual([isOverdue(due, NOW), isOverdue({ ...due, status: 'fixed' }, NOW)], [true, false]);
});

test('[U62] [U386] eventText describes log entries, and returns an unknown type as it is', () => {
  const event = (type: string, data: Record<string, unknown>) => ({ type, data }) as TicketEvent;
  const names = { mechanic: (id: string) => (id === 'mec_1' ? 'Ana' : id) };
  const textOf = (type: string, data: Record<string, unknown> = {}) => eventText(event(type, data), names);
  assert.equal(
    textOf('status_changed', {
      from: 'in_progress',
      to: 'on_hold',
      hold_reason: 'parts',
      reason: 'hose comes Tuesday',
    }),
    'In progress to On hold, waiting for: parts: hose comes Tuesday',
  );
  assert.equal(
    textOf('status_changed', { from: 'in_progress', to: 'fixed', downtime_minutes: 135 }),
    'In progress to Fixed, downtime 2 h 15',
  );
  assert.equal(textOf('assigned', { mechanic_ids: ['mec_1'] }), 'Assigned to Ana');
  assert.equal(
    textOf('labor.logged', { mechanic_id: 'mec_1', minutes: 90, note: 'filters' }),
    '1 h 30 of work by Ana: filters',
  );
  const report = { reported_by: 'Ben', problem: 'leak', text: 'It is worse' };
  assert.equal(textOf('report.joined', report), 'Ben reported it again: It is worse');
  assert.equal(textOf('report.joined', { ...report, text: '' }), 'Ben reported it again');
  assert.equal(
    textOf('report.joined', { ...report, stopped: true, priority: 'critical', priority_before: 'medium' }),
    'Ben reported it again: It is worse. The reporter says that the machine cannot work. For this reason the priority changed from medium to critical.',
  );
  assert.equal(
    textOf('report.joined', { ...report, text: 'Worse!', stopped: true, priority_kept: 'low' }),
    'Ben reported it again: Worse! The reporter says that the machine cannot work. The priority stays low, because a person changed it after this report was written.',
  );
  const inspected = { inspection_id: 'ins_1', reported_by: 'Ana', note: 'soft', critical: true };
  assert.equal(
    textOf('report.joined', { ...inspected, safety_critical: true, priority: 'critical', priority_before: 'medium' }),
    'Not ok again in an inspection by Ana: soft. The ticket is now safety-critical. For this reason the priority changed from medium to critical.',
  );
  assert.equal(textOf('flagged', { priority: 'critical' }), 'Flagged');
  assert.equal(textOf('flagged', { stopped: true }), 'Flagged. The reporter says that the machine cannot work.');
  assert.equal(textOf('updated', { fields: ['title', 'due_at'] }), 'Changed title, due time');
  assert.equal(textOf('x.crane.booked', { when: 3 }), 'x.crane.booked');
});

test('[U93] trouble code texts show the names of SPN and FMI beside the numbers', () => {
  assert.deepEqual(
    ['100', ' 110 ', '', '520192', '1e3'].map((typed) => parameterHint(typed).text),
    ['Engine oil pressure 1', 'Engine coolant temperature', 'Parameter number', 'Unknown number', 'Parameter number'],
  );
  assert.equal(failureHint('1'), 'far too low');
  assert.deepEqual(
    [codePartText('spn', '100'), codePartText('fmi', '18'), codePartText('spn', '520192'), codePartText('fmi', 'x')],
    ['100 (Engine oil pressure 1)', '18 (too low)', '520192', 'x'],
  );
  const code = (spn: number | null, fmi: number | null) =>
    codeWords({ component: null, spn, fmi, cause: null, remedy: null });
  assert.equal(code(100, 1), 'Engine oil pressure 1: far too low (SPN 100 / FMI 1)');
  assert.equal(code(100, null), 'Engine oil pressure 1 (SPN 100)');
  assert.equal(code(520_192, 31), 'condition exists (SPN 520192 / FMI 31)');
  assert.equal(code(520_192, null), 'Unknown code (SPN 520192)');
  assert.equal(code(null, null), null);
});
