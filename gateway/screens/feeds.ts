/**
 * Feeds: what pages look at. Each object is composed once for everybody, opened when the first one looks and closed half a
 * minute after the last one left. A link that is revoked, paused or replaced ends at the commit that says so.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Kind } from '#contract/base/ids.ts';
import { StoreError } from '#contract/base/store-error.ts';
import { type Change, NODE_PROJECT, type Stored, WriteConflict } from '#contract/base/view.ts';
import type { ShareData } from '#contract/site/display.ts';
import type { Feed, FeedListener, FeedSource, FeedTarget } from '#contract/site/live.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { BoardAlert } from '#domain/board/facts.ts';
import { isOpen } from '#handlers/boards/display-shares.ts';
import { type ComposedFeed, type FeedServices, openFeed } from './feed.ts';
import { createProjectFeeds, type ProjectFeedServices } from './project-feed.ts';

/** Feeds open at once; at the bound one that nobody looks at gives way, else the newcomer is refused. */
const MOST_FEEDS = 64;
/** Playlists whose takeover is remembered. */
const MOST_TAKEN = 256;
const IDLE_MS = 30_000;
const SWEEP_MS = 1_000;
const HANDED_OUT_MS = 1_000;
/** How often a link that somebody looks at notes that it was seen. */
const SEEN_MS = 60_000;
const FRAME_OBJECTS: ReadonlySet<string> = new Set([
  'dashboard',
  'playlist',
  'equipment',
  'device',
  'project',
  'location',
]);

type ObjectTarget = Exclude<FeedTarget, { readonly share: string }>;

interface ShareClient {
  readonly share_id: string;
  readonly project_id: string;
  readonly token_hash: string;
  /** When the link ends by itself, in milliseconds. */
  readonly expires_ms: number;
  readonly listener: FeedListener;
  end(): void;
}

/** The feeds of a node: `watch` calls back with the machines and devices that changed, `history` reads samples, the clock is in milliseconds. */
export function createFeeds(
  services: FeedServices & {
    readonly watch: ProjectFeedServices['watch'];
    readonly live: ProjectFeedServices['live'];
    /** Milliseconds between freshness sweeps; a second when absent. */
    readonly sweepMs?: number;
    readonly newId: (kind: Kind) => string;
  },
): FeedSource & AsyncDisposable {
  const { store, clock } = services;
  const feeds = new Map<string, Promise<ComposedFeed | undefined>>();
  const open = new Map<string, ComposedFeed>();
  const clients = new Set<ShareClient>();
  const seen = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  const projects = createProjectFeeds(services);
  /** The alert that has the screens of a playlist, by feed; remembered after it closed, so that who looks again begins nothing anew. */
  const taken = new Map<string, BoardAlert>();

  const stops = [
    services.watch(({ equipment }) => {
      if (equipment.size > 0) for (const feed of open.values()) feed.touch(equipment);
    }),
    store.changes(onChanges),
  ];
  const timer = setInterval(sweep, services.sweepMs ?? SWEEP_MS);
  timer.unref();

  function onChanges(changes: readonly Change[]): void {
    const projects = new Set<string>();
    for (const change of changes) {
      const { collection, operation, document } = change;
      for (const feed of open.values()) if (feed.project_id === document.project_id) feed.note(change);
      // A picture that is gone leaves its playlist; one that came is news for cameras alone.
      if (document.object === 'artifact' && operation === 'DELETE') projects.add(document.project_id);
      if (collection === 'records' && FRAME_OBJECTS.has(document.object))
        projects.add(document.project_id === NODE_PROJECT ? document.id : document.project_id);
      if (collection === 'events' && amends(document)) projects.add(document.project_id);
      if (collection === 'local' && document.object === 'display_share')
        endClients(document as unknown as Stored<ShareData>, operation === 'DELETE');
    }
    for (const feed of open.values()) if (projects.has(feed.project_id)) feed.reload();
  }

  function endClients({ id, data }: Stored<ShareData>, deleted: boolean): void {
    for (const client of [...clients]) {
      if (client.share_id !== id) continue;
      const active = !deleted && data.status === 'active';
      if (active && data.token_hash === client.token_hash) continue;
      client.end();
      client.listener({ name: 'gone', data: { reason: active ? 'replaced' : deleted ? 'deleted' : data.status } });
    }
  }

  function sweep(): void {
    for (const client of [...clients]) {
      if (client.expires_ms > clock()) continue;
      client.end();
      client.listener({ name: 'gone', data: { reason: 'expired' } });
    }
    for (const [key, feed] of open) {
      if (feed.ended || idleFor(feed) >= IDLE_MS) close(key);
      else feed.sweep();
    }
    for (const { share_id: id, project_id } of clients)
      if (clock() - (seen.get(id) ?? Number.NEGATIVE_INFINITY) >= SEEN_MS) track(noteSeen(project_id, id));
    for (const id of seen.keys()) if (![...clients].some(({ share_id }) => share_id === id)) seen.delete(id);
  }

  /** Logs with the playlist when an alert takes its screens, and when it gives them back. */
  function noteTakeover(
    key: string,
    { project_id, object_id: playlist }: ObjectTarget,
    takeover: BoardAlert | null,
  ): void {
    const before = taken.get(key);
    if (before?.id === takeover?.id) return;
    taken.delete(key);
    if (takeover !== null) taken.set(key, takeover);
    if (taken.size > MOST_TAKEN) taken.delete(taken.keys().next().value ?? '');
    const facts = [
      ...(before === undefined ? [] : [takeoverFact(playlist, 'takeover.ended', before)]),
      ...(takeover === null ? [] : [takeoverFact(playlist, 'takeover.started', takeover)]),
    ];
    track(record(project_id, facts));
  }

  function takeoverFact(playlist: string, type: string, alert: BoardAlert): EventData {
    const { rule_id, rule_name, severity, machine_id } = alert;
    return {
      type,
      subject: { object: 'playlist', id: playlist },
      occurred_at: new Date(clock()).toISOString(),
      source: 'headframe',
      source_event_id: null,
      actor: { type: 'system', id: null, name: 'headframe' },
      data: { alert_id: alert.id, rule_id, rule_name, severity, machine_id },
      context: { run_id: null, device_id: null, media: [] },
    };
  }

  async function record(project_id: string, facts: readonly EventData[]): Promise<void> {
    try {
      await store.commit(
        facts.map((data) => {
          const id = services.newId('event');
          return { collection: 'events', project_id, id, object: 'event', data: { ...data }, expected: 0 } as const;
        }),
      );
    } catch (error) {
      // The screens show it all the same; a disk that takes nothing now has its own alarm.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  function track(work: Promise<void>): void {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  }

  async function noteSeen(project_id: string, id: string): Promise<void> {
    seen.set(id, clock());
    const share = await store.view(project_id).get<ShareData>('local', id);
    if (share === undefined) return;
    const data: ShareData = { ...share.data, last_seen_at: new Date(clock()).toISOString() };
    const { object, revision: expected } = share;
    try {
      await store.commit([{ collection: 'local', project_id, id, object, data: { ...data }, expected }]);
    } catch (error) {
      // Somebody changed the link at this moment; it is noted next time, as when the disk takes nothing now.
      if (!(error instanceof WriteConflict || error instanceof StoreError)) throw error;
    }
  }

  function idleFor({ idle_since_ms }: ComposedFeed): number {
    return idle_since_ms === null ? -1 : clock() - idle_since_ms;
  }

  function close(key: string): void {
    open.delete(key);
    feeds.delete(key);
  }

  function makeRoom(): void {
    if (feeds.size < MOST_FEEDS) return;
    const [idle] = [...open].sort(([, a], [, b]) => idleFor(b) - idleFor(a));
    // One that was handed out just now is about to be looked at.
    if (idle === undefined || idleFor(idle[1]) < HANDED_OUT_MS)
      throw new OperationError('rate_limited', `This gateway composes ${MOST_FEEDS} boards at once; close a page.`);
    close(idle[0]);
  }

  function obtain(target: ObjectTarget): Promise<ComposedFeed | undefined> {
    const key = `${target.project_id}\n${target.kind}\n${target.object_id}`;
    const known = feeds.get(key);
    const current = open.get(key);
    if (current?.ended) close(key);
    else if (known !== undefined) {
      current?.keep();
      return known;
    }
    makeRoom();
    const opening = openFeed(services, target, (alert) => noteTakeover(key, target, alert)).then(
      (feed) => {
        if (feed === undefined) feeds.delete(key);
        else if (feeds.get(key) === opening) open.set(key, feed);
        return feed;
      },
      (error: unknown) => {
        feeds.delete(key);
        throw error;
      },
    );
    feeds.set(key, opening);
    return opening;
  }

  async function findShare(token_hash: string): Promise<Stored<ShareData> | undefined> {
    const [share] = await store.find<ShareData>('local', {
      object: 'display_share',
      where: { 'data.token_hash': token_hash },
      limit: 1,
    });
    return share?.data.status === 'active' && isOpen(share.data, new Date(clock()).toISOString()) ? share : undefined;
  }

  async function openShare(token: string): Promise<Feed | undefined> {
    const token_hash = await sha256(token);
    const share = await findShare(token_hash);
    if (share === undefined) return undefined;
    const { kind, object_id, expires_at } = share.data;
    const feed = await obtain({ project_id: share.project_id, kind, object_id });
    // The link may have ended while its board was being composed.
    if (feed === undefined || (await findShare(token_hash)) === undefined) return undefined;
    return {
      snapshot: () => feed.snapshot(),
      subscribe(listener) {
        const unsubscribe = feed.subscribe(listener);
        const client: ShareClient = {
          share_id: share.id,
          project_id: share.project_id,
          token_hash,
          expires_ms: expires_at == null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
          listener,
          end() {
            clients.delete(client);
            unsubscribe();
          },
        };
        clients.add(client);
        return () => client.end();
      },
    };
  }

  async function media(token: string, artifact_id: string): Promise<Stored<ArtifactData> | undefined> {
    const share = await findShare(await sha256(token));
    if (share === undefined) return undefined;
    const { kind, object_id } = share.data;
    const feed = await obtain({ project_id: share.project_id, kind, object_id });
    if (feed?.shows(artifact_id) !== true) return undefined;
    const found = await store.view(share.project_id).get<ArtifactData>('records', artifact_id);
    return found?.object === 'artifact' ? found : undefined;
  }

  return {
    open: (target) => ('share' in target ? openShare(target.share) : obtain(target)),
    project: (project_id) => projects.open(project_id),
    media,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const stop of stops) stop();
      projects[Symbol.dispose]();
      const last = [...open.values()].map((feed) => feed.settled());
      open.clear();
      feeds.clear();
      await Promise.all([...last, ...pending]);
    },
  };
}

/** True for a fact that changes what a shared shift report says. */
function amends({ data }: Stored): boolean {
  const { subject, type } = data as Partial<EventData>;
  return subject?.object === 'shift_report' && type === 'amended';
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
