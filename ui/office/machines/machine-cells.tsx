/** Cells of the machine table: values and ages with their freshness. */
import { freshness, machineFreshnessAt } from '#contract/base/freshness.ts';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { shownNumber, shownUnit } from '#ui/languages/units.ts';
import { shownValue } from './value-age.ts';

type Equipment = Output<'equipment_list'>['data'][number];

function signalOfField(field: string) {
  const name = SIGNAL_NAMES.find((one) => signalRow(one).field === field);
  return name === undefined ? null : { signal: name, ...signalRow(name) };
}

/** Returns the value of a machine's field with its unit; null if the machine has no value for the field. */
export function valueText(machine: Equipment | MachineRow, field: string): string | null {
  const value = (machine as unknown as Record<string, unknown>)[field];
  const row = signalOfField(field);
  if (typeof value !== 'number' || row === null) return null;
  const digits = value.toFixed(row.decimals).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
  return `${shownNumber(digits, row.unit)} ${shownUnit(row.unit)}`;
}

/** Returns a number with its unit, in the language and the units of the page. */
export function numberText(value: number, digits: number, unit: string): string {
  return `${shownNumber(value.toFixed(digits), unit)} ${shownUnit(unit)}`;
}

/** Shows how old the live data of a machine is. `every` is the number of seconds in which new data is expected. */
export function Age({ at, now, every }: { at: string | null; now: number; every: number | undefined }) {
  if (at === null) return <span class="age never">{t('never')}</span>;
  const ms = Date.parse(at);
  return (
    <span class={`age ${machineFreshnessAt(ms, every, now)}`}>
      {t('{age} ago', { age: duration(Math.max(0, now - ms)) })}
    </span>
  );
}

/**
 * A cell with a value. It shows the age of a value that is not fresh, and "never" for a value that never came. A gauge that is too old
 * stands only as the last value, even if the machine sends other data.
 */
export function ValueCell(props: { machine: MachineRow; field: string; title: string; now: number }) {
  const { machine, field, title, now } = props;
  const row = signalOfField(field);
  const cell = { class: 'figure', 'data-label': title };
  if (row === null) return <td {...cell}>—</td>;
  const shown = shownValue(machine, row.signal, valueText(machine, field), now);
  if (shown.freshness === 'fresh') return <td {...cell}>{shown.text}</td>;
  return (
    <td {...cell}>
      <span class={`age ${shown.freshness}`} title={shown.why ?? undefined}>
        {shown.text === null ? shown.age : `${shown.text}, ${shown.age}`}
      </span>
    </td>
  );
}

/** Shows the number of active trouble codes in the last report. Shows "—" instead of 0 if the machine has never sent a report. */
export function CodesCell(props: { counts: Equipment['dtc_counts']; title: string; now: number }) {
  const { counts, title, now } = props;
  const cell = { class: 'figure', 'data-label': title };
  if (counts === null) return <td {...cell}>—</td>;
  const ms = now - Date.parse(counts.observed_at);
  const judged = freshness('level', 1, ms / 1000);
  return (
    <td {...cell}>
      {judged === 'stale' ? (
        <span class="age stale">{t('{n}, {age} ago', { n: counts.active, age: duration(ms) })}</span>
      ) : (
        counts.active
      )}
    </td>
  );
}
