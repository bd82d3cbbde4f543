import { StoreError } from '#contract/base/store-error.ts';
import { type Stored, WriteConflict } from '#contract/base/view.ts';
import type { DisplayData, ShareData } from '#contract/site/display.ts';
import type { Feed, FeedListener } from '#contract/site/live.ts';
import type { Store } from '#store/open-store.ts';
import type { ConnectedDisplays } from './connected-displays.ts';

/** A stored document with a token that opens boards: a display link, or a paired display. */
export type BoardLink = Stored<ShareData | DisplayData>;

/**
 * Milliseconds between two writes of `last_seen_at` of a display link that a screen uses. A display that disconnects is also written, but
 * not more often.
 */
const SEEN_MS = 60_000;

interface ShareClient {
  readonly link: BoardLink;
  /** Time at which the link expires, in milliseconds since 1970. */
  readonly expires_ms: number;
  readonly listener: FeedListener;
  end(): void;
}

const isDisplay = ({ object }: { readonly object: string }): boolean => object === 'display';
const targetOf = ({ kind, object_id }: ShareData | DisplayData): string => `${kind} ${object_id}`;

/**
 * The screens that receive a feed (the content of a board) through a display link or as a paired display, without a login. The gateway
 * disconnects them when the link is revoked, paused or replaced, when it expires, and when the display is unpaired. A display that shows
 * something else from now on connects again.
 */
export class ShareClients {
  private readonly store: Pick<Store, 'view' | 'commit'>;
  private readonly clock: () => number;
  private readonly displays: ConnectedDisplays;
  private readonly clients = new Set<ShareClient>();
  /** Displays that have disconnected since the last write of their `last_seen_at`, with their project. */
  private readonly left = new Map<string, string>();
  /** Time of the last write of `last_seen_at`, by link. */
  private readonly seenAt = new Map<string, number>();

  constructor(store: Pick<Store, 'view' | 'commit'>, clock: () => number, displays: ConnectedDisplays) {
    this.store = store;
    this.clock = clock;
    this.displays = displays;
  }

  /** Subscribes a client to a feed through a link; returns the unsubscribe function. */
  subscribe(feed: Feed, link: BoardLink, listener: FeedListener): () => void {
    const expires_at = 'expires_at' in link.data ? link.data.expires_at : null;
    const unsubscribe = feed.subscribe(listener);
    const disconnect = isDisplay(link)
      ? this.displays.connect(link.id, link.data.token_hash, listener)
      : () => undefined;
    const client: ShareClient = {
      link,
      expires_ms: expires_at == null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
      listener,
      end: () => {
        if (!this.clients.delete(client)) return;
        unsubscribe();
        disconnect();
        if (!isDisplay(link)) return;
        this.displays.seen(link.id);
        this.left.set(link.id, link.project_id);
      },
    };
    this.clients.add(client);
    return () => client.end();
  }

  /**
   * Disconnects the clients of a link that was deleted, is no longer active, or has another token now. A client whose display shows another
   * board from now on is told to connect again.
   */
  linkChanged({ id, object, data }: BoardLink, deleted: boolean): void {
    const status = 'status' in data ? data.status : 'active';
    for (const client of [...this.clients]) {
      if (client.link.id !== id) continue;
      const active = !deleted && status === 'active' && data.token_hash === client.link.data.token_hash;
      if (active && targetOf(data) === targetOf(client.link.data)) continue;
      client.end();
      if (active) {
        this.displays.dropReport(id);
        client.listener({ name: 'resync', data: { reason: 'this screen shows something else now' } });
      } else {
        const reason = deleted ? 'deleted' : status === 'active' ? 'replaced' : status;
        client.listener({ name: 'gone', data: { reason } });
      }
    }
    if (!deleted || !isDisplay({ object })) return;
    this.displays.forget(id);
    this.left.delete(id);
  }

  /** Disconnects the clients of expired links. */
  endExpired(): void {
    for (const client of [...this.clients]) {
      if (client.expires_ms > this.clock()) continue;
      client.end();
      client.listener({ name: 'gone', data: { reason: 'expired' } });
    }
  }

  /**
   * Writes `last_seen_at` of each link that has clients, and of each display that has left, but not too often for each. Returns the writes
   * that it started.
   */
  noteSeen(): Promise<void>[] {
    const now = this.clock();
    const writes: Promise<void>[] = [];
    const isDue = (id: string, every_ms: number) => now - (this.seenAt.get(id) ?? Number.NEGATIVE_INFINITY) >= every_ms;
    for (const { link } of this.clients)
      if (isDue(link.id, isDisplay(link) ? this.displays.seenEveryMs : SEEN_MS))
        writes.push(this.writeSeen(link.project_id, link.id, now));
    for (const [id, project_id] of this.left) {
      if (!isDue(id, SEEN_MS)) continue;
      this.left.delete(id);
      writes.push(this.writeSeen(project_id, id, this.displays.heard(id)?.seen_ms ?? now));
    }
    for (const id of this.seenAt.keys())
      if (!this.left.has(id) && isDue(id, SEEN_MS) && ![...this.clients].some(({ link }) => link.id === id))
        this.seenAt.delete(id);
    return writes;
  }

  private async writeSeen(project_id: string, id: string, seen_ms: number): Promise<void> {
    this.seenAt.set(id, this.clock());
    const link = await this.store.view(project_id).get<ShareData | DisplayData>('local', id);
    if (link === undefined) return;
    const data = { ...link.data, last_seen_at: new Date(seen_ms).toISOString() };
    const { object, revision: expected } = link;
    try {
      await this.store.commit([{ collection: 'local', project_id, id, object, data, expected }]);
    } catch (error) {
      // The link changed at the same time, or the disk refuses writes. The gateway tries again later.
      if (!(error instanceof WriteConflict || error instanceof StoreError)) throw error;
    }
  }
}
