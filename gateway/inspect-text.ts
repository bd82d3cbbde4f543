/** An inspection as a person reads it: what the machine is and what is wrong first, the bus last. */
import { basename } from 'node:path';
import { styleText } from 'node:util';
import { table } from './console.ts';
import type { Inspection } from './inspect-report.ts';
import { chart, parts, type Range } from './terminal-plot.ts';

/** How it is shown. */
export interface TextOptions {
  /** Pictures and bold heads, for a terminal; else numbers only. */
  readonly person: boolean;
  /** Columns of the terminal. */
  readonly columns: number;
  readonly problems: readonly string[];
}

const FORMATS = { candump: 'candump text', asc: 'Vector ASC', trc: 'PEAK TRC', mf4: 'MF4' } as const;
const CLOCKS = {
  device: 'by the clock of the logger',
  host: 'by the clock of the computer that recorded',
  relative: 'without a date',
} as const;
/** Loggers by the type that they write into their files. */
const LOGGERS: Readonly<Record<string, string>> = {
  '0000001D': 'CANedge1',
  '0000005D': 'CANedge1 GNSS',
  '0000001F': 'CANedge2',
  '0000005F': 'CANedge2 GNSS',
  '0000003D': 'CANedge3',
  '0000007D': 'CANedge3 GNSS',
};
/** Names that have no room in a header. */
const TOOLS: Readonly<Record<string, string>> = { Headfram: 'Headframe' };
const WRAPPINGS = { gzip: 'gzip', heatshrink: 'compressed (.MFC)', aes_gcm: 'encrypted' } as const;
/** Meters and levels that say how a machine stands, in this order. */
const STANDING = [247, 235, 250, 5054, 96, 1761, 245, 917, 246];
/** Groups from here on are NMEA 2000's (126208 to 130999, above its single-frame groups of J1939). */
const FIRST_MARINE = 0x1ed00;
const LATITUDE = 584;
const LONGITUDE = 585;
/** A metre. */
const PLACE_DIGITS = 5;
const MOST_IDS = 20;
const PLOT_ROWS = 6;
const PLAIN_STEPS = 12;

const count = (value: number) => value.toLocaleString('en');
const many = (value: number, what: string) => `${count(value)} ${what}${value === 1 ? '' : 's'}`;
const orDash = (value: string | number | null | undefined) =>
  value === null || value === undefined || value === '' ? '-' : String(value);

function bytes(size: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const step = size < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(size) / 10));
  return `${step === 0 ? size : (size / 1024 ** step).toFixed(1)} ${units[step]}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(2))} s`;
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h} h ${m} min` : `${m} min ${s} s`;
}

/** Date and time to the second, or seconds since the first frame. */
function moment(at: string | number | null, withDay = false): string {
  if (at === null) return '-';
  if (typeof at === 'number') return `${at.toFixed(1)} s`;
  return withDay ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}

/** Digits behind the point: as many as the values have, two at most, three for what is small. */
function digitsOf(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  const longest = Math.max(0, ...known.map((value) => String(value).split('.')[1]?.length ?? 0));
  return Math.min(longest, known.some((value) => value !== 0 && Math.abs(value) < 1) ? 3 : 2);
}

function head(report: Inspection): string[] {
  const { device, from, to, frames, buses, format, wrapping, clock, local_time } = report;
  const type = device.type === null ? null : (LOGGERS[device.type] ?? device.type);
  const maker = [type, device.serial_number].filter((each) => each !== null).join(' ');
  const facts = [
    device.firmware && `firmware ${device.firmware}`,
    device.session !== null && `session ${device.session}`,
    device.split !== null && `split ${device.split}`,
    !maker && device.tool && `written by ${TOOLS[device.tool] ?? device.tool}`,
    ...wrapping.map((each) => WRAPPINGS[each]),
    bytes(report.size_bytes),
  ].filter((each) => typeof each === 'string');
  const zone = local_time ? 'local time, zone not told' : 'UTC';
  const sameDay = typeof from === 'string' && typeof to === 'string' && from.slice(0, 10) === to.slice(0, 10);
  return [
    `${FORMATS[format]}${maker ? ` of ${maker}` : ''}: ${facts.join(', ')}`,
    ...(device.comment ? [`"${device.comment.slice(0, 200)}"`] : []),
    typeof from === 'string'
      ? `${moment(from, true)} to ${moment(to, !sameDay)} ${zone}: ${duration(report.duration_s)} ${CLOCKS[clock]}`
      : `${duration(report.duration_s)} ${CLOCKS.relative}`,
    `${many(frames, 'frame')} on ${many(buses.length, 'bus').replace('buss', 'buses')}`,
  ];
}

function machine({ ecus, signals }: Inspection): string[] {
  const where = (bus: number, address: number | null) => `(bus ${bus}, address ${orDash(address)})`;
  const named = ecus.flatMap(({ vin, component, bus, address }) => [
    ...(vin === null ? [] : [['VIN', `${vin} ${where(bus, address)}`]]),
    ...(component === null
      ? []
      : [['Component', `${component.filter((part) => part !== '').join(', ')} ${where(bus, address)}`]]),
  ]);
  const standing = STANDING.flatMap((spn) =>
    signals
      .filter((one) => one.spn === spn && one.last !== null)
      .map(({ name, last, unit, bus, address }) => [
        name,
        `${(last as number).toFixed(digitsOf([last]))} ${unit} ${where(bus, address)}`,
      ]),
  );
  const place = [LATITUDE, LONGITUDE].map((spn) => signals.find((one) => one.spn === spn && one.last !== null));
  const [latitude, longitude] = place.map((one) => one?.last?.toFixed(PLACE_DIGITS));
  const position = latitude && longitude ? [['Last position', `${latitude}, ${longitude}`]] : [];
  const rows = [...named, ...standing, ...position];
  const wide = Math.max(0, ...rows.map(([name]) => (name as string).length));
  return rows.map(([name, value]) => `${(name as string).padEnd(wide)}  ${value}`);
}

function codes(report: Inspection): string[] {
  const lamps = report.lamps.flatMap(({ bus, address, messages: _, ...set }) =>
    Object.entries({
      'malfunction lamp': set.mil,
      'red stop lamp': set.red_stop,
      'amber lamp': set.amber,
      'protect lamp': set.protect,
    })
      .filter(([, lamp]) => lamp.state === 'on')
      .map(([name]) => `${name} on (bus ${bus}, address ${address})`),
  );
  const rows = report.codes.map((one) => [
    one.kind === 'active' ? 'active' : 'was active',
    `SPN ${one.spn ?? `? (${one.raw})`}`,
    `FMI ${one.fmi}`,
    [one.name, one.failure].filter((each) => each !== null).join(': ') || '-',
    one.occurrence_count === null ? '-' : `${one.occurrence_count}x`,
    `${one.bus}/${one.address}`,
    `${moment(one.first_at)} to ${moment(one.last_at)}`,
  ]);
  if (rows.length > 0)
    return [...lamps, ...table(['', 'code', '', 'meaning', 'count', 'bus/addr', 'told'], rows, 'llllr').split('\n')];
  if (report.lamps.length > 0) return [...lamps, `none; ${many(report.lamps.length, 'control unit')} said so`];
  return [];
}

function signals(report: Inspection): string[] {
  const rows = report.signals.map((one) => {
    const isPlace = one.spn === LATITUDE || one.spn === LONGITUDE;
    const digits = isPlace ? PLACE_DIGITS : digitsOf([one.first, one.last, one.min, one.max]);
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

function ecus(report: Inspection): string[] {
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

function buses(report: Inspection): string[] {
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

function groups(report: Inspection): string[] {
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
  return table(['bus', 'PGN', 'hex', 'group', 'read', 'frames', 'per s', 'from addresses'], rows, 'lrrllrr').split(
    '\n',
  );
}

function standardIds(report: Inspection): string[] {
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

/** The courses drawn, or as numbers where nobody sees dots. */
function courses(
  { courses: { engine_speed, frames_per_s }, from, duration_s }: Inspection,
  options: TextOptions,
): string[] {
  if (frames_per_s === null || duration_s === 0) return [];
  const frames = { step_s: frames_per_s.step_s, min: frames_per_s.values, max: frames_per_s.values };
  const start = typeof from === 'string' ? Date.parse(from) : null;
  const steps = Math.min(PLAIN_STEPS, frames_per_s.values.length);
  const fine = duration_s / steps < 1 ? 21 : 19;
  const when = (seconds: number) =>
    start === null ? `${seconds.toFixed(1)} s` : new Date(start + seconds * 1000).toISOString().slice(11, fine);
  if (options.person) {
    const width = Math.max(20, Math.min(options.columns, 110) - 10);
    const style = { duration_s, width, height: PLOT_ROWS, ends: [when(0), when(duration_s)] } as const;
    return [
      ...(engine_speed === null
        ? []
        : [
            `Engine speed, rpm (bus ${engine_speed.bus}, address ${engine_speed.address})`,
            ...chart(engine_speed, style),
            '',
          ]),
      'Frames per second',
      ...chart(frames, { ...style, zero: true }),
    ];
  }
  const show = (range: Range | null) => {
    if (range === null) return '-';
    const [low, high] = [range.low.toFixed(0), range.high.toFixed(0)];
    return low === high ? low : `${low} to ${high}`;
  };
  const speeds = engine_speed && parts(engine_speed, duration_s, steps);
  const rows = parts(frames, duration_s, steps).map((range, k) => [
    when((k * duration_s) / steps),
    range === null ? '-' : range.mean.toFixed(1),
    ...(speeds === null ? [] : [show(speeds[k] ?? null)]),
  ]);
  return table(['from', 'frames per s', ...(speeds === null ? [] : ['engine rpm'])], rows, 'lrr').split('\n');
}

/** What a bus is that is none of a machine. */
function kinds({ groups: heard, buses: all, frames }: Inspection): string[] {
  const marine = heard.reduce((sum, { pgn, frames: n }) => sum + (pgn >= FIRST_MARINE && pgn < 0x20000 ? n : 0), 0);
  const extended = all.reduce((sum, one) => sum + one.extended, 0);
  if (extended > 0 && marine > extended / 2)
    return ['This is NMEA 2000, the bus of boats: its groups are not read, and addresses mean something else there.'];
  if (extended === 0 && frames > 0) return ['There is no J1939 here: no identifier of 29 bits.'];
  return [];
}

/** The whole text. */
export function inspectionText(report: Inspection, options: TextOptions): string {
  const bold = (text: string) => (options.person ? styleText('bold', text, { validateStream: false }) : text);
  const { pauses, undated, frames } = report;
  const problems = [
    ...options.problems,
    ...(undated > 0 && undated < frames ? [`${many(undated, 'frame')} without a date.`] : []),
    ...(pauses.count > 0
      ? [
          `${many(pauses.count, 'pause')} of more than 10 s; the longest ${duration(pauses.longest_s ?? 0)}, from ${moment(pauses.longest_from, true)}.`,
        ]
      : []),
    ...kinds(report),
    ...(report.transport.extended > 0 ? ['Messages of more than 1785 bytes (extended transport) are not read.'] : []),
    ...(report.not_counted > 0
      ? [`${count(report.not_counted)} frames or codes were too many kinds to be told apart.`]
      : []),
  ];
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Look at this', problems],
    ['Machine', machine(report)],
    ['Trouble codes', codes(report)],
    ['Course', courses(report, options)],
    ['Signals', signals(report)],
    ['Control units', ecus(report)],
    ['Buses', buses(report)],
    ['Parameter groups', groups(report)],
    ['11-bit identifiers', standardIds(report)],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return [
    bold(basename(report.file)),
    ...head(report),
    ...shown.flatMap(([title, lines]) => ['', bold(title), ...lines.map((line) => (line === '' ? '' : `  ${line}`))]),
    '',
  ].join('\n');
}
