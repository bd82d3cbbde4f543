/** Sentences about a wrong clock. */
import type { SampleClock } from '#domain/base/sample-clock.ts';

/** Returns a clock difference as a text, for example "8.8 s ahead of" or "0.5 s behind". */
export function aheadWords(ahead_us: number): string {
  const size = Math.abs(ahead_us) / 1e6;
  const days = size / 86_400;
  const text = days >= 2 ? `${days.toFixed(1)} days` : `${Number(size.toFixed(1)).toLocaleString('en')} s`;
  return ahead_us < 0 ? `${text} behind` : `${text} ahead of`;
}

/** Returns the sentence that explains a correction to a person. */
export function correctionWords({ clock, correction_ms, uncertainty_ms }: SampleClock): string {
  const by = `${correction_ms > 0 ? '+' : ''}${correction_ms / 1000} s`;
  const whose = clock === 'gnss' ? 'GNSS time' : 'the time of a control unit (J1939 PGN 65254)';
  return `The clock of the logger was ${aheadWords(-correction_ms * 1000)} ${whose}. The time was corrected by ${by}; the corrected time is at most ${uncertainty_ms / 1000} s from that clock.`;
}
