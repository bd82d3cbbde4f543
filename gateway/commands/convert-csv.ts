/** `headframe convert --to csv`: writes the decoded values of a log as a table for a spreadsheet. */

import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { LogTable, MAX_COLUMNS, parameterNamed, type TableColumn, type TableRow } from '#domain/logs/log-table.ts';
import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';
import { createFilter, type FilterArgs } from './frame-filter.ts';
import type { LogInput } from './log-input.ts';
import type { Output } from './output.ts';

/** The flags of `convert` that apply to decoded values, as text. */
export interface TableArgs extends FilterArgs {
  readonly signal?: string | undefined;
  readonly every?: string | undefined;
}

/** Largest number of rows that common spreadsheet programs can open. */
const SHEET_ROWS = 1_048_576;
const STEP_US: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6, h: 3_600e6 };
const DEFAULT_STEP_US = 1e6;
/** Number of characters that are collected before one write to the output. */
const CHUNK = 65_536;

/** The result of a conversion to a table. */
export interface TableOutcome {
  readonly rows: number;
  readonly columns: number;
  /** Sentences for the user, for example about omitted columns. */
  readonly notes: readonly string[];
}

/** Reads the flags `--signal` and `--every`; throws a `CommandError` when one is invalid. */
export function tableOptions({ signal, every }: TableArgs): {
  step_us: number;
  wanted?: ReturnType<typeof parameterNamed>;
} {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(every ?? '1s') ?? [];
  if (every !== 'all' && (count === undefined || Number(count) === 0))
    throw new CommandError('--every must be a step such as 100ms, 1s, 5m or 1h, or all.', EXIT.usage);
  const step_us = every === 'all' ? 0 : Number(count) * (STEP_US[unit] ?? DEFAULT_STEP_US);
  if (signal === undefined) return { step_us };
  const tests = signal.split(',').map((name) => {
    const isNamed = parameterNamed(name);
    if (name.trim() === '' || !PARAMETERS.some(isNamed))
      throw new CommandError(
        `--signal must name signals such as engine.speed, SPN 190, or words of a parameter's name; no signal fits "${name}".`,
        EXIT.usage,
      );
    return isNamed;
  });
  return { step_us, wanted: (row) => tests.some((isNamed) => isNamed(row)) };
}

/** Writes the decoded values of a log as a table. It reads the log twice: first to find the columns, then to write the rows. */
export async function writeTable(
  input: LogInput,
  output: Output,
  args: TableArgs,
  isStopped: () => boolean,
  tell: (batch: FrameBatch) => void,
): Promise<TableOutcome> {
  const options = tableOptions(args);
  const table = new LogTable(options);
  let dated = true;
  const survey = createFilter(args);
  for await (const batch of input.batches()) {
    const kept = survey(batch);
    if (kept.count > 0 && ((kept.flags[0] as number) & FRAME.noTime) !== 0) dated = false;
    table.survey(kept);
    tell(batch);
    if (isStopped()) return { rows: 0, columns: 0, notes: [] };
  }
  const columns = table.columns();
  const notes: string[] = [];
  if (columns.length === 0)
    return {
      rows: 0,
      columns: 0,
      notes: ['The selected frames have no decoded value, so the table is empty; --to csv-frames writes the frames.'],
    };
  const put = rowWriter(dated, options.step_us);
  output.write(Buffer.from(`${headOf(columns, dated)}\r\n`));
  let rows = 0;
  let text = '';
  const give = (row: TableRow) => {
    rows++;
    text += put(row);
    if (text.length >= CHUNK) flush();
  };
  const flush = () => {
    output.write(Buffer.from(text));
    text = '';
  };
  const keep = createFilter(args);
  for await (const batch of input.batches()) {
    table.take(keep(batch), give);
    flush();
    await output.room();
    if (output.closed || isStopped()) break;
  }
  table.end(give);
  flush();
  if (table.overflow > 0)
    notes.push(
      `${table.overflow} columns are missing, because a table has at most ${MAX_COLUMNS}; select columns with --signal or --pgn.`,
    );
  if (table.late > 0)
    notes.push(`${table.late.toLocaleString('en')} values are left out, because their rows were already written.`);
  if (rows >= SHEET_ROWS)
    notes.push(
      `${rows.toLocaleString('en')} rows are more than a spreadsheet can open (${SHEET_ROWS.toLocaleString('en')}); a longer --every gives fewer rows.`,
    );
  return { rows, columns: columns.length, notes };
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns the header row: the name and unit of each parameter, and its control unit if several units sent the parameter. */
function headOf(columns: readonly TableColumn[], dated: boolean): string {
  const names = columns.map(({ row: { spn, name, unit }, bus, sa }) => {
    const others = columns.some((one) => one.row.spn === spn && (one.bus !== bus || one.sa !== sa));
    // Some spreadsheets do not assume UTF-8 and would show a degree sign as two characters.
    const measure = unit === '' || unit === 'enum' ? '' : ` (${unit.replace('°', 'deg ').trim()})`;
    return quoted(`${name}${measure}${others ? `, bus ${bus} address ${sa}` : ''}`);
  });
  return [dated ? 'Time (UTC)' : 'Time (s)', ...names].join(',');
}

/** Returns a function that formats a row. Its time is a date that spreadsheets recognise, or seconds if the log has no date. */
function rowWriter(dated: boolean, step_us: number): (row: TableRow) => string {
  const decimals = step_us === 0 ? 6 : step_us % 1e6 === 0 ? 0 : 3;
  const timeOf = (t_us: number) => {
    if (!dated) return (t_us / 1e6).toFixed(decimals);
    const whole = new Date(Math.floor(t_us / 1e6) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
    const rest = Math.round(t_us % 1e6);
    return decimals === 0 ? whole : `${whole}.${String(rest).padStart(6, '0').slice(0, decimals)}`;
  };
  return ({ t_us, values }) => {
    let text = timeOf(t_us);
    for (const value of values) text += Number.isNaN(value) ? ',' : `,${value}`;
    return `${text}\r\n`;
  };
}
