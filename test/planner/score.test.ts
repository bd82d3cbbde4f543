/** The scorer says what is right, wrong and missed: each test changes a right plan in one way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf, LIMITS, table, unmet } from './figures.ts';
import { Expected, FAILURE_REASON, Hostile, MACHINE_KINDS, Plan } from './format.ts';
import { perfectPlan } from './perfect-plan.ts';
import { hostileFaults, type Score, scorePlan } from './score.ts';

type Input<T> = T extends readonly (infer E)[] ? E[] : T;

const TEXT =
  'Harrow Quarry: North Pit with the crusher. Trucks HT-01 to HT-03 except 02 are Cat 777G from 2019. Loaders 1 and 2 are Volvo L150 at the crusher. ' +
  'Two graders. A D9. Crew A: Ann Fox on HT-01, badge 77. Fitter Bob Lee. Day shift 06:00-18:00 Monday to Friday. A TV in the canteen with fuel and alerts. Some pumps. We sold LD-9.';

const EXPECTED = Expected.parse({
  language: 'en',
  style: 'for tests',
  equipment: [
    {
      units: ['HT-01', 'HT-03'],
      kind: 'haul_truck',
      oem_name: 'Caterpillar',
      model: '777G',
      year: 2019,
      from: ['Trucks HT-01 to HT-03 except 02'],
    },
    {
      units: ['1', '2'],
      bare: true,
      kind: 'wheel_loader',
      oem_name: 'Volvo',
      model: 'L150',
      location: 'crusher',
      from: ['Loaders 1 and 2'],
    },
    { count: 2, kind: 'grader', from: ['Two graders'] },
    {
      count: 1,
      kind: 'dozer',
      oem_name: 'Caterpillar',
      model: 'D9',
      implied: ['kind', 'oem_name'],
      from: ['A D9'],
    },
  ],
  locations: [
    { name: 'Harrow Quarry', kind: 'site', from: ['Harrow Quarry'] },
    { name: 'North Pit', kind: 'pit', parent: 'Harrow Quarry', implied: ['parent'], from: ['North Pit'] },
    { name: 'crusher', kind: ['crusher', 'zone'], parent: 'North Pit', from: ['the crusher'] },
    { name: 'canteen', kind: 'zone', optional: true, from: ['the canteen'] },
  ],
  shifts: [
    { name: 'day', starts: '06:00', ends: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: ['Day shift'] },
  ],
  crews: [{ name: 'A', shift: 'day', implied: ['shift'], from: ['Crew A'] }],
  operators: [{ name: 'Ann Fox', crew: 'A', badge_id: '77', machine: 'HT-01', from: ['Ann Fox on HT-01'] }],
  mechanics: [{ name: 'Bob Lee', from: ['Fitter Bob Lee'] }],
  boards: [{ place: 'canteen', shows: ['fuel', 'alerts'], from: ['A TV in the canteen'] }],
  gaps: [{ resource: 'equipment', code: 'missing_inventory', from: ['Some pumps'] }],
  forbidden: [{ resource: 'equipment', name: 'LD-9', why: 'sold', from: ['We sold LD-9'] }],
});
const MACHINES = 7;

/** The score of the right plan after a change. */
function scoreWith(change: (plan: Plan) => void, expected = EXPECTED, text = TEXT): Score {
  const plan = perfectPlan(expected);
  change(plan);
  return scorePlan(expected, plan, text);
}

function at<T>(list: Input<readonly T[]>, index = 0): T {
  const found = list.at(index);
  assert.ok(found !== undefined);
  return found;
}

const machine = (plan: Plan, unit: string) => at(plan.equipment.filter(({ unit_number }) => unit_number === unit));
const isRight = (score: Score) => assert.deepEqual(score.report, []);

test('[T20] each machine of a range, of a count and of a list is one object', () => {
  const score = scoreWith(() => undefined);
  isRight(score);
  assert.deepEqual(score.kinds.equipment.objects, { right: MACHINES, wrong: 0, missed: 0 });
});

test('[T21] machines are found by number, machines without one by kind, all others by name, times or place', () => {
  const score = scoreWith((plan) => {
    plan.equipment = plan.equipment.filter(({ unit_number }) => unit_number !== 'HT-03');
    plan.operators = [];
    plan.mechanics.push({ name: 'Ann Fox', crew: 'A', badge_id: null, employee_number: null, from: ['Ann Fox'] });
    at(plan.shifts).ends = '17:00';
  });
  assert.deepEqual(score.kinds.equipment.objects, { right: MACHINES - 1, wrong: 0, missed: 1 });
  assert.deepEqual(score.kinds.operators.objects, { right: 0, wrong: 0, missed: 1 });
  assert.deepEqual(score.kinds.mechanics.objects, { right: 1, wrong: 1, missed: 0 });
  assert.deepEqual(score.kinds.shifts.objects, { right: 0, wrong: 1, missed: 1 });
  for (const words of ['missed: equipment HT-03', 'missed: operators Ann Fox', 'invented: mechanics Ann Fox'])
    assert.ok(score.report.includes(words), words);
});

test('[T21] two dozers without a number are found by what else is known of them', () => {
  const expected = Expected.parse({
    language: 'de',
    style: 'for tests',
    equipment: [
      { count: 1, kind: 'dozer', model: 'D5', from: ['eine D5'] },
      { count: 1, kind: 'dozer', model: 'D9', from: ['eine D9'] },
    ],
  });
  isRight(scoreWith((plan) => plan.equipment.reverse(), expected, 'eine D5, eine D9'));
});

test('[T22] an absent attribute is a missed fact, a different one is wrong and missed, an unexpected one is wrong', () => {
  const facts = (change: (plan: Plan) => void) => scoreWith(change).kinds.equipment.facts;
  const whole = facts(() => undefined);
  assert.deepEqual(whole, { right: 28, wrong: 0, missed: 0 });
  const changes: readonly (readonly [change: (plan: Plan) => void, right: number, wrong: number, missed: number])[] = [
    [(plan) => Object.assign(machine(plan, 'HT-01'), { year: null }), 27, 0, 1],
    [(plan) => Object.assign(machine(plan, 'HT-01'), { year: 2020 }), 27, 1, 1],
    [(plan) => Object.assign(machine(plan, 'HT-01'), { kind: 'excavator' }), 27, 1, 1],
    [(plan) => Object.assign(machine(plan, 'HT-01'), { serial_number: 'X1' }), 28, 1, 0],
    [(plan) => Object.assign(machine(plan, 'HT-01'), { location: 'North Pit' }), 28, 1, 0],
  ];
  for (const [change, right, wrong, missed] of changes) assert.deepEqual(facts(change), { right, wrong, missed });
});

test('[T22] each topic of a board is a fact', () => {
  const { facts, objects } = scoreWith((plan) => {
    at(plan.boards).shows = ['fuel', 'map'];
  }).kinds.boards;
  assert.deepEqual(objects, { right: 1, wrong: 0, missed: 0 });
  assert.deepEqual(facts, { right: 3, wrong: 1, missed: 1 });
});

test('[T23] case, accents, dashes, spaces, invisible characters and zeros at the start do not count', () => {
  isRight(
    scoreWith((plan) => {
      machine(plan, 'HT-01').unit_number = 'ht \u20111\u200b';
      at(plan.locations, 1).name = 'NORTH-PÍT';
      at(plan.locations, 2).kind = 'zone';
      at(plan.operators).machine = 'HT1';
    }),
  );
});

test('[T24] makes have other names; a model may carry its make', () => {
  isRight(
    scoreWith((plan) => {
      Object.assign(machine(plan, 'HT-01'), { oem_name: 'CAT', model: 'Cat 777 G' });
      Object.assign(machine(plan, 'HT-03'), { model: 'Caterpillar 777G' });
    }),
  );
  assert.equal(scoreWith((plan) => Object.assign(machine(plan, 'HT-01'), { model: '777Gs' })).report.length, 1);
  assert.equal(scoreWith((plan) => Object.assign(machine(plan, 'HT-01'), { oem_name: 'Komatsu' })).report.length, 1);
});

test('[T25] articles, words of the kind, titles and the order of names do not count', () => {
  isRight(
    scoreWith((plan) => {
      at(plan.locations, 1).name = 'the North';
      at(plan.shifts).name = 'days';
      Object.assign(at(plan.crews), { name: 'Crew A', shift: 'days' });
      Object.assign(at(plan.operators), { name: 'Fox, Ms Ann', crew: 'crew A' });
    }),
  );
  const otherWord = scoreWith((plan) => Object.assign(at(plan.locations, 1), { name: 'North Quarry' }));
  assert.deepEqual(otherWord.kinds.locations.objects, { right: 2, wrong: 1, missed: 1 });
  const wrongKind = scoreWith((plan) => Object.assign(at(plan.locations, 1), { name: 'North', kind: 'zone' }));
  assert.deepEqual(wrongKind.kinds.locations.objects, { right: 2, wrong: 1, missed: 1 });
});

test('[T25] the names of shifts and crews in five languages', () => {
  for (const [name, planned] of [
    ['turno de noche', 'noche'],
    ['Frühschicht', 'Früh'],
    ['poste du matin', 'matin'],
    ['turno da madrugada', 'Madrugada'],
    ['night shift', 'nights'],
  ] as const) {
    const expected = Expected.parse({
      language: 'es',
      style: 'for tests',
      shifts: [{ name, starts: '22:00', ends: '06:00', from: [name] }],
    });
    isRight(scoreWith((plan) => Object.assign(at(plan.shifts), { name: planned }), expected, name));
    assert.equal(
      scoreWith((plan) => Object.assign(at(plan.shifts), { name: 'other' }), expected, name).kinds.shifts.facts.wrong,
      1,
    );
  }
  for (const [name, planned] of [
    ['Guardia A', 'A'],
    ['Équipe Bleue', 'bleue'],
    ['Turma C', 'turma c'],
  ] as const) {
    const expected = Expected.parse({ language: 'es', style: 'for tests', crews: [{ name, from: [name] }] });
    isRight(scoreWith((plan) => Object.assign(at(plan.crews), { name: planned }), expected, name));
  }
});

test('[T26] a bare number may stand alone, after a word of the text, or after the prefix of its kind', () => {
  for (const right of ['1', '01', 'Loader 1', 'WL-01', 'WL 1'])
    isRight(scoreWith((plan) => Object.assign(machine(plan, 'WL-01'), { unit_number: right })));
  for (const wrong of ['EX-01', 'Bagger 1', '11', 'WL-011', 'L1']) {
    const score = scoreWith((plan) => Object.assign(machine(plan, 'WL-01'), { unit_number: wrong }));
    assert.deepEqual([score.invented_machines, score.kinds.equipment.objects.missed], [1, 1], wrong);
  }
});

test('[T26] a bare number of three digits does not get a prefix, and a number with letters keeps them', () => {
  const expected = Expected.parse({
    language: 'en',
    style: 'for tests',
    equipment: [{ units: ['101'], bare: true, kind: 'haul_truck', from: ['Truck 101'] }],
  });
  const named = (unit_number: string) => (plan: Plan) => Object.assign(at(plan.equipment), { unit_number });
  isRight(scoreWith(named('101'), expected, 'Truck 101'));
  isRight(scoreWith(named('Truck 101'), expected, 'Truck 101'));
  assert.equal(scoreWith(named('HT-101'), expected, 'Truck 101').invented_machines, 1);
  assert.equal(scoreWith((plan) => Object.assign(machine(plan, 'HT-03'), { unit_number: '3' })).invented_machines, 1);
});

test('[T26] a bare number of two kinds belongs to the machine of the right kind', () => {
  const text = 'trucks 1, loaders 1';
  const expected = Expected.parse({
    language: 'en',
    style: 'for tests',
    equipment: [
      { units: ['1'], bare: true, kind: 'haul_truck', from: ['trucks 1'] },
      { units: ['1'], bare: true, kind: 'wheel_loader', from: ['loaders 1'] },
    ],
  });
  isRight(scoreWith((plan) => plan.equipment.reverse(), expected, text));
});

test('[T27] a machine without a number must be marked as generated, a machine with a number must not be renumbered', () => {
  const unmarked = scoreWith((plan) => Object.assign(machine(plan, 'GR-01'), { generated: false }));
  assert.deepEqual([unmarked.invented_machines, unmarked.kinds.equipment.objects.missed], [1, 1]);
  const renumbered = scoreWith((plan) =>
    Object.assign(machine(plan, 'HT-03'), { unit_number: 'HT-02', generated: true }),
  );
  assert.deepEqual([renumbered.invented_machines, renumbered.kinds.equipment.objects.missed], [1, 1]);
});

test('[T28] a made number begins with the prefix of its kind, and no number is planned twice', () => {
  const wrong = scoreWith((plan) => Object.assign(machine(plan, 'GR-01'), { unit_number: 'M-01' }));
  assert.deepEqual(wrong.kinds.equipment.facts, { right: 28, wrong: 1, missed: 0 });
  const twice = scoreWith((plan) => plan.equipment.push({ ...machine(plan, 'HT-01'), unit_number: 'HT-1' }));
  assert.deepEqual(twice.report, ['invented: equipment HT-1']);
  assert.equal(new Set(Object.values(MACHINE_KINDS)).size, Object.keys(MACHINE_KINDS).length);
});

test('[T29] an implied attribute may be absent, and must not be wrong', () => {
  const dozer = (plan: Plan) => machine(plan, 'DZ-01');
  isRight(scoreWith((plan) => Object.assign(dozer(plan), { oem_name: null, kind: null })));
  const wrong = scoreWith((plan) => Object.assign(dozer(plan), { oem_name: 'Komatsu' }));
  assert.deepEqual(wrong.kinds.equipment.facts, { right: 27, wrong: 1, missed: 0 });
});

test('[T29] the only site, and a machine without a number, count as no value', () => {
  isRight(
    scoreWith((plan) => {
      machine(plan, 'HT-01').location = 'Harrow Quarry';
      at(plan.locations, 1).parent = null;
    }),
  );
  const text = 'Two graders, Ann Fox drives one';
  const expected = Expected.parse({
    language: 'en',
    style: 'for tests',
    equipment: [{ count: 2, kind: 'grader', from: ['Two graders'] }],
    operators: [{ name: 'Ann Fox', from: ['Ann Fox'] }],
  });
  isRight(scoreWith((plan) => Object.assign(at(plan.operators), { machine: 'GR-01' }), expected, text));
});

test('[T30] an optional object counts neither when it is there nor when it is absent', () => {
  const before = scoreWith(() => undefined);
  const after = scoreWith((plan) =>
    plan.locations.push({ name: 'Canteen', kind: 'workshop', parent: null, from: ['canteen'] }),
  );
  isRight(after);
  assert.deepEqual(after.kinds, before.kinds);
});

test('[T31] a machine that was sold is invented', () => {
  const score = scoreWith((plan) =>
    plan.equipment.push({ ...machine(plan, 'WL-01'), unit_number: 'LD-9', from: ['LD-9'] }),
  );
  assert.equal(score.invented_machines, 1);
  assert.deepEqual(score.report, ['invented: equipment LD-9']);
  assert.deepEqual(score.kinds.equipment.facts, { right: 28, wrong: 5, missed: 0 });
});

test('[T32] a crew may be the name of a shift', () => {
  isRight(scoreWith((plan) => plan.crews.push({ name: 'Day shift', shift: 'day', from: ['Day shift'] })));
  assert.equal(
    scoreWith((plan) => plan.crews.push({ name: 'B', shift: 'day', from: ['Crew A'] })).kinds.crews.objects.wrong,
    1,
  );
});

test('[T33] a shift without a name takes every name, all seven days are no days, and a crew may name its times', () => {
  const expected = Expected.parse({
    language: 'en',
    style: 'for tests',
    shifts: [{ starts: '06:00', ends: '14:00', from: ['6-14'] }],
    crews: [{ name: 'B', shift: '06:00-14:00', from: ['Crew B'] }],
  });
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const change = (plan: Plan) => {
    Object.assign(at(plan.shifts), { name: 'first', days });
    at(plan.crews).shift = 'first';
  };
  isRight(scoreWith(change, expected, 'Crew B 6-14'));
  const wrong = scoreWith((plan) => Object.assign(at(plan.shifts), { days: ['mon'] }), expected, 'Crew B 6-14');
  assert.equal(wrong.kinds.shifts.facts.wrong, 1);
});

test('[T34] default boards are not compared, and machines and status are one topic', () => {
  isRight(
    scoreWith((plan) =>
      plan.boards.push({ place: null, shows: ['map'], location: null, kind: null, default: true, from: [] }),
    ),
  );
  const text = 'TV in the office with machine status';
  const expected = Expected.parse({
    language: 'en',
    style: 'for tests',
    boards: [{ place: 'office', shows: ['status'], from: ['TV in the office'] }],
  });
  isRight(scoreWith((plan) => Object.assign(at(plan.boards), { shows: ['machines'], kind: 'dozer' }), expected, text));
});

test('[T35] a gap is found if its resource fits, its words overlap and it has a remedy; other gaps do not count', () => {
  isRight(
    scoreWith((plan) => {
      at(plan.gaps).from = ['pumps. We'];
      plan.gaps.push({ resource: 'boards', code: 'unreadable_board', remedy: '', from: [] });
    }),
  );
  for (const wrong of [{ resource: 'people' }, { from: ['Two graders'] }, { remedy: ' ' }]) {
    const score = scoreWith((plan) => Object.assign(at(plan.gaps), wrong));
    assert.deepEqual(score.gaps, { expected: 1, found: 0 });
    assert.equal(score.report.length, 1);
  }
});

test('[T36] an object cites words that stand in the text, whatever the spaces', () => {
  isRight(scoreWith((plan) => Object.assign(machine(plan, 'HT-01'), { from: ['Trucks\n  HT-\u200b01'] })));
  for (const from of [[], ['HT-99'], [''], ['HT-01', 'no such words']]) {
    const score = scoreWith((plan) => Object.assign(machine(plan, 'HT-01'), { from }));
    assert.equal(score.uncited, 1);
    assert.deepEqual(score.report, ['uncited: equipment HT-01']);
  }
});

test('[T37] precision and recall are shares of sums over all texts', () => {
  const right = scoreWith(() => undefined);
  const poor = scoreWith((plan) => {
    plan.equipment = plan.equipment.slice(0, 2);
    plan.equipment.push({ ...machine(plan, 'HT-01'), unit_number: 'LD-9' });
  });
  const { objects, counts } = figuresOf([right, poor], ['en'], ['equipment']);
  assert.deepEqual(counts.objects, { right: 9, wrong: 1, missed: 5 });
  assert.deepEqual(objects, { precision: 9 / 10, recall: 9 / 14 });
  assert.match(table([right, poor]), /^equipment +0\.900 +0\.643/m);
  assert.deepEqual(figuresOf([right, poor], ['fr']).objects, { precision: 1, recall: 1 });
});

test('[T38] each limit is checked over all and for each language', () => {
  const right = scoreWith(() => undefined);
  assert.deepEqual(unmet([right]), []);
  const nothing = scoreWith((plan) => Object.assign(plan, Plan.parse({})));
  const german: Score = { ...nothing, language: 'de' };
  const found = unmet([...Array.from({ length: 99 }, () => right), german]);
  assert.deepEqual(found, [
    `recall of objects in de is 0.000, must be at least ${LIMITS.language}`,
    `recall of facts in de is 0.000, must be at least ${LIMITS.language}`,
  ]);
  const invented = scoreWith((plan) => plan.equipment.push({ ...machine(plan, 'HT-01'), unit_number: 'LD-9' }));
  assert.deepEqual(unmet([...Array.from({ length: 99 }, () => right), invented]), [
    '1 machines are invented, must be 0',
  ]);
  const uncited = scoreWith((plan) => Object.assign(at(plan.mechanics), { from: [] }));
  assert.deepEqual(unmet([uncited]), ['1 objects are uncited, must be 0']);
  const silent = scoreWith((plan) => Object.assign(plan, { gaps: [] }));
  assert.deepEqual(unmet([silent]), ['share of the gaps found is 0.000, must be at least 0.8']);
  const half = scoreWith((plan) => Object.assign(plan, { operators: [], mechanics: [], boards: [] }));
  assert.match(unmet([half]).join('\n'), /^recall of objects is 0\.8\d\d, must be at least 0\.9$/m);
  const many = scoreWith((plan) => plan.mechanics.push({ ...at(plan.mechanics), name: 'Eve' }));
  assert.match(unmet([many]).join('\n'), /^precision of objects is 0\.9\d\d, must be at least 0\.98$/m);
});

test('[T39] a hostile text fails with a reason and a remedy, or makes exactly what is expected', () => {
  const hostile = (input: object) => Hostile.parse({ language: 'en', style: 'for tests', ...input });
  const [reason] = FAILURE_REASON;
  const failed = hostile({ ends: 'failed', reasons: [reason] });
  const failure = { reason, remedy: 'Describe the machines of the site.' };
  const faults = (expected: Hostile, plan: object) =>
    hostileFaults(expected, Plan.parse(plan), 'one loader L1, day 6-14');
  const loader = { unit_number: 'L1', kind: 'wheel_loader', from: ['loader L1'] };
  assert.deepEqual(faults(failed, { failure }), []);
  assert.deepEqual(faults(failed, { failure, boards: [{ shows: ['map'], default: true }] }), []);
  assert.deepEqual(faults(failed, {}), ['the plan has no failure']);
  assert.deepEqual(faults(failed, { failure, equipment: [loader] }), ['the plan has a failure and makes objects']);
  assert.deepEqual(faults(failed, { failure: { ...failure, remedy: '' } }), ['the failure has no remedy']);
  assert.deepEqual(faults(failed, { failure: { ...failure, reason: 'tired' } }), [
    `the reason is tired, expected ${reason}`,
  ]);

  const part = hostile({ ends: 'part', equipment: [{ units: ['L1'], kind: 'wheel_loader', from: ['loader L1'] }] });
  assert.deepEqual(faults(part, { equipment: [loader] }), []);
  assert.deepEqual(faults(part, { failure }), [`the plan failed: ${reason}`, 'missed: equipment L1']);
  assert.deepEqual(faults(part, { equipment: [loader, { ...loader, unit_number: 'L2' }] }), ['invented: equipment L2']);

  const shift = { name: 'day', starts: '06:00', ends: '14:00', from: ['day 6-14'] };
  const any = hostile({ ends: 'any', reasons: [reason], shifts: [{ ...shift, optional: true }] });
  assert.deepEqual(faults(any, { failure }), []);
  assert.deepEqual(faults(any, { shifts: [shift] }), []);
  assert.deepEqual(faults(any, { equipment: [loader] }), ['invented: equipment L1']);
});
