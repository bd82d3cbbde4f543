/**
 * Deletes the oldest history that this gateway stored: samples and rollups that are too old, and the samples and rollups of the oldest days
 * while they use more than their share of the disk. Samples are stored in segments (documents with samples of one machine), rollups are
 * documents with the statistics of one machine and day.
 *
 *   oldest segment -> one call: deletes 100 segments and updates the records of their machines, in one commit -> next call -> ...
 *
 * - If the disk decides, the sweep deletes all segments that were stored on the oldest day, of all machines, before it looks at the size
 *   again. So the history of all machines reaches back equally far.
 *
 * - The age of a segment counts from the time when the segment was stored. So an old recording that a person uploads today is kept as long
 *   as a sample of today.
 * - The segments are erased without tombstones (rows that report a deletion). So other gateways, which have their own copies, do not repeat
 *   this deletion.
 * - The same commit records for each machine how many samples were deleted, and in which time ranges, when and why. So a reader of history
 *   can distinguish a deletion from a gap in the data.
 */

import { PREFIXES } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { ProjectWrite, Stored } from '#contract/base/view.ts';
import {
  type DeletedRange,
  type HistoryHealth,
  type HistoryRemoved,
  historyRemovedId,
  type RetentionLimit,
} from '#contract/fleet/history.ts';
import type { Problem } from '#contract/site/node.ts';
import { addDeletedRange } from '#domain/history/deleted-ranges.ts';
import { retentionLimit } from '#domain/history/retention.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import type { Store } from '#store/open-store.ts';
import { type LargeDatabase, largeDatabase } from './large-database.ts';

/** The largest number of segments that one commit deletes. */
const PAGE = 100;
/** The largest number of rollups that one commit deletes. A rollup has the statistics of one machine and day, about 0.1 MB. */
const ROLLUP_PAGE = 10;
/**
 * When a call has found nothing to delete, the next calls do nothing. This is the number of these calls. With one call a second they take
 * ten minutes.
 */
const REST = 600;
const DAY_MS = 86_400_000;
/** History is never deleted because of its size if it was stored within this time before the newest segment or rollup, or before now. */
const SPARED_MS = DAY_MS;
/** History is in the database and once in the backups, so it uses this many times its size. */
const COPIES = 2;
/**
 * After this many rests, about an hour, the sweep measures the bytes of segments and rollups again. Between two measurements it subtracts
 * what it deletes.
 */
const RESTS_BETWEEN_MEASUREMENTS = 6;
/**
 * Deleted samples leave free pages in the database file. This many bytes of free pages stay in the file for later writes; a call that has
 * nothing to delete returns the other free pages to the file system.
 */
const SPARE_BYTES = 256 << 20;
/** The health report lists at most this many machines from which samples were deleted. */
const REPORTED = 100;

interface SweepOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'erase' | 'size' | 'bytesOf' | 'compact' | 'nodeId' | 'sync'>;
  readonly clock: () => number;
  /**
   * Returns false while the gateway does not trust its clock. The sweep then cannot know how old a segment or rollup is, so it deletes
   * nothing because of its age.
   */
  readonly agesKnown: () => boolean;
  /** Days for which samples are kept. */
  readonly days: number;
  /** Days for which the statistics of minutes are kept. */
  readonly rollupDays: number;
  /** Largest share of the disk in percent for samples and for rollups, each with its copy in the backups. */
  readonly percent: number;
  readonly rollupPercent: number;
  /** Largest size of the database in bytes. If it is null, the largest size is a fixed percentage of the size of the disk. */
  readonly bytes: number | null;
  /** Returns the size of the disk in bytes; null if it is unknown. */
  readonly disk: () => number | null;
}

/** Deletes old samples of history. */
export interface HistorySweep {
  /** Deletes at most one page of segments and returns their number. Call it every second, so that other work can run between two calls. */
  run(): Promise<number>;
  report(): Promise<HistoryHealth>;
  /** Returns a problem for `GET /api/v1/health` if the database is too large although no more samples may be deleted. */
  problems(): Problem[];
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string, b: string): string => (a < b ? a : b);

/** A kind of stored history, and what the sweep knows about its size. */
interface Kind {
  readonly what: 'samples' | 'minutes';
  readonly object: 'segment' | 'rollup';
  /** The largest number of documents that one commit deletes. */
  readonly page: number;
  readonly days: number;
  readonly percent: number;
  /** The bytes of all documents of this kind in the database; null until they are measured. */
  bytes: number | null;
  /** While documents are deleted because of the disk: those that were stored before this time. */
  cut: string;
}

class Sweep implements HistorySweep {
  readonly #options: SweepOptions;
  readonly #segments: Kind;
  readonly #rollups: Kind;
  #rest = 0;
  #busy = false;
  #untilMeasured = 0;
  /**
   * Set while the database or its samples are too large although no more samples may be deleted: the time since which this is so, what is
   * too large, its size and the limit.
   */
  #problem: LargeDatabase | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
    const { days, rollupDays, percent, rollupPercent } = options;
    const start = { bytes: null, cut: '' };
    this.#segments = { what: 'samples', object: 'segment', page: PAGE, days, percent, ...start };
    this.#rollups = {
      what: 'minutes',
      object: 'rollup',
      page: ROLLUP_PAGE,
      days: rollupDays,
      percent: rollupPercent,
      ...start,
    };
  }

  async run(): Promise<number> {
    if (this.#busy) return 0;
    if (this.#rest > 0) {
      this.#rest--;
      return 0;
    }
    this.#busy = true;
    try {
      if (this.#untilMeasured === 0) await this.#measureAll();
      const removed = (await this.#step(this.#segments)) + (await this.#step(this.#rollups));
      if (removed === 0 && !(await this.#compact())) {
        this.#rest = REST;
        this.#untilMeasured--;
      }
      return removed;
    } finally {
      this.#busy = false;
    }
  }

  async #measureAll(): Promise<void> {
    for (const kind of [this.#segments, this.#rollups]) await this.#measure(kind);
    this.#untilMeasured = RESTS_BETWEEN_MEASUREMENTS;
  }

  async #measure(kind: Kind): Promise<void> {
    kind.bytes = await this.#options.store.bytesOf('telemetry', `${PREFIXES[kind.object]}_`);
  }

  async report(): Promise<HistoryHealth> {
    const { store, days } = this.#options;
    const records = await store.find<HistoryRemoved>('local', { object: 'history_removed', limit: REPORTED });
    const ranges = records.flatMap(({ data }) => data.ranges ?? []);
    return {
      days,
      database_bytes: (await store.size()).used,
      limit_bytes: this.#limit(),
      limits: [await this.#limitOf(this.#segments, ranges), await this.#limitOf(this.#rollups, ranges)],
      deleted: records
        .filter(({ data }) => data.samples > 0)
        .map(({ project_id, data: { equipment_id, through, samples, early } }) => ({
          project_id,
          equipment_id,
          through,
          samples,
          early_through: early?.through ?? null,
          early_samples: early?.samples ?? 0,
        })),
    };
  }

  async #limitOf(kind: Kind, ranges: readonly DeletedRange[]): Promise<RetentionLimit> {
    const { clock, agesKnown } = this.#options;
    const { what, days, bytes } = kind;
    const oldest = await this.#end(kind, 'asc');
    const last = ranges.filter((one) => one.what === what).sort((a, b) => (a.deleted_at < b.deleted_at ? 1 : -1))[0];
    return retentionLimit({
      what,
      days,
      bytes,
      limit_bytes: this.#share(kind),
      oldest_ms: oldest === undefined || !agesKnown() ? null : Date.parse(oldest.created_at),
      now_ms: clock(),
      byDisk: last?.because === 'disk',
    });
  }

  /** Returns the largest number of bytes of a kind in the database; null if the size of the disk is unknown. */
  #share({ percent }: Kind): number | null {
    const total = this.#options.disk();
    return total === null ? null : Math.floor((total * percent) / 100 / COPIES);
  }

  problems(): Problem[] {
    if (this.#problem === undefined) return [];
    return [largeDatabase(this.#problem)];
  }

  /** Returns the largest size of the database in bytes; null if there is no limit, because the size of the disk is unknown. */
  #limit(): number | null {
    const { bytes, disk } = this.#options;
    const total = disk();
    return bytes ?? (total === null ? null : Math.floor((total * LIMITS.database_share.value) / 100));
  }

  /** Returns free pages of the database file to the disk. Returns true if another call would free more pages. */
  async #compact(): Promise<boolean> {
    const { store } = this.#options;
    const { free } = await store.size();
    return free > SPARE_BYTES && (await store.compact()).more;
  }

  /** Deletes at most one page of documents of a kind, and returns their number. */
  async #step(kind: Kind): Promise<number> {
    const { store, clock, agesKnown } = this.#options;
    const oldest = await this.#end(kind, 'asc');
    const aged = agesKnown() ? timeOf(clock() - kind.days * DAY_MS) : '';
    let excess = await this.#excess(kind);
    if (oldest !== undefined && excess !== undefined && oldest.created_at >= kind.cut) {
      // Measure again before the next day is deleted, because the subtraction of deleted bytes is not exact.
      await this.#measure(kind);
      excess = await this.#excess(kind);
      if (excess !== undefined) kind.cut = await this.#nextCut(kind, oldest);
    }
    // After the clock was set back, new documents have earlier times than the documents for which the cut was computed. So this also
    // spares the last 24 hours by the clock, and a cut is forgotten when it has been reached.
    const until = later(aged, earlier(kind.cut, timeOf(clock() - SPARED_MS)));
    const isDone = oldest === undefined || oldest.created_at >= until;
    if (isDone) kind.cut = '';
    if (kind === this.#segments)
      this.#problem = isDone && excess ? { since: this.#problem?.since ?? timeOf(clock()), ...excess } : undefined;
    if (isDone) return 0;
    const page = await store.view(oldest.project_id).find<SegmentData | RollupData>('telemetry', {
      object: kind.object,
      where: { origin: store.nodeId },
      order: 'asc',
      limit: kind.page,
    });
    const old = await this.#removable(
      oldest.project_id,
      page.filter(({ created_at }) => created_at < until),
      kind.cut,
    );
    if (old.length === 0) return 0;
    await this.#remove(kind, oldest.project_id, old, aged);
    if (kind.bytes !== null) kind.bytes -= old.reduce((sum, { data }) => sum + data.body.length, 0);
    return old.length;
  }

  /**
   * Returns those of these documents that may be deleted now. A document that is only old waits until head office has it. One that must go
   * because of the disk does not wait.
   */
  async #removable<T extends Pick<Stored, 'id' | 'created_at'>>(
    project_id: string,
    documents: readonly T[],
    cut: string,
  ): Promise<T[]> {
    const aged = documents.filter(({ created_at }) => created_at >= cut);
    const { sync } = this.#options.store;
    const may = new Set(
      await sync.removable(
        project_id,
        'telemetry',
        aged.map(({ id }) => id),
      ),
    );
    return documents.filter(({ id, created_at }) => created_at < cut || may.has(id));
  }

  /** Returns what is too large, so that documents of this kind must be deleted; undefined if nothing is. */
  async #excess(kind: Kind): Promise<Omit<LargeDatabase, 'since'> | undefined> {
    const share = this.#share(kind) ?? Number.POSITIVE_INFINITY;
    if (kind.bytes !== null && kind.bytes > share)
      return { what: 'The samples in the database have', used: kind.bytes, limit: share };
    if (kind !== this.#segments) return undefined;
    const { used } = await this.#options.store.size();
    const limit = this.#limit() ?? Number.POSITIVE_INFINITY;
    return used > limit ? { what: 'The database has', used, limit } : undefined;
  }

  /**
   * Returns the time before which the sweep deletes documents because of the disk: the end of the day of the oldest document, so that all
   * machines lose the same days. It never deletes documents of the last 24 hours. The function computes this time only from stored times, so a
   * clock that is ahead cannot cause the deletion of new samples.
   */
  async #nextCut(kind: Kind, oldest: Stored): Promise<string> {
    const newest = await this.#end(kind, 'desc');
    if (newest === undefined) return '';
    const day = Math.floor(Date.parse(oldest.created_at) / DAY_MS) + 1;
    return timeOf(Math.min(day * DAY_MS, Date.parse(newest.created_at) - SPARED_MS));
  }

  /** Returns the oldest document (`asc`) or the newest document (`desc`) of a kind that this gateway stored. */
  async #end({ object }: Kind, order: 'asc' | 'desc'): Promise<Stored | undefined> {
    const { store } = this.#options;
    const where = { origin: store.nodeId };
    return (await store.find('telemetry', { object, where, order, limit: 1 }))[0];
  }

  /** Erases the documents and writes the records of their machines, in one commit. */
  async #remove(
    { what }: Kind,
    project_id: string,
    documents: readonly Stored<SegmentData | RollupData>[],
    aged: string,
  ): Promise<void> {
    const { store, clock } = this.#options;
    const machines = Map.groupBy(documents, ({ data }) => data.equipment_id);
    const ids = [...machines.keys()].map(historyRemovedId);
    const found = await store.view(project_id).getMany<HistoryRemoved>('local', ids);
    const known = new Map(found.map(({ data }) => [data.equipment_id, data]));
    const now = timeOf(clock());
    const records = [...machines].map(([equipment_id, own]): ProjectWrite => {
      const before = known.get(equipment_id) ?? { equipment_id, through: '', samples: 0, early: null };
      const data = withRanges(what === 'samples' ? added(before, own, aged) : before, what, own, aged, now);
      const id = historyRemovedId(equipment_id);
      return { collection: 'local', id, object: 'history_removed', project_id, data: { ...data } };
    });
    await store.erase(
      'telemetry',
      documents.map(({ id }) => id),
      records,
    );
  }
}

/** Adds the time ranges of deleted documents to the record of their machine. */
function withRanges(
  before: HistoryRemoved,
  what: DeletedRange['what'],
  documents: readonly Stored<SegmentData | RollupData>[],
  aged: string,
  now: string,
): HistoryRemoved {
  let ranges = before.ranges ?? [];
  for (const { created_at, data } of documents) {
    const because = created_at >= aged ? 'disk' : 'age';
    const times = { from: timeOf(data.from_ms), to: timeOf(data.to_ms), first_deleted_at: now, deleted_at: now };
    ranges = addDeletedRange(ranges, { what, because, ...times });
  }
  return { ...before, ranges };
}

/**
 * Adds deleted segments to the record of their machine. A segment that was stored at `aged` or later counts as deleted early: it was
 * deleted because of the disk, before it was too old.
 */
function added(
  before: HistoryRemoved,
  segments: readonly Stored<SegmentData | RollupData>[],
  aged: string,
): HistoryRemoved {
  let { through, samples, early } = before;
  for (const { created_at, data } of segments) {
    const to = timeOf(data.to_ms);
    const count = 'samples' in data ? data.samples : 0;
    through = later(through, to);
    samples += count;
    if (created_at >= aged)
      early = { through: later(early?.through ?? '', to), samples: (early?.samples ?? 0) + count };
  }
  return { ...before, through, samples, early };
}

/** Creates the sweep of history. */
export function createHistorySweep(options: SweepOptions): HistorySweep {
  return new Sweep(options);
}
