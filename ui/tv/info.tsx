/** The panel with information about the screen. It is a separate file, because few people open it. */
import type { LiveSnapshot } from '#contract/site/live.ts';
import { clockSeconds, duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import type { Moment } from '#ui/tiles/ageing.ts';
import type { Link } from './link.ts';
import type { Rotation } from './rotation.ts';
import type { SiteClock } from './site-clock.ts';

export { showName, startReports } from './report.ts';

/** What the panel reads of the screen. */
interface Shown {
  readonly snapshot: Pick<LiveSnapshot, 'project' | 'title'> | null;
  readonly lastMessageMs: number | null;
  readonly link: Pick<Link, 'attempts'> | null;
  readonly clock: Pick<SiteClock, 'offset'>;
  /** When the page opened, by the monotonic clock of the browser in milliseconds. */
  readonly born: number;
  readonly rotation: Pick<Rotation, 'turns' | 'skipped'>;
}

function rowsOf({ snapshot, lastMessageMs, link, clock, born, rotation: { turns, skipped } }: Shown, at: Moment) {
  const heap = (performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize;
  const zone = snapshot?.project.timezone ?? 'UTC';
  return [
    [t('Site'), snapshot?.project.name ?? '—'],
    [t('Playlist'), snapshot?.title ?? '—'],
    [t('Gateway'), location.host],
    [t('Last message'), lastMessageMs === null ? t('never') : clockSeconds(lastMessageMs, zone)],
    [t('Link'), at.live ? t('live') : t('retrying, attempt {count}', { count: link?.attempts ?? 0 })],
    [t('Clock difference'), `${Math.abs(Math.round(clock.offset() / 1000))} s`],
    [t('Page'), t('{build}, up {age}', { build: __BUILD__, age: duration(performance.now() - born) })],
    [t('Board changes'), t('{turns}, {skipped} skipped', { turns, skipped })],
    [t('Memory'), heap === undefined ? t('unknown') : `${Math.round(heap / 1e6)} MB`],
  ] as const;
}

export function Info({ screen, at }: { screen: Shown; at: Moment }) {
  return (
    <section class="info" aria-label={t('About this screen')}>
      <h2>{t('This screen')}</h2>
      <dl>
        {rowsOf(screen, at).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
