/**
 * Deletes the oldest samples of history that this gateway stored. It deletes samples that are too old, and further samples while the
 * database is too large. Samples are stored in segments (documents with samples of one machine). It also deletes old rollups (documents
 * with the statistics of one machine and day), but only because of their age: they are a small part of the database.
 *
 *   oldest segment -> one call: deletes 100 segments and updates the records of their machines, in one commit -> next call -> ...
 *
 * - The age of a segment counts from the time when the segment was stored. So an old recording that a person uploads today is kept as long
 *   as a sample of today.
 * - The segments are erased without tombstones (rows that report a deletion). So other gateways, which have their own copies, do not repeat
 *   this deletion.
 * - The same commit records for each machine how many samples were deleted, and the time of the newest of them. So a reader of history can
 *   distinguish a deletion from a gap in the data.
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { ProjectWrite, Stored } from '#contract/base/view.ts';
import { type HistoryHealth, type HistoryRemoved, historyRemovedId } from '#contract/fleet/history.ts';
import type { Problem } from '#contract/site/node.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import type { Store } from '#store/open-store.ts';

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
/** Samples are never deleted because of the size of the database if they were stored within this time before the newest sample. */
const SPARED_MS = DAY_MS;
/**
 * Deleted samples leave free pages in the database file. This many bytes of free pages stay in the file for later writes; a call that has
 * nothing to delete returns the other free pages to the file system.
 */
const SPARE_BYTES = 256 << 20;
/** The health report lists at most this many machines from which samples were deleted. */
const REPORTED = 100;

interface SweepOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'erase' | 'size' | 'compact' | 'nodeId'>;
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

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
const timeOf = (ms: number): string => new Date(ms).toISOString();
const later = (a: string, b: string): string => (a > b ? a : b);

class Sweep implements HistorySweep {
  readonly #options: SweepOptions;
  #rest = 0;
  #busy = false;
  /**
   * Set while the database is too large although no more samples may be deleted: the time since which this is so, the used size and the
   * limit.
   */
  #problem: { readonly since: string; readonly used: number; readonly limit: number } | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  async run(): Promise<number> {
    if (this.#busy) return 0;
    if (this.#rest > 0) {
      this.#rest--;
      return 0;
    }
    this.#busy = true;
    try {
      const removed = (await this.#step()) + (await this.#removeRollups());
      if (removed === 0 && !(await this.#compact())) this.#rest = REST;
      return removed;
    } finally {
      this.#busy = false;
    }
  }

  async report(): Promise<HistoryHealth> {
    const { store, days } = this.#options;
    const records = await store.find<HistoryRemoved>('local', { object: 'history_removed', limit: REPORTED });
    return {
      days,
      database_bytes: (await store.size()).used,
      limit_bytes: this.#limit(),
      deleted: records.map(({ project_id, data: { equipment_id, through, samples, early } }) => ({
        project_id,
        equipment_id,
        through,
        samples,
        early_through: early?.through ?? null,
        early_samples: early?.samples ?? 0,
      })),
    };
  }

  problems(): Problem[] {
    if (this.#problem === undefined) return [];
    const { since, used, limit } = this.#problem;
    return [
      {
        code: 'database_large',
        message: `The database has ${gigabytes(used)}, more than its limit of ${gigabytes(limit)}. All samples older than 24 hours are already deleted.`,
        since,
        given_up: 'Nothing. The database grows further and may fill the disk.',
        remedy:
          'Use a larger disk, raise HEADFRAME_DATABASE_GIGABYTES, or purge the devices that store the most (`writers` in health).',
      },
    ];
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

  async #step(): Promise<number> {
    const { store, clock, agesKnown, days } = this.#options;
    const oldest = await this.#end('asc');
    const aged = agesKnown() ? timeOf(clock() - days * DAY_MS) : '';
    const { used } = await store.size();
    const limit = this.#limit() ?? Number.POSITIVE_INFINITY;
    const until = used > limit ? later(aged, await this.#spared()) : aged;
    if (oldest === undefined || oldest.created_at >= until) {
      this.#problem = used > limit ? { since: this.#problem?.since ?? timeOf(clock()), used, limit } : undefined;
      return 0;
    }
    this.#problem = undefined;
    const page = await store.view(oldest.project_id).find<SegmentData>('telemetry', {
      object: 'segment',
      where: { origin: store.nodeId },
      order: 'asc',
      limit: PAGE,
    });
    const old = page.filter(({ created_at }) => created_at < until);
    await this.#remove(oldest.project_id, old, aged);
    return old.length;
  }

  /** Deletes at most one page of rollups that are too old. */
  async #removeRollups(): Promise<number> {
    const { store, clock, agesKnown, rollupDays } = this.#options;
    if (!agesKnown()) return 0;
    const where = { origin: store.nodeId };
    const until = timeOf(clock() - rollupDays * DAY_MS);
    const oldest = async (limit: number) => {
      const found = await store.find('telemetry', { object: 'rollup', where, order: 'asc', limit });
      return found.filter(({ created_at }) => created_at < until).map(({ id }) => id);
    };
    // Usually no rollup is old enough, so read one, not a page of them.
    if ((await oldest(1)).length === 0) return 0;
    const old = await oldest(ROLLUP_PAGE);
    await store.erase('telemetry', old);
    return old.length;
  }

  /**
   * Returns the time after which segments are protected: a segment that was stored later is not deleted because of the size of the
   * database. The function computes this time only from stored times, so a wrong clock cannot cause the deletion of new samples.
   */
  async #spared(): Promise<string> {
    const newest = await this.#end('desc');
    return newest === undefined ? '' : timeOf(Date.parse(newest.created_at) - SPARED_MS);
  }

  /** Returns the oldest segment (`asc`) or the newest segment (`desc`) that this gateway stored. */
  async #end(order: 'asc' | 'desc'): Promise<Stored<SegmentData> | undefined> {
    const { store } = this.#options;
    const where = { origin: store.nodeId };
    return (await store.find<SegmentData>('telemetry', { object: 'segment', where, order, limit: 1 }))[0];
  }

  /** Erases the segments and writes the records of their machines, in one commit. */
  async #remove(project_id: string, segments: readonly Stored<SegmentData>[], aged: string): Promise<void> {
    const { store } = this.#options;
    const machines = Map.groupBy(segments, ({ data }) => data.equipment_id);
    const ids = [...machines.keys()].map(historyRemovedId);
    const found = await store.view(project_id).getMany<HistoryRemoved>('local', ids);
    const known = new Map(found.map(({ data }) => [data.equipment_id, data]));
    const records = [...machines].map(([equipment_id, own]): ProjectWrite => {
      const data = added(known.get(equipment_id), equipment_id, own, aged);
      const id = historyRemovedId(equipment_id);
      return { collection: 'local', id, object: 'history_removed', project_id, data: { ...data } };
    });
    await store.erase(
      'telemetry',
      segments.map(({ id }) => id),
      records,
    );
  }
}

/**
 * Adds deleted segments to the record of their machine. A segment that was stored at `aged` or later counts as deleted early: it was
 * deleted because of the size of the database, before it was too old.
 */
function added(
  before: HistoryRemoved | undefined,
  equipment_id: string,
  segments: readonly Stored<SegmentData>[],
  aged: string,
): HistoryRemoved {
  let { through, samples, early }: Omit<HistoryRemoved, 'equipment_id'> = before ?? {
    through: '',
    samples: 0,
    early: null,
  };
  for (const { created_at, data } of segments) {
    const to = timeOf(data.to_ms);
    through = later(through, to);
    samples += data.samples;
    if (created_at >= aged)
      early = { through: later(early?.through ?? '', to), samples: (early?.samples ?? 0) + data.samples };
  }
  return { equipment_id, through, samples, early };
}

/** Creates the sweep of history. */
export function createHistorySweep(options: SweepOptions): HistorySweep {
  return new Sweep(options);
}
