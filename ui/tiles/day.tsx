/** The tile that shows the summary of a day: a line for each sentence ([U405]). The one of today says until when it counts. */
import { clock } from '#ui/format.ts';
import { dayText } from '#ui/languages/day-text.ts';
import { t } from '#ui/languages/texts.ts';
import { Text } from './text.tsx';
import type { TileProps } from './tile-props.ts';

export function Day({ data: { which, day }, title, ...tile }: TileProps<'day'>) {
  const name = title || t(which === 'today' ? 'Today' : 'Yesterday');
  const until =
    day !== null && which === 'today' ? ` · ${t('until {time}', { time: clock(day.to_ms, tile.timezone) })}` : '';
  const text =
    day === null ? t('The summary is being made') : day.sentences.map((one) => `• ${dayText(one)}`).join('\n');
  return <Text {...tile} title={name + until} data={{ type: 'text', text }} />;
}
