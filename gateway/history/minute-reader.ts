/**
 * Reads the statistics of minutes of one machine, one UTC day after the other. A row has the statistics of one signal, minute and origin
 * (device, parameter and control unit). A segment is a stored document with samples and rows. A job (the compaction) later replaces the
 * open segments of an hour by one sealed segment without rows. It moves their rows into the rollup, a document with the rows of one machine
 * and day.
 *
 *   rollup of the day   rows of sealed segments    ─┐
 *   open segments       rows that are not sealed    ├▶ rows of each minute ─▶ resolved: one row per minute
 *   memory              rows that are not stored   ─┘
 *
 * Rows move from memory to an open segment, and from there to the rollup. If a row moves during a read, the reader could find it in both
 * places, or in none. So the reader checks after each read whether rows have moved, and repeats the read if they have.
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import {
  type MinutePart,
  type MinuteRow,
  mergeMinutes,
  resolveMinute,
  rowAt,
  seriesOf,
} from '#domain/history/minutes.ts';
import { type Origin, Origins } from '#domain/history/origins.ts';
import { openRollup } from '#domain/history/rollup.ts';
import type { NewSegment, RollupData, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import type { StatePart, StateRuns } from '#domain/history/states.ts';
import { walk } from '#store/walk.ts';
import type { HistorySource, OpenMinutes } from './history.ts';
import type { CorrectedMinute, ReadMinutes } from './series-builder.ts';
import { TimeSlice } from './time-slice.ts';

const DAY_S = 86_400;
const MINUTE_S = 60;
/** The number of open segments per read of the store. */
const CHUNK = 200;
/**
 * While rows move, the reader repeats the read of a day until it has read the day this many times. A move takes milliseconds, and a machine
 * has about one move a minute.
 */
const MOST_READS = 20;
/**
 * The longest time, in milliseconds, that a read waits for a running commit. On a full disk a commit may take long; the read then treats
 * the segments of this commit as not stored.
 */
const COMMIT_MS = 2_000;
const POLL_MS = 5;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The rows that were in memory when the reader looked. */
interface Memory {
  readonly open: OpenMinutes;
  readonly segments: readonly NewSegment[];
}

/** For each signal the minutes of one day. */
export type DayMinutes = ReadonlyMap<SignalName, ReadMinutes>;

export class MinuteReader {
  /** The number of rows that were read. */
  examined = 0;
  /** The number of open segments and rollups that could not be read. */
  unreadable = 0;
  /** The states that control units reported instead of values, of all days that were read. A run may be in the list more than once. */
  readonly states: StatePart[] = [];
  /** The days that were read, each as its first second since 1970. */
  readonly days = new Set<number>();
  readonly #source: HistorySource;
  readonly #signals: readonly SignalName[];
  readonly #slice = new TimeSlice();

  constructor(source: HistorySource, signals: readonly SignalName[]) {
    this.#source = source;
    this.#signals = signals;
  }

  /**
   * Returns the minutes from the second `from` to before `to`, which are in the UTC day that begins at `start`. Returns undefined if the
   * statistics of the day are missing or damaged although it has sealed samples.
   */
  async read(start: number, from: number, to: number): Promise<DayMinutes | undefined> {
    const slot = `${this.#source.equipment_id}/${start / DAY_S}`;
    this.days.add(start);
    for (let reads = 1; ; reads++) {
      const memory = await this.#memory();
      const open = await this.#openSegments(slot);
      const rollups = await this.#rollups(slot);
      if (reads < MOST_READS && !(await this.#isStill(memory, open, slot))) continue;
      await this.#slice.rest();
      const parts = rollups.length === 0 && (await this.#hasSealed(slot)) ? undefined : this.#rollupParts(rollups);
      if (parts === undefined) return undefined;
      return this.#resolve(
        [...parts, ...this.#openParts(open), ...this.#memoryParts(memory)],
        from / MINUTE_S,
        to / MINUTE_S,
      );
    }
  }

  /** Waits until no segment of the machine is being stored, and returns the rows in memory. */
  async #memory(): Promise<Memory> {
    const { openMinutes, unstoredSegments, isStoring, equipment_id } = this.#source;
    for (let waited = 0; isStoring() && waited < COMMIT_MS; waited += POLL_MS) await sleep(POLL_MS);
    const segments = unstoredSegments().filter((one) => one.equipment_id === equipment_id);
    return { open: openMinutes(), segments };
  }

  /** Returns true if all rows that the reader read are still where it read them, in memory or in an open segment. */
  async #isStill({ open, segments }: Memory, stored: readonly Stored<SegmentData>[], slot: string): Promise<boolean> {
    const { openVersion, unstoredSegments } = this.#source;
    if (openVersion() !== open.version) return false;
    const unstored = new Set(unstoredSegments());
    if (segments.some((one) => !unstored.has(one))) return false;
    if (stored.length === 0) return true;
    const ids = new Set((await this.#openSegments(slot)).map(({ id }) => id));
    return stored.every(({ id }) => ids.has(id));
  }

  async #openSegments(slot: string): Promise<Stored<SegmentData>[]> {
    const found: Stored<SegmentData>[] = [];
    const query = { object: 'segment', where: { 'data.open_slot': slot } };
    for await (const one of walk<SegmentData>(this.#source.view, 'telemetry', query, CHUNK)) found.push(one);
    return found;
  }

  #rollups(slot: string): Promise<Stored<RollupData>[]> {
    const where = { 'data.slot': slot };
    return this.#source.view.find<RollupData>('telemetry', { object: 'rollup', where, limit: CHUNK });
  }

  async #hasSealed(slot: string): Promise<boolean> {
    const where = { 'data.slot': slot, 'data.open_slot': null };
    return (await this.#source.view.find('telemetry', { object: 'segment', where, limit: 1 })).length > 0;
  }

  /** Returns the rows of these rollups; undefined if one of the rollups is damaged. */
  #rollupParts(rollups: readonly Stored<RollupData>[]): MinutePart[] | undefined {
    const parts: MinutePart[] = [];
    for (const { data } of rollups) {
      this.examined += data.rows;
      const rollup = openRollup(data.body);
      try {
        if (rollup === undefined) throw new RangeError('the rollup is damaged');
        for (const signal of this.#signals) {
          const series = rollup.read(signal);
          if (series !== undefined) parts.push({ series, origins: rollup.origins });
        }
        this.#keepStates(rollup.states(), rollup.origins);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.unreadable++;
        return undefined;
      }
    }
    return parts;
  }

  #openParts(stored: readonly Stored<SegmentData>[]): MinutePart[] {
    return stored.flatMap(({ data }) => {
      this.examined += data.samples;
      const segment = openSegment(data.body);
      try {
        if (segment === undefined) throw new RangeError('the segment is damaged');
        this.#keepStates(segment.states(), segment.origins);
        return this.#wanted(segment.minutes()).map((series) => ({ series, origins: segment.origins }));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.unreadable++;
        return [];
      }
    });
  }

  #memoryParts({ open, segments }: Memory): MinutePart[] {
    return [open, ...segments].flatMap(({ minutes, states, origins }) => {
      this.#keepStates(states, origins);
      return this.#wanted(minutes).map((series) => ({ series, origins }));
    });
  }

  #wanted<T extends { readonly signal: SignalName }>(all: readonly T[]): T[] {
    return all.filter(({ signal }) => this.#signals.includes(signal));
  }

  #keepStates(states: readonly StateRuns[], origins: readonly Origin[]): void {
    const wanted = this.#wanted(states);
    if (wanted.length > 0) this.states.push({ states: wanted, origins });
  }

  /** Joins the rows of each signal, and computes one row for each minute from the rows of its origins. `from` and `to` are minutes. */
  #resolve(parts: readonly MinutePart[], from: number, to: number): DayMinutes {
    const days = new Map<SignalName, ReadMinutes>();
    for (const signal of this.#signals) {
      const own = parts.filter(({ series }) => series.signal === signal && series.m.length > 0);
      const [first] = own;
      if (first === undefined) continue;
      let joined = first;
      if (own.length > 1) {
        const origins = new Origins();
        joined = { series: mergeMinutes(signal, own, origins), origins: origins.list };
      }
      days.set(signal, resolved(joined, from, to));
    }
    return days;
  }
}

/** Returns the minutes from `from` to before `to`, one row for each. The rows of the series must be in ascending order. */
function resolved({ series, origins }: MinutePart, from: number, to: number): ReadMinutes {
  const { m } = series;
  const first = firstFrom(m, from);
  const end = firstFrom(m, to);
  const corrected = new Map<number, CorrectedMinute>();
  const hasCorrected = origins.some(({ clock }) => clock !== undefined);
  let isSingle = !hasCorrected;
  for (let i = first + 1; isSingle && i < end; i++) isSingle = m[i] !== m[i - 1];
  if (isSingle) return { series, from: first, to: end, corrected };
  const rows: MinuteRow[] = [];
  for (let i = first; i < end; i++) {
    const same = [rowAt(series, i)];
    while (i + 1 < end && m[i + 1] === m[i]) same.push(rowAt(series, ++i));
    const row = resolveMinute(same, origins);
    const correction = hasCorrected ? correctionOf(row, same, origins) : undefined;
    if (correction !== undefined) corrected.set(rows.length, correction);
    rows.push(row);
  }
  return { series: seriesOf(series.signal, rows), from: 0, to: rows.length, corrected };
}

/** Returns the index of the first minute that is not before `minute`. */
function firstFrom(m: readonly number[], minute: number): number {
  const at = m.findIndex((one) => one >= minute);
  return at < 0 ? m.length : at;
}

/** Returns how many values of a minute have corrected times. `same` are the rows from which `row` was computed. */
function correctionOf(
  row: MinuteRow,
  same: readonly MinuteRow[],
  origins: readonly Origin[],
): CorrectedMinute | undefined {
  const own = same.filter(({ o }) => origins[o]?.clock !== undefined);
  const clock = origins[own[0]?.o ?? -1]?.clock;
  if (clock === undefined) return undefined;
  const values = own.reduce((sum, { n }) => sum + n, 0);
  return { clock, values: Math.min(row.n, values) };
}

/**
 * Creates a reader. Returns undefined while the project has segments of an earlier build. These segments have no statistics; the compaction
 * computes the statistics in the background.
 */
export async function minuteReader(
  source: HistorySource,
  signals: readonly SignalName[],
): Promise<MinuteReader | undefined> {
  const { view, converted } = source;
  if (!converted.has(view.project_id)) {
    const where = { 'data.sealed_hour': null, 'data.open_slot': null };
    const old = await view.find('telemetry', { object: 'segment', where, order: 'asc', limit: 1 });
    if (old.length > 0) return undefined;
    converted.add(view.project_id);
  }
  return new MinuteReader(source, signals);
}
