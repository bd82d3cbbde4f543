/**
 * REST: creates a machine and lists the fleet, as JSON and as CSV.
 *
 *   GATEWAY_URL=http://GATEWAY:8480 GATEWAY_KEY=wk_... PROJECT_ID=prj_... node examples/rest.ts UNIT_NUMBER
 */
import { randomUUID } from 'node:crypto';

const { GATEWAY_URL = 'http://localhost:8480', GATEWAY_KEY = '', PROJECT_ID = '' } = process.env;
const unit_number = process.argv[2] ?? 'HT-1';

async function call(method: string, path: string, body?: object, accept = 'application/json'): Promise<Response> {
  const response = await fetch(`${GATEWAY_URL}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${GATEWAY_KEY}`,
      'project-id': PROJECT_ID,
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  // Every error has this form. Programs use `code`, which does not change between versions; `message` is for people.
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  throw new Error(`${response.status} ${error.code}: ${error.message}`);
}

const made = (await (await call('POST', '/equipment', { unit_number, name: 'Haul truck' })).json()) as { id: string };
process.stdout.write(`created ${made.id}\n`);

// A list comes in pages. `next_cursor` is null on the last page.
let cursor: string | null = null;
do {
  const page = (await (await call('GET', `/equipment${cursor === null ? '' : `?cursor=${cursor}`}`)).json()) as {
    data: { unit_number: string; live_status: string; engine_hours: number | null }[];
    next_cursor: string | null;
  };
  for (const machine of page.data)
    process.stdout.write(
      `${machine.unit_number} ${machine.live_status} ${machine.engine_hours ?? 'no engine hours'}\n`,
    );
  cursor = page.next_cursor;
} while (cursor !== null);

const csv = await (await call('GET', '/equipment', undefined, 'text/csv')).text();
process.stdout.write(`${csv.split('\n')[0]}\n`);
