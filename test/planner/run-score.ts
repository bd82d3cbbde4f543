/**
 * Scores the planner on folders of descriptions: `npm run planner:score -- FOLDER...`; without a folder, on the corpus. `--report` also prints
 * each object that is wrong or missed, with the proposals of its text.
 */
import { join } from 'node:path';
import { argv } from 'node:process';
import { planSite } from '#domain/planner/plan.ts';
import { figuresOf, table } from './figures.ts';
import { certainPlan, tickedPlan } from './made-plan.ts';
import { CORPUS, readCases } from './read-corpus.ts';
import { scorePlan } from './score.ts';

const given = argv.slice(2).filter((one) => !one.startsWith('--'));
const folders = given.length > 0 ? given : ['build', 'fresh', 'fresh2', 'fresh3'].map((folder) => join(CORPUS, folder));
const cases = folders.flatMap((folder) => readCases(folder));
const certain = cases.map(({ text, expected }) => scorePlan(expected, certainPlan(text), text));
const ticked = cases.map(({ text, expected }) => scorePlan(expected, tickedPlan(text), text));
const invented = certain.reduce((sum, one) => sum + one.invented_machines, 0);
const made = figuresOf(certain, undefined, ['equipment']).counts.objects;
if (argv.includes('--report'))
  for (const [i, { name, text }] of cases.entries()) {
    console.log(`== ${name}\n${certain[i]?.report.map((line) => `  ${line}`).join('\n')}`);
    for (const { message, proposal, from } of planSite(text).gaps)
      if (proposal !== undefined) console.log(`  proposed: ${message} [${from.join(' / ').replaceAll(/\s+/g, ' ')}]`);
  }
console.log(`${cases.length} descriptions\n\nmade at once:\n${table(certain)}\n`);
console.log(`${invented} of ${made.right + made.wrong} machines that are made are not in the text\n`);
console.log(`with all proposals:\n${table(ticked)}`);
