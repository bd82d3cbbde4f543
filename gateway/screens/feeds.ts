/**
 * The feeds that pages show. A feed sends the content of one playlist, board, machine or shift report to all pages that show it, and the
 * gateway composes this content only once for all of them. It opens with the first page and closes half a minute after the last page has
 * left. A screen that uses a display link (a link that shows boards without a login) is disconnected as soon as a person revokes, pauses or
 * replaces the link.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Kind } from '#contract/base/ids.ts';
import { say } from '#contract/base/told.ts';
import { type Change, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { DisplayData, ShareData } from '#contract/site/display.ts';
import type { DraftBoard, DraftViewer, Feed, FeedSource } from '#contract/site/live.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { isOpen } from '#handlers/boards/display-shares.ts';
import type { ConnectedDisplays } from './connected-displays.ts';
import { draftToEnd, MOST_DRAFTS, MOST_DRAFTS_EACH, type OpenDraft } from './draft-places.ts';
import { type ComposedFeed, type FeedServices, openFeed } from './feed.ts';
import type { FeedObject } from './feed-frame.ts';
import { createProjectFeeds, type ProjectFeedServices } from './project-feed.ts';
import { type BoardLink, ShareClients } from './share-clients.ts';
import { Takeovers } from './takeovers.ts';

/**
 * The largest number of feeds that are open at once. When this number is reached, the feed that has been unused for the longest time is
 * closed. If all feeds are in use, no further feed can be opened.
 */
const MOST_FEEDS = 64;
const IDLE_MS = 30_000;
const SWEEP_MS = 1_000;
/** For this many milliseconds after a caller has got a feed, the feed is not closed, because the caller will subscribe soon. */
const HANDED_OUT_MS = 1_000;
/** The kinds of objects whose records are part of the frame of a feed (the boards, machines, devices and locations that it shows). */
const FRAME_OBJECTS: ReadonlySet<string> = new Set([
  'dashboard',
  'playlist',
  'equipment',
  'device',
  'project',
  'location',
]);

/** The services that the feeds use. `clock` returns milliseconds since 1970. */
export type AllFeedServices = FeedServices & {
  /** Calls the listener with the machines and devices that changed. */
  readonly watch: ProjectFeedServices['watch'];
  readonly live: ProjectFeedServices['live'];
  /** Milliseconds between two checks of all feeds, in which unused feeds are closed. Default: 1,000. */
  readonly sweepMs?: number;
  readonly newId: (kind: Kind) => string;
  readonly displays: ConnectedDisplays;
};

function keyOf({ project_id, kind, object_id }: FeedObject): string {
  return `${project_id}\n${kind}\n${object_id}`;
}

function idleFor({ idle_since_ms }: ComposedFeed, now_ms: number): number {
  return idle_since_ms === null ? -1 : now_ms - idle_since_ms;
}

/** The open feeds, one for each object that pages show. */
class FeedPool {
  readonly takeovers: Takeovers;
  /** Writes that are still running. */
  readonly writes = new Set<Promise<void>>();
  private readonly services: AllFeedServices;
  /** Feeds that are open or being opened. */
  private readonly feeds = new Map<string, Promise<ComposedFeed | undefined>>();
  private readonly opened = new Map<string, ComposedFeed>();
  /** Keys of the feeds of unsaved boards with their holders, the oldest first, and the number of the next one. */
  private readonly drafts = new Map<string, string>();
  private nextDraft = 1;

  constructor(services: AllFeedServices) {
    this.services = services;
    this.takeovers = new Takeovers(services);
  }

  get all(): Iterable<ComposedFeed> {
    return this.opened.values();
  }

  /**
   * Opens the feed of a board that is not stored. Each page has its own, which ends soon after the page has left. A caller with too many
   * loses its oldest one.
   */
  async obtainDraft(project_id: string, draft: DraftBoard, viewer: DraftViewer): Promise<ComposedFeed | undefined> {
    const { holder, mayReadLinks } = viewer;
    const ended = draftToEnd(this.openDrafts(), holder);
    if (ended === undefined)
      throw new OperationError(
        'rate_limited',
        this.openDrafts().some((one) => one.holder === holder)
          ? say(
              'This gateway is opening your previews of unsaved boards, at most {most_drafts_each} at once; wait a second.',
              { most_drafts_each: MOST_DRAFTS_EACH },
            )
          : say('This gateway previews {most_drafts} unsaved boards at once; close one.', { most_drafts: MOST_DRAFTS }),
      );
    if (ended !== null) this.close(ended);
    const object_id = `draft-${this.nextDraft++}`;
    const object: FeedObject = { project_id, kind: 'dashboard', object_id, draft, hidesLinks: !mayReadLinks };
    const key = keyOf(object);
    this.drafts.set(key, holder);
    try {
      return await this.obtain(object);
    } finally {
      if (!this.feeds.has(key)) this.drafts.delete(key);
    }
  }

  private openDrafts(): OpenDraft[] {
    return [...this.drafts].map(([key, holder]) => {
      const feed = this.opened.get(key);
      return { key, holder, isIdle: feed !== undefined && feed.idle_since_ms !== null, mayEnd: feed !== undefined };
    });
  }

  /** Returns the feed of an object, and opens it if necessary; undefined if the object does not exist. */
  obtain(object: FeedObject): Promise<ComposedFeed | undefined> {
    const key = keyOf(object);
    const known = this.feeds.get(key);
    const current = this.opened.get(key);
    if (current?.ended) this.close(key);
    else if (known !== undefined) {
      current?.keep();
      return known;
    }
    this.closeUnused();
    const onTakeover = (alert: Parameters<Takeovers['set']>[2]) => this.track(this.takeovers.set(key, object, alert));
    const opening = openFeed(this.services, object, onTakeover).then(
      (feed) => {
        if (feed === undefined) this.feeds.delete(key);
        else if (this.feeds.get(key) === opening) this.opened.set(key, feed);
        return feed;
      },
      (error: unknown) => {
        this.feeds.delete(key);
        throw error;
      },
    );
    this.feeds.set(key, opening);
    return opening;
  }

  /**
   * Closes ended feeds and feeds that no page has used for half a minute. In the other feeds, it updates the content that changes with
   * time, for example a value that becomes stale.
   */
  sweep(): void {
    for (const [key, feed] of this.opened)
      if (feed.ended || idleFor(feed, this.services.clock()) >= (feed.isDraft ? HANDED_OUT_MS : IDLE_MS))
        this.close(key);
      else feed.sweep();
  }

  track(write: Promise<void>): void {
    this.writes.add(write);
    void write.finally(() => this.writes.delete(write));
  }

  /** Closes all feeds; resolves when their reads and writes have ended. */
  async closeAll(): Promise<void> {
    const settled = [...this.opened.values()].map((feed) => feed.settled());
    this.opened.clear();
    this.feeds.clear();
    this.drafts.clear();
    await Promise.all([...settled, ...this.writes]);
  }

  private close(key: string): void {
    const feed = this.opened.get(key);
    if (feed?.isDraft && !feed.ended) feed.end('replaced');
    this.opened.delete(key);
    this.feeds.delete(key);
    this.drafts.delete(key);
  }

  /** If the limit is reached, closes the feed that was unused for the longest time. Throws if all feeds are in use. */
  private closeUnused(): void {
    if (this.feeds.size < MOST_FEEDS) return;
    const now_ms = this.services.clock();
    const [idle] = [...this.opened].sort(([, a], [, b]) => idleFor(b, now_ms) - idleFor(a, now_ms));
    if (idle === undefined || idleFor(idle[1], now_ms) < HANDED_OUT_MS)
      throw new OperationError(
        'rate_limited',
        say('This gateway composes {most_feeds} boards at once; close a page.', { most_feeds: MOST_FEEDS }),
      );
    this.close(idle[0]);
  }
}

/** Yields the projects in which a change of the store may alter the frame of a feed (its boards, machines, devices and locations). */
function* reframed({ collection, operation, document }: Change): Generator<string> {
  const { object, project_id, id } = document;
  // A deleted picture changes a frame, because a playlist no longer shows it. A new picture changes no frame: only camera widgets show new
  // pictures, and `feed-facts.ts` reads these.
  if (object === 'artifact' && operation === 'DELETE') yield project_id;
  if (collection === 'records' && FRAME_OBJECTS.has(object)) yield project_id === NODE_PROJECT ? id : project_id;
  if (collection === 'events' && amendsReport(document)) yield project_id;
}

/** Returns true for an event that amends a shift report, because a feed may show that report. */
function amendsReport({ data }: Stored): boolean {
  const { subject, type } = data as Partial<EventData>;
  return subject?.object === 'shift_report' && type === 'amended';
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Creates the feeds of a gateway. */
export function createFeeds(services: AllFeedServices): FeedSource & AsyncDisposable {
  const { store, clock } = services;
  const pool = new FeedPool(services);
  const clients = new ShareClients(store, clock, services.displays);
  const projects = createProjectFeeds(services);

  function onChanges(changes: readonly Change[]): void {
    const reload = new Set<string>();
    for (const change of changes) {
      const { collection, operation, document } = change;
      for (const feed of pool.all) if (feed.project_id === document.project_id) feed.note(change);
      for (const project_id of reframed(change)) reload.add(project_id);
      if (collection === 'local' && (document.object === 'display_share' || document.object === 'display'))
        clients.linkChanged(document as unknown as BoardLink, operation === 'DELETE');
    }
    for (const feed of pool.all) if (reload.has(feed.project_id)) feed.reload();
  }

  const stops = [
    services.watch(({ equipment }) => {
      if (equipment.size > 0) for (const feed of pool.all) feed.touch(equipment);
    }),
    store.changes(onChanges),
    services.attention.onRanked((project_id) => {
      for (const feed of pool.all) if (feed.project_id === project_id) feed.rerank();
    }),
  ];
  const timer = setInterval(() => {
    clients.endExpired();
    for (const feed of pool.all) services.attention.keep(feed.project_id);
    pool.sweep();
    for (const write of clients.noteSeen()) pool.track(write);
  }, services.sweepMs ?? SWEEP_MS);
  timer.unref();

  /** Finds the active display link or the paired display with a token. */
  async function findLink(token: string, token_hash: string): Promise<BoardLink | undefined> {
    const query = { where: { 'data.token_hash': token_hash }, limit: 1 };
    if (token.startsWith('scr_')) return (await store.find<DisplayData>('local', { object: 'display', ...query }))[0];
    const [share] = await store.find<ShareData>('local', { object: 'display_share', ...query });
    return share?.data.status === 'active' && isOpen(share.data, new Date(clock()).toISOString()) ? share : undefined;
  }

  async function openShare(token: string): Promise<Feed | undefined> {
    const token_hash = await sha256(token);
    const link = await findLink(token, token_hash);
    if (link === undefined) return undefined;
    const { kind, object_id } = link.data;
    const feed = await pool.obtain({ project_id: link.project_id, kind, object_id });
    // Check the link again, because it may have been revoked while its feed was opened.
    if (feed === undefined || (await findLink(token, token_hash)) === undefined) return undefined;
    if (link.object === 'display') services.displays.seen(link.id);
    return {
      snapshot: () => feed.snapshot(),
      subscribe: (listener) => clients.subscribe(feed, link, listener),
    };
  }

  async function media(token: string, artifact_id: string): Promise<Stored<ArtifactData> | undefined> {
    const link = await findLink(token, await sha256(token));
    if (link === undefined) return undefined;
    const { kind, object_id } = link.data;
    const feed = await pool.obtain({ project_id: link.project_id, kind, object_id });
    if (feed?.shows(artifact_id) !== true) return undefined;
    const found = await store.view(link.project_id).get<ArtifactData>('records', artifact_id);
    return found?.object === 'artifact' ? found : undefined;
  }

  return {
    async open(target) {
      if ('share' in target) return openShare(target.share);
      return 'draft' in target ? pool.obtainDraft(target.project_id, target.draft, target.viewer) : pool.obtain(target);
    },
    project: (project_id) => projects.open(project_id),
    media,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const stop of stops) stop();
      projects[Symbol.dispose]();
      await pool.closeAll();
    },
  };
}
