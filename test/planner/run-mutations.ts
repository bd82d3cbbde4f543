/** Runs many mutations of the descriptions: `npm run planner:mutations -- COUNT SEED`. Prints each fault with its seed and its text. */
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { tryMutation } from './mutations.ts';
import { CORPUS, readCases } from './read-corpus.ts';

const SHOWN = 5;
const count = Number(argv[2] ?? 10_000);
const first = Number(argv[3] ?? 1);
const cases = ['build', 'fresh', 'fresh2', 'fresh3'].flatMap((folder) => readCases(join(CORPUS, folder)));
let failed = 0;
for (let seed = first; seed < first + count; seed++) {
  const fault = tryMutation(cases, seed);
  if (fault === null) continue;
  failed++;
  const { name, faults, text } = fault;
  console.log(`seed ${seed}, ${name}: ${faults.join('; ')}`);
  if (failed <= SHOWN) console.log(text.replaceAll(/^/gm, '    '));
}
console.log(`${count} texts from seed ${first}: ${failed} with a machine that is not there`);
exit(failed === 0 ? 0 : 1);
