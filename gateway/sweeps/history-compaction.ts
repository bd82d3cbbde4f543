/**
 * Replaces the open segments of history by sealed segments. A segment is a stored document with samples of one machine. An open segment has
 * the samples of up to a minute. A sealed segment has the samples of an hour, and a sample takes much less space in it. The statistics of
 * the open segments (lowest and highest value of each minute, and others) move into the rollup: one document for each machine and day.
 *
 *   open segments of a machine and day, oldest first ─▶ groups that share an hour ─▶ quiet for ten minutes?
 *   sealed segment of the hour, if there is one      ─▶ joined with the group     ─▶ the new sealed segment of each hour,
 *   rollup of the day, if there is one               ─▶ joined with the group     ─▶ the new rollup of the day
 *
 *   groups of several machines ─▶ ONE commit: the new segments and rollups written, the joined segments and the old rollups erased
 *
 * - A sealed segment is never changed. If more data for its hour comes later, a new sealed segment is made, which names the segment that it
 *   replaces. A rollup is replaced in the same way.
 * - One commit erases the old documents and writes the new ones. So after a crash either the old or the new documents exist, and a reader
 *   never misses samples.
 * - A document that cannot be read is left as it is, so that it can be repaired from a backup.
 */
import type { ProjectWrite, Stored } from '#contract/base/view.ts';
import { mergeSegments } from '#domain/history/merge.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { type OpenSegment, openSegment, sealSegment } from '#domain/history/segment.ts';
import { sealedSegmentData, slotAt, withReplaced } from '#domain/history/stored-segment.ts';
import type { Store } from '#store/open-store.ts';
import { addToRollup, type NewRollup } from './day-rollup.ts';

const HOUR_S = 3_600;
/** An hour is sealed when its newest open segment was stored at least this many milliseconds ago. */
const QUIET_MS = 600_000;
/** The largest number of open segments that one call looks at. */
const PAGE = 200;
/** The largest number of open segments that one commit replaces. */
const MOST_JOINED = 120;
/**
 * A commit gets further groups until it writes and erases this many documents. A machine that sends all the time has 60 open segments in an
 * hour. The rows of machines that send at the same time share pages of the table and its indexes, so one commit for several machines writes
 * these pages once and not once for each machine.
 */
const ENOUGH = 240;
/**
 * When the compaction has examined all open segments, its next calls do nothing. This is the number of these calls. With one call a second
 * they take one minute.
 */
const REST = 60;

interface CompactionOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'erase' | 'nodeId'>;
  readonly clock: () => number;
  /** Resolves after other work of the event loop has run. */
  readonly breathe: () => Promise<void>;
  readonly log: (level: 'warn', message: string, data?: object) => void;
}

/** A stored segment together with its decoded bytes. */
interface Read {
  readonly stored: Stored<SegmentData>;
  readonly segment: OpenSegment;
}

/** What a commit changes: the documents that it writes and erases. `joined` is the number of open segments among the erased documents. */
interface Change {
  readonly writes: readonly ProjectWrite[];
  readonly erased: readonly string[];
  readonly joined: number;
}

/**
 * What the store already has for an hour: the newest generation number of its sealed segments (each replacement gets the next number), and
 * the sealed segment to join with the new data. The segment is undefined if it cannot be read.
 */
interface Before {
  readonly generation: number;
  readonly read: Read | undefined;
}

/** Replaces open segments by sealed ones. */
export interface HistoryCompaction {
  /** Seals one or several groups of hours in one commit. Returns the number of open segments that it replaced. Call it every second. */
  run(): Promise<number>;
}

const firstHour = ({ data }: Stored<SegmentData>): number => Math.floor(data.from_ms / 1000 / HOUR_S);
const lastHour = ({ data }: Stored<SegmentData>): number => Math.floor(data.to_ms / 1000 / HOUR_S);
const hoursOf = (one: Stored<SegmentData>): number[] =>
  Array.from({ length: lastHour(one) - firstHour(one) + 1 }, (_, i) => firstHour(one) + i);

/** Divides the segments of one machine into groups. Two segments with samples of the same hour are in the same group. */
function groupsOf(segments: readonly Stored<SegmentData>[]): Stored<SegmentData>[][] {
  const groups: Stored<SegmentData>[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const one of [...segments].sort((a, b) => a.data.from_ms - b.data.from_ms)) {
    if (firstHour(one) > end) groups.push([]);
    groups.at(-1)?.push(one);
    end = Math.max(end, lastHour(one));
  }
  return groups;
}

const byAge = (a: Stored<SegmentData>, b: Stored<SegmentData>): number =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1;

class Compaction implements HistoryCompaction {
  readonly #options: CompactionOptions;
  #rest = 0;
  #busy = false;
  /** The last open segment that this pass has looked at; undefined at the start of a pass. */
  #after: Pick<Stored, 'created_at' | 'id'> | undefined;
  /** Machines and days that this pass has handled. */
  #handled = new Set<string>();
  /** Ids of segments and rollups that cannot be read. The gateway logs each of them once. */
  readonly #damaged = new Set<string>();

  constructor(options: CompactionOptions) {
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
      const changes = await this.#nextChanges();
      const joined = changes.reduce((sum, change) => sum + change.joined, 0);
      if (joined > 0) {
        const erased = changes.flatMap((change) => change.erased);
        const writes = changes.flatMap((change) => change.writes);
        await this.#options.store.erase('telemetry', erased, writes);
      }
      return joined;
    } finally {
      this.#busy = false;
    }
  }

  /** Returns the changes for the next commit, at most one for each machine and day. */
  async #nextChanges(): Promise<Change[]> {
    const { store } = this.#options;
    const page = await store.find<SegmentData>('telemetry', {
      object: 'segment',
      where: { 'data.sealed_hour': null, origin: store.nodeId },
      order: 'asc',
      limit: PAGE,
      ...(this.#after === undefined ? {} : { after: this.#after }),
    });
    const changes = new Map<string, Change>();
    let documents = 0;
    for (const one of page) {
      const key = `${one.project_id} ${one.data.equipment_id} ${one.data.slot}`;
      if (this.#handled.has(key) || changes.has(key) || !this.#isQuiet(one)) continue;
      const change = await this.#sealDay(one);
      if (change === undefined) {
        this.#handled.add(key);
        continue;
      }
      changes.set(key, change);
      documents += change.writes.length + change.erased.length;
      if (documents >= ENOUGH) break;
    }
    // After the commit, the same page has the next open segments of these machines.
    if (changes.size === 0) this.#continueAfter(page);
    return [...changes.values()];
  }

  /** Makes the next call look at the segments after this page. After the last page a new pass begins. */
  #continueAfter(page: readonly Stored<SegmentData>[]): void {
    const last = page.at(-1);
    this.#after = last && { created_at: last.created_at, id: last.id };
    if (page.length < PAGE) {
      this.#after = undefined;
      this.#handled = new Set();
      this.#rest = REST;
    }
  }

  /**
   * Returns true if the segment was stored at least `QUIET_MS` (ten minutes) ago. If its time is in the future because the clock was set
   * back, the segment counts as old.
   */
  #isQuiet({ created_at }: Stored<SegmentData>): boolean {
    return Math.abs(this.#options.clock() - Date.parse(created_at)) >= QUIET_MS;
  }

  /**
   * Examines the open segments of the machine and day of this segment, and seals the first group of hours in which every open segment was
   * stored at least ten minutes ago. Returns undefined if there is no such group.
   */
  async #sealDay({ project_id, data }: Stored<SegmentData>): Promise<Change | undefined> {
    const view = this.#options.store.view(project_id);
    const { equipment_id, slot } = data;
    const open = await view.find<SegmentData>('telemetry', {
      object: 'segment',
      where: {
        'data.equipment_id': equipment_id,
        'data.slot': slot ?? null,
        'data.sealed_hour': null,
        origin: this.#options.store.nodeId,
      },
      order: 'asc',
      limit: PAGE,
    });
    const known = open.filter(({ id }) => !this.#damaged.has(id));
    for (const group of groupsOf(known)) {
      if (!group.every((one) => this.#isQuiet(one))) continue;
      const change = await this.#seal(project_id, group.sort(byAge).slice(0, MOST_JOINED));
      if (change !== undefined) return change;
    }
    return undefined;
  }

  /**
   * Returns the change that replaces these open segments, and the sealed segments of their hours, by new sealed segments; undefined if no
   * segment can be read.
   */
  async #seal(project_id: string, group: readonly Stored<SegmentData>[]): Promise<Change | undefined> {
    const parts = this.#open(group);
    const [first] = parts;
    if (first === undefined) return undefined;
    const { equipment_id } = first.stored.data;
    const hours = new Set(parts.flatMap(({ stored }) => hoursOf(stored)));
    const before = await this.#sealedOf(project_id, equipment_id, hours);
    const writes: ProjectWrite[] = [];
    const erased = parts.map(({ stored }) => stored.id);
    for (const hour of [...hours].sort((a, b) => a - b)) {
      const made = await this.#sealHour({ project_id, equipment_id, hour }, before.get(hour), parts);
      if (made === 'damaged') return this.#sealUndamaged(project_id, group);
      if (made === undefined) continue;
      writes.push(made.write);
      if (made.replaces !== undefined) erased.push(made.replaces);
    }
    const rollup = await this.#rollUp(project_id, first.stored.data, parts);
    if (rollup === 'damaged') return this.#sealUndamaged(project_id, group);
    if (rollup !== undefined) {
      writes.push(rollup.write);
      erased.push(...rollup.replaces);
    }
    return { writes, erased, joined: parts.length };
  }

  /** Seals a group again, without the segments that were found to be damaged. */
  #sealUndamaged(project_id: string, group: readonly Stored<SegmentData>[]): Promise<Change | undefined> {
    return this.#seal(
      project_id,
      group.filter(({ id }) => !this.#damaged.has(id)),
    );
  }

  /**
   * Joins the segments of an hour into a new sealed segment. Returns undefined if the open segments add nothing to the existing sealed
   * segment, so that no new one is needed.
   */
  async #sealHour(
    of: { readonly project_id: string; readonly equipment_id: string; readonly hour: number },
    before: Before | undefined,
    parts: readonly Read[],
  ): Promise<{ readonly write: ProjectWrite; readonly replaces: string | undefined } | 'damaged' | undefined> {
    const { breathe } = this.#options;
    const range = { from: of.hour * HOUR_S, to: (of.hour + 1) * HOUR_S };
    const all = [...(before?.read === undefined ? [] : [before.read]), ...parts];
    try {
      const merged = await mergeSegments(
        all.map(({ segment }) => segment),
        range,
        breathe,
      );
      if (merged.series.length === 0) return undefined;
      const bytes = await sealSegment(merged, breathe);
      const replaces = before?.read?.stored.id;
      const earlier = before?.read?.stored;
      const seal = {
        ...of,
        generation: (before?.generation ?? 0) + 1,
        supersedes: replaces ?? null,
        ...(earlier?.data.seal && { replaces: withReplaced(earlier.id, earlier.data.seal) }),
      };
      const { id, data } = sealedSegmentData(seal, merged.series, bytes);
      if (id === replaces) return undefined;
      const document = { collection: 'telemetry', id, object: 'segment', project_id: of.project_id } as const;
      return { write: { ...document, data: { ...data } }, replaces };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#findDamage(all);
      return 'damaged';
    }
  }

  /**
   * Adds the statistics of these segments to the rollup of their day, and returns the new rollup; undefined if the segments have no
   * statistics.
   */
  async #rollUp(
    project_id: string,
    { equipment_id, slot, from_ms }: SegmentData,
    parts: readonly Read[],
  ): Promise<NewRollup | 'damaged' | undefined> {
    const { store, breathe } = this.#options;
    const day = { project_id, equipment_id, slot: slot ?? slotAt(equipment_id, from_ms / 1000) };
    const segments = parts.map(({ segment }) => segment);
    try {
      return await addToRollup(store.view(project_id), day, segments, breathe, (id) => this.#reportDamaged(id));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#findDamage(parts);
      return 'damaged';
    }
  }

  /** Decodes segments; leaves out the segments with a damaged head. */
  #open(stored: readonly Stored<SegmentData>[]): Read[] {
    return stored.flatMap((one) => {
      if (this.#damaged.has(one.id)) return [];
      const segment = openSegment(one.data.body);
      if (segment !== undefined) return [{ stored: one, segment }];
      this.#reportDamaged(one.id);
      return [];
    });
  }

  /**
   * Reads every column of these segments and adds the damaged segments to `#damaged`. Throws if no segment is damaged, because the segments
   * then could not be joined for another reason.
   */
  #findDamage(parts: readonly Read[]): void {
    const known = this.#damaged.size;
    for (const { stored, segment } of parts) {
      try {
        for (const signal of segment.signals) segment.read(signal);
        if (stored.data.seal === undefined) segment.minutes();
        if (stored.data.seal === undefined) segment.states();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#reportDamaged(stored.id);
      }
    }
    if (this.#damaged.size === known) throw new Error('readable segments of history cannot be joined');
  }

  #reportDamaged(id: string): void {
    if (this.#damaged.has(id)) return;
    this.#damaged.add(id);
    const message = 'a document of history cannot be read; it stays in the database, so that a backup can repair it';
    this.#options.log('warn', message, { id });
  }

  /** Returns the sealed segments of these hours of a machine. */
  async #sealedOf(
    project_id: string,
    equipment_id: string,
    hours: ReadonlySet<number>,
  ): Promise<ReadonlyMap<number, Before>> {
    const view = this.#options.store.view(project_id);
    const found = new Map<number, Before>();
    for (const slot of new Set([...hours].map((hour) => `${equipment_id}/${Math.floor(hour / 24)}`))) {
      const where = { 'data.slot': slot, 'data.sealed_hour': [...hours] };
      const stored = await view.find<SegmentData>('telemetry', { object: 'segment', where, order: 'asc', limit: PAGE });
      for (const one of stored) {
        const hour = one.data.sealed_hour as number;
        const generation = Math.max(one.data.seal?.generation ?? 0, found.get(hour)?.generation ?? 0);
        found.set(hour, { generation, read: this.#open([one])[0] ?? found.get(hour)?.read });
      }
    }
    return found;
  }
}

/** Creates the compaction of history. */
export function createHistoryCompaction(options: CompactionOptions): HistoryCompaction {
  return new Compaction(options);
}
