/** The summary of today and of yesterday on the page Now: each sentence leads to the page with its numbers ([U405]). */
import type { SiteDay } from '#contract/work/day.ts';
import { clock } from '#ui/format.ts';
import { dayText } from '#ui/languages/day-text.ts';
import { officeDay } from '#ui/languages/office.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

const EVERY_MS = 60_000;

function Sentences({ title, day, timezone }: { title: Word; day: SiteDay; timezone: string }) {
  const { from_ms, to_ms, sentences } = officeDay(day);
  return (
    <section aria-label={t(title)}>
      <h3>
        {t(title)}
        {title === 'Today' && (
          <small class="aside">
            {t('{from} to {to}', { from: clock(from_ms, timezone), to: clock(to_ms, timezone) })}
          </small>
        )}
      </h3>
      <ul>
        {sentences.map((one) => (
          <li key={one.text}>
            <a href={`#${one.page}`}>{dayText(one)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Days({ session }: { session: Session }) {
  const { id, timezone } = session.project;
  const { data, problem } = usePolled(
    (signal) => session.client.call('projects_get', { id, include: 'days' }, { signal }),
    EVERY_MS,
    [session, id],
  );
  const days = data?.days;
  return (
    <section class="now-days" aria-label={t('Summary of the day')}>
      <h2>{t('Summary of the day')}</h2>
      <Problem text={problem} />
      {data === null && problem === null && <p class="aside">{t('The summary is being made')}</p>}
      {days !== undefined && (
        <div>
          <Sentences title="Today" day={days.today} timezone={timezone} />
          <Sentences title="Yesterday" day={days.yesterday} timezone={timezone} />
        </div>
      )}
    </section>
  );
}
