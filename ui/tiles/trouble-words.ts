/** The words above the strip of a status board that are chosen by a code, and the lines of a sentence. */
import type { Reason } from '#contract/site/trouble.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fittedSize, textWidth } from '#ui/text/measure.ts';
import { lines } from '#ui/text/text-fit.ts';
import { reasonTexts } from '#ui/words.ts';

/** Why a reason probably exists. */
export const PROBABLY = {
  coolant_leak: 'Coolant level down {down} %: probably a leak.',
  oil_low: 'Oil level {level} %: probably too little oil.',
  not_charging: 'The engine runs: probably the alternator.',
  no_power: 'Its battery had {value} V.',
  link_lost: '{count} machines there went silent together.',
} as const satisfies Readonly<Record<NonNullable<Reason['probably']>['code'], string>>;

export const STILL = { driving: 'Still driving.', running: 'Engine still running.' } as const;

/**
 * Returns a further reason of a machine with its age: "Also: Down for 5 h 02." Each reason has an age of its own. The text leaves out a title
 * that a person wrote, because the title would follow a second colon.
 */
export function alsoText(reason: Reason, now: number): string {
  const texts = reasonTexts(reason);
  const text = (reason.says.params.title === undefined ? texts[0] : texts.find((one) => !one.includes(':'))) ?? '';
  const age = reason.since_ms === null ? '' : ` ${t('for {age}', { age: duration(now - reason.since_ms) })}`;
  return t('Also: {text}.', { text: `${text}${age}` });
}

/** A text on one or two lines, and its size. */
interface Fitted {
  readonly lines: readonly string[];
  readonly size: number;
}

/**
 * Returns the longest text that fits: on one line in a size between `least` and `most`, or on two lines if there is room. A title that a
 * person typed may be too long for both; then it is cut at the end of the second line.
 */
export function fitSentence(
  texts: readonly string[],
  width: number,
  most: number,
  least: number,
  two: boolean,
): Fitted {
  const oneLine = (text: string) => ({ lines: [text], size: fittedSize(text, most, least, 700, width) });
  const [first = ''] = texts;
  if (textWidth(first, least, 700) <= width) return oneLine(first);
  const broken = two ? lines(first, least, 700, width, 2) : [];
  if (broken.length === 2 && !broken[1]?.endsWith('…')) return { lines: broken, size: least };
  const shorter = texts.find((text) => textWidth(text, least, 700) <= width);
  const second = texts[1] ?? first;
  // A shorter text that has lost what the person wrote says less than the beginning of it.
  if (shorter === undefined || texts.indexOf(shorter) > 1) {
    const cut = lines(second, least, 700, width, two ? 2 : 1);
    if (texts.length > 2 || shorter === undefined) return { lines: cut, size: least };
  }
  return oneLine(shorter ?? first);
}
