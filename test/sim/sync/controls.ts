/**
 * `npm run sim:controls`: runs each deliberate bug until the simulator finds it, and prints the table. `... controls.ts 3` runs the third. With
 * `--sqlite` each node is a real SQLite file.
 */
import { parseArgs } from 'node:util';
import { CONTROLS } from './bugs.ts';
import { runHistory, runOnSqlite } from './history.ts';

const { values, positionals } = parseArgs({ options: { sqlite: { type: 'boolean' } }, allowPositionals: true });
const [only] = positionals.map(Number);
const run = values.sqlite === true ? runOnSqlite : runHistory;
let missed = 0;
for (const [i, { name, within, bug, directed }] of CONTROLS.entries()) {
  if (only !== undefined && only !== i + 1) continue;
  let found = 'not found';
  for (let seed = 1; seed <= within; seed++) {
    const violation = directed === undefined ? (await run(seed, 140, bug)).violation : directed(bug);
    if (violation === undefined) continue;
    if (violation.startsWith('the simulator itself')) throw new Error(violation);
    found = `seed ${seed}: ${violation.slice(0, 150)}`;
    break;
  }
  if (found === 'not found') missed++;
  process.stdout.write(`${i + 1}. ${name}: ${found}\n`);
}
process.stdout.write(`${missed} of ${CONTROLS.length} not found\n`);
process.exitCode = missed === 0 ? 0 : 1;
