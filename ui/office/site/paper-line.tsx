/** On paper, above every page: the site, and when the page was printed, by the clock and the zone of the site ([U370]). */
import { dateText } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import { wallTime } from './site-time.ts';

export function PaperLine({ session }: { session: Session }) {
  const { name, timezone } = session.project;
  const [date = '', time = ''] = wallTime(useNow(session.now), timezone).split('T');
  return (
    <p class="aside on-paper">
      {t('{site}, printed {date} {time} ({timezone})', { site: name, date: dateText(date), time, timezone })}
    </p>
  );
}
