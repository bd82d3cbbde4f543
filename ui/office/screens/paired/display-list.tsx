/** All paired screens of the site, those with trouble first, and the form that pairs one more. */
import type { ComponentChildren } from 'preact';
import type { Display } from '#contract/site/display.ts';
import { t } from '#ui/languages/texts.ts';
import { TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import type { Shown } from '#ui/office/screens/previews/shown.ts';
import { usePictures } from '#ui/office/screens/previews/use-board-stream.ts';
import { DisplayCard } from './display-card.tsx';
import { conditionOf, troubleFirst } from './displays.ts';
import { useSnapshots } from './use-snapshots.ts';

/** Says how many screens are in each condition. */
function countTexts(displays: readonly Display[], now_ms: number): string[] {
  const count = (...of: readonly string[]) => displays.filter((one) => of.includes(conditionOf(one, now_ms))).length;
  const counts = [
    [count('live', 'small'), t('{n} live', { n: count('live', 'small') })],
    [count('not_heard', 'never_heard'), t('{n} not heard', { n: count('not_heard', 'never_heard') })],
    [count('small'), t('{n} with text too small', { n: count('small') })],
  ] as const;
  return counts.filter(([n]) => n > 0).map(([, text]) => text);
}

export function DisplayList(props: {
  session: Session;
  displays: readonly Display[];
  /** True if the site has more displays than the page shows. */
  more: boolean;
  /** The boards and playlists that a screen can show. */
  all: readonly Shown[];
  onChanged(): void;
  /** The form that pairs a screen. */
  children: ComponentChildren;
}) {
  const { session, displays, all } = props;
  const now_ms = useNow(session.now);
  const pictures = usePictures(session);
  const shown = all.filter(({ id }) => displays.some(({ object_id }) => object_id === id));
  const read = useSnapshots(session, shown);
  return (
    <section>
      <h2>{t('Paired screens')}</h2>
      <p class="aside">
        {displays.length === 0
          ? t('No screen is paired yet. A paired screen shows its board without a login, and this page says how it is.')
          : [...countTexts(displays, now_ms), t('trouble first')].join(' · ')}
      </p>
      <TruncationNote shown={displays.length} more={props.more} what={t('paired screens')} />
      <ul class="display-cards">
        {troubleFirst(displays, now_ms).map((one) => (
          <DisplayCard
            key={one.id}
            session={session}
            display={one}
            all={all}
            read={read.get(one.object_id)}
            now_ms={now_ms}
            pictures={pictures}
            onChanged={props.onChanged}
          />
        ))}
        <li>{props.children}</li>
      </ul>
    </section>
  );
}
