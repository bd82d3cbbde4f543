/**
 * A preview of a TV in the office page, with header, board and footer. It renders into a shadow root with the TV styles, so that
 * office styles do not apply to tiles, and TV styles do not apply to the office.
 */
import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { LiveSnapshot } from '#contract/site/live.ts';
import { officeBoards } from '#ui/languages/office.ts';
import type { ScreenLanguage } from '#ui/languages/site-language.ts';
import { language, speaking } from '#ui/languages/texts.ts';
import theme from '#ui/theme.css?inline';
import type { Moment } from '#ui/tiles/ageing.ts';
import { Board } from '#ui/tiles/board.tsx';
import more from '#ui/tiles/more.css?inline';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import tiles from '#ui/tiles/tiles.css?inline';
import { aroundOf } from '#ui/tv/alerts.ts';
import { Footer, Header } from '#ui/tv/chrome.tsx';
import { geometry } from '#ui/tv/geometry.ts';
import wall from '#ui/tv/tv.css?inline';

/**
 * The styles of the elements `html` and `body` on a TV. A preview has no such elements of its own, so the host element of its shadow root
 * gets these styles.
 */
const HOST = `:host { display: block; font-family: Inter, system-ui, sans-serif; font-weight: 400; letter-spacing: 0;
  font-feature-settings: "tnum", "zero", "ss01"; color: var(--text); background: var(--bg); }
.tv { position: absolute; }`;

let sheets: CSSStyleSheet[] | undefined;

/** Returns the styles of the TV page. They are parsed once, for all previews. */
function wallStyles(): CSSStyleSheet[] {
  sheets ??= [theme, tiles, more, wall, HOST].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return sheets;
}

/** What a preview shows: the id of a board, and the index of a page of this board. */
export interface Shown {
  readonly board: string;
  readonly page: number;
}

interface Props {
  readonly view: LiveSnapshot;
  readonly shown: Shown;
  /** The index of the page, and the number of pages in the playlist. */
  readonly step: { readonly index: number; readonly of: number };
  readonly at: Moment;
  /** Width of the preview in pixels. */
  readonly width: number;
  readonly pictures: Pictures;
  /** The language of the preview. Default: that of the office. */
  readonly spoken?: ScreenLanguage | undefined;
}

export function PreviewWall(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const { view, width } = props;
  const theme = view.boards.find(({ id }) => id === props.shown.board)?.theme ?? 'tv-dark';
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = wallStyles();
    element.style.height = `${(width * 9) / 16}px`;
    const { language: own } = props.spoken ?? { language: language() };
    element.lang = own.tag;
    element.dir = own.dir;
    const draw = () => speaking(own, () => render(<Wall {...props} />, root));
    draw();
    if (props.spoken === undefined) return undefined;
    // A tile that draws itself again, for example when its code has come, does that in the language of the office.
    const timer = setTimeout(draw, 50);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    const root = host.current?.shadowRoot;
    return () => {
      if (root) render(null, root);
    };
  }, []);
  return <div class="preview-wall" data-theme={theme} ref={host} />;
}

function Wall({ view, shown, step, at, width, pictures, spoken }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const { u, board: size } = geometry(width, (width * 9) / 16, 1);
  useLayoutEffect(() => root.current?.style.setProperty('--u', `${u}px`), [u]);
  const boards = spoken === undefined ? officeBoards(view.boards) : spoken.boards(view.boards);
  const board = boards.find(({ id }) => id === shown.board) ?? null;
  const { first, counts, lines, calm, band } = aroundOf(boards, board, at, size);
  return (
    <div class="tv" ref={root} data-live={at.live ? 'yes' : 'no'}>
      <Header
        project={view.project}
        board={board}
        title={view.title}
        notice={view.notice}
        counts={counts}
        band={band}
        width={size.w}
        at={at}
      />
      <div class="stage">
        {board !== null && (
          <div class="layer shown">
            <Board
              key={`${board.id} ${shown.page} ${width}`}
              board={board}
              page={shown.page}
              at={at}
              timezone={view.project.timezone}
              size={size}
              u={u}
              pictures={pictures}
              first={first}
              onReady={() => {}}
            />
          </div>
        )}
        {view.project.simulated && <div class="watermark" aria-hidden="true" />}
      </div>
      <Footer
        boards={boards}
        lines={lines}
        calm={calm}
        band={band}
        at={at}
        step={step}
        nextIn={null}
        heldFor={null}
        width={size.w}
      />
    </div>
  );
}
