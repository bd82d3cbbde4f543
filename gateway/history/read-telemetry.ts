/**
 * Reads the stored samples of several signals of a machine, one UTC day after the other. A read needs memory for the answer and for each
 * second of one day and signal, so the memory does not grow with the time range. A segment is a stored document with samples of one
 * machine.
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { TelemetryQuery, TelemetryRead } from '#contract/context.ts';
import { BEFORE_HOURS } from '#contract/fleet/telemetry.ts';
import type { SecondRange } from '#domain/history/merge.ts';
import type { NewSegment, SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
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

/** For each signal, one value for each second of a day; NaN for a second without a sample. */
type Day = ReadonlyMap<string, Float64Array>;

/** Reads samples of one machine and counts what it examines. */
class DayReader {
  examined = 0;
  unreadable = 0;
  private readonly source: HistorySource;
  private readonly memory: readonly Pick<SampleSeries, 'signal' | 't' | 'v'>[];
  private readonly day: Day;
  private readonly slice = new TimeSlice();

  constructor(source: HistorySource, signals: readonly SignalName[]) {
    this.source = source;
    this.day = new Map(signals.map((signal) => [signal, new Float64Array(DAY_S)]));
    // Read memory before the store, because samples may move from memory to the store between the two reads.
    const ofMachine = ({ equipment_id }: NewSegment) => equipment_id === source.equipment_id;
    this.memory = [
      ...signals.map((signal) => ({ signal, ...source.openSamples(signal) })),
      ...source
        .unstoredSegments()
        .filter(ofMachine)
        .flatMap(({ series }) => series),
    ];
  }

  /** Returns the samples of the seconds from `from` to before `to`, which are in the UTC day that begins at `start`. */
  async read(start: number, from: number, to: number): Promise<Day> {
    for (const values of this.day.values()) values.fill(Number.NaN);
    const keep = ({ signal, t, v }: Pick<SampleSeries, 'signal' | 't' | 'v'>): void => {
      const values = this.day.get(signal);
      if (values === undefined) return;
      for (let i = 0; i < t.length; i++) {
        const second = t[i] as number;
        // History has one sample a second: keep the sample that was found first.
        if (second >= from && second < to && Number.isNaN(values[second - start]))
          values[second - start] = v[i] as number;
      }
    };
    for (const one of this.memory) keep(one);
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

  /** Calls `keep` with the series of each wanted signal of a segment. Counts a segment that cannot be read. */
  private keepSegment(body: string, keep: (series: SampleSeries) => void): void {
    const segment = openSegment(Buffer.from(body, 'base64'));
    try {
      if (segment === undefined) throw new RangeError('the segment is damaged');
      for (const signal of segment.signals) if (this.day.has(signal)) keep(segment.read(signal) as SampleSeries);
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
        const at = values.findLastIndex((value) => !Number.isNaN(value));
        if (at >= 0) one.before = { t: (day.start + at) * 1000, value: values[at] as number };
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
        if (!Number.isNaN(value)) one.add(second * 1000, value);
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
  { signals, from_ms, to_ms, step_s, now_ms }: TelemetryQuery,
  most: number = LIMITS.telemetry_examined.value,
): Promise<TelemetryRead> {
  const reader = new DayReader(source, signals);
  const series = signals.map((signal) => new SeriesBuilder(signal, from_ms, step_s));
  const from = Math.ceil(from_ms / 1000);
  const to = Math.ceil(to_ms / 1000);
  await readBefore(reader, series, from);
  let until = to;
  const minutes = step_s === null || step_s % MINUTE_S !== 0 ? undefined : await minuteReader(source, signals);
  if (minutes === undefined) until = await addSamples(reader, series, { from, to }, most);
  else {
    const first = Math.min(to, Math.ceil(from / MINUTE_S) * MINUTE_S);
    // If the range ends at the present time, the last minute has no values after the range, so its statistics can be used.
    const last = Math.max(
      first,
      to_ms >= now_ms ? Math.ceil(to / MINUTE_S) * MINUTE_S : Math.floor(to / MINUTE_S) * MINUTE_S,
    );
    await addSamples(reader, series, { from, to: first }, Number.POSITIVE_INFINITY);
    until = await addMinutes(reader, minutes, series, { from: first, to: last }, most);
    if (until === last) until = last < to ? await addSamples(reader, series, { from: last, to }, most) : to;
  }
  if (minutes !== undefined) for (const one of series) await nameSeconds(reader, one);
  const until_ms = until === to ? to_ms : until * 1000;
  const end_ms = Math.min(until_ms, now_ms);
  const unreadable = reader.unreadable + (minutes?.unreadable ?? 0);
  return { until_ms, unreadable, series: series.map((one) => one.finish(end_ms)) };
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
    const at = values?.indexOf(extreme.value) ?? -1;
    if (at >= 0) extreme.t = (start + at) * 1000;
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
    else for (const one of series) for (const row of found.get(one.signal) ?? []) one.addMinute(row);
    if (reader.examined + minutes.examined >= most) return day.to;
  }
  return range.to;
}
