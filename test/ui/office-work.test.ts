/** What the pages of alerts and repair tickets say, keep and send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { ClientError } from '#contract/client.ts';
import { joined, reconcile, touched } from '#ui/office/base/draft.ts';
import { withEntry } from '#ui/office/base/tab-state.ts';
import { instantOf, wallTime } from '#ui/office/site/site-time.ts';
import {
  type Alert,
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
  codeWords,
  failureHint,
  isOverdue,
  parameterHint,
  sayCodePart,
  sayEvent,
  type Ticket,
  type TicketEvent,
} from '#ui/office/work/ticket-text.ts';
import { isAnswered, sayFailed } from '#ui/office/work/write.ts';
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

test('[U60] an alert says what crossed in the unit of its signal, and never a value that reads as if it had not', () => {
  assert.equal(crossed(alert()), 'Coolant 109 °C');
  assert.equal(limitOf(alert()), 'limit 105 °C');
  assert.equal(crossed(alert({ value: 105.3 })), 'Coolant 105.3 °C');
  assert.equal(crossed(alert({ signal_name: 'dtc.red_stop', value: 1, threshold: 1, unit: '1' })), 'Red stop lamp on');
  assert.equal(limitOf(alert({ signal_name: 'dtc.red_stop', value: 1, threshold: 1 })), null);
  const silent = alert({ condition: 'no_data', value: null, threshold: 600, unit: 's' });
  assert.deepEqual([crossed(silent), limitOf(silent)], ['Coolant: no data', 'silent for more than 10 min']);
});

test('[U60] what nobody has seen comes first, then the gravest, then the newest', () => {
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
  severity: 'critical',
  scope: { equipment_ids: [], kinds: [], location_ids: [] },
  actions: ['webhook'],
  enabled: true,
  ...more,
});

test('[U61] a rule is one sentence: when, where, when it is over, who is told', () => {
  assert.equal(
    ruleSentence(rule(), NAMES),
    'Raises a critical alert when Coolant is above 105 °C for 30 s, on all machines. It is over once Coolant is at or below 105 °C. Webhooks that ask for alerts are told.',
  );
  assert.equal(
    ruleSentence(
      rule({ op: 'lt', value: 10, clear_value: 15, for_seconds: 0, no_data_seconds: 3600, actions: [] }),
      NAMES,
    ),
    'Raises a critical alert when Coolant is below 10 °C, or when a machine that had Coolant sends none for 1 h, on all machines. It is over once Coolant is at or above 15 °C. No webhook is told.',
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
    'Switched off, raises nothing. When on: Raises an info alert when Red stop lamp is on, on unit 1 of the kind dozer in place 2. Webhooks that ask for alerts are told.',
  );
  assert.equal(ruleSentence(rule({ op: null, value: null }), NAMES), null);
  assert.equal(ruleName(rule()), 'Coolant above 105 °C');
});

test('[U61] a form of a rule goes to what is sent and back, and says in words what is no number', () => {
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
  const silence = ruleOf({ ...NEW_RULE, op: '', value: '98', clear_value: '90', silent_minutes: '15' });
  assert.deepEqual([silence.op, silence.value, silence.clear_value, silence.no_data_seconds], [null, null, null, 900]);
});

test('[U64] what others change is told; what was typed stays, unless it is what stands there now', () => {
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
  assert.deepEqual(touched(base, { priority: 'high' }, 'priority', 'medium'), {}, 'put back is touched no more');
  assert.deepEqual(
    touched(base, {}, 'assigned_mechanic_ids', ['mec_2', 'mec_1']),
    {},
    'the order of names says nothing',
  );
});

test('[U64] only what was touched is sent, a failure as a whole with what others put in it', () => {
  const now = factsOf(ticket({ failure: { component: 'Pump', spn: 110, fmi: 0, cause: null, remedy: null } }));
  const draft = { remedy: ' hose changed ', due_at: '' };
  assert.deepEqual(updateOf({ ...now, ...draft }, draft), {
    failure: { component: 'Pump', spn: 110, fmi: 0, cause: null, remedy: 'hose changed' },
    due_at: null,
  });
  assert.throws(() => updateOf({ ...now, spn: '12a' }, { spn: '12a' }), /SPN is a whole number/);
  assert.throws(() => updateOf({ ...now, title: ' ' }, { title: ' ' }), /needs a title/);
});

test('[U63] a write without an answer keeps its key; one that was refused takes a new one', () => {
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
  assert.match(sayFailed(lost), /^Not sent: .* What you typed is kept here\./);
  assert.equal(sayFailed(refused('parameter_invalid', 400)), 'As the gateway says it.');
});

test('[U62] a step that is refused says what the ticket is now, and where it can go', () => {
  const refused = (from: string, allowed: string[]) =>
    new ClientError(
      'x',
      409,
      errorBody(new OperationError('invalid_transition', 'x', { details: [{ from, to: 'closed', allowed }] }), 'req_1')
        .error,
    );
  assert.equal(
    sayFailed(refused('in_progress', ['on_hold', 'fixed', 'canceled'])),
    'Not done: this ticket is In work now. From there it can go to On hold or Fixed or Canceled.',
  );
  assert.match(sayFailed(refused('closed', [])), /this ticket is Closed, and stays so/);
});

test('[U63] at most twenty forms are kept, the oldest gives way', () => {
  let entries: ReturnType<typeof withEntry> = [];
  for (let i = 0; i < 25; i++) entries = withEntry(entries, `form ${i}`, i);
  assert.deepEqual([entries.length, entries[0]?.[0], entries.at(-1)?.[0]], [20, 'form 5', 'form 24']);
  assert.equal(withEntry(entries, 'form 7', null).length, 19);
  assert.deepEqual(withEntry(entries, 'form 5', 'again').at(-1), ['form 5', 'again']);
});

test('[U65] wall time of the site goes to an instant and back in every zone, over changes of the clocks too', () => {
  for (const zone of ['Australia/Perth', 'America/St_Johns', 'Europe/Berlin', 'Asia/Kathmandu', 'UTC'])
    for (let day = 0; day < 366; day += 5) {
      const ms = Date.UTC(2026, 0, 1, 7, 30) + day * 86_400_000;
      assert.equal(instantOf(wallTime(ms, zone), zone), ms, `${zone} ${new Date(ms).toISOString()}`);
    }
  assert.equal(wallTime(Date.UTC(2026, 4, 4, 6, 5), 'Australia/Perth'), '2026-05-04T14:05');
  for (const none of ['', 'soon', '2026-13-40T99:99']) assert.equal(instantOf(none, 'UTC'), null, none);
});

test('[U62] the board puts first what endangers people, then the gravest, then the oldest', () => {
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

test('[U62] the log is told in words, a kind of somebody else by its name', () => {
  const event = (type: string, data: Record<string, unknown>) => ({ type, data }) as TicketEvent;
  const names = { mechanic: (id: string) => (id === 'mec_1' ? 'Ana' : id) };
  const say = (type: string, data: Record<string, unknown> = {}) => sayEvent(event(type, data), names);
  assert.equal(
    say('status_changed', { from: 'in_progress', to: 'on_hold', hold_reason: 'parts', reason: 'hose comes Tuesday' }),
    'In work to On hold, waits for: parts: hose comes Tuesday',
  );
  assert.equal(
    say('status_changed', { from: 'in_progress', to: 'fixed', downtime_minutes: 135 }),
    'In work to Fixed, 2 h 15 down',
  );
  assert.equal(say('assigned', { mechanic_ids: ['mec_1'] }), 'Assigned to Ana');
  assert.equal(
    say('labor.logged', { mechanic_id: 'mec_1', minutes: 90, note: 'filters' }),
    '1 h 30 of work by Ana: filters',
  );
  assert.equal(say('updated', { fields: ['title', 'due_at'] }), 'Changed title, due time');
  assert.equal(say('x.crane.booked', { when: 3 }), 'x.crane.booked');
});

test('[U93] the numbers of a trouble code have their names beside them wherever a ticket shows them', () => {
  assert.deepEqual(['100', ' 110 ', '', '520192', '1e3'].map(parameterHint), [
    'Engine oil pressure 1',
    'Engine coolant temperature',
    'What fails: the number of the parameter',
    'No name for this number here',
    'What fails: the number of the parameter',
  ]);
  assert.equal(failureHint('1'), 'far too low');
  assert.deepEqual(
    [sayCodePart('spn', '100'), sayCodePart('fmi', '18'), sayCodePart('spn', '520192'), sayCodePart('fmi', 'x')],
    ['100 (Engine oil pressure 1)', '18 (too low)', '520192', 'x'],
  );
  const code = (spn: number | null, fmi: number | null) =>
    codeWords({ component: null, spn, fmi, cause: null, remedy: null });
  assert.equal(code(100, 1), 'Engine oil pressure 1: far too low (SPN 100 / FMI 1)');
  assert.equal(code(100, null), 'Engine oil pressure 1 (SPN 100)');
  assert.equal(code(520_192, 31), 'condition exists (SPN 520192 / FMI 31)');
  assert.equal(code(520_192, null), 'No words for this code (SPN 520192)');
  assert.equal(code(null, null), null);
});
