/** A board: widgets on a grid of 12 columns and 6 rows. */
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { BoardView } from '#contract/site/live.ts';
import { t } from '#ui/languages/texts.ts';
import type { Size } from '#ui/text/measure.ts';
import type { Moment } from './ageing.ts';
import { widgetSize } from './grid.ts';
import { isLazy, Lazy } from './lazy.tsx';
import { StatusBoard } from './status-board.tsx';
import type { Pictures } from './tile-props.ts';

/** Shows an error in place of a tile that throws, so that the other tiles stay. */
class TileErrorBoundary extends Component<{ children: ComponentChildren; onFailed(): void }, { failed: boolean }> {
  override state = { failed: false };
  override componentDidCatch(error: unknown) {
    this.setState({ failed: true });
    // Report the failed tile as ready, because the board waits until all its tiles are ready.
    this.props.onFailed();
    console.warn('A tile failed to draw.', error);
  }
  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <section class="panel empty">
        <p class="hint">{t('This tile has an error')}</p>
      </section>
    );
  }
}

type Props = {
  board: BoardView;
  page: number;
  at: Moment;
  timezone: string;
  size: Size;
  /** Number of pixels of one u (1 u is a hundredth of the screen height). */
  u: number;
  /** Loads pictures. */
  pictures: Pictures;
  /** The id of the most urgent machine on all boards of the screen. */
  first: string | null;
  onReady(): void;
};

export function Board(props: Props) {
  const { board, at } = props;
  const waiting = useRef(new Set(board.widgets.filter(({ data }) => isLazy(data)).map((one) => one.id)));
  const isReported = useRef(false);
  const reportReady = () => {
    if (waiting.current.size > 0 || isReported.current) return;
    isReported.current = true;
    props.onReady();
  };
  useEffect(reportReady, []);
  const boards = board.widgets.filter((one) => one.data.type === 'status_board').length;
  return (
    <div class="board">
      {board.widgets.map((widget) => {
        const { x, y, w, h } = widget.position;
        const size = widgetSize(widget.position, props.size);
        const { data } = widget;
        const ready = () => {
          waiting.current.delete(widget.id);
          reportReady();
        };
        return (
          <div
            key={widget.id}
            class="cell"
            style={{ gridColumn: `${x + 1} / span ${w}`, gridRow: `${y + 1} / span ${h}` }}
          >
            <TileErrorBoundary onFailed={ready}>
              {data.type === 'status_board' && (
                <StatusBoard
                  machines={data.machines}
                  calm={data.calm}
                  title={boards > 1 && widget.title !== '' ? widget.title : null}
                  at={at}
                  timezone={props.timezone}
                  page={props.page}
                  size={size}
                  first={props.first}
                />
              )}
              {isLazy(data) && (
                <Lazy
                  data={data}
                  title={widget.title}
                  at={at}
                  timezone={props.timezone}
                  size={size}
                  u={props.u}
                  page={props.page}
                  pictures={props.pictures}
                  first={props.first}
                  onReady={ready}
                />
              )}
            </TileErrorBoundary>
          </div>
        );
      })}
    </div>
  );
}
