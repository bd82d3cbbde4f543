/**
 * Deletes the data that a device has stored ([A481]). One call works for about four seconds, in steps of 250 documents, so that other
 * requests can run in between. The progress is not stored: the next call searches for data that is still there.
 *
 *   events of its log -> camera pictures, files, uploads, objects -> history of its machine -> write-ahead log into the database file
 */

import type { EventData } from '#contract/base/event.ts';
import type { CollectionName, ProjectWrite, Stored, View } from '#contract/base/view.ts';
import type { BucketObject } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { PurgeCounts, Purged } from '#contract/fleet/quarantine.ts';
import type { ArtifactData, UploadData } from '#contract/work/artifact.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { rollupWithoutDevice, withoutDevice } from '#domain/history/stored-segment.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import type { Parts } from '#store/parts.ts';
import type { Uploads } from '#store/uploads.ts';
import { walkChunks } from '#store/walk.ts';

/** Largest number of documents that one step deletes. */
const CHUNK = 250;
/** Number of rollups that one read returns. A rollup is a document with the statistics of one machine and one day, about 0.1 MB. */
const ROLLUPS = 20;
/** When a step ends and the call has lasted longer than this many milliseconds, the call ends. */
const CALL_MS = 4_000;
/** The last Unicode character: it sorts after every character of a path. */
const LAST = '\u{10ffff}';

/** The stores from which a purge (the deletion of all data of a device) deletes, and the clocks that it uses. */
export interface PurgeOptions {
  readonly store: Pick<Store, 'view' | 'node' | 'find' | 'erase' | 'compact'>;
  readonly artifacts: Pick<Artifacts, 'remove'>;
  readonly uploads: Pick<Uploads, 'remove'>;
  readonly parts: Pick<Parts, 'remove'>;
  readonly purged: (device: string) => void;
  readonly clock: () => number;
  readonly monotonic?: () => number;
}

const idsOf = (documents: readonly Stored<object>[]) => documents.map(({ id }) => id);

// Removing an upload fails while a client writes to it. In this case its file stays, and a periodic job later deletes files that have no
// record.
const eachId = (remove: (id: string) => Promise<unknown>) => async (documents: readonly Stored<object>[]) => {
  for (const { id } of documents) await remove(id).catch(() => undefined);
};

/** One call of the purge of a device. */
class Purge {
  readonly #options: PurgeOptions;
  readonly #device: Stored<DeviceData>;
  readonly #view: View;
  readonly #isLate: () => boolean;
  readonly #counts = { events: 0, files: 0, segments: 0, freed_bytes: 0 };
  #unpacked = 0;

  constructor(options: PurgeOptions, device: Stored<DeviceData>) {
    const monotonic = options.monotonic ?? (() => performance.now());
    const until = monotonic() + CALL_MS;
    this.#isLate = () => monotonic() > until;
    this.#options = options;
    this.#device = device;
    this.#view = options.store.view(device.project_id);
  }

  async run(what: readonly Purged[]): Promise<PurgeCounts> {
    const steps = { events: () => this.#events(), files: () => this.#files(), history: () => this.#history() } as const;
    let done = true;
    for (const one of what) done = done && (await steps[one]());
    while ((await this.#pack()) && !this.#isLate());
    if (done) this.#options.purged(this.#device.id);
    return { ...this.#counts, done };
  }

  /** Moves the write-ahead log of SQLite into the database file. Otherwise the log grows with each step and does not fit on a full disk. */
  async #pack(): Promise<boolean> {
    const { bytes, more } = await this.#options.store.compact();
    this.#counts.freed_bytes += bytes;
    this.#unpacked = 0;
    return more;
  }

  async #step(removed: number): Promise<void> {
    this.#unpacked += removed;
    if (this.#unpacked >= CHUNK) await this.#pack();
  }

  async #events(): Promise<boolean> {
    const query = { object: 'event', where: { 'data.subject.id': this.#device.id } };
    for await (const some of walkChunks<EventData>(this.#view, 'events', query, CHUNK)) {
      const caused = some.filter(({ data }) => data.actor.type === 'device');
      await this.#options.store.erase('events', idsOf(caused));
      this.#counts.events += caused.length;
      await this.#step(caused.length);
      if (this.#isLate()) return false;
    }
    return true;
  }

  async #drop(of: View, collection: CollectionName, documents: readonly Stored<object>[]): Promise<void> {
    await of.commit(
      documents.map(({ id, object, data }) => ({
        collection,
        id,
        object,
        data: { ...data },
        deleted: true as const,
      })),
    );
    this.#counts.files += documents.length;
    await this.#step(documents.length);
  }

  async #forget(contents: Iterable<string>): Promise<void> {
    for (const sha256 of new Set(contents)) {
      const where = { 'data.sha256': sha256 };
      const named = await Promise.all([
        this.#options.store.find('records', { object: 'artifact', where, limit: 1 }),
        this.#options.store.find('local', { object: 'bucket_object', where, limit: 1 }),
      ]);
      if (named.every((found) => found.length === 0))
        this.#counts.freed_bytes += await this.#options.artifacts.remove(sha256, this.#options.clock());
    }
  }

  /** Deletes all documents of a kind, and calls `then` after each step to delete the files that these documents name. */
  async #all<T extends object>(
    of: View,
    collection: CollectionName,
    object: string,
    where: Readonly<Record<string, string>>,
    then: (documents: readonly Stored<T>[]) => Promise<void>,
  ): Promise<boolean> {
    for (;;) {
      const some = await of.find<T>(collection, { object, where, limit: CHUNK });
      if (some.length === 0) return true;
      await this.#drop(of, collection, some);
      await then(some);
      if (this.#isLate()) return false;
    }
  }

  async #objects(): Promise<boolean> {
    const where = { 'data.path': { gte: `${this.#device.id}/`, lt: `${this.#device.id}/${LAST}` } };
    for (;;) {
      const some = await this.#view.find<BucketObject>('local', {
        object: 'bucket_object',
        by: 'data.path',
        where,
        limit: CHUNK,
      });
      if (some.length === 0) return true;
      await this.#drop(this.#view, 'local', some);
      await this.#forget(some.map(({ data }) => data.sha256));
      if (this.#isLate()) return false;
    }
  }

  async #files(): Promise<boolean> {
    const forgetAll = (found: readonly Stored<ArtifactData>[]) => this.#forget(found.map(({ data }) => data.sha256));
    const own = { 'data.device': this.#device.id };
    return (
      (await this.#objects()) &&
      (await this.#all<ArtifactData>(
        this.#view,
        'records',
        'artifact',
        { 'data.device_id': this.#device.id },
        forgetAll,
      )) &&
      (await this.#all<UploadData>(
        this.#view,
        'local',
        'upload',
        own,
        eachId((id) => this.#options.uploads.remove(id)),
      )) &&
      (await this.#all(
        this.#options.store.node,
        'local',
        'bucket_upload',
        own,
        eachId((id) => this.#options.parts.remove(id)),
      ))
    );
  }

  async #history(): Promise<boolean> {
    const { equipment_id, linked_at } = this.#device.data;
    if (equipment_id === null) return true;
    const where = { 'data.equipment_id': equipment_id, created_at: { gte: linked_at ?? '' } };
    const segments = walkChunks<SegmentData>(this.#view, 'telemetry', { object: 'segment', where }, CHUNK);
    for await (const some of segments) {
      await this.#removeSamples(some);
      if (this.#isLate()) return false;
    }
    const rollups = walkChunks<RollupData>(this.#view, 'telemetry', { object: 'rollup', where }, ROLLUPS);
    for await (const some of rollups) {
      await this.#removeMinutes(some);
      if (this.#isLate()) return false;
    }
    return true;
  }

  /** Removes the values of the device from these rollups. */
  async #removeMinutes(rollups: readonly Stored<RollupData>[]): Promise<void> {
    for (const { id, project_id, data } of rollups) {
      const left = await rollupWithoutDevice(id, data, this.#device.id);
      if (left === 'unchanged') continue;
      const write = left && { collection: 'telemetry' as const, id: left.id, object: 'rollup', project_id };
      await this.#options.store.erase('telemetry', [id], write && left ? [{ ...write, data: { ...left.data } }] : []);
      this.#counts.segments++;
      await this.#step(1);
    }
  }

  /** Removes the samples of the device from these segments (documents with samples of one machine). Samples of other devices stay. */
  async #removeSamples(segments: readonly Stored<SegmentData>[]): Promise<void> {
    const replaced: string[] = [];
    const writes: ProjectWrite[] = [];
    for (const { id, project_id, data } of segments) {
      const left = withoutDevice(id, data, this.#device.id);
      if (left === 'unchanged') continue;
      replaced.push(id);
      if (left === null) continue;
      writes.push({ collection: 'telemetry', id: left.id, object: 'segment', project_id, data: { ...left.data } });
    }
    if (replaced.length === 0) return;
    await this.#options.store.erase('telemetry', replaced, writes);
    this.#counts.segments += replaced.length;
    await this.#step(replaced.length);
  }
}

/** Creates the function that deletes data of a device for about four seconds and returns the counts. */
export function createPurge(options: PurgeOptions) {
  return async (device: Stored<DeviceData>, what: readonly Purged[]): Promise<PurgeCounts> =>
    new Purge(options, device).run(what);
}
