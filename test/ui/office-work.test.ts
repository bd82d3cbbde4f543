/** Pure parts of the alert and repair pages: texts, drafts, errors, sort orders and times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { ClientError } from '#contract/client.ts';
import { joined, reconcile, touched } from '#ui/office/base/draft.ts';
import { withEntry } from '#ui/office/base/tab-state.ts';
import { instantOf, wallTime } from '#ui/office/site/site-time.ts';
import {
  type Alert,
  alsoWords,
  byGravity,
  crossed,
  limitOf,
  type RuleText,
  ruleName,
  ruleSentence,
} from '#ui/office/work/alert-text.ts';
import { fieldsOfRule, NEW_RULE, ruleOf } from '#ui/office/work/rule-draft.ts';
import { factsOf, updateOf } from '#ui/office/work/ticket-draft.ts';
import {
  byNeed,
  codePartText,
  codeWords,
  eventText,
  failureHint,
  isOverdue,
  parameterHint,
  type Ticket,
  type TicketEvent,
} from '#ui/office/work/ticket-text.ts';
import { failureText, isAnswered } from '#ui/office/work/write.ts';
import { NOW } from './kit.ts';

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

const NAMES = { machine: (id: string) => `unit ${id}`, location: (id: string) => `place ${id}` };
const rule = (more: Partial<RuleText> = {}): RuleText => ({
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  for_seconds: 30,
  clear_value: null,
  no_data_seconds: null,
  spn: null,
  fmi: null,
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

test('[U62] eventText describes log entries, and returns an unknown type as it is', () => {
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
  assert.equal(textOf('updated', { fields: ['title', 'due_at'] }), 'Changed title, due time');
  assert.equal(textOf('x.crane.booked', { when: 3 }), 'x.crane.booked');
});

test('[U93] trouble code texts show the names of SPN and FMI beside the numbers', () => {
  assert.deepEqual(['100', ' 110 ', '', '520192', '1e3'].map(parameterHint), [
    'Engine oil pressure 1',
    'Engine coolant temperature',
    'Parameter number',
    'Unknown number',
    'Parameter number',
  ]);
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
