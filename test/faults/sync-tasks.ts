/**
 * Tasks of a history: a model, the planner, the decoder of logs and the worker of a device carry them out, each at the end where the task was
 * made. Each run must have one owner, and nobody else may start it, cancel it, carry it out or carry it out twice.
 */
import { type Client, ClientError } from '#contract/client.ts';
import type { Run, Task } from '#contract/work/task.ts';
import type { Random } from '#test/sim/random.ts';
import { type ModelServer, startModelServer } from '#test/support/model-server.ts';
import { type Held, Kept } from './sync-kept.ts';
import type { Written } from './sync-origins.ts';
import type { Box } from './sync-truth.ts';

type Kind = 'agent' | 'setup' | 'decode' | 'worker';

interface Made extends Held {
  readonly at: Box;
  readonly kind: Kind;
  readonly n: number;
  readonly id: string;
  /** How often a process of its end ended since then. Each time a run that worked is replaced. */
  ends: number;
  /** How often the disk of its end was put back or copied since then. Each time a run may be carried out again. */
  again: number;
  isCanceled: boolean;
}

/** Why a run ended that was replaced. */
const DIED: ReadonlySet<string> = new Set([
  'run_invocation_died',
  'run_liveness_timeout',
  'backend_callback_never_arrived',
]);
const PAUSED = 'task_auto_paused_repeat_failure';
/** What becomes of the run of a worker that the clock of the site took away, because the clock jumped. */
const OF_CLOCKS: ReadonlySet<string> = new Set([...DIED, PAUSED, 'queue_pickup_timeout', 'backend_wall_clock_timeout']);

const LOG = Buffer.from('(1600000000.000000) can0 0CF00400#FFFFFF6813FFFFFF\n').toString('base64');

/** The model server of a site. It answers each second request only when it is told to, so that runs work and wait for a while. */
export class Model implements AsyncDisposable {
  readonly #waiting: (() => void)[] = [];
  /** The numbers of the tasks that it was asked about, one for each request. */
  readonly asked: number[] = [];
  readonly #name: string;
  #server: ModelServer | undefined;
  #isOpen = false;

  constructor(name: string) {
    this.#name = name;
  }

  async start(): Promise<string> {
    this.#server = await startModelServer(async ({ messages }) => {
      const n = Number(/work (\d+)/.exec(JSON.stringify(messages))?.[1]);
      this.asked.push(n);
      if (!this.#isOpen && this.asked.length % 2 === 0) await new Promise<void>((done) => this.#waiting.push(done));
      return { text: said(this.#name, n) };
    });
    return this.#server.url;
  }

  /** Answers all requests that wait. */
  answer(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  /** From now on each request is answered at once. */
  open(): void {
    this.#isOpen = true;
    this.answer();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.open();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

const said = (name: string, n: number): string => `${name} did work ${n}`;

/** Where tasks are made and carried out. */
export interface Site extends Box {
  readonly project: string;
  readonly device: string;
  readonly model: Model;
}

const codeOf = (error: unknown): string => {
  if (error instanceof ClientError) return error.code;
  throw error;
};

export class Tasks extends Kept<Made> {
  /** Calls that an end took although the task is not its own. */
  readonly #wrong: string[] = [];

  /** Lets the agent of a site use its model, and registers the worker of its device. */
  async begin(site: Site, client: Client): Promise<void> {
    const provider = { kind: 'openai', url: await site.model.start(), model: 'scripted' } as const;
    await client.call('review_configuration_update', { id: site.project, provider }, { if_match: 0 });
    await client.call('devices_worker_register', { id: site.device, name: 'counter', version: '1' });
  }

  #made(at: Box, kind: Kind, n: number, id: string): void {
    this.all.push({ at, kind, n, id, ends: 0, again: 0, isCanceled: false, held: new Set([at]) });
  }

  /** A process of an end ended. */
  ended(at: Box): void {
    for (const one of this.all) if (one.at === at) one.ends++;
  }

  override putBack(box: Box, held: ReadonlySet<object>): void {
    super.putBack(box, held);
    this.copied(box);
  }

  copied(box: Box): void {
    for (const one of this.all) if (one.at === box) one.again++;
  }

  /** Somebody makes a task at an end, ends one, or tries to use one of the other end. */
  async change(random: Random, site: Site, at: Box, client: Client, n: number): Promise<void> {
    const others = this.all.filter((one) => one.at !== at);
    const dice = random.int(10);
    if (dice < 2 && others.length > 0) await this.#meddle(random.pick(others), at, site, client);
    else if (at !== site || dice < 4) {
      const prompt = `One haul truck ${at === site ? 'ST' : 'HO'}-${n}.`;
      const { setup } = await client.call('projects_setup', { project_id: site.project, prompt });
      this.#made(at, 'setup', n, setup.task.id);
    } else if (dice < 7) {
      const { id } = await client.call('tasks_create', { prompt: `Do work ${n}`, read_only: random.chance(0.5) });
      this.#made(at, 'agent', n, id);
    } else if (dice === 7) {
      const log = { name: `log-${n}.log`, content_base64: LOG };
      const { artifact } = await client.call('devices_upload_media', { id: site.device, ...log });
      this.#made(at, 'decode', n, `tsk_${artifact?.id.slice(4)}`);
    } else if (dice === 8) {
      const { id } = await client.call('devices_worker_run', { id: site.device, prompt: `Do work ${n}` });
      this.#made(at, 'worker', n, id);
      if (random.chance(0.5)) await this.work(site, client);
    } else await this.#cancel(random, at, client);
    if (random.chance(0.4)) site.model.answer();
  }

  async #cancel(random: Random, at: Box, client: Client): Promise<void> {
    const own = this.all.filter((one) => one.at === at && one.kind === 'agent');
    if (own.length === 0) return;
    const one = random.pick(own);
    const code = await client.call('tasks_cancel', { task_id: one.id }).then(() => 'done', codeOf);
    one.isCanceled ||= code !== 'no_active_run' && code !== 'not_found';
  }

  /**
   * The worker of the device goes on with a run that it took, also if its site lost the report, or takes the one that has waited longest. It
   * ends the run. Returns false if there is none.
   */
  async work({ device: id, name }: Site, client: Client): Promise<boolean> {
    const { data } = await client.call('devices_worker_runs', { id });
    const begun = data.find(({ run }) => run?.status === 'running');
    const task = begun ?? (await client.call('devices_worker_take', { id })).task;
    const run_id = task?.run?.id;
    if (run_id === undefined) return false;
    const message = said(name, Number(/work (\d+)/.exec(task?.prompt ?? '')?.[1]));
    await client.call('devices_worker_report', { id, run_id, status: 'completed', message });
    return true;
  }

  /** Tries to start, to cancel and to take what belongs to the other end. */
  async #meddle({ id: task_id, at: home, kind }: Made, at: Box, site: Site, client: Client): Promise<void> {
    const tries = [
      ['start', () => client.call('tasks_run', { task_id })],
      ['cancel', () => client.call('tasks_cancel', { task_id })],
      ...(at === site ? [] : [['take', () => client.call('devices_worker_take', { id: site.device })] as const]),
    ] as const;
    for (const [what, attempt] of tries) {
      const code = await attempt().then(() => 'taken', codeOf);
      if (code === 'taken') this.#wrong.push(`${at.name} could ${what} the ${kind} ${task_id} of ${home.name}`);
    }
  }

  /** True if no run of a task waits or works at an end. The decoding of live data goes on. */
  async isQuiet(client: Client): Promise<boolean> {
    const tasks = await tasksOf(client);
    return tasks.every(({ run }) => run === null || run.terminal_event_count > 0);
  }

  /** Returns what is wrong with the tasks that an end shows. */
  async wrongAt(client: Client, site: Site): Promise<string[]> {
    const wrong = [...this.#wrong];
    const known = new Map((await tasksOf(client)).map((task) => [task.id, task]));
    for (const made of this.all) {
      const task = known.get(made.id);
      if (task === undefined) wrong.push(`the ${made.kind} ${made.n} of ${made.at.name} is missing`);
      else wrong.push(...(await this.#wrongOf(client, site, made, task)));
    }
    return wrong;
  }

  async #wrongOf(client: Client, site: Site, made: Made, { run: last }: Task): Promise<string[]> {
    const { data: runs } = await client.call('tasks_runs', { task_id: made.id, limit: 200 });
    const { at, kind, n } = made;
    const what = `the ${kind} ${n} of ${at.name}`;
    const chain = chainOf(runs, last);
    const wrong: string[] = [];
    // A box with the disk of an earlier time, or of another box, replaces a run that was replaced before.
    if (made.again === 0 && chain.length !== runs.length)
      wrong.push(`${what}: ${runs.length} runs, ${chain.length} in a row`);
    if (chain.at(-1)?.retry.retry_of !== null)
      wrong.push(`${what}: run ${chain.at(-1)?.id} replaces a run that is not there`);
    for (const { id, status, error } of chain.slice(1))
      if (!DIED.has(error?.code ?? '')) wrong.push(`${what}: run ${id} is ${status} and replaced`);
    if (!isAsWanted(made, last))
      wrong.push(`${what} ended ${last?.status}: ${last?.error?.message ?? last?.output?.summary}`);
    const started = runs.filter(({ started_at }) => started_at !== null).length;
    const asked = site.model.asked.filter((one) => one === n).length;
    const isDone = kind === 'agent' && last?.status === 'completed';
    // A copy of a disk with a run that is being executed replaces this run, too.
    if (started > 1 + made.ends + made.again)
      wrong.push(`${what} was started ${started} times after ${made.ends} ends of a process and ${made.again} copies`);
    if (asked > started + made.again) wrong.push(`${what} was carried out ${asked} times in ${started} runs`);
    if (isDone && asked === 0) wrong.push(`${what} was not carried out at ${site.name}`);
    return wrong;
  }

  /** Returns the documents of tasks that another node wrote than the one that made the task. `nodeOf` gives the id of the node of a box. */
  strangers(written: readonly Written[], nodeOf: (box: Box) => string): string[] {
    const taskOf = new Map(
      written.flatMap(({ id, data: { task_id } }) => (task_id === undefined ? [] : [[id, task_id]])),
    );
    const homes = new Map(this.all.map(({ id, at }) => [id, nodeOf(at)]));
    return written.flatMap(({ object, id, origin, data }) => {
      const home = homes.get(data.task_id ?? taskOf.get(id) ?? id);
      const strange = home === undefined ? [] : [origin, data.node_id ?? home].filter((node) => node !== home);
      return strange.map((node) => `${node} wrote ${object} ${id} of a task of ${home}`);
    });
  }
}

/** The last run of a task, the one that it replaces, and so on. The times of runs do not say the order, because clocks are wrong. */
function chainOf(runs: readonly Run[], last: Run | null): Run[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const chain: Run[] = [];
  for (let run = byId.get(last?.id ?? ''); run !== undefined; run = byId.get(run.retry.retry_of ?? '')) {
    chain.push(run);
    byId.delete(run.id);
  }
  return chain;
}

/** The tasks of a project without those of live data, which never end. */
async function tasksOf(client: Client): Promise<Task[]> {
  const { data } = await client.call('tasks_list', { limit: 200 });
  return data.filter(({ kind, links }) => kind !== 'decode' || links.artifact_id !== undefined);
}

/** True if the last run of a task ended as its end carries it out. */
function isAsWanted({ at, kind, n, isCanceled }: Made, last: Run | null): boolean {
  const code = last?.error?.code ?? '';
  if (last?.status === 'canceled') return isCanceled;
  if (last?.status === 'failed') return code === PAUSED || (kind === 'worker' && OF_CLOCKS.has(code));
  if (last?.status !== 'completed') return false;
  return kind === 'setup' || kind === 'decode' || last.output?.summary === said(at.name, n);
}
