/**
 * The feed of one playlist, board, machine or shift report. It composes the content of the boards from records and live values, and sends
 * the changes to the pages that show them.
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { Change, View } from '#contract/base/view.ts';
import type { LiveReader } from '#contract/context.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { BoardView, Feed, FeedListener, LivePatch, LiveSnapshot } from '#contract/site/live.ts';
import type { BoardAlert } from '#domain/attention/open-items.ts';
import { type BoardInput, type Changed, composeBoard, recomposeBoard } from '#domain/board/board.ts';
import { diffBoard, same } from '#domain/board/diff.ts';
import type { BoardFacts } from '#domain/board/facts.ts';
import type { Store } from '#store/open-store.ts';
import type { SiteAttention } from './attention.ts';
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
import { type FeedObject, type Frame, type FrameBoard, readFrame } from './feed-frame.ts';
import { createTrendHistory, type History, type TrendHistory } from './feed-history.ts';

export interface FeedServices extends FactServices {
  readonly attention: SiteAttention;
  readonly store: Store;
  readonly live: LiveReader;
  readonly history: History;
  /** The version of the pages that this gateway serves. */
  readonly build: string;
  /** Returns a message about a problem of the gateway for screens on the wall; null if there is no problem. Default: always null. */
  readonly notice?: () => string | null;
}

const minuteOf = (ms: number) => Math.floor(ms / 60_000);

/** A feed. The gateway composes its content once for all pages that show its object. */
export class ComposedFeed implements Feed {
  readonly project_id: string;
  /** Time since which no page is subscribed, in milliseconds since 1970; null while a page is subscribed. */
  idle_since_ms: number | null;
  /** True after the object was deleted, or after the feed was closed. The feed then shows nothing. */
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
  /**
   * A promise that resolves when the last read has ended. Each new read waits for it, so that the result of an older read never overwrites
   * the result of a newer read.
   */
  private work = Promise.resolve();
  private pendingReloads = 0;
  private isRefreshingTrends = false;
  private isReadingFacts = false;

  /**
   * `reader` must already have read the facts (tickets, alerts, pictures, QR codes and the shift) once. `onTakeover` is called each time
   * that the boards are chosen, with the alert that is shown on the whole screen, or null.
   */
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

  /** True if the feed shows a board that is not stored. */
  get isDraft(): boolean {
    return this.object.draft !== undefined;
  }

  /**
   * Call it when a caller gets the feed and will subscribe soon. Without this call, the feed could be closed as unused before the caller
   * subscribes.
   */
  keep(): void {
    if (this.idle_since_ms !== null) this.idle_since_ms = this.services.clock();
  }

  snapshot(): LiveSnapshot {
    // A feed without subscribers is not kept up to date, so compose the boards now.
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
    // A preview may end between `open` and here.
    if (this.ended) queueMicrotask(() => own({ name: 'gone', data: { reason: 'replaced' } }));
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) this.idle_since_ms = this.services.clock();
    };
  }

  /** Call it when the ranking of the machines has changed. */
  rerank(): void {
    if (this.listeners.size > 0) this.recompose({ machines: new Set(), trends: false, facts: true });
  }

  /** Call it when values of these machines changed. */
  touch(equipment: ReadonlySet<string>): void {
    if (this.listeners.size > 0) this.recompose({ machines: equipment, trends: false, facts: false });
  }

  /**
   * Call it once a second. It updates what changes with time: values become stale, the playlist changes boards, and trends get new points.
   */
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

  /** Call it when a record has changed that is part of the frame (the boards, machines, devices and locations of the feed). */
  reload(): void {
    this.pendingReloads++;
    this.enqueue(() => this.readFrameAgain());
  }

  /**
   * Call it for each change of a commit. If the change concerns facts of the feed (tickets, alerts, pictures, QR codes, shift), the feed
   * reads these facts again.
   */
  note(change: Change): void {
    this.reader.note(change);
  }

  /** Returns true if the boards show this file now, or showed it shortly before. */
  shows(artifact_id: string): boolean {
    return (
      this.reader.shows(artifact_id) ||
      this.frame.boards.some(({ dashboard }) => dashboard.media?.artifact_id === artifact_id)
    );
  }

  /** Ends the feed. Its pages get `gone`. Reads that have not begun are left out. */
  end(reason: string): void {
    this.ended = true;
    this.trends.want([]);
    this.emit({ name: 'gone', data: { reason } });
  }

  /** Resolves when no read is running. */
  settled(): Promise<void> {
    return this.work;
  }

  /**
   * Chooses the boards to show: the boards that the playlist shows at this time, or the board of an alert. Returns true if the boards have
   * changed.
   */
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
    const { machines, retired, places, devices } = this.frame;
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
    const standing = (id: string) => this.services.attention.standing(this.project_id, id);
    const calm = this.services.attention.calm(this.project_id);
    return this.shown.map(({ id, dashboard, duration_s }) => {
      return { id, dashboard, duration_s, machines, retired, live, series, facts, standing, calm, now_ms };
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

  /**
   * Sends the new content of the boards: as patches (changes of single boards) if patches can express the change, otherwise as a snapshot
   * (all boards).
   */
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
    this.work = this.work.then(() => (this.ended ? undefined : step()));
  }

  /** Reads new samples of the trends. Does nothing if such a read is already waiting or running. */
  private refreshTrends(): void {
    if (this.isRefreshingTrends) return;
    this.isRefreshingTrends = true;
    this.enqueue(async () => {
      const read = await this.trends.refresh(this.services.clock());
      if (read) this.recompose({ machines: new Set(), trends: true, facts: false });
      this.isRefreshingTrends = false;
    });
  }

  /**
   * Reads the facts (tickets, alerts, pictures and so on) that may have changed. Does nothing if such a read is already waiting or running.
   */
  private readFacts(): void {
    if (this.isReadingFacts || !this.reader.due()) return;
    this.isReadingFacts = true;
    this.enqueue(async () => {
      const read = await this.reader.refresh();
      this.isReadingFacts = false;
      if (!read) return;
      // The facts include alerts. If an alert was raised or cleared, the feed may show other boards.
      if (this.chooseBoards()) {
        this.show(this.compose(), true);
        this.refreshTrends();
      } else this.recompose({ machines: new Set(), trends: false, facts: true });
    });
  }

  private async readFrameAgain(): Promise<void> {
    // If `reload` was called several times during a read, only the last of these calls needs to read again.
    if (--this.pendingReloads > 0) return;
    const next = await readFrame(this.services.store, this.view, this.object);
    if (next === undefined) return this.end('deleted');
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

/** Opens the feed of an object. Returns undefined if the project has no such object. */
export async function openFeed(
  services: FeedServices,
  object: FeedObject,
  onTakeover: (alert: BoardAlert | null) => void,
): Promise<ComposedFeed | undefined> {
  const view = services.store.view(object.project_id);
  const frame = await readFrame(services.store, view, object);
  if (frame === undefined) return undefined;
  const reader = createFactsReader(view, services, wantedFacts(frame), object.hidesLinks);
  await Promise.all([reader.refresh(), services.attention.open(object.project_id)]);
  return new ComposedFeed(services, object, { view, frame, reader }, onTakeover);
}
