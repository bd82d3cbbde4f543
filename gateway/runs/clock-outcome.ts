/** The part of the outcome of a decode run that tells how the clock of the logger was judged and corrected. */
import { textOf } from '#contract/base/told.ts';
import type { Gap } from '#contract/work/task.ts';
import { isoTime } from '#domain/base/times.ts';
import type { Stretch } from '#domain/clock/clock-estimator.ts';
import { aheadWords } from '#domain/clock/clock-words.ts';
import type { DecodeReport } from './decode-job.ts';

/** The file, and how many of its samples history had already. */
interface Around {
  readonly artifact_id: string;
  readonly history: { readonly known: number };
}

/** If the clock of a logger differs from GNSS time by this many microseconds or more, the outcome has a gap. */
const CLOCK_OFF_US = 1_000_000;
/** Largest number of stretches in the details. `stretches_total` counts all. */
const MAX_STRETCHES_LISTED = 20;

/** Converts microseconds to seconds with three decimals. */
export const seconds = (us: number): number => Math.round(us / 1000) / 1000;

/** Returns a clock difference as a text, for example "8.786 s ahead of" or "0.5 s behind". */
function aheadOf(us: number): string {
  return us < 0 ? `${seconds(-us)} s behind` : `${seconds(us)} s ahead of`;
}

const samplesOf = ({ signals }: DecodeReport): number => [...signals.values()].reduce((sum, n) => sum + n, 0);
const number = (n: number): string => n.toLocaleString('en');

/** The name of the clock that the log was compared with. */
function nameOf({ clock, unit }: DecodeReport['clock']): string {
  if (clock === 'gnss') return 'GNSS time';
  return `the time of the control unit at address ${unit?.sa} on bus ${unit?.bus} (J1939 PGN 65254)`;
}

/** The knots of all corrected stretches, in the order of the file. */
const knotsOf = ({ corrected }: DecodeReport['clock']) => corrected.flatMap(({ knots }) => knots);

/** Returns a sentence about the correction for the summary of the run; an empty text if no sample was corrected. */
export function clockWords({ clock, corrected }: DecodeReport): string {
  const [first] = knotsOf(clock);
  if (first === undefined || corrected === 0) return '';
  return ` The clock of the logger was ${textOf(aheadWords(first.ahead_us))} ${nameOf(clock)}; ${number(corrected)} ${corrected === 1 ? 'sample has a corrected time' : 'samples have corrected times'}.`;
}

/** Returns the gap of a logger whose clock was wrong; an empty list if its clock was right, or was not compared. */
export function clockGaps(report: DecodeReport, { artifact_id, history }: Around): Gap[] {
  const { clock, gnss, corrected } = report;
  const measured = gnss?.clock ?? null;
  const isOff = measured !== null && Math.max(Math.abs(measured.least_us), Math.abs(measured.most_us)) >= CLOCK_OFF_US;
  const knots = knotsOf(clock);
  const [first, last] = [knots[0], knots.at(-1)];
  if (!isOff && (first === undefined || last === undefined)) return [];
  const [from_us, to_us, readings] =
    measured !== null && clock.clock !== 'j1939'
      ? [measured.first_us, measured.last_us, measured.readings]
      : [first?.ahead_us ?? 0, last?.ahead_us ?? 0, clock.readings];
  const rest = samplesOf(report) - corrected;
  const stored =
    corrected === 0
      ? 'The times in history are those of the logger; they were not corrected.'
      : `${number(corrected)} samples have corrected times${rest === 0 ? '' : `; ${number(rest)} samples keep the time of the logger, because the correction is not known for them`}.${history.known === 0 ? '' : ' Samples that history had already keep the times that they have there.'}`;
  const doubt = clock.clock === 'j1939' ? ' Nobody has checked the clock of this control unit.' : '';
  return [
    {
      code: 'recording_clock_off',
      resource: 'artifact',
      ref: artifact_id,
      message: `The clock of the logger was ${aheadOf(from_us)} ${nameOf(clock.clock === null ? { ...clock, clock: 'gnss' } : clock)} at the first of ${number(readings)} readings and ${aheadOf(to_us)} it at the last. ${stored}${doubt}`,
      remedy:
        'Set the clock of the logger by GNSS or by the network (rtc.sync of a CANedge), so that later files have the right times.',
      blocking: false,
    },
  ];
}

/** Returns the details of the judgement; null if the log has no trusted clock. */
export function clockDetails({ clock: judged, corrected: samples }: DecodeReport): Record<string, unknown> | null {
  const { clock, readings, unit, stretches, corrected, refusal } = judged;
  if (clock === null && refusal === null) return null;
  return {
    clock,
    control_unit: unit === null ? null : { bus: unit.bus, source_address: unit.sa },
    not_used_because: refusal,
    readings,
    corrected_samples: samples,
    stretches_total: stretches.length,
    stretches: stretches
      .slice(0, MAX_STRETCHES_LISTED)
      .map((one) => ({ ...stretchDetails(one), corrected: corrected.includes(one) })),
  };
}

function stretchDetails({ knots, readings, uncertainty_us }: Stretch): Record<string, unknown> {
  const [first, last] = [knots[0], knots.at(-1)];
  return {
    readings,
    logger_time_from: isoTime(first?.t_us ?? 0),
    logger_time_to: isoTime(last?.t_us ?? 0),
    ahead_first_s: seconds(first?.ahead_us ?? 0),
    ahead_last_s: seconds(last?.ahead_us ?? 0),
    uncertainty_s: seconds(uncertainty_us),
  };
}
