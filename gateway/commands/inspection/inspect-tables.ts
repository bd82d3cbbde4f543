/** Formats the tables of an inspection. */
import { groupName } from '#domain/j1939/groups.ts';
import type { Inspection } from './inspect-report.ts';
import { count, digitsOf, orDash, PLACE } from './number-text.ts';
import { table } from './text-table.ts';

const MOST_IDS = 20;

/** Formats the table of all parameters that had a value or an error. */
export function signalsTable(report: Inspection): string[] {
  const rows = report.signals.map((one) => {
    const isPlace = one.spn === PLACE.latitude || one.spn === PLACE.longitude;
    const digits = isPlace ? PLACE.digits : digitsOf([one.first, one.last, one.min, one.max]);
    const show = (value: number | null) => (value === null ? '-' : value.toFixed(digits));
    const states = [
      one.error > 0 && `error ${count(one.error)}x`,
      one.unavailable > 0 && `n/a ${count(one.unavailable)}x`,
    ];
    return [
      one.name,
      show(one.first),
      show(one.last),
      show(one.min),
      show(one.max),
      one.kind === 'enum' ? 'state' : one.unit,
      count(one.valid),
      `${one.bus}/${one.address} ${one.group}`,
      states.filter((each) => each !== false).join(', '),
    ];
  });
  if (rows.length === 0) return [];
  return table(
    ['signal', 'first', 'last', 'min', 'max', 'unit', 'values', 'from', 'without a value'],
    rows,
    'lrrrrlr',
  ).split('\n');
}

/** Formats the table of all control units that sent a frame. */
export function ecusTable(report: Inspection): string[] {
  const rows = report.ecus.map(({ bus, address, name, usual_name, component, software, frames, groups }) => [
    `${bus}/${orDash(address)}`,
    name === null
      ? orDash(usual_name)
      : [
          name.function_name ?? `function ${name.function}`,
          name.manufacturer ?? `maker ${name.manufacturer_code}`,
        ].join(', '),
    name === null ? (usual_name === null ? '' : 'usual for the address') : name.raw,
    count(frames),
    String(groups),
    [component?.filter((part) => part !== '').join(' '), software?.join(' ')]
      .filter((each) => each)
      .join('; ')
      .slice(0, 60),
  ]);
  if (rows.length === 0) return [];
  return table(['bus/addr', 'control unit', 'known by', 'frames', 'groups', 'says'], rows, 'lllrr').split('\n');
}

/** Formats the table of all buses. */
export function busesTable(report: Inspection): string[] {
  const percent = (value: number | null) => (value === null ? '-' : `${value.toFixed(1)} %`);
  const rows = report.buses.map((one) => [
    one.name === null ? String(one.bus) : `${one.bus} ${one.name}`,
    one.bit_rate === null
      ? '-'
      : `${one.bit_rate / 1000} kbit/s${one.bit_rate_source === 'estimate' ? ' (guess)' : ''}`,
    count(one.frames),
    orDash(one.frames_per_s?.toFixed(1)),
    orDash(one.bits_per_s === null ? null : (one.bits_per_s / 1000).toFixed(1)),
    percent(one.load_pct),
    percent(one.busiest_second_pct),
    count(one.extended),
    count(one.standard),
    count(one.fd),
    count(one.remote),
    count(one.errors),
    count(one.transmitted),
  ]);
  const titles = [
    'bus',
    'bit rate',
    'frames',
    'per s',
    'kbit/s',
    'load',
    'at most',
    '29-bit',
    '11-bit',
    'FD',
    'remote',
    'errors',
    'sent',
  ];
  return table(titles, rows, 'lrrrrrrrrrrrr').split('\n');
}

/** Formats the table of all parameter groups with the control units that sent them. */
export function groupsTable(report: Inspection): string[] {
  const byGroup = Map.groupBy(report.groups, ({ bus, pgn }) => `${bus} ${pgn}`);
  const rows = [...byGroup.values()].map((heard) => {
    const [first] = heard as [(typeof heard)[number]];
    const frames = heard.reduce((sum, each) => sum + each.frames, 0);
    const per_s = heard.reduce((sum, each) => sum + (each.per_s ?? 0), 0);
    const from = heard.map(({ address }) => address);
    return [
      String(first.bus),
      String(first.pgn),
      first.pgn.toString(16).toUpperCase().padStart(4, '0'),
      orDash(first.acronym),
      first.decoded ? 'yes' : '-',
      count(frames),
      per_s === 0 ? '-' : per_s.toFixed(per_s < 1 ? 2 : 1),
      from.length > 12 ? `${from.slice(0, 12).join(' ')} and ${from.length - 12} more` : from.join(' '),
    ];
  });
  if (rows.length === 0) return [];
  const long = Object.entries(report.transport.completed_pgns).map(([pgn, messages]) => {
    const name = groupName(Number(pgn));
    return `${name === null ? pgn : `${name} (${pgn})`} ${count(messages)}x`;
  });
  return [
    ...table(['bus', 'PGN', 'hex', 'group', 'read', 'frames', 'per s', 'from addresses'], rows, 'lrrllrr').split('\n'),
    ...(long.length > 0 ? [`In several packets: ${long.join(', ')}`] : []),
  ];
}

/** Formats the table of the most frequent 11-bit identifiers. */
export function standardIdsTable(report: Inspection): string[] {
  const most = report.standard_ids.toSorted((a, b) => b.frames - a.frames);
  if (most.length === 0) return [];
  const rows = most
    .slice(0, MOST_IDS)
    .map(({ bus, id, frames, per_s }) => [String(bus), id, count(frames), orDash(per_s?.toFixed(1))]);
  const rest = most.length - rows.length;
  return [
    ...table(['bus', 'id', 'frames', 'per s'], rows, 'llrr').split('\n'),
    ...(rest > 0 ? [`and ${count(rest)} more, which --json lists`] : []),
  ];
}
