/** The state of a DBC file version as a badge. */
import type { ComponentChildren } from 'preact';
import { t, type Word } from '#ui/languages/texts.ts';
import { type DbcFile, stateOf } from './dbc-text.ts';

const STATES: Readonly<
  Record<ReturnType<typeof stateOf>, readonly [text: Word, tone: string, shape: ComponentChildren]>
> = {
  live: ['In use now', 'blue', <path class="solid" key="s" d="M3 2.5 14 8 3 13.5z" />],
  used: ['Out of use', 'gray', <rect class="line" key="s" x="2.5" y="2.5" width="11" height="11" />],
  ready: ['Mapped, not in use', 'gray', <circle class="line" key="s" cx="8" cy="8" r="5.5" />],
  unmapped: ['Not mapped', 'gray', <circle class="line" key="s" cx="8" cy="8" r="5.5" stroke-dasharray="3 2.4" />],
};

/** Shows the state of a DBC file version as a shape, a word and a colour. */
export function DbcBadge({ file }: { file: DbcFile }) {
  const [text, tone, shape] = STATES[stateOf(file)];
  return (
    <span class={`badge tone-${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {shape}
      </svg>
      {file.active && file.device_ids !== null
        ? t('In use for {n} device|In use for {n} devices', { n: file.device_ids.length })
        : t(text)}
    </span>
  );
}
