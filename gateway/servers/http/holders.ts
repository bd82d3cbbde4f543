/**
 * Who holds a credential. Sessions and shared tablets have their own rules: both are valid only as long as the user or the tablet allows it.
 */
import type { BlockList } from 'node:net';
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';
import type { KeyData } from '#contract/site/node.ts';
import { mayUseTablet, type TabletData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import type { Store } from '#store/open-store.ts';

/**
 * The person, agent or device to which a key belongs. A `Principal` has the fields of a `Caller`, except the fields that differ from
 * request to request: the interface (`door`: REST, MCP and so on), the address and the base URL.
 */
export type Principal = Omit<Caller, 'door' | 'address' | 'base_url'>;

/** The fields of a principal that is not a device. */
export const NO_DEVICE = { device: null, device_project: null } as const;

/** A valid key that a look-up found in the store. */
export interface Known {
  readonly principal: Principal;
  /** Id of the key or session, under which the time of its last use is stored. */
  readonly key: string;
  /** The clock by which the key ends. */
  readonly time: () => number;
  /** For a session: it ends when it was not used for `idle_ms` since `used_ms`. Null for a key. */
  readonly use: { used_ms: number; readonly idle_ms: number } | null;
  /** End of the validity in milliseconds since 1970. */
  readonly until: number;
  /** Addresses from which the key may be used; null for all. */
  readonly allowed: BlockList | null;
}

/** Returns the time at which a key expires, in milliseconds since 1970; infinity if it does not expire. */
export function endOf({ expires_at }: Pick<KeyData, 'expires_at'>): number {
  return expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
}

/**
 * Creates the functions that find who holds the credential of a browser: the person of a session, or a tablet. `activeUser` returns a user who
 * may sign in.
 */
export function createBrowserLookup(
  store: Store,
  accessTime: () => number,
  activeUser: (id: string | null | undefined) => Promise<UserData | undefined>,
) {
  /** Returns the tablet with this id. */
  async function tabletWith(id: string): Promise<TabletData | undefined> {
    const tablet = await store.node.get<TabletData>('local', id);
    return tablet?.object === 'tablet' ? tablet.data : undefined;
  }

  /** Returns the principal of a tablet on which nobody is signed in. Throws `tablet_revoked`. */
  async function holderOfTablet(key: Stored<KeyData>): Promise<Known | undefined> {
    const id = key.data.parent ?? '';
    const tablet = await tabletWith(id);
    if (tablet === undefined) return undefined;
    const { name, project_id, revoked_at } = tablet;
    if (revoked_at !== null)
      throw new OperationError(
        'tablet_revoked',
        say('An admin revoked the tablet {name}. To use it again, ask an admin to enrol it with a new QR code.', {
          name,
        }),
        { details: [{ name, revoked_at }] },
      );
    const own = { kind: 'tablet', id, name, role: 'tablet', project_ids: [project_id], ...NO_DEVICE } as const;
    return { principal: own, key: key.id, time: accessTime, use: null, until: endOf(key.data), allowed: null };
  }

  /** Returns the person of a session; undefined if the person may not use it any more. */
  async function holderOfSession(key: Stored<KeyData>): Promise<Known | undefined> {
    const { parent, idle_ms = 0, tablet: on } = key.data;
    const user = await activeUser(parent);
    if (user === undefined) return undefined;
    const tablet = on === undefined ? undefined : await tabletWith(on);
    if (on !== undefined && (tablet === undefined || !mayUseTablet(tablet, { id: parent ?? '', ...user })))
      return undefined;
    const note = await store.node.get<{ last_used_at: string }>('local', `use_${key.id}`);
    const used_ms = Date.parse(note?.data.last_used_at ?? key.data.began_at ?? key.created_at);
    const { name, role } = user;
    const project_ids = tablet === undefined ? user.project_ids : [tablet.project_id];
    const own = { kind: 'user', id: parent ?? '', name, role, project_ids, session: key.id } as const;
    return {
      principal: { ...own, ...NO_DEVICE, ...(on !== undefined && { tablet: on }) },
      key: key.id,
      time: accessTime,
      use: { used_ms, idle_ms },
      until: Math.min(endOf(key.data), endOf({ expires_at: user.ends_at })),
      allowed: null,
    };
  }

  return { holderOfSession, holderOfTablet };
}
