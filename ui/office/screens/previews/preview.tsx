/** A live preview of a playlist or board. It draws the same tiles as a TV, from the same live stream. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BoardView } from '#contract/site/live.ts';
import { t } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import { pagesOf } from '#ui/tiles/grid.ts';
import { geometry } from '#ui/tv/geometry.ts';
import { PreviewWall, type Shown } from './preview-wall.tsx';
import type { ShownKind } from './shown.ts';
import { type BoardStream, useBoardStream, usePictures } from './use-board-stream.ts';

/** A page of a board of a preview, in the order in which a TV shows them. */
interface Step extends Shown {
  readonly name: string;
}

function stepsOf(boards: readonly BoardView[]): Step[] {
  const { board: size } = geometry(16, 9, 1);
  return boards.flatMap((board) => {
    const count = pagesOf(board, size);
    return Array.from({ length: count }, (_, page) => ({
      board: board.id,
      page,
      name: count === 1 ? board.name : t('{name}, {page} of {all}', { name: board.name, page: page + 1, all: count }),
    }));
  });
}

/** Says why the gateway does not compose a board. */
export function Refusal({ refusal, isReplaced }: Pick<BoardStream, 'refusal' | 'isReplaced'>) {
  if (isReplaced)
    return (
      <p class="waiting" role="status">
        {t('This preview has stopped, because too many are open. It goes on when you click here or press a key.')}
      </p>
    );
  if (refusal === null) return null;
  return (
    <p class="waiting" role="status">
      {refusal.isBusy
        ? t('The gateway shows as many boards as it can. The preview goes on when there is room.')
        : t('The gateway does not accept this board, so the preview is not up to date.')}{' '}
      {refusal.text}
    </p>
  );
}

export function Preview(props: { session: Session; kind: ShownKind; id: string }) {
  const { session, kind, id } = props;
  const { view, at, refusal, isReplaced } = useBoardStream(session, { kind, id }, `${kind} ${id}`);
  const [chosen, setChosen] = useState(0);
  const [width, setWidth] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const pictures = usePictures(session);

  useLayoutEffect(() => {
    const fit = () => setWidth(box.current?.clientWidth ?? 0);
    fit();
    addEventListener('resize', fit);
    return () => removeEventListener('resize', fit);
  }, []);

  // A person selects a page of the playlist by the name of its board.
  const steps = stepsOf(view?.boards ?? []);
  const index = Math.min(chosen, steps.length - 1);
  const shown = steps[index];
  return (
    <div class="preview">
      <div class="preview-box" ref={box}>
        {view !== null && shown !== undefined && width > 0 && (
          <PreviewWall
            view={view}
            shown={shown}
            step={{ index, of: steps.length }}
            at={at}
            width={width}
            pictures={pictures}
          />
        )}
      </div>
      <Refusal refusal={refusal} isReplaced={isReplaced} />
      <p class="aside" role="status">
        {view === null ? t('Loading') : at.live ? t('Live') : t('Not live, retrying')}
      </p>
      {steps.length > 1 && (
        <div class="buttons">
          {steps.map((one, i) => (
            <button
              key={`${one.board} ${one.page}`}
              type="button"
              aria-pressed={i === index}
              onClick={() => setChosen(i)}
            >
              {one.name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
