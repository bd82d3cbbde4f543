/** The numbers of a `kpi` widget that managers ask for: the present shift against its target, the longest stoppage, repairs, and yesterday. */
import { formatNumber } from '#contract/base/format-number.ts';
import { type SiteAggregate, UNKNOWN_PERCENT } from '#contract/base/widget-kinds.ts';
import type { KpiTile } from '#contract/site/live.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { isOpenTicket } from '#contract/work/repair-ticket.ts';
import { addTime, NO_TIME, unknownShare, utilizationOf } from '#domain/work/shift-tally.ts';
import type { BoardFacts } from './facts.ts';
import { range } from './kpi.ts';
import type { BoardMachine } from './tiles.ts';
import { levelOf } from './values.ts';

const HOUR_MS = 3_600_000;

/** What a number says; the widget adds its range and its thresholds. */
interface Said {
  readonly label: string;
  readonly value: number | null;
  readonly unit: string;
  /** Default: the value with `decimals`. */
  readonly text?: string;
  readonly decimals?: number;
  readonly note: string | null;
  readonly of?: BoardMachine | undefined;
  /** The usual upper end of the range. 0: a number without a bar. */
  readonly max: number;
  /** In the unit of the value; null: none. */
  readonly target?: number | null;
}

interface Input {
  readonly machines: readonly BoardMachine[];
  readonly facts: BoardFacts;
  readonly now_ms: number;
}

/**
 * A share of work in the known time. A large unknown part is more important than the target, which the bar shows too; if the unknown part is
 * too large, there is no number.
 */
function shareSaid(label: string, share: number | null, unknown: number, target: number | null): Said {
  const value = share === null || unknown > UNKNOWN_PERCENT.most ? null : Math.round(share);
  const aim = target === null ? 'of the known time' : `target ${target} %`;
  return {
    label,
    unit: '%',
    max: 100,
    note: unknown >= UNKNOWN_PERCENT.told ? `${unknown} % unknown` : aim,
    target,
    value,
  };
}

function workingInShift({ machines, facts: { shift } }: Input): Said {
  const total = { ...NO_TIME };
  for (const { id } of machines) addTime(total, shift?.used.get(id)?.minutes ?? NO_TIME);
  const share = shift?.now == null ? null : utilizationOf(total);
  return shareSaid('Work in known time', share, unknownShare(total), shift?.target_percent ?? null);
}

function workedYesterday({ facts: { days, shift } }: Input): Said {
  const { working_percent = null, unknown_percent = 100 } = days?.yesterday ?? {};
  return shareSaid('Worked yesterday', working_percent, unknown_percent, shift?.target_percent ?? null);
}

function fuelInShift({ facts: { days } }: Input): Said {
  const { fuel_l = null, fuel_machines = 0, machines = 0 } = days?.shift ?? {};
  const note = machines === 0 ? null : `${fuel_machines} of ${machines} known`;
  return { label: 'Fuel this shift', unit: 'L', max: 0, note, value: fuel_l };
}

function longestDown({ machines, facts: { shift } }: Input): Said {
  const down = machines
    .map((machine) => ({ machine, minutes: shift?.used.get(machine.id)?.minutes.down ?? 0 }))
    .filter(({ minutes }) => minutes > 0)
    .sort((a, b) => b.minutes - a.minutes)[0];
  const label = 'Longest down this shift';
  if (shift?.now == null) return { label, unit: 'min', max: 0, note: null, value: null };
  if (down === undefined) return { label, unit: 'min', max: 0, note: 'none down', value: 0 };
  const { machine, minutes } = down;
  return minutes < 60
    ? { label, unit: 'min', max: 0, note: null, value: minutes, of: machine }
    : { label, unit: 'h', decimals: 1, max: 0, note: null, value: Math.round(minutes / 6) / 10, of: machine };
}

function oldestRepair({ machines, facts: { tickets }, now_ms }: Input): Said {
  const known = new Map(machines.map((machine) => [machine.id, machine]));
  const oldest = tickets
    .filter(({ status, equipment_id }) => known.has(equipment_id) && isOpenTicket(status))
    .sort((a, b) => Date.parse(a.flagged_at) - Date.parse(b.flagged_at))[0];
  const label = 'Oldest open repair';
  if (oldest === undefined) return { label, unit: '', max: 0, note: 'no open repairs', value: 0 };
  const hours = Math.floor(Math.max(0, now_ms - Date.parse(oldest.flagged_at)) / HOUR_MS);
  const days = Math.floor(hours / 24);
  const text = days === 0 ? `${hours} h` : days < 10 ? `${days} d ${hours % 24} h` : `${days} d`;
  const { title, equipment_id } = oldest;
  return { label, unit: '', text, max: 0, note: title, value: hours, of: known.get(equipment_id) };
}

const SAID: Readonly<Record<SiteAggregate, (input: Input) => Said>> = {
  working_in_shift: workingInShift,
  fuel_in_shift: fuelInShift,
  longest_down: longestDown,
  oldest_repair: oldestRepair,
  worked_yesterday: workedYesterday,
};

/** Returns the limits of the tile. The target of the site is one, unless the widget has limits of its own. A value equal to the target reaches it. */
function limitsOf({ thresholds }: PlacedWidget, value: number | null, target: number | null) {
  if (thresholds.length > 0 || target === null)
    return { thresholds, level: value === null ? ('normal' as const) : levelOf(value, thresholds) };
  const isBelow = value !== null && value < target;
  return {
    thresholds: [{ at: target, level: 'warning' as const, below: true }],
    level: isBelow ? ('warning' as const) : ('normal' as const),
  };
}

/** Composes a `kpi` widget with a number about the site. */
export function composeSiteKpi(widget: PlacedWidget, aggregate: SiteAggregate, input: Input): KpiTile {
  const { label, value, unit, text, decimals = 0, note, of, max, target = null } = SAID[aggregate](input);
  const { thresholds, level } = limitsOf(widget, value, target);
  return {
    value: {
      ...{ label, unit, value, level },
      text: value === null ? null : (text ?? formatNumber(value, decimals)),
      freshness: value === null ? 'none' : 'fresh',
      as_of_ms: null,
    },
    note,
    ...(of === undefined ? {} : { of: { id: of.id, unit_number: of.unit_number } }),
    ...range(widget, { min: 0, max }),
    thresholds,
  };
}
