import { StoreError } from '#contract/base/store-error.ts';
import { type Stored, WriteConflict } from '#contract/base/view.ts';
import type { ShareData } from '#contract/site/display.ts';
import type { Feed, FeedListener } from '#contract/site/live.ts';
import type { Store } from '#store/open-store.ts';

/** Milliseconds between two writes of `last_seen_at` of a display link that a screen uses. */
const SEEN_MS = 60_000;

interface ShareClient {
  readonly share_id: string;
  readonly project_id: string;
  readonly token_hash: string;
  /** Time at which the link expires, in milliseconds since 1970. */
  readonly expires_ms: number;
  readonly listener: FeedListener;
  end(): void;
}

/**
 * The screens that receive a feed (the content of a board) through a display link, which needs no login. The gateway disconnects them when
 * the link is revoked, paused or replaced, or when it expires.
 */
export class ShareClients {
  private readonly store: Pick<Store, 'view' | 'commit'>;
  private readonly clock: () => number;
  private readonly clients = new Set<ShareClient>();
  /** Time of the last write of `last_seen_at`, by link. */
  private readonly seenAt = new Map<string, number>();

  constructor(store: Pick<Store, 'view' | 'commit'>, clock: () => number) {
    this.store = store;
    this.clock = clock;
  }

  /** Subscribes a client to a feed through a link; returns the unsubscribe function. */
  subscribe(feed: Feed, share: Stored<ShareData>, listener: FeedListener): () => void {
    const { expires_at, token_hash } = share.data;
    const unsubscribe = feed.subscribe(listener);
    const client: ShareClient = {
      share_id: share.id,
      project_id: share.project_id,
      token_hash,
      expires_ms: expires_at == null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
      listener,
      end: () => {
        this.clients.delete(client);
        unsubscribe();
      },
    };
    this.clients.add(client);
    return () => client.end();
  }

  /** Disconnects the clients of a link that was deleted, is no longer active, or has another token now. */
  linkChanged({ id, data }: Stored<ShareData>, deleted: boolean): void {
    for (const client of [...this.clients]) {
      if (client.share_id !== id) continue;
      const active = !deleted && data.status === 'active';
      if (active && data.token_hash === client.token_hash) continue;
      client.end();
      client.listener({ name: 'gone', data: { reason: active ? 'replaced' : deleted ? 'deleted' : data.status } });
    }
  }

  /** Disconnects the clients of expired links. */
  endExpired(): void {
    for (const client of [...this.clients]) {
      if (client.expires_ms > this.clock()) continue;
      client.end();
      client.listener({ name: 'gone', data: { reason: 'expired' } });
    }
  }

  /** Writes `last_seen_at` of each link that has clients, but at most once a minute for each link. Returns the writes that it started. */
  noteSeen(): Promise<void>[] {
    const writes: Promise<void>[] = [];
    for (const { share_id, project_id } of this.clients)
      if (this.clock() - (this.seenAt.get(share_id) ?? Number.NEGATIVE_INFINITY) >= SEEN_MS)
        writes.push(this.writeSeen(project_id, share_id));
    for (const id of this.seenAt.keys())
      if (![...this.clients].some(({ share_id }) => share_id === id)) this.seenAt.delete(id);
    return writes;
  }

  private async writeSeen(project_id: string, id: string): Promise<void> {
    this.seenAt.set(id, this.clock());
    const share = await this.store.view(project_id).get<ShareData>('local', id);
    if (share === undefined) return;
    const data: ShareData = { ...share.data, last_seen_at: new Date(this.clock()).toISOString() };
    const { object, revision: expected } = share;
    try {
      await this.store.commit([{ collection: 'local', project_id, id, object, data: { ...data }, expected }]);
    } catch (error) {
      // The link changed at the same time, or the disk refuses writes. The gateway tries again in a minute.
      if (!(error instanceof WriteConflict || error instanceof StoreError)) throw error;
    }
  }
}
