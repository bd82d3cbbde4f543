/** Shows whether a page is loading, live, or not live because the gateway does not answer. */
import { useRef } from 'preact/hooks';
import { SILENCE_MS } from '#contract/site/live.ts';
import { clockSeconds } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { Live, Lost } from '#ui/tiles/marks.tsx';
import { useLiveStore } from './project-live.ts';
import type { Session } from './session.ts';
import type { Polled } from './use.ts';
import { useNow } from './use.ts';

/**
 * Shows "Live", or the time since which the page gets no answers. The page then still shows its last data. While the live stream reports
 * changes, the messages of the stream count like answers, because the page reads the data only once a minute.
 */
export function LinkState(props: { of: Omit<Polled<unknown>, 'data'>; session: Session }) {
  const now = useNow(props.session.now);
  const { streamed, problem } = props.of;
  const { heardAt } = useLiveStore();
  // A stream that was opened before the first answer says nothing about data that the page does not have.
  const at = props.of.at !== null && streamed && problem === null ? Math.max(props.of.at, heardAt ?? 0) : props.of.at;
  const silent = at === null ? 0 : performance.now() - at;
  /**
   * The time of the last answer, by the gateway's clock. It is computed only when an answer arrives, because each computation gives a
   * slightly different time, and the text would change on each render.
   */
  const last = useRef({ at, ms: now });
  if (last.current.at !== at) last.current = { at, ms: props.session.now() - silent };
  if (problem === null && silent <= SILENCE_MS) {
    return (
      <p class="link-state" role="status">
        {at === null ? (
          t('Loading')
        ) : (
          <>
            <Live /> {t('Live')}
          </>
        )}
      </p>
    );
  }
  const since = at === null ? null : clockSeconds(last.current.ms, props.session.project.timezone);
  return (
    <p class="link-state waiting" role="status">
      <Lost />
      <span>
        <b>{since === null ? t('Not live, retrying.') : t('Not live since {since}, retrying.', { since })}</b>
        {since !== null && ` ${t('This page shows the data of that time.')}`} {problem}
      </span>
    </p>
  );
}
