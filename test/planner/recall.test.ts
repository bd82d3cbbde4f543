/** What the planner reads at once: constructions of real texts that must make their objects, and near ones that must not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSite } from '#domain/planner/plan.ts';
import { LANGUAGES } from './format.ts';
import { SITES } from './traps.ts';
import { MORE_TRAPS } from './traps-later.ts';

const unitsOf = (text: string): string[] => planSite(text).equipment.map(({ unit_number }) => unit_number);
const kindsOf = (text: string): string[] => planSite(text).equipment.map(({ kind }) => kind);
const namesOf = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

test('[PL31] counts in words go up to 199 in each language', () => {
  for (const [text, count] of [
    ['Harrow Quarry runs sixty-one Cat 777 trucks.', 61],
    ['La Cantera Harrow tiene ciento veinte camiones Cat 777.', 120],
    ['A Pedreira Harrow tem noventa e duas escavadeiras Cat 336.', 92],
    ['La carrière Harrow a soixante et onze tombereaux Cat 777.', 71],
    ['La carrière Harrow a quatre-vingt-dix-sept tombereaux Cat 777.', 97],
    ['Der Steinbruch Harrow hat einundsechzig Muldenkipper Cat 777.', 61],
  ] as const)
    assert.equal(unitsOf(text).length, count, text);
});

test('[PL32] an unknown word behind a preposition, before a machine or in a compound of work is no doubt', () => {
  for (const text of [
    'Harrow Quarry. Two Cat 336 excavators with a frobnicator dig the bench.',
    'Harrow Quarry. Two trusty Cat 336 excavators dig the bench.',
    'Cantera Harrow. Dos excavadoras Cat 336 con frobnicador excavan el banco.',
    'Pedreira Harrow. Duas escavadeiras Cat 336 com frobnicador trabalham na bancada.',
    'Carrière Harrow. Deux pelles Cat 336 avec frobnicateur travaillent au pied du crassier.',
    'Steinbruch Harrow. Zwei Bagger Cat 336 mit Frobnikhammer graben an der Wand.',
  ])
    assert.deepEqual(kindsOf(text), ['excavator', 'excavator'], text);
});

test('[PL32] [PL33] [PL34] [PL35] [PL36] [PL43] sentences beside these rules make nothing', () => {
  for (const language of LANGUAGES)
    for (const trap of MORE_TRAPS[language])
      assert.deepEqual(
        unitsOf(`${SITES[language]}${trap}`).filter((unit) => !/^HT-0[12]$/.test(unit)),
        [],
        trap,
      );
});

test('[PL33] a phrase of a letter, a machine that does not start and a part that is awaited are no doubt', () => {
  for (const text of [
    'Harrow Quarry. As promised, the list: loader WL-1.',
    'Harrow Quarry. Loader WL-1 does not start.',
    'Harrow Quarry. Loader WL-1 needs a new gearbox.',
    'Cantera Harrow. La cargadora WL-1 no arranca, esperamos un filtro.',
    'Pedreira Harrow. A carregadeira WL-1 está parada aguardando pneu.',
    'Carrière Harrow. La chargeuse WL-1 est à l’atelier, on attend un vérin.',
    'Steinbruch Harrow. Radlader WL-1 (Getriebe defekt, Monteur ist bestellt).',
  ])
    assert.deepEqual(unitsOf(text), ['WL-1'], text);
});

test('[PL34] a number that a list leaves out is not made, and the others are', () => {
  for (const [text, units] of [
    ['Harrow Quarry. Haul trucks T1 T2 T4, T3 is sold.', ['T1', 'T2', 'T4']],
    ['Harrow Quarry. Haul trucks, unit numbers 31, 32 and 34 (33 went to Leeds).', ['31', '32', '34']],
    ['Carrière Harrow. Tombereaux rigides unités 301 à 304 (il n’y a pas de 303).', ['301', '302', '304']],
    ['Cantera Harrow. Tenemos tres camiones Komatsu 930E, el 41, el 42 y el 45, el 44 no existe.', ['41', '42', '45']],
    ['Steinbruch Harrow. Radlader Nr. 1, 2 und 4, der 3er ist verkauft.', ['1', '2', '4']],
  ] as const)
    assert.deepEqual(unitsOf(text), units, text);
});

test('[PL35] a number behind a machine and `have` is a count; a number behind an article, and a year, are none', () => {
  for (const [text, count] of [
    ['Pedreira Harrow. Escavadeira EX-1. Caminhão basculante tem 3.', 4],
    ['Steinbruch Harrow. Bagger EX-1. Förderbänder 6 Stück.', 7],
    ['Cantera Harrow. Excavadora EX-1. Motoniveladora una, Cat 16M.', 2],
    ['Mina Harrow. Excavadora EX-1. Perforadoras: 02 unidades Sandvik DI550.', 3],
    ['Pedreira Harrow. Caminhão basculante 5 do BT01 ao BT05.', 5],
    ['Harrow Quarry. Excavator EX-1, loader WL-1 and a 777 truck.', 3],
    ['Harrow Quarry. Excavator EX-1 and a 2019 Cat 140M3 grader.', 2],
  ] as const)
    assert.equal(unitsOf(text).length, count, text);
});

test('[PL36] plates and running numbers are whole, and serial numbers are no machines', () => {
  for (const [text, units] of [
    ['Obra Harrow. O camião cisterna, matrícula 45-XQ-12, rega a pista.', ['45-XQ-12']],
    ['Baustelle Harrow. 2 Kipper MAN, Kennzeichen MKK-BT 210 und MKK-BT 211.', ['MKK-BT 210', 'MKK-BT 211']],
    ['Baustelle Harrow. Kettenbagger Cat 323, Geräte-Nr. 4711-02.', ['4711-02']],
    ['Harrow Quarry. Dozer DZ-06 (Cat D8T, s/n KPZ01234).', ['DZ-06']],
    ['Mina Harrow. Tractor de orugas TO-5, D8T, en el botadero.', ['TO-5']],
  ] as const)
    assert.deepEqual(unitsOf(text), units, text);
});

test('[PL37] each line of a chat is a sentence; a line that a program has wrapped goes on', () => {
  const chat =
    'kit at Harrow quarry\nloading shovel WL-1 works on the stockpile all week and WL-2 is down on the bench\ndozer DZ-1\nthe old JCB 456 went to auction in march';
  assert.deepEqual(unitsOf(chat), ['WL-1', 'WL-2', 'DZ-1']);
  const letter =
    'Harrow Quarry. The two loaders that work on the stockpile of the quarry and\nload the customers are sold. We have a grader, and the grader is the Cat 140\nwith the number GR-1.';
  assert.deepEqual(unitsOf(letter), ['GR-1']);
});

test('[PL38] who was at a meeting, and an office in capitals, are no operators and mechanics', () => {
  const plan = planSite(
    'Harrow Quarry. Excavator EX-1 is a Cat 336.\nPresent: S. Kaur (planning), Ray Bell (maintenance)\nOperators: the list comes from HR.\nOperators: Pier-Luc Vachon (EX-1). Mechanic: Vítor Quintas.',
  );
  assert.deepEqual(namesOf(plan.operators), ['Pier-Luc Vachon']);
  assert.deepEqual(namesOf(plan.mechanics), ['Vítor Quintas']);
  const pairs = planSite(
    'Faena Harrow. Dos palas hidráulicas Cat 6040, la 1 y la 2. Operador de la pala 1 don Hernán Cayupi, de la pala 2 la señora Marisol Tapia.',
  );
  assert.deepEqual(
    pairs.operators.map(({ name, machine }) => [name, machine]),
    [
      ['Hernán Cayupi', '1'],
      ['Marisol Tapia', '2'],
    ],
  );
});

test('[PL39] a start and an end are a shift; `03/09` is none', () => {
  for (const [text, starts, ends] of [
    ['Harrow Quarry has a Cat 777 T1. We start half 6 finish at 5.', '06:30', '17:00'],
    ['Steinbruch Harrow hat einen Bagger B1. Wir fangen um 6 an und hören um viertel nach 2 auf.', '06:00', '14:15'],
    ['Cantera Harrow tiene una excavadora E1. Empezamos a las 7 y terminamos a las 3.', '07:00', '15:00'],
  ] as const)
    assert.deepEqual(
      planSite(text).shifts.map((shift) => [shift.starts, shift.ends]),
      [[starts, ends]],
      text,
    );
  assert.deepEqual(planSite('Carrière Harrow : pelle P1. Horaires du jour (mise à jour 03/09).').shifts, []);
});

test('[PL40] what lies on a heap belongs to its name; a crew may have a direction, and `A crew` needs a `B crew`', () => {
  for (const [text, place] of [
    ['Harrow Quarry. Loader WL-1 works on the sand stockpile.', 'sand stockpile'],
    ['Cantera Harrow. La cargadora WL-1 trabaja en el acopio de arena.', 'acopio de arena'],
    ['Carrière Harrow. La chargeuse WL-1 travaille au stock de 0/20.', 'stock de 0/20'],
    ['Steinbruch Harrow. Radlader WL-1 arbeitet an der Halde 0/32.', 'Halde 0/32'],
  ] as const)
    assert.ok(namesOf(planSite(text).locations).includes(place), text);
  const plan = planSite(
    'Harrow Quarry has a Cat 777 T1. A crew on days 0600-1800, B crew on nights 1800-0600. A crew: Tom Bell (T1).',
  );
  assert.deepEqual(namesOf(plan.crews), ['A crew', 'B crew']);
});

test('[PL41] a screen that is wanted perhaps or later, or that shows nothing, is proposed', () => {
  const plan = planSite(
    'Harrow Quarry has a Cat 777 T1.\nPut a TV in the canteen.\nMaybe a screen in the office with the map.\nScreens.\nDispatch gets a map. The workshop gets open tickets.',
  );
  assert.deepEqual(
    plan.boards.map(({ place, shows }) => [place, shows]),
    [
      ['Dispatch', ['map']],
      ['workshop', ['tickets']],
    ],
  );
  const proposed = plan.gaps.flatMap(({ proposal }) => proposal?.boards ?? []);
  assert.deepEqual(proposed.map(({ shows }) => shows).toSorted(), [['map'], ['status']]);
});

test('[PL42] a pump and a crane are certain with a count in figures or beside another machine', () => {
  const site = 'Harrow Quarry. Excavator EX-1 is a Cat 336. ';
  assert.deepEqual(kindsOf(`${site}2 pumps in the sump.`), ['excavator', 'pump', 'pump']);
  assert.deepEqual(kindsOf(`${site}We have a pump and a Cat D6 dozer.`), ['excavator', 'pump', 'dozer']);
  assert.deepEqual(kindsOf(`${site}A pump keeps the pit dry.`), ['excavator']);
});

test('[PL44] a sentence with units of its own is no list of the machine that a sentence before speaks of', () => {
  const text =
    'Kieswerk Harrow. Er könnte die Arbeit von einem Grader machen. Weiterhin im Einsatz sind RL-5 und RL-6 (Radlader).';
  assert.deepEqual(
    kindsOf(text).filter((kind) => kind === 'grader'),
    [],
  );
  assert.deepEqual(kindsOf('Harrow Quarry. Two haul trucks HT-1 and HT-2. They are 777s.'), [
    'haul_truck',
    'haul_truck',
  ]);
});
