/** At head office, above a page with live values: whether the site sends them often now, and why not otherwise. */

import type { LiveView } from '#contract/site/sync-live.ts';
import { duration, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { useEnds } from '#ui/office/base/ends.ts';
import { Told } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import { Live, Lost } from '#ui/tiles/marks.tsx';

/** Values that arrived in this time are not called old. The page reads the state each 10 s. */
const OLD_MS = 15_000;

function ageWords({ values_at }: LiveView, now: number): string {
  return values_at === null
    ? t('No values have arrived since head office started.')
    : t('Values arrived {age} ago.', { age: duration(now - Date.parse(values_at)) });
}

export function LiveNote({ view, session }: { view: LiveView; session: Session }) {
  const now = useNow(session.now);
  const { pay } = useEnds();
  const { state, sentence, since, values_at } = view;
  const isLive = state === 'live';
  const isOld = values_at === null || now - Date.parse(values_at) > OLD_MS;
  const mayPay = may(session, 'sync_enrolments_create');
  // The age changes each second, so it is not part of what a screen reader says by itself.
  return (
    <p class="live">
      {isLive ? <Live /> : <Lost />}
      <span role="status">
        {isLive && since !== null ? (
          t('Live since {time}.', { time: moment(Date.parse(since), now, session.project.timezone) })
        ) : (
          <Told text={sentence} />
        )}
        {state === 'ask' && !mayPay && ` ${t('An admin can show live values.')}`}
      </span>
      {(!isLive || isOld) && <span>{ageWords(view, now)}</span>}
      {state === 'ask' && mayPay && (
        <button type="button" onClick={pay}>
          {t('Show live values')}
        </button>
      )}
    </p>
  );
}
