/**
 * The pages for old TVs, whose browser cannot run the TV page. They are whole HTML documents that the gateway builds, one part of a board
 * on each. A small script replaces the content; without scripts, the browser loads the page again.
 */
import type { ComponentChildren, VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { LiteBoards, LiteNotice, LitePages, LitePairing } from '#contract/site/lite.ts';
import type { BoardView, WidgetData } from '#contract/site/live.ts';
import { REASON_WORDS } from '#contract/work/attention-words.ts';
import { clock, clockSeconds, joined } from '#ui/format.ts';
import { inLanguage } from '#ui/languages/all.ts';
import { shownBoards } from '#ui/languages/shown.ts';
import { language, t, translated } from '#ui/languages/texts.ts';
import type { Moment } from '#ui/tiles/ageing.ts';
import { AlertMark, Live, Lost } from '#ui/tiles/marks.tsx';
import { aroundOf, quietLine } from '#ui/tv/alerts.ts';
import { DayText, KpiNumber, MapDrawing, MediaFile, Picture, QrSquare, ShiftPart, TrendLines } from './drawings.tsx';
import { type Step, shownAt } from './steps.ts';
import { AlertTable, BarTable, MachineTable, StatusTable, TicketTable } from './tables.tsx';

/** A board of an old TV has about this size, in hundredths of the height. */
const SIZE = { w: 170, h: 80 };
/** Seconds after which a page without boards asks again. */
const ASK_S = 5;

/** Builds a document. `next` is the address that it loads after `seconds`. */
function documentOf(of: {
  readonly theme: string;
  readonly seconds: number;
  readonly next: string;
  readonly children: ComponentChildren;
}): string {
  const page: VNode = (
    <html lang={language().tag} dir={language().dir}>
      <head>
        <meta charset="utf-8" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <title>{t('Headframe screen')}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/lite/lite.css" />
        <noscript>
          <meta http-equiv="refresh" content={`${of.seconds}; url=${of.next}`} />
        </noscript>
      </head>
      <body>
        <div id="screen" class={of.theme} data-seconds={of.seconds} data-next={of.next}>
          {of.children}
        </div>
        <script src="/lite/refresh.js" />
      </body>
    </html>
  );
  return `<!doctype html>${renderToStaticMarkup(page)}`;
}

function Widget({
  widget,
  page,
  at,
  timezone,
  share,
}: {
  readonly widget: BoardView['widgets'][number];
  readonly page: number;
  readonly at: Moment;
  readonly timezone: string;
  readonly share: string;
}) {
  const { data } = widget;
  switch (data.type) {
    case 'status_board':
      return <StatusTable data={data} page={page} at={at} />;
    case 'machine_list':
      return <MachineTable data={data} page={page} at={at} />;
    case 'bar':
      return <BarTable data={data} page={page} at={at} />;
    case 'alert_feed':
      return <AlertTable data={data} page={page} at={at} />;
    case 'ticket_board':
      return <TicketTable data={data} page={page} at={at} />;
    case 'kpi':
      return <KpiNumber data={data} at={at} timezone={timezone} />;
    case 'timeseries':
      return <TrendLines data={data} at={at} timezone={timezone} />;
    case 'map':
      return <MapDrawing data={data} at={at} timezone={timezone} />;
    case 'shift_progress':
      return <ShiftPart data={data} page={page} at={at} timezone={timezone} />;
    case 'camera':
      return <Picture data={data} at={at} share={share} />;
    case 'media':
      return <MediaFile data={data} share={share} />;
    case 'qr':
      return <QrSquare data={data} />;
    case 'day':
      return <DayText data={data} timezone={timezone} />;
    case 'text':
      return <p class="words">{data.text}</p>;
  }
}

/** Returns the heading of a widget that has no title. */
function nameOf(data: WidgetData): string {
  switch (data.type) {
    case 'kpi':
      return data.kpi.value.label;
    case 'bar':
      return data.bar.label;
    case 'machine_list':
      return t('Machines');
    case 'ticket_board':
      return t('Open repairs');
    case 'alert_feed':
      return t('Alerts');
    case 'shift_progress':
      return t('Shift');
    case 'day':
      return t(data.which === 'today' ? 'Today' : 'Yesterday');
    default:
      return '';
  }
}

/** Returns the text above a widget: its title, and for lists of several pages which page it is. */
function headingOf({ widget, page, pages }: Step): string {
  return joined(
    widget.title || nameOf(widget.data),
    pages > 1 ? t('page {page} / {all}', { page: page + 1, all: pages }) : null,
  );
}

function boardsPage({ snapshot: sent, now_ms, share }: LiteBoards): string {
  const { project } = sent;
  const snapshot = { ...sent, boards: shownBoards(sent.boards) };
  const at: Moment = { now: now_ms, live: true, lastMessageMs: now_ms };
  const { step, place, of, reload_s } = shownAt(snapshot.boards, now_ms);
  const board = step?.board ?? null;
  const { counts, lines, calm } = aroundOf(snapshot.boards, board, at, SIZE);
  const [worst] = lines;
  const time = clockSeconds(now_ms, project.timezone);
  const alarm = board?.alarm;
  const theme = board?.theme ?? 'tv-dark';
  const children = (
    <main class={alarm === undefined ? 'page' : `page alarm ${alarm}`}>
      <div class="top">
        <span class="clock">{clock(now_ms, project.timezone)}</span>
        <h1>{board?.name ?? snapshot.title}</h1>
        {counts !== null && (
          <span class="counts">
            {[
              `${t(REASON_WORDS.grades.act)}: ${counts.act}`,
              `${t(REASON_WORDS.grades.look)}: ${counts.look}`,
              `${t('Fine')}: ${counts.fine}`,
              `${t('No data')}: ${counts.silent}`,
            ].join(' · ')}
          </span>
        )}
        {project.simulated && <span class="demo">{t('Demo')}</span>}
      </div>
      <div class="late">
        <Lost /> {t('Not live since {time}. This screen cannot reach the gateway. All below is old.', { time })}
      </div>
      {snapshot.notice !== undefined && (
        <p class="notice">
          <AlertMark mark="warning" /> {translated(snapshot.notice)}
        </p>
      )}
      <div class="tile">
        {step === null ? (
          <p class="hint">{t('No board has content yet. Choose the boards of this screen on the office page.')}</p>
        ) : (
          <div>
            <h2>{headingOf(step)}</h2>
            <Widget widget={step.widget} page={step.page} at={at} timezone={project.timezone} share={share} />
          </div>
        )}
      </div>
      <div class="bottom">
        <span class="live-at">
          <Live />{' '}
          {joined(t('live at {time}', { time }), of > 1 ? t('page {page} / {all}', { page: place, all: of }) : null)}
        </span>
        {worst === undefined ? (
          <span>{quietLine(snapshot.boards, at, calm)}</span>
        ) : (
          <span class="worst">
            <AlertMark mark={worst.mark} /> {worst.texts[0]}
          </span>
        )}
      </div>
    </main>
  );
  return documentOf({ theme, seconds: reload_s, next: `/tv/lite/${encodeURIComponent(share)}`, children });
}

function pairingPage({ user_code, verification_url, self }: LitePairing): string {
  const children = (
    <main class="page">
      <div class="tile center">
        <h1>{t('Pair this screen')}</h1>
        <p>{t('Open {host}. On the page Screens, enter this code:', { host: new URL(verification_url).host })}</p>
        <p class="code">{user_code}</p>
        <p class="late">{t('The gateway does not answer. Trying again.')}</p>
      </div>
    </main>
  );
  return documentOf({ theme: 'tv-dark', seconds: ASK_S, next: self, children });
}

function noticePage(of: LiteNotice): string {
  const children = (
    <main class="page">
      <div class="tile center">
        <h1>{t('This link is not valid')}</h1>
        <p>{t('It was revoked, paused or replaced. A pairing code appears in a few seconds.')}</p>
      </div>
    </main>
  );
  return documentOf({ theme: 'tv-dark', seconds: ASK_S, next: of.next, children });
}

export const pages: LitePages = {
  boards: (of) => inLanguage(of.snapshot.project.language, of.snapshot.project.units === 'us', () => boardsPage(of)),
  pairing: (of) => inLanguage(of.language, false, () => pairingPage(of)),
  notice: (of) => inLanguage(of.language, false, () => noticePage(of)),
};
