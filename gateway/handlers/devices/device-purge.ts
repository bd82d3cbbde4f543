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

/** A function that removes what a device stored, for some seconds. */
export function createPurge(options: PurgeOptions) {
  const { store, artifacts, uploads, parts, clock } = options;
  const monotonic = options.monotonic ?? (() => performance.now());

  return async (device: Stored<DeviceData>, what: readonly Purged[]): Promise<PurgeCounts> => {
    const until = monotonic() + CALL_MS;
    const isLate = () => monotonic() > until;
    const view = store.view(device.project_id);
    const counts = { events: 0, files: 0, segments: 0, freed_bytes: 0 };
    let unpacked = 0;

    /** Little room may be left: what one step logged goes into the file before the next. */
    async function pack(): Promise<boolean> {
      const { bytes, more } = await store.compact();
      counts.freed_bytes += bytes;
      unpacked = 0;
      return more;
    }

    async function step(removed: number): Promise<void> {
      unpacked += removed;
      if (unpacked >= CHUNK) await pack();
    }

    async function events(): Promise<boolean> {
      const query = { object: 'event', where: { 'data.subject.id': device.id } };
      for await (const some of walkChunks<EventData>(view, 'events', query, CHUNK)) {
        const caused = some.filter(({ data }) => data.actor.type === 'device');
        await store.erase('events', idsOf(caused));
        counts.events += caused.length;
        await step(caused.length);
        if (isLate()) return false;
      }
      return true;
    }

    async function drop(of: View, collection: CollectionName, documents: readonly Stored<object>[]): Promise<void> {
      await of.commit(
        documents.map(({ id, object, data }) => ({
          collection,
          id,
          object,
          data: { ...data },
          deleted: true as const,
        })),
      );
      counts.files += documents.length;
      await step(documents.length);
    }

    async function forget(contents: Iterable<string>): Promise<void> {
      for (const sha256 of new Set(contents)) {
        const where = { 'data.sha256': sha256 };
        const named = await Promise.all([
          store.find('records', { object: 'artifact', where, limit: 1 }),
          store.find('local', { object: 'bucket_object', where, limit: 1 }),
        ]);
        if (named.every((found) => found.length === 0)) counts.freed_bytes += await artifacts.remove(sha256, clock());
      }
    }

    /** Removes documents of a kind, and then what they named. */
    async function all<T extends object>(
      of: View,
      collection: CollectionName,
      object: string,
      where: Readonly<Record<string, string>>,
      then: (documents: readonly Stored<T>[]) => Promise<void>,
    ): Promise<boolean> {
      for (;;) {
        const some = await of.find<T>(collection, { object, where, limit: CHUNK });
        if (some.length === 0) return true;
        await drop(of, collection, some);
        await then(some);
        if (isLate()) return false;
      }
    }

    async function objects(): Promise<boolean> {
      const where = { 'data.path': { gte: `${device.id}/`, lt: `${device.id}/${LAST}` } };
      for (;;) {
        const some = await view.find<BucketObject>('local', {
          object: 'bucket_object',
          by: 'data.path',
          where,
          limit: CHUNK,
        });
        if (some.length === 0) return true;
        await drop(view, 'local', some);
        await forget(some.map(({ data }) => data.sha256));
        if (isLate()) return false;
      }
    }

    // One that is being written to stays for the sweep, which removes what has no record.
    const eachId = (remove: (id: string) => Promise<unknown>) => async (documents: readonly Stored<object>[]) => {
      for (const { id } of documents) await remove(id).catch(() => undefined);
    };

    async function files(): Promise<boolean> {
      const forgetAll = (found: readonly Stored<ArtifactData>[]) => forget(found.map(({ data }) => data.sha256));
      const own = { 'data.device': device.id };
      return (
        (await objects()) &&
        (await all<ArtifactData>(view, 'records', 'artifact', { 'data.device_id': device.id }, forgetAll)) &&
        (await all<UploadData>(
          view,
          'local',
          'upload',
          own,
          eachId((id) => uploads.remove(id)),
        )) &&
        (await all(
          store.node,
          'local',
          'bucket_upload',
          own,
          eachId((id) => parts.remove(id)),
        ))
      );
    }

    async function history(): Promise<boolean> {
      const { equipment_id, linked_at } = device.data;
      if (equipment_id === null) return true;
      const where = { 'data.equipment_id': equipment_id, created_at: { gte: linked_at ?? '' } };
      for (;;) {
        const some = await view.find('telemetry', { object: 'segment', where, limit: CHUNK });
        if (some.length === 0) return true;
        await store.erase('telemetry', idsOf(some));
        counts.segments += some.length;
        await step(some.length);
        if (isLate()) return false;
      }
    }

    const steps = { events, files, history } as const;
    let done = true;
    for (const one of what) done = done && (await steps[one]());
    while ((await pack()) && !isLate());
    if (done) options.purged(device.id);
    return { ...counts, done };
  };
}
