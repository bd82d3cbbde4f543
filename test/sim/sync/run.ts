/**
 * `npm run sim:sync`: many histories of the sync protocol. `node test/sim/sync/run.ts 1-10000 140`; one seed replays one history. With
 * `--sqlite` each node is a real SQLite file: `node test/sim/sync/run.ts --sqlite 1-200`. With `--couriers` bundles are ten times as often.
 */
import { parseArgs } from 'node:util';
import { runHistory, runOnSqlite } from './history.ts';

const { values, positionals } = parseArgs({
  options: { sqlite: { type: 'boolean' }, couriers: { type: 'boolean' } },
  allowPositionals: true,
});
const [seeds = '1-1000', steps = '140'] = positionals;
const [from = 1, to = from] = seeds.split('-').map(Number);
const total: Record<string, number> = {};
let failed = 0;
const started = process.cpuUsage();
for (let seed = from; seed <= to; seed++) {
  const run = values.sqlite === true ? runOnSqlite : runHistory;
  const { violation, counts } = await run(seed, Number(steps), {}, { couriers: values.couriers === true });
  for (const [name, value] of Object.entries({ ...counts, ...counts.verdicts }))
    if (typeof value === 'number') total[name] = (total[name] ?? 0) + value;
  if (violation === undefined) continue;
  failed++;
  process.stdout.write(`seed ${seed}: ${violation}\n`);
  if (failed >= 20) break;
}
const { user, system } = process.cpuUsage(started);
const ms = (user + system) / 1_000;
process.stdout.write(`${JSON.stringify(total)}\n`);
process.stdout.write(
  `seeds ${from} to ${to}, ${steps} steps: ${failed} failed, ${(ms / (to - from + 1)).toFixed(1)} ms of processor time each\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
