/** Short sentences as a foreman types them: each object is made once, and nobody is lost in silence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSite } from '#domain/planner/plan.ts';

const FLEET = {
  en: 'Trucks HT-1 and HT-2. ',
  es: 'Camiones HT-1 y HT-2. ',
  pt: 'Caminhões HT-1 e HT-2. ',
  fr: 'Tombereaux HT-1 et HT-2. ',
  de: 'Muldenkipper HT-1 und HT-2. ',
};
const drivers = (text: string) => planSite(text).operators.map(({ name, machine }) => [name, machine]);
const codes = (text: string) => planSite(text).gaps.map(({ code }) => code);

test('[PL56] a list of operators and their machines makes each of them once, with the machine', () => {
  for (const text of [
    `${FLEET.en}Operators: Lena Moss HT-1, Tom Field HT-2.`,
    `${FLEET.en}Operators Lena Moss HT-1, Tom Field HT-2.`,
    `${FLEET.en}Operators: Lena Moss HT-1 and Tom Field HT-2.`,
    `${FLEET.en}Lena Moss HT-1, Tom Field HT-2.`,
    `${FLEET.es}Operadores: Lena Moss HT-1, Tom Field HT-2.`,
    `${FLEET.pt}Motoristas: Lena Moss HT-1, Tom Field HT-2.`,
    `${FLEET.fr}Conducteurs : Lena Moss HT-1, Tom Field HT-2.`,
    `${FLEET.de}Fahrer: Lena Moss HT-1, Tom Field HT-2.`,
  ])
    assert.deepEqual(
      drivers(text),
      [
        ['Lena Moss', 'HT-1'],
        ['Tom Field', 'HT-2'],
      ],
      text,
    );
});

test('[PL56] a surname that is also a make is a name', () => {
  for (const text of [
    `${FLEET.en}Mechanics Joe Hart and Ann Bell.`,
    `${FLEET.en}Mechanics Joe Hart, Ann Bell.`,
    `${FLEET.es}Mecánicos Joe Hart y Ann Bell.`,
    `${FLEET.pt}Mecânicos Joe Hart e Ann Bell.`,
    `${FLEET.fr}Mécaniciens Joe Hart et Ann Bell.`,
    `${FLEET.de}Mechaniker Joe Hart und Ann Bell.`,
  ])
    assert.deepEqual(
      planSite(text).mechanics.map(({ name }) => name),
      ['Joe Hart', 'Ann Bell'],
      text,
    );
});

test('[PL57] a crew, a shift or a driver at the start of a text is no site', () => {
  for (const text of [
    'Crew A: day shift, Crew B: night shift. HT-1 is a Cat 777 haul truck.',
    'Cuadrilla A: turno de día, cuadrilla B: turno de noche. HT-1 es un camión Cat 777.',
    'Turma A: turno do dia, turma B: turno da noite. HT-1 é um caminhão Cat 777.',
    'Équipe A : poste de jour, équipe B : poste de nuit. HT-1 est un tombereau Cat 777.',
    'Kolonne A: Tagschicht, Kolonne B: Nachtschicht. HT-1 ist ein Muldenkipper Cat 777.',
    'Hans Bauer fährt HT-1 und Uwe Stein HT-2. Muldenkipper HT-1 und HT-2.',
  ]) {
    assert.deepEqual(planSite(text).locations, [], text);
    assert.ok(planSite(text).equipment.length > 0, text);
  }
});

test('[PL58] the operator behind a machine has it, and its model counts nobody', () => {
  for (const text of [
    'LD-2 is a Cat 992 loader, operator Ana Ruiz.',
    'LD-2 is a Cat 992 loader, operator: Ana Ruiz.',
    'LD-2 es un cargador Cat 992, operadora Ana Ruiz.',
    'LD-2 é uma carregadeira Cat 992, operador Ana Ruiz.',
    'LD-2 est une chargeuse Cat 992, conductrice Ana Ruiz.',
    'LD-2 ist ein Radlader Cat 992, Fahrer Ana Ruiz.',
  ]) {
    assert.deepEqual(drivers(text), [['Ana Ruiz', 'LD-2']], text);
    assert.deepEqual(codes(text), [], text);
  }
});

test('[PL59] a text that denies work at night has the gap with its words; one with times has none', () => {
  for (const [text, words] of [
    [`${FLEET.en}No night shift.`, 'No night shift'],
    [`${FLEET.es}Sin turno de noche.`, 'Sin turno de noche'],
    [`${FLEET.pt}Não trabalhamos à noite.`, 'Não trabalhamos à noite'],
    [`${FLEET.fr}Pas de poste de nuit.`, 'Pas de poste de nuit'],
    [`${FLEET.de}Keine Nachtschicht.`, 'Keine Nachtschicht'],
  ] as const) {
    const plan = planSite(text);
    assert.deepEqual(
      plan.gaps.filter(({ code }) => code === 'no_night_shift').map(({ from }) => from),
      [[words]],
      text,
    );
    assert.deepEqual(plan.shifts, []);
  }
  for (const text of [`${FLEET.en}Day shift 6 to 18, no night shift.`, `${FLEET.en}No night shift operators yet.`])
    assert.ok(!codes(text).includes('no_night_shift'), text);
});

test('[PL60] a name that is neither made nor proposed is a gap', () => {
  for (const [text, name] of [
    ['HT-1 Cat 777 Joe King.', 'Joe King'],
    [`${FLEET.en}The mechanics A B, C D and E F work days.`, 'C D'],
    ['Crew A works days with Meg Ryan. HT-1 is a truck.', 'Meg Ryan'],
  ] as const)
    assert.ok(
      planSite(text).gaps.some(({ code, from }) => code === 'missing_roster' && from.includes(name)),
      text,
    );
});

test('[PL61] each number has its own model, and a model behind all numbers is no machine', () => {
  for (const text of [
    'LD-1 is a Cat 992 and LD-2 is a Cat 988.',
    'LD-1 es un Cat 992 y LD-2 es un Cat 988.',
    'LD-1 é uma Cat 992 e LD-2 é uma Cat 988.',
    'LD-1 est une Cat 992 et LD-2 est une Cat 988.',
    'LD-1 ist ein Cat 992 und LD-2 ist ein Cat 988.',
  ])
    assert.deepEqual(
      planSite(text).equipment.map(({ unit_number, model }) => [unit_number, model]),
      [
        ['LD-1', '992'],
        ['LD-2', '988'],
      ],
      text,
    );
  for (const text of [
    'Two dozers, DZ-1 and DZ-2, both D9.',
    'Dos bulldozers, DZ-1 y DZ-2, ambos D9.',
    'Dois tratores de esteira, DZ-1 e DZ-2, ambos D9.',
    'Deux bulldozers, DZ-1 et DZ-2, des D9.',
    'Zwei Raupen, DZ-1 und DZ-2, beide D9.',
  ])
    assert.deepEqual(
      planSite(text).equipment.map(({ unit_number, model }) => [unit_number, model]),
      [
        ['DZ-1', 'D9'],
        ['DZ-2', 'D9'],
      ],
      text,
    );
});
