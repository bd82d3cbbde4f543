/**
 * Access of handlers to the logger's own objects in the bucket: heartbeat (`device.json`), configuration, schema, firmware and
 * certificates. The logger downloads what handlers write, and handlers read what the logger uploads.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { type BucketObject, ownObjectBytes } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { type BucketObjectData, bucketObjectData, bucketObjectId } from './bucket-objects.ts';

type Device = Pick<Stored<DeviceData>, 'id'>;

function find(context: HandlerContext, device: Device, name: string): Promise<Stored<BucketObjectData> | undefined> {
  return context.view.get<BucketObjectData>('local', bucketObjectId(context.sha256, device.id, name));
}

/** Returns the metadata of an object of the logger; undefined if it does not exist. */
export async function getLoggerObject(
  context: HandlerContext,
  device: Device,
  name: string,
): Promise<BucketObject | undefined> {
  return ownObjectBytes(name) === undefined ? undefined : (await find(context, device, name))?.data;
}

/** Returns the content of an object of the logger; undefined if it does not exist. */
export async function readLoggerObject(
  context: HandlerContext<'readArtifact'>,
  device: Device,
  name: string,
): Promise<Uint8Array | undefined> {
  const found = await getLoggerObject(context, device, name);
  return found && context.readArtifact(found.sha256);
}

/** Writes the content to disk and stages (adds to the commit of this call) the object; throws `payload_too_large` if it is too long. */
export async function stageLoggerObject(
  context: HandlerContext<'putArtifact'>,
  device: Device,
  name: string,
  content: Uint8Array,
  content_type: string,
): Promise<BucketObject> {
  const most = ownObjectBytes(name);
  if (most === undefined) throw new Error(`${name} is not one of the object names that a logger uses`);
  if (content.length > most) throw new OperationError('payload_too_large', `${name} has at most ${most} bytes.`);
  const current = await find(context, device, name);
  const { sha256, bytes, md5 } = await context.putArtifact(content);
  const object: BucketObject = {
    key: name,
    sha256,
    bytes,
    etag: md5,
    content_type,
    modified_ms: Date.parse(context.now),
    meta: {},
    headers: {},
    checksum: null,
    artifact_id: null,
  };
  context.view.stage<BucketObjectData>({
    collection: 'local',
    id: bucketObjectId(context.sha256, device.id, name),
    object: 'bucket_object',
    data: bucketObjectData(device.id, object),
    current,
    expected: current?.revision ?? 0,
  });
  return object;
}

/** Stages (adds to the commit of this call) the deletion of an object of the logger; returns false if it did not exist. */
export async function stageNoLoggerObject(context: HandlerContext, device: Device, name: string): Promise<boolean> {
  const current = ownObjectBytes(name) === undefined ? undefined : await find(context, device, name);
  if (current === undefined) return false;
  const { id, data, revision } = current;
  const write = { collection: 'local', id, object: 'bucket_object', data, current, expected: revision } as const;
  context.view.stage<BucketObjectData>({ ...write, deleted: true });
  return true;
}
