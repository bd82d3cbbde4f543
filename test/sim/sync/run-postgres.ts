/**
 * Histories of the sync protocol with head office on PostgreSQL and the sites on SQLite, as `run.ts` runs them in memory:
 * `node --allow-natives-syntax test/sim/sync/run-postgres.ts 1-200 [140]`. In every fourth history a proxy fails statements and cuts
 * connections at COMMIT. One seed replays one history.
 */
import { startPostgres } from '#test/support/postgres.ts';
import { type Outcome, runHistory } from './history.ts';
import { PostgresBase, PostgresTwin } from './postgres-twin.ts';
import { SqliteFiles } from './sqlite-twin.ts';
import type { MakeTwin } from './world.ts';

/** Runs a history with head office in PostgreSQL. Call it outside of a promise, because it settles promises itself. */
function runOnPostgres(seed: number, steps: number, base: PostgresBase, files: SqliteFiles): Outcome {
  try {
    const make: MakeTwin = (id, token, world) =>
      id === 'cloud' ? new PostgresTwin(base, world, id, token) : files.make(id, token);
    return runHistory(seed, steps, {}, { make });
  } finally {
    base.clear();
  }
}

const [seeds = '1-200', steps = '140'] = process.argv.slice(2);
const [from = 1, to = from] = seeds.split('-').map(Number);
await using server = await startPostgres();
const quiet = await PostgresBase.open(server);
const harmed = await PostgresBase.open(server, { seed: from });
const total: Record<string, number> = {};
let failed = 0;
const started = performance.now();
for (let seed = from; seed <= to; seed++) {
  await using files = new SqliteFiles();
  const { violation, counts } = await new Promise<Outcome>((resolve) => {
    setImmediate(() => resolve(runOnPostgres(seed, Number(steps), seed % 4 === 0 ? harmed : quiet, files)));
  });
  for (const [name, value] of Object.entries({ ...counts, ...counts.verdicts }))
    if (typeof value === 'number') total[name] = (total[name] ?? 0) + value;
  if (violation === undefined) continue;
  failed++;
  process.stdout.write(`seed ${seed}: ${violation}\n`);
  if (failed >= 10) break;
}
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify(total)}\n`);
process.stdout.write(
  `seeds ${from} to ${to}, ${steps} steps: ${failed} failed, ${(seconds / (to - from + 1)).toFixed(1)} s each\n`,
);
await quiet.close();
await harmed.close();
process.exitCode = failed === 0 ? 0 : 1;
