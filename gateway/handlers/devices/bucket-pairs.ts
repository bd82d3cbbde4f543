/**
 * Key pairs (access key id and secret) of a device for the bucket, the S3 service of the gateway. A roll replaces the pair by a new one. A
 * heartbeat is the file `device.json`, which a logger uploads regularly.
 *
 *   created ──▶ current ── roll ──▶ previous, valid during the overlap ── end time, or heartbeat with the new pair ──▶ ended
 *                   └──────────────── revoke: both end at once ───────────────────┘
 *
 * Invariants: at most two pairs are valid. Configuration files contain the current pair. The pair that the logger used last stays valid
 * until its end time, even if a person rolls the pair several times. When a pair ends, its secret is deleted but its access key id stays,
 * so that a refused request with that id can be attributed to the device.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { DeviceNameData } from '#contract/base/names.ts';
import { NODE_PROJECT, type Stored, type Write } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { type BucketDevice, type HmacData, type HmacUse, useId } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { deviceNameId } from '#handlers/base/names.ts';
import type { Store } from '#store/open-store.ts';
import { stageProvisioned } from './device-status.ts';

const PAGE = 200;

type Pair = Stored<HmacData>;

/** The pairs of a device: the current one, which configurations contain, and the previous one. */
interface Pairs {
  readonly current: Pair | undefined;
  readonly before: Pair | undefined;
}

const currentId = (device: string) => `hmac_${device}`;
const beforeId = (device: string) => `hmac_before_${device}`;

/** Makes an access key id of 20 characters that every S3 client accepts. */
function accessKeyId(context: HandlerContext): string {
  return `HF${context.sha256(context.secret(16)).slice(0, 18).toUpperCase()}`;
}

/** Returns true if the pair is valid at the time `now_ms`. */
export function pairWorks({ sealed, ends_ms }: HmacData, now_ms: number): boolean {
  return sealed !== '' && (ends_ms ?? Number.POSITIVE_INFINITY) > now_ms;
}

/** Returns the stored form of an ended pair. */
function ended(data: HmacData, now: string): HmacData {
  return { ...data, sealed: '', ends_ms: null, ended_at: now };
}

/** Reads the pairs of a device. */
export async function pairsOf(read: Pick<HandlerContext['node'], 'get'>, device: string): Promise<Pairs> {
  return {
    current: await read.get<HmacData>('local', currentId(device)),
    before: await read.get<HmacData>('local', beforeId(device)),
  };
}

function stageNew(context: HandlerContext, device: Stored<DeviceData>, current: Pair | undefined): Pair {
  const access_key_id = accessKeyId(context);
  const data: HmacData = {
    device: device.id,
    device_id: device.data.device_id,
    project_id: device.project_id,
    access_key_id,
    // Bind the sealed (encrypted) secret to the access key id, not to the id of the record, because a roll moves the pair to another
    // record.
    sealed: context.sealer.seal(context.secret(30), access_key_id),
    made_at: context.now,
  };
  const id = currentId(device.id);
  const write = { collection: 'local', id, object: 'hmac_credential', data, current } as const;
  return context.node.stage<HmacData>({ ...write, expected: current?.revision ?? 0 });
}

/**
 * Stages (adds to the commit of this call) the status `provisioned`, and removes the mark that all credentials of the device were revoked.
 */
async function stageCredential(context: HandlerContext, device: Stored<DeviceData>): Promise<void> {
  await stageProvisioned(context, device.id);
  const id = deviceNameId(context, device.data.device_id);
  const name = await context.node.get<DeviceNameData>('local', id);
  if (name?.data.revoked_at == null) return;
  context.node.stage<DeviceNameData>({
    collection: 'local',
    id,
    object: 'device_name',
    data: { ...name.data, revoked_at: null },
    current: name,
    expected: name.revision,
  });
}

/** Returns the devices among these that have a valid key pair. */
export async function devicesWithPair(context: HandlerContext, devices: readonly string[]): Promise<Set<string>> {
  if (devices.length === 0) return new Set();
  const pairs = await context.node.getMany<HmacData>('local', devices.map(currentId));
  const now = Date.parse(context.now);
  return new Set(pairs.filter(({ data }) => pairWorks(data, now)).map(({ data }) => data.device));
}

/** Returns the current pair of the device with its secret. Creates the pair at first use. */
export async function keyPair(
  context: HandlerContext,
  device: Stored<DeviceData>,
): Promise<{ data: HmacData; secret: string }> {
  let { current } = await pairsOf(context.node, device.id);
  if (current === undefined) {
    current = stageNew(context, device, undefined);
    const { access_key_id } = current.data;
    stageEvent(context, context.view, 'device', device.id, 'provisioned', { access_key_id }, device.id);
    await stageCredential(context, device);
  }
  const secret = context.sealer.tryOpen(current.data.sealed, current.data.access_key_id);
  if (secret === undefined)
    throw new OperationError(
      'secret_lost',
      'The gateway was restored without its key and cannot decrypt the secret of this key pair. Enter the recovery code (`headframe recovery-code --enter`), or roll the key pair.',
    );
  return { data: current.data, secret };
}

const both = ({ current, before }: Pairs) => [current, before].filter((one) => one !== undefined);

/** Returns the documents with the last use of each pair, by access key id. */
export async function usesOf(context: HandlerContext, pairs: Pairs): Promise<Map<string, Stored<HmacUse>>> {
  const notes = await context.node.getMany<HmacUse>(
    'local',
    both(pairs).map(({ data }) => useId(data.access_key_id)),
  );
  return new Map(notes.map((note) => [note.data.access_key_id, note]));
}

/**
 * Returns the pair that stays valid after a roll. If two pairs are valid, this is the pair that the logger used last; otherwise it is the
 * current pair.
 */
function toKeep(
  { current, before }: Pairs,
  uses: ReadonlyMap<string, Stored<HmacUse>>,
  now_ms: number,
): Pair | undefined {
  if (current === undefined || before === undefined || !pairWorks(before.data, now_ms)) return current;
  const used = (pair: Pair) => uses.get(pair.data.access_key_id)?.data.last_used_at ?? '';
  return used(current) === '' || used(before) > used(current) ? before : current;
}

/** Stages the deletion of a document that belongs to the gateway and not to a project. */
function stageGone(context: HandlerContext, current: Stored<object>): void {
  context.node.stage({ ...current, collection: 'local', current, expected: current.revision, deleted: true });
}

/** Stages a new pair. If the logger uses a pair at the moment, that pair stays valid for the overlap. */
export async function stageRoll(
  context: HandlerContext,
  device: Stored<DeviceData>,
  pairs: Pairs,
  ends_ms: number,
): Promise<{ readonly made: Pair; readonly kept: Pair | undefined }> {
  const { current, before } = pairs;
  const uses = await usesOf(context, pairs);
  const kept = toKeep(pairs, uses, Date.parse(context.now));
  const made = stageNew(context, device, current);
  if (kept === undefined) return { made, kept };
  for (const [access_key_id, note] of uses) if (access_key_id !== kept.data.access_key_id) stageGone(context, note);
  context.node.stage<HmacData>({
    collection: 'local',
    id: beforeId(device.id),
    object: 'hmac_credential',
    data: { ...kept.data, ends_ms },
    current: before,
    expected: before?.revision ?? 0,
  });
  return { made, kept };
}

/** Stages the end of all pairs of a device. Returns the access key ids of the pairs that were valid. */
export async function revokePairs(context: HandlerContext, device: string): Promise<string[]> {
  const pairs = await pairsOf(context.node, device);
  for (const gone of [...both(pairs), ...(await usesOf(context, pairs)).values()]) stageGone(context, gone);
  const worked = both(pairs).filter(({ data }) => pairWorks(data, Date.parse(context.now)));
  return worked.map(({ data }) => data.access_key_id);
}

/** Returns the write that ends the previous pair after the device has used the current one; undefined if there is no previous pair. */
export async function endBefore(
  store: Pick<Store, 'node'>,
  device: BucketDevice,
  now: string,
): Promise<{ readonly write: Write & { readonly project_id: string }; readonly access_key_id: string } | undefined> {
  const { current, before } = await pairsOf(store.node, device.device);
  if (current?.data.access_key_id !== device.access_key_id) return undefined;
  if (before === undefined || before.data.sealed === '') return undefined;
  const { id, revision, data } = before;
  const write = { collection: 'local', id, object: 'hmac_credential', project_id: NODE_PROJECT } as const;
  return { write: { ...write, data: { ...ended(data, now) }, expected: revision }, access_key_id: data.access_key_id };
}

/** Deletes the secrets of key pairs after their overlap has ended, and returns the number of these pairs. Called every minute. */
export async function sweepPairs(store: Pick<Store, 'node'>, clock: () => number): Promise<number> {
  for (let done = 0; ; ) {
    const where = { 'data.ends_ms': { lt: clock() } };
    const old = await store.node.find<HmacData>('local', { object: 'hmac_credential', where, limit: PAGE });
    const now = new Date(clock()).toISOString();
    await store.node.commit(
      old.map(({ id, data }) => ({
        collection: 'local',
        id,
        object: 'hmac_credential',
        data: { ...ended(data, now) },
      })),
    );
    done += old.length;
    if (old.length < PAGE) return done;
  }
}
