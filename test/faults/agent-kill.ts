/**
 * `kill -9` of the gateway in the middle of runs of the agent that write, at random instants.
 *
 *   two prompts ──▶ gateway (child, killed) ──HTTP, streamed──▶ scripted model server (this process)
 *
 * In the end each run that was in the middle has one replacement, each write was made once, each transcript is whole. Then each run is taken
 * back, with one more kill in the middle: each object is taken back once, and no change is lost. Some kills also hit the replacement. `node test/faults/agent-kill.ts [RUNS] [SEED]` prints a line per kill and
 * `N passed, N failed` at the end; RUNS is the number of runs that must have been killed in the middle.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '#contract/client.ts';
import type { Message, Run } from '#contract/work/task.ts';
import { startGatewayProcess } from '#test/bench/gateway-process.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { eventually, OWNER_KEY } from '#test/support/gateway.ts';
import { type ModelRequest, type Scripted, startModelServer } from '#test/support/model-server.ts';
import { randomOf } from '#test/support/random-of.ts';

/** Runs that the gateway carries out at once. */
const AT_ONCE = 2;
/** A kill comes at most this many milliseconds after the prompts, and after the start for a kill of the replacements. */
const SPAN_MS = 400;
/** A kill of undos comes at most this many milliseconds after they were asked for. */
const UNDO_SPAN_MS = 150;
/** The share of kills after which the replacements are killed too. */
const AGAIN = 0.25;
/** The model server waits up to this many milliseconds before each answer. */
const THINK_MS = 60;
const DIED = 'run_invocation_died';

/** A run of the test: its number in all prompts, and its task. */
interface Asked {
  readonly n: number;
  readonly task_id: string;
}

export interface AgentKillResult {
  readonly kills: number;
  /** Runs that were killed in the middle. */
  readonly died: number;
  /** Tasks that had been killed twice. */
  readonly twice: number;
  /** Undos that were killed in the middle. */
  readonly undosDied: number;
  /** Requests that the model got again, because the process died before it stored the answer. */
  readonly askedAgain: number;
  readonly wrong: readonly string[];
}

/** The answers of the model to run `n`, which makes records, one and two at a time, appends an event, and changes a record. */
function answersOf(n: number, machine: string): readonly Scripted[] {
  const ticket = (k: number) => ({
    name: 'repair_tickets_create',
    input: { title: `Run ${n} ticket ${k}`, equipment_id: machine },
  });
  const note = { name: 'equipment_append_event', input: { id: machine, type: 'note', data: { text: `Run ${n}` } } };
  return [
    { reasoning: 'I read first.', calls: [{ name: 'equipment_list', input: { limit: 1 } }, ticket(1)] },
    { text: 'Two more.', calls: [ticket(2), ticket(3)] },
    { calls: [note, { name: 'operators_create', input: { name: `Run ${n}` } }] },
    {
      calls: [
        { name: 'locations_create', input: { name: `Run ${n}`, kind: 'zone' } },
        { name: 'operators_update', input: { id: `Run ${n}`, crew: 'K' } },
        { name: 'equipment_update', input: { id: `M-${n}`, name: 'After', year: 2020 } },
      ],
    },
    { reasoning: 'That is all.', text: `Run ${n} is done.` },
  ];
}

const numberOf = ({ messages }: ModelRequest): number =>
  Number(/Run (\d+)/.exec(String(messages.find(({ role }) => role === 'user')?.content))?.[1]);

/** Returns what is wrong with the transcript of one run. */
function faultsOfTranscript(run: Run, messages: readonly Message[]): string[] {
  const calls = (kind: string) => messages.filter((one) => one.kind === kind).map(({ tool }) => tool?.call_id ?? '');
  const count = (holds: (one: Message) => unknown) => messages.filter(holds).length;
  const [asked, answered] = [calls('tool_call').toSorted().join(), calls('tool_result').toSorted().join()];
  const { error } = run;
  return [
    ...(messages[0]?.role === 'user' ? [] : ['begins without the prompt']),
    ...(messages.some(({ sequence }, i) => sequence !== i + 1) ? ['has a hole'] : []),
    ...(asked === answered ? [] : [`has calls ${asked} and results ${answered}`]),
    ...(count(({ kind }) => kind === 'reasoning') === count(({ kind }) => kind === 'reasoning_end')
      ? []
      : ['has open reasoning']),
    ...(count(({ final }) => final) === (error === null ? 1 : 0) ? [] : ['has a wrong number of final messages']),
    ...(error === null || messages.at(-1)?.note?.code === error.code ? [] : ['does not end with its error']),
  ].map((fault) => `run ${run.id} ${fault}`);
}

async function pages<T>(
  ask: (more: { limit: number; cursor?: string }) => Promise<{ data: T[]; next_cursor: string | null }>,
) {
  const all: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: { data: T[]; next_cursor: string | null } = await ask({ limit: 200, ...(cursor ? { cursor } : {}) });
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
}

/** Checks the runs of a task after its end. Returns the codes of its runs and what is wrong. */
async function judgeTask(client: Client, { n, task_id }: Asked): Promise<{ died: number; wrong: string[] }> {
  const runs = (await client.call('tasks_runs', { task_id, order: 'asc' })).data;
  const messages = await pages((more) => client.call('tasks_messages', { task_id, ...more }));
  const wrong = runs.flatMap((run) =>
    faultsOfTranscript(
      run,
      messages.filter(({ run_id }) => run_id === run.id),
    ),
  );
  const last = runs.at(-1);
  if (last?.status !== 'completed') wrong.push(`the last run ended as ${last?.error?.code ?? last?.status}`);
  for (const [i, { retry, error, terminal_event_count }] of runs.entries()) {
    if (retry.retry_of !== (runs[i - 1]?.id ?? null)) wrong.push(`run ${i + 1} replaces ${retry.retry_of}`);
    if (terminal_event_count !== 1) wrong.push(`run ${i + 1} has ${terminal_event_count} ends`);
    if (i < runs.length - 1 && error?.code !== DIED) wrong.push(`run ${i + 1} ended as ${error?.code}`);
  }
  // What the last run says that the whole chain made.
  const made = Object.entries(last?.output?.created ?? {}).map(([kind, ids]) => `${kind} ${ids.length}`);
  const expected = ['event 1', 'location 1', 'operator 1', 'repair_ticket 3'];
  if (made.toSorted().join() !== expected.join()) wrong.push(`the output says ${made.toSorted().join()}`);
  const { items } = await client.call('tasks_undo', { task_id, dry_run: true });
  const left = items.filter(({ action }) => action === 'leave').map(({ object, why }) => `${object}: ${why}`);
  if (items.length !== 7 || left.join() !== 'event: Entries of a log stay.')
    wrong.push(`an undo would leave ${left.join()} of ${items.length} objects`);
  return { died: runs.length - 1, wrong: wrong.map((one) => `prompt ${n}: ${one}`) };
}

/** Checks that the site has what the runs wrote, each once. */
async function judgeSite(client: Client, machine: string, asked: readonly Asked[]): Promise<string[]> {
  const tickets = await pages((more) => client.call('repair_tickets_list', more));
  const events = await pages((more) => client.call('equipment_events', { id: machine, type: 'note', ...more }));
  const operators = await pages((more) => client.call('operators_list', more));
  const locations = await pages((more) => client.call('locations_list', more));
  const machines = await pages((more) => client.call('equipment_list', more));
  const names = asked.map(({ n }) => `Run ${n}`).toSorted();
  const compare = (what: string, got: readonly string[], wanted: readonly string[]) => {
    const [a, b] = [got.toSorted(), wanted.toSorted()];
    return a.join() === b.join() ? [] : [`${what}: ${a.length} are stored, ${b.length} were asked for`];
  };
  return [
    ...compare(
      'tickets',
      tickets.map(({ title, status }) => `${title} ${status}`),
      names.flatMap((name) => [1, 2, 3].map((k) => `${name} ticket ${k} canceled`)),
    ),
    ...compare(
      'events',
      events.map(({ data }) => String(data.text)),
      names,
    ),
    ...compare(
      'operators',
      operators.map(({ name, crew, status, revision }) => `${name} ${crew} ${status} ${revision}`),
      names.map((name) => `${name} K inactive 3`),
    ),
    ...compare(
      'locations',
      locations.map(({ name, active, revision }) => `${name} ${active} ${revision}`),
      names.map((name) => `${name} false 2`),
    ),
    ...compare(
      'machines that runs changed',
      machines.filter(({ id }) => id !== machine).map((one) => [one.unit_number, one.name, one.revision].join(' ')),
      asked.map(({ n }) => `M-${n} Before 3`),
    ),
  ];
}

/** Kills the gateway until so many runs were killed in the middle, and judges what is stored. */
export async function killUnderAgent(
  wanted: number,
  seed: number,
  report: (line: string) => void,
): Promise<AgentKillResult> {
  const random = randomOf(seed);
  using folder = temporaryFolder();
  await using cleanup = new AsyncDisposableStack();
  let machine = '';
  const requests = new Map<string, number>();
  const model = cleanup.use(
    await startModelServer(async (request) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      const n = numberOf(request);
      requests.set(`${n}.${turn}`, (requests.get(`${n}.${turn}`) ?? 0) + 1);
      await sleep(random() * THINK_MS);
      return answersOf(n, machine)[turn] ?? { status: 400, message: `run ${n} asks a turn ${turn}` };
    }),
  );
  let gateway = await startGatewayProcess(folder.path);
  cleanup.defer(() => gateway.kill());
  const restart = async () => {
    await gateway.kill();
    gateway = await startGatewayProcess(folder.path);
  };
  const { project } = await createClient({ base_url: gateway.http, key: OWNER_KEY }).call('projects_create', {
    name: 'Kill',
  });
  const client = () => createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  machine = (await client().call('equipment_create', { unit_number: 'K-1' })).id;
  const provider = { kind: 'openai', url: model.url, model: 'scripted' } as const;
  await client().call('review_configuration_update', { id: project.id, provider }, { if_match: 0 });
  const asked: Asked[] = [];
  const wrong: string[] = [];
  let [kills, died, twice, undosDied] = [0, 0, 0, 0];
  while (died < wanted) {
    const round: Asked[] = [];
    for (let i = 0; i < AT_ONCE; i++) {
      const n = asked.length + 1;
      await client().call('equipment_create', { unit_number: `M-${n}`, name: 'Before' });
      const { id } = await client().call('tasks_create', { prompt: `Run ${n}` });
      const one = { n, task_id: id };
      round.push(one);
      asked.push(one);
    }
    // At most two: after a third death the gateway pauses the task.
    for (const times of random() < AGAIN ? [1, 2] : [1]) {
      const after = Math.round(random() * SPAN_MS);
      await sleep(after);
      await restart();
      kills++;
      report(`kill ${kills} after ${after} ms (${times} of these runs), ${died} runs had died before`);
    }
    for (const one of round) {
      await eventually(
        () => client().call('tasks_get', { task_id: one.task_id }),
        ({ run }) => run?.terminal_event_count === 1,
      );
      const judged = await judgeTask(client(), one);
      if (judged.died > 0) died++;
      if (judged.died > 1) twice++;
      wrong.push(...judged.wrong);
    }
    const undos: string[] = [];
    for (const { task_id } of round) undos.push((await client().call('tasks_undo', { task_id })).task?.id ?? '');
    await sleep(Math.round(random() * UNDO_SPAN_MS));
    await restart();
    for (const task_id of undos) {
      const { run } = await eventually(
        () => client().call('tasks_get', { task_id }),
        (task) => task.run?.terminal_event_count === 1,
      );
      if (run?.retry.retry_of != null) undosDied++;
      if (run?.status !== 'completed' || run.gaps.length !== 1)
        wrong.push(`an undo ended as ${run?.status} with ${run?.gaps.length} gaps`);
    }
  }
  wrong.push(...(await judgeSite(client(), machine, asked)));
  const askedAgain = [...requests.values()].reduce((sum, count) => sum + count - 1, 0);
  return { kills, died, twice, undosDied, askedAgain, wrong };
}

if (import.meta.main) {
  const [runs = '100', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`seed ${seed}`);
  const { wrong, ...result } = await killUnderAgent(Number(runs), Number(seed), say);
  for (const one of wrong) say(`wrong: ${one}`);
  say(JSON.stringify(result));
  say(wrong.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
