/** Runs of catalog skills in a project without a model: rules answer, through the same tools, transcripts and approvals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Toolbox } from '#agent/toolbox.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { Run } from '#contract/work/task.ts';
import { as } from '#test/support/handler-rig.ts';
import { type AgentRig, openAgent } from './rig.ts';

const NEVER_ASKED = () => {
  throw new Error('the model was asked');
};

interface Details {
  readonly answered_by: string;
  readonly evidence: { object: string; id: string }[];
  readonly lines: { text: string; words: { text: string; params?: object }[] }[];
}
const detailsOf = (run: Run) => run.output?.details as unknown as Details;

/** A site without a model. */
async function openSite(): Promise<AgentRig> {
  const site = await openAgent(NEVER_ASKED);
  await site.review({ provider: null });
  return site;
}

const code = (spn: number, fmi: number, meaning: string, lamps: ('red_stop' | 'amber')[]) => ({
  spn,
  fmi,
  meaning,
  lamps,
  occurrence_count: 3,
  source_address: 0,
  bus: 0,
  device_id: 'dev_1',
  raw: '64000103',
  since: '2026-11-21T13:50:00.000Z',
});

const LIVE: EquipmentLive = {
  live_status: 'running',
  live_status_since: null,
  last_live_data_at: '2026-11-21T13:59:00.000Z',
  values: {},
  dtcs: [
    code(110, 0, 'Engine coolant temperature: far too high', ['amber']),
    code(100, 1, 'Oil pressure: far too low', ['red_stop']),
  ],
  dtc_counts: {
    active: 2,
    previously_active: null,
    previously_observed_at: null,
    red_stop: 1,
    amber: 1,
    protect: 0,
    mil: 0,
    observed_at: '2026-11-21T13:59:00.000Z',
  },
};

async function action(
  { rig }: AgentRig,
  skill_id: string | null,
  scope: 'project' | 'equipment' | 'location',
  prompt = 'Do it.',
) {
  return rig.call('custom_actions_create', { label: 'Do', emoji: '🔧', prompt, scope, skill_id });
}

async function runOf(
  site: AgentRig,
  skill_id: string | null,
  subject_id?: string,
  prompt?: string,
  scope: 'equipment' | 'location' = 'equipment',
) {
  const made = await action(site, skill_id, subject_id === undefined ? 'project' : scope, prompt);
  const task = await site.rig.call('custom_actions_run', { id: made.id, ...(subject_id ? { subject_id } : {}) });
  return { task_id: task.id, run: await site.ended(task.id) };
}

async function faulty(site: AgentRig, unit_number = 'HT-14') {
  const machine = await site.rig.call('equipment_create', { unit_number });
  site.rig.live.equipment.set(machine.id, LIVE);
  return machine.id;
}

test('[AG65] a run with a catalog skill and no model says that rules answered, cites its evidence, and has each call in its transcript', async () => {
  await using site = await openSite();
  const id = await faulty(site);
  const { task_id, run } = await runOf(site, 'fault_explanation', id);
  assert.deepEqual([run.status, run.error], ['completed', null]);
  assert.deepEqual([run.backend.harness, run.backend.provider, run.backend.model], ['rules/1', null, null]);
  const details = detailsOf(run);
  assert.equal(details.answered_by, 'rules');
  assert.deepEqual(details.evidence, [{ object: 'equipment', id }]);
  assert.deepEqual(details.lines[1]?.words, [
    { text: 'The red stop lamp of {unit} is on. Stop the machine now.', params: { unit: 'HT-14' } },
  ]);
  assert.equal(run.output?.summary, details.lines.map(({ text }) => text).join('\n'));
  const messages = await site.transcript(task_id);
  assert.deepEqual(
    messages.map(({ kind, tool }) => [kind, tool?.name, tool?.outcome]),
    [
      ['message', undefined, undefined],
      ...[
        'equipment_get',
        'equipment_events',
        'equipment_events',
        'alerts_list',
        ...Array(3).fill('repair_tickets_list'),
      ].flatMap((name) => [
        ['tool_call', name, null],
        ['tool_result', name, 'output'],
      ]),
      ['message', undefined, undefined],
    ],
  );
  assert.equal(messages.at(-1)?.text, run.output?.summary);
  assert.deepEqual([run.usage.tool_calls, run.usage.input_tokens, run.cost_usd], [7, null, null]);
  assert.equal(site.model.requests.length, 0);
});

test('[AG65] what is no catalog skill still needs a model: a prompt, an action without a skill, an override, the setup', async () => {
  await using site = await openSite();
  const id = await faulty(site);
  assert.equal((await site.ask('What is wrong?')).error?.code, 'model_not_available');
  assert.equal((await runOf(site, null, id)).run.error?.code, 'model_not_available');
  assert.equal((await runOf(site, 'setup', id)).run.error?.code, 'model_not_available');
  await site.rig.call('skills_import', {
    skill_id: 'why_silent',
    name: 'Ours',
    files: [{ path: 'SKILL.md', content: 'Ask Olga.' }],
  });
  assert.equal((await runOf(site, 'why_silent', id)).run.error?.code, 'model_not_available');
});

test('[AG65] with a model set, the model does the work of the skill', async () => {
  await using site = await openAgent(() => ({ text: 'I did it.' }));
  const { run } = await runOf(site, 'fault_explanation', await faulty(site));
  assert.deepEqual([run.output?.summary, run.backend.harness], ['I did it.', 'agent/1']);
});

test('[AG66] a ticket is made for the gravest code or for the code of the request, once for each code; an undo takes it back', async () => {
  await using site = await openSite();
  const { rig } = site;
  const id = await faulty(site);
  const first = await runOf(site, 'ticket_from_code', id);
  const tickets = async () => (await rig.call('repair_tickets_list', { equipment_id: id })).data;
  const [gravest] = await tickets();
  assert.deepEqual(
    [gravest?.title, gravest?.priority, gravest?.safety_critical, gravest?.failure.spn, gravest?.source.kind],
    ['Engine oil pressure 1: far too low (SPN 100 FMI 1)', 'critical', true, 100, 'dtc'],
  );
  assert.deepEqual(first.run.output?.created, { repair_ticket: [gravest?.id] });
  const second = await runOf(site, 'ticket_from_code', id);
  assert.match(second.run.output?.summary ?? '', /No ticket was made: repair /);
  await runOf(site, 'ticket_from_code', id, 'A ticket for SPN 110, please.');
  assert.deepEqual((await tickets()).map(({ failure, priority }) => [failure.spn, priority]).toSorted(), [
    [100, 'critical'],
    [110, 'high'],
  ]);
  const absent = await runOf(site, 'ticket_from_code', id, 'A ticket for SPN 111 FMI 2.');
  assert.match(absent.run.output?.summary ?? '', /because the code of the request is not active/);
  const undo = await rig.call('tasks_undo', { task_id: first.task_id, dry_run: false });
  await site.ended(undo.task?.id ?? '');
  assert.equal((await rig.call('repair_tickets_get', { id: gravest?.id ?? '' })).status, 'canceled');
});

test('[AG66] in review mode a person approves the run, and then the ticket that it wants to make; exactly that one is made', async () => {
  await using site = await openSite();
  const { rig } = site;
  const id = await faulty(site);
  await site.review({ mode: 'review' });
  const { task_id, run } = await runOf(site, 'ticket_from_code', id);
  assert.equal(run.error?.code, 'project_awaiting_approval');
  await rig.call('tasks_run', { task_id, approve: true });
  assert.equal((await site.ended(task_id)).error?.code, 'project_awaiting_approval');
  const wanted = (await site.transcript(task_id)).findLast(({ kind }) => kind === 'tool_call')?.tool;
  assert.ok(wanted);
  assert.equal(wanted.name, 'repair_tickets_create');
  assert.equal((await rig.call('repair_tickets_list', {})).data.length, 0);
  // The machine changes between the question and the approval.
  rig.live.equipment.set(id, { ...LIVE, dtcs: [] });
  await rig.call('tasks_run', { task_id, approve: true });
  const last = await site.ended(task_id);
  assert.equal(last.status, 'completed', JSON.stringify(last.error));
  const { data } = await rig.call('repair_tickets_list', {});
  assert.deepEqual(
    data.map(({ title }) => title),
    [(wanted.input as { title: string }).title],
  );
});

test('[AG66] a key without the scope for tickets gets the draft and a gap, and no ticket', async () => {
  await using site = await openSite();
  const id = await faulty(site);
  const made = await action(site, 'ticket_from_code', 'equipment');
  const scopes = ['custom-actions:write', 'equipment:read', 'repair-tickets:read'];
  const task = await site.rig.call('custom_actions_run', { id: made.id, subject_id: id }, as('agent', { scopes }));
  const run = await site.ended(task.id);
  assert.equal(run.status, 'completed', JSON.stringify(run.error));
  assert.deepEqual(
    run.gaps.map(({ code: why, resource, blocking }) => [why, resource, blocking]),
    [['tool_refused', 'repair_tickets_create', true]],
  );
  assert.equal((await site.rig.call('repair_tickets_list', {})).data.length, 0);
});

test('[AG67] a run that dies before its ticket has an answer is replaced, and makes one ticket', async () => {
  await using site = await openSite();
  const id = await faulty(site);
  await site.stop();
  const made = await action(site, 'ticket_from_code', 'equipment');
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let calls = 0;
  const stalling = (toolbox: Toolbox): Toolbox => ({
    list: (asker) => toolbox.list(asker),
    async call(name, input, asker, key) {
      calls++;
      const answer = await toolbox.call(name, input, asker, key);
      if (name !== 'repair_tickets_create') return answer;
      begin();
      return new Promise(() => {});
    },
  });
  site.start({ toolbox: stalling(site.toolbox) });
  const task = await site.rig.call('custom_actions_run', { id: made.id, subject_id: id });
  await begun;
  await site.stop();
  const before = calls;
  site.start();
  const run = await site.ended(task.id);
  assert.equal(run.status, 'completed', JSON.stringify(run.error));
  assert.equal(run.retry.retry_count, 1);
  const { data } = await site.rig.call('repair_tickets_list', {});
  assert.equal(data.length, 1);
  assert.deepEqual(run.output?.created, { repair_ticket: [data[0]?.id] });
  // Only the open call was repeated.
  const asked = (await site.transcript(task.id)).filter(({ kind }) => kind === 'tool_call');
  assert.equal(asked.length, before + 1);
});

test('[AG68] a request without a subject is about the machines that it names; without a machine the answer says what is missing', async () => {
  await using site = await openSite();
  await faulty(site, 'HT-1');
  const wanted = await faulty(site, 'HT-14');
  const named = await runOf(site, 'fault_explanation', undefined, 'Why is the lamp of ht-14 on?');
  assert.deepEqual(detailsOf(named.run).evidence, [{ object: 'equipment', id: wanted }]);
  const none = await runOf(site, 'fault_explanation', undefined, 'Why is the lamp on?');
  assert.deepEqual(
    none.run.gaps.map(({ code: why, blocking }) => [why, blocking]),
    [['machine_not_named', true]],
  );
  assert.match(none.run.output?.summary ?? '', /The request names no machine of this site\./);
});

test('[AG68] rules read a list whole that is too long for the transcript', async () => {
  await using site = await openSite();
  const aliases = Array.from({ length: 4 }, (_, i) => `${'x'.repeat(36)} ${i}`);
  for (let i = 0; i < 199; i++)
    await site.rig.call('equipment_create', {
      unit_number: `HT-${100 + i}`,
      aliases: aliases.map((one) => `${i} ${one}`.slice(0, 40)),
    });
  const wanted = await faulty(site, 'LD-7');
  const { run, task_id } = await runOf(site, 'fault_explanation', undefined, 'Why is the lamp of LD-7 on?');
  assert.deepEqual(detailsOf(run).evidence, [{ object: 'equipment', id: wanted }]);
  const list = (await site.transcript(task_id)).find(({ kind }) => kind === 'tool_result')?.tool;
  assert.ok(list);
  assert.match((list.output as { cut: string }).cut, /^This is the beginning/);
});

test('[AG68] a machine without a device is silent because nothing is linked; unknown codes are not called zero', async () => {
  await using site = await openSite();
  const { id } = await site.rig.call('equipment_create', { unit_number: 'LD-2' });
  const silent = (await runOf(site, 'why_silent', id)).run.output?.summary ?? '';
  site.rig.live.equipment.set(id, { ...LIVE, dtcs: null, last_live_data_at: '2026-11-21T13:00:00.000Z' });
  const late = (await runOf(site, 'why_silent', id)).run.output?.summary ?? '';
  assert.match(late, /LD-2 is silent\. Its last live data came at 2026-11-21 13:00\./);
  assert.match(silent, /LD-2 never sent live data\.\nNo device is linked to LD-2, so no data of it can arrive\./);
  const faults = (await runOf(site, 'fault_explanation', id)).run.output?.summary ?? '';
  assert.match(faults, /LD-2 never reported its trouble codes, so it is not known whether it has any\./);
  const ticket = (await runOf(site, 'ticket_from_code', id)).run.output?.summary ?? '';
  assert.match(ticket, /No ticket was made for LD-2, because there is no code to make it from\./);
});

test('[AG69] the shift report has the numbers of the draft that screens show, for the shift that ended last or the one of the request', async () => {
  await using site = await openSite();
  const { rig } = site;
  rig.now = Date.parse('2026-11-21T05:00:00.000Z');
  const { id: location_id } = await rig.call('locations_create', { name: 'North pit' });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-104', location_id });
  await rig.call('equipment_update', { id: machine.id, status: 'in_use' });
  rig.now = Date.parse('2026-11-21T09:00:00.000Z');
  await rig.call('equipment_update', { id: machine.id, status: 'down' });
  const ticket = await rig.call('repair_tickets_create', { equipment_id: machine.id, title: 'Coolant leak' });
  rig.now = Date.parse('2026-11-21T11:00:00.000Z');
  await rig.call('equipment_update', { id: machine.id, status: 'in_use' });
  rig.now = Date.parse('2026-11-21T19:00:00.000Z');
  const draft = await rig.call('shift_reports_draft', { location_id, shift: 'day', date: '2026-11-21' });
  const minutes = draft.time_classes[0]?.minutes;
  const { run } = await runOf(site, 'shift_report', location_id, undefined, 'location');
  const text = run.output?.summary ?? '';
  assert.equal(minutes?.down, 120);
  assert.match(text, /\nShift day of 2026-11-21:\n/);
  assert.match(
    text,
    new RegExp(
      `HT-104: working ${minutes?.working} min, idle ${minutes?.idle} min, off ${minutes?.off} min, down 120 min, standby ${minutes?.standby} min, unknown ${minutes?.unknown} min\\.`,
    ),
  );
  assert.match(text, new RegExp(`HT-104 stopped at 2026-11-21 09:00 for 120 min: ${ticket.number} Coolant leak`));
  assert.match(text, new RegExp(`Open repair ${ticket.number} \\(flagged\\): Coolant leak`));
  assert.match(text, /No report was submitted/);
  assert.equal((await rig.call('shift_reports_list', {})).data.length, 0);
  const cited = detailsOf(run).evidence.map((one) => one.id);
  for (const one of [location_id, machine.id, ticket.id]) assert.ok(cited.includes(one));
  // The only location needs no name; the request chooses the shift and its date.
  const night = await runOf(site, 'shift_report', undefined, 'Hand over the night of 2026-11-20.');
  assert.match(night.run.output?.summary ?? '', /Shift night of 2026-11-20:/);
  await rig.call('locations_create', { name: 'South pit' });
  const vague = await runOf(site, 'shift_report');
  assert.deepEqual(
    vague.run.gaps.map((one) => one.code),
    ['location_not_named'],
  );
  const south = await runOf(site, 'shift_report', undefined, 'Hand over the South Pit.');
  assert.match(south.run.output?.summary ?? '', /No machine is at this location\./);
});

test('[AG70] the device match lists the suggestions with their reasons, and links nothing', async () => {
  await using site = await openSite();
  const { rig } = site;
  assert.match((await runOf(site, 'device_match')).run.output?.summary ?? '', /Each device has a machine\./);
  const machine = await rig.call('equipment_create', { unit_number: 'HT-104', serial_number: 'SN-9' });
  await rig.call('devices_create', { device_id: 'ht-104', serial: 'SN-9', kind: 'can_logger' });
  await rig.call('devices_create', { device_id: 'zzz', kind: 'can_logger' });
  const { run } = await runOf(site, 'device_match');
  const text = run.output?.summary ?? '';
  assert.match(text, /Device SN-9: HT-104 fits with \d+ %: /);
  assert.match(text, /no machine fits\./);
  assert.match(text, /Nothing was linked\./);
  const cited = detailsOf(run).evidence.map((one) => one.id);
  assert.ok(cited.includes(machine.id));
  assert.ok((await rig.call('devices_list', {})).data.every(({ equipment_id }) => equipment_id === null));
});

test('[AG71] the summary of the day by rules has the sentences that the page Now shows', async () => {
  await using site = await openSite();
  await site.rig.call('equipment_create', { unit_number: 'HT-14' });
  const { days } = await site.rig.call('projects_get', { id: site.rig.project, include: 'days' });
  const { run } = await runOf(site, 'daily_summary');
  assert.deepEqual([run.status, run.error], ['completed', null]);
  const { lines, evidence } = detailsOf(run);
  const said = lines.flatMap(({ words }) => words.map(({ text, params = {} }) => ({ text, params })));
  const shown = [...(days?.yesterday.sentences ?? []), ...(days?.today.sentences ?? [])];
  assert.ok(shown.length >= 4);
  for (const { text, params } of shown)
    assert.ok(
      said.some((one) => one.text === text),
      `${text} ${params}`,
    );
  assert.equal(said.length, shown.length + 3, 'the rules, yesterday, today');
  assert.deepEqual(evidence, [{ object: 'project', id: site.rig.project }]);
});
