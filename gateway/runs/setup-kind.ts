/**
 * Describes the runs that set up a project from its description. The planner reads the text without a model. The plan is then written in
 * parts. The ids of the objects are derived from the task, so a replacement run after a crash goes on where the first run stopped.
 */
import { setImmediate } from 'node:timers/promises';
import { OperationError } from '#contract/base/errors.ts';
import type { View } from '#contract/base/view.ts';
import type { FilesRead, ReadGap } from '#contract/site/setup.ts';
import { SetupPlan } from '#contract/site/setup-plan.ts';
import { LEARNING_TOOLS } from '#contract/work/learning.ts';
import type { TaskData } from '#contract/work/task.ts';
import type { SitePlan } from '#domain/planner/plan-types.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import { createSetupRun, isSetupRun } from '#domain/runs/setup-task.ts';
import { runsOf, writesOf } from '#domain/runs/undo-writes.ts';
import { withPlaces } from '#domain/setup/cited-places.ts';
import { saysNothing, withPage } from '#domain/setup/page-proposals.ts';
import {
  endedSetup,
  failedSetup,
  fileGaps,
  openGaps,
  pageFailure,
  unconfirmedSetup,
  type WrittenPart,
} from '#domain/setup/setup-outcome.ts';
import { type SetupPart, setupParts } from '#domain/setup/setup-parts.ts';
import type { SiteReader } from '#reading/setup-reader.ts';
import type { Store } from '#store/open-store.ts';
import { type ExecutorOptions, KindExecutor } from './kind-executor.ts';
import type { RunKind, RunStart } from './run-kind.ts';

/** Processor time of a setup in seconds. A text of 20,000 characters needs less than a second. */
const CPU_S = 120;

/** Writes one part of a plan. The objects get ids that are derived from the task and from their names. */
export type WriteSetupPart = (project_id: string, task_id: string, part: SetupPart) => Promise<WrittenPart>;

export interface SetupOptions extends ExecutorOptions {
  readonly write: WriteSetupPart;
  readonly reader: Pick<SiteReader, 'plan' | 'page'>;
}

const STEP_WORDS: Readonly<Record<SetupPart['step'], string>> = {
  locations: 'Writes locations.',
  operators: 'Writes operators.',
  mechanics: 'Writes mechanics.',
  equipment: 'Writes machines.',
  screens: 'Writes shifts and screens.',
  learnings: 'Writes what it learned.',
};

const NO_FILES: FilesRead = { places: [], gaps: [] };

/** Returns the plan that a person has checked, or plans the description of the task. */
async function planOf(
  text: string,
  checked: SetupPlan | undefined,
  { places }: FilesRead,
  reader: SetupOptions['reader'],
  signal: AbortSignal,
): Promise<SitePlan> {
  if (checked === undefined) return withPlaces(await reader.plan(text, signal), text, places);
  return { ...checked, gaps: [], not_read: [], coverage: 1, failure: null };
}

const isUnplanned = (error: unknown): error is OperationError =>
  error instanceof OperationError && error.code === 'backend_unavailable';

/** Fetches the page of the project and plans what it says. What fails is a gap. */
async function readPage(url: string, reader: SetupOptions['reader'], signal: AbortSignal) {
  const { text, places, gaps } = await reader.page(url, signal);
  const remedy = 'Copy what the page says about the site into the description, and start the setup again.';
  const gapOf = (message: string): ReadGap => ({ code: 'page_not_read', file: url, message, remedy });
  try {
    const plan = withPlaces(await reader.plan(text, signal), text, places);
    const nothing = text !== '' && saysNothing(plan);
    return { url, gaps: nothing ? [...gaps, gapOf(pageFailure(plan))] : gaps, plan };
  } catch (error) {
    if (!isUnplanned(error)) throw error;
    return { url, gaps: [...gaps, gapOf(error.message)], plan: undefined };
  }
}

/** The entries of the transcript for the learnings that this run made: an undo of the task ends them. */
async function learningEntries(view: View, task_id: string, parts: readonly WrittenPart[]): Promise<NewEntry[]> {
  const told = new Set(
    (await writesOf(view, await runsOf(view, task_id))).map(({ output }) => (output as { id?: unknown } | null)?.id),
  );
  const made = parts
    .flatMap(({ objects }) => objects)
    .filter(({ kind, id, created }) => kind === 'learnings' && created && id !== null && !told.has(id));
  return made.flatMap(({ id, name, from }, i): NewEntry[] => {
    const tool = { call_id: `l${i + 1}`, name: LEARNING_TOOLS.remember, outcome: null, output: null };
    const output = { object: 'learning', id, revision: 1, fact: name };
    return [
      { role: 'assistant', kind: 'tool_call', tool: { ...tool, input: { fact: name, excerpts: from } } },
      { role: 'tool', kind: 'tool_result', tool: { ...tool, input: null, outcome: 'output', output } },
    ];
  });
}

/** Which part of the gateway carries out the skill `setup`. */
const BY_RULES = 'The planner reads the description by fixed rules, without a model.';

async function setUp(
  { store, write, reader }: Pick<SetupOptions, 'write' | 'reader'> & { readonly store: Pick<Store, 'view'> },
  { queue, working, signal }: RunStart,
): Promise<void> {
  const { project_id, run } = working;
  const started = performance.now();
  const { task_id } = run.data;
  const view = store.view(project_id);
  const task = await view.get<TaskData>('records', task_id);
  const files = (task?.data.read as FilesRead | undefined) ?? NO_FILES;
  const page = task?.data.links?.url === undefined ? undefined : await readPage(task.data.links.url, reader, signal);
  // The operation that stored the plan has checked it, and left its empty fields out.
  const checked = task?.data.plan === undefined ? undefined : SetupPlan.parse(task.data.plan);
  const gaps = [...fileGaps([...files.gaps, ...(page?.gaps ?? [])]), ...openGaps(checked?.gaps ?? [])];
  const described = await planOf(task?.data.prompt ?? '', checked, files, reader, signal).catch((error: unknown) => {
    if (isUnplanned(error)) return error;
    throw error;
  });
  signal.throwIfAborted();
  if (described instanceof OperationError) {
    await queue.end(working, { status: 'failed', code: 'backend_unavailable', message: described.message, gaps });
    return;
  }
  const plan = page?.plan === undefined ? described : withPage(described, page.plan, page.url);
  const ending = plan.failure === null ? unconfirmedSetup(plan, gaps) : failedSetup(plan.failure, plan, gaps);
  // `We sold LD-9` alone is no description, but a fact about a machine of the project.
  const facts: SetupPart[] =
    plan.facts.length === 0 ? [] : [{ step: 'learnings', items: plan.facts, onlyOfMachines: true }];
  const parts = ending === null ? setupParts(plan, checked?.gaps ?? []) : facts;
  const written: WrittenPart[] = [];
  for (const [i, part] of parts.entries()) {
    signal.throwIfAborted();
    const progress_pct = Math.round((100 * i) / parts.length);
    await queue.progress(working, { status_text: STEP_WORDS[part.step], current_step: part.step, progress_pct });
    written.push(await write(project_id, task_id, part));
    // Lets other work of the event loop run between two commits.
    await setImmediate();
  }
  if (ending !== null && written.every(({ objects }) => objects.length === 0)) {
    await queue.end(working, ending);
    return;
  }
  const { text, ...outcome } = endedSetup(
    plan,
    checked !== undefined,
    gaps,
    written,
    Math.round(performance.now() - started),
  );
  await queue.end(working, outcome, [
    { role: 'system', kind: 'note', text: BY_RULES },
    ...(await learningEntries(view, task_id, written)),
    { role: 'assistant', kind: 'message', text, final: true },
  ]);
}

const setupKind = (options: SetupOptions): RunKind => ({
  name: 'setup',
  waitingRunOf({ id, project_id, created_at, data }) {
    // Runs of one project take turns like the runs of one device: two setups never write the same project at the same time.
    return isSetupRun(data) ? { id, project_id, created_at, device: project_id, long: false } : undefined;
  },
  async prepare() {
    return { cpu_s: CPU_S, work: (start) => setUp(options, start) };
  },
  replacement: (run, now) => createSetupRun(run.task_id, now),
  messages: {
    started: BY_RULES,
    givenBack: 'Waits for its turn.',
    overCeiling: (cpu_s) => `The setup used ${cpu_s} s of processor time, which is its limit. What it made stays.`,
    givenUp: (deaths, last) =>
      `The setup stopped ${deaths} times, so the gateway does not start it again automatically. The last error: ${last}`,
  },
});

/** Starts the executor of setups. It is separate from the executor of log files, so a setup never waits for a log. */
export function startSetups(options: SetupOptions): AsyncDisposable {
  const executor = new KindExecutor(options, setupKind(options));
  return { [Symbol.asyncDispose]: () => executor.stop() };
}
