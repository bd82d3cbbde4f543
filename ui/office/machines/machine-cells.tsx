/** Cells of the machine table: values and ages with their freshness. */
import { freshness, SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { duration } from '#ui/format.ts';

type Equipment = Output<'equipment_list'>['data'][number];

function signalOfField(field: string) {
  const name = SIGNAL_NAMES.find((one) => signalRow(one).field === field);
  return name === undefined ? null : signalRow(name);
}

/** Returns the value of a machine's field with its unit; null if the machine has no value for the field. */
export function valueText(machine: Equipment | MachineRow, field: string): string | null {
  const value = (machine as unknown as Record<string, unknown>)[field];
  const row = signalOfField(field);
  if (typeof value !== 'number' || row === null) return null;
  const digits = value.toFixed(row.decimals).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
  return `${digits} ${row.unit}`;
}

export function Age({ at, now, every }: { at: string | null; now: number; every: number }) {
  if (at === null) return <span class="age never">never</span>;
  const ms = now - Date.parse(at);
  return <span class={`age ${freshness('gauge', every, ms / 1000)}`}>{duration(ms)} ago</span>;
}

/**
 * A cell with a value. The cell hides the value of a gauge when it is too old, even if the machine sends other data. It shows the age of a
 * stale value.
 */
export function ValueCell({ machine, field, now }: { machine: MachineRow; field: string; now: number }) {
  const row = signalOfField(field);
  const text = valueText(machine, field);
  const at = machine.context.fields?.[field]?.observed_at ?? null;
  if (row === null || text === null || at === null) return <td class="figure">—</td>;
  const ms = now - Date.parse(at);
  const judged = freshness(row.kind, row.interval_s, ms / 1000);
  if (judged === 'none') return <td class="figure">—</td>;
  if (judged !== 'stale') return <td class="figure">{text}</td>;
  return (
    <td class="figure">
      <span class="age stale">
        {text}, {duration(ms)} ago
      </span>
    </td>
  );
}

/** Shows the number of active trouble codes in the last report. Shows "—" instead of 0 if the machine has never sent a report. */
export function CodesCell({ counts, now }: { counts: Equipment['dtc_counts']; now: number }) {
  if (counts === null) return <td class="figure">—</td>;
  const ms = now - Date.parse(counts.observed_at);
  const judged = freshness('level', 1, ms / 1000);
  return (
    <td class="figure">
      {judged === 'stale' ? (
        <span class="age stale">
          {counts.active}, {duration(ms)} ago
        </span>
      ) : (
        counts.active
      )}
    </td>
  );
}
