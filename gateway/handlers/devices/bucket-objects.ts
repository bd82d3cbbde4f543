/**
 * The objects of the S3 bucket, stored as documents. Each document maps an object key of a device to a file that is already on disk.
 *
 *   content on disk -> one commit: object document, file record, event -> 200 answer; the logger may delete its copy
 *
 * - The id of a file record is derived from device, session, split and content hash. A log that is uploaded again gets the same record.
 * - S3 lists keys in the order of their UTF-8 bytes. The field `path` sorts in the same order, so that an index can answer a list request.
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

/** The stored document of a bucket object. */
export interface BucketObjectData extends BucketObject {
  device: string;
  /** Device id, `/` and object key, with one character for each UTF-8 byte of the key. */
  path: string;
}

interface Tools {
  readonly store: Pick<Store, 'view' | 'commit' | 'node' | 'nodeId'>;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** Returns the SHA-256 of a text as hexadecimal digits. */
  readonly sha256: (text: string) => string;
  readonly readArtifact: NodeServices['readArtifact'];
  /** Reads the first bytes of a stored content, from which the content type is detected. */
  readonly headOf: (sha256: string, bytes: number) => Promise<Uint8Array>;
  readonly accept: NodeServices['accept'];
  /** Reports data of a logger that the gateway cannot use, for `GET /api/v1/health`. `source` is the `device_id`. */
  readonly refused: (source: string, reason: string) => void;
}

const HEARTBEAT = 'device.json';
const TRIES = 16;
/** A new log is compared with at most this many objects that have the same session and split (the two counters in the name of a log). */
const MOST_SAME_SPLIT = 20;
const MOST_REMOVED = 1_000;
/**
 * A character that sorts after every character of `path`, because UTF-8 has no byte 255. The text `prefix + LAST` comes after all keys with
 * this prefix.
 */
const LAST = '\u00ff';

const utf8 = new TextEncoder();

/** Converts a text to one character per UTF-8 byte, because the index compares characters and S3 compares bytes. */
function byteText(text: string): string {
  return Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Returns the id of the document of an object key of a device. */
export function bucketObjectId(sha256: Tools['sha256'], device: string, key: string): string {
  return `obj_${sha256(`${device}\n${key}`).slice(0, 40)}`;
}

/** Returns the stored form of a bucket object. */
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

/** Reads and writes the bucket objects of all devices in the store. */
class StoredBucketObjects implements BucketObjects {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Writes the event `clock_refused` to the log of a device. The clock of the device differs so much from the gateway's clock that signed
   * uploads are refused.
   */
  async logClock(device: BucketDevice, device_ms: number): Promise<void> {
    const now = new Date(this.#tools.clock()).toISOString();
    const offset_s = Math.round((device_ms - this.#tools.clock()) / 1_000);
    const data = { device_time: new Date(device_ms).toISOString(), offset_s };
    await this.#tools.store.view(device.project_id).commit([this.#event(device, 'clock_refused', now, [], data)]);
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
        await this.#reportAlive(device, made);
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
    // Every key with the prefix sorts before the text `prefix + LAST`, so this text is the upper bound.
    const where = { 'data.path': { ...(last >= from ? { gt: last } : { gte: from }), lt: `${from}${LAST}` } };
    const query = { object: 'bucket_object', by: 'data.path', where, limit };
    return (await this.#tools.store.view(device.project_id).find<BucketObjectData>('local', query)).map(toObject);
  }

  /** Returns the write that adds an event to the log of the device. */
  #event(device: BucketDevice, type: string, now: string, media: string[], data: Record<string, unknown>) {
    const event: EventData = {
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
      data: { ...event },
    } as const;
  }

  /** Returns the id and the writes of a file's record, event and decode task. There are no writes if the record already exists. */
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
    const stored = { artifact_id: id, object_key: sent, bytes, sha256: digest };
    const writes: Write[] = [
      { collection: 'records', id, object: 'artifact', data: { ...data }, expected: 0 },
      this.#event(device, 'artifact.stored', now, [id], { ...stored, ...(log ?? {}) }),
    ];
    const newId = (kind: Kind) => makeId(kind, this.#tools.clock(), this.#tools.random(10));
    if (isRecording(data)) writes.push(...decodeTaskWrites({ now, newId, nodeId: this.#tools.store.nodeId }, id, data));
    // Find logs with the same session and split but another content. They show that the logger restarted its counter, or that two loggers
    // have the same identity.
    const others = log === undefined ? [] : await this.#sameSplit(device, object, log);
    if (others.length > 0)
      writes.push(this.#event(device, 'artifact.differs', now, [id, ...others], { ...stored, ...log, others }));
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
   * If the checksum in a heartbeat (the object `device.json`) shows that the logger uses the desired configuration, records this and writes
   * an event. If the heartbeat was signed with the new key pair, also ends the previous pair. After a write conflict it stores nothing; the
   * next heartbeat has the same report.
   */
  async #recordApplied(device: BucketDevice, heartbeat: Record<string, unknown>): Promise<void> {
    const { project_id } = device;
    const view = this.#tools.store.view(project_id);
    const wanted = await runsWith(view, device, heartbeat);
    if (wanted === undefined) return;
    const now = new Date(this.#tools.clock()).toISOString();
    const applied = await appliedBy(view, wanted, now);
    const over = await endBefore(this.#tools.store, device, now);
    const writes: ProjectWrite[] = [];
    const add = (write: ProjectWrite, type: string, data: Record<string, unknown>) =>
      writes.push(write, { ...this.#event(device, type, now, [], data), project_id });
    if (applied !== undefined) add({ ...applied.write, project_id }, 'config_applied', applied.event);
    if (over !== undefined)
      add(over.write, 'updated', { fields: ['bucket_key'], ended_access_key_id: over.access_key_id });
    if (writes.length === 0) return;
    try {
      await this.#tools.store.commit(writes);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
    }
  }

  /**
   * Writes a status message to the journal (the file of all accepted messages), because every upload shows that the device is online. For a
   * heartbeat the message also has the fields of the heartbeat.
   */
  async #reportAlive(device: BucketDevice, object: BucketObject): Promise<void> {
    let fields: Record<string, unknown> = {};
    if (object.key === HEARTBEAT) {
      const content = await this.#tools.readArtifact(object.sha256);
      const read = content && readHeartbeat(content);
      if (read === undefined) this.#tools.refused(device.device_id, `${HEARTBEAT} is no JSON object`);
      else fields = read;
      await this.#recordApplied(device, fields);
    }
    const { device: id, project_id, device_id } = device;
    await this.#tools.accept({
      device: id,
      project_id,
      device_id,
      topic: 'status',
      payload: utf8.encode(JSON.stringify({ ...fields, status: 'online' })),
      received_at_ms: this.#tools.clock(),
      via: 'upload',
    });
  }
}

/** Creates the access to the bucket objects of all devices in the store. */
export function createBucketObjects(tools: Tools): StoredBucketObjects {
  return new StoredBucketObjects(tools);
}
