/** The report of `headframe inspect` as plain data. `--json` prints it; `inspect-text.ts` turns it into text. */
import type { LogFile, LogInfo } from '#bridge/log-file.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import { groupName } from '#domain/j1939/groups.ts';
import type { InventoryUnit } from '#domain/j1939/inventory-units.ts';
import { parseName } from '#domain/j1939/name.ts';
import { ADDRESSES, FUNCTIONS, MANUFACTURERS } from '#domain/j1939/name-tables.ts';
import type { Course } from '#domain/logs/log-series.ts';
import type { BusSurvey, Survey } from '#domain/logs/log-survey.ts';

const round = (value: number, digits: number) => Number(value.toFixed(digits));
/** The last time step of a series is left out if it is shorter than this share of a full step, because its rate would be inaccurate. */
const LEAST_STEP = 0.2;

/** A time in the report: ISO 8601 with microseconds, or seconds since the first frame when the log has no date. */
type Time = string | number;

/** The report on one log, with all its parts. */
export type Inspection = ReturnType<typeof inspectionOf>;

/** Combines the header of the file, the counters of its reader and the survey of its frames. */
export function inspectionOf(file: string, log: LogFile, survey: Survey) {
  const { info, counters } = log;
  const at = timeFormatOf(survey);
  const rate = ratesOf(survey.buses);
  const groups = Map.groupBy(survey.groups, ({ bus, sa }) => bus * 256 + sa);
  const span_us = survey.first_us === null || survey.last_us === null ? 0 : survey.last_us - survey.first_us;
  return {
    object: 'inspection' as const,
    file,
    size_bytes: log.size_bytes,
    format: log.format,
    wrapping: [...info.wrapping],
    clock: info.clock,
    local_time: info.local_time,
    timezone: info.zone,
    device: deviceOf(info),
    from: survey.first_us === null ? null : at(survey.first_us),
    to: survey.last_us === null ? null : at(survey.last_us),
    duration_s: round(span_us / 1e6, 6),
    frames: counters.frames,
    undated: survey.undated,
    unparsable: counters.unparsable,
    skipped: counters.skipped,
    late: counters.late,
    gaps: log.gaps.map((gap) => ({ ...gap })),
    pauses: {
      count: survey.pauses.count,
      longest_s: survey.pauses.longest && round(survey.pauses.longest.length_us / 1e6, 3),
      longest_from: survey.pauses.longest && at(survey.pauses.longest.from_us),
    },
    buses: busesOf(survey.buses, info, rate),
    ecus: survey.units.map((unit) => unitOf(unit, groups.get(unit.bus * 256 + (unit.sa ?? -1)) ?? [])),
    codes: codesOf(survey.codes, at),
    lamps: survey.lamps.map(({ bus, sa, lamps, messages }) => ({ bus, address: sa, ...lamps, messages })),
    signals: signalsOf(survey.parameters, at),
    groups: survey.groups.map(({ bus, sa, pgn, frames, decoded }) => ({
      bus,
      address: sa,
      pgn,
      acronym: groupName(pgn),
      decoded,
      frames,
      per_s: rate(frames, bus),
    })),
    standard_ids: survey.standard.map(({ bus, id, frames }) => ({
      bus,
      id: id.toString(16).toUpperCase().padStart(3, '0'),
      frames,
      per_s: rate(frames, bus),
    })),
    transport: { ...survey.transport },
    not_counted: survey.not_counted,
    courses: coursesOf(survey),
  };
}

type TimeFormat = (us: number) => Time;
/** Frames a second over the time in which the bus had frames; null when that time is zero. */
type Rate = (frames: number, bus: number) => number | null;

function timeFormatOf(survey: Survey): TimeFormat {
  const relative = survey.frames > 0 && survey.undated === survey.frames;
  const start_us = survey.first_us ?? 0;
  return (us) => (relative ? round((us - start_us) / 1e6, 6) : isoUs(us));
}

const secondsOf = ({ first_us, last_us }: BusSurvey) => (last_us - first_us) / 1e6;

function ratesOf(buses: readonly BusSurvey[]): Rate {
  const spans = new Map(buses.map((one) => [one.bus, secondsOf(one)]));
  return (frames, bus) => {
    const seconds = spans.get(bus) ?? 0;
    return seconds > 0 ? round(frames / seconds, 2) : null;
  };
}

function deviceOf({ device_type, serial_number, firmware, session, split, tool, comment }: LogInfo) {
  return { type: device_type, serial_number, firmware, session, split, tool, comment };
}

function busesOf(buses: readonly BusSurvey[], info: LogInfo, rate: Rate) {
  const headers = new Map(info.buses.map((one) => [one.bus, one]));
  return buses.map((one) => {
    const header = headers.get(one.bus);
    const bit_rate = header?.bit_rate ?? one.bit_rate;
    const seconds = secondsOf(one);
    return {
      bus: one.bus,
      name: header?.name ?? null,
      bit_rate,
      bit_rate_source: header?.bit_rate != null ? 'header' : one.bit_rate === null ? null : 'estimate',
      frames: one.frames,
      extended: one.extended,
      standard: one.standard,
      remote: one.remote,
      fd: one.fd,
      errors: one.errors,
      transmitted: one.transmitted,
      frames_per_s: rate(one.frames, one.bus),
      bits_per_s: one.fd > 0 || !seconds ? null : Math.round(one.bits / seconds),
      ...loadOf(one, bit_rate),
    };
  });
}

function codesOf(codes: Survey['codes'], at: TimeFormat) {
  return codes.map(({ kind, bus, sa, spn, fmi, raw, occurrence_count, messages, first_us, last_us }) => ({
    kind,
    bus,
    address: sa,
    spn,
    name: spn === null ? null : parameterName(spn),
    fmi,
    failure: failureMode(fmi),
    occurrence_count,
    raw,
    messages,
    first_at: at(first_us),
    last_at: at(last_us),
  }));
}

function signalsOf(parameters: Survey['parameters'], at: TimeFormat) {
  return parameters.map(({ row, bus, sa, first, last, ...rest }) => ({
    spn: row.spn,
    name: row.name,
    pgn: row.pgn,
    group: row.pg,
    bus,
    address: sa,
    unit: row.unit,
    kind: row.kind,
    first: first?.value ?? null,
    first_at: first && at(first.t_us),
    last: last?.value ?? null,
    last_at: last && at(last.t_us),
    ...rest,
  }));
}

function coursesOf({ frame_course, speed_course, last_us }: Survey) {
  return {
    frames_per_s: frame_course && rates(frame_course, last_us ?? 0),
    engine_speed:
      speed_course && ({ bus: speed_course.bus, address: speed_course.sa, ...values(speed_course) } as const),
  };
}

function isoUs(us: number): string {
  const micro = Math.floor(us);
  return `${new Date(Math.floor(micro / 1000)).toISOString().slice(0, 19)}.${String(micro % 1e6).padStart(6, '0')}Z`;
}

function loadOf({ bits, busiest_bits, first_us, last_us, fd }: BusSurvey, bit_rate: number | null) {
  const seconds = (last_us - first_us) / 1e6;
  // A CAN FD frame has two bit rates, so the bus load cannot be computed from its number of bits.
  if (bit_rate === null || fd > 0 || seconds <= 0) return { load_pct: null, busiest_second_pct: null };
  const load = bits / seconds / bit_rate;
  return {
    load_pct: round(load * 100, 2),
    busiest_second_pct: round((seconds < 1 ? load : busiest_bits / bit_rate) * 100, 2),
  };
}

function unitOf({ bus, sa, named, info }: InventoryUnit, groups: readonly { frames: number; pgn: number }[]) {
  const fields = named === null ? undefined : parseName(named.name);
  return {
    bus,
    address: sa,
    usual_name: sa === null ? null : (ADDRESSES.get(sa) ?? null),
    name:
      named === null || fields === undefined
        ? null
        : {
            raw: named.name,
            ...fields,
            manufacturer: MANUFACTURERS.get(fields.manufacturer_code) ?? null,
            function_name: FUNCTIONS.get(fields.function) ?? null,
            previous_addresses: [...named.before],
          },
    vin: info?.vin?.text ?? null,
    component: info?.component?.text.split('*') ?? null,
    software: info?.software?.text.split('*') ?? null,
    frames: groups.reduce((sum, { frames }) => sum + frames, 0),
    groups: groups.length,
  };
}

function rates({ bin_us, from_us, count }: Course, last_us: number) {
  const step_s = bin_us / 1e6;
  const rest = (last_us - from_us - (count.length - 1) * bin_us) / bin_us;
  const short = count.length > 1 && rest < LEAST_STEP;
  const parts = short ? count.slice(0, -1) : count;
  return {
    step_s,
    values: parts.map((frames, i) =>
      round(frames / step_s / (!short && i === count.length - 1 && i > 0 ? Math.min(1, rest) : 1), 1),
    ),
  };
}

function values({ bin_us, count, min, max }: Course) {
  const of = (column: readonly number[]) => column.map((value, i) => (count[i] === 0 ? null : value));
  return { step_s: bin_us / 1e6, min: of(min), max: of(max) };
}
