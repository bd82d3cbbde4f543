/** What `headframe inspect` found, as plain data: what --json prints, and what the text is made of. */
import type { LogFile } from '#bridge/log-file.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import { groupName } from '#domain/j1939/groups.ts';
import type { InventoryUnit } from '#domain/j1939/inventory-units.ts';
import { parseName } from '#domain/j1939/name.ts';
import { ADDRESSES, FUNCTIONS, MANUFACTURERS } from '#domain/j1939/name-tables.ts';
import type { Course } from '#domain/logs/log-series.ts';
import type { BusSurvey, Survey } from '#domain/logs/log-survey.ts';

const round = (value: number, digits: number) => Number(value.toFixed(digits));
/** A last step of a course that is shorter than this part of a step says nothing of its rate. */
const LEAST_STEP = 0.2;

/** ISO 8601 in microseconds, or seconds since the first frame where there are no dates. */
type Time = string | number;

/** Everything of a log. */
export type Inspection = ReturnType<typeof inspectionOf>;

/** Puts together what the file's header, its reader and the survey say. */
export function inspectionOf(file: string, log: LogFile, survey: Survey) {
  const { info, counters } = log;
  const relative = survey.frames > 0 && survey.undated === survey.frames;
  const start_us = survey.first_us ?? 0;
  const at = (us: number): Time => (relative ? round((us - start_us) / 1e6, 6) : isoUs(us));
  const span_us = survey.first_us === null || survey.last_us === null ? 0 : survey.last_us - survey.first_us;
  const names = new Map(info.buses.map((one) => [one.bus, one]));
  const groups = Map.groupBy(survey.groups, ({ bus, sa }) => bus * 256 + sa);
  const spans = new Map(survey.buses.map((one) => [one.bus, (one.last_us - one.first_us) / 1e6]));
  const rate = (frames: number, bus: number) => {
    const seconds = spans.get(bus) ?? 0;
    return seconds > 0 ? round(frames / seconds, 2) : null;
  };
  const units = survey.units.map((unit) => unitOf(unit, groups.get(unit.bus * 256 + (unit.sa ?? -1)) ?? []));
  return {
    object: 'inspection' as const,
    file,
    size_bytes: log.size_bytes,
    format: log.format,
    wrapping: [...info.wrapping],
    clock: info.clock,
    local_time: info.local_time,
    timezone: info.zone,
    device: {
      type: info.device_type,
      serial_number: info.serial_number,
      firmware: info.firmware,
      session: info.session,
      split: info.split,
      tool: info.tool,
      comment: info.comment,
    },
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
    buses: survey.buses.map((one) => {
      const told = names.get(one.bus);
      const bit_rate = told?.bit_rate ?? one.bit_rate;
      return {
        bus: one.bus,
        name: told?.name ?? null,
        bit_rate,
        bit_rate_source: told?.bit_rate != null ? 'header' : one.bit_rate === null ? null : 'estimate',
        frames: one.frames,
        extended: one.extended,
        standard: one.standard,
        remote: one.remote,
        fd: one.fd,
        errors: one.errors,
        transmitted: one.transmitted,
        frames_per_s: rate(one.frames, one.bus),
        bits_per_s:
          one.fd > 0 || !(spans.get(one.bus) as number) ? null : Math.round(one.bits / (spans.get(one.bus) as number)),
        ...loadOf(one, bit_rate),
      };
    }),
    ecus: units,
    codes: survey.codes.map(({ kind, bus, sa, spn, fmi, raw, occurrence_count, messages, first_us, last_us }) => ({
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
    })),
    lamps: survey.lamps.map(({ bus, sa, lamps, messages }) => ({ bus, address: sa, ...lamps, messages })),
    signals: survey.parameters.map(({ row, bus, sa, first, last, ...rest }) => ({
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
    })),
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
    courses: {
      frames_per_s: survey.frame_course && rates(survey.frame_course, survey.last_us ?? 0),
      engine_speed:
        survey.speed_course &&
        ({
          bus: survey.speed_course.bus,
          address: survey.speed_course.sa,
          ...values(survey.speed_course),
        } as const),
    },
  };
}

function isoUs(us: number): string {
  const micro = Math.floor(us);
  return `${new Date(Math.floor(micro / 1000)).toISOString().slice(0, 19)}.${String(micro % 1e6).padStart(6, '0')}Z`;
}

function loadOf({ bits, busiest_bits, first_us, last_us, fd }: BusSurvey, bit_rate: number | null) {
  const seconds = (last_us - first_us) / 1e6;
  // FD frames come at two rates.
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
