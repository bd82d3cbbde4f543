/** `node test/sim/run.ts [SEEDS] [FROM]`: so many seeds on all processors; `node test/sim/run.ts --watch SEED`: one, told step by step. */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { type Outcome, simulate } from './sim.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Totals {
  seeds: number;
  virtual_ms: number;
  steps: number;
  answered: number;
  restarts: number;
  checks: number;
  failed: number;
}

const NUMBERS = ['virtual_ms', 'steps', 'answered', 'restarts', 'checks'] as const;

function add(totals: Totals, outcome: Outcome): void {
  totals.seeds++;
  for (const key of NUMBERS) totals[key] += outcome[key];
  if (outcome.violation === undefined) return;
  totals.failed++;
  say(`seed ${outcome.seed} (${outcome.mode}) ${outcome.violation}\n  node test/sim/run.ts --watch ${outcome.seed}`);
}

/** A child does every n-th seed and tells each. */
async function work(first: number, end: number, step: number): Promise<void> {
  for (let seed = first; seed < end; seed += step) process.send?.(await simulate(seed));
  process.disconnect?.();
}

async function all(seeds: number, from: number): Promise<void> {
  const began = performance.now();
  const totals: Totals = { seeds: 0, virtual_ms: 0, steps: 0, answered: 0, restarts: 0, checks: 0, failed: 0 };
  const children = Math.min(seeds, availableParallelism());
  await Promise.all(
    Array.from({ length: children }, async (_, i) => {
      const child = fork(import.meta.filename, ['--work', String(from + i), String(from + seeds), String(children)]);
      child.on('message', (outcome: Outcome) => {
        add(totals, outcome);
        if (totals.seeds % 1000 === 0) say(`${totals.seeds} seeds, ${totals.failed} failed`);
      });
      const code = await new Promise<number | null>((done) => child.on('exit', done));
      if (code !== 0) throw new Error(`a child ended with ${code}`);
    }),
  );
  const real_s = (performance.now() - began) / 1000;
  const days = totals.virtual_ms / 86_400_000;
  say(
    `${totals.seeds} seeds from ${from}: ${totals.failed} failed. ${totals.answered} messages answered, ${totals.restarts} restarts, ` +
      `${totals.checks} comparisons, ${totals.steps} steps, ${days.toFixed(0)} days of virtual time in ${real_s.toFixed(0)} s ` +
      `(${(totals.virtual_ms / 1000 / real_s).toFixed(0)} virtual seconds per second).`,
  );
  if (totals.failed > 0 || totals.seeds < seeds) process.exitCode = 1;
}

const [first = '20000', second = '1', third, fourth] = process.argv.slice(2);
if (first === '--work') await work(Number(second), Number(third), Number(fourth));
else if (first === '--watch') {
  const outcome = await simulate(Number(second), { watch: (line) => process.stdout.write(line) });
  say(JSON.stringify(outcome, null, 2));
  if (outcome.violation !== undefined) process.exitCode = 1;
} else await all(Number(first), Number(second));
