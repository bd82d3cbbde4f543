/** The files of a setup: what is read of real ones, and what hostile ones can do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { placesIn } from '#domain/setup/cited-places.ts';
import { READ_BOUNDS } from '#reading/reading-types.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { pdf, pdfOf, xlsx, xlsxParts, zip } from './made-files.ts';

const reader = createSiteReader();
const read = async (name: string, content: Uint8Array | string, description = '') =>
  reader.join(description, [{ name, content: Buffer.from(content as string) }]);

const FLEET = [
  ['Fleet register 2026'],
  [],
  ['Unit', 'Type', 'Make', 'Model', 'Year', 'Location', 'Bought'],
  ['HT-01', 'Haul truck', 'Caterpillar', '777G', 2019, 'North Pit', { attributes: 's="1"', xml: '<v>43498</v>' }],
  ['HT-02', 'Haul truck', 'Caterpillar', '777G', null, 'North Pit', { attributes: 't="e"', xml: '<v>#REF!</v>' }],
  [],
  ['EX-7', 'Excavator', 'Komatsu; "big"', 'PC1250', 2021, 'East\nPit', null],
];

test('[Q31] an XLSX file becomes lines with the sheet and the row of each, and hidden sheets are a gap', async () => {
  const { text, places, gaps } = await read(
    'fleet.xlsx',
    xlsx([
      { name: 'Fleet', rows: FLEET },
      { name: 'Old', rows: [['HT-99', 'sold']], state: 'hidden' },
      {
        name: 'People',
        rows: [
          ['Name', 'Role'],
          ['Ana Ruiz', 'Operator'],
        ],
      },
    ]),
    'Harrow Hill Quarry.',
  );
  assert.deepEqual(text.split('\n'), [
    'Harrow Hill Quarry.',
    '',
    'Fleet register 2026',
    'Unit; Type; Make; Model; Year; Location; Bought',
    'HT-01; Haul truck; Caterpillar; 777G; 2019; North Pit; 2019-02-02',
    'HT-02; Haul truck; Caterpillar; 777G; ; North Pit; #REF!',
    "EX-7; Excavator; Komatsu, 'big'; PC1250; 2021; East Pit;",
    '',
    'Name; Role',
    'Ana Ruiz; Operator',
  ]);
  const at = (words: string) => placesIn(text, places)([words]);
  assert.equal(at('EX-7'), 'fleet.xlsx, sheet Fleet, row 7');
  assert.equal(at('Ana Ruiz'), 'fleet.xlsx, sheet People, row 2');
  assert.deepEqual(
    gaps.map(({ code, file, message }) => [code, file, message]),
    [['file_part_not_read', 'fleet.xlsx', 'Hidden sheets were not read: Old.']],
  );
});

test('[Q31] CSV files in the encodings and with the separators of spreadsheet programs are read', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Unit\tType\nCR-1\tcrusher', 'utf16le')]);
  assert.equal((await read('a.csv', utf16)).text, 'Unit; Type\nCR-1; crusher');
  const latin = Buffer.from('Código;Tipo\nPC-1;"pá ""grande""; nova"\n', 'latin1');
  const { text, places } = await read('b.csv', latin);
  assert.equal(text, "Código; Tipo\nPC-1; pá 'grande', nova");
  assert.deepEqual(places, [{ at: 'b.csv, row', runs: [0, 1] }]);
  assert.equal((await read('c.txt', 'Two loaders.\r\nNo trucks.')).text, 'Two loaders.\nNo trucks.');
});

test('[Q31] the text of a PDF becomes lines, and an empty cell of a table keeps the others in their columns', async () => {
  const table = [
    ['Unit', 'Type', 'Make', 'Year'],
    ['HT-01', 'haul truck', 'Caterpillar', '2019'],
    ['HT-02', 'haul truck', '', '2020'],
  ];
  const { text, places } = await read(
    'site.pdf',
    pdf([
      [{ x: 50, y: 800, text: 'Harrow Hill Quarry works in two pits.' }],
      table.flatMap((row, r) =>
        row.flatMap((cell, c) => (cell === '' ? [] : [{ x: 50 + 120 * c, y: 700 - 15 * r, text: cell }])),
      ),
    ]),
  );
  assert.deepEqual(text.split('\n'), [
    'Harrow Hill Quarry works in two pits.',
    '',
    'Unit; Type; Make; Year',
    'HT-01; haul truck; Caterpillar; 2019',
    'HT-02; haul truck; ; 2020',
  ]);
  assert.equal(placesIn(text, places)(['HT-02; haul']), 'site.pdf, page 2, line 3');
});

test('[Q32] a file that unpacks to too much, in one part or in many, is a gap', async () => {
  const parts = xlsxParts([{ name: 'Fleet', rows: FLEET }]);
  const zeros = Buffer.alloc(READ_BOUNDS.unpacked + 1, '0');
  const honest = zip([...parts, { name: 'xl/extra.xml', content: zeros }]);
  const liar = zip([...parts, { name: 'xl/extra.xml', content: zeros, saidSize: 100 }]);
  const many = zip([
    ...parts,
    ...Array.from({ length: READ_BOUNDS.parts }, (_, i) => ({ name: `${i}`, content: Buffer.from('x') })),
  ]);
  assert.ok(honest.length < 100_000, 'the bomb is small');
  for (const file of [honest, liar, many]) {
    const { text, gaps } = await read('bomb.xlsx', file);
    assert.equal(text, '');
    assert.match(gaps[0]?.message ?? '', /unpacks to more than 32 MiB/);
  }
});

test('[Q32] two cells at the corners of the largest sheet, and 1 GB of spaces in a PDF, end only the thread', async () => {
  const parts = xlsxParts([{ name: 'Fleet', rows: [['HT-01']] }]).map((part) =>
    part.name === 'xl/worksheets/sheet1.xml'
      ? {
          ...part,
          content: Buffer.from(
            part.content.toString().replace('</row>', '</row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
          ),
        }
      : part,
  );
  const corner = await read('corner.xlsx', zip(parts));
  assert.equal(corner.gaps[0]?.code, 'file_unreadable');
  const bomb = pdfOf([deflateSync(Buffer.alloc(1_000_000_000, ' '), { level: 6 })]);
  assert.ok(bomb.length < 2_000_000, 'the bomb is small');
  const before = process.memoryUsage.rss();
  let peak = before;
  const sample = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const { gaps } = await read('bomb.pdf', bomb);
  clearInterval(sample);
  assert.match(gaps[0]?.message ?? '', /stopped reading the file: it needs too much memory/);
  assert.ok(peak - before < 800_000_000, `the peak was ${peak - before} bytes higher`);
});

test('[Q32] entities that stand for other entities are not written out', async () => {
  const lol = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
  const parts = xlsxParts([{ name: 'Fleet', rows: [['HT-01', 'lol']] }]).map((part) =>
    part.name === 'xl/sharedStrings.xml'
      ? {
          ...part,
          content: Buffer.from(
            part.content
              .toString()
              .replace('<sst', `<!DOCTYPE sst [<!ENTITY l0 "lol">${lol}]><sst`)
              .replace('>lol<', '>&l10;<'),
          ),
        }
      : part,
  );
  const { text, gaps } = await read('lol.xlsx', zip(parts));
  assert.ok(text.length < 100 && (text.startsWith('HT-01') || gaps[0]?.code === 'file_unreadable'), text.slice(0, 200));
});

/** A worker that never ends for the file with this name, and reads all others. */
const slowFor = (name: string): URL => {
  const real = JSON.stringify(new URL('../../gateway/reading/reading-worker.ts', import.meta.url).href);
  const code = `import { workerData } from 'node:worker_threads'; if (workerData.read?.name === ${JSON.stringify(name)}) for (;;); await import(${real});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
};

test('[Q32] a thread that does not end is stopped at its deadline, and the next file is read', async () => {
  const slow = createSiteReader({
    read_ms: 3_000,
    worker: slowFor('slow.csv'),
  });
  const { text, gaps } = await slow.join('', [
    { name: 'slow.csv', content: Buffer.from('x') },
    { name: 'good.csv', content: Buffer.from('HT-01,haul truck') },
  ]);
  assert.match(gaps[0]?.message ?? '', /it took more than 3 s/);
  assert.equal(text, 'HT-01; haul truck');
});

test('[Q33] damaged, locked, empty, scanned and unknown files are gaps with a remedy', async () => {
  const good = xlsx([{ name: 'Fleet', rows: FLEET }]);
  const cases: [string, Uint8Array, string, RegExp][] = [
    ['cut.xlsx', good.subarray(0, good.length - 40), 'file_unreadable', /damaged/],
    [
      'password.xlsx',
      zip([{ name: 'xl/workbook.xml', content: Buffer.from('x'), flags: 1 }]),
      'file_locked',
      /password/,
    ],
    ['old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), 'file_locked', /old kind/],
    ['letter.docx', zip([{ name: 'word/document.xml', content: Buffer.from('<x/>') }]), 'file_unreadable', /no XLSX/],
    ['broken.pdf', Buffer.from('%PDF-1.4\n1 0 obj\n<<'), 'file_unreadable', /damaged/],
    ['scan.pdf', pdf([[]]), 'file_without_text', /scanned/],
    ['photo.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), 'file_unreadable', /no text/],
    ['empty.csv', Buffer.alloc(0), 'file_without_text', /no text/],
  ];
  for (const [name, content, code, message] of cases) {
    const { text, gaps } = await read(name, content);
    assert.equal(text, '', name);
    assert.equal(gaps.length, 1, name);
    assert.equal(gaps[0]?.code, code, name);
    assert.match(gaps[0]?.message ?? '', message, name);
    assert.ok((gaps[0]?.remedy ?? '').length > 10, name);
  }
});

test('[Q33] rows, columns, cells and characters beyond the limits are gaps, and the rest is read', async () => {
  const rows = Array.from({ length: READ_BOUNDS.rows + 3 }, (_, i) => `A${i},`);
  const tall = await read('tall.csv', rows.join('\n'));
  assert.equal(tall.text.split('\n').length, READ_BOUNDS.rows);
  assert.match(tall.gaps[0]?.message ?? '', /The last 3 were not read/);
  const wide = await read(
    'wide.csv',
    `${Array.from({ length: 50 }, (_, i) => `c${i}`).join(',')}\n${'x'.repeat(400)},y`,
  );
  assert.match(wide.gaps.map(({ message }) => message).join(), /has 50 columns.*1 cells have more than 300/);
  const long = await read('long.txt', 'a line of the text\n'.repeat(6_000));
  assert.ok(long.text.length <= 100_000);
  assert.match(long.gaps[0]?.message ?? '', /was read up to line 52\d\d/);
});

test('[Q32] eight setups may wait for their files, and the next one is refused', async () => {
  const own = createSiteReader();
  const all = Array.from({ length: 9 }, () => own.join('', [{ name: 'a.csv', content: Buffer.from('a,b') }]));
  const ends = await Promise.allSettled(all);
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 8);
  assert.match(String(ends.find((end) => end.status === 'rejected')?.reason), /8 setups wait/);
});

test('[Q39] a request that waits too long is refused, and the next one gets its turn', async () => {
  const slow = createSiteReader({ request_ms: 2_000, worker: slowFor('slow.csv') });
  const first = slow.join('', [{ name: 'slow.csv', content: Buffer.from('x') }]);
  await assert.rejects(first, { code: 'rate_limited' });
  assert.equal((await slow.join('', [{ name: 'a.csv', content: Buffer.from('a,b') }])).text, 'a; b');
});

test('[Q39] [Q40] a stop ends the thread at once, and a failed thread of the planner has an answer', async () => {
  const text = 'HT-1 is a haul truck.\n'.repeat(1_000);
  const endless = createSiteReader({ worker: new URL('data:text/javascript,for(;;);') });
  const stop = new AbortController();
  const planning = endless.plan(text, stop.signal);
  stop.abort(new Error('the gateway stops'));
  await assert.rejects(planning, /the gateway stops/);
  const causes: string[] = [];
  const failing = createSiteReader({
    worker: new URL('data:text/javascript,throw new Error("a raw message")'),
    log: (_, __, { error }) => causes.push(error),
  });
  await assert.rejects(failing.plan(text), (error: { code?: string; message: string }) => {
    assert.equal(error.code, 'backend_unavailable');
    assert.match(error.message, /stopped planning the text: its reader failed/);
    return true;
  });
  const { gaps } = await failing.join('', [{ name: 'a.csv', content: Buffer.from('a') }]);
  assert.equal(gaps[0]?.message, 'The gateway stopped reading the file: its reader failed.');
  assert.deepEqual(causes, ['a raw message', 'a raw message']);
});
