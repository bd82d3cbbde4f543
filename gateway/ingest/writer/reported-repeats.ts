/**
 * Finds the samples of a log file that history already has under the time that the device reported. The gateway corrected the times of the
 * file. But live data has the reported times, and the file itself may be in history with reported times if the gateway decoded it before
 * without its trusted clock. So history may have the same moment under another second: the corrected time minus the correction ([I57], ADR
 * 30).
 *
 *   file, decoded before         has the time of the device: found here, if the clock was off by at most 5 minutes
 *   clock ahead of the gateway   live data has the receive time, which is nearly the corrected time: `new-samples.ts` finds it
 *   clock behind, to 5 minutes   live data has the time of the device: found here
 *   clock further behind         the file adds its samples at the right time; the late data stays at the wrong time
 */
import type { View } from '#contract/base/view.ts';
import { unlessDamaged } from '#domain/history/damage.ts';
import { filteredRows, type MinuteSeries } from '#domain/history/minutes.ts';
import type { Origin } from '#domain/history/origins.ts';
import type { NewSegment, SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { filtered } from '#domain/history/stored-segment.ts';
import { walk } from '#store/walk.ts';

const MINUTE_S = 60;
/** The number of segments per read of the store. */
const CHUNK = 200;

/** Data that is older than this on arrival, in milliseconds, never counts as live. */
const LATE_MS = 300_000;

/** Samples and statistics of a new segment. */
interface Part {
  readonly made: Pick<NewSegment, 'equipment_id' | 'origins' | 'run'>;
  readonly series: readonly SampleSeries[];
  readonly minutes: readonly MinuteSeries[];
}

/** A correction that samples of the part have, and the seconds by the clock of the device in which stored samples may be the same. */
interface Shift {
  readonly device: string;
  readonly artifact: string | null;
  readonly seconds: number;
  /** True if live data of the device has reported times. */
  readonly live: boolean;
  /** A stored sample this many seconds away is the same moment: a second of rounding, and the difference that the origin allows. */
  readonly slack: number;
}

function shiftOf({ device, artifact, clock }: Origin): Shift | undefined {
  if (clock === undefined || device === null) return undefined;
  const { correction_ms } = clock;
  if (Math.abs(correction_ms) > LATE_MS) return undefined;
  const slack = 1 + Math.ceil(clock.uncertainty_ms / 1000);
  return { device, artifact, seconds: Math.round(-correction_ms / 1000), live: correction_ms > 0, slack };
}

/** For each device and signal, the seconds in which history has samples under reported times. */
type Seconds = ReadonlyMap<string, ReadonlySet<number>>;

/** The key of a device and signal in `Seconds`. The comparison with live data has a key of its own. */
const keyOf = ({ device, live }: Shift, signal: string): string => `${device} ${live} ${signal}`;

/** Returns the samples and statistics of the part that history does not have under their reported times. */
export async function withoutReported(view: View, part: Part): Promise<Pick<Part, 'series' | 'minutes'>> {
  const { made, series, minutes } = part;
  const shifts = made.origins.map(shiftOf);
  if (shifts.every((shift) => shift === undefined)) return { series, minutes };
  const stored = new Map<string, Set<number>>();
  for (const range of rangesOf(series, shifts)) await addSeconds(view, made, range, series, stored);
  const repeated = new Set<string>();
  const kept = new Set<string>();
  const left = filtered(series, (second, signal, o) => {
    const minute = `${signal} ${o} ${Math.floor(second / MINUTE_S)}`;
    const isKnown = isIn(stored, shifts[o], signal, second);
    (isKnown ? repeated : kept).add(minute);
    return !isKnown;
  });
  // If history has all samples of a minute, the statistics of the minute only repeat its statistics.
  const rows = filteredRows(minutes, ({ o, m }, signal) => {
    const minute = `${signal} ${o} ${m}`;
    return kept.has(minute) || !repeated.has(minute);
  });
  return { series: left, minutes: rows };
}

function isIn(stored: Seconds, shift: Shift | undefined, signal: string, second: number): boolean {
  if (shift === undefined) return false;
  const seconds = stored.get(keyOf(shift, signal));
  for (let near = -shift.slack; near <= shift.slack; near++)
    if (seconds?.has(second + shift.seconds + near) === true) return true;
  return false;
}

/** The range of seconds, by the clock of the device, that corrected samples of a device have. */
interface Range {
  readonly shift: Shift;
  from: number;
  to: number;
}

function rangesOf(series: readonly SampleSeries[], shifts: readonly (Shift | undefined)[]): Iterable<Range> {
  const ranges = new Map<string, Range>();
  for (const { t, o } of series)
    t.forEach((second, i) => {
      const shift = shifts[o[i] as number];
      if (shift === undefined) return;
      const key = keyOf(shift, '');
      const range = ranges.get(key) ?? { shift, from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
      ranges.set(key, range);
      range.from = Math.min(range.from, second + shift.seconds - shift.slack);
      range.to = Math.max(range.to, second + shift.seconds + shift.slack);
    });
  return ranges.values();
}

/** Adds to `stored` the seconds in which the machine has samples of the device under reported times, in a range, by signal. */
async function addSeconds(
  view: View,
  { equipment_id, run }: Part['made'],
  { shift, from, to }: Range,
  series: readonly SampleSeries[],
  stored: Map<string, Set<number>>,
): Promise<void> {
  const signals = series.map(({ signal }) => signal);
  for (const signal of signals) stored.set(keyOf(shift, signal), new Set());
  // Two kinds of samples with reported times belong to other moments. Samples of the same run come from a part of the file without a
  // trusted clock. Samples of another file do too, because somebody may have set the clock between the two files.
  const isReported = ({ device, clock, artifact, run: of }: Origin) =>
    device === shift.device &&
    clock === undefined &&
    (artifact === null ? shift.live : artifact === shift.artifact && of !== run);
  const where = {
    'data.equipment_id': equipment_id,
    'data.to_ms': { gte: from * 1000 },
    'data.from_ms': { lte: to * 1000 },
  };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
    const segment = openSegment(data.body);
    const own = segment?.origins.map(isReported) ?? [];
    if (!own.includes(true)) continue;
    for (const signal of signals) {
      const seconds = stored.get(keyOf(shift, signal));
      const found = segment?.signals.includes(signal) ? unlessDamaged(() => segment.read(signal)) : undefined;
      found?.t.forEach((second, i) => {
        if (own[found.o[i] as number] === true) seconds?.add(second);
      });
    }
  }
}
