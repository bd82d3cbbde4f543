/** The plan of a setup while a person corrects it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSite } from '#domain/planner/plan.ts';
import { planAnswer } from '#domain/setup/plan-answer.ts';
import { draftOf, keyOf, keysOf, planOf, toggled } from '#ui/office/setup/plan-draft.ts';

/** The planner is not certain of the loader, and proposes it. */
const TEXT =
  'Trucks HT-01 to HT-03 are Cat 777G haul trucks. Wheel loader LD-1 was here last year, and dozer DZ-1 was, too. We sold LD-9. No night shift.';

const read = () => {
  const answer = planAnswer(planSite(TEXT), { text: TEXT, places: [], gaps: [] });
  return draftOf({ object: 'setup_plan', project_id: 'prj_1', ...answer });
};

test('[A983] a proposal that nobody ticks is a gap of the plan that is sent; a ticked one is an object', () => {
  const draft = read();
  const [proposal] = draft.proposals;
  assert.ok(proposal !== undefined);
  const keys = keysOf(proposal);
  const open = planOf(draft);
  assert.ok(open.gaps.some(({ code, from }) => code === proposal.gap.code && from[0] === proposal.gap.from[0]));
  assert.equal(open.gaps.length, draft.gaps.length + draft.proposals.length);
  let ticked: ReadonlySet<string> = new Set();
  for (const key of keys) ticked = toggled(ticked, key, true);
  const confirmed = planOf({ ...draft, ticked });
  assert.equal(confirmed.equipment.length, open.equipment.length + proposal.machines.length);
  assert.equal(confirmed.gaps.length, open.gaps.length - 1);
});

test('[A983] a person may leave out a fact that the setup would remember', () => {
  const draft = read();
  assert.deepEqual(
    planOf(draft).facts.map(({ fact }) => fact),
    ['LD-9 is gone from the site.', 'Nobody works at night.'],
  );
  const out = new Set([keyOf('facts', 0)]);
  assert.deepEqual(
    planOf({ ...draft, out }).facts.map(({ fact }) => fact),
    ['Nobody works at night.'],
  );
});

test('[A972] the operator of a machine follows its number when a person corrects it', () => {
  const text = 'Trucks HT-01 and HT-02 are Cat 777G haul trucks. Operators: Ana Ruiz HT-01, Tom Field HT-02.';
  const answer = planAnswer(planSite(text), { text, places: [], gaps: [] });
  const draft = draftOf({ object: 'setup_plan', project_id: 'prj_1', ...answer });
  const machines = draft.machines.map((one) => (one.unit_number === 'HT-01' ? { ...one, unit_number: 'T-1' } : one));
  assert.deepEqual(
    planOf({ ...draft, machines }).operators.map(({ name, machine }) => [name, machine]),
    [
      ['Ana Ruiz', 'T-1'],
      ['Tom Field', 'HT-02'],
    ],
  );
});
