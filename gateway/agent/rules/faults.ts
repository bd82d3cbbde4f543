/** What the skills about trouble codes read of a machine: its codes and lamps, the values at that moment, earlier times, and open repairs. */
import { formatNumber } from '#contract/base/format-number.ts';
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { say } from '#contract/base/told.ts';
import type { Output } from '#contract/operations.ts';
import { JOINED_TICKET_STATUS } from '#contract/work/repair-ticket.ts';
import type { Line, RuleRun } from './rule-run.ts';

export type Machine = Pick<
  Output<'equipment_get'>,
  'unit_number' | 'dtcs' | 'dtc_counts' | 'attention' | 'location_id'
> &
  Readonly<Record<string, unknown>>;
export type Code = NonNullable<Machine['dtcs']>[number];
export type Ticket = Output<'repair_tickets_list'>['data'][number];

/** Largest number of repairs of a machine that are read for each status. */
const MOST_TICKETS = 50;
/** Largest number of events of trouble codes that are counted. */
const MOST_EVENTS = 200;
const DAYS = 30;
const DAY_MS = 86_400_000;
/** Largest number of values of a moment; one answer has so many signals of a machine. */
const MOST_VALUES = 10;

const FIELDS = [
  'unit_number',
  'location_id',
  'dtcs',
  'dtc_counts',
  'attention',
  ...SIGNAL_NAMES.map((name) => signalRow(name).field),
];

export async function readMachine({ use, cite }: RuleRun, id: string): Promise<Machine | undefined> {
  const fields = [...new Set(FIELDS)].join(',');
  const machine = await use('equipment_get', { id, include: 'attention', fields });
  if (machine === undefined) return undefined;
  cite('equipment', id);
  return machine as Machine;
}

const LAMP_ORDER = ['red_stop', 'protect', 'amber', 'mil'] as const;

/** Returns the active codes of a machine, the gravest first: by the lamps of their control unit, then by age. */
export function byGravity(codes: readonly Code[]): Code[] {
  const rank = ({ lamps = [] }: Code) => {
    const at = LAMP_ORDER.findIndex((lamp) => lamps.includes(lamp));
    return at === -1 ? LAMP_ORDER.length : at;
  };
  return codes.toSorted((a, b) => rank(a) - rank(b) || (a.since < b.since ? -1 : 1));
}

/** The numbers of a trouble code as people write them. */
export const codeName = ({ spn, fmi }: Pick<Code, 'spn' | 'fmi'>): string => `SPN ${spn ?? '?'} FMI ${fmi}`;

/** Says which lamps are on, and how urgent the machine is. */
export function stateLines({ unit_number: unit, dtcs, dtc_counts, attention }: Machine): Line[] {
  const lines: Line[] = [];
  const { red_stop = 0, amber = 0, protect = 0 } = dtc_counts ?? {};
  if (red_stop > 0) lines.push([say('The red stop lamp of {unit} is on. Stop the machine now.', { unit })]);
  if (protect > 0) lines.push([say('The protect lamp of {unit} is on.', { unit })]);
  if (amber > 0) lines.push([say('The amber warning lamp of {unit} is on.', { unit })]);
  if (attention?.place != null)
    lines.push([
      say('{unit} is number {place} of {count} machines that need a person.', {
        unit,
        place: attention.place,
        count: attention.in_trouble,
      }),
    ]);
  if (dtcs === null || dtcs === undefined)
    lines.push([say('{unit} never reported its trouble codes, so it is not known whether it has any.', { unit })]);
  else if (dtcs.length === 0) lines.push([say('{unit} has no active trouble code.', { unit })]);
  return lines;
}

/** Says what a code means and since when it is active. */
export function codeLine(code: Code, when: (at: string) => string): Line {
  const { meaning, since, occurrence_count: count } = code;
  const name = codeName(code);
  return [
    meaning == null
      ? say('{code}: no words are known for this code. Active since {at}.', { code: name, at: when(since) })
      : say('{code}: {meaning}. Active since {at}.', { code: name, meaning, at: when(since) }),
    ...(count === null
      ? []
      : [
          say('The control unit has counted {n} occurrence.|The control unit has counted {n} occurrences.', {
            n: count,
          }),
        ]),
  ];
}

/** Says which values the machine had when the code became active. */
export async function valuesLine({ use }: RuleRun, id: string, machine: Machine, code: Code): Promise<Line[]> {
  const signals = SIGNAL_NAMES.filter((name) => {
    const { field, kind } = signalRow(name);
    return kind !== 'meter' && typeof machine[field] === 'number';
  }).slice(0, MOST_VALUES);
  if (signals.length === 0) return [];
  const from = code.since;
  const to = new Date(Date.parse(from) + 1_000).toISOString();
  const read = await use('equipment_telemetry', { id, signals, from, to, points: 0 });
  const values = (read?.series ?? []).flatMap(({ signal, latest_before: before }) => {
    if (before === null || before.freshness !== 'fresh') return [];
    const { label, unit, decimals } = signalRow(signal as SignalName);
    return [`${label} ${formatNumber(before.value, decimals)} ${unit}`.trim()];
  });
  if (values.length === 0) return [[say('No values of that moment are stored.')]];
  return [[say('At that moment: {values}.', { values: values.join(', ') })]];
}

/** Says how often the code became active before. */
export async function historyLine({ use, cite, now_ms }: RuleRun, id: string, code: Code): Promise<Line[]> {
  const created_after = new Date(now_ms - DAYS * DAY_MS).toISOString();
  const log = await use('equipment_events', { id, type: 'dtc.activated', created_after, limit: MOST_EVENTS });
  if (log?.data === undefined) return [];
  const same = log.data.filter(({ data }) => data.spn === code.spn && data.fmi === code.fmi);
  for (const event of same.slice(0, 10)) cite('event', event.id);
  const n = same.length;
  const name = codeName(code);
  return [
    [
      log.has_more
        ? say('The log has at least {n} starts of {code} in the last {days} days.', { n, code: name, days: DAYS })
        : say(
            'The log has {n} start of {code} in the last {days} days.|The log has {n} starts of {code} in the last {days} days.',
            {
              n,
              code: name,
              days: DAYS,
            },
          ),
    ],
  ];
}

/** Returns the open repairs of a machine. Undefined if one of the lists could not be read. */
export async function openTickets({ use, cite }: RuleRun, equipment_id: string): Promise<Ticket[] | undefined> {
  const found: Ticket[] = [];
  for (const status of JOINED_TICKET_STATUS) {
    const fields = 'id,number,title,status,failure';
    const list = await use('repair_tickets_list', { equipment_id, status, limit: MOST_TICKETS, fields });
    if (list?.data === undefined) return undefined;
    found.push(...list.data);
  }
  for (const { id } of found) cite('repair_ticket', id);
  return found;
}

export const ticketLine = ({ number, title, status }: Ticket): Line => [
  say('Open repair {number} ({status}): {title}', { number, status, title }),
];
