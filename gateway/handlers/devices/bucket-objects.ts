/**
 * Objects of the bucket as documents: a name of a device for a content that is on disk already.
 *
 *   content on disk -> ONE commit: the name, the record of the file, its event -> the logger may forget its copy
 *
 * - The id of a file's record is made from what it is (device, session, split, content), so the same log again is the same record.
 * - A name is a place in the order of its UTF-8 bytes, so that a list is a walk along an index.
 */

import type { EventData } from '#contract/base/event.ts';
import { hashId, type Kind, makeId } from '#contract/base/ids.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import { type Stored, type Write, WriteConflict } from '#contract/base/view.ts';
import type { NodeServices } from '#contract/context.ts';
import {
  type BucketDevice,
  type BucketObject,
  type BucketObjects,
  logOf,
  type NewObject,
  ownObjectBytes,
  type Precondition,
  PreconditionFailed,
} from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { recordedType } from '#contract/work/media.ts';
import { readHeartbeat } from '#domain/device/logger-heartbeat.ts';
import { decodeTaskWrites, isRecording } from '#domain/runs/decode-task.ts';
import { subjectOf } from '#handlers/files/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import { endBefore } from './bucket-pairs.ts';
import { appliedBy, runsWith } from './config-applied.ts';

/** A name at rest. */
export interface BucketObjectData extends BucketObject {
  device: string;
  /** Device and name, one character per byte of UTF-8. */
  path: string;
}

interface Tools {
  readonly store: Pick<Store, 'view' | 'commit' | 'node' | 'nodeId'>;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** Hex. */
  readonly sha256: (text: string) => string;
  readonly readArtifact: NodeServices['readArtifact'];
  /** The first bytes of a content. */
  readonly headOf: (sha256: string, bytes: number) => Promise<Uint8Array>;
  readonly accept: NodeServices['accept'];
  /** Something that a logger sent cannot be used; the source is its device_id. */
  readonly refused: (source: string, reason: string) => void;
}

const HEARTBEAT = 'device.json';
const TRIES = 16;
/** Logs of one session and split that are looked at for another content. */
const MOST_SAME_SPLIT = 20;
const MOST_REMOVED = 1_000;
/** Behind every name that begins like this. */
const LAST = '\u00ff';

const utf8 = new TextEncoder();

/** The bytes of a text in UTF-8, each as one character: text order is byte order then. */
function byteText(text: string): string {
  return Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Id of the document of a name. */
export function bucketObjectId(sha256: Tools['sha256'], device: string, key: string): string {
  return `obj_${sha256(`${device}\n${key}`).slice(0, 40)}`;
}

/** A name as it is kept. */
export function bucketObjectData(device: string, object: BucketObject): BucketObjectData {
  return { ...object, device, path: `${device}/${byteText(object.key)}` };
}

function check(current: BucketObject | undefined, { match, noneMatch }: Precondition): void {
  const fits = (tag: string) => current !== undefined && (tag === '*' || tag === current.etag);
  if (match !== undefined && !fits(match)) throw new PreconditionFailed(current === undefined);
  if (noneMatch !== undefined && fits(noneMatch)) throw new PreconditionFailed();
}

function toObject({ data }: Stored<BucketObjectData>): BucketObject {
  const { device: _, path: __, ...object } = data;
  return object;
}

/** The objects of all devices over the store. */
class StoredBucketObjects implements BucketObjects {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** The log of a device is told that its clock is too far off to upload. */
  async tellClock(device: BucketDevice, device_ms: number): Promise<void> {
    const now = new Date(this.#tools.clock()).toISOString();
    const offset_s = Math.round((device_ms - this.#tools.clock()) / 1_000);
    const told = { device_time: new Date(device_ms).toISOString(), offset_s };
    await this.#tools.store.view(device.project_id).commit([this.#event(device, 'clock_refused', now, [], told)]);
  }

  async get(device: BucketDevice, key: string): Promise<BucketObject | undefined> {
    const id = bucketObjectId(this.#tools.sha256, device.device, key);
    const found = await this.#tools.store.view(device.project_id).get<BucketObjectData>('local', id);
    return found && toObject(found);
  }

  async put(device: BucketDevice, object: NewObject, sent: string, when: Precondition = {}): Promise<BucketObject> {
    for (let attempt = 1; ; attempt++) {
      try {
        const made = await this.#tryPut(device, object, sent, when);
        await this.#tellAlive(device, made);
        return made;
      } catch (error) {
        if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
      }
    }
  }

  async remove(device: BucketDevice, keys: readonly string[], match?: string): Promise<void> {
    const view = this.#tools.store.view(device.project_id);
    const ids = [...new Set(keys)].map((key) => bucketObjectId(this.#tools.sha256, device.device, key));
    for (let from = 0; from < ids.length; from += MOST_REMOVED) {
      const there = await view.getMany<BucketObjectData>('local', ids.slice(from, from + MOST_REMOVED));
      for (const { data } of there) check(data, { match });
      await view.commit(
        there.map(({ id, data, revision }) => ({
          collection: 'local',
          id,
          object: 'bucket_object',
          data: { ...data },
          deleted: true,
          ...(match === undefined ? {} : { expected: revision }),
        })),
      );
    }
  }

  async list(device: BucketDevice, prefix: string, after: string, limit: number): Promise<BucketObject[]> {
    const root = `${device.device}/`;
    const from = `${root}${byteText(prefix)}`;
    const last = `${root}${byteText(after)}`;
    // What begins like a text with the last character behind it comes before that: UTF-8 has no byte of this value.
    const where = { 'data.path': { ...(last >= from ? { gt: last } : { gte: from }), lt: `${from}${LAST}` } };
    const query = { object: 'bucket_object', by: 'data.path', where, limit };
    return (await this.#tools.store.view(device.project_id).find<BucketObjectData>('local', query)).map(toObject);
  }

  /** Event of the device's log. */
  #event(device: BucketDevice, type: string, now: string, media: string[], data: Record<string, unknown>) {
    const told: EventData = {
      type,
      subject: { object: 'device', id: device.device },
      occurred_at: now,
      source: 'headframe',
      source_event_id: null,
      actor: { type: 'device', id: device.device, name: device.device_id },
      data,
      context: { run_id: null, device_id: device.device, media },
    };
    return {
      collection: 'events',
      id: makeId('event', this.#tools.clock(), this.#tools.random(10)),
      object: 'event',
      data: { ...told },
    } as const;
  }

  /** What is written for a file that is no object of the logger's own; nothing when its record is there. */
  async #recordOf(device: BucketDevice, object: NewObject, sent: string, now: string) {
    const log = logOf(object.key);
    const what = log === undefined ? [object.key] : [log.session, log.split];
    const id = hashId('artifact', this.#tools.sha256([device.device, ...what, object.sha256].join('\n')));
    const view = this.#tools.store.view(device.project_id);
    if ((await view.get('records', id)) !== undefined) return { id, writes: [] };
    const record = await view.get<DeviceData>('records', device.device);
    const { sha256: digest, bytes } = object;
    const content_type = recordedType(await this.#tools.headOf(digest, bytes), object.content_type);
    const data: ArtifactData = {
      kind: log === undefined ? 'file' : 'mf4',
      name: object.key.slice(object.key.lastIndexOf('/') + 1),
      content_type,
      bytes,
      sha256: digest,
      captured_at: null,
      received_at: now,
      device_id: device.device,
      subject: record === undefined ? null : subjectOf(record),
      origin: { session: log?.session ?? null, split: log?.split ?? null, object_key: sent },
      retention_until: null,
      replication: 'local',
      media: Object.keys(object.meta).length === 0 ? null : { ...object.meta },
      run_id: null,
    };
    const told = { artifact_id: id, object_key: sent, bytes, sha256: digest };
    const writes: Write[] = [
      { collection: 'records', id, object: 'artifact', data: { ...data }, expected: 0 },
      this.#event(device, 'artifact.stored', now, [id], { ...told, ...(log ?? {}) }),
    ];
    const newId = (kind: Kind) => makeId(kind, this.#tools.clock(), this.#tools.random(10));
    if (isRecording(data)) writes.push(...decodeTaskWrites({ now, newId, nodeId: this.#tools.store.nodeId }, id, data));
    // The same session and split with another content: a logger that counts anew, or two that believe to be one.
    const others = log === undefined ? [] : await this.#sameSplit(device, object, log);
    if (others.length > 0)
      writes.push(this.#event(device, 'artifact.differs', now, [id, ...others], { ...told, ...log, others }));
    return { id, writes };
  }

  async #sameSplit(device: BucketDevice, { key, sha256: digest }: NewObject, log: { split: string }) {
    const prefix = key.slice(0, key.lastIndexOf('/') + 1 + log.split.length + 1);
    const found = await this.list(device, prefix, '', MOST_SAME_SPLIT);
    const ids = found.filter((one) => one.sha256 !== digest).map(({ artifact_id }) => artifact_id);
    return [...new Set(ids.filter((id) => id !== null))];
  }

  async #tryPut(device: BucketDevice, object: NewObject, sent: string, when: Precondition) {
    const view = this.#tools.store.view(device.project_id);
    const id = bucketObjectId(this.#tools.sha256, device.device, object.key);
    const current = await view.get<BucketObjectData>('local', id);
    check(current?.data, when);
    const now = this.#tools.clock();
    const own = ownObjectBytes(object.key) !== undefined;
    const record = own ? null : await this.#recordOf(device, object, sent, new Date(now).toISOString());
    const made: BucketObject = { ...object, modified_ms: now, artifact_id: record?.id ?? null };
    await view.commit([
      {
        collection: 'local',
        id,
        object: 'bucket_object',
        data: { ...bucketObjectData(device.device, made) },
        expected: current?.revision ?? 0,
      },
      ...(record?.writes ?? []),
    ]);
    return made;
  }

  /**
   * Tells that the logger runs with the configuration that was wanted of it, and ends the key pair before the last roll once it signs
   * with the one in there. A conflict is of a newer word, and the next heartbeat says it again.
   */
  async #tellApplied(device: BucketDevice, said: Record<string, unknown>): Promise<void> {
    const { project_id } = device;
    const view = this.#tools.store.view(project_id);
    const wanted = await runsWith(view, device, said);
    if (wanted === undefined) return;
    const now = new Date(this.#tools.clock()).toISOString();
    const applied = await appliedBy(view, wanted, now);
    const over = await endBefore(this.#tools.store, device, now);
    const writes: ProjectWrite[] = [];
    const tell = (write: ProjectWrite, type: string, told: Record<string, unknown>) =>
      writes.push(write, { ...this.#event(device, type, now, [], told), project_id });
    if (applied !== undefined) tell({ ...applied.write, project_id }, 'config_applied', applied.told);
    if (over !== undefined)
      tell(over.write, 'updated', { fields: ['bucket_key'], ended_access_key_id: over.access_key_id });
    if (writes.length === 0) return;
    try {
      await this.#tools.store.commit(writes);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
    }
  }

  /** A sign of life, with what a heartbeat says; it goes the way of all of them, through the journal. */
  async #tellAlive(device: BucketDevice, object: BucketObject): Promise<void> {
    let said: Record<string, unknown> = {};
    if (object.key === HEARTBEAT) {
      const content = await this.#tools.readArtifact(object.sha256);
      const read = content && readHeartbeat(content);
      if (read === undefined) this.#tools.refused(device.device_id, `${HEARTBEAT} is no JSON object`);
      else said = read;
      await this.#tellApplied(device, said);
    }
    const { device: id, project_id, device_id } = device;
    await this.#tools.accept({
      device: id,
      project_id,
      device_id,
      topic: 'status',
      payload: utf8.encode(JSON.stringify({ ...said, status: 'online' })),
      received_at_ms: this.#tools.clock(),
      via: 'upload',
    });
  }
}

/** The objects of all devices over the store. */
export function createBucketObjects(tools: Tools): StoredBucketObjects {
  return new StoredBucketObjects(tools);
}
