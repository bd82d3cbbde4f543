/** Chooses and writes the format of an answer: JSON for all operations, CSV for lists, CSV or Arrow for series, CloudEvents for events. */
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import type { Event } from '#contract/base/event.ts';
import type { OperationName } from '#contract/operations.ts';
import { drained } from '#servers/base/pace.ts';
import { toCloudEvent } from './cloud-events.ts';
import { csvColumns, csvHead, csvRow } from './csv.ts';
import { operationRow, schemaOf } from './json-schemas.ts';

/** Number of items that a CSV export reads at a time. The number is small, because other callers wait while the gateway reads one page. */
export const CSV_PAGE = 50;

export type Format = 'json' | 'csv' | 'arrow' | 'cloudevents';
/** Formats of an answer with series, besides JSON. */
export type TableFormat = 'csv' | 'arrow';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';
/** Media types of tables. */
export const TABLE_TYPES = { csv: CSV_TYPE, arrow: 'application/vnd.apache.arrow.stream' } as const;
const EVENT_TYPE = 'application/cloudevents+json';
const EVENTS_TYPE = 'application/cloudevents-batch+json';

/** The fields of a list answer that the CSV and CloudEvents formats need. */
interface ListBody {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** Returns true for a read operation that answers with a list in pages. */
function isList(name: OperationName): boolean {
  const { method, stream } = operationRow(name);
  return method === 'GET' && stream === undefined && 'next_cursor' in schemaOf(name, 'output').properties;
}

/** Returns the media types in which an operation can answer. A request without an Accept header gets the first of these types. */
export function typesOf(name: OperationName): readonly string[] {
  const { events, series } = operationRow(name);
  if (series === true) return [JSON_TYPE, ...Object.values(TABLE_TYPES)];
  if (events === 'one') return [JSON_TYPE, EVENT_TYPE];
  if (!isList(name)) return [JSON_TYPE];
  return events === 'list' ? [JSON_TYPE, CSV_TYPE, EVENTS_TYPE] : [JSON_TYPE, CSV_TYPE];
}

/** Returns the format that the Accept header prefers (RFC 9110 12.5.1); throws `not_acceptable` if no format fits. */
export function formatOf(name: OperationName, request: Request): Format {
  if (request.headers.accept === undefined) return 'json';
  const types = typesOf(name);
  // CloudEvents has one media type for an event and one for a batch. A list also accepts the type for one event, and sends a batch.
  const chosen = request.accepts([...types, ...(types.includes(EVENTS_TYPE) ? [EVENT_TYPE] : [])]);
  if (chosen === false)
    throw new OperationError('not_acceptable', `This operation can answer only as ${types.join(' or ')}.`, {
      param: 'Accept',
    });
  if (chosen === TABLE_TYPES.arrow) return 'arrow';
  return chosen === CSV_TYPE ? 'csv' : chosen === JSON_TYPE ? 'json' : 'cloudevents';
}

/** Sends one event, or a page of events, as CloudEvents. The header `Link` (RFC 8288) has the address of the next page. */
export function sendCloudEvents(request: Request, response: Response, status: number, body: object): void {
  if (!('next_cursor' in body)) {
    send(response, status, EVENT_TYPE, toCloudEvent(body as Event));
    return;
  }
  const { data, next_cursor } = body as ListBody;
  if (next_cursor !== null) {
    const [path = '', query = ''] = request.url.split('?');
    const next = new URLSearchParams(query);
    next.set('cursor', next_cursor);
    response.setHeader('Link', `<${path}?${next}>; rel="next"`);
  }
  send(response, status, EVENTS_TYPE, (data as Event[]).map(toCloudEvent));
}

function send(response: Response, status: number, type: string, body: unknown): void {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

/**
 * Sends the whole list as CSV. To save memory, the function reads one page at a time and waits until a slow client has received the page.
 * If a later page fails, the error handler breaks the connection, so that the client notices that the file is incomplete.
 */
export async function sendCsv(
  name: OperationName,
  response: Response,
  readPage: (cursor: string | undefined) => Promise<object>,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const columns = csvColumns(name);
  const nextPage = (cursor: string | undefined) =>
    inTurn(async () => {
      const { data, next_cursor } = (await readPage(cursor)) as ListBody;
      return { rows: data.map((item) => csvRow(columns, item)).join(''), next_cursor };
    });
  let page = await nextPage(undefined);
  response.writeHead(200, {
    'Content-Type': `${CSV_TYPE}; charset=utf-8; header=present`,
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    'Cache-Control': 'no-store',
  });
  response.write(csvHead(columns));
  for (;;) {
    const room = response.write(page.rows);
    if (page.next_cursor === null || response.destroyed) break;
    if (!room) await drained(response);
    page = await nextPage(page.next_cursor);
  }
  response.end();
}
