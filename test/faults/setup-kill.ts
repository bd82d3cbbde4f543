/**
 * Kills a gateway with `kill -9` at points of a setup of 300 machines, starts it again, and checks that the setup ends complete and without
 * doubles: `node test/faults/setup-kill.ts [POINTS]`.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '#contract/client.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { eventually, OWNER_KEY } from '#test/support/gateway.ts';

const CHILD = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
const POINTS = Number(process.argv[2] ?? 20);
const MACHINES = 300;
/** The first kill is at once, the last one this many milliseconds after the answer. */
const SPAN_MS = 400;
const PROMPT = `Site: Harrow Hill Quarry. Trucks HT-001 to HT-${MACHINES} are Cat 777G haul trucks in the North Pit. Operators: Ana Ruiz, Tom Field. Day shift 07:00 to 15:00.`;

async function start(folder: string): Promise<{ child: ChildProcess; http: string }> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { event: string; http: string };
    if (told.event === 'ready') return { child, http: told.http };
  }
  throw new Error('the gateway did not start');
}

using folder = temporaryFolder();
let { child, http } = await start(folder.path);
const ends: Record<string, number> = {};
for (let point = 0; point < POINTS; point++) {
  const before = createClient({ base_url: http, key: OWNER_KEY });
  const { project, setup } = await before.call('projects_create', {
    name: `Round ${point}`,
    setup: true,
    prompt: PROMPT,
  });
  const task_id = setup?.task.id ?? '';
  await new Promise((done) => setTimeout(done, (point * SPAN_MS) / Math.max(1, POINTS - 1)));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await gone;
  ({ child, http } = await start(folder.path));
  const client = createClient({ base_url: http, key: OWNER_KEY, project_id: project.id });
  const { run } = await eventually(
    () => client.call('tasks_get', { task_id }),
    (task) => task.run?.terminal_event_count === 1,
  );
  assert.equal(run?.status, 'completed');
  const units: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: { unit_number: string }[]; next_cursor: string | null } = await client.call('equipment_list', {
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    });
    units.push(...page.data.map(({ unit_number }) => unit_number));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.equal(units.length, MACHINES, `point ${point}`);
  assert.equal(new Set(units).size, MACHINES, `point ${point}`);
  assert.equal(run.output?.created.equipment?.length, MACHINES);
  assert.equal((await client.call('operators_list', {})).data.length, 2);
  assert.equal((await client.call('locations_list', {})).data.length, 2);
  const boards = (await client.call('dashboards_list', {})).data.map(({ name }) => name);
  assert.equal(new Set(boards).size, boards.length);
  const how = run.retry.retry_of === null ? 'ended or waited before the kill' : 'was replaced';
  ends[how] = (ends[how] ?? 0) + 1;
}
const stopped = new Promise<void>((resolve) => child.once('exit', () => resolve()));
child.kill('SIGTERM');
await stopped;
console.log(JSON.stringify({ points: POINTS, machines: MACHINES, doubles: 0, ends }));
