/** What a setup reads of sheets as people make them: sections, sparse rows, filters, merged cells; and the limits of what it keeps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { planSite } from '#domain/planner/plan.ts';
import { placesIn, withPlaces } from '#domain/setup/cited-places.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { type MadePiece, type MadeSheet, pdf, pdfOf, xlsx, xlsxParts, zip } from './made-files.ts';

const reader = createSiteReader();
const read = (name: string, content: Uint8Array | string) =>
  reader.join('', [{ name, content: Buffer.from(content as string) }]);
const HEAD = ['Unit', 'Type', 'Make', 'Model', 'Year', 'Location'];
const unitsOf = (text: string) => planSite(text).equipment.map(({ unit_number }) => unit_number);

test('[Q36] a row with few cells and a row of a section do not end a table', async () => {
  const rows = [
    HEAD,
    ['Haul trucks'],
    ['HT-01', 'haul truck', 'Caterpillar', '777G', 2019, 'North Pit'],
    ['HT-02', 'haul truck'],
    ['HT-03', 'haul truck', 'Caterpillar', '777G', 2019, 'North Pit'],
    ['Loaders'],
    ['WL-01', 'wheel loader', 'Caterpillar', '988', 2020, 'North Pit'],
  ];
  const sheet = await read('a.xlsx', xlsx([{ name: 'Fleet', rows }]));
  assert.ok(sheet.text.includes('HT-02; haul truck; ; ; ;'), sheet.text);
  const csv = await read('a.csv', rows.map((row) => row.join(',')).join('\n'));
  const cell = (text: string | number) => `<td>${text}</td>`;
  const html = rows.map((row) =>
    row.length === 1
      ? `<tr><td colspan="6">${row[0]}</td></tr>`
      : `<tr>${row.map(cell).join('')}${'<td></td>'.repeat(6 - row.length)}</tr>`,
  );
  const page = await read('a.html', `<html><table>${html.join('')}</table></html>`);
  for (const { text } of [sheet, csv, page]) assert.deepEqual(unitsOf(text), ['HT-01', 'HT-02', 'HT-03', 'WL-01']);
});

test('[PL47] machines below the row of a section that says that they are gone are only proposed', async () => {
  const text = `${HEAD.join(';')}
HT-01;haul truck;Caterpillar;777G;2019;North Pit
Sold;;;;;
HT-02;haul truck;Caterpillar;777G;2019;North Pit
Loaders;;;;;
WL-01;wheel loader;Caterpillar;988;2020;North Pit`;
  assert.deepEqual(unitsOf(text), ['HT-01', 'WL-01']);
  const proposed = planSite(text).gaps.flatMap(({ proposal }) => proposal?.equipment ?? []);
  assert.deepEqual(
    proposed.map(({ unit_number }) => unit_number),
    ['HT-02'],
  );
});

const number = (value: number, style: number) => ({ attributes: `s="${style}"`, xml: `<v>${value}</v>` });
const linesOf = async (sheet: Omit<MadeSheet, 'name'>) => {
  const { text, gaps } = await read('a.xlsx', xlsx([{ name: 'Fleet', ...sheet }]));
  return { lines: text.split('\n'), messages: gaps.map(({ message }) => message) };
};

test('[Q37] numbers keep the leading zeros and the letters of their format', async () => {
  const { lines } = await linesOf({
    rows: [
      ['Unit', 'Type'],
      [number(7, 2), 'loader'],
      [number(7, 3), 'truck'],
      [7, 'dozer'],
    ],
  });
  assert.deepEqual(lines, ['Unit; Type', '007; loader', 'HT-07; truck', '7; dozer']);
});

test('[Q37] rows and columns that the sheet hides are not read, and are a gap', async () => {
  const { lines, messages } = await linesOf({
    rows: [
      ['Unit', 'Old number', 'Type'],
      ['HT-01', 'X1', 'haul truck'],
      ['HT-02', 'X2', 'haul truck'],
      ['HT-03', 'X3', 'haul truck'],
    ],
    hiddenRows: [3],
    columns: '<cols><col min="2" max="2" hidden="1"/></cols>',
  });
  assert.deepEqual(lines, ['Unit; Type', 'HT-01; haul truck', 'HT-03; haul truck']);
  assert.deepEqual(messages, ['The file hides 1 rows and 1 columns with values. They were not read.']);
});

test('[Q37] a sheet that hides rows without their numbers is a gap', async () => {
  const rows = [
    ['Unit', 'Type'],
    ['HT-01', 'haul truck'],
  ];
  const unnumbered = (hidden: string) =>
    zip(
      xlsxParts([{ name: 'Fleet', rows, hiddenRows: [2] }]).map((part) =>
        part.name === 'xl/worksheets/sheet1.xml'
          ? {
              ...part,
              content: Buffer.from(part.content.toString().replace('<row r="2" hidden="1">', `<row${hidden}>`)),
            }
          : part,
      ),
    );
  const { text, gaps } = await read('a.xlsx', unnumbered(' spans="1:2" hidden="1"'));
  assert.equal(text, '');
  assert.match(gaps[0]?.message ?? '', /hides rows without their numbers/);
  assert.equal((await read('a.xlsx', unnumbered(''))).text, 'Unit; Type\nHT-01; haul truck');
});

test('[Q37] a merged cell counts for all its rows', async () => {
  const { lines } = await linesOf({
    rows: [
      ['Fleet of Harrow'],
      ['Unit', 'Type', 'Make'],
      ['HT-01', 'haul truck', 'Volvo'],
      ['HT-02', null, 'Volvo'],
      ['HT-03'],
    ],
    behind:
      '<mergeCells count="3"><mergeCell ref="A1:C1"/><mergeCell ref="B3:B5"/><mergeCell ref="B3:B1048576"/></mergeCells>',
  });
  assert.deepEqual(lines, [
    'Fleet of Harrow',
    'Unit; Type; Make',
    'HT-01; haul truck; Volvo',
    'HT-02; haul truck; Volvo',
    'HT-03; haul truck;',
  ]);
});

/** Characters of a document above which sync holds it back. */
const MOST_STORED = 1_000_000;

test('[Q38] a small file with long names or many short lines says and stores little', async () => {
  const rows = Array.from({ length: 5_000 }, (_, i) => [`A${i}`]);
  const names = await read('a.xlsx', xlsx([{ name: 'x'.repeat(40_000), rows }]));
  assert.ok(names.places.every(({ at }) => at.length < 60));
  const hidden = await read(
    'b.xlsx',
    xlsx([
      { name: 'Fleet', rows: [['HT-01']] },
      ...Array.from({ length: 50 }, (_, i) => ({
        name: `${i}${'h'.repeat(30_000)}`,
        rows: [],
        state: 'hidden' as const,
      })),
    ]),
  );
  assert.ok(hidden.gaps.every(({ message }) => message.length <= 500));
  const lines = await read('c.txt', 'a\n'.repeat(1_000_000));
  assert.match(lines.gaps[0]?.message ?? '', /has 1000001 lines. Only the first 10000 were read/);
  const sparse = await read('d.csv', `${'a'.repeat(10)}\n\n`.repeat(5_000));
  const control = await read('e.txt', '\u0001'.repeat(50_000).concat('a'));
  for (const { text, places, gaps } of [names, hidden, lines, sparse, control])
    assert.ok(JSON.stringify({ text, places, gaps }).length < MOST_STORED / 2);
  assert.ok(!control.text.includes('\u0001'));
});

test('[Q35] a row is cited where it stands, and not inside of a longer row', () => {
  const text = '12; dumper; Volvo; A40\n2; dumper; Volvo; A40\nHT-1; truck\nT-1; truck';
  const at = placesIn(text, [{ at: 'a.csv, row', runs: [0, 1] }]);
  assert.equal(at(['2; dumper; Volvo; A40']), 'a.csv, row 2');
  assert.equal(at(['12; dumper; Volvo; A40']), 'a.csv, row 1');
  assert.equal(at(['T-1; truck']), 'a.csv, row 4');
  const sorted = `Unit; Type; Make; Model\n12; dumper; Volvo; A40\n2; dumper; Volvo; A40`;
  const { equipment } = withPlaces(planSite(sorted), sorted, [{ at: 'a.csv, row', runs: [0, 1] }]);
  assert.deepEqual(
    equipment.map(({ unit_number, at: place }) => [unit_number, place]),
    [
      ['12', 'a.csv, row 2'],
      ['2', 'a.csv, row 3'],
    ],
  );
});

test('[Q32] an archive with a second directory is refused', async () => {
  const good = zip(xlsxParts([{ name: 'Fleet', rows: [['HT-01']] }]));
  assert.equal((await read('a.xlsx', good)).text, 'HT-01');
  const end = good.length - 22;
  const other = zip(xlsxParts([{ name: 'Fleet', rows: [['HT-99']] }]));
  const otherEnd = other.length - 22;
  // The second archive stands before the first, with the records of ZIP64 that lead to its directory.
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(other.readUInt16LE(otherEnd + 10)), 32);
  record.writeBigUInt64LE(BigInt(other.readUInt32LE(otherEnd + 12)), 40);
  record.writeBigUInt64LE(BigInt(other.readUInt32LE(otherEnd + 16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  const parts = other.subarray(0, otherEnd);
  locator.writeBigUInt64LE(BigInt(parts.length), 8);
  locator.writeUInt32LE(1, 16);
  const whole = (change: (last: Buffer) => void) => {
    const last = Buffer.from(other.subarray(otherEnd));
    change(last);
    return Buffer.concat([parts, record, locator, last]);
  };
  for (const file of [
    whole(() => undefined),
    whole((last) => last.writeUInt32LE(0xffffffff, 12)),
    whole((last) => last.writeUInt32LE(0xffffffff, 16)),
    whole((last) => last.writeUInt16LE(0xffff, 10)),
    Buffer.concat([good.subarray(0, end + 12), Buffer.from([255, 255, 255, 255]), good.subarray(end + 16)]),
  ])
    assert.equal((await read('a.xlsx', file)).gaps[0]?.code, 'file_unreadable');
});

const pieces = (rows: readonly (readonly string[])[], top: number, step: number): MadePiece[] =>
  rows.flatMap((row, r) =>
    row.flatMap((text, c) => (text === '' ? [] : [{ x: 50 + 120 * c, y: top - step * r, text }])),
  );

test('[Q42] a cell of a PDF over two lines is one cell, and a table goes on over sections and pages', async () => {
  const first = [
    ...pieces(
      [
        ['Unit', 'Type', 'Make', 'Location'],
        ['HT-01', 'haul truck', 'Volvo', 'North'],
      ],
      700,
      20,
    ),
    { x: 410, y: 668, text: 'Pit' },
    ...pieces([['Loaders'], ['WL-01', 'wheel loader', 'Volvo', 'East Pit']], 640, 20),
    { x: 280, y: 40, text: 'Page 1 of 2' },
  ];
  const second = [
    { x: 50, y: 800, text: 'Fleet of Harrow' },
    ...pieces([['WL-02', 'wheel loader', 'Volvo', 'East Pit']], 760, 20),
  ];
  const { text, places } = await read('fleet.pdf', pdf([first, second]));
  assert.deepEqual(text.split('\n'), [
    'Unit; Type; Make; Location',
    'HT-01; haul truck; Volvo; North Pit',
    'Loaders; ; ;',
    'WL-01; wheel loader; Volvo; East Pit',
    'Page 1 of 2',
    '',
    'Fleet of Harrow',
    'Unit; Type; Make; Location',
    'WL-02; wheel loader; Volvo; East Pit',
  ]);
  const at = placesIn(text, places);
  assert.equal(at(['WL-01; wheel']), 'fleet.pdf, page 1, line 5');
  assert.equal(at(['WL-02; wheel']), 'fleet.pdf, page 2, line 2');
  assert.deepEqual(unitsOf(text), ['HT-01', 'WL-01', 'WL-02']);
});

test('[Q42] a row of a PDF without a first cell is a row, also where rows stand close together', async () => {
  const heads = ['Location', 'Unit', 'Type', 'Model'];
  const rows = [
    ['North Pit', 'HT-1', 'haul truck', '777G'],
    ['', 'HT-2', 'haul truck', '777G'],
    ['', 'HT-3', 'haul truck', '777G'],
    ['', '', 'wheel loader', ''],
    ['', 'HT-4', '', ''],
  ];
  const own = [
    'Location; Unit; Type; Model',
    'North Pit; HT-1; haul truck; 777G',
    '; HT-2; haul truck; 777G',
    '; HT-3; haul truck; 777G',
    '; ; wheel loader;',
    '; HT-4; ;',
  ];
  for (const below of [13.6, 30]) {
    const file = pdf([[...pieces([heads], 700 + below, 20), ...pieces(rows, 700, 13.6)]]);
    const { text } = await read('fleet.pdf', file);
    assert.deepEqual(text.split('\n'), own, `${below}`);
    assert.deepEqual(unitsOf(text), ['HT-1', 'HT-2', 'HT-3']);
  }
});

test('[Q42] a page that is damaged or has no text is a gap, and the others are read', async () => {
  const draw = (text: string) => deflateSync(`BT /F1 10 Tf 50 700 Td (${text}) Tj ET`);
  const { text, gaps } = await read(
    'a.pdf',
    pdfOf([draw('Two loaders.'), Buffer.from('no stream'), draw('One crusher.')]),
  );
  assert.match(text, /Two loaders\.[\s\S]*One crusher\./);
  assert.deepEqual(
    gaps.map(({ message }) => message),
    ['Pages without text, or damaged: 2. They were not read.'],
  );
});
