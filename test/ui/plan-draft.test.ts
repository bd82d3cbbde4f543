/** The plan of a setup while a person corrects it: its objects name each other by keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetupPlan } from '#contract/site/setup-plan.ts';
import { planSite } from '#domain/planner/plan.ts';
import { planAnswer } from '#domain/setup/plan-answer.ts';
import { setupParts } from '#domain/setup/setup-parts.ts';
import {
  countOf,
  type DraftPlan,
  draftOf,
  keysOf,
  type ListName,
  openIn,
  type Row,
  withAdded,
  withChanges,
  withTicks,
} from '#ui/office/setup/plan-draft.ts';
import {
  machineNote,
  machineOptions,
  parentOptions,
  placeOptions,
  refNote,
  shownName,
} from '#ui/office/setup/plan-refs.ts';
import { planOf } from '#ui/office/setup/plan-sent.ts';

const draftOfText = (text: string): DraftPlan => {
  const answer = planAnswer(planSite(text), { text, places: [], gaps: [] });
  return draftOf({ object: 'setup_plan', project_id: 'prj_1', ...answer });
};

/** The planner is not certain of the loader and the dozer, and proposes them. */
const DOUBTFUL =
  'Trucks HT-01 to HT-03 are Cat 777G haul trucks. Wheel loader LD-1 was here last year, and dozer DZ-1 was, too. We sold LD-9. No night shift.';

const SITE = `Harrow Hill Quarry. Two pits, North Pit and East Pit.
HT-01 and HT-02 are Cat 777G haul trucks in North Pit. EX-01 is a Komatsu PC1250 excavator in East Pit.
Day shift 06:00 to 18:00, night shift 18:00 to 06:00. Crew A works day shift, crew B works night shift.
Operators: Ana Ruiz (EX-01), Tom Field (HT-01). Mechanic: Lena Moss.
Screens:
- canteen: open repair tickets`;

/** The site with a screen in one of its places, too. */
const site = (): DraftPlan => {
  const { read } = draftOfText(SITE);
  const board = { place: 'North Pit', shows: ['status' as const], from: [], at: null };
  return draftOf({ ...read, boards: [board, ...read.boards] });
};

const rowOf = <L extends ListName>(draft: DraftPlan, list: L, is: (row: Row<L>) => boolean): Row<L> => {
  const row = draft.groups.flatMap(({ lists }): readonly Row<L>[] => lists[list]).find(is);
  assert.ok(row !== undefined, `a row of ${list}`);
  return row;
};
const machine = (draft: DraftPlan, unit: string) =>
  rowOf(draft, 'equipment', ({ unit_number }) => unit_number === unit);
const place = (draft: DraftPlan, wanted: string) => rowOf(draft, 'locations', ({ name }) => name === wanted);
const shift = (draft: DraftPlan, wanted: string) => rowOf(draft, 'shifts', ({ name }) => name === wanted);

const placesOfMachines = (draft: DraftPlan) =>
  Object.fromEntries(planOf(draft).equipment.map(({ unit_number, location }) => [unit_number, location]));

test('[A983] a proposal that nobody ticks is a gap of the plan that is sent; a ticked one is an object', () => {
  const draft = draftOfText(DOUBTFUL);
  const [, proposal] = draft.groups;
  assert.ok(proposal !== undefined && proposal.gap !== null);
  const { gap } = proposal;
  const open = planOf(draft);
  assert.ok(open.gaps.some(({ code, from }) => code === gap.code && from[0] === gap.from[0]));
  assert.equal(open.gaps.length, draft.gaps.length + draft.groups.length - 1);
  const keys = keysOf(proposal);
  const ticked = withTicks(draft, keys, true);
  const confirmed = planOf(ticked);
  assert.equal(confirmed.equipment.length, open.equipment.length + proposal.lists.equipment.length);
  assert.equal(confirmed.gaps.length, open.gaps.length - 1);
  assert.deepEqual([countOf(ticked), openIn(ticked)], [countOf(draft) + keys.length, openIn(draft) - keys.length]);
});

test('[A983] a person may leave out a fact that the setup would remember', () => {
  const draft = draftOfText(DOUBTFUL);
  const facts = (one: DraftPlan) => planOf(one).facts.map(({ fact }) => fact);
  assert.deepEqual(facts(draft), ['LD-9 is gone from the site.', 'Nobody works at night.']);
  const { key } = rowOf(draft, 'facts', ({ fact }) => fact.startsWith('LD-9'));
  assert.deepEqual(facts(withTicks(draft, [key], false)), ['Nobody works at night.']);
});

test('[A972] the operator of a machine follows its number when a person corrects it', () => {
  const draft = draftOfText(
    'Trucks HT-01 and HT-02 are Cat 777G haul trucks. Operators: Ana Ruiz HT-01, Tom Field HT-02.',
  );
  const { key } = machine(draft, 'HT-01');
  assert.deepEqual(
    planOf(withChanges(draft, 'equipment', key, { unit_number: 'T-1' })).operators.map((one) => [
      one.name,
      one.machine,
    ]),
    [
      ['Ana Ruiz', 'T-1'],
      ['Tom Field', 'HT-02'],
    ],
  );
});

test('[U436] a plan that nobody changes is sent as it was read', () => {
  for (const draft of [site(), draftOfText(DOUBTFUL)]) {
    const { gaps: _, ...sent } = planOf(draft);
    for (const [list, objects] of Object.entries(sent))
      assert.deepEqual(objects, draft.read[list as keyof typeof sent], list);
    assert.equal(SetupPlan.safeParse(planOf(draft)).success, true);
  }
});

test('[U437] a renamed place takes along its machines, its parts and its screens', () => {
  let draft = site();
  const north = place(draft, 'North Pit');
  const { key: east } = place(draft, 'East Pit');
  draft = withChanges(draft, 'locations', east, { parent: { key: north.key } });
  draft = withChanges(draft, 'locations', north.key, { name: ' Pit 1 ' });
  const sent = planOf(draft);
  assert.deepEqual(placesOfMachines(draft), { 'HT-01': 'Pit 1', 'HT-02': 'Pit 1', 'EX-01': 'East Pit' });
  assert.equal(sent.locations.find(({ name }) => name === 'East Pit')?.parent, 'Pit 1');
  assert.deepEqual(
    sent.boards.map((one) => one.place),
    ['Pit 1', 'canteen'],
  );
});

test('[U437] two places and two machines that swap their names keep what belongs to them', () => {
  let draft = site();
  const [north, east] = [place(draft, 'North Pit').key, place(draft, 'East Pit').key];
  const [truck, digger] = [machine(draft, 'HT-01').key, machine(draft, 'EX-01').key];
  draft = withChanges(draft, 'locations', north, { name: 'East Pit' });
  draft = withChanges(draft, 'locations', east, { name: 'North Pit' });
  draft = withChanges(draft, 'equipment', truck, { unit_number: 'EX-01' });
  draft = withChanges(draft, 'equipment', digger, { unit_number: 'HT-01' });
  const sent = planOf(draft);
  // The trucks stay in the place that was read as North Pit and is East Pit now.
  assert.deepEqual(
    sent.equipment.map(({ unit_number, kind, location }) => [unit_number, kind, location]),
    [
      ['EX-01', 'haul_truck', 'East Pit'],
      ['HT-02', 'haul_truck', 'East Pit'],
      ['HT-01', 'excavator', 'North Pit'],
    ],
  );
  assert.deepEqual(
    sent.operators.map((one) => [one.name, one.machine]),
    [
      ['Ana Ruiz', 'HT-01'],
      ['Tom Field', 'EX-01'],
    ],
  );
  assert.equal(sent.boards[0]?.place, 'East Pit');
});

test('[U437] the crews of a shift follow its name', () => {
  const draft = site();
  const { key } = shift(draft, 'night shift');
  const sent = planOf(withChanges(draft, 'shifts', key, { name: 'late' }));
  assert.deepEqual(
    sent.crews.map((one) => one.shift),
    ['Day shift', 'late'],
  );
});

test('[U437] a fact follows the number of its machine', () => {
  const draft = site();
  const { read } = draft;
  const fact = { fact: 'EX-01 has a new bucket.', unit_number: 'EX-01', from: ['EX-01'], at: null };
  const withFact = draftOf({ ...read, facts: [fact] });
  const renamed = withChanges(withFact, 'equipment', machine(withFact, 'EX-01').key, { unit_number: 'EX-7' });
  assert.deepEqual(
    planOf(renamed).facts.map((one) => one.unit_number),
    ['EX-7'],
  );
});

test('[U437] what names a place or machine that is left out is made without it, and gets it back with the tick', () => {
  const draft = site();
  const [pit, truck] = [place(draft, 'North Pit').key, machine(draft, 'HT-01').key];
  const without = withTicks(draft, [pit, truck], false);
  const sent = planOf(without);
  assert.deepEqual(placesOfMachines(without), { 'HT-02': null, 'EX-01': 'East Pit' });
  assert.deepEqual(
    sent.operators.map((one) => one.machine),
    ['EX-01', null],
  );
  assert.deepEqual(
    sent.boards.map((one) => one.place),
    [null, 'canteen'],
  );
  // The rows say so.
  const { location } = machine(without, 'HT-02');
  assert.deepEqual([shownName(without, location), refNote(without, location)], ['', 'North Pit is left out.']);
  const { machine: driven } = rowOf(without, 'operators', ({ name }) => name === 'Tom Field');
  assert.equal(refNote(without, driven), 'HT-01 is left out.');
  assert.ok(!placeOptions(without).some(([key]) => key === pit));
  assert.ok(!machineOptions(without).some(([key]) => key === truck));
  assert.deepEqual(planOf(withTicks(without, [pit, truck], true)), planOf(draft));
});

test('[U437] a name that the plan has no object for is sent as it was read, and the row says so', () => {
  const { read } = site();
  const draft = draftOf({
    ...read,
    locations: read.locations.filter(({ name }) => name !== 'East Pit'),
  });
  assert.equal(placesOfMachines(draft)['EX-01'], 'East Pit', 'the project may have the place');
  assert.equal(refNote(draft, machine(draft, 'EX-01').location), 'East Pit is not in the plan.');
});

test('[U437] a place lies neither in itself nor in a place that lies in it', () => {
  let draft = draftOfText('Harrow Hill Quarry. North Pit, East Pit and West Pit. HT-01 is a haul truck.');
  const [north, east, west] = ['North Pit', 'East Pit', 'West Pit'].map((name) => place(draft, name).key) as [
    string,
    string,
    string,
  ];
  draft = withChanges(draft, 'locations', east, { parent: { key: north } });
  draft = withChanges(draft, 'locations', west, { parent: { key: east } });
  const names = (wanted: string) =>
    parentOptions(
      draft,
      rowOf(draft, 'locations', ({ key }) => key === wanted),
    )
      .map(([, name]) => name)
      .filter((name) => name.endsWith('Pit'));
  assert.deepEqual(names(north), []);
  assert.deepEqual(names(east), ['North Pit']);
  assert.deepEqual(names(west), ['North Pit', 'East Pit']);
});

test('[U436] a proposed object has the same fields: a change ticks it, and its references follow', () => {
  let draft = draftOfText(DOUBTFUL);
  const loader = machine(draft, 'LD-1');
  assert.ok(draft.off.has(loader.key));
  const added = withAdded(draft, 'locations');
  draft = withChanges(added.draft, 'locations', added.key, { name: 'North Pit' });
  draft = withChanges(draft, 'equipment', loader.key, { unit_number: 'WL-1', location: { key: added.key } });
  assert.ok(!draft.off.has(loader.key));
  draft = withChanges(draft, 'locations', added.key, { name: 'Pit 1' });
  const sent = planOf(draft).equipment.find(({ unit_number }) => unit_number === 'WL-1');
  assert.equal(sent?.location, 'Pit 1');
});

test('[U440] an object that a person adds is sent like the others, without words of the text', () => {
  let draft = site();
  const before = countOf(draft);
  const add = <L extends ListName>(list: L, changes: Partial<Row<L>>) => {
    const added = withAdded(draft, list);
    draft = withChanges(added.draft, list, added.key, changes);
    return added.key;
  };
  const shop = add('locations', { name: 'Workshop', kind: 'workshop' });
  const dozer = add('equipment', { unit_number: 'DZ-1', kind: 'dozer', location: { key: shop } });
  add('operators', { name: 'Ben Hall', machine: { key: dozer } });
  add('mechanics', { name: 'Eva Stone' });
  add('shifts', { name: 'extra', starts: '05:00', ends: '06:00' });
  add('boards', { place: { key: shop }, shows: ['tickets'] });
  const fact = add('facts', { fact: 'The gate closes at 22:00.' });
  assert.equal(countOf(draft), before + 7);
  const sent = planOf(draft);
  assert.equal(SetupPlan.safeParse(sent).success, true);
  assert.deepEqual(sent.operators.at(-1)?.machine, 'DZ-1');
  assert.deepEqual([sent.equipment.at(-1)?.location, sent.equipment.at(-1)?.from], ['Workshop', []]);
  assert.deepEqual([sent.boards.at(-1)?.place, sent.boards.at(-1)?.shows], ['Workshop', ['tickets']]);
  assert.equal(planOf(withTicks(draft, [fact], false)).facts.length, sent.facts.length - 1);
});

test('[U439] a machine that two operators have is made without an operator, and both rows say so', () => {
  let draft = site();
  const tom = rowOf(draft, 'operators', ({ name }) => name === 'Tom Field');
  const notes = () =>
    draft.groups.flatMap(({ lists }) => lists.operators).map((operator) => machineNote(draft, operator));
  assert.deepEqual(notes(), [null, null]);
  draft = withChanges(draft, 'operators', tom.key, { machine: { key: machine(draft, 'EX-01').key } });
  const note = 'More than one operator has EX-01: it is made without an operator.';
  assert.deepEqual(notes(), [note, note]);
  const plan = SetupPlan.parse(planOf(draft));
  const parts = setupParts({ ...plan, gaps: [], not_read: [], coverage: 1, failure: null });
  const made = parts.flatMap((part) => (part.step === 'equipment' ? part.items : []));
  assert.equal(made.find(({ unit_number }) => unit_number === 'EX-01')?.operator, null);
  draft = withTicks(draft, [tom.key], false);
  assert.deepEqual(notes(), [null, null]);
});
