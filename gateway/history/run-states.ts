/**
 * Reads the run states (running, idle, off, unknown) of machines from history: stored segments (documents with the samples of one machine)
 * and samples that are only in memory. It caches the evidence of each machine and hour, and applies each commit to the cache:
 *
 *   new open segment                   -> its samples are added to the cached hours
 *   sealed segment, deleted samples    -> the cached hours are read again
 *   samples in memory                  -> added at each read; they are not cached
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { Change, Stored, View } from '#contract/base/view.ts';
import type { RunStateReader } from '#contract/context.ts';
import type { HistoryRemoved } from '#contract/fleet/history.ts';
import { unlessDamaged } from '#domain/history/damage.ts';
import { type Origin, originAt } from '#domain/history/origins.ts';
import type { SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import {
  HOLD_MS,
  HOUR_S,
  HourRun,
  isEvidence,
  isRunSignal,
  NO_CARRY,
  RUN_SIGNALS,
  type RunCarry,
  RunEvidence,
  type RunHour,
  runHour,
  runStretches,
} from '#domain/machine/run-states.ts';
import { walk } from '#store/walk.ts';
import { daysOf } from './days.ts';
import { TimeSlice } from './time-slice.ts';

const HOUR_MS = HOUR_S * 1_000;
const DAY_S = 86_400;
/** The largest number of hours in the cache, about 4 kB each. If the cache is full, the least recently used hour is removed. */
const MOST_HOURS = 10_000;
/** The largest number of reads of the same hours while commits change their segments. */
const MOST_READS = 5;
/** The number of segments that one read of the store returns. */
const CHUNK = 50;

/** Samples that are in no stored segment yet, with their origins. */
export interface UnstoredSamples {
  readonly series: readonly Pick<SampleSeries, 'signal' | 't' | 'v' | 'o'>[];
  readonly origins: readonly Origin[];
}

/** The store, and the memory of the gateway with the samples that are not stored yet. */
export interface RunStateSource {
  readonly store: {
    view(project_id: string): View;
    changes(listener: (changes: readonly Change[]) => void): () => void;
  };
  /** Returns the samples of these signals that are not stored yet, the oldest first. */
  readonly unstored: (equipment_id: string, signals: readonly SignalName[]) => readonly UnstoredSamples[];
}

/** The computation of an hour up to a second, and the versions of the evidence for which it is valid. */
interface CachedRun {
  readonly of: string;
  readonly run: HourRun;
  /** The states of the complete hour; undefined while the computation has not reached the end of the hour. */
  hour?: RunHour;
}

interface CachedHour {
  readonly evidence: RunEvidence;
  /** A number that no other state of a cached hour has. It changes when samples are added. */
  version: number;
  /** The computation that begins with the state at the end of the hour before. */
  chained?: CachedRun;
  /** The computation that knows nothing of the hour before. The next hour begins with its end. */
  alone?: CachedRun;
}

/** The hours that a read of the store fills. */
interface Reading {
  readonly equipment_id: string;
  readonly first: number;
  readonly last: number;
  /** True if a commit changed a segment of these hours during the read. */
  isStale: boolean;
}

const keyOf = (equipment_id: string, hour: number): string => `${equipment_id}/${hour}`;

class CachedRunStates implements RunStates {
  readonly #source: RunStateSource;
  readonly #hours = new Map<string, CachedHour>();
  readonly #readings = new Set<Reading>();
  readonly #unwatch: () => void;
  /** The end of the last read of the store. Reads run one after the other, so that many machines do not need much memory at once. */
  #queue: Promise<unknown> = Promise.resolve();
  #versions = 0;
  readonly #slice = new TimeSlice();

  constructor(source: RunStateSource) {
    this.#source = source;
    this.#unwatch = source.store.changes((changes) => {
      for (const { document } of changes) this.#note(document);
    });
  }

  async read(project_id: string, equipment_id: string, from_ms: number, to_ms: number) {
    const first = Math.floor(from_ms / HOUR_MS);
    const last = Math.floor((to_ms + HOLD_MS) / HOUR_MS);
    // Read memory before the store, because samples may move from memory to the store between the two reads.
    const unstored = this.#unstoredHours(equipment_id, first - 1, last);
    const known = await this.#stored(project_id, equipment_id, first - 1, last);
    await this.#slice.rest();
    const hours: RunHour[] = [];
    for (let hour = first; hour <= last; hour++) {
      const before = known[hour - first] as CachedHour;
      const own = known[hour - first + 1] as CachedHour;
      hours.push(computeHour(hour, before, own, unstored.get(hour - 1), unstored.get(hour)));
    }
    return runStretches(hours, first * HOUR_MS, from_ms, to_ms);
  }

  forget(): void {
    this.#hours.clear();
    for (const reading of this.#readings) reading.isStale = true;
  }

  [Symbol.dispose](): void {
    this.#unwatch();
    this.#hours.clear();
  }

  /** Returns for each hour the samples that are in no stored segment. */
  #unstoredHours(equipment_id: string, first: number, last: number): Map<number, UnstoredHour> {
    const found = new Map<number, UnstoredHour>();
    for (const { series, origins } of this.#source.unstored(equipment_id, RUN_SIGNALS))
      eachSample(series, origins, first, last, (hour, signal, second, value) => {
        const own = found.get(hour) ?? { first: second, samples: [] };
        found.set(hour, own);
        if (second < own.first) own.first = second;
        own.samples.push([signal, second, value]);
      });
    return found;
  }

  /** Returns the stored evidence of these hours, from the cache or the store. */
  async #stored(project_id: string, equipment_id: string, first: number, last: number): Promise<CachedHour[]> {
    const cached = () => {
      const found: (CachedHour | undefined)[] = [];
      for (let hour = first; hour <= last; hour++) found.push(this.#hours.get(keyOf(equipment_id, hour)));
      return found;
    };
    let found = cached();
    if (found.includes(undefined)) {
      const reading = this.#queue.then(async () => {
        found = cached();
        const missing = found.flatMap((one, i) => (one === undefined ? [first + i] : []));
        if (missing.length === 0) return;
        const read = await this.#readHours(project_id, equipment_id, missing[0] as number, missing.at(-1) as number);
        found = found.map((one, i) => one ?? (read.get(first + i) as CachedHour));
      });
      this.#queue = reading.catch(() => undefined);
      await reading;
    }
    const hours = found as CachedHour[];
    hours.forEach((one, i) => {
      const key = keyOf(equipment_id, first + i);
      if (this.#hours.get(key) !== one) return;
      this.#hours.delete(key);
      this.#hours.set(key, one);
    });
    return hours;
  }

  /**
   * Reads the segments of these hours. If a commit changes a segment of the hours meanwhile, it reads them again. After `MOST_READS` reads
   * it returns the result without caching it.
   */
  async #readHours(
    project_id: string,
    equipment_id: string,
    first: number,
    last: number,
    reads = 1,
  ): Promise<Map<number, CachedHour>> {
    const reading: Reading = { equipment_id, first, last, isStale: false };
    this.#readings.add(reading);
    try {
      const found = new Map<number, CachedHour>();
      for (let hour = first; hour <= last; hour++)
        found.set(hour, { evidence: new RunEvidence(), version: ++this.#versions });
      const view = this.#source.store.view(project_id);
      const slice = new TimeSlice();
      for (const { start, from, to } of daysOf(first * HOUR_S, (last + 1) * HOUR_S)) {
        const where = {
          'data.slot': `${equipment_id}/${start / DAY_S}`,
          'data.to_ms': { gte: from * 1_000 },
          'data.from_ms': { lt: to * 1_000 },
        };
        for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
          addSegment(data, first, last, (hour) => found.get(hour)?.evidence);
          await slice.rest();
        }
      }
      if (reading.isStale && reads < MOST_READS)
        return await this.#readHours(project_id, equipment_id, first, last, reads + 1);
      if (!reading.isStale) for (const [hour, one] of found) this.#keep(keyOf(equipment_id, hour), one);
      return found;
    } finally {
      this.#readings.delete(reading);
    }
  }

  #keep(key: string, one: CachedHour): void {
    this.#hours.set(key, one);
    if (this.#hours.size > MOST_HOURS) this.#hours.delete(this.#hours.keys().next().value as string);
  }

  /** Applies a committed document to the cache. */
  #note(document: Stored): void {
    if (document.object === 'history_removed') {
      const { equipment_id, through } = document.data as unknown as HistoryRemoved;
      this.#drop(equipment_id, 0, Math.floor(Date.parse(through) / HOUR_MS));
      return;
    }
    if (document.object !== 'segment') return;
    const data = document.data as unknown as SegmentData;
    const { equipment_id, from_ms, to_ms, open_slot } = data;
    const first = Math.floor(from_ms / HOUR_MS);
    const last = Math.floor(to_ms / HOUR_MS);
    // A sealed segment may replace a segment from which samples were purged, so its hours are read again.
    if (open_slot === undefined) {
      this.#drop(equipment_id, first, last);
      return;
    }
    this.#markReadings(equipment_id, first, last);
    const touched: CachedHour[] = [];
    for (let hour = first; hour <= last; hour++) {
      const one = this.#hours.get(keyOf(equipment_id, hour));
      if (one !== undefined) touched.push(one);
    }
    if (touched.length === 0) return;
    addSegment(data, first, last, (hour) => this.#hours.get(keyOf(equipment_id, hour))?.evidence);
    for (const one of touched) one.version = ++this.#versions;
  }

  /** Removes these hours of a machine from the cache. */
  #drop(equipment_id: string, first: number, last: number): void {
    this.#markReadings(equipment_id, first, last);
    if (last - first < DAY_S / HOUR_S) {
      for (let hour = first; hour <= last; hour++) this.#hours.delete(keyOf(equipment_id, hour));
      return;
    }
    for (const key of this.#hours.keys()) {
      const [id, hour] = key.split('/') as [string, string];
      if (id === equipment_id && Number(hour) >= first && Number(hour) <= last) this.#hours.delete(key);
    }
  }

  #markReadings(equipment_id: string, first: number, last: number): void {
    for (const reading of this.#readings)
      if (reading.equipment_id === equipment_id && reading.first <= last && first <= reading.last)
        reading.isStale = true;
  }
}

type RunSignal = (typeof RUN_SIGNALS)[number];

/** The samples of one hour that are in no stored segment; `first` is the first second that has one. Seconds are from 0 to 3599. */
interface UnstoredHour {
  first: number;
  readonly samples: [signal: RunSignal, second: number, value: number][];
}

function withUnstored(evidence: RunEvidence, { samples }: UnstoredHour): RunEvidence {
  const joined = new RunEvidence(evidence);
  for (const [signal, second, value] of samples) joined.add(signal, second, value);
  return joined;
}

/**
 * Computes the run states of an hour. The computation begins with the hour before, so the result does not depend on the window that a
 * caller reads.
 */
function computeHour(
  hour: number,
  before: CachedHour,
  own: CachedHour,
  unstoredBefore: UnstoredHour | undefined,
  unstored: UnstoredHour | undefined,
): RunHour {
  const alone = (): RunCarry =>
    runCached(before, 'alone', `${before.version}`, (hour - 1) * HOUR_S, () => NO_CARRY, unstoredBefore).end;
  if (unstoredBefore === undefined)
    return runCached(own, 'chained', `${before.version}/${own.version}`, hour * HOUR_S, alone, unstored);
  const evidence = unstored === undefined ? own.evidence : withUnstored(own.evidence, unstored);
  return runHour(hour * HOUR_S, evidence, alone());
}

/**
 * Computes an hour. It caches the computation up to the first sample that is not stored, so that a later read continues there. `before`
 * returns the end of the hour before.
 */
function runCached(
  cached: CachedHour,
  which: 'chained' | 'alone',
  of: string,
  start_s: number,
  before: () => RunCarry,
  unstored: UnstoredHour | undefined,
): RunHour {
  const until = unstored?.first ?? HOUR_S;
  let known = cached[which];
  if (known?.of !== of || known.run.second > until) {
    known = { of, run: new HourRun(start_s, before()) };
    cached[which] = known;
  }
  if (unstored === undefined && known.hour !== undefined) return known.hour;
  known.run.advance(cached.evidence, until);
  if (unstored === undefined) {
    known.hour = known.run.finish();
    return known.hour;
  }
  const run = known.run.copy();
  run.advance(withUnstored(cached.evidence, unstored), HOUR_S);
  return run.finish();
}

/** Calls `take` for each sample that is evidence of a run state and lies in these hours. */
function eachSample(
  series: UnstoredSamples['series'],
  origins: readonly Origin[],
  first: number,
  last: number,
  take: (hour: number, signal: RunSignal, second: number, value: number) => void,
): void {
  for (const { signal, t, v, o } of series) {
    if (!isRunSignal(signal)) continue;
    const counts = origins.map(isEvidence);
    for (let i = 0; i < t.length; i++) {
      const second = t[i] as number;
      const hour = Math.floor(second / HOUR_S);
      if (hour < first || hour > last) continue;
      const origin = o[i] as number;
      if (counts[origin] ?? isEvidence(originAt(origins, origin)))
        take(hour, signal, second - hour * HOUR_S, v[i] as number);
    }
  }
}

/** Adds the samples of a stored segment to the evidence of these hours. A damaged column is left out. */
function addSegment(
  { body }: SegmentData,
  first: number,
  last: number,
  evidenceOf: (hour: number) => RunEvidence | undefined,
): void {
  const segment = unlessDamaged(() => openSegment(body));
  if (segment === undefined) return;
  const { signals, origins } = segment;
  for (const signal of RUN_SIGNALS) {
    if (!signals.includes(signal as SignalName)) continue;
    const series = unlessDamaged(() => segment.read(signal));
    if (series === undefined) continue;
    unlessDamaged(() =>
      eachSample([series], origins, first, last, (hour, name, second, value) => {
        evidenceOf(hour)?.add(name, second, value);
      }),
    );
  }
}

/** The reader and its cache. */
export interface RunStates extends RunStateReader, Disposable {
  /** Empties the cache. Call it after samples were purged. */
  forget(): void;
}

/** Creates the reader. When it is disposed, it no longer listens to commits. */
export function createRunStates(source: RunStateSource): RunStates {
  return new CachedRunStates(source);
}
