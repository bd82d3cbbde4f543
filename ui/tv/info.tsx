/** The panel with information about the screen. It is a separate file, because few people open it. */
import type { LiveSnapshot } from '#contract/site/live.ts';
import { clockSeconds, duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import type { Moment } from '#ui/tiles/ageing.ts';

/** What the panel shows of the screen. */
export interface Shown {
  readonly snapshot: Pick<LiveSnapshot, 'project' | 'title'> | null;
  readonly lastMessageMs: number | null;
  readonly attempts: number;
  /** The clock of the gateway minus the clock of the screen, in milliseconds. */
  readonly offset: number;
  /** Milliseconds since the page opened. */
  readonly up: number;
  readonly turns: number;
  readonly skipped: number;
}

function rowsOf({ snapshot, lastMessageMs, attempts, offset, up, turns, skipped }: Shown, at: Moment) {
  const heap = (performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize;
  const zone = snapshot?.project.timezone ?? 'UTC';
  return [
    [t('Site'), snapshot?.project.name ?? '—'],
    [t('Playlist'), snapshot?.title ?? '—'],
    [t('Gateway'), location.host],
    [t('Last message'), lastMessageMs === null ? t('never') : clockSeconds(lastMessageMs, zone)],
    [t('Link'), at.live ? t('live') : t('retrying, attempt {count}', { count: attempts })],
    [t('Clock difference'), `${Math.abs(Math.round(offset / 1000))} s`],
    [t('Page'), t('{build}, up {age}', { build: __BUILD__, age: duration(up) })],
    [t('Board changes'), t('{turns}, {skipped} skipped', { turns, skipped })],
    [t('Memory'), heap === undefined ? t('unknown') : `${Math.round(heap / 1e6)} MB`],
  ] as const;
}

export function Info({ shown, at }: { shown: Shown; at: Moment }) {
  return (
    <section class="info" aria-label={t('About this screen')}>
      <h2>{t('This screen')}</h2>
      <dl>
        {rowsOf(shown, at).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
