/** Setups from files, over a real store, the real executor and the real reader of files. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { operations } from '#contract/operations.ts';
import { startSetups } from '#gateway/runs/setup-kind.ts';
import { createSetupWriter } from '#handlers/setup/setup-writer.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { xlsx } from '#test/reading/made-files.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';

const FLEET = xlsx([
  {
    name: 'Fleet',
    rows: [
      ['Unit', 'Type', 'Make', 'Model', 'Year', 'Location', 'Purchase price', 'Insurance no', 'Next service', 'Weight'],
      ['HT-01', 'Haul truck', 'Caterpillar', '777G', 2019, 'North Pit', 1_200_000, 'A 1', '500 h', '74 t'],
      ['HT-02', 'Haul truck', 'Caterpillar', '777G', 2019, 'North Pit', 1_200_000, 'A 2', '500 h', '74 t'],
      ['EX-07', 'Excavator', 'Komatsu', 'PC1250', 2021, 'East Pit', 900_000, 'A 3', '250 h', '110 t'],
    ],
  },
  {
    name: 'Crew',
    rows: [
      ['Name', 'Role', 'Shift'],
      ['Ana Ruiz', 'Operator', 'Day'],
      ['Lena Moss', 'Mechanic', 'Day'],
    ],
  },
]);
const given = (name: string, content: Uint8Array) => ({
  name,
  content_base64: Buffer.from(content).toString('base64'),
});
const PROMPT = 'Harrow Hill Quarry. Two pits, North Pit and East Pit. Day shift 07:00 to 15:00.';

function start(rig: Rig, reader = createSiteReader()): AsyncDisposable {
  return startSetups({
    store: rig.store,
    clock: rig.clock,
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    log: () => undefined,
    retryMs: 20,
    write: createSetupWriter(rig.ownWork),
    reader,
  });
}

async function ended(rig: Rig, task_id: string) {
  const read = () => rig.call('tasks_get', { task_id });
  await until(async () => (await read()).run?.terminal_event_count === 1, 'the setup ends');
  const { run } = await read();
  assert.ok(run !== null);
  return run;
}

test('[Q30] [Q35] a plan has the objects of a file with the sheet and row of each, and writes nothing', async () => {
  await using rig = await openRig();
  const commits = rig.store.stats().commits;
  const plan = await rig.call('projects_setup_plan', {
    project_id: rig.project,
    prompt: PROMPT,
    files: [given('fleet.xlsx', FLEET), given('old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))],
  });
  assert.equal(rig.store.stats().commits, commits);
  assert.deepEqual(
    plan.equipment.map(({ unit_number, kind, oem_name, model, year, location, at }) => [
      ...[unit_number, kind, oem_name, model, year, location, at],
    ]),
    [
      ['HT-01', 'haul_truck', 'Caterpillar', '777G', 2019, 'North Pit', 'fleet.xlsx, sheet Fleet, row 2'],
      ['HT-02', 'haul_truck', 'Caterpillar', '777G', 2019, 'North Pit', 'fleet.xlsx, sheet Fleet, row 3'],
      ['EX-07', 'excavator', 'Komatsu', 'PC1250', 2021, 'East Pit', 'fleet.xlsx, sheet Fleet, row 4'],
    ],
  );
  assert.deepEqual(
    [...plan.operators, ...plan.mechanics].map(({ name, at }) => [name, at]),
    [
      ['Ana Ruiz', 'fleet.xlsx, sheet Crew, row 2'],
      ['Lena Moss', 'fleet.xlsx, sheet Crew, row 3'],
    ],
  );
  // What the description says has no place in a file.
  assert.ok(plan.locations.length >= 2 && plan.shifts.every(({ at }) => at === null));
  for (const { from } of plan.equipment) assert.ok(from.every((words) => plan.text.includes(words)));
  assert.deepEqual(
    plan.gaps.filter(({ resource }) => resource === 'project').map(({ code, at }) => [code, at]),
    [['file_locked', 'old.xls']],
  );
});

test('[Q30] [Q35] a setup with files writes at once, cites the rows, and keeps the gaps of the files', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const { setup } = await rig.call('projects_setup', {
    project_id: rig.project,
    prompt: PROMPT,
    files: [given('fleet.xlsx', FLEET), given('notes.pdf', Buffer.from('%PDF-1.4 broken'))],
  });
  const run = await ended(rig, setup.task.id);
  assert.equal(run.status, 'completed');
  const units = (await rig.call('equipment_list', { limit: 200 })).data.map(({ unit_number }) => unit_number);
  assert.deepEqual(units.toSorted(), ['EX-07', 'HT-01', 'HT-02']);
  const { evidence, missing_requirements } = await rig.call('projects_setup_status', { project_id: rig.project });
  const of = (claim: RegExp) => evidence.find((one) => claim.test(one.claim));
  assert.equal(of(/1 machine: EX-07/)?.source, 'fleet.xlsx, sheet Fleet, row 4');
  assert.match(of(/1 machine: EX-07/)?.excerpt ?? '', /^EX-07; Excavator; Komatsu/);
  const gap = missing_requirements.find(({ code }) => code === 'file_unreadable');
  assert.match(gap?.message ?? '', /The PDF is damaged.*notes\.pdf/);
  assert.ok(gap?.remedy);
});

test('[A216] a plan that a person checked keeps the gaps of its files in the result and in the setup status', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const { object, project_id, text, not_read, coverage, failure, ...plan } = await rig.call('projects_setup_plan', {
    project_id: rig.project,
    prompt: PROMPT,
    files: [given('fleet.xlsx', FLEET), given('notes.pdf', Buffer.from('%PDF-1.4 broken'))],
  });
  const open = plan.gaps.filter(({ proposal }) => proposal === null).map(({ proposal, ...gap }) => gap);
  const { setup } = await rig.call('projects_setup_apply', { project_id: rig.project, plan: { ...plan, gaps: open } });
  const run = await ended(rig, setup.task.id);
  assert.equal(run.status, 'completed');
  const lost = run.gaps.find(({ code }) => code === 'file_unreadable');
  assert.deepEqual([lost?.ref, lost?.blocking], ['notes.pdf', false]);
  assert.match(lost?.message ?? '', /The PDF is damaged/);
  const { missing_requirements } = await rig.call('projects_setup_status', { project_id: rig.project });
  assert.ok(missing_requirements.some(({ code }) => code === 'file_unreadable'));
});

test('[Q33] a setup with only a file that cannot be read makes nothing, and says why', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const files = [given('fleet.xlsx', FLEET.subarray(0, 900))];
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: '', files });
  const run = await ended(rig, setup.task.id);
  assert.equal(run.error_json?.code, 'description_unreadable');
  assert.deepEqual(
    run.gaps.map(({ code, ref }) => [code, ref]),
    [['file_unreadable', 'fleet.xlsx']],
  );
});

test('[Q30] a file of 1,500 machines is planned in a thread and made completely', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const rows = Array.from({ length: 1_500 }, (_, i) => `HT-${i + 1},haul truck,Caterpillar,777G`);
  const files = [given('fleet.csv', Buffer.from(['Unit,Type,Make,Model', ...rows].join('\n')))];
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: PROMPT, files });
  const run = await ended(rig, setup.task.id);
  assert.equal(run.status, 'completed', run.error_json?.message);
  assert.equal(run.output?.created.equipment?.length, 1_500);
});

test('[Q30] files of more than 4 MiB in all, or more than five, are refused', async () => {
  await using rig = await openRig();
  const big = given('big.csv', Buffer.alloc(3 * 1024 * 1024, 'a'));
  const call = (files: ReturnType<typeof given>[]) =>
    rig.call('projects_setup_plan', { project_id: rig.project, prompt: '', files });
  await assert.rejects(call([big, big]), { code: 'payload_too_large' });
  await assert.rejects(call(Array.from({ length: 6 }, () => given('a.csv', Buffer.from('a')))), {
    code: 'parameter_invalid',
  });
});

const LONG = 'HT-1 is a Cat 777G haul truck in North Pit.\n'.repeat(600);
const longFile = [given('long.txt', Buffer.from(LONG))];

test('[Q39] a stop of the gateway ends a setup that is planned, and a replacement completes it', async () => {
  await using rig = await openRig();
  const first = start(rig, createSiteReader({ worker: new URL('data:text/javascript,for(;;);') }));
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: '', files: longFile });
  const read = () => rig.call('tasks_get', { task_id: setup.task.id });
  await until(async () => (await read()).run?.status === 'running', 'the run works');
  const begun = performance.now();
  await first[Symbol.asyncDispose]();
  assert.ok(performance.now() - begun < 20_000, 'the thread of a minute is ended');
  await using _ = start(rig);
  await until(async () => (await read()).run?.status === 'completed', 'the replacement ends');
});

test('[Q40] a setup whose text cannot be planned fails once, with a reason', async () => {
  await using rig = await openRig();
  await using _ = start(rig, createSiteReader({ worker: new URL('data:text/javascript,throw 1') }));
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: '', files: longFile });
  const run = await ended(rig, setup.task.id);
  assert.equal(run.status, 'failed');
  assert.equal(run.error_json?.code, 'backend_unavailable');
  assert.match(run.error_json?.message ?? '', /stopped planning the text/);
  const { data } = await rig.call('tasks_runs', { task_id: setup.task.id });
  assert.equal(data.length, 1);
});

test('[Q41] of two setups whose files are read at the same time, one is refused', async () => {
  await using rig = await openRig();
  const call = () =>
    rig.call('projects_setup', { project_id: rig.project, prompt: PROMPT, files: [given('fleet.xlsx', FLEET)] });
  const ends = await Promise.allSettled([call(), call()]);
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
  const refused = ends.find((end) => end.status === 'rejected');
  assert.equal((refused?.reason as { code?: string } | undefined)?.code, 'setup_in_progress');
});

/** All values of a JSON body, as the gateway counts them. */
const valuesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((sum: number, one) => sum + valuesOf(one), 0)
    : 1;

test('[Q38] the plan of the largest file can be sent back, and its task reaches the head office', async () => {
  await using rig = await openRig();
  const rows = Array.from({ length: 3_000 }, (_, i) => `HT-${1_000 + i},haul truck,Cat,777G`);
  const name = `${'fleet'.repeat(36)}.csv`;
  const files = [given(name, Buffer.from(['Unit,Type,Make,Model', ...rows].join('\n')))];
  const {
    object: _,
    project_id,
    text,
    gaps,
    not_read,
    coverage,
    failure,
    ...plan
  } = await rig.call('projects_setup_plan', {
    project_id: rig.project,
    prompt: '',
    files,
  });
  assert.deepEqual(
    [plan.equipment.length, failure, gaps, not_read.length < 10, coverage > 0, text.length > 0],
    [3_000, null, [], true, true, true],
  );
  const { maxBody = 0, maxValues = 0 } = operations.projects_setup_apply;
  assert.ok(Buffer.byteLength(JSON.stringify({ plan })) < maxBody);
  assert.ok(valuesOf({ plan }) < maxValues);
  const { setup } = await rig.call('projects_setup_apply', { project_id, plan });
  const task = await rig.store.view(project_id).get('records', setup.task.id);
  assert.ok(JSON.stringify(task).length < 1_000_000);
  await using __ = start(rig);
  assert.equal((await ended(rig, setup.task.id)).output?.created.equipment?.length, 3_000);
});

test('[Q44] gaps of files stand first, more than 200 gaps are counted, and each machine has its evidence', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const doubted = Array.from({ length: 250 }, (_, i) => `WL-${i + 1};wheel loader;blorked ${i};`);
  const ordered = Array.from({ length: 150 }, (_, i) => `EX-${i + 1};excavator;;`);
  const made = Array.from({ length: 1_500 }, (_, i) => `HT-${i + 1};haul truck;;`);
  const lines = ['Unit;Type;Remark;Note', ...made, ...doubted, 'On order;;;', ...ordered];
  const files = [given('fleet.csv', Buffer.from(lines.join('\n'))), given('notes.pdf', Buffer.from('%PDF-1.4 broken'))];
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: PROMPT, files });
  const run = await ended(rig, setup.task.id);
  assert.equal(run.gaps.length, 200);
  assert.equal(run.gaps[0]?.code, 'file_unreadable');
  assert.match(
    run.gaps.at(-1)?.message ?? '',
    /^\d+ more gaps are not listed: .*\d+ unconfirmed_machines, from "WL-\d+; .*" to ".*EX-/,
  );
  assert.match(run.gaps[2]?.message ?? '', /blorked.* It stands in fleet\.csv, row 150\d\./);
  const { evidence } = await rig.call('projects_setup_status', { project_id: rig.project });
  assert.ok(evidence.length <= 500);
  const cited = new Set(evidence.flatMap(({ created_ids }) => created_ids));
  assert.ok(run.output?.created.equipment?.every((id) => cited.has(id)));
  assert.equal(
    evidence.find(({ claim }) => claim.startsWith('4 machines: HT-1,'))?.source,
    'fleet.csv, row 2 to fleet.csv, row 5',
  );
});

test('[Q44] a proposal of more than 100 objects says how many it leaves out', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const rows = Array.from({ length: 150 }, (_, i) => `EX-${i + 1};excavator;`);
  const files = [
    given('fleet.csv', Buffer.from(['Unit;Type;Make', 'HT-1;haul truck;Cat', 'On order;;', ...rows].join('\n'))),
  ];
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: PROMPT, files });
  const gap = (await ended(rig, setup.task.id)).gaps.find(({ code }) => code === 'unconfirmed_machines');
  assert.equal(gap?.proposal?.objects.length, 100);
  assert.match(gap?.message ?? '', /The proposal has the first 100 of 150 objects\./);
});

test('[Q35] a board of a file cites its line', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const text = 'Harrow Hill Quarry. North Pit.\nA screen in the canteen with machine status and cameras.';
  const files = [given('screens.txt', Buffer.from(text))];
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: '', files });
  const run = await ended(rig, setup.task.id);
  const { evidence } = await rig.call('projects_setup_status', { project_id: rig.project });
  assert.equal(evidence.find(({ claim }) => /dashboard/.test(claim))?.source, 'screens.txt, line 2');
  assert.match(
    run.gaps.find(({ code }) => code === 'unreadable_board')?.message ?? '',
    /stand in screens\.txt, line 2\./,
  );
});

test('[Q38] answers about tasks leave the text of files out, and a plan that sync would hold back is refused', async () => {
  await using rig = await openRig();
  await using _ = start(rig);
  const rows = Array.from({ length: 2_000 }, (_, i) => `HT-${1_000 + i},haul truck,Cat,777G`);
  const files = [given('fleet.csv', Buffer.from(['Unit,Type,Make,Model', ...rows].join('\n')))];
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt: PROMPT, files });
  assert.equal((await rig.call('tasks_get', { task_id: setup.task.id })).prompt, PROMPT);
  const { data } = await rig.call('tasks_list', {});
  assert.ok(JSON.stringify(data).length < 20_000);
  // The run reads the files all the same, and so does a repeated one.
  assert.equal((await ended(rig, setup.task.id)).output?.created.equipment?.length, 2_000);
  const machine = { kind: 'haul_truck', model: 'x'.repeat(100) } as const;
  const equipment = Array.from({ length: 9_000 }, (_, i) => ({ ...machine, unit_number: `HT-${i}` }));
  await assert.rejects(rig.call('projects_setup_apply', { project_id: rig.project, plan: { equipment } }), {
    code: 'payload_too_large',
  });
});
