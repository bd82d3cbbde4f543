/**
 * `npm run sim:controls`: runs each deliberate bug until the simulator finds it, and prints the table. `... controls.ts 3` runs the third. With
 * `--sqlite` each node is a real SQLite file.
 */
import { parseArgs } from 'node:util';
import { CONTROLS } from './bugs.ts';
import { COURIER_BUGS } from './courier-bugs.ts';
import { runHistory, runOnSqlite } from './history.ts';

const { values, positionals } = parseArgs({ options: { sqlite: { type: 'boolean' } }, allowPositionals: true });
const [only] = positionals.map(Number);
const run = values.sqlite === true ? runOnSqlite : runHistory;
let missed = 0;
const all = [...CONTROLS, ...COURIER_BUGS.map((control) => ({ ...control, couriers: true }))];
for (const [i, control] of all.entries()) {
  const { name, within, bug, directed } = control;
  const options = { couriers: 'couriers' in control };
  if (only !== undefined && only !== i + 1) continue;
  let found = 'not found';
  for (let seed = 1; seed <= within; seed++) {
    const violation = directed === undefined ? (await run(seed, 140, bug, options)).violation : directed(bug);
    if (violation === undefined) continue;
    // What the history without the bug says, too, is not found.
    if (directed === undefined && (await run(seed, 140, {}, options)).violation === violation) continue;
    if (violation.startsWith('the simulator itself')) throw new Error(violation);
    found = `seed ${seed}: ${violation.slice(0, 150)}`;
    break;
  }
  if (found === 'not found') missed++;
  process.stdout.write(`${i + 1}. ${name}: ${found}\n`);
}
process.stdout.write(`${missed} of ${all.length} not found\n`);
process.exitCode = missed === 0 ? 0 : 1;
