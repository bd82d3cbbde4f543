/**
 * Computes the outcome of a run that decoded a file: a summary of the file, the number of samples, and the gaps (the parts of the data that
 * are missing or doubtful).
 */
import type { LogZone } from '#codec/wall-clock.ts';
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { Gap } from '#contract/work/task.ts';
import { isoTime } from '#domain/base/times.ts';
import type { Outcome } from '#domain/runs/run.ts';
import { clockDetails, clockGaps, clockWords, seconds } from './clock-outcome.ts';
import type { DecodeReport } from './decode-job.ts';
import type { FileRefused } from './decode-thread.ts';

type Completed = Extract<Outcome, { readonly status: 'completed' }>;

/** The data that the outcome needs and that the report of the thread does not contain. */
export interface Around {
  readonly artifact_id: string;
  readonly name: string;
  readonly device_id: string;
  /** Number of samples of the file that were added to history, and of samples that history already had. */
  readonly history: { readonly added: number; readonly known: number };
  /** The machines that the report names. */
  readonly machines: readonly Stored<EquipmentData>[];
  readonly wall_ms: number;
}

const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
const isoOrNull = (t_us: number | null) => (t_us === null ? null : isoTime(t_us));

/** Returns a VIN with upper-case letters and digits only, so that two spellings of the same VIN compare equal. */
const plain = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

function gap(code: string, ref: string, message: string, remedy: string): Gap {
  return { code, resource: 'artifact', ref, message, remedy, blocking: false };
}

function gapsOf(report: DecodeReport, { artifact_id, history, machines }: Around): Gap[] {
  const gaps = report.gaps.map(({ code, message, at_frame, at_byte }) =>
    gap(
      `recording_${code}`,
      artifact_id,
      `${message} (after ${count(at_frame, 'frame')}, byte ${at_byte})`,
      'If the logger still has the file, copy it from the logger again.',
    ),
  );
  const nobody = report.machines.get(null) ?? 0;
  if (nobody > 0)
    gaps.push({
      ...gap(
        'no_equipment_match',
        artifact_id,
        `${count(nobody, 'sample')} belong to no machine, because the device was linked to no machine at that time.`,
        'Link the device to its machine, then decode the file again.',
      ),
      resource: 'device',
    });
  if (report.undated > 0)
    gaps.push(
      gap(
        'recording_undated',
        artifact_id,
        `${count(report.undated, 'frame')} had no date, or a date ahead of the clock of the gateway. No values were stored from them.`,
        'Record with dates (candump -L or -t a), and check the clock of the logger.',
      ),
    );
  if (report.unparsable > 0)
    gaps.push(
      gap(
        'recording_unparsable',
        artifact_id,
        `${count(report.unparsable, 'line or record', 'lines or records')} could not be read as frames.`,
        'Check the file. All other lines were read.',
      ),
    );
  if (report.implausible > 0)
    gaps.push(
      gap(
        'recording_implausible',
        artifact_id,
        `${count(report.implausible, 'value')} from DBC files or GNSS were outside the plausible range of their signals and were left out.`,
        'Check the mapping of the DBC files of the device (units, factors, messages) and its setting gnss_channels.',
      ),
    );
  gaps.push(...clockGaps(report, { artifact_id, history }));
  const { zone } = report.info;
  if (zone !== null && zone.doubt !== null)
    gaps.push(gap(`recording_time_${zone.doubt}`, artifact_id, doubtOf(zone), DOUBT_REMEDY));
  for (const { kind, text } of report.identities) {
    if (kind !== 'vin') continue;
    for (const { id, data } of machines) {
      if (data.pin === null || plain(data.pin) === plain(text)) continue;
      gaps.push({
        ...gap(
          'vin_differs',
          id,
          `The VIN on the bus is ${text}; the VIN in the record of ${data.unit_number} is ${data.pin}.`,
          'Check that the device is linked to the right machine.',
        ),
        resource: 'equipment',
      });
    }
  }
  return gaps;
}

/** Returns the details about the GNSS values of the logger; null if the file has no GNSS values. */
function gnssDetails({ gnss }: DecodeReport): Record<string, unknown> | null {
  if (gnss === null) return null;
  const { clock, fix_types, ...rest } = gnss;
  const [none, dead_reckoning, two_d, three_d, combined, time_only] = fix_types;
  return {
    ...rest,
    fix_types: { none, dead_reckoning, '2d': two_d, '3d': three_d, combined, time_only },
    clock_ahead:
      clock === null
        ? null
        : {
            readings: clock.readings,
            first_s: seconds(clock.first_us),
            last_s: seconds(clock.last_us),
            least_s: seconds(clock.least_us),
            most_s: seconds(clock.most_us),
          },
  };
}

const DOUBT_REMEDY = 'Find out from other data when the file was recorded, and let the logger record its times in UTC.';

/** Returns a sentence that states why the times of a log may be wrong by an hour. */
function doubtOf({ name, doubt }: LogZone): string {
  return doubt === 'twice'
    ? `The file begins in an hour that clocks in ${name} showed twice, because the clocks were set back. The gateway assumed the first of the two hours, so all times of the file may be one hour early.`
    : `The file begins at a time that clocks in ${name} skipped, because the clocks were set forward. It was read as if the clocks had not been changed yet.`;
}

/** Returns a sentence that names the time zone which the gateway assumed; an empty text if the file itself names its zone. */
function zoneWords(zone: LogZone | null): string {
  return zone === null ? '' : ` Its dates have no time zone; they were read as ${zone.name}, which is an assumption.`;
}

/** Returns the outcome for a file that was read to its end. */
export function completedOutcome(report: DecodeReport, around: Around): Completed {
  const { artifact_id, name, history, machines, wall_ms } = around;
  const made = [...report.signals.values()].reduce((sum, n) => sum + n, 0);
  const numbers = machines.map(({ data }) => data.unit_number).join(', ');
  const whose = machines.length === 0 ? 'for no machine' : `for ${numbers}`;
  const span =
    report.from_us === null || report.to_us === null
      ? 'without dates'
      : `from ${isoTime(report.from_us)} to ${isoTime(report.to_us)}`;
  const known = history.known === 0 ? '' : `, ${count(history.known, 'sample was', 'samples were')} there already`;
  const summary = `${name}: ${count(report.frames, 'frame')} on ${count(report.buses.size, 'bus', 'buses')} ${span}. ${count(made, 'sample')} of ${count(report.signals.size, 'signal')} ${whose}; ${history.added.toLocaleString('en')} new in history${known}.${zoneWords(report.info.zone)}${clockWords(report)}`;
  return {
    status: 'completed',
    output: {
      summary,
      created: {},
      updated: machines.length === 0 ? {} : { equipment: machines.map(({ id }) => id) },
      artifacts: [artifact_id],
      details: detailsOf(report, around, made),
    },
    gaps: gapsOf(report, around),
    counts: { frames: report.frames, samples: made, samples_added: history.added, samples_known: history.known },
    usage: { input_tokens: null, output_tokens: null, tool_calls: null, credits: null, wall_ms },
    cost_usd: null,
    runner_clock: { wall_ms, cpu_ms: Math.round(report.cpu_ms) },
  };
}

function detailsOf(report: DecodeReport, { device_id, history }: Around, made: number): Record<string, unknown> {
  const { info } = report;
  return {
    device_id,
    format: report.format,
    wrapping: info.wrapping,
    clock: info.clock,
    timezone: info.zone === null ? null : { assumed: info.zone.name, doubt: info.zone.doubt },
    session: info.session,
    split: info.split,
    frames: report.frames,
    from: isoOrNull(report.from_us),
    to: isoOrNull(report.to_us),
    undated_frames: report.undated,
    late_frames: report.late,
    unparsable: report.unparsable,
    other_records: report.skipped,
    buses: [...report.buses].map(([bus, frames]) => {
      const header = info.buses.find((one) => one.bus === bus);
      return { bus, frames, name: header?.name ?? null, bit_rate: header?.bit_rate ?? null };
    }),
    signals: Object.fromEntries([...report.signals].sort()),
    samples: { made, added: history.added, known: history.known },
    machines: [...report.machines].map(([equipment_id, samples]) => ({ equipment_id, samples })),
    clock_correction: clockDetails(report),
    gnss: gnssDetails(report),
    identities: report.identities.map(({ kind, text, bus, sa }) => ({ kind, text, bus, source_address: sa })),
    trouble_codes: report.faults.map(({ sa, spn, fmi, raw, from_us, to_us }) => ({
      spn,
      fmi,
      raw,
      source_address: sa,
      from: isoTime(from_us),
      to: isoTime(to_us),
    })),
  };
}

const CODES: Readonly<Record<FileRefused['code'], RunErrorCode>> = {
  not_found: 'recording_missing',
  unreadable: 'recording_unreadable',
  not_a_log: 'recording_unreadable',
  unsupported: 'recording_unreadable',
  damaged: 'recording_unreadable',
  too_large: 'recording_unreadable',
  too_dense: 'recording_too_dense',
  empty: 'recording_empty',
  password_needed: 'recording_locked',
  wrong_password: 'recording_locked',
  not_authentic: 'recording_locked',
};

/** Returns the outcome for a file that cannot be read. Its message has the name of the file instead of the path on this host. */
export function refusedOutcome({ code, message }: FileRefused, path: string, name: string): Outcome {
  return { status: 'failed', code: CODES[code], message: message.replaceAll(path, name) };
}
