/** Formats an inspection as text: first the machine and its faults, last the bus. */
import { basename } from 'node:path';
import { styleText } from 'node:util';
import type { Inspection } from './inspect-report.ts';
import { busesTable, ecusTable, groupsTable, signalsTable, standardIdsTable } from './inspect-tables.ts';
import { count, digitsOf, many, orDash, PLACE } from './number-text.ts';
import { chart, parts, type Range } from './terminal-plot.ts';
import { table } from './text-table.ts';

/** Options for the text form of the report. */
export interface TextOptions {
  /** True adds charts and bold titles, for a terminal. */
  readonly person: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number;
  readonly problems: readonly string[];
  /** Sentences about assumptions of the reader, for example the time zone. */
  readonly assumed: readonly string[];
}

const FORMATS = { candump: 'candump text', asc: 'Vector ASC', trc: 'PEAK TRC', mf4: 'MF4' } as const;
const CLOCKS = {
  device: 'by the clock of the logger',
  host: 'by the clock of the computer that recorded',
  relative: 'without a date',
} as const;
/** Names of logger models by the device type number in the header of their files. */
const LOGGERS: Readonly<Record<string, string>> = {
  '0000001D': 'CANedge1',
  '0000005D': 'CANedge1 GNSS',
  '0000001F': 'CANedge2',
  '0000005F': 'CANedge2 GNSS',
  '0000003D': 'CANedge3',
  '0000007D': 'CANedge3 GNSS',
};
/** Full names of recording programs by the short name in the file header, which has only eight characters. */
const TOOLS: Readonly<Record<string, string>> = { Headfram: 'Headframe' };
const WRAPPINGS = { gzip: 'gzip', heatshrink: 'compressed (.MFC)', aes_gcm: 'encrypted' } as const;
/** SPNs of the meters and levels in the summary of a machine, in this order. */
const STANDING = [247, 235, 250, 5054, 96, 1761, 245, 917, 246];
/** The lowest PGN of NMEA 2000, the standard for boats, which uses 126208 to 130999. */
const FIRST_MARINE = 0x1ed00;
const PLOT_ROWS = 6;
const PLAIN_STEPS = 12;

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

/** Formats a date and time to the second, or seconds since the first frame. */
function moment(at: string | number | null, withDay = false): string {
  if (at === null) return '-';
  if (typeof at === 'number') return `${at.toFixed(1)} s`;
  return withDay ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}

function head(report: Inspection, assumed: readonly string[]): string[] {
  const { device, from, to, frames, buses, format, wrapping, clock } = report;
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
  const sameDay = typeof from === 'string' && typeof to === 'string' && from.slice(0, 10) === to.slice(0, 10);
  return [
    `${FORMATS[format]}${maker ? ` of ${maker}` : ''}: ${facts.join(', ')}`,
    ...(device.comment ? [`"${device.comment.slice(0, 200)}"`] : []),
    typeof from === 'string'
      ? `${moment(from, true)} to ${moment(to, !sameDay)} UTC: ${duration(report.duration_s)} ${CLOCKS[clock]}`
      : `${duration(report.duration_s)} ${CLOCKS.relative}`,
    ...assumed,
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
  const place = [PLACE.latitude, PLACE.longitude].map((spn) =>
    signals.find((one) => one.spn === spn && one.last !== null),
  );
  const [latitude, longitude] = place.map((one) => one?.last?.toFixed(PLACE.digits));
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

/** Formats the time series: as charts for a person at a terminal, otherwise as numbers. */
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

/** Returns a note when the log has no J1939 or is of a boat (NMEA 2000). */
function kinds({ groups: heard, buses: all, frames }: Inspection): string[] {
  const marine = heard.reduce((sum, { pgn, frames: n }) => sum + (pgn >= FIRST_MARINE && pgn < 0x20000 ? n : 0), 0);
  const extended = all.reduce((sum, one) => sum + one.extended, 0);
  if (extended > 0 && marine > extended / 2)
    return [
      'This is NMEA 2000, the bus of boats. Its parameter groups are not decoded, and its addresses have other meanings.',
    ];
  if (extended === 0 && frames > 0) return ['The log has no J1939 messages, because it has no 29-bit identifier.'];
  return [];
}

/** Returns the report as text. */
export function inspectionText(report: Inspection, options: TextOptions): string {
  const bold = (text: string) => (options.person ? styleText('bold', text, { validateStream: false }) : text);
  const { pauses, undated, frames, transport } = report;
  const { aborted, timeout, replaced, sequence, malformed, incomplete, evicted } = transport;
  const lost = aborted + timeout + replaced + sequence + malformed + incomplete + evicted;
  const problems = [
    ...options.problems,
    ...(undated > 0 && undated < frames ? [`${many(undated, 'frame')} without a date.`] : []),
    ...(pauses.count > 0
      ? [
          `${many(pauses.count, 'pause')} of more than 10 s; the longest ${duration(pauses.longest_s ?? 0)}, from ${moment(pauses.longest_from, true)}.`,
        ]
      : []),
    ...kinds(report),
    ...(lost > 0 ? [`${many(lost, 'message')} of several packets did not arrive completely.`] : []),
    ...(transport.extended > 0 ? ['Messages of more than 1785 bytes (extended transport) are not decoded.'] : []),
    ...(report.not_counted > 0
      ? [`${count(report.not_counted)} frames or codes are not counted by kind, because a table was full.`]
      : []),
  ];
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Look at this', problems],
    ['Machine', machine(report)],
    ['Trouble codes', codes(report)],
    ['Course', courses(report, options)],
    ['Signals', signalsTable(report)],
    ['Control units', ecusTable(report)],
    ['Buses', busesTable(report)],
    ['Parameter groups', groupsTable(report)],
    ['11-bit identifiers', standardIdsTable(report)],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  // Names and comments come from the file. Remove control characters, so that they cannot control the terminal.
  const clean = (line: string) => line.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  return [
    bold(clean(basename(report.file))),
    ...head(report, options.assumed).map(clean),
    ...shown.flatMap(([title, lines]) => [
      '',
      bold(title),
      ...lines.map((line) => clean(line === '' ? '' : `  ${line}`)),
    ]),
    '',
  ].join('\n');
}
