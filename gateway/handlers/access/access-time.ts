/** The time by which sessions, invitations and the links of tablets end. The store keeps the latest time, so that the time does not go back at a restart. */
import type { Stored } from '#contract/base/view.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { TabletData, TabletLinkData } from '#contract/site/tablet.ts';
import type { InvitationData } from '#contract/site/user.ts';
import type { Store } from '#store/open-store.ts';

const ID = 'access_time';
/** The store gets the time at most once in this many milliseconds, and only while there is a session or an invitation. */
const KEPT_MS = 300_000;
/** A session that the gateway used in the last ten minutes may have an older time of use in the store. */
const USE_NOTED_MS = 10 * 60_000;
/** A revoked tablet shows the reason for this time. */
const REVOKED_MS = 30 * 86_400_000;
const PAGE = 500;

type Document<T> = Pick<Stored<T>, 'id' | 'created_at' | 'data'>;

interface AccessTime {
  latest_ms: number;
}

/** Returns the latest time in the store, in milliseconds since 1970; 0 if there is none. */
export async function latestAccess(store: Pick<Store, 'node'>): Promise<number> {
  return (await store.node.get<AccessTime>('local', ID))?.data.latest_ms ?? 0;
}

/** Creates the sweep that deletes ended sessions, invitations and links of tablets, and tablets that were revoked long ago. It stores the time. */
export function createAccessSweep({
  store,
  now,
}: {
  store: Pick<Store, 'node'>;
  now: () => number;
}): () => Promise<void> {
  let kept = 0;

  /** Deletes the documents of one kind that have ended, page by page. Returns true if others are left. */
  async function sweep<T extends { expires_at: string | null } | { revoked_at: string | null }>(
    object: 'key' | 'invitation' | 'tablet_link' | 'tablet',
    where: Record<string, string>,
    endedOf: (documents: readonly Document<T>[]) => Promise<ReadonlySet<string>> | ReadonlySet<string>,
  ): Promise<boolean> {
    let after: { created_at: string; id: string } | undefined;
    let isLeft = false;
    for (;;) {
      const page = await store.node.find<T>('local', {
        object,
        where,
        order: 'asc',
        limit: PAGE,
        ...(after && { after }),
      });
      const ids = await endedOf(page);
      const ended = page.filter(({ id }) => ids.has(id));
      if (ended.length < page.length) isLeft = true;
      if (ended.length > 0)
        await store.node.commit(
          ended.map(({ id, data }) => ({ collection: 'local', id, object, data: { ...data }, deleted: true })),
        );
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return isLeft;
      after = { created_at: last.created_at, id: last.id };
    }
  }

  /** Returns the documents whose end is over. */
  function expired(documents: readonly Document<{ expires_at: string | null }>[]): Set<string> {
    const ended = documents.filter(({ data }) => Date.parse(data.expires_at ?? '') <= now());
    return new Set(ended.map(({ id }) => id));
  }

  /** Returns the tablets that were revoked long ago, with their credentials. */
  async function revokedTablets(tablets: readonly Document<TabletData>[]): Promise<Set<string>> {
    const old = tablets.filter(({ data }) => Date.parse(data.revoked_at ?? '') + REVOKED_MS <= now());
    const keys = await store.node.getMany<KeyData>(
      'local',
      old.flatMap(({ data }) => data.key ?? []),
    );
    if (keys.length > 0)
      await store.node.commit(
        keys.map(({ id, data }) => ({ collection: 'local', id, object: 'key', data: { ...data }, deleted: true })),
      );
    return new Set(old.map(({ id }) => id));
  }

  /** Returns the sessions that have ended or were not used for their idle time. */
  async function endedSessions(sessions: readonly Document<KeyData>[]): Promise<Set<string>> {
    const notes = await store.node.getMany<{ last_used_at: string }>(
      'local',
      sessions.map(({ id }) => `use_${id}`),
    );
    const uses = new Map(notes.map(({ id, data }) => [id.slice('use_'.length), data.last_used_at]));
    const unused = sessions.filter(({ id, created_at, data }) => {
      const used = Date.parse(uses.get(id) ?? data.began_at ?? created_at);
      return used + USE_NOTED_MS + (data.idle_ms ?? 0) <= now();
    });
    return new Set([...expired(sessions), ...unused.map(({ id }) => id)]);
  }

  return async () => {
    const sessions = await sweep<KeyData>('key', { 'data.kind': 'session' }, endedSessions);
    const invitations = await sweep<InvitationData>('invitation', {}, expired);
    const links = await sweep<TabletLinkData>('tablet_link', {}, expired);
    await sweep<TabletData>('tablet', {}, revokedTablets);
    if ((!sessions && !invitations && !links) || now() - kept < KEPT_MS) return;
    kept = now();
    const data = { latest_ms: kept };
    await store.node.commit([{ collection: 'local', id: ID, object: 'access_time', data }]);
  };
}
