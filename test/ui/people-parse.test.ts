import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Column, readEntries, readTable } from '#ui/office/people/people-parse.ts';

function people(text: string, columns?: readonly Column[]) {
  const table = readTable(text);
  return readEntries(table, columns ?? table.columns);
}

test('[U51] rows with a header become people with certificates, trades and quoted names', () => {
  const text = [
    'Employee No.\tFirst name\tLast name\tCrew\tStatus\tCertificates\tTrades',
    '1007\tMaria\tSilva\tA\tactive\t"Blasting 2027-01-31; First aid"\tdiesel, hydraulics',
    '1008\tJoão "Jo"\tReis\tB\toff shift\tCrane until 31.12.2026\t',
    '',
  ].join('\r\n');
  assert.deepEqual(
    people(text).map(({ line, input, problems }) => ({ line, ...input, problems })),
    [
      {
        line: 2,
        name: 'Maria Silva',
        status: 'active',
        employee_number: '1007',
        crew: 'A',
        certifications: [
          { code: 'Blasting', expires_on: '2027-01-31' },
          { code: 'First aid', expires_on: null },
        ],
        trades: ['diesel', 'hydraulics'],
        problems: [],
      },
      {
        line: 3,
        name: 'João "Jo" Reis',
        status: 'off_shift',
        employee_number: '1008',
        crew: 'B',
        certifications: [{ code: 'Crane', expires_on: '2026-12-31' }],
        problems: [],
      },
    ],
  );
});

test('[U51] readTable guesses column types without a header, and a person may select others', () => {
  const text = 'Ana Costa,E-17,+351 912 345 678,Night\nBen Okoro,E-18,+351 912 345 679,Day\n';
  const table = readTable(text);
  assert.deepEqual([table.hasHead, table.columns], [false, ['name', 'employee_number', 'phone', 'crew']]);
  assert.deepEqual(
    people(text, ['name', 'badge_id', 'skip', 'crew']).map(({ input }) => [input.name, input.badge_id, input.phone]),
    [
      ['Ana Costa', 'E-17', undefined],
      ['Ben Okoro', 'E-18', undefined],
    ],
  );
  assert.deepEqual(readTable('Ana\nBen\n').columns, ['name']);
});

test('[U51] readEntries reports a missing name, a repeated number, an unknown status and an ambiguous day by row', () => {
  const text =
    'name;number;status;certificates\n;1;;\nAna;2;gone;\nBen;2;;\nCid;3;;Blasting 03/04/2027\nDee;4;;Crane 2027-02-30\n';
  assert.deepEqual(
    people(text).map(({ line, problems }) => [line, ...problems]),
    [
      [2, 'The name is missing.'],
      [3, 'Unknown status gone: use Active, Off shift or Inactive.'],
      [4, 'Row 3 has the same number.'],
      [5, 'Write 03/04/2027 as 2027-01-31.'],
      [6, 'Write 2027-02-30 as 2027-01-31.'],
    ],
  );
});

test('[U51] readTable returns quoted cells unchanged for any content', () => {
  const cell = fc.stringMatching(/^[a-z"\t;,\n ]{1,12}$/).filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const text = rows.map((row) => row.map(quoted).join('\t')).join('\r\n');
      assert.deepEqual(
        readTable(text).rows,
        rows.map((row) => row.map((one) => one.replace(/\s+/g, ' ').trim())),
      );
    }),
  );
});
