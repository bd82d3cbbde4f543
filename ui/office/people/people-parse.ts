/**
 * Parses people from rows that a user copied from a spreadsheet.
 *
 *   text ── cellsOf ──▶ rows ── readTable guesses the columns ──▶ readEntries: a person or problems for each row
 */

import type { Input } from '#contract/operations.ts';
import { inside, t, type Word } from '#ui/languages/texts.ts';

export type PersonInput = Input<'mechanics_create'>;

/** The types of columns: a label, and the header texts that identify the type. */
export const COLUMNS = {
  skip: ['Ignore', []],
  name: ['Name', ['name', 'full name', 'operator', 'mechanic', 'employee']],
  first_name: ['First name', ['first name', 'given name', 'forename']],
  last_name: ['Last name', ['last name', 'surname', 'family name']],
  employee_number: [
    'Number',
    ['number', 'no', 'nr', 'employee number', 'employee no', 'employee id', 'personnel number', 'id'],
  ],
  badge_id: ['Badge', ['badge', 'badge id', 'badge number', 'card', 'rfid']],
  phone: ['Phone', ['phone', 'telephone', 'mobile', 'cell', 'tel']],
  crew: ['Crew', ['crew', 'shift', 'team', 'group']],
  status: ['Status', ['status', 'state']],
  language: ['Language', ['language', 'lang']],
  trades: ['Trades', ['trade', 'trades', 'skill', 'skills']],
  certifications: [
    'Certificates',
    ['certificate', 'certificates', 'certification', 'certifications', 'licence', 'licences', 'license', 'licenses'],
  ],
} as const satisfies Record<string, readonly [label: Word, heads: readonly string[]]>;
export type Column = keyof typeof COLUMNS;

/** Largest number of rows that the page imports from one paste. */
export const MOST_LINES = 500;

export interface Table {
  readonly rows: readonly (readonly string[])[];
  /** True when the first row is a header. */
  readonly hasHead: boolean;
  /** The guessed types of the columns. A user may correct them. */
  readonly columns: readonly Column[];
}

/** A pasted row: the person in it, and its problems. */
export interface Entry {
  /** The number of the row in the pasted text, from 1. */
  readonly line: number;
  readonly input: PersonInput;
  readonly problems: readonly string[];
}

/**
 * Splits a text into cells: at tabs; if it has no tabs, at semicolons; and if it has neither, at commas. Quotes are handled as in RFC 4180.
 */
function cellsOf(text: string): string[][] {
  const [mark = '\t'] = ['\t', ';', ','].filter((one) => text.includes(one));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const at = text[i] as string;
    if (quoted) {
      if (at !== '"') cell += at;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (at === '"' && cell.trim() === '') {
      quoted = true;
      cell = '';
    } else if (at === mark) {
      row.push(cell);
      cell = '';
    } else if (at === '\n') {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
    } else if (at !== '\r') cell += at;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows.map((cells) => cells.map((one) => one.replace(/\s+/g, ' ').trim()));
}

/** Returns the words of a header without marks, so that "Employee No." is "employee no". */
const plainHead = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();

/** Returns the column of a header: in English, or with the label of the column in the language of the page. */
function headOf(cell: string): Column | undefined {
  const plain = plainHead(cell);
  return (Object.keys(COLUMNS) as Column[]).find((one) => {
    const [label, heads] = COLUMNS[one];
    return (heads as readonly string[]).includes(plain) || (one !== 'skip' && plainHead(t(label)) === plain);
  });
}

/** Guesses the type of a column without a header from its cells. */
function guess(cells: readonly string[]): Column {
  const filled = cells.filter((one) => one !== '');
  const all = (shape: RegExp) => filled.length > 0 && filled.every((one) => shape.test(one));
  if (filled.length === 0) return 'skip';
  if (filled.every((one) => statusOf(one) !== undefined)) return 'status';
  if (all(/^\+?[\d ()/.-]{8,}$/)) return 'phone';
  if (all(/^[A-Za-z]{0,4}[ -]?\d[\w-]*$/)) return 'employee_number';
  if (all(/^[a-z]{2}(?:-[A-Z]{2})?$/)) return 'language';
  return all(/^\p{L}[\p{L}'’. -]+[ ,]\s*\p{L}/u) ? 'name' : 'crew';
}

/** Returns the rows of a text, and a guess of the type of each column. The guess uses each type at most once. */
export function readTable(text: string): Table {
  const rows = cellsOf(text);
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const places = Array.from({ length: width }, (_, i) => i);
  const heads = places.map((i) => headOf(rows[0]?.[i] ?? ''));
  const hasHead = heads.some((one) => one === 'name' || one === 'first_name' || one === 'last_name');
  const body = hasHead ? rows.slice(1) : rows;
  const guessed = places.map((i) => (hasHead ? (heads[i] ?? 'skip') : guess(body.map((row) => row[i] ?? ''))));
  const second: { readonly [C in Column]?: Column } = { employee_number: 'badge_id' };
  const columns: Column[] = [];
  for (const one of guessed) {
    const other = columns.includes(one) ? (second[one] ?? 'skip') : one;
    columns.push(columns.includes(other) ? 'skip' : other);
  }
  // A cell with a single word is not recognized as a name. If no column was recognized as the name column, use the first column, which most
  // often has names.
  if (!hasHead && width > 0 && !columns.includes('name')) columns[0] = 'name';
  return { rows, hasHead, columns };
}

const STATUS: Readonly<Record<string, 'active' | 'off_shift' | 'inactive'>> = {
  active: 'active',
  'on shift': 'active',
  off: 'off_shift',
  'off shift': 'off_shift',
  inactive: 'inactive',
  left: 'inactive',
};

function statusOf(cell: string) {
  return STATUS[cell.toLowerCase().replaceAll('_', ' ')];
}

/** Parses a day such as 2027-01-31 or 31.01.2027. Returns undefined for other forms: 03/04/2027 may be 3 April or 4 March. */
function dayOf(text: string): string | undefined {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  const [year, month, day] = iso
    ? [iso[1], iso[2], iso[3]]
    : dotted
      ? [dotted[3], dotted[2]?.padStart(2, '0'), dotted[1]?.padStart(2, '0')]
      : [];
  if (year === undefined) return undefined;
  const text10 = `${year}-${month}-${day}`;
  const at = new Date(`${text10}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text10) ? text10 : undefined;
}

/** Parses certificates such as "Blasting 2027-01-31; First aid". */
function certificationsOf(cell: string, problems: string[]): { code: string; expires_on: string | null }[] {
  return cell
    .split(/[;,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const found = /^(.*?)[\s(]*(\d[\d./-]{5,})\)?$/.exec(one);
      if (found === null || found[1]?.trim() === '') return { code: one, expires_on: null };
      const day = dayOf(found[2] ?? '');
      if (day === undefined) problems.push(t('Write {text} as 2027-01-31.', { text: found[2] ?? '' }));
      return { code: (found[1] ?? one).replace(/\s+(?:until|to|-)$/i, '').trim(), expires_on: day ?? null };
    });
}

const LONGEST = { name: 120, employee_number: 40, badge_id: 64, phone: 40, crew: 60, language: 16 } as const;

/** Returns an entry for each row after the header, in order. Empty rows are left out. */
export function readEntries({ rows, hasHead }: Table, columns: readonly Column[]): Entry[] {
  const seen = new Map<string, number>();
  return rows.flatMap((row, i) => {
    if ((hasHead && i === 0) || row.every((cell) => cell === '')) return [];
    const line = i + 1;
    const problems: string[] = [];
    const of = (column: Column) => row[columns.indexOf(column)] ?? '';
    const name = of('name') || [of('first_name'), of('last_name')].filter((one) => one !== '').join(' ');
    if (name === '') problems.push(t('The name is missing.'));
    const status = of('status') === '' ? 'active' : statusOf(of('status'));
    if (status === undefined)
      problems.push(t('Unknown status {status}: use Active, Off shift or Inactive.', { status: of('status') }));
    const input: PersonInput = { name, status: status ?? 'active' };
    for (const column of ['employee_number', 'badge_id', 'phone', 'crew', 'language'] as const)
      if (of(column) !== '') input[column] = of(column);
    for (const column of ['name', 'employee_number', 'badge_id', 'phone', 'crew', 'language'] as const)
      if ((input[column] ?? '').length > LONGEST[column])
        problems.push(
          t('{column} is longer than {n} characters.', { column: t(COLUMNS[column][0]), n: LONGEST[column] }),
        );
    for (const column of ['employee_number', 'badge_id'] as const) {
      if (of(column) === '') continue;
      const key = `${column} ${of(column).toLowerCase()}`;
      const before = seen.get(key);
      if (before === undefined) seen.set(key, line);
      else problems.push(t('Row {row} has the same {column}.', { row: before, column: inside(t(COLUMNS[column][0])) }));
    }
    const certifications = certificationsOf(of('certifications'), problems);
    if (certifications.length > 0) input.certifications = certifications;
    const trades = of('trades')
      .split(/[;,/]/)
      .map((one) => one.trim())
      .filter((one) => one !== '');
    if (trades.length > 0) input.trades = trades;
    return [{ line, input, problems }];
  });
}
