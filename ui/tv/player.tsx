/**
 * The TV page. It opens a share (a link that shows boards without a login), receives the content of its boards as an event stream, and
 * shows one board after the other. The stream begins with a snapshot (the whole content); later messages contain only changes.
 */
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { type LiveEvents, type LiveSnapshot, SILENCE_MS } from '#contract/site/live.ts';
import { applyPatches } from '#contract/site/live-apply.ts';
import { afterPaint } from '#ui/after-paint.ts';
import { t, translated } from '#ui/languages/texts.ts';
import type { Moment } from '#ui/tiles/ageing.ts';
import { Board } from '#ui/tiles/board.tsx';
import { pagesOf } from '#ui/tiles/grid.ts';
import { loadAhead } from '#ui/tiles/lazy.tsx';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import { aroundOf } from './alerts.ts';
import { Footer, Header, Notice } from './chrome.tsx';
import { drift, type Geometry, geometry, scaleFrom } from './geometry.ts';
import type { Info as InfoPanel } from './info.tsx';
import { type Link, probe, type Source, startLink } from './link.ts';
import { hold, IDLE, type Rotation, ready, type Step, same, tick, turn } from './rotation.ts';
import { deleteSnapshot, loadSnapshot, saveSnapshot } from './saved-snapshot.ts';
import { createSiteClock } from './site-clock.ts';
import { Speech } from './speech.ts';

const TICK_MS = 250;
/** Milliseconds between two times at which the page stores the newest snapshot in the browser. */
const SAVE_MS = 60_000;
/**
 * If the gateway has sent no snapshot within this number of milliseconds after the start, the page shows the snapshot that the browser has
 * stored.
 */
const LOAD_MS = 400;
const FADE_MS = 250;
const GONE_MS = 5_000;
const AHEAD_MS = 3_000;
/** A page that is older than this, in milliseconds, reloads at the next change of board, so that memory leaks do not add up. */
const RENEW_MS = 24 * 3_600_000;
/** If the gateway reports a newer build within this time after the start of the page, in milliseconds, the page reloads at once. */
const STARTED_MS = 10_000;

const monotonic = () => performance.now();

/**
 * The state of the page on a TV: the content of the boards, the board that is shown, and the connection to the gateway. It calls `draw`
 * after each change.
 */
export class Screen {
  readonly share: string;
  draw: () => void = () => {};
  readonly reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  readonly preview = new URLSearchParams(location.search).has('preview');
  clock = createSiteClock(monotonic, Date.now);
  snapshot: LiveSnapshot | null = null;
  geometry: Geometry = geometry(innerWidth, innerHeight, scaleFrom(location.search));
  rotation: Rotation = IDLE;
  /**
   * The board page that is fading out while the next board page is shown, and the time when it has disappeared; null while no board page
   * fades out.
   */
  leaving: { readonly step: Step; readonly until: number } | null = null;
  lastMessageMs: number | null = null;
  gone: string | null = null;
  /** The panel with information about the screen while it is shown; null while it is not. */
  info: typeof InfoPanel | null = null;
  /** Returns the URL of a picture. It contains the share, because the gateway gives pictures only to screens with a valid share. */
  readonly pictures: Pictures = (id) =>
    Promise.resolve(`/api/v1/displays/${encodeURIComponent(this.share)}/media/${encodeURIComponent(id)}`);
  build: string | null = null;
  readonly speech = new Speech();
  link: Link | null = null;
  private savedAt = Number.POSITIVE_INFINITY;
  private second = -1;
  private renewing = false;
  readonly born = monotonic();
  private steps: readonly Step[] = [];
  private stepsOf: readonly [unknown, unknown] = [null, null];

  constructor(share: string) {
    this.share = share;
  }

  /** Opens the stream and starts the timers, which run until the page closes. */
  start(): void {
    const url = `/api/v1/displays/${encodeURIComponent(this.share)}/live`;
    this.link = startLink({
      open: () => new EventSource(url) as unknown as Source,
      probe: () => probe(url),
      monotonic,
      random: Math.random,
      onEvent: (name, data) => this.event(name, data),
    });
    setTimeout(() => void this.showSaved(), LOAD_MS);
    setInterval(() => this.tick(), TICK_MS);
    const resize = () => {
      this.geometry = geometry(innerWidth, innerHeight, scaleFrom(location.search));
      this.change();
    };
    const key = (event: KeyboardEvent) => this.key(event);
    // Load the code of all tiles early, so that the page has it even if the gateway stops.
    setTimeout(() => {
      loadAhead(this.snapshot?.boards ?? []);
      void loadInfo().then((info) => info.startReports(this), ignored);
    }, AHEAD_MS);
    addEventListener('resize', resize);
    addEventListener('keydown', key);
  }

  /** Shows the stored snapshot if the gateway has not sent one yet. */
  private async showSaved(): Promise<void> {
    const last = this.snapshot === null ? await loadSnapshot(this.share) : null;
    if (last === null || this.snapshot !== null) return;
    this.clock = createSiteClock(monotonic, Date.now, last.offset);
    this.snapshot = last.snapshot;
    this.lastMessageMs = last.heard;
    await this.speech.speak(last.snapshot, () => this.change());
    this.change();
  }

  /** Returns the moment for which the screen draws its content: the gateway's time, and whether messages arrive. */
  at(): Moment {
    const now = this.clock.now();
    const live = this.link !== null && this.link.silence() <= SILENCE_MS;
    return { now, live, lastMessageMs: this.lastMessageMs ?? now };
  }

  private event<K extends keyof LiveEvents>(name: K, data: LiveEvents[K]): void {
    if ('server_ms' in data) {
      this.clock.learn(data.server_ms);
      this.lastMessageMs = Math.max(data.server_ms, this.clock.now());
    }
    if (name === 'snapshot') {
      this.snapshot = data as LiveSnapshot;
      this.build = this.snapshot.build;
      // The browser may have started an old page from its cache, which an earlier build of the gateway served. Reload such a page at once.
      if (monotonic() - this.born < STARTED_MS) void this.renew();
      // Store the snapshot later, because on a slow TV opening IndexedDB takes longer than drawing.
      this.savedAt = Math.min(this.savedAt, monotonic() - SAVE_MS + AHEAD_MS);
    } else if (name === 'delta' && this.snapshot !== null) {
      const { patches } = data as LiveEvents['delta'];
      this.snapshot = { ...this.snapshot, boards: applyPatches(this.snapshot.boards, patches) };
    } else if (name === 'heartbeat') this.build = (data as LiveEvents['heartbeat']).build;
    else if (name === 'gone') this.end((data as LiveEvents['gone']).reason);
    else if (name === 'identify')
      void loadInfo().then((info) => info.showName(data as LiveEvents['identify']), ignored);
    void this.speech.speak(this.snapshot, () => this.change());
    this.change();
  }

  private end(reason: string): void {
    this.gone = reason;
    void deleteSnapshot();
    setTimeout(() => location.assign('/tv'), GONE_MS);
  }

  private save(): void {
    if (this.snapshot === null || this.lastMessageMs === null || this.preview) return;
    this.savedAt = monotonic();
    const { snapshot, lastMessageMs } = this;
    void saveSnapshot(this.share, { snapshot, heard: lastMessageMs, offset: this.clock.offset() });
  }

  playlist(): readonly Step[] {
    const boards = this.snapshot?.boards;
    if (boards === undefined) return [];
    if (this.stepsOf[0] === boards && this.stepsOf[1] === this.geometry) return this.steps;
    this.steps = boards
      .filter((board) => board.widgets.length > 0)
      .flatMap((board) =>
        Array.from({ length: pagesOf(board, this.geometry.board) }, (_, page) => ({
          board: board.id,
          page,
          dwell_ms: board.duration_s * 1000,
        })),
      );
    this.stepsOf = [boards, this.geometry];
    return this.steps;
  }

  private tick(): void {
    this.link?.check();
    const second = Math.floor(this.clock.now() / 1000);
    if (monotonic() - this.savedAt > SAVE_MS && this.at().live) this.save();
    if (this.leaving !== null && monotonic() > this.leaving.until) {
      this.leaving = null;
      this.draw();
    }
    if (second === this.second) this.rotate();
    else {
      this.second = second;
      this.change();
    }
  }

  /** Advances the rotation and draws. Call it after each event that may change what the screen shows. */
  private change(): void {
    this.rotate();
    this.draw();
  }

  private rotate(): void {
    const { next } = this.rotation;
    // The next board may be the same as the board that is still fading out. That board is already mounted and does not report again that it
    // is ready, so mark it as ready here.
    if (next !== null && this.leaving !== null && same(next, this.leaving.step))
      this.rotation = ready(this.rotation, next);
    this.move(tick(this.rotation, this.playlist(), monotonic()));
  }

  private move(next: Rotation): void {
    const before = this.rotation;
    if (next === before) return;
    this.rotation = next;
    const fades = !this.reduced && this.snapshot?.transition !== 'none';
    if (next.turns !== before.turns && before.current !== null && fades) {
      this.leaving = { step: before.current, until: monotonic() + FADE_MS + 50 };
    }
    const boundary = next.turns !== before.turns || (next.due > before.due && next.current === before.current);
    if (boundary) void this.renew();
    this.draw();
  }

  /**
   * Reloads the page if it is older than `RENEW_MS`, or if the gateway has a newer build of the page; it reloads only once for each build.
   * Does nothing while the gateway does not answer.
   */
  private async renew(): Promise<void> {
    const build = this.build;
    const newer = build && build !== __BUILD__ && sessionStorage.getItem('renewed') !== build;
    const old = monotonic() - this.born > RENEW_MS;
    if (this.renewing || this.preview || !(newer || old) || !this.at().live) return;
    this.renewing = true;
    try {
      const answer = await fetch('/healthz', { cache: 'no-store' });
      if (!answer.ok) return;
      // The browser may cache this page for a day, so that a TV can start while the gateway is off. This request replaces the cached page
      // by the new one.
      await fetch(location.href, { cache: 'reload' });
      if (newer) sessionStorage.setItem('renewed', build);
      this.save();
      location.assign(location.href);
    } catch {
      // The gateway has stopped in the meantime. The picture stays, and the next change of board tries again.
    } finally {
      this.renewing = false;
    }
  }

  /** Returns the text that the screen shows while it has no snapshot from the gateway and no stored snapshot. */
  waitingText(): string {
    return this.link?.answered === 'there'
      ? t('The gateway answers, but has no boards yet. Trying again.')
      : t('Waiting for the gateway');
  }

  ready(step: Step): void {
    const next = ready(this.rotation, step);
    if (next !== this.rotation) {
      this.rotation = next;
      this.rotate();
    }
  }

  private async toggleInfo(): Promise<void> {
    this.info = this.info === null ? (await loadInfo()).Info : null;
    this.change();
  }

  private key(event: KeyboardEvent): void {
    const now = monotonic();
    const steps = this.playlist();
    const key = event.key;
    // The key code 461 is the key Back of a TV with webOS; 10009 is the key Back of a TV with Tizen.
    if (key === 'i' || key === 'Escape' || event.keyCode === 461 || event.keyCode === 10_009) void this.toggleInfo();
    else if (key === 'ArrowRight' || key === 'ArrowDown') this.rotation = turn(this.rotation, steps, 1, now);
    else if (key === 'ArrowLeft' || key === 'ArrowUp') this.rotation = turn(this.rotation, steps, -1, now);
    else if (key === 'Enter' || key === ' ') this.rotation = hold(this.rotation, now);
    else return;
    event.preventDefault();
    this.change();
  }
}

const loadInfo = () => import('./info.tsx');
const ignored = () => {};

export function Player({ screen }: { screen: Screen }) {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  // Changes that come during the first paint are not drawn by it, so draw them right after it.
  useLayoutEffect(
    () =>
      afterPaint(() => {
        screen.draw = () => draw(0);
        draw(0);
      }),
    [],
  );
  const root = useRef<HTMLDivElement>(null);
  const { snapshot, rotation, info: Panel } = screen;
  const at = screen.at();
  const minute = screen.preview ? 0 : Math.floor(at.now / 60_000);
  const { u, board: size } = screen.geometry;
  useLayoutEffect(() => {
    const style = root.current?.style;
    const shift = drift(minute);
    style?.setProperty('--u', `${u}px`);
    style?.setProperty('--drift', screen.preview ? 'none' : `translate(${shift.x * u}px, ${shift.y * u}px)`);
  }, [u, minute]);
  const boards = screen.speech.boards(snapshot);
  const board = boards.find((one) => one.id === rotation.current?.board) ?? null;
  const theme = board?.theme ?? boards[0]?.theme ?? 'tv-dark';
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);

  const layers = [screen.leaving?.step ?? null, rotation.current, rotation.next].filter(
    (step, i, all): step is Step => step !== null && !all.slice(0, i).some((other) => same(step, other)),
  );
  const steps = screen.playlist();
  const { first, counts, lines, calm, band } = aroundOf(boards, board, at, size);
  const nextIn = steps.length > 1 && rotation.heldUntil === null ? Math.max(0, rotation.due - monotonic()) : null;
  return (
    <div class={snapshot?.transition === 'none' ? 'tv cut' : 'tv'} ref={root} data-live={at.live ? 'yes' : 'no'}>
      {screen.gone !== null ? (
        <Notice
          title={t(snapshot === null ? 'This link is not valid' : 'This screen is no longer shared')}
          text={t('A pairing code appears in a few seconds.')}
        />
      ) : snapshot === null ? (
        <Notice title="Headframe" text={at.live ? t('Loading the boards') : screen.waitingText()} />
      ) : (
        <>
          <Header
            project={snapshot.project}
            board={board}
            title={snapshot.title}
            notice={snapshot.notice && translated(snapshot.notice)}
            counts={counts}
            band={band}
            at={at}
            width={size.w}
          />
          <main class="stage">
            {layers.map((step) => {
              const view = boards.find((one) => one.id === step.board);
              if (view === undefined) return null;
              const shown = same(step, rotation.current);
              return (
                <div key={`${step.board} ${step.page}`} class={shown ? 'layer shown' : 'layer'} aria-hidden={!shown}>
                  <Board
                    board={view}
                    page={step.page}
                    at={at}
                    timezone={snapshot.project.timezone}
                    size={size}
                    u={u}
                    pictures={screen.pictures}
                    first={first}
                    onReady={() => screen.ready(step)}
                  />
                </div>
              );
            })}
            {steps.length === 0 && (
              <Notice title={snapshot.title} text={t('This playlist has no boards to show now.')} />
            )}
            {snapshot.project.simulated && <div class="watermark" aria-hidden="true" />}
          </main>
          <Footer
            boards={boards}
            lines={lines}
            calm={calm}
            band={band}
            at={at}
            step={{
              index: Math.max(
                0,
                steps.findIndex((one) => same(one, rotation.current)),
              ),
              of: steps.length,
            }}
            nextIn={nextIn}
            heldFor={rotation.heldUntil === null ? null : rotation.heldUntil - monotonic()}
            width={size.w}
          />
        </>
      )}
      {Panel !== null && <Panel screen={screen} at={at} />}
    </div>
  );
}
