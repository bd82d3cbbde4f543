/** The trouble codes of a story in words, each once, with the values of the moment at which it came last. */

import { type SignalName, signalRow } from '#contract/base/signals.ts';
import { moment } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { t, translated } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import { AlertMark } from '#ui/tiles/marks.tsx';
import { nearest, pointsOf } from './history-shape.ts';
import { numberText } from './machine-cells.tsx';
import { codeTimes, type Read } from './story-parts.ts';

/** Returns from when to when a code was seen. */
function timesText(at: number | null, until: string | null, now: number, zone: string): string {
  const end = until === null ? '' : moment(Date.parse(until), now, zone);
  if (at === null)
    return until === null
      ? t('active before this time, still active')
      : t('active before this time, until {end}', { end });
  const since = moment(at, now, zone);
  return until === null ? t('since {since}, still active', { since }) : t('since {since}, until {end}', { since, end });
}

export function Codes({ read, session, now }: { read: Read; session: Session; now: number }) {
  const { story, series, step_ms } = read;
  const zone = session.project.timezone;
  if (story.codes.length === 0) return null;
  return (
    <section class="story-codes" aria-label={t('Trouble codes')}>
      <h3>{t('Trouble codes of this time')}</h3>
      <ul>
        {codeTimes(story.codes).map(({ key, spn, fmi, text, since, until, times }) => {
          const first = since === null ? null : Date.parse(since);
          const last = times.at(-1)?.since ?? null;
          const at = last === null ? null : Date.parse(last);
          const often = times.length === 1 ? '' : `, ${t('{n} time|{n} times', { n: times.length })}`;
          const values = series.flatMap((one) => {
            const point = at === null ? undefined : nearest(pointsOf(one), at);
            const near =
              point !== undefined && at !== null && Math.abs(point.t - at) <= step_ms + one.stale_after_s * 1000;
            const { label, unit, decimals } = signalRow(one.signal as SignalName);
            return near ? [{ label: translated(label), text: numberText(point.mean, decimals, unit) }] : [];
          });
          return (
            <li key={key}>
              <p>
                <AlertMark mark="warning" /> <b>{officeText(text)}</b>
              </p>
              <p class="aside">
                {`SPN ${spn ?? t('unknown')} FMI ${fmi}${often}, ${timesText(first, until, now, zone)}`}
                {values.length > 0 && `. ${times.length === 1 ? t('At that moment:') : t('When it came last:')}`}
              </p>
              {values.length > 0 && (
                <dl>
                  {values.map((one) => (
                    <div key={one.label}>
                      <dt>{one.label}</dt>
                      <dd>{one.text}</dd>
                    </div>
                  ))}
                </dl>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
