/** Formats the numbers and ages that the bus monitor shows. */
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';

export type BusInventory = Output<'devices_bus_get'>;
export type Ecu = BusInventory['ecus'][number];
export type Device = Output<'devices_get'>;

/**
 * Data older than this many milliseconds is stale. The limit is longer than the longest usual interval: machines send slow parameter groups
 * every 30 s, and counters every minute.
 */
export const STALE_MS = 90_000;
/** The page hides a rate that was measured more than this many milliseconds ago. The gateway measures a new rate every ten seconds. */
export const RATE_MS = 30_000;

export const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
/** Formats a whole number with thin spaces between thousands. */
export const thousands = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');
export const kbit = (rate: number) => `${thousands(rate / 1000)} kbit/s`;
/** Returns the milliseconds from the time `at` to `now`; infinity if `at` is null. */
export const since = (at: string | null, now: number) =>
  at === null ? Number.POSITIVE_INFINITY : now - Date.parse(at);

export function Age({ at, now }: { at: string | null; now: number }) {
  if (at === null) return <span class="age never">{t('never')}</span>;
  const ms = since(at, now);
  return <span class={ms > STALE_MS ? 'age stale' : 'age'}>{t('{age} ago', { age: duration(ms) })}</span>;
}
