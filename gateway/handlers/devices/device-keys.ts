/**
 * Operations on device keys after provisioning (which makes the first key). A roll creates a new key, which becomes valid when an admin
 * fetches it. After that the old key stays valid for a day, so that the device can work until it has the new key. A revocation ends all
 * keys at once.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { DeviceNameData } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData, DeviceLive } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { KeyData } from '#contract/site/node.ts';
import { mintKey, stageKey, stageKeyChange } from '#handlers/access/keys.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { deviceNameId } from '#handlers/base/names.ts';
import { revokePairs } from './bucket-pairs.ts';
import { oneDevice } from './devices.ts';
import { dropClaims, stageClaim, takeClaim } from './secret-claims.ts';

const DAY_MS = 86_400_000;
/** Largest number of keys read for one device. A device normally has three at most: the current, the previous and an unfetched key. */
const MOST_KEYS = 100;

async function requireName(context: HandlerContext, device: Stored<DeviceData>): Promise<Stored<DeviceNameData>> {
  const id = deviceNameId(context, device.data.device_id);
  const name = await context.node.get<DeviceNameData>('local', id);
  if (name === undefined) throw new Error(`device ${device.id} has no document for its device_id`);
  return name;
}

function stageName(context: HandlerContext, name: Stored<DeviceNameData>, change: Partial<DeviceNameData>): void {
  context.node.stage<DeviceNameData>({
    collection: 'local',
    id: name.id,
    object: 'device_name',
    data: { ...name.data, ...change },
    current: name,
    expected: name.revision,
  });
}

/** Stages (adds to the commit of this call) the revocation of all keys of the device, and returns their ids. */
export async function revokeKeys(context: HandlerContext, device: string): Promise<string[]> {
  const where = { 'data.device': device, 'data.revoked_at': null };
  const keys = await context.node.find<KeyData>('local', { object: 'key', where, limit: MOST_KEYS });
  for (const key of keys) stageKeyChange(context, key, { revoked_at: context.now });
  await dropClaims(context, device);
  return keys.map(({ id }) => id);
}

/** Stages the deletion of a rolled key that was never fetched. */
async function dropUnclaimed(context: HandlerContext, device: string, key_id: string | null): Promise<void> {
  const current = key_id === null ? undefined : await context.node.get<KeyData>('local', key_id);
  if (current === undefined) return;
  const { id, data, revision } = current;
  context.node.stage({ collection: 'local', id, object: 'key', data, current, expected: revision, deleted: true });
  await dropClaims(context, device, 'device_key');
}

const notProvisioned = () =>
  new OperationError('not_provisioned', 'This device has no key; provision it with POST /api/v1/devices/provision.', {
    param: 'id',
  });

export const deviceKeyHandlers = handlerGroup([], {
  async devices_api_key_roll({ id, expires_in_days, dry_run }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const name = await requireName(context, device);
    const previous = name.data.key_id;
    if (previous === null) throw notProvisioned();
    const rolled = {
      object: 'device_key_roll',
      device_id: id,
      previous_key_id: previous,
      rolled_at: context.now,
    } as const;
    if (dry_run) return { ...rolled, key_id: null, claim_url: null, claim_expires_at: null };
    await dropUnclaimed(context, id, name.data.rolling ?? null);
    const { device_id } = device.data;
    const expires_at =
      expires_in_days === undefined ? null : new Date(Date.parse(context.now) + expires_in_days * DAY_MS).toISOString();
    const project_ids = [context.view.project_id];
    const fields = { kind: 'device', name: device_id, role: 'device', project_ids, device: id, device_id } as const;
    const minted = mintKey(context, { ...fields, project_ids, expires_at });
    const key = stageKey(context, minted.data);
    stageName(context, name, { rolling: key.id });
    const claim = stageClaim(context, 'device_key', id, key.id, minted.secret);
    stageEvent(context, context.view, 'device', id, 'key_rolled', { key_id: key.id, previous_key_id: previous }, id);
    return {
      ...rolled,
      key_id: key.id,
      claim_url: `/api/v1/devices/${id}/key-claims/${claim.id}`,
      claim_expires_at: claim.expires_at,
    };
  },

  async devices_key_claim({ id, claim_id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { of: key_id, secret } = await takeClaim(context, 'device_key', id, claim_id);
    const name = await requireName(context, device);
    const key = await context.node.get<KeyData>('local', key_id);
    if (key === undefined) throw new Error(`the claim names the key ${key_id}, which does not exist`);
    const old = name.data.key_id;
    const before = old === null ? undefined : await context.node.get<KeyData>('local', old);
    let until: string | null = null;
    if (before !== undefined && before.data.revoked_at === null) {
      const day = new Date(Date.parse(context.now) + DAY_MS).toISOString();
      until = before.data.expires_at !== null && before.data.expires_at < day ? before.data.expires_at : day;
      stageKeyChange(context, before, { expires_at: until });
    }
    stageName(context, name, { key_id, rolling: null });
    stageEvent(context, context.view, 'device', id, 'updated', { fields: ['credential'], key_id }, id);
    return {
      object: 'device_key',
      device_id: id,
      key: secret,
      key_id,
      shown_once: true,
      expires_at: key.data.expires_at,
      previous: { key_id: old, expires_at: until },
    };
  },

  async devices_key_revoke({ id, reason }, context) {
    const { view } = context;
    const device = await requireRecord<DeviceData>(view, 'device', id);
    const name = await requireName(context, device);
    const key_ids = await revokeKeys(context, id);
    const access_key_ids = await revokePairs(context, id);
    if (key_ids.length + access_key_ids.length === 0) throw notProvisioned();
    stageName(context, name, { key_id: null, rolling: null, revoked_at: context.now });
    const eventData = { key_ids, access_key_ids, ...(reason === undefined ? {} : { reason }) };
    stageEvent(context, view, 'device', id, 'key_revoked', eventData, id);
    const live = await view.get<DeviceLive>('live', id);
    if (live !== undefined) {
      const data: DeviceLive = { ...live.data, status: 'unassigned', status_reported_at: context.now };
      view.stage({ collection: 'live', id, object: 'device', data, current: live });
    }
    // The live state in memory changes only after the commit. So set the new status in the answer here.
    return { ...(await oneDevice(context, device)), status: 'unassigned', status_color: 'gray' };
  },
});
