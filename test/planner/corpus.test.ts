/** The corpus is sound: each file fits its form, each citation stands in its text, and a right plan gets full marks. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { unmet } from './figures.ts';
import { LANGUAGES, MACHINE_KINDS, Plan } from './format.ts';
import { perfectPlan } from './perfect-plan.ts';
import { CORPUS, caseFaults, readCases, readHostile } from './read-corpus.ts';
import { hostileFaults, scorePlan } from './score.ts';

const BUILD = readCases(join(CORPUS, 'build'));
const FRESH = readCases(join(CORPUS, 'fresh'));
const FRESH2 = readCases(join(CORPUS, 'fresh2'));
const FRESH3 = readCases(join(CORPUS, 'fresh3'));
const HOSTILE = readHostile();
const PER_LANGUAGE = 12;
const MIN_HOSTILE = 20;

test('there are twelve descriptions for each language, and each text has its expected objects', () => {
  for (const language of LANGUAGES)
    assert.equal(BUILD.filter(({ expected }) => expected.language === language).length, PER_LANGUAGE, language);
  for (const { name, expected } of [...BUILD, ...HOSTILE]) assert.equal(name.split('-')[1], expected.language, name);
  for (const folder of ['build', 'hostile']) {
    const files = readdirSync(join(CORPUS, folder));
    for (const file of files.filter((one) => one.endsWith('.txt')))
      assert.ok(files.includes(file.replace(/txt$/, 'json')), file);
  }
});

test('all cited words stand in their text, and all names that an object uses are expected', () => {
  for (const one of [...BUILD, ...FRESH, ...FRESH2, ...FRESH3, ...HOSTILE])
    assert.deepEqual(caseFaults(one), [], one.name);
});

test('a case with a wrong citation, an unknown place or a number twice is refused', () => {
  const [one] = BUILD;
  assert.ok(one !== undefined);
  const [machine] = one.expected.equipment;
  assert.ok(machine !== undefined);
  const twice = { ...machine, location: 'Nowhere', from: ['no such words'], implied: ['year'] };
  const faults = caseFaults({ ...one, expected: { ...one.expected, equipment: [machine, twice] } });
  for (const fault of ['these words are not in the text: no such words', 'location Nowhere is not expected anywhere'])
    assert.ok(faults.includes(fault), fault);
  assert.ok(faults.includes(`unit ${machine.units?.[0]} is expected twice`));
  assert.ok(faults.includes('year is implied and has no value'));
});

test('the right plan for each description has nothing to report, and an empty plan fails', () => {
  const right = BUILD.map(({ expected, text }) => scorePlan(expected, perfectPlan(expected), text));
  for (const [i, { report }] of right.entries()) assert.deepEqual(report, [], BUILD[i]?.name);
  assert.deepEqual(unmet(right), []);
  assert.notDeepEqual(unmet(BUILD.map(({ expected, text }) => scorePlan(expected, Plan.parse({}), text))), []);
});

test('the right end of each hostile text has no fault, and the other end has one', () => {
  assert.ok(HOSTILE.length >= MIN_HOSTILE);
  for (const { name, expected, text } of HOSTILE) {
    const [reason] = expected.reasons ?? [];
    const made = perfectPlan(expected);
    const failed = Plan.parse({ failure: { reason: reason ?? 'nothing_readable', remedy: 'Describe the site.' } });
    const isMade = expected.ends === 'part';
    assert.deepEqual(hostileFaults(expected, isMade ? made : failed, text), [], name);
    if (expected.ends !== 'any') assert.notDeepEqual(hostileFaults(expected, isMade ? failed : made, text), [], name);
  }
});

test('a text that is made by a rule has the bytes that the rule says', () => {
  const made = HOSTILE.filter(({ expected }) => expected.make !== undefined);
  assert.ok(made.length > 0);
  for (const { expected, text } of made) assert.equal(Buffer.byteLength(text), expected.make?.bytes);
});

test('the table of kinds in SPEC.md is the table of the code', () => {
  const spec = readFileSync(join(CORPUS, 'SPEC.md'), 'utf8');
  const rows = [...spec.matchAll(/^\| `([a-z_]+)` \| ([A-Z]{2}) \|/gm)].map(([, kind, prefix]) => [kind, prefix]);
  assert.deepEqual(Object.fromEntries(rows), MACHINE_KINDS);
});

test('the sealed descriptions are there and not in readable form', () => {
  assert.match(readFileSync(join(CORPUS, 'judge.sha256'), 'utf8'), /^[0-9a-f]{64} {2}judge\.tar\n$/);
  const sealed = readFileSync(join(CORPUS, 'judge.sealed'));
  assert.ok(sealed.length > 0 && !sealed.includes('judge/'));
  if (!existsSync(join(CORPUS, 'judge.key'))) assert.ok(!existsSync(join(CORPUS, 'judge')));
});
