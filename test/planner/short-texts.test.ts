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

const times = (text: string) => planSite(text).shifts.map(({ starts, ends }) => `${starts}-${ends}`);
const THREE = ['06:00-14:00', '14:00-22:00', '22:00-06:00'];

test('[PL62] shifts that go on from each other are one day, also without the half of the day', () => {
  for (const text of [
    `Shifts are 6 to 2, 2 to 10 and 10 to 6. ${FLEET.en}`,
    `Los turnos son de 6 a 2, de 2 a 10 y de 10 a 6. ${FLEET.es}`,
    `Os turnos são das 6 às 2, das 2 às 10 e das 10 às 6. ${FLEET.pt}`,
    `Les postes sont de 6 à 2, de 2 à 10 et de 10 à 6. ${FLEET.fr}`,
    `Die Schichten sind 6 bis 2, 2 bis 10 und 10 bis 6. ${FLEET.de}`,
    `Shifts 6am to 2pm, 2pm to 10pm, 10pm to 6am. ${FLEET.en}`,
  ])
    assert.deepEqual(times(text), THREE, text);
  const named = planSite(`Nights 10 to 6, days 6 to 2, afternoons 2 to 10. ${FLEET.en}`).shifts;
  assert.deepEqual(
    named.map(({ name, starts }) => [name, starts]),
    [
      ['Nights', '22:00'],
      ['days', '06:00'],
      ['afternoons', '14:00'],
    ],
  );
  assert.deepEqual(times(`Day shift 6 to 6, night shift 6 to 6. ${FLEET.en}`), ['06:00-18:00', '18:00-06:00']);
  assert.deepEqual(times(`Two shifts, 6 to 2 and 2 to 10. ${FLEET.en}`), THREE.slice(0, 2));
  // These ranges do not go on from each other.
  assert.deepEqual(times(`Shifts 6 to 2 and 7 to 3. ${FLEET.en}`), ['06:00-14:00', '07:00-15:00']);
});

test('[PL63] work from an hour to the same hour lasts twelve hours; with the half of the day it is a gap', () => {
  for (const text of [
    `We start at 6 and finish at 6. ${FLEET.en}`,
    `Empezamos a las 6 y terminamos a las 6. ${FLEET.es}`,
    `Começamos às 6 e terminamos às 6. ${FLEET.pt}`,
    `Nous commençons à 6 h et finissons à 6 h. ${FLEET.fr}`,
    `Wir fangen um 6 an und hören um 6 auf. ${FLEET.de}`,
  ])
    assert.deepEqual(times(text), ['06:00-18:00'], text);
  const open = `We start at 6 am and finish at 6 am. ${FLEET.en}`;
  assert.deepEqual([times(open), codes(open)], [[], ['missing_shift_pattern']]);
});

test('[PL64] HT with a number is a machine, and behind a price it is none; letters and a number are the number of a row', () => {
  const units = (text: string) => planSite(text).equipment.map(({ unit_number }) => unit_number);
  for (const text of [
    'Trucks HT 1 and HT 2.',
    'Camiones HT 1 y HT 2.',
    'Caminhões HT 1 e HT 2.',
    'Tombereaux HT 1 et HT 2.',
    'Muldenkipper HT 1 und HT 2.',
  ])
    assert.deepEqual(units(text), ['HT 1', 'HT 2'], text);
  assert.deepEqual(units('Le camion coûte 1200 € HT. Tombereaux HT-01 et HT-02.'), ['HT-01', 'HT-02']);
  assert.deepEqual(units('Unit;Type\nwl 1;Wheel loader\nwl 2;Wheel loader'), ['wl 1', 'wl 2']);
});

test('[PL65] a crusher with a number and a make is a machine and no place', () => {
  for (const text of [
    'Crusher CR-1 is a Metso LT120.',
    'Chancador CR-1 es un Metso LT120.',
    'Britador CR-1: Metso LT120.',
    'Concasseur CR-1 est un Metso LT120.',
    'Brecher CR-1 ist ein Metso LT120.',
  ]) {
    const { equipment, locations } = planSite(text);
    assert.deepEqual(
      [equipment.map(({ unit_number, model }) => [unit_number, model]), locations],
      [[['CR-1', 'LT120']], []],
      text,
    );
  }
  const { locations } = planSite(`The crusher is at the North Pit. ${FLEET.en}`);
  assert.deepEqual(
    locations.map(({ name }) => name),
    ['crusher', 'North Pit'],
  );
});

test('[PL66] Ute before a name is a person in German, and a machine elsewhere', () => {
  const fleet = 'Bagger EX-01 und EX-02. ';
  assert.deepEqual(drivers(`${fleet}Ute Fuchs fährt EX-01.`), [['Ute Fuchs', 'EX-01']]);
  assert.deepEqual(drivers(`${fleet}Fahrer: Ute Fuchs, Hans Bauer.`), [
    ['Ute Fuchs', null],
    ['Hans Bauer', null],
  ]);
  assert.equal(planSite(`${fleet}Ute Fuchs fährt EX-01.`).equipment.length, 2);
  assert.deepEqual(
    planSite('Utes UT-01 and UT-02 are Toyota Hilux.').equipment.map(({ kind }) => kind),
    ['light_vehicle', 'light_vehicle'],
  );
});

test('[PL67] an operator has the machine of his own part of the sentence, and never that of another person', () => {
  assert.deepEqual(drivers('Excavator EX-01 (operator Ana Ruiz), trucks HT-01 (Tom Field) and HT-02 (Joe Hill).'), [
    ['Ana Ruiz', 'EX-01'],
    ['Tom Field', 'HT-01'],
    ['Joe Hill', 'HT-02'],
  ]);
  assert.deepEqual(drivers(`${FLEET.en}Our operators are Ana Ruiz on HT-1 and Tom Field on HT-2.`), [
    ['Ana Ruiz', 'HT-1'],
    ['Tom Field', 'HT-2'],
  ]);
  assert.deepEqual(drivers('Fahrer Hans Bauer fährt Bagger EX-1 und Lisa Klein fährt Dumper DU-1.'), [
    ['Hans Bauer', 'EX-1'],
    ['Lisa Klein', 'DU-1'],
  ]);
  assert.deepEqual(drivers('Radlader LD-1: Fahrer Max Kern; Bagger EX-1: Fahrerin Eva Berg.'), [
    ['Max Kern', 'LD-1'],
    ['Eva Berg', 'EX-1'],
  ]);
  assert.deepEqual(drivers('Camiones HT-01 (Ana Ruiz) y HT-02 (Juan Soto).'), [
    ['Ana Ruiz', 'HT-01'],
    ['Juan Soto', 'HT-02'],
  ]);
});

test('[PL68] a machine with a number is at the place behind it, also if that is a crusher', () => {
  for (const [text, crusher, workshop] of [
    ['Truck 12 at the crusher, truck 14 in the workshop.', 'crusher', 'workshop'],
    ['Camión 12 en el chancador, camión 14 en el taller.', 'chancador', 'taller'],
    ['Caminhão 12 no britador, caminhão 14 na oficina.', 'britador', 'oficina'],
    ["Le camion 12 au concasseur, le camion 14 à l'atelier.", 'concasseur', 'atelier'],
    ['Dumper 12 beim Brecher, Dumper 14 in der Werkstatt.', 'Brecher', 'Werkstatt'],
  ] as const)
    assert.deepEqual(
      planSite(text).equipment.map(({ unit_number, location }) => [unit_number, location]),
      [
        ['12', crusher],
        ['14', workshop],
      ],
      text,
    );
});

test('[PL69] a text of people only is a description if it begins with their role and a colon', () => {
  for (const text of [
    'Operators: Ana Ruiz, Tom Field.',
    'Operadores: Ana Ruiz, Tom Field.',
    'Conducteurs : Ana Ruiz, Tom Field.',
    'Fahrer: Ana Ruiz, Tom Field.',
  ])
    assert.deepEqual(
      drivers(text),
      [
        ['Ana Ruiz', null],
        ['Tom Field', null],
      ],
      text,
    );
  assert.deepEqual(
    planSite('Mecânicos: João Silva.').mechanics.map(({ name }) => name),
    ['João Silva'],
  );
  assert.equal(planSite('My operator Ana Ruiz likes the sea.').failure?.reason, 'nothing_readable');
  assert.equal(planSite('Managers: Ana Ruiz, Tom Field.').failure?.reason, 'nothing_readable');
});

test('[PL70] a plan has the machines that are gone and nights without work as facts, and makes no object of them', () => {
  const facts = (text: string) =>
    planSite(text).facts.map(({ fact, unit_number, from }) => [fact, unit_number, from[0]]);
  assert.deepEqual(facts(`${FLEET.en}We sold LD-9. No night shift.`), [
    ['LD-9 is gone from the site.', 'LD-9', 'We sold LD-9.'],
    ['Nobody works at night.', null, 'No night shift'],
  ]);
  assert.equal(planSite(`${FLEET.en}We sold LD-9.`).equipment.length, 2);
  for (const text of ['LD-9 may be sold.', 'Was LD-9 sold?', 'LD-9 is on order.', 'LD-9 belongs to the contractor.'])
    assert.deepEqual(facts(FLEET.en + text), [], text);
});
