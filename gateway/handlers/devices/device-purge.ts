/**
 * What a device stored, removed for good, in steps of a few hundred documents and for some seconds a call ([A481]). Nothing has to be kept of how
 * far it came: the next call finds what is left.
 *
 *   entries of its log -> frames, files, uploads, objects -> history of its machine -> room back to the disk
 */

import type { EventData } from '#contract/base/event.ts';
import type { CollectionName, Stored, View } from '#contract/base/view.ts';
import type { BucketObject } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { PurgeCounts, Purged } from '#contract/fleet/quarantine.ts';
import type { ArtifactData, UploadData } from '#contract/work/artifact.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import type { Parts } from '#store/parts.ts';
import type { Uploads } from '#store/uploads.ts';
import { walkChunks } from '#store/walk.ts';

/** Documents of one step. */
const CHUNK = 250;
/** A call ends after so long, between two steps. */
const CALL_MS = 4_000;
/** Behind every character that a path may have. */
const LAST = '\u{10ffff}';

/** What it works on. */
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

// One that is being written to stays for the sweep, which removes what has no record.
const eachId = (remove: (id: string) => Promise<unknown>) => async (documents: readonly Stored<object>[]) => {
  for (const { id } of documents) await remove(id).catch(() => undefined);
};

/** Removes for some seconds what one device stored. */
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

  /** Little room may be left: what one step logged goes into the file before the next. */
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

  /** Removes documents of a kind, and then what they named. */
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
    for (;;) {
      const some = await this.#view.find('telemetry', { object: 'segment', where, limit: CHUNK });
      if (some.length === 0) return true;
      await this.#options.store.erase('telemetry', idsOf(some));
      this.#counts.segments += some.length;
      await this.#step(some.length);
      if (this.#isLate()) return false;
    }
  }
}

/** A function that removes what a device stored, for some seconds. */
export function createPurge(options: PurgeOptions) {
  return async (device: Stored<DeviceData>, what: readonly Purged[]): Promise<PurgeCounts> =>
    new Purge(options, device).run(what);
}
