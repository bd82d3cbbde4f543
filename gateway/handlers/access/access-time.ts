/** The time by which sessions and invitations end. The store keeps the latest time, so that the time does not go back at a restart. */
import type { KeyData } from '#contract/site/node.ts';
import type { InvitationData } from '#contract/site/user.ts';
import type { Store } from '#store/open-store.ts';

const ID = 'access_time';
/** The store gets the time at most once in this many milliseconds, and only while there is a session or an invitation. */
const KEPT_MS = 300_000;
/** A session that the gateway used in the last ten minutes may have an older time of use in the store. */
const USE_NOTED_MS = 10 * 60_000;
const PAGE = 500;

interface AccessTime {
  latest_ms: number;
}

/** Returns the latest time in the store, in milliseconds since 1970; 0 if there is none. */
export async function latestAccess(store: Pick<Store, 'node'>): Promise<number> {
  return (await store.node.get<AccessTime>('local', ID))?.data.latest_ms ?? 0;
}

/** Creates the sweep that deletes ended sessions and invitations, and stores the time. */
export function createAccessSweep({ store, now }: { store: Store; now: () => number }): () => Promise<void> {
  let kept = 0;

  /** Returns the documents of one kind that have ended, page by page, and whether others are left. */
  async function sweep<T extends { expires_at: string | null }>(
    object: 'key' | 'invitation',
    where: Record<string, string>,
    idle: (documents: readonly { id: string; created_at: string; data: T }[]) => Promise<ReadonlySet<string>>,
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
      const unused = await idle(page);
      const ended = page.filter(({ id, data }) => unused.has(id) || Date.parse(data.expires_at ?? '') <= now());
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

  /** Returns the sessions that were not used for their idle time. */
  async function unused(sessions: readonly { id: string; created_at: string; data: KeyData }[]): Promise<Set<string>> {
    const notes = await store.node.getMany<{ last_used_at: string }>(
      'local',
      sessions.map(({ id }) => `use_${id}`),
    );
    const uses = new Map(notes.map(({ id, data }) => [id.slice('use_'.length), data.last_used_at]));
    return new Set(
      sessions
        .filter(({ id, created_at, data }) => {
          const used = Date.parse(uses.get(id) ?? created_at);
          return used + USE_NOTED_MS + (data.idle_ms ?? 0) <= now();
        })
        .map(({ id }) => id),
    );
  }

  return async () => {
    const sessions = await sweep<KeyData>('key', { 'data.kind': 'session' }, unused);
    const invitations = await sweep<InvitationData>('invitation', {}, async () => new Set());
    if ((!sessions && !invitations) || now() - kept < KEPT_MS) return;
    kept = now();
    const data = { latest_ms: kept };
    await store.node.commit([{ collection: 'local', id: ID, object: 'access_time', data }]);
  };
}
