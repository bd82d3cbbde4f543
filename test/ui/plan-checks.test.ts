/** What a person must correct in the plan of a setup before it is sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAN_LIMITS } from '#contract/base/names.ts';
import { operations } from '#contract/operations.ts';
import { SetupPlan } from '#contract/site/setup-plan.ts';
import { planSite } from '#domain/planner/plan.ts';
import { planAnswer } from '#domain/setup/plan-answer.ts';
import { isFull, problemsOf } from '#ui/office/setup/plan-checks.ts';
import {
  type DraftPlan,
  draftOf,
  type ListName,
  madeOf,
  type Row,
  withAdded,
  withChanges,
  withTicks,
} from '#ui/office/setup/plan-draft.ts';
import { planOf } from '#ui/office/setup/plan-sent.ts';

const TEXT = `Harrow Hill Quarry. Two pits, North Pit and East Pit.
HT-01 and HT-02 are Cat 777G haul trucks in North Pit. Maybe DZ-9 is a Cat D9 dozer.
Day shift 06:00 to 18:00, night shift 18:00 to 06:00. Operators: Ana Ruiz. Mechanic: Lena Moss. We sold LD-9.
Screens:
- canteen: machine status`;

const read = (): DraftPlan => {
  const answer = planAnswer(planSite(TEXT), { text: TEXT, places: [], gaps: [] });
  return draftOf({ object: 'setup_plan', project_id: 'prj_1', ...answer });
};
const at = <L extends ListName>(draft: DraftPlan, list: L, i: number): Row<L> => madeOf(draft, list)[i] as Row<L>;
const change = <L extends ListName>(draft: DraftPlan, list: L, i: number, changes: Partial<Row<L>>) =>
  withChanges(draft, list, at(draft, list, i).key, changes);
const found = (draft: DraftPlan) => problemsOf(draft).map(({ list, field, text }) => [list, field, text]);
/** True if the gateway takes the shifts of a draft as the shift pattern of a site. */
const isPattern = (draft: DraftPlan) => {
  const shift_pattern = planOf(draft).shifts.map(({ name, starts, ends }) => ({ name, starts, ends }));
  return operations.projects_update.input.safeParse({ id: 'prj_1', shift_pattern }).success;
};

test('[U439] a plan as it was read has nothing to correct', () => {
  assert.deepEqual(found(read()), []);
});

test('[U439] each empty name, text and choice is named at its field, and the gateway refuses it, too', () => {
  for (const [list, changes, field, text] of [
    ['equipment', { unit_number: ' ' }, 'unit_number', 'Enter a unit number.'],
    ['locations', { name: '' }, 'name', 'Enter a name.'],
    ['operators', { name: '  ' }, 'name', 'Enter a name.'],
    ['mechanics', { name: '' }, 'name', 'Enter a name.'],
    ['shifts', { name: '' }, 'name', 'Enter a name.'],
    ['shifts', { starts: '' }, 'starts', 'Enter a time.'],
    ['shifts', { ends: '' }, 'ends', 'Enter a time.'],
    ['facts', { fact: ' ' }, 'fact', 'Enter a text.'],
  ] as const) {
    const draft = change(read(), list, 0, changes);
    assert.deepEqual(found(draft), [[list, field, text]]);
    assert.equal(SetupPlan.safeParse(planOf(draft)).success, false, `${list} ${field}`);
  }
  assert.deepEqual(found(change(read(), 'boards', 0, { shows: [] })), [
    ['boards', 'shows', 'Choose what the screen shows.'],
  ]);
  assert.deepEqual(found(change(read(), 'shifts', 0, { days: [] })), [['shifts', 'days', 'Choose at least one day.']]);
});

test('[U439] two machines with one number and two places with one name are named at both, as the gateway compares names', () => {
  const twice = ['equipment', 'unit_number', 'Another machine has this number.'];
  const draft = change(read(), 'equipment', 1, { unit_number: 'ht-01 ' });
  assert.deepEqual(found(draft), [twice, twice]);
  const left = withTicks(draft, [at(draft, 'equipment', 0).key], false);
  assert.deepEqual(found(left), [], 'an object that is left out counts for nothing');
  const places = change(read(), 'locations', 1, { name: read().groups[0].lists.locations[0]?.name ?? '' });
  assert.deepEqual(
    found(places).map(([, , text]) => text),
    ['Another place has this name.', 'Another place has this name.'],
  );
});

test('[U439] a proposed machine that is ticked must not have the number of another one', () => {
  const draft = read();
  const proposed = draft.groups[1]?.lists.equipment[0];
  assert.ok(proposed !== undefined);
  const same = withChanges(draft, 'equipment', proposed.key, { unit_number: 'HT-01' });
  assert.equal(problemsOf(same).length, 2);
  assert.deepEqual(problemsOf(withTicks(same, [proposed.key], false)), []);
});

test('[U439] shifts over midnight are right; shifts that the gateway does not take are named', () => {
  assert.ok(isPattern(read()));
  const early = change(read(), 'shifts', 0, { ends: '19:00' });
  assert.deepEqual(
    found(early).map(([, field, text]) => [field, text]),
    [
      ['starts', 'It overlaps with night shift. Correct the times, or leave one of them out.'],
      ['starts', 'It overlaps with Day shift. Correct the times, or leave one of them out.'],
    ],
  );
  assert.equal(isPattern(early), false);
  const same = change(read(), 'shifts', 1, { name: 'Day shift' });
  assert.deepEqual(
    found(same).map(([, field]) => field),
    ['name', 'name'],
  );
  assert.equal(isPattern(same), false);
  const none = change(read(), 'shifts', 0, { ends: '06:00' });
  assert.deepEqual(found(none), [
    ['shifts', 'ends', 'The shift begins and ends at the same time. Enter a shift of 24 hours as two shifts.'],
  ]);
});

test('[U439] more objects than the gateway takes are named, and the list takes no further one', () => {
  let draft = read();
  for (let i = 0; i < 5; i++) {
    const added = withAdded(draft, 'shifts');
    draft = withChanges(added.draft, 'shifts', added.key, { name: `s${i}`, starts: '06:00', ends: '07:00' });
  }
  assert.ok(isFull(draft, 'shifts'));
  const over = problemsOf(draft).filter(({ field }) => field === 'made');
  assert.deepEqual(
    over.map(({ key, text }) => [key, text]),
    [[at(draft, 'shifts', 6).key, 'The gateway takes at most 6 of them. Leave this one out.']],
  );
  let boards = read();
  while (!isFull(boards, 'boards')) boards = withAdded(boards, 'boards').draft;
  assert.equal(madeOf(boards, 'boards').length, PLAN_LIMITS.boards);
});
