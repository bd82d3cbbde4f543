/** Setups from files with long lists: each list of the plan has a limit, and a gap says what is beyond it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAN_LIMITS } from '#contract/base/names.ts';
import { SetupPlan } from '#contract/site/setup-plan.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const planOf = (rig: Rig, lines: readonly string[], name = 'site.csv') =>
  rig.call('projects_setup_plan', {
    project_id: rig.project,
    prompt: '',
    files: [{ name, content_base64: Buffer.from(lines.join('\n')).toString('base64') }],
  });
/** Names without digits: `Ana Aaab`. */
const person = (i: number): string =>
  `Ana ${[...i.toString(26).padStart(4, '0')].map((digit, at) => String.fromCharCode((at === 0 ? 65 : 97) + Number.parseInt(digit, 26))).join('')}`;

test('[PL49] a crew of 51 people, and 51 rows below one heading, are planned with 50 citations and a gap', async () => {
  await using rig = await openRig();
  const people = Array.from({ length: 51 }, (_, i) => `${person(i)};Operator;A`);
  const crew = await planOf(rig, ['Harrow Hill Quarry. North Pit.', '', 'Name;Role;Crew', ...people]);
  assert.equal(crew.operators.length, 51);
  assert.equal(crew.crews[0]?.from.length, 50);
  const cut = crew.gaps.find(({ code }) => code === 'citations_cut');
  assert.match(cut?.message ?? '', /only the first 50 places of the text for: A \(51\)\./);
  const rows = Array.from({ length: 51 }, (_, i) => `HT-${i + 1};haul truck;Cat`);
  const sold = await planOf(rig, ['Unit;Type;Make', 'EX-1;excavator;Cat', 'Sold;;', ...rows]);
  const gap = sold.gaps.find(({ code }) => code === 'unconfirmed_machines');
  assert.equal(gap?.from.length, 50);
  assert.match(gap?.message ?? '', /The first 50 of 51 places of the text are cited\./);
  assert.equal(gap?.proposal?.equipment?.length, 51);
});

test('[PL49] people, places and sentences beyond the limit of their list are a gap with their number', async () => {
  await using rig = await openRig();
  const names = Array.from({ length: 2_001 }, (_, i) => `${person(i)};Operator;A`);
  const people = await planOf(rig, ['Harrow Hill Quarry. North Pit.', '', 'Name;Role;Crew', ...names]);
  assert.equal(people.operators.length, PLAN_LIMITS.operators);
  const places = Array.from({ length: 1_001 }, (_, i) => `HT-${i + 1};haul truck;Zone ${i + 1}`);
  const zones = await planOf(rig, ['Unit;Type;Location', ...places]);
  assert.equal(zones.locations.length, PLAN_LIMITS.locations);
  const left = [people, zones].map(({ gaps }) => gaps.find(({ code }) => code === 'list_too_long')?.message ?? '');
  assert.match(left[0] ?? '', /has 2001 operators. A plan has at most 2000, so the last 1 were left out, from "Ana /);
  assert.match(left[1] ?? '', /has 1001 locations.*from "Zone 1001" to "Zone 1001"/);
  const { gaps: _, not_read: __, ...plan } = zones;
  assert.ok(SetupPlan.safeParse(plan).success, 'the plan can be sent back');
  const prose = await planOf(
    rig,
    [
      'HT-1 is a Cat 777G haul truck in North Pit.',
      ...Array.from({ length: 120 }, (_, i) => `Zorgle ${person(i)} blimp.`),
    ],
    'site.txt',
  );
  assert.equal(prose.not_read.length, 100);
  assert.match(
    prose.gaps.find(({ code }) => code === 'list_too_long')?.message ?? '',
    /Nothing was read of 120 sentences or rows. The last 20 are not listed\./,
  );
});

test('[Q38] a text of exactly the limit is read completely, or a gap says where its reading ended', async () => {
  const lines = Array.from({ length: 9_500 }, () => 'a line of1');
  const read = (count: number) =>
    createSiteReader().join('', [{ name: 'long.txt', content: Buffer.from(lines.slice(0, count).join('\n')) }]);
  const whole = await read(9_091);
  assert.deepEqual([whole.text.length, whole.gaps], [100_000, []]);
  const { text, gaps } = await read(9_500);
  assert.equal(text.split('\n').length, 9_091);
  assert.match(gaps[0]?.message ?? '', /was read up to line 9091\./);
});
