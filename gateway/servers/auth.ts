/**
 * Who is calling. Keys are `wk_` or `dk_`, 8 characters that find the key, `_`, 43 characters of secret; only SHA-256 hashes are kept
 * (a secret of 256 random bits needs no slow hash). A revoked key is refused from the commit that revokes it on.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from '#contract/context.ts';
import type { DeviceData } from '#contract/device.ts';
import { OperationError } from '#contract/errors.ts';
import type { DeviceIdentity } from '#contract/ingest.ts';
import type { KeyData } from '#contract/node.ts';
import type { Stored } from '#contract/view.ts';
import type { Store } from '#store/open-store.ts';

/** A caller before it is known through which door it came. */
export type Principal = Omit<Caller, 'door' | 'address' | 'base_url'>;

export interface Auth extends Disposable {
  /** The caller behind an Authorization header; throws `authentication_required`, `credential_invalid` or `claim_required`. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  /** The device behind an MQTT user name and password; undefined when they do not fit together. The control token fits every device. */
  authenticateDevice(device_id: string, password: string | Uint8Array): Promise<DeviceIdentity | undefined>;
  /** Calls back after any key changed, so that open streams can look again; returns the unsubscribe. */
  watch(listener: () => void): () => void;
}

/** Nobody in particular, for operations that are open to all. */
export const OPEN: Principal = {
  kind: 'open',
  id: null,
  name: 'anonymous',
  role: null,
  project_ids: null,
  device: null,
  device_project: null,
};

const CONTROL: Principal = { ...OPEN, kind: 'control', id: 'control', name: 'headframe command', role: 'owner' };

const SHAPE = /^(wk|dk)_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;
const CACHED = 1_000;
/** Keys that may share their first characters before we stop looking: chance makes 2 of them once in 10^14. */
const SAME_PREFIX = 8;

/** Authentication over the keys in the store; `controlToken` is what the command on this machine holds. */
export function createAuth(options: { store: Store; clock: () => number; controlToken: string }): Auth {
  const { store, clock } = options;
  const control = sha256(options.controlToken);
  const nothing = Buffer.alloc(32);
  /** By hash of the whole key; emptied whenever any key changes. */
  const cache = new Map<string, { principal: Principal; until: number }>();
  const listeners = new Set<() => void>();
  let generation = 0;
  let claimed = false;

  const unwatch = store.changes((changes) => {
    if (!changes.some(({ collection, document }) => collection === 'local' && document.object === 'key')) return;
    generation++;
    cache.clear();
    for (const listener of listeners) listener();
  });

  async function findKey(text: string): Promise<Stored<KeyData> | undefined> {
    const [, kind, prefix] = SHAPE.exec(text) ?? [];
    const digest = sha256(text);
    const candidates =
      prefix === undefined
        ? []
        : await store.find<KeyData>('local', {
            object: 'key',
            where: { 'data.prefix': prefix },
            limit: SAME_PREFIX,
          });
    let found: Stored<KeyData> | undefined;
    for (const key of candidates) if (sameHash(key.data.hash, digest)) found = key;
    // Unknown keys cost one comparison too, so that the time does not tell which prefixes exist.
    if (candidates.length === 0) timingSafeEqual(digest, nothing);
    const wanted = kind === 'dk' ? 'device' : 'workspace';
    return found?.data.kind === wanted && isGood(found.data) ? found : undefined;
  }

  function isGood(key: KeyData): boolean {
    return key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > clock());
  }

  async function deviceProject(key: Stored<KeyData>): Promise<string | undefined> {
    const { device, project_ids } = key.data;
    if (device === null) return undefined;
    const project = project_ids?.[0] ?? key.project_id;
    const record = await store.view(project).get<DeviceData>('records', device);
    return record?.object === 'device' ? project : undefined;
  }

  async function principalOf(key: Stored<KeyData>): Promise<Principal | undefined> {
    const { kind, name, role, project_ids, device } = key.data;
    if (kind === 'workspace') return { kind, id: key.id, name, role, project_ids, device: null, device_project: null };
    const project = await deviceProject(key);
    return project === undefined
      ? undefined
      : { kind, id: key.id, name, role: 'device', project_ids: [project], device, device_project: project };
  }

  /** A replay on this machine speaks as a device without its key, so that the real one keeps it. */
  async function deviceNamed(device_id: string): Promise<DeviceIdentity | undefined> {
    const where = { 'data.device_id': device_id };
    const [record] = await store.find<DeviceData>('records', { object: 'device', where, limit: 1 });
    return record && { device: record.id, device_id, project_id: record.project_id };
  }

  const isControl = (text: string) => text.startsWith('ctl_') && timingSafeEqual(sha256(text), control);

  async function isClaimed(): Promise<boolean> {
    claimed ||=
      (await store.find('local', { object: 'key', where: { 'data.kind': 'workspace' }, limit: 1 })).length > 0;
    return claimed;
  }

  async function refuse(sent: boolean): Promise<never> {
    if (!(await isClaimed()))
      throw new OperationError(
        'claim_required',
        'Nobody owns this gateway yet. Open its address in a browser and enter the claim code that it printed, or run `headframe claim-code`.',
      );
    throw sent
      ? new OperationError('credential_invalid', 'This key is unknown, revoked or expired.')
      : new OperationError('authentication_required', 'Send `Authorization: Bearer <key>`.');
  }

  return {
    async authenticate(authorization) {
      const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]; // RFC 6750 2.1
      if (token === undefined) return refuse(false);
      if (isControl(token)) return CONTROL;
      const digest = sha256(token);
      const id = digest.toString('base64');
      const cached = cache.get(id);
      if (cached !== undefined && cached.until > clock()) return cached.principal;
      const before = generation;
      const key = await findKey(token);
      const principal = key && (await principalOf(key));
      if (key === undefined || principal === undefined) return refuse(true);
      // A key that changed while we looked must not be remembered as it was.
      if (before === generation) {
        if (cache.size === CACHED) cache.delete(cache.keys().next().value as string);
        const until = key.data.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.data.expires_at);
        cache.set(id, { principal, until });
      }
      return principal;
    },
    async authenticateDevice(device_id, password) {
      const text = typeof password === 'string' ? password : Buffer.from(password).toString('latin1');
      if (isControl(text)) return deviceNamed(device_id);
      const key = await findKey(text);
      if (key?.data.kind !== 'device' || key.data.device_id !== device_id || key.data.device === null) return undefined;
      const project_id = await deviceProject(key);
      return project_id === undefined ? undefined : { device: key.data.device, device_id, project_id };
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.dispose]() {
      unwatch();
      listeners.clear();
      cache.clear();
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function sameHash(hex: string, digest: Buffer): boolean {
  const known = Buffer.from(hex, 'hex');
  return known.length === digest.length && timingSafeEqual(known, digest);
}
