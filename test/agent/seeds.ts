/**
 * Runs of the agent against a model server with random faults. The plan of each seed says what the server answers, and which end, code and
 * writes follow from it.
 */
import assert from 'node:assert/strict';
import { argv } from 'node:process';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { ModelRequest, Scripted } from '#test/support/model-server.ts';
import { randomOf } from '#test/support/random-of.ts';
import { until } from '#test/support/until.ts';
import { isOver, openAgent } from './rig.ts';

interface Plan {
  readonly answers: readonly Scripted[];
  readonly ends: RunErrorCode | 'completed';
  /** Unit numbers that the run makes. */
  readonly writes: readonly string[];
}

/** Faults after which the request is sent again, with the code of the run if three of them follow each other. */
const PASSING: readonly (readonly [Scripted, RunErrorCode])[] = [
  [{ status: 500 }, 'provider_transient'],
  [{ status: 503 }, 'provider_transient'],
  [{ status: 429, retryAfter: 1 }, 'provider_rate_limited'],
  [{ never: 'cut' }, 'provider_transient'],
  [{ text: 'Half an ans', after: 'cut' }, 'stream_transport_failed'],
];
const LASTING: readonly (readonly [Scripted, RunErrorCode])[] = [
  [{ status: 400 }, 'provider_terminal'],
  [{ status: 401 }, 'provider_auth_failed'],
  [{ status: 404 }, 'model_not_available'],
  [{ status: 429, retryAfter: 600 }, 'provider_rate_limited'],
  [{ refusal: 'I will not.' }, 'provider_terminal'],
  [{ raw: 'data: {"choices": [{]\n\n' }, 'payload_contract_violation'],
];
const STALLS: readonly (readonly [Scripted, RunErrorCode])[] = [
  [{ text: 'Half', after: 'silence' }, 'run_liveness_timeout'],
  [{ never: 'silence' }, 'instruction_timeout'],
];
const MOST_TURNS = 20;

/** Makes the plan of a seed. */
function planOf(seed: number, stalls: boolean): Plan {
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const loops = random() < 0.02;
  const answers: Scripted[] = [];
  const writes: string[] = [];
  let passing = 0;
  let unusable = 0;
  let denials = 0;
  const done = (ends: Plan['ends']): Plan => ({ answers, ends, writes });
  for (let turns = 0; turns < MOST_TURNS; ) {
    const dice = loops ? 0.5 : random();
    if (dice < 0.25) {
      const [answer, code] = pick(PASSING);
      answers.push(answer);
      if (++passing === 3) return done(code);
      continue;
    }
    passing = 0;
    turns++;
    if (dice < 0.3) {
      const [answer, code] = pick(stalls && random() < 0.2 ? STALLS : LASTING);
      answers.push(answer);
      return done(code);
    }
    if (dice < 0.55) {
      answers.push({ calls: [{ name: 'equipment_list', input: { limit: 1 } }] });
      unusable = 0;
    } else if (dice < 0.7) {
      const unit = `S${seed}-${writes.length}`;
      writes.push(unit);
      answers.push({ text: 'I make one.', calls: [{ name: 'equipment_create', input: { unit_number: unit } }] });
      unusable = 0;
    } else if (dice < 0.76) {
      answers.push(random() < 0.5 ? { text: '' } : { calls: [{ name: 'equipment_list', input: '{"limit": ' }] });
      if (++unusable === 3) return done('payload_contract_violation');
    } else if (dice < 0.82) {
      answers.push({ calls: [{ name: 'keys_revoke', input: { id: 'key_1' } }] });
      unusable = 0;
      if (++denials === 3) return done('missing_expected_tool');
    } else {
      answers.push({ reasoning: random() < 0.5 ? 'I know it.' : '', text: `Seed ${seed} is done.` });
      return done('completed');
    }
  }
  return done('run_continuation_limit');
}

const seedOf = ({ messages }: ModelRequest): number =>
  Number(/Seed (\d+)/.exec(String(messages.find(({ role }) => role === 'user')?.content))?.[1]);

/** Carries out the runs of these seeds and checks each of them. Returns how often each end occurred. */
export async function runSeeds(
  seeds: readonly number[],
  { secondMs, stalls }: { readonly secondMs: number; readonly stalls: boolean },
): Promise<Map<string, number>> {
  const asked = new Map<number, number>();
  const ends = new Map<string, number>();
  const plans = new Map(seeds.map((seed) => [seed, planOf(seed, stalls)]));
  await using site = await openAgent(
    (request) => {
      const seed = seedOf(request);
      const n = asked.get(seed) ?? 0;
      asked.set(seed, n + 1);
      const answer = plans.get(seed)?.answers[n];
      assert.ok(answer, `seed ${seed} asks ${n + 1} times`);
      return answer;
    },
    { secondMs },
  );
  const { rig } = site;
  const tasks = new Map<number, string>();
  for (const seed of seeds) tasks.set(seed, (await rig.call('tasks_create', { prompt: `Seed ${seed}` })).id);
  for (const [seed, task_id] of tasks) {
    await until(async () => isOver((await rig.call('tasks_get', { task_id })).run), `the end of seed ${seed}`);
    const { run } = await rig.call('tasks_get', { task_id });
    const plan = plans.get(seed) as Plan;
    const end = run?.status === 'completed' ? 'completed' : (run?.error?.code ?? String(run?.status));
    assert.equal(end, plan.ends, `seed ${seed}: ${run?.error?.message}`);
    assert.equal(asked.get(seed), plan.answers.length, `seed ${seed}: number of requests`);
    const messages = await site.transcript(task_id);
    const of = (kind: string) => messages.filter((one) => one.kind === kind).map(({ tool }) => tool?.call_id);
    assert.deepEqual(of('tool_result').toSorted(), of('tool_call').toSorted(), `seed ${seed}: results`);
    assert.equal(of('reasoning').length, of('reasoning_end').length, `seed ${seed}: reasoning`);
    assert.equal(
      messages.filter(({ final }) => final).length,
      end === 'completed' ? 1 : 0,
      `seed ${seed}: final message`,
    );
    const made = (await rig.call('equipment_list', { q: `S${seed}-`, limit: 200 })).data.map(
      ({ unit_number }) => unit_number,
    );
    assert.deepEqual(made.toSorted(), plan.writes.toSorted(), `seed ${seed}: writes`);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return ends;
}

if (import.meta.main) {
  const [from = 1, count = 1_000] = argv.slice(2).map(Number);
  const began = performance.now();
  const ends = await runSeeds(
    Array.from({ length: count }, (_, i) => from + i),
    { secondMs: 20, stalls: true },
  );
  console.log(`${count} runs ended as planned in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  for (const [end, n] of [...ends].sort(([, a], [, b]) => b - a)) console.log(`${String(n).padStart(6)}  ${end}`);
}
