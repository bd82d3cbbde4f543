/** Sentences about a wrong clock. */
import { part, say, type ToldPart, type ToldText } from '#contract/base/told.ts';
import type { SampleClock } from '#domain/base/sample-clock.ts';

/** Returns a clock difference as a text, for example "8.8 s ahead of" or "0.5 s behind". */
export function aheadWords(ahead_us: number): ToldPart {
  const size = Math.abs(ahead_us) / 1e6;
  const days = size / 86_400;
  if (days >= 2) {
    const n = days.toFixed(1);
    return ahead_us < 0 ? part('{days} days behind', { days: n }) : part('{days} days ahead of', { days: n });
  }
  const seconds = Number(size.toFixed(1)).toLocaleString('en');
  return ahead_us < 0 ? part('{seconds} s behind', { seconds }) : part('{seconds} s ahead of', { seconds });
}

/** Returns the sentences that explain a correction to a person. */
export function correctionWords({ clock, correction_ms, uncertainty_ms }: SampleClock): ToldText {
  const ahead = aheadWords(-correction_ms * 1000);
  const by = `${correction_ms > 0 ? '+' : ''}${correction_ms / 1000}`;
  return [
    clock === 'gnss'
      ? say('The clock of the logger was {ahead} GNSS time.', { ahead })
      : say('The clock of the logger was {ahead} the time of a control unit (J1939 PGN 65254).', { ahead }),
    say('The time was corrected by {by} s; the corrected time is at most {most} s from that clock.', {
      by,
      most: uncertainty_ms / 1000,
    }),
  ];
}
