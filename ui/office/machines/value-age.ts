/** What the office page shows of one value of a machine at a moment: the value, its age and its freshness, or why there is no value. */
import { type Freshness, valueFreshnessAt } from '#contract/base/freshness.ts';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';

/** The parts of a machine that decide how one of its values is shown. */
export type ValueOwner = Pick<MachineRow, 'device_ids' | 'last_live_data_at'> & {
  readonly context: { readonly fields?: MachineRow['context']['fields'] | undefined };
};

/** One value as the page shows it. */
export interface ShownValue {
  readonly freshness: Freshness;
  /** The value as current text; null if the value never came, or if it is too old to be shown as current. */
  readonly text: string | null;
  /** The age in words, such as "12 s ago", or "never". */
  readonly age: string;
  /** Why the value is not shown; null if it is shown. */
  readonly why: string | null;
}

/** Returns in words why the gateway has no value of a signal of a machine. */
export function whyNever(machine: Pick<MachineRow, 'device_ids' | 'last_live_data_at'>): string {
  if (machine.device_ids.length === 0) return t('No device is linked to this machine.');
  if (machine.last_live_data_at === null) return t('No linked device has sent live data yet.');
  return t('The machine sends other values, but never sent this one.');
}

/** Returns how a page shows a value at the time `now`. `text` is the newest value in words; null if there is none. */
export function shownValue(machine: ValueOwner, signal: SignalName, text: string | null, now: number): ShownValue {
  const source = machine.context.fields?.[signalRow(signal).field];
  const at = source?.observed_at ?? null;
  if (text === null || at === null) return { freshness: 'never', text: null, age: t('never'), why: whyNever(machine) };
  const freshness = valueFreshnessAt(signal, source, now);
  const age = t('{age} ago', { age: duration(Math.max(0, now - Date.parse(at))) });
  if (freshness !== 'none')
    return { freshness, text, age: freshness === 'stale' ? t('as of {age}', { age }) : age, why: null };
  return {
    freshness,
    text: null,
    age: t('last {text}, {age}', { text, age }),
    why: t('The last value is too old to be shown as current.'),
  };
}
