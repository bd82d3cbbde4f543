/** The catalog skills of a gateway without a model, from frames of a logger to the answer of the run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import type { Run } from '#contract/work/task.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

const now = () => Date.now() / 1000;
const speed = (second: number) =>
  Array.from({ length: 20 }, (_, i) => `(${(second + i / 20).toFixed(6)}) can0 0CF00400#F07D84B01300F084`).join('\n');
/** DM1 of the engine: red stop lamp, SPN 100 FMI 1, five occurrences. */
const dm1 = (second: number) => `(${second.toFixed(6)}) can0 18FECA00#10FF64000105FFFF`;

async function runSkill(client: Client, skill_id: string, subject_id: string): Promise<Run> {
  const action = await client.call('custom_actions_create', {
    label: skill_id,
    emoji: '🔧',
    prompt: 'Do it.',
    scope: 'equipment',
    skill_id,
  });
  const { id } = await client.call('custom_actions_run', { id: action.id, subject_id });
  const task = await eventually(
    () => client.call('tasks_get', { task_id: id }),
    ({ run }) => run?.terminal_event_count === 1,
  );
  return task.run as Run;
}

test('[AG65] [AG66] without a model a run explains the codes of a machine with its values of that moment, drafts the ticket, and finds the broken step', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const { equipment_id: id } = machine;
  const silent = await runSkill(client, 'why_silent', id);
  assert.equal(silent.status, 'completed', JSON.stringify(silent.error));
  assert.match(silent.output?.summary ?? '', /HT-1 never sent live data\.\nLogger .*: the data stops at the step "/);
  const logger = await connectDevice(gateway.node.mqttPort, machine);
  const topic = `v1/devices/${machine.device_id}/can`;
  const at = now();
  await logger.publishAsync(topic, speed(at - 3), { qos: 1 });
  await logger.publishAsync(topic, dm1(at - 1.5), { qos: 1 });
  await eventually(
    () => client.call('equipment_get', { id }),
    ({ dtcs }) => (dtcs?.length ?? 0) > 0,
  );
  await eventually(
    () => client.call('equipment_events', { id, type: 'dtc.activated' }),
    ({ data }) => data.length > 0,
  );
  const explained = await runSkill(client, 'fault_explanation', id);
  const text = explained.output?.summary ?? '';
  assert.match(text, /^No model is set for this project, so rules answered\.\nThe red stop lamp of HT-1 is on\./);
  assert.match(text, /SPN 100 FMI 1: Engine oil pressure 1: far too low\. Active since 20\d\d-\d\d-\d\d \d\d:\d\d\./);
  assert.match(text, /The control unit has counted 5 occurrences\.\nAt that moment: Engine speed 630 rpm/);
  assert.match(text, /The log has 1 start of SPN 100 FMI 1 in the last 30 days\./);
  assert.match(text, /No repair of HT-1 is open\./);
  assert.deepEqual(explained.gaps, []);
  const drafted = await runSkill(client, 'ticket_from_code', id);
  const [ticket] = (await client.call('repair_tickets_list', { equipment_id: id })).data;
  assert.deepEqual(
    [
      ticket?.title,
      ticket?.priority,
      ticket?.safety_critical,
      ticket?.failure.spn,
      ticket?.failure.fmi,
      ticket?.status,
    ],
    ['Engine oil pressure 1: far too low (SPN 100 FMI 1)', 'critical', true, 100, 1, 'flagged'],
  );
  assert.deepEqual(drafted.output?.created, { repair_ticket: [ticket?.id] });
  const again = await runSkill(client, 'ticket_from_code', id);
  assert.match(again.output?.summary ?? '', new RegExp(`repair ${ticket?.number} of this code is open`));
  assert.equal((await client.call('repair_tickets_list', { equipment_id: id })).data.length, 1);
  await logger.publishAsync(topic, speed(now() - 1), { qos: 1 });
  const heard = await runSkill(client, 'why_silent', id);
  assert.match(heard.output?.summary ?? '', /HT-1 is not silent\..*\nLogger .*: each step works/);
  await logger.endAsync();
});
