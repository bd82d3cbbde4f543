/** `npm run sim:controls`: runs each deliberate bug until the simulator finds it, and prints the table. `... controls.ts 3` runs the third. */
import { CONTROLS } from './bugs.ts';
import { runHistory } from './history.ts';

const [only] = process.argv.slice(2).map(Number);
let missed = 0;
for (const [i, { name, within, bug, directed }] of CONTROLS.entries()) {
  if (only !== undefined && only !== i + 1) continue;
  let found = 'not found';
  for (let seed = 1; seed <= within; seed++) {
    const violation = directed === undefined ? runHistory(seed, 140, bug).violation : directed(bug);
    if (violation === undefined) continue;
    found = `seed ${seed}: ${violation.slice(0, 150)}`;
    break;
  }
  if (found === 'not found') missed++;
  process.stdout.write(`${i + 1}. ${name}: ${found}\n`);
}
process.stdout.write(`${missed} of ${CONTROLS.length} not found\n`);
process.exitCode = missed === 0 ? 0 : 1;
