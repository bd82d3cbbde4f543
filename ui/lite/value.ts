/** The text of a value on a page for old TVs, with its age if it is not current. */
import type { DrawnValue } from '#contract/site/live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { type Moment, valueFreshness } from '#ui/tiles/ageing.ts';
import { withUnit } from '#ui/tiles/machine-drawing.ts';

export interface ValueText {
  readonly text: string;
  /** True if the value is stale or absent. */
  readonly old: boolean;
  readonly level: DrawnValue['level'];
}

/** Returns the text of a value at a moment. */
export function valueText(value: DrawnValue | undefined, at: Moment): ValueText {
  const judged = value === undefined ? 'never' : valueFreshness(value, at);
  if (value === undefined || value.text === null || judged === 'none' || judged === 'never')
    return { text: t('No data'), old: true, level: 'normal' };
  const age = value.as_of_ms === null ? '' : duration(at.now - value.as_of_ms);
  if (judged === 'stale')
    return { text: t('last {value}, {age} ago', { value: withUnit(value), age }), old: true, level: 'normal' };
  return { text: withUnit(value), old: false, level: value.level };
}
