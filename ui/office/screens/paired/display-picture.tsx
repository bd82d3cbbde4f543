/** A small picture of what a display shows. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Display } from '#contract/site/display.ts';
import { t } from '#ui/languages/texts.ts';
import { PreviewWall } from '#ui/office/screens/previews/preview-wall.tsx';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import { type DisplayCondition, shownPage } from './displays.ts';
import type { ReadSnapshot } from './use-snapshots.ts';

/** A picture that is older than this, in milliseconds, is drawn as not live. */
const OLD_MS = 90_000;

export function DisplayPicture(props: {
  display: Display;
  condition: DisplayCondition;
  read: ReadSnapshot | undefined;
  now_ms: number;
  pictures: Pictures;
}) {
  const { display, condition, read, now_ms } = props;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const fit = () => setWidth(box.current?.clientWidth ?? 0);
    fit();
    addEventListener('resize', fit);
    return () => removeEventListener('resize', fit);
  }, []);
  const isHeard = condition === 'live' || condition === 'small';
  const page = read === undefined || !isHeard ? null : shownPage(read.view, display);
  return (
    <div class="display-picture" ref={box}>
      {read !== undefined && page !== null && width > 0 ? (
        <div class="preview-box" inert aria-hidden="true">
          <PreviewWall
            view={read.view}
            shown={{ board: page.board, page: page.page }}
            step={{ index: page.index, of: page.of }}
            at={{ now: now_ms, live: now_ms - read.at_ms <= OLD_MS, lastMessageMs: read.at_ms }}
            width={width}
            pictures={props.pictures}
          />
        </div>
      ) : (
        <p>{isHeard ? t('No picture yet') : t('Nobody knows what it shows now')}</p>
      )}
    </div>
  );
}
