/**
 * Reads the stored samples of several signals of a machine, one UTC day after the other. A read needs memory for the answer and for each
 * second of one day and signal, so the memory does not grow with the time range. A segment is a stored document with samples of one
 * machine.
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { TelemetryQuery, TelemetryRead } from '#contract/context.ts';
import { BEFORE_HOURS } from '#contract/fleet/telemetry.ts';
import type { SampleClock } from '#domain/base/sample-clock.ts';
import type { SecondRange } from '#domain/history/merge.ts';
import { type Origin, Origins } from '#domain/history/origins.ts';
import type { NewSegment, SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { clippedRuns, joinRuns, withoutOrigins } from '#domain/history/states.ts';
import { walk } from '#store/walk.ts';
import { daysOf } from './days.ts';
import type { HistorySource } from './history.ts';
import { type MinuteReader, minuteReader } from './minute-reader.ts';
import { SeriesBuilder } from './series-builder.ts';
import { TimeSlice } from './time-slice.ts';

const DAY_S = 86_400;
const MINUTE_S = 60;
/** The number of segments that one read of the store returns. */
const CHUNK = 50;
/**
 * The steps of the search for the last sample before `from`: how far back each step looks, in seconds. Most machines need only the first
 * step.
 */
const BEFORE_S = [600, 3_600, BEFORE_HOURS * 3_600] as const;

/**
 * For each signal, one value for each second of a day; NaN for a second without a sample. Only the seconds that were read have a meaning.
 */
type Day = ReadonlyMap<string, Float64Array>;

/** Samples of a signal with their origins. Samples that are still in memory have none: they are live, so their times were not corrected. */
type Found = Pick<SampleSeries, 'signal' | 't' | 'v'> & Partial<Pick<SampleSeries, 'o'>>;

/** The corrections of the times of one signal on the day. */
interface DayClocks {
  /** For each second of the day, the number of its correction in `list`; 0 if its time was not corrected. */
  readonly of: Uint32Array;
  readonly list: (SampleClock | undefined)[];
}

/** Reads samples of one machine and counts what it examines. */
class DayReader {
  examined = 0;
  unreadable = 0;
  private readonly source: HistorySource;
  private readonly memory: readonly { readonly one: Found; readonly origins: readonly Origin[] }[];
  /** Has a signal only if a sample of the present day has a corrected time. */
  private readonly clocks = new Map<string, DayClocks>();
  private readonly day: Day;
  private readonly slice = new TimeSlice();

  constructor(source: HistorySource, signals: readonly SignalName[]) {
    this.source = source;
    this.day = new Map(signals.map((signal) => [signal, new Float64Array(DAY_S)]));
    // Read memory before the store, because samples may move from memory to the store between the two reads.
    const ofMachine = ({ equipment_id }: NewSegment) => equipment_id === source.equipment_id;
    this.memory = [
      ...signals.map((signal) => ({ one: { signal, ...source.openSamples(signal) }, origins: [] })),
      ...source
        .unstoredSegments()
        .filter(ofMachine)
        .flatMap(({ series, origins }) => series.map((one) => ({ one, origins }))),
    ];
  }

  /** Returns the samples of the seconds from `from` to before `to`, which are in the UTC day that begins at `start`. */
  async read(start: number, from: number, to: number): Promise<Day> {
    for (const values of this.day.values()) values.fill(Number.NaN, from - start, to - start);
    this.clocks.clear();
    const keep = ({ signal, t, v, o }: Found, origins: readonly Origin[]): void => {
      const values = this.day.get(signal);
      if (values === undefined) return;
      const isCorrected = o !== undefined && origins.some(({ clock }) => clock !== undefined);
      for (let i = 0; i < t.length; i++) {
        const second = t[i] as number;
        // History has one sample a second: keep the sample that was found first.
        if (second < from || second >= to || !Number.isNaN(values[second - start])) continue;
        values[second - start] = v[i] as number;
        if (isCorrected) this.noteClock(signal, second - start, origins[o[i] as number]?.clock);
      }
    };
    for (const { one, origins } of this.memory) keep(one, origins);
    const { view, equipment_id } = this.source;
    const where = {
      'data.slot': `${equipment_id}/${start / DAY_S}`,
      'data.to_ms': { gte: from * 1000 },
      'data.from_ms': { lt: to * 1000 },
    };
    for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
      this.examined += data.samples;
      this.keepSegment(data.body, keep);
      await this.slice.rest();
    }
    return this.day;
  }

  /** Returns the correction of the time of a sample of the day that was read last. `at` counts the seconds since the start of the day. */
  clockAt(signal: string, at: number): SampleClock | undefined {
    const clocks = this.clocks.get(signal);
    return clocks?.list[clocks.of[at] as number];
  }

  private noteClock(signal: string, at: number, clock: SampleClock | undefined): void {
    if (clock === undefined) return;
    const clocks = this.clocks.get(signal) ?? { of: new Uint32Array(DAY_S), list: [undefined] };
    this.clocks.set(signal, clocks);
    const known = clocks.list.lastIndexOf(clock);
    clocks.of[at] = known >= 0 ? known : clocks.list.push(clock) - 1;
  }

  /** Calls `keep` with the series of each wanted signal of a segment. Counts a segment that cannot be read. */
  private keepSegment(body: Uint8Array, keep: (series: SampleSeries, origins: readonly Origin[]) => void): void {
    const segment = openSegment(body);
    try {
      if (segment === undefined) throw new RangeError('the segment is damaged');
      for (const signal of segment.signals)
        if (this.day.has(signal)) keep(segment.read(signal) as SampleSeries, segment.origins);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.unreadable++;
    }
  }
}

/** Finds the last sample of each series before the range. */
async function readBefore(reader: DayReader, series: readonly SeriesBuilder[], from: number): Promise<void> {
  let end = from;
  for (const reach of BEFORE_S) {
    for (const day of [...daysOf(Math.max(0, from - reach), end)].reverse()) {
      const missing = series.filter(({ before }) => before === null);
      if (missing.length === 0) return;
      const found = await reader.read(day.start, day.from, day.to);
      for (const one of missing) {
        const values = found.get(one.signal) as Float64Array;
        let at = day.to - 1 - day.start;
        while (at >= day.from - day.start && Number.isNaN(values[at])) at--;
        if (at >= day.from - day.start) one.before = { t: (day.start + at) * 1000, value: values[at] as number };
      }
    }
    end = Math.max(0, from - reach);
  }
}

/** Adds the samples of a range of seconds to the series. After `most` examined samples it stops at the end of the UTC day. */
async function addSamples(
  reader: DayReader,
  series: readonly SeriesBuilder[],
  { from, to }: SecondRange,
  most: number,
): Promise<number> {
  for (const day of daysOf(from, to)) {
    const found = await reader.read(day.start, day.from, day.to);
    for (const one of series) {
      const values = found.get(one.signal) as Float64Array;
      for (let second = day.from; second < day.to; second++) {
        const value = values[second - day.start] as number;
        if (!Number.isNaN(value)) one.add(second * 1000, value, reader.clockAt(one.signal, second - day.start));
      }
    }
    if (reader.examined >= most) return day.to;
  }
  return to;
}

/**
 * Reads the stored values that the query asks for. Steps of whole minutes are read from the statistics of minutes, which have every value;
 * parts of a minute at the ends of the range, shorter steps and single values are read from the samples. If the statistics of a day cannot
 * be read, the day is read from the samples, too. After `most` examined samples, the read stops at the end of a UTC day.
 */
export async function readTelemetry(
  source: HistorySource,
  query: TelemetryQuery,
  most: number = LIMITS.telemetry_examined.value,
): Promise<TelemetryRead> {
  if (query.only !== undefined) return readValues(source, query, most);
  const { signals, from_ms, to_ms, step_s, now_ms } = query;
  const reader = new DayReader(source, signals);
  const series = signals.map((signal) => new SeriesBuilder(signal, from_ms, step_s));
  const from = Math.ceil(from_ms / 1000);
  const to = Math.ceil(to_ms / 1000);
  await readBefore(reader, series, from);
  let until = to;
  const days = await minuteReader(source, signals);
  const minutes = step_s === null || step_s % MINUTE_S !== 0 ? undefined : days;
  if (minutes === undefined) until = await addSamples(reader, series, { from, to }, most);
  else {
    const [first, last] = wholeMinutes(from, to, to_ms >= now_ms);
    await addSamples(reader, series, { from, to: first }, Number.POSITIVE_INFINITY);
    until = await addMinutes(reader, minutes, series, { from: first, to: last }, most);
    if (until === last) until = last < to ? await addSamples(reader, series, { from: last, to }, most) : to;
  }
  if (minutes !== undefined) for (const one of series) await nameSeconds(reader, one);
  if (days !== undefined) await addStates(days, series, { from, to: until });
  const until_ms = until === to ? to_ms : until * 1000;
  const end_ms = Math.min(until_ms, now_ms);
  const unreadable = reader.unreadable + (minutes?.unreadable ?? 0);
  return { until_ms, unreadable, series: series.map((one) => one.finish(end_ms)) };
}

/** Reads only the values of the range, each part of the history once: the samples, and the statistics of minutes if the query wants them. */
async function readValues(
  source: HistorySource,
  { signals, from_ms, to_ms, now_ms, only }: TelemetryQuery,
  most: number,
): Promise<TelemetryRead> {
  const reader = new DayReader(source, signals);
  const samples = signals.map((signal) => new SeriesBuilder(signal, from_ms, null));
  const from = Math.ceil(from_ms / 1000);
  const to = Math.ceil(to_ms / 1000);
  const until = await addSamples(reader, samples, { from, to }, most);
  const until_ms = until === to ? to_ms : until * 1000;
  const end_ms = Math.min(until_ms, now_ms);
  const finish = (series: readonly SeriesBuilder[]) => series.map((one) => one.finish(end_ms));
  const read = { until_ms, unreadable: reader.unreadable, series: finish(samples) };
  if (only === 'samples') return read;
  const minutes = signals.map((signal) => new SeriesBuilder(signal, from_ms, MINUTE_S));
  const rows = await minuteReader(source, signals);
  for (const day of rows === undefined ? [] : daysOf(...wholeMinutes(from, until, until_ms >= now_ms))) {
    const found = await rows?.read(day.start, day.from, day.to);
    for (const one of minutes) {
      const own = found?.get(one.signal);
      if (own !== undefined) one.addMinutes(own);
    }
  }
  return { ...read, minutes: finish(minutes) };
}

/**
 * Returns the first and the last second of the whole minutes of a range. If the range ends at the present time, the last minute has no
 * values after the range, so it counts as whole.
 */
function wholeMinutes(from: number, to: number, endsNow: boolean): [first: number, last: number] {
  const first = Math.min(to, Math.ceil(from / MINUTE_S) * MINUTE_S);
  const round = endsNow ? Math.ceil : Math.floor;
  return [first, Math.max(first, round(to / MINUTE_S) * MINUTE_S)];
}

/** Adds the states that control units reported instead of values. Reads the days that `reader` has not read yet. */
async function addStates(
  reader: MinuteReader,
  series: readonly SeriesBuilder[],
  { from, to }: SecondRange,
): Promise<void> {
  for (const day of daysOf(from, to)) if (!reader.days.has(day.start)) await reader.read(day.start, day.from, day.to);
  const found = clippedRuns(joinRuns(reader.states, new Origins()), from, to);
  for (const one of series) {
    const runs = found.find(({ signal }) => signal === one.signal);
    if (runs !== undefined) one.states = withoutOrigins(runs);
  }
}

/**
 * Finds the exact second of the lowest and of the highest value of a series. This is possible only if a sample of the minute has this
 * value, because the statistics know only the minute.
 */
async function nameSeconds(reader: DayReader, series: SeriesBuilder): Promise<void> {
  for (const extreme of series.extremesOfMinutes()) {
    const minute = Math.floor(extreme.t / 1000 / MINUTE_S) * MINUTE_S;
    const start = Math.floor(minute / DAY_S) * DAY_S;
    const values = (await reader.read(start, minute, minute + MINUTE_S)).get(series.signal);
    const at = values?.subarray(minute - start, minute - start + MINUTE_S).indexOf(extreme.value) ?? -1;
    if (at >= 0) extreme.t = (minute + at) * 1000;
  }
}

/** Adds whole minutes to the series. After `most` examined samples or rows it stops at the end of the UTC day. */
async function addMinutes(
  reader: DayReader,
  minutes: MinuteReader,
  series: readonly SeriesBuilder[],
  range: SecondRange,
  most: number,
): Promise<number> {
  for (const day of daysOf(range.from, range.to)) {
    const found = await minutes.read(day.start, day.from, day.to);
    if (found === undefined) await addSamples(reader, series, day, Number.POSITIVE_INFINITY);
    else
      for (const one of series) {
        const rows = found.get(one.signal);
        if (rows !== undefined) one.addMinutes(rows);
      }
    if (reader.examined + minutes.examined >= most) return day.to;
  }
  return range.to;
}
