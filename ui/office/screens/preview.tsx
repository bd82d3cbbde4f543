/** A live preview of a playlist or board. It draws the same tiles as a TV, from the same live stream. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type LiveEvents, type LiveSnapshot, SILENCE_MS } from '#contract/site/live.ts';
import { applyPatches } from '#contract/site/live-apply.ts';
import { isShown } from '#contract/work/media.ts';
import { t } from '#ui/languages/texts.ts';
import { readEvents } from '#ui/office/base/read-events.ts';
import type { Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import { pagesOf } from '#ui/tiles/grid.ts';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import { geometry } from '#ui/tv/geometry.ts';
import { PreviewWall } from './preview-wall.tsx';

const RETRY_MS = 3_000;
/** Largest number of pictures that the preview keeps in memory. */
const MOST_PICTURES = 24;

export function Preview(props: { session: Session; kind: 'playlist' | 'dashboard'; id: string }) {
  const { session } = props;
  const [view, setView] = useState<LiveSnapshot | null>(null);
  const [chosen, setChosen] = useState(0);
  const [width, setWidth] = useState(0);
  const lastMessageMs = useRef(0);
  const box = useRef<HTMLDivElement>(null);
  const now = useNow(session.now);

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const event = (name: string, data: string) => {
      lastMessageMs.current = session.now();
      if (name === 'snapshot') setView(JSON.parse(data) as LiveSnapshot);
      if (name === 'delta') {
        const { patches } = JSON.parse(data) as LiveEvents['delta'];
        setView((before) => before && { ...before, boards: applyPatches(before.boards, patches) });
      }
    };
    const run = async () => {
      try {
        const url = session.client.url('live', { kind: props.kind, object_id: props.id });
        const answer = await fetch(url, { headers: session.client.headers(), signal: stop.signal });
        if (answer.ok && answer.body !== null) await readEvents(answer.body, event);
      } catch {
        // The gateway does not answer, or the person has closed the preview.
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void run(), RETRY_MS);
    };
    void run();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [props.kind, props.id, session]);

  useLayoutEffect(() => {
    const fit = () => setWidth(box.current?.clientWidth ?? 0);
    fit();
    addEventListener('resize', fit);
    return () => removeEventListener('resize', fit);
  }, []);

  const pictures = useMemo((): Pictures => {
    const kept = new Map<string, string>();
    return async (id) => {
      const known = kept.get(id);
      if (known !== undefined) return known;
      const answer = await fetch(session.client.url('artifacts_content', { id }), {
        headers: session.client.headers(),
      });
      if (!answer.ok) throw new Error(`${answer.status}`);
      const picture = await answer.blob();
      if (!isShown(picture.type)) throw new Error(t('The file is not a picture.'));
      const address = URL.createObjectURL(picture);
      kept.set(id, address);
      // A camera sends a new picture every few seconds, and each picture takes memory. So release the oldest pictures.
      for (const [old, url] of [...kept].slice(0, -MOST_PICTURES)) {
        URL.revokeObjectURL(url);
        kept.delete(old);
      }
      return address;
    };
  }, [session]);

  // A person selects a page of the playlist by the name of its board.
  const { board: size } = geometry(16, 9, 1);
  const pages = (view?.boards ?? []).flatMap((board) => {
    const count = pagesOf(board, size);
    return Array.from({ length: count }, (_, page) => ({
      board: board.id,
      page,
      name: count === 1 ? board.name : t('{name}, {page} of {all}', { name: board.name, page: page + 1, all: count }),
    }));
  });
  const index = Math.min(chosen, pages.length - 1);
  const shown = pages[index];
  const live = now - lastMessageMs.current <= SILENCE_MS;
  return (
    <div class="preview">
      <div class="preview-box" ref={box}>
        {view !== null && shown !== undefined && width > 0 && (
          <PreviewWall
            view={view}
            shown={shown}
            step={{ index, of: pages.length }}
            at={{ now, live, lastMessageMs: lastMessageMs.current }}
            width={width}
            pictures={pictures}
          />
        )}
      </div>
      <p class="aside" role="status">
        {view === null ? t('Loading') : live ? t('Live') : t('Not live, retrying')}
      </p>
      {pages.length > 1 && (
        <div class="buttons">
          {pages.map((one, i) => (
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
