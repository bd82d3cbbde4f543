/**
 * Authenticates callers by their keys. A key is `wk_`, `pat_` or `dk_`, 8 characters that find it in the store, `_`, and 43 characters of
 * secret. The store has the SHA-256 hash only; a slow hash is not needed for 256 random bits. A revoked key is refused from the commit
 * that revokes it on.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { OperationError } from '#contract/base/errors.ts';
import { type Change, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { TRANSCRIPT } from '#contract/scopes.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { Store } from '#store/open-store.ts';

/** A caller, without the server and the address that it used. */
export type Principal = Omit<Caller, 'door' | 'address' | 'base_url'>;

export interface Auth extends Disposable {
  /**
   * The caller behind an Authorization header, from this address; throws `authentication_required`, `credential_invalid`,
   * `claim_required`, or `permission_denied` where the key does not work from there.
   */
  authenticate(authorization: string | undefined, address?: string): Promise<Principal>;
  /** The device behind an MQTT user name and password; undefined when they do not fit together. The control token fits every device. */
  authenticateDevice(device_id: string, password: string | Uint8Array): Promise<DeviceIdentity | undefined>;
  /** Calls back after any key changed, so that open streams can look again; returns the unsubscribe. */
  watch(listener: () => void): () => void;
}

/** The caller of operations that need no key. */
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

const KINDS = { wk: 'workspace', pat: 'personal', dk: 'device' } as const;
const SHAPE = /^(wk|pat|dk)_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;
const CACHED = 1_000;
/** How often a key is looked up while keys change. The result of the last look-up is used once and not cached. */
const LOOKS = 3;
/** Keys with the same prefix that are compared. Two keys share a prefix by chance once in 10^14. */
const SAME_PREFIX = 8;
/** The time of last use of a key is stored at most this often, in ms. */
const USE_NOTED_MS = 10 * 60_000;

const NO_DEVICE = { device: null, device_project: null } as const;

/** A key that was looked up. */
interface Known {
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Null: the key works from every address. */
  readonly allowed: BlockList | null;
}

/** When a key ends by itself. */
function endOf({ expires_at }: KeyData): number {
  return expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
}

function isWithin(list: BlockList, address: string | undefined): boolean {
  const [plain = ''] = (address ?? '').split('%'); // RFC 4007 11: a zone says which link, not which address
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

function blockList(cidrs: readonly string[] | null): BlockList | null {
  if (cidrs === null) return null;
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits = '0'] = cidr.split('/');
    list.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** True for a change after which a key may be good for something else: of the key, or of a device that is or was in quarantine. */
function movesKeys({ collection, document: { object, data } }: Change): boolean {
  return collection === 'local' ? object === 'key' : object === 'device' && data.quarantine !== undefined;
}

/** Authentication over the keys in the store; `controlToken` is what the command on this machine holds. */
export function createAuth(options: { store: Store; clock: () => number; controlToken: string }): Auth {
  const { store, clock } = options;
  const control = sha256(options.controlToken);
  const { findKey, holderOf, deviceProject } = createKeyLookup(store, clock);
  /** Keys that were looked up, by the hash of the whole key; cleared whenever any key changes. */
  const cache = new Map<string, Known>();
  /** When the time of last use of a key was stored; bounded like the cache. */
  const noted = new Map<string, number>();
  const listeners = new Set<() => void>();
  let generation = 0;
  let claimed = false;

  const unwatch = store.changes((changes) => {
    if (!changes.some(movesKeys)) return;
    generation++;
    cache.clear();
    for (const listener of listeners) listener();
  });

  /** Looks a key up, and again when any key changed during the look-up. `sure` is false if keys changed during the last look-up, too. */
  async function lookUp(token: string): Promise<{ readonly known: Known | undefined; readonly sure: boolean }> {
    for (let look = 1; ; look++) {
      const before = generation;
      const key = await findKey(token);
      const known = key && (await holderOf(key));
      const sure = before === generation;
      if (sure || look === LOOKS) return { known, sure };
    }
  }

  /** Stores the time of last use of a key, in the background and at most every ten minutes. */
  function noteUse(id: string): void {
    const now = clock();
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_MS) return;
    if (noted.size === CACHED) noted.delete(noted.keys().next().value as string);
    noted.set(id, now);
    const data = { last_used_at: new Date(now).toISOString() };
    const write = { project_id: NODE_PROJECT, collection: 'local', id: `use_${id}`, object: 'key_use', data } as const;
    // A failed write does not fail the call; the next call stores the time.
    store.commit([write]).catch(() => noted.delete(id));
  }

  /** The device that a replay on this machine sends as. The replay needs no device key, so the key of the real device stays valid. */
  async function deviceNamed(device_id: string): Promise<DeviceIdentity | undefined> {
    const where = { 'data.device_id': device_id };
    const [record] = await store.find<DeviceData>('records', { object: 'device', where, limit: 1 });
    if (record === undefined || record.data.quarantine != null) return undefined;
    return { device: record.id, device_id, project_id: record.project_id };
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

  function admit({ principal, allowed }: Known, address: string | undefined): Principal {
    if (allowed !== null && !isWithin(allowed, address))
      throw new OperationError('permission_denied', 'This key does not work from this address.');
    if (principal.kind !== 'device') noteUse(principal.id ?? '');
    return principal;
  }

  return {
    async authenticate(authorization, address) {
      const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]; // RFC 6750 2.1
      if (token === undefined) return refuse(false);
      if (isControl(token)) return CONTROL;
      const digest = sha256(token);
      const id = digest.toString('base64');
      const cached = cache.get(id);
      if (cached !== undefined && cached.until > clock()) return admit(cached, address);
      const { known, sure } = await lookUp(token);
      if (known === undefined) return refuse(true);
      if (sure) {
        if (cache.size === CACHED) cache.delete(cache.keys().next().value as string);
        cache.set(id, known);
      }
      return admit(known, address);
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

/** Finds keys in the store, and who holds them. */
function createKeyLookup(store: Store, clock: () => number) {
  const nothing = Buffer.alloc(32);

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
    // An unknown key costs one comparison too, so that the response time does not reveal which prefixes exist.
    if (candidates.length === 0) timingSafeEqual(digest, nothing);
    return found !== undefined && found.data.kind === KINDS[kind as keyof typeof KINDS] && isGood(found.data)
      ? found
      : undefined;
  }

  function isGood(key: KeyData): boolean {
    return key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > clock());
  }

  async function deviceProject(key: Stored<KeyData>): Promise<string | undefined> {
    const { device, project_ids } = key.data;
    if (device === null) return undefined;
    const project = project_ids?.[0] ?? key.project_id;
    const record = await store.view(project).get<DeviceData>('records', device);
    // The key of a device in quarantine is treated as unknown.
    return record?.object === 'device' && record.data.quarantine == null ? project : undefined;
  }

  /** The holder of a key and the end of its validity. A personal token is valid as long as the key that issued it. */
  async function holderOf(key: Stored<KeyData>): Promise<Known | undefined> {
    const { kind, name, role, project_ids, device, parent } = key.data;
    const until = endOf(key.data);
    if (kind === 'workspace') {
      const { scopes = null, allowed_cidrs = null } = key.data;
      const own = { kind, id: key.id, name, role, project_ids, scopes, allowed_cidrs };
      return { principal: { ...own, ...NO_DEVICE }, until, allowed: blockList(allowed_cidrs) };
    }
    if (kind === 'personal') {
      const behind = parent == null ? undefined : await store.node.get<KeyData>('local', parent);
      if (behind?.object !== 'key' || !isGood(behind.data)) return undefined;
      const { data } = behind;
      const scopes = (key.data.scopes ?? []).filter((scope) => scope === TRANSCRIPT);
      const own = { kind, id: key.id, name, role: data.role, project_ids: data.project_ids, scopes };
      const allowed = blockList(data.allowed_cidrs ?? null);
      return { principal: { ...own, ...NO_DEVICE }, until: Math.min(until, endOf(data)), allowed };
    }
    const project = await deviceProject(key);
    if (project === undefined) return undefined;
    const own = { kind, id: key.id, name, role: 'device' as const, project_ids: [project] };
    return { principal: { ...own, device, device_project: project }, until, allowed: null };
  }

  return { findKey, holderOf, deviceProject };
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function sameHash(hex: string, digest: Buffer): boolean {
  const known = Buffer.from(hex, 'hex');
  return known.length === digest.length && timingSafeEqual(known, digest);
}
