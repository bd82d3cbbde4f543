/**
 * Writes the series of an answer as a table in CSV (RFC 4180) or Apache Arrow (IPC stream). The table has one row for each sample or step of
 * each series: time, signal, unit, and the columns that the answer has. If the answer has several machines, the unit number of the machine
 * comes after the time.
 */

import type { Response } from 'express';
import { csvLine } from '#contract/csv.ts';
import { TABLE_TYPES, type TableFormat } from './formats.ts';

/** The fields of an answer that the table needs. Each column of a series has one number for each time in `t` (ms since 1970). */
interface SeriesBody {
  readonly series: readonly Series[];
  readonly next_from: string | null;
  readonly next_cursor: string | null;
}

interface Series {
  /** Only in an answer with several machines. */
  readonly unit_number?: string;
  readonly signal: string;
  readonly unit: string;
  readonly t: readonly number[];
  readonly [column: string]: unknown;
}

const COLUMNS = ['value', 'min', 'max', 'mean', 'last', 'count'] as const;

/** The columns that the series of an answer have. */
function columnsOf({ series }: SeriesBody): readonly string[] {
  return COLUMNS.filter((name) => series.some((one) => Array.isArray(one[name])));
}

const numbers = (series: Series, column: string): readonly number[] => (series[column] as readonly number[]) ?? [];

/** A column with the same text in all rows of a series: its name in the table, and the field of the series. */
type WordColumn = readonly [name: string, field: 'unit_number' | 'signal' | 'unit'];

const wordColumnsOf = ({ series }: SeriesBody): readonly WordColumn[] => [
  ...(series.some((one) => one.unit_number !== undefined) ? [['machine', 'unit_number'] as const] : []),
  ['signal', 'signal'],
  ['unit', 'unit'],
];

/** Returns the table as CSV text with a header line. Times are in ISO 8601, UTC. */
function csvOf(body: SeriesBody): string {
  const columns = columnsOf(body);
  const words = wordColumnsOf(body);
  const lines = [csvLine(['time', ...words.map(([name]) => name), ...columns])];
  for (const one of body.series) {
    const own = words.map(([, field]) => one[field]);
    const values = columns.map((name) => numbers(one, name));
    one.t.forEach((t, i) => {
      lines.push(csvLine([new Date(t).toISOString(), ...own, ...values.map((column) => column[i])]));
    });
  }
  return lines.join('');
}

/** Returns the table as an Arrow IPC stream. `time` is a timestamp in milliseconds, the texts are dictionaries. */
async function arrowOf(body: SeriesBody): Promise<Uint8Array> {
  // Load the library with the first export, because few gateways ever need it.
  const { Dictionary, Float64, Int32, tableToIPC, TimestampMillisecond, Utf8, vectorFromArray, Table } = await import(
    'apache-arrow'
  );
  const all = <T>(pick: (one: Series) => readonly T[]): T[] => body.series.flatMap((one) => [...pick(one)]);
  const words = wordColumnsOf(body).map(([name, field]) => {
    const texts = all((one) => one.t.map(() => one[field] ?? ''));
    return [name, vectorFromArray(texts, new Dictionary(new Utf8(), new Int32()))] as const;
  });
  const columns = columnsOf(body).map((name) => {
    const type = name === 'count' ? new Int32() : new Float64();
    return [
      name,
      vectorFromArray(
        all((one) => numbers(one, name)),
        type,
      ),
    ] as const;
  });
  const table = new Table({
    time: vectorFromArray(
      all((one) => one.t),
      new TimestampMillisecond(),
    ),
    ...Object.fromEntries(words),
    ...Object.fromEntries(columns),
  });
  return tableToIPC(table, 'stream');
}

/**
 * Sends the series of an answer as a table. If the read ended early, the header `Link` (RFC 8288) has the address of the next part, and
 * `Next-From` the time at which this part ends.
 */
export async function sendTable(
  format: TableFormat,
  name: string,
  body: object,
  url: string,
  response: Response,
): Promise<void> {
  const series = body as unknown as SeriesBody;
  const content = format === 'csv' ? csvOf(series) : await arrowOf(series);
  if (series.next_from !== null) response.setHeader('Next-From', series.next_from);
  if (series.next_cursor !== null) {
    const [path = '', query = ''] = url.split('?');
    const next = new URLSearchParams(query);
    next.set('cursor', series.next_cursor);
    response.setHeader('Link', `<${path}?${next}>; rel="next"`);
  }
  response.writeHead(200, {
    'Content-Type': format === 'csv' ? `${TABLE_TYPES.csv}; charset=utf-8; header=present` : TABLE_TYPES.arrow,
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
    'Cache-Control': 'no-store',
  });
  response.end(content);
}
