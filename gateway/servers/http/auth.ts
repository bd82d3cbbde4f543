/**
 * Authenticates callers by their keys, people by the cookie of their session (`ses_`), and shared tablets by their own cookie (`tab_`).
 * A key consists of `wk_`, `pat_`, `dk_`, `ses_`, `tab_` or `gw_`, a prefix of 8 characters with which the gateway finds
 * the key in the store, `_`, and a secret of 43 characters. The store has only the SHA-256 hash of the key. A slow password hash is not
 * needed, because the secret has 256 random bits. After the commit that revokes a key, every request with that key is refused.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import { type Change, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { TRANSCRIPT } from '#contract/scopes.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { UserData } from '#contract/site/user.ts';
import type { Store } from '#store/open-store.ts';
import { createBrowserLookup, endOf, type Known, NO_DEVICE, type Principal } from './holders.ts';

export interface Auth extends Disposable {
  /**
   * Returns the caller of an Authorization header, of the token of a session (`Session ses_...`) or of a tablet (`Tablet tab_...`). Throws
   * `authentication_required`, `credential_invalid`, `tablet_revoked`, `gateway_replaced` or `claim_required`, and `permission_denied` if the key may not be
   * used from this address.
   */
  authenticate(authorization: string | undefined, address?: string): Promise<Principal>;
  /**
   * Returns the device of an MQTT user name and password; undefined if the password is not a key of that device. The control token (the
   * token of the `headframe` command on this machine) is valid for every device.
   */
  authenticateDevice(device_id: string, password: string | Uint8Array): Promise<DeviceIdentity | undefined>;
  /** Id of this gateway. */
  readonly gateway: string;
  /** Calls `listener` after any key changed, so that open streams can check their key again. Returns the function that unsubscribes. */
  watch(listener: () => void): () => void;
}

/** The `Principal` of a call without a key. */
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

const KINDS = { wk: 'workspace', pat: 'personal', dk: 'device', ses: 'session', tab: 'tablet', gw: 'gateway' } as const;
const SHAPE = /^(wk|pat|dk|ses|tab|gw)_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;
/** The scheme with which a request sends a key of these kinds. All other keys have the scheme Bearer (RFC 6750 2.1). */
const SCHEMES: Readonly<Record<string, string>> = { ses: 'session', tab: 'tablet' };
const CACHED = 1_000;
/**
 * A look-up tries again if a key changes while it reads, up to this number of tries. The gateway uses the result of the last try for one
 * request and does not cache it.
 */
const LOOKS = 3;
/**
 * Largest number of stored keys with the same prefix that a look-up compares. Two keys have the same prefix with a chance of 1 in 10^14.
 */
const SAME_PREFIX = 8;
/** Shortest time in milliseconds between two writes of the time of last use of a key. */
const USE_NOTED_MS = 10 * 60_000;
/** The age in milliseconds up to which a device key counts as new. An answer can show the key for less than half of this time. */
const YOUNG_MS = 3_600_000;

/** Returns true if the key has not ended, and if the session was used recently enough. */
function isLive({ time, until, use }: Known): boolean {
  const now = time();
  return until > now && (use === null || now - use.used_ms < use.idle_ms);
}

function isWithin(list: BlockList, address: string | undefined): boolean {
  const [plain = ''] = (address ?? '').split('%'); // Remove the zone, such as `%eth0`: it names the network link and is no part of the address (RFC 4007 11).
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

/**
 * Returns true for a change that may change what a key allows. Such a change is a change of a key, a session, a user, a tablet, or of a device that is or was
 * in quarantine (locked out by an admin).
 */
function movesKeys({ collection, document: { object, data } }: Change): boolean {
  return collection === 'local'
    ? object === 'key' || object === 'user' || object === 'tablet'
    : object === 'device' && data.quarantine !== undefined;
}

/** Creates the authentication over the keys in the store. The `headframe` command on this machine uses the `controlToken`. */
export function createAuth(options: {
  store: Store;
  clock: () => number;
  /** The time by which sessions end. */
  accessTime: () => number;
  controlToken: string;
}): Auth {
  const { store, clock, accessTime } = options;
  const control = sha256(options.controlToken);
  const { findKey, holderOf, deviceProject } = createKeyLookup(store, clock, accessTime);
  /** Cache of valid keys by the SHA-256 of the whole key; cleared whenever any key changes. */
  const cache = new Map<string, Known>();
  /** For each key, when its time of last use was stored; at most `CACHED` entries. */
  const noted = new Map<string, number>();
  const refuse = createRefusal(store);
  const listeners = new Set<() => void>();
  let generation = 0;

  const unwatch = store.changes((changes) => {
    if (!changes.some(movesKeys)) return;
    generation++;
    cache.clear();
    for (const listener of listeners) listener();
  });

  /** Looks up a key, and tries again if any key changed during the look-up. `sure` is false if a key changed during the last try too. */
  async function lookUp(token: string) {
    for (let look = 1; ; look++) {
      const before = generation;
      const key = await findKey(token);
      const known = key && (await holderOf(key));
      const sure = before === generation;
      if (sure || look === LOOKS) return { key, known, sure };
    }
  }

  /** Stores the time of last use of a key, at most every ten minutes. Only the caller of the first use of a device key waits for it. */
  async function noteUse(id: string, now: number): Promise<void> {
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_MS) return;
    if (noted.size === CACHED) noted.delete(noted.keys().next().value as string);
    noted.set(id, now);
    const data = { last_used_at: new Date(now).toISOString() };
    const write = { project_id: NODE_PROJECT, collection: 'local', id: `use_${id}`, object: 'key_use', data } as const;
    // If this write fails, the call still succeeds, and the next call with this key tries the write again.
    await store.commit([write]).catch(() => noted.delete(id));
  }

  /**
   * Stores the first use of a new device key before the device is admitted, because from then on no answer shows the key again. Later uses
   * are not stored, so that the reconnects of many devices cause no writes.
   */
  async function noteFirstUse({ id, created_at }: Pick<Stored, 'id' | 'created_at'>): Promise<void> {
    const now = clock();
    if (Math.abs(now - Date.parse(created_at)) < YOUNG_MS) await noteUse(id, now);
  }

  /**
   * Returns the device with this `device_id`, for a login with the control token. The command `headframe replay` logs in with this token,
   * because it does not know the key of the device.
   */
  async function deviceNamed(device_id: string): Promise<DeviceIdentity | undefined> {
    const where = { 'data.device_id': device_id };
    const [record] = await store.find<DeviceData>('records', { object: 'device', where, limit: 1 });
    if (record === undefined || record.data.quarantine != null) return undefined;
    return { device: record.id, device_id, project_id: record.project_id };
  }

  const isControl = (text: string) => text.startsWith('ctl_') && timingSafeEqual(sha256(text), control);

  function admit({ principal, key, time, use, allowed }: Known, address: string | undefined): Principal {
    if (allowed !== null && !isWithin(allowed, address))
      throw new OperationError('permission_denied', 'This key may not be used from this address.');
    const now = time();
    if (use !== null) use.used_ms = now;
    if (principal.kind !== 'device') void noteUse(key, now);
    return principal;
  }

  return {
    async authenticate(authorization, address) {
      const [, scheme = '', token] = /^(bearer|session|tablet) +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) return refuse(false);
      if (scheme.toLowerCase() !== (SCHEMES[token.split('_')[0] ?? ''] ?? 'bearer')) return refuse(true);
      if (isControl(token)) return CONTROL;
      const digest = sha256(token);
      const id = digest.toString('base64');
      const cached = cache.get(id);
      if (cached !== undefined && isLive(cached) && store.isCurrent()) return admit(cached, address);
      const { key, known, sure } = await lookUp(token);
      if (known === undefined || !isLive(known)) return refuse(true);
      if (key?.data.kind === 'device') await noteFirstUse(key);
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
      if (project_id !== undefined) await noteFirstUse(key);
      return project_id === undefined ? undefined : { device: key.data.device, device_id, project_id };
    },
    gateway: store.nodeId,
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

/**
 * Creates the function that throws the error for a request without a valid credential; `sent` is true if the request has one. The error
 * says how people sign in on the page: with a passphrase as soon as a user exists. Whether users exist is no secret.
 */
function createRefusal(store: Store): (sent: boolean) => Promise<never> {
  let hasKeys = false;
  let hasUsers = false;
  return async (sent) => {
    hasUsers ||= (await store.find('local', { object: 'user', limit: 1 })).length > 0;
    const where = { 'data.kind': 'workspace' };
    hasKeys ||= hasUsers || (await store.find('local', { object: 'key', where, limit: 1 })).length > 0;
    if (!hasKeys)
      throw new OperationError(
        'claim_required',
        'Nobody owns this gateway yet. Open its address in a browser and enter the claim code that it printed, or run `headframe claim-code`.',
      );
    const more = { details: [{ sign_in: hasUsers ? 'passphrase' : 'key' }] };
    throw sent
      ? new OperationError('credential_invalid', 'This key or session is unknown, revoked or expired.', more)
      : new OperationError('authentication_required', 'Send `Authorization: Bearer <key>`, or sign in.', more);
  };
}

/** The error for the credential of a box whose place another box has. Who sends it was the box, so the answer may say so. */
const gatewayReplaced = ({ revoked_at }: KeyData): OperationError =>
  new OperationError(
    'gateway_replaced',
    say('Another box has taken the place of this one at head office, at {revoked_at}, with a code for this site.', {
      revoked_at: revoked_at ?? '',
    }),
  );

/** Creates the functions that find a key in the store, and the person, agent or device to which it belongs. */
function createKeyLookup(store: Store, clock: () => number, accessTime: () => number) {
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
    // Make one comparison for an unknown key too, so that the response time does not show which prefixes exist.
    if (candidates.length === 0) timingSafeEqual(digest, nothing);
    if (found === undefined || found.data.kind !== KINDS[kind as keyof typeof KINDS]) return undefined;
    if (found.data.kind === 'gateway' && found.data.replaced_by != null) throw gatewayReplaced(found.data);
    return isGood(found.data) ? found : undefined;
  }

  function isGood(key: KeyData): boolean {
    const now = key.kind === 'session' ? accessTime() : clock();
    return key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > now);
  }

  /** Returns the user with this id; undefined if no user has the id or the user may not sign in. */
  async function activeUser(id: string | null | undefined): Promise<UserData | undefined> {
    const user = id == null ? undefined : await store.node.get<UserData>('local', id);
    if (user?.object !== 'user' || user.data.disabled_at !== null) return undefined;
    return endOf({ expires_at: user.data.ends_at }) > accessTime() ? user.data : undefined;
  }

  async function deviceProject(key: Stored<KeyData>): Promise<string | undefined> {
    const { device, project_ids } = key.data;
    if (device === null) return undefined;
    const project = project_ids?.[0] ?? key.project_id;
    const record = await store.view(project).get<DeviceData>('records', device);
    // While a device is in quarantine (locked out by an admin), the gateway refuses its key like an unknown key.
    return record?.object === 'device' && record.data.quarantine == null ? project : undefined;
  }

  const { holderOfSession, holderOfTablet } = createBrowserLookup(store, accessTime, activeUser);

  /** Returns the properties of the key or user that issued a personal token; undefined if it is not valid. */
  async function issuerOf(
    id: string | null | undefined,
  ): Promise<Pick<KeyData, 'role' | 'project_ids' | 'allowed_cidrs' | 'expires_at'> | undefined> {
    const user = await activeUser(id);
    if (user !== undefined) return { ...user, expires_at: user.ends_at };
    const key = id == null ? undefined : await store.node.get<KeyData>('local', id);
    return key?.object === 'key' && key.data.kind === 'workspace' && isGood(key.data) ? key.data : undefined;
  }

  /** Returns the principal of a key and the end of its validity. A personal token is valid only as long as the key or user that issued it. */
  async function holderOf(key: Stored<KeyData>): Promise<Known | undefined> {
    const { kind, name, role, project_ids, device, parent } = key.data;
    if (kind === 'session') return holderOfSession(key);
    if (kind === 'tablet') return holderOfTablet(key);
    const until = endOf(key.data);
    const of = { key: key.id, time: clock, use: null };
    if (kind === 'gateway') {
      const own = { kind, id: parent ?? null, name, role, project_ids } as const;
      return { ...of, principal: { ...own, ...NO_DEVICE }, until, allowed: null };
    }
    if (kind === 'workspace') {
      const { scopes = null, allowed_cidrs = null } = key.data;
      const own = { kind, id: key.id, name, role, project_ids, scopes, allowed_cidrs };
      return { ...of, principal: { ...own, ...NO_DEVICE }, until, allowed: blockList(allowed_cidrs) };
    }
    if (kind === 'personal') {
      const data = await issuerOf(parent);
      if (data === undefined) return undefined;
      const scopes = (key.data.scopes ?? []).filter((scope) => scope === TRANSCRIPT);
      const own = { kind, id: key.id, name, role: data.role, project_ids: data.project_ids, scopes };
      const allowed = blockList(data.allowed_cidrs ?? null);
      return { ...of, principal: { ...own, ...NO_DEVICE }, until: Math.min(until, endOf(data)), allowed };
    }
    const project = await deviceProject(key);
    if (project === undefined) return undefined;
    const own = { kind, id: key.id, name, role: 'device' as const, project_ids: [project] };
    return { ...of, principal: { ...own, device, device_project: project }, until, allowed: null };
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
