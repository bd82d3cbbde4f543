/** `headframe history`: prints the stored values of one signal of a machine, as CSV for a spreadsheet, as JSON, or as an Arrow table. */
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { Client } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';
import { withGateway } from './control.ts';

interface HistoryArgs {
  readonly machine: string;
  readonly signal: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly resolution?: string | undefined;
  readonly as?: string | undefined;
}

type Answer = Output<'equipment_telemetry'>;

/** Finds the project and the record of a machine by its unit number or by the id of its record. */
async function findMachine(
  client: Client,
  name: string,
): Promise<{ readonly project_id: string; readonly id: string }> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('projects_list', { limit: 200, ...(cursor ? { cursor } : {}) });
    for (const { id: project_id } of page.data) {
      const { data } = await client.call('equipment_list', { unit_number: name, limit: 1 }, { project_id });
      const [found] = data;
      if (found !== undefined) return { project_id, id: found.id };
      const record = await client.call('equipment_get', { id: name }, { project_id }).catch(() => undefined);
      if (record !== undefined) return { project_id, id: record.id };
    }
    cursor = page.next_cursor;
  }
  throw new CommandError(`There is no machine ${name} on this gateway.`, EXIT.fault);
}

const STEP_COLUMNS = ['min', 'max', 'mean', 'last', 'count'] as const;

/** Formats the rows of the answer as CSV, each with its time in ISO 8601. */
function csvOf({ series }: Answer): string {
  const rows = series.flatMap((one) => {
    const columns = one.value === undefined ? STEP_COLUMNS.map((name) => one[name] ?? []) : [one.value];
    return one.t.map((t, i) => `${[new Date(t).toISOString(), ...columns.map((column) => column[i])].join(',')}\r\n`);
  });
  return rows.join('');
}

function headOf({ series: [one], step_s }: Answer): string {
  const name = `${one?.signal} [${one?.unit}]`;
  return `${['time', ...(step_s === null ? [name] : STEP_COLUMNS.map((part) => (part === 'count' ? part : `${name} ${part}`)))].join(',')}\r\n`;
}

/** Writes an answer of the gateway as an Apache Arrow stream. Throws if the gateway ended the read before the end of the range. */
async function writeArrow(
  client: Client,
  project_id: string,
  query: Readonly<Record<string, string | readonly string[]>>,
): Promise<void> {
  const response = await fetch(client.url('equipment_telemetry', { ...query, as: 'arrow' }), {
    headers: client.headers(project_id),
  });
  if (!response.ok) {
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    throw new CommandError(error.message, EXIT.fault);
  }
  process.stdout.write(new Uint8Array(await response.arrayBuffer()));
  const next = response.headers.get('next-from');
  if (next !== null)
    throw new CommandError(
      `The table ends before ${next}, because the range has too many samples. For the rest, run the command again with --from ${next}.`,
      EXIT.fault,
    );
}

/** Runs `headframe history MACHINE SIGNAL`. */
export async function runHistory(config: Config, args: HistoryArgs): Promise<void> {
  const form = args.as ?? 'csv';
  if (form !== 'csv' && form !== 'json' && form !== 'arrow')
    throw new CommandError('--as must be csv, json or arrow.', EXIT.usage);
  if (form === 'arrow' && process.stdout.isTTY)
    throw new CommandError(
      'Arrow is a binary format. Write it to a file: headframe history ... --as arrow > FILE',
      EXIT.usage,
    );
  const signal = SIGNAL_NAMES.find((name) => name === args.signal);
  if (signal === undefined)
    throw new CommandError(
      `There is no signal ${args.signal}. docs/signals.md lists all signals, for example engine.speed.`,
      EXIT.usage,
    );
  await withGateway(config, async (client) => {
    const { project_id, id } = await findMachine(client, args.machine);
    const { resolution, to } = args;
    const query = {
      id,
      signals: [signal],
      ...(to === undefined ? {} : { to }),
      ...(resolution === undefined ? {} : { resolution }),
    };
    if (form === 'arrow')
      return writeArrow(client, project_id, { ...query, ...(args.from === undefined ? {} : { from: args.from }) });
    let first = true;
    for (let from: string | null | undefined = args.from; from !== null; ) {
      const answer: Answer = await client.call(
        'equipment_telemetry',
        { ...query, ...(from === undefined ? {} : { from }) },
        { project_id },
      );
      if (form === 'json') process.stdout.write(`${JSON.stringify(answer)}\n`);
      else process.stdout.write(`${first ? headOf(answer) : ''}${csvOf(answer)}`);
      if (answer.unreadable > 0)
        process.stderr.write(`${answer.unreadable} damaged records of history are missing from this output.\n`);
      first = false;
      from = answer.next_from;
    }
  });
}
