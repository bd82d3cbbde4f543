/** The feed of one playlist, board, machine or shift report: composes its boards and sends the differences to the pages. */
import type { ShareKind } from '#contract/base/share-kinds.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Change, View } from '#contract/base/view.ts';
import type { LiveReader } from '#contract/context.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { BoardView, Feed, FeedListener, LivePatch, LiveSnapshot } from '#contract/site/live.ts';
import { type BoardInput, type Changed, composeBoard, recomposeBoard } from '#domain/board/board.ts';
import { diffBoard, same } from '#domain/board/diff.ts';
import type { BoardAlert, BoardFacts } from '#domain/board/facts.ts';
import type { Store } from '#store/open-store.ts';
import {
  comparable,
  dueBoards,
  outside,
  takeoverBoard,
  takeoverOf,
  wantedFacts,
  wantedSignals,
  wantedTrends,
} from './feed-boards.ts';
import { createFactsReader, type FactServices, type FactsReader } from './feed-facts.ts';
import { type Frame, type FrameBoard, readFrame } from './feed-frame.ts';
import { createTrendHistory, type History, type TrendHistory } from './feed-history.ts';

export interface FeedServices extends FactServices {
  readonly store: Store;
  readonly live: LiveReader;
  readonly history: History;
  /** The version of the pages that this gateway serves. */
  readonly build: string;
  /** A message about the gateway's own state for wall screens. Default, and when all is well: null. */
  readonly notice?: () => string | null;
}

/** The object that a feed shows. */
export interface FeedObject {
  readonly project_id: string;
  readonly kind: ShareKind;
  readonly object_id: string;
}

const minuteOf = (ms: number) => Math.floor(ms / 60_000);

/** A feed that is composed for all pages that show its object. */
export class ComposedFeed implements Feed {
  readonly project_id: string;
  /** Since when no page is subscribed, in milliseconds; null while one is. */
  idle_since_ms: number | null;
  /** True after the object was deleted: the feed shows nothing any more. */
  ended = false;
  private readonly services: FeedServices;
  private readonly object: FeedObject;
  private readonly view: View;
  private readonly onTakeover: (alert: BoardAlert | null) => void;
  private readonly reader: FactsReader;
  private readonly trends: TrendHistory;
  private readonly listeners = new Set<FeedListener>();
  private frame: Frame;
  private boards: readonly BoardView[];
  private notice: string | null;
  /** The boards that are composed now, and the signals that they need. */
  private shown: readonly FrameBoard[] = [];
  private signals: readonly SignalName[] = [];
  private minute: number;
  /** Reads run one after the other, so that an older read never overwrites a newer one. */
  private work = Promise.resolve();
  private pendingReloads = 0;
  private isRefreshingTrends = false;
  private isReadingFacts = false;

  /** `reader` must have read once. `onTakeover` gets the alert that takes over the screen, or null, at every choice of boards. */
  constructor(
    services: FeedServices,
    object: FeedObject,
    { view, frame, reader }: { readonly view: View; readonly frame: Frame; readonly reader: FactsReader },
    onTakeover: (alert: BoardAlert | null) => void,
  ) {
    this.services = services;
    this.object = object;
    this.project_id = object.project_id;
    this.view = view;
    this.onTakeover = onTakeover;
    this.reader = reader;
    this.frame = frame;
    this.trends = createTrendHistory(services.history, []);
    this.idle_since_ms = services.clock();
    this.chooseBoards();
    this.minute = minuteOf(services.clock());
    this.boards = this.compose();
    this.notice = this.readNotice();
    this.refreshTrends();
  }

  /** Call it when the feed is handed out: it is about to be subscribed to. */
  keep(): void {
    if (this.idle_since_ms !== null) this.idle_since_ms = this.services.clock();
  }

  snapshot(): LiveSnapshot {
    // Without subscribers nothing keeps the boards up to date, so compose them now.
    if (this.listeners.size === 0) {
      this.followSchedule();
      this.boards = this.compose();
      this.notice = this.readNotice();
    }
    return this.currentSnapshot();
  }

  subscribe(listener: FeedListener): () => void {
    const own: FeedListener = (event) => listener(event);
    this.listeners.add(own);
    this.idle_since_ms = null;
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) this.idle_since_ms = this.services.clock();
    };
  }

  /** Call it when values of these machines changed. */
  touch(equipment: ReadonlySet<string>): void {
    if (this.listeners.size > 0) this.recompose({ machines: equipment, trends: false, facts: false });
  }

  /** Call it once a second: values grow stale, boards become due, and trend buckets close. */
  sweep(): void {
    this.readFacts();
    if (this.listeners.size === 0) return;
    const before = this.notice;
    this.notice = this.readNotice();
    if (this.notice !== before) this.emit({ name: 'snapshot', data: this.currentSnapshot() });
    if (this.followSchedule()) this.show(this.compose(), true);
    else this.recompose({ machines: new Set(this.frame.machines.map(({ id }) => id)), trends: false, facts: false });
    if (this.trends.due(this.services.clock())) this.refreshTrends();
  }

  /** Call it when records changed that the frame is read from. */
  reload(): void {
    this.pendingReloads++;
    this.enqueue(() => this.readFrameAgain());
  }

  /** Call it for each change of a commit: facts that it concerns are read again. */
  note(change: Change): void {
    this.reader.note(change);
  }

  /** Whether the boards show this file now, or showed it shortly before. */
  shows(artifact_id: string): boolean {
    return (
      this.reader.shows(artifact_id) ||
      this.frame.boards.some(({ dashboard }) => dashboard.media?.artifact_id === artifact_id)
    );
  }

  /** Resolves when no read is under way. */
  settled(): Promise<void> {
    return this.work;
  }

  /** Chooses the boards to show: those that are due, or the one of an alert. Returns true when they changed. */
  private chooseBoards(): boolean {
    const { frame, reader, services, object } = this;
    const alert = takeoverOf(frame, reader.facts.alerts);
    this.onTakeover(alert);
    const next = alert === null ? dueBoards(frame, services.clock(), object.object_id) : [takeoverBoard(frame, alert)];
    const changed = !same(next, this.shown);
    this.shown = next;
    this.signals = wantedSignals([...frame.boards, ...next], reader.facts.alerts);
    this.trends.want(wantedTrends(alert === null ? frame.boards : [...frame.boards, ...next], frame.machines));
    return changed;
  }

  /** Chooses the boards again once a minute. Returns true when they changed. */
  private followSchedule(): boolean {
    const minute = minuteOf(this.services.clock());
    if (this.minute === minute) return false;
    this.minute = minute;
    return this.chooseBoards();
  }

  private inputs(): BoardInput[] {
    const { machines, places, devices } = this.frame;
    const now_ms = this.services.clock();
    const facts: BoardFacts = { ...this.reader.facts, places, devices };
    const cache = new Map<string, EquipmentLive | undefined>();
    const live = (id: string) => {
      let known = cache.get(id);
      if (known === undefined) {
        known = this.services.live.equipment(id, this.signals);
        cache.set(id, known);
      }
      return known;
    };
    const { series } = this.trends;
    return this.shown.map(({ id, dashboard, duration_s }) => {
      return { id, dashboard, duration_s, machines, live, series, facts, now_ms };
    });
  }

  private compose(): readonly BoardView[] {
    return this.inputs().map(composeBoard);
  }

  /** Composes again the tiles that depend on what changed. */
  private recompose(changed: Changed): void {
    this.show(
      this.inputs().map((input, i) => {
        const before = this.boards[i];
        return before === undefined ? composeBoard(input) : recomposeBoard(before, input, changed);
      }),
    );
  }

  /** Sends the next boards: as patches when patches can express the difference, else as a snapshot. */
  private show(next: readonly BoardView[], needsSnapshot = false): void {
    const patches: LivePatch[] = [];
    let patchable = !needsSnapshot && next.length === this.boards.length;
    for (const [i, board] of next.entries()) {
      const before = this.boards[i];
      const changes = patchable && before !== undefined ? diffBoard(before, board) : undefined;
      if (changes === undefined) patchable = false;
      else patches.push(...changes);
    }
    this.boards = next;
    if (!patchable) this.emit({ name: 'snapshot', data: this.currentSnapshot() });
    else if (patches.length > 0) this.emit({ name: 'delta', data: { server_ms: this.services.clock(), patches } });
  }

  private currentSnapshot(): LiveSnapshot {
    const { project, title, order } = this.frame;
    return {
      build: this.services.build,
      server_ms: this.services.clock(),
      project,
      title,
      ...(this.notice === null ? {} : { notice: this.notice }),
      ...(order?.transition === 'none' ? { transition: order.transition } : {}),
      boards: this.boards,
    };
  }

  private emit(event: Parameters<FeedListener>[0]): void {
    for (const listener of [...this.listeners]) listener(event);
  }

  private readNotice(): string | null {
    return this.services.notice?.() ?? null;
  }

  private enqueue(step: () => Promise<void>): void {
    this.work = this.work.then(step);
  }

  /** Reads new samples of the trends, unless such a read is waiting or under way. */
  private refreshTrends(): void {
    if (this.isRefreshingTrends) return;
    this.isRefreshingTrends = true;
    this.enqueue(async () => {
      const read = await this.trends.refresh(this.services.clock());
      if (read) this.recompose({ machines: new Set(), trends: true, facts: false });
      this.isRefreshingTrends = false;
    });
  }

  /** Reads facts that may have changed, unless such a read is waiting or under way. */
  private readFacts(): void {
    if (this.isReadingFacts || !this.reader.due()) return;
    this.isReadingFacts = true;
    this.enqueue(async () => {
      const read = await this.reader.refresh();
      this.isReadingFacts = false;
      if (!read) return;
      // An alert may have been raised or cleared.
      if (this.chooseBoards()) {
        this.show(this.compose(), true);
        this.refreshTrends();
      } else this.recompose({ machines: new Set(), trends: false, facts: true });
    });
  }

  private async readFrameAgain(): Promise<void> {
    // Several reloads that waited for the same read need one more read, not one each.
    if (--this.pendingReloads > 0) return;
    const next = await readFrame(this.services.store, this.view, this.object);
    if (next === undefined) {
      this.ended = true;
      this.emit({ name: 'gone', data: { reason: 'deleted' } });
      return;
    }
    const changed = !same(comparable(next), comparable(this.frame));
    const needsSnapshot = changed && !same(outside(next), outside(this.frame));
    this.frame = next;
    if (changed) {
      this.reader.want(wantedFacts(this.frame));
      await this.reader.refresh();
    }
    this.chooseBoards();
    if (changed) this.show(this.compose(), needsSnapshot);
    this.refreshTrends();
  }
}

/** Opens the feed of an object; undefined when the project has no such object. */
export async function openFeed(
  services: FeedServices,
  object: FeedObject,
  onTakeover: (alert: BoardAlert | null) => void,
): Promise<ComposedFeed | undefined> {
  const view = services.store.view(object.project_id);
  const frame = await readFrame(services.store, view, object);
  if (frame === undefined) return undefined;
  const reader = createFactsReader(view, services, wantedFacts(frame));
  await reader.refresh();
  return new ComposedFeed(services, object, { view, frame, reader }, onTakeover);
}
