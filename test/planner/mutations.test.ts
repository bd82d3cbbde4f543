/** Descriptions changed at random: what is certain is still there. `npm run planner:mutations` runs 10,000. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { env } from 'node:process';
import { test } from 'node:test';
import { planSite } from '#domain/planner/plan.ts';
import { BEGINNINGS, DISTRACTORS, MACHINES } from './distractors.ts';
import { LANGUAGES } from './format.ts';
import { tryMutation } from './mutations.ts';
import { CORPUS, readCases } from './read-corpus.ts';
import { LISTS, SITES, TRAPS } from './traps.ts';

const SEEDS = 400;
const first = Number(env.TEST_SEED ?? 1);

test('[PL25] no mutation of a description makes a machine certain that is not there', () => {
  const cases = ['build', 'fresh', 'fresh2', 'fresh3'].flatMap((folder) => readCases(join(CORPUS, folder)));
  for (let seed = first; seed < first + SEEDS; seed++) {
    const fault = tryMutation(cases, seed);
    assert.equal(fault, null, `TEST_SEED=${seed}: ${fault?.name} ${fault?.faults.join('; ')}\n${fault?.text}`);
  }
});

test('[PL25] no sentence about machines that are not there makes one of them certain', () => {
  const site: Record<string, string> = {
    en: 'Harrow Quarry has a haul truck HT-01.',
    es: 'La Cantera Harrow tiene un camión minero HT-01.',
    pt: 'A Pedreira Harrow tem um caminhão fora de estrada HT-01.',
    fr: 'La carrière Harrow a un tombereau rigide HT-01.',
    de: 'Der Steinbruch Harrow hat einen Muldenkipper HT-01.',
  };
  for (const language of LANGUAGES)
    for (const template of [
      ...DISTRACTORS[language],
      ...BEGINNINGS[language].flatMap((words) => [`${words} {N}.`, `${words} {M}.`]),
    ])
      for (const M of MACHINES[language].M)
        for (const N of MACHINES[language].N) {
          const text = `${site[language]} ${template.replace('{M}', M).replace('{N}', N).replace('{W}', 'brovikgus')}`;
          const units = planSite(text).equipment.map(({ unit_number }) => unit_number);
          assert.deepEqual(
            units.filter((unit) => unit !== 'HT-01'),
            [],
            text,
          );
        }
});

test('[PL29] [PL30] sentences about parts, people, orders and other sites, and lists of sold machines, make nothing', () => {
  const others = (text: string, own: RegExp) =>
    planSite(text)
      .equipment.map(({ unit_number }) => unit_number)
      .filter((unit) => !own.test(unit));
  for (const language of LANGUAGES)
    for (const trap of TRAPS[language]) assert.deepEqual(others(`${SITES[language]}${trap}`, /^HT-0[12]$/), [], trap);
  for (const list of LISTS) assert.deepEqual(others(list, /^HT-01$/), [], list);
});
