/** Setups of more people and places than one read of the store returns. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startSetups, type WriteSetupPart } from '#gateway/runs/setup-kind.ts';
import { createSetupWriter } from '#handlers/setup/setup-writer.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';

const start = (rig: Rig, write: WriteSetupPart): AsyncDisposable =>
  startSetups({
    store: rig.store,
    clock: rig.clock,
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    log: () => undefined,
    retryMs: 20,
    write,
    reader: createSiteReader(),
  });

async function setUp(rig: Rig, lines: readonly string[]) {
  const content_base64 = Buffer.from(lines.join('\n')).toString('base64');
  const { setup } = await rig.call('projects_setup', {
    project_id: rig.project,
    prompt: 'Harrow Hill Quarry. North Pit.',
    files: [{ name: 'site.csv', content_base64 }],
  });
  const read = () => rig.call('tasks_get', { task_id: setup.task.id });
  await until(async () => (await read()).run?.status === 'completed', 'the setup ends');
  return (await read()).run;
}

/** Names without digits: `Ana Aaab`. */
const person = (i: number): string =>
  `Ana ${[...i.toString(26).padStart(4, '0')].map((digit, at) => String.fromCharCode((at === 0 ? 65 : 97) + Number.parseInt(digit, 26))).join('')}`;
const COUNT = 1_200;
const numbers = Array.from({ length: COUNT }, (_, i) => i);

test('[Q43] 1,200 people are made once: after a stop in the middle, and by a second setup', async () => {
  await using rig = await openRig();
  const real = createSetupWriter(rig.ownWork);
  let operators = 0;
  await using _ = start(rig, async (project_id, task_id, part) => {
    const written = await real(project_id, task_id, part);
    // The part is committed, and the run dies before it knows.
    if (part.step === 'operators' && ++operators === 11) throw new Error('killed');
    return written;
  });
  const rows = numbers.map((i) => `${person(i)};Operator`);
  const first = await setUp(rig, ['Name;Role', ...rows]);
  assert.equal(first?.output?.created.operators?.length, COUNT);
  const second = await setUp(rig, ['Name;Role', ...rows]);
  assert.equal(second?.output?.created.operators?.length, 0);
  assert.match(second?.output?.summary ?? '', /1204 objects were already there/);
});

test('[Q43] each of 1,200 machines gets its location and its operator', async () => {
  await using rig = await openRig();
  await using _ = start(rig, createSetupWriter(rig.ownWork));
  const rows = numbers.map((i) => `HT-${i + 1};haul truck;Zone ${(i % 990) + 1};${person(i)}`);
  const run = await setUp(rig, ['Unit;Type;Location;Operator', ...rows]);
  assert.equal(run?.output?.created.equipment?.length, COUNT);
  const linked = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await rig.call('equipment_list', { limit: 200, ...(cursor && { cursor }) });
    linked.push(...page.data.filter(({ location_id, operator_id }) => location_id !== null && operator_id !== null));
    cursor = page.next_cursor;
  }
  assert.equal(linked.length, COUNT);
  assert.ok(!run?.gaps.some(({ code }) => code === 'not_linked'));
});

test('[Q43] a machine whose operator does not work any more is made, and the missing link is a gap', async () => {
  await using rig = await openRig();
  await using _ = start(rig, createSetupWriter(rig.ownWork));
  await rig.call('operators_create', { name: 'Ana Ruiz', status: 'inactive' });
  const run = await setUp(rig, ['Unit;Type;Operator', 'HT-1;haul truck;Ana Ruiz', 'HT-2;haul truck;Ben Moss']);
  const gap = run?.gaps.find(({ code }) => code === 'not_linked');
  assert.equal(
    gap?.message,
    'The project has no active operator "Ana Ruiz". These machines were made without it: HT-1.',
  );
});
