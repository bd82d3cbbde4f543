/** A live preview of a playlist or board. It draws the same tiles as a TV, from the same live stream. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import { PreviewWall } from './preview-wall.tsx';
import { stepsOf } from './steps.ts';
import { useBoardStream, usePictures } from './use-board-stream.ts';
import type { ShownKind } from './uses.ts';

export function Preview(props: { session: Session; kind: ShownKind; id: string }) {
  const { session, kind, id } = props;
  const { view, at } = useBoardStream(session, { kind, id }, `${kind} ${id}`);
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
