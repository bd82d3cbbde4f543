/** The words above the strip of a status board that are chosen by a code. */
import type { Reason } from '#contract/site/trouble.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
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
