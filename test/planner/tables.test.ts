/** What the planner reads of tables: several in one sheet, rows with little, rows that speak of one machine, and rows that it does not understand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSite } from '#domain/planner/plan.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { type MadePiece, type MadeSheet, pdf, xlsx } from '#test/reading/made-files.ts';

const reader = createSiteReader();
async function planOf(name: string, content: Uint8Array | string) {
  const { text } = await reader.join('', [{ name, content: Buffer.from(content as string) }]);
  return planSite(text);
}
const planSheets = (...sheets: MadeSheet['rows'][]) =>
  planOf('a.xlsx', xlsx(sheets.map((rows, i) => ({ name: `Sheet ${i + 1}`, rows }))));

type Plan = ReturnType<typeof planSite>;
const made = ({ equipment }: Plan) => equipment.map(({ unit_number }) => unit_number);
const proposed = ({ gaps }: Plan) =>
  gaps.flatMap(({ proposal }) => proposal?.equipment ?? []).map(({ unit_number, kind }) => `${unit_number} ${kind}`);
const messages = ({ gaps }: Plan, code: string) => gaps.flatMap((gap) => (gap.code === code ? [gap.message] : []));

const FLEET = ['Unit', 'Type', 'Make', 'Model', 'Location'];
const HT1 = ['HT-1', 'Haul truck', 'Caterpillar', '777G', 'North Pit'];

test('[PL50] a title row that is wider than the table does not hide its headings', async () => {
  const title = ['Fleet register', ...Array.from({ length: 9 }, () => null), 'Printed 12.03.2026'];
  const plan = await planSheets([title, FLEET, HT1]);
  assert.deepEqual(
    plan.equipment.map(({ unit_number, model, location }) => [unit_number, model, location]),
    [['HT-1', '777G', 'North Pit']],
  );
});

test('[PL51] a second table of a sheet, a page or a web page has its own columns', async () => {
  const people = [
    ['Name', 'Role', 'Crew'],
    ['Ana Ruiz', 'Operator', 'A'],
  ];
  const loaders = [
    ['Type', 'Unit', 'Model'],
    ['Wheel loader', 'WL-1', '988'],
  ];
  const fleet = [
    ['Unit', 'Type', 'Model'],
    ['HT-1', 'Haul truck', '777G'],
  ];
  const html = (rows: readonly (readonly string[])[]) =>
    `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;
  const pieces = (rows: readonly (readonly string[])[], top: number): MadePiece[] =>
    rows.flatMap((row, r) => row.map((text, c) => ({ x: 50 + 120 * c, y: top - 20 * r, text })));
  for (const second of [people, loaders]) {
    const plans = [
      await planSheets([...fleet, [], ...second]),
      await planOf('a.pdf', pdf([[...pieces(fleet, 700), ...pieces(second, 600)]])),
      await planOf('a.html', `<html><body>${html(fleet)}${html(second)}</body></html>`),
    ];
    for (const plan of plans) {
      assert.deepEqual(made(plan), second === people ? ['HT-1'] : ['HT-1', 'WL-1']);
      assert.deepEqual(
        plan.operators.map(({ name }) => name),
        second === people ? ['Ana Ruiz'] : [],
      );
    }
  }
  const repeated = await planSheets([...fleet, ['Unit', 'Type', 'Model'], ['HT-2', 'Haul truck', '777G']]);
  assert.deepEqual(made(repeated), ['HT-1', 'HT-2']);
});

test('[PL52] a row of which nothing is read is a gap, or a line of not_read', async () => {
  const plan = await planSheets([
    ['Unit', 'Type', 'Serial'],
    ['HT-1', 'Haul truck', 'S0'],
    ['PX-1', 'Frobnicator', 'S1'],
    ['PX-2', 'Frobnicator', 'S2'],
    ['HT-2', null, 'S3'],
    [null, 'Wheel loader', 'S4'],
    [null, 'Frobnicator', 'S5'],
    ['Zorgle'],
    ['HT-3', 'Haul truck', 'S6'],
  ]);
  assert.deepEqual(made(plan), ['HT-1', 'HT-3']);
  // Another machine has its letters.
  assert.deepEqual(proposed(plan), ['HT-2 haul_truck']);
  assert.deepEqual(messages(plan, 'unreadable_machine'), ['The text does not say what kind of machine PX-1, PX-2 is.']);
  const count = plan.gaps.find(({ code }) => code === 'missing_inventory');
  assert.deepEqual(count?.from, ['; Wheel loader; S4']);
  assert.deepEqual(plan.not_read, ['; Frobnicator; S5', 'Zorgle']);
  const people = await planSheets([
    ['Harrow Hill Quarry. North Pit.'],
    ['Name', 'Role', 'Crew'],
    ['Ana Ruiz', 'Operator', 'A'],
    ['Tom Reed', null, 'A'],
    ['Bob Stone'],
    ['Lena Moss', 'Accountant', 'A'],
  ]);
  assert.deepEqual(
    people.operators.map(({ name }) => name),
    ['Ana Ruiz'],
  );
  assert.deepEqual(people.not_read.slice(1), ['Tom Reed; ; A', 'Bob Stone', 'Lena Moss; Accountant; A']);
});

test('[PL52] the heading of a section tells the kind of rows without a type, as a proposal', async () => {
  const plan = await planSheets([
    ['Unit', 'Serial', 'Location'],
    ['Wheel loaders'],
    ['WL-1', 'S1', 'North Pit'],
    ['WL-2', 'S2', 'North Pit'],
  ]);
  assert.deepEqual(made(plan), []);
  assert.deepEqual(proposed(plan), ['WL-1 wheel_loader', 'WL-2 wheel_loader']);
  assert.deepEqual(messages(plan, 'unconfirmed_machines'), [
    'Only the heading "Wheel loaders" above the row tells what kind of machine this is.',
  ]);
});

test('[PL52] a count of more than 1,000 machines, and ranges of more than a plan has, are gaps', async () => {
  const plan = await planOf('a.csv', 'Type;Qty\nHaul truck;2\nPump;1500\nDozer;0');
  assert.equal(plan.equipment.length, 2);
  assert.deepEqual(messages(plan, 'missing_inventory'), ['The text counts more than 1000 machines in one row.']);
  const rows = Array.from({ length: 11 }, (_, i) => `${'ABCDEFGHIJK'[i]}1-${'ABCDEFGHIJK'[i]}1000;haul truck`);
  const ranges = await planOf('a.csv', `Unit;Type\n${rows.join('\n')}`);
  assert.equal(ranges.equipment.length, 10_000);
  assert.match(messages(ranges, 'list_too_long')[0] ?? '', /1000 were left out/);
});

test('[PL53] rows with one number are one machine, and what they say differently is a gap', async () => {
  const plan = await planSheets(
    [FLEET, ['HT-1', 'Haul truck', 'Caterpillar', '777G', null], ['7', 'Haul truck', 'Caterpillar', '777G', null]],
    [
      ['Unit', 'Type', 'Serial', 'Location'],
      ['HT-1', 'Haul truck', 'S1', 'North Pit'],
      ['HT-1', 'Haul truck', 'S2', 'North Pit'],
    ],
    [
      ['Unit', 'Driver', 'Type'],
      [7, 'Ana Ruiz', 'Haul truck'],
      [7, 'Ben Moss', null],
      ['WL-1', 'Tom Reed', 'Wheel loader'],
      ['WL-1', 'Tom Reed', 'Excavator'],
    ],
  );
  assert.deepEqual(
    plan.equipment.map(({ unit_number, serial_number, location, model, kind }) => [
      ...[unit_number, serial_number, location, model, kind],
    ]),
    [
      ['HT-1', 'S1', 'North Pit', '777G', 'haul_truck'],
      ['7', null, null, '777G', 'haul_truck'],
      ['WL-1', null, null, null, 'wheel_loader'],
    ],
  );
  assert.equal(plan.equipment[0]?.from.length, 3);
  assert.deepEqual(messages(plan, 'rows_differ'), [
    'Two rows say different things of HT-1 (serial number: S1, S2). The first row is planned.',
    'Two rows say different things of WL-1 (kind: wheel_loader, excavator). The first row is planned.',
  ]);
  assert.deepEqual(
    plan.operators.map(({ name, machine }) => [name, machine]),
    [
      ['Ana Ruiz', '7'],
      ['Ben Moss', '7'],
      ['Tom Reed', 'WL-1'],
    ],
  );
  // A number without letters may be used once for each kind.
  assert.deepEqual(made(planSite('Unit;Type\n7;Haul truck\n7;Wheel loader')), ['HT-07', 'WL-07']);
});

test('[PL53] a doubt of one row is a doubt about its machine, and a sentence tells the kind of a row', () => {
  const doubted = planSite('Unit;Type\nHT-1;Haul truck\nHT-2;Haul truck\n\nUnit;Type;Remark\nHT-2;Haul truck;on order');
  assert.deepEqual([made(doubted), proposed(doubted)], [['HT-1'], ['HT-2 haul_truck']]);
  const told = planSite('HT-1 is a haul truck in North Pit.\n\nUnit;Serial\nHT-1;S1');
  assert.deepEqual(
    told.equipment.map(({ unit_number, serial_number }) => [unit_number, serial_number]),
    [['HT-1', 'S1']],
  );
  const ordered = planSite('HT-1 is a haul truck in North Pit.\n\nUnit;Serial;Remark\nHT-1;S1;on order');
  assert.deepEqual([made(ordered), proposed(ordered)], [[], ['HT-1 haul_truck']]);
});

test('[PL54] words that say that a machine is not there count in each column of its row', () => {
  for (const [heading, cell] of [
    ['Serial', 'on order'],
    ['Year', 'planned'],
    ['Driver', 'sold'],
    ['Model', '777G (sold)'],
    ['Make', 'Cat, ordered'],
    ['Crew', 'rented out'],
    ['Location', 'on order'],
  ] as const) {
    const plan = planSite(`Unit;Type;${heading}\nHT-3;haul truck;${cell}\nEX-7;excavator;`);
    assert.deepEqual(made(plan), ['EX-7'], `${heading}: ${cell}`);
  }
  for (const [heading, cell] of [
    ['Serial', 'none'],
    ['Driver', 'Will Frost'],
    ['Model', '777G'],
    ['Remark', 'hired'],
    ['Location', 'Old Pit'],
  ] as const) {
    const plan = planSite(`Unit;Type;${heading}\nHT-3;haul truck;${cell}\nEX-7;excavator;`);
    assert.deepEqual(made(plan), ['HT-3', 'EX-7'], `${heading}: ${cell}`);
  }
});

test('[PL52] a row of drivers without a machine gives its people, and a row of which nothing is read is told', () => {
  const site = 'Harrow Hill Quarry. Day shift 06:00 to 18:00. HT-01 is a haul truck.\n\n';
  for (const heading of ['Operator', 'Driver', 'Fahrer']) {
    const plan = planSite(`${site}${heading};Crew;Badge\nAna Ruiz;A;17\nvacant;A;18`);
    assert.deepEqual(
      plan.operators.map(({ name, badge_id }) => [name, badge_id]),
      [['Ana Ruiz', '17']],
      heading,
    );
    assert.deepEqual(plan.not_read, ['vacant;A;18'], heading);
  }
  const duties = planSite(`${site}Operator;Machine;Shift\nAna Ruiz;HT-01;Day`);
  assert.deepEqual(
    duties.operators.map(({ name, machine }) => [name, machine]),
    [['Ana Ruiz', 'HT-01']],
  );
  assert.deepEqual(duties.not_read, []);
});

test('[PL52] the place of a row does not hide that its machines were not read', () => {
  const plan = planSite('Type;Count;Location\nHaul truck;3;North Pit\nFrobnicator;2;North Pit\nFrobnicator;;East Pit');
  assert.equal(plan.equipment.length, 3);
  assert.deepEqual(plan.not_read, ['Frobnicator;2;North Pit', 'Frobnicator;;East Pit']);
  const serials = planSite('Serial;Location\nS17;North Pit\n;East Pit\n\nHT-01 is a haul truck.');
  assert.deepEqual(serials.not_read, ['S17;North Pit']);
  // A list of places.
  const places = planSite('Location;Type\nNorth Pit;Pit\nROM pad;Stockpile\n\nHT-01 is a haul truck.');
  assert.deepEqual(places.not_read, []);
});

test('[PL53] a sign between two digits of a number counts', () => {
  const table = 'Unit;Type;Model;Serial;Operator\nCV-1.1;Conveyor;X;;Ana Ruiz\nCV-11;Conveyor;Y;S9;Ben Moss';
  const plan = planSite(table);
  assert.deepEqual(
    plan.equipment.map(({ unit_number, model, serial_number }) => [unit_number, model, serial_number]),
    [
      ['CV-1.1', 'X', null],
      ['CV-11', 'Y', 'S9'],
    ],
  );
  assert.deepEqual(
    plan.operators.map(({ name, machine }) => [name, machine]),
    [
      ['Ana Ruiz', 'CV-1.1'],
      ['Ben Moss', 'CV-11'],
    ],
  );
  assert.deepEqual(plan.gaps, []);
  assert.deepEqual(made(planSite('Unit;Type;Remark\nCV-1.1;Conveyor;\nCV-11;Conveyor;sold')), ['CV-1.1']);
  const gone = planSite('Unit;Type\nCV-1.1;Conveyor\n\nUnit;Type;Remark\nCV-11;Conveyor;sold');
  assert.deepEqual([made(gone), proposed(gone)], [['CV-1.1'], []]);
  // The same number with other signs is one machine.
  assert.deepEqual(made(planSite('Unit;Type\nHT-01;Haul truck\nht 1;Haul truck\n7-310;Dozer\n7.310;Dozer')), [
    ...['HT-01', '7-310'],
  ]);
});

test('[PL53] a number without letters whose row has an unknown type is no row of another machine', () => {
  const plan = planSite('Unit;Type;Serial\n1;Haul truck;\n1;Frobnicator;S9');
  assert.deepEqual(
    plan.equipment.map(({ unit_number, serial_number }) => [unit_number, serial_number]),
    [['1', null]],
  );
  const gap = plan.gaps.find(({ code }) => code === 'unreadable_machine');
  assert.deepEqual(gap?.from, ['1;Frobnicator;S9']);
  // A row without a type says more of the machine.
  assert.equal(planSite('Unit;Type;Serial\n1;Haul truck;\n1;;S9').equipment[0]?.serial_number, 'S9');
});

test('[PL53] rows whose number has no digit may be several machines', () => {
  for (const unit of ['TBD', 'NN']) {
    const row = `${unit};Haul truck;777G`;
    const plan = planSite(`Unit;Type;Model\n${row}\nHT-01;Haul truck;777G\n${row} \n${row};`);
    assert.deepEqual([made(plan), proposed(plan)], [['HT-01'], [`${unit} haul_truck`]]);
    const [gap] = plan.gaps.filter(({ code }) => code === 'unconfirmed_machines');
    assert.match(gap?.message ?? '', /it has no digit\. If they are several machines, write their unit numbers\.$/);
    assert.deepEqual(gap?.from, [row, `${row};`]);
  }
  const section = planSite('Unit;Type;Model;Make\nHaul trucks;;;\nTBD;;777X;\nTBD;;777X;');
  assert.deepEqual(messages(section, 'unconfirmed_machines').length, 1);
  assert.match(messages(section, 'unconfirmed_machines')[0] ?? '', /it has no digit/);
  assert.deepEqual(made(planSite('Unit;Type\nNN;Excavator')), ['NN']);
});
