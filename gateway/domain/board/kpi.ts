/** The `kpi` widget: one number computed over several machines, with a note of how many machines it covers. */

import { formatNumber } from '#contract/base/format-number.ts';
import { FRESHNESS, isCurrent, staleAfter } from '#contract/base/freshness.ts';
import { isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { DrawnValue, KpiTile } from '#contract/site/live.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { reports } from '#domain/attention/judged.ts';
import type { BoardMachine } from './tiles.ts';
import { drawSignal, levelOf, ownBound, rounded } from './values.ts';

type LiveOf = (equipment_id: string) => EquipmentLive | undefined;
const AGGREGATES = ['sum', 'avg', 'min', 'max'] as const;
type Aggregate = (typeof AGGREGATES)[number];

const COUNTS = { utilization: 'Running now', count_running: 'Running', count_reporting: 'Reporting' } as const;

/** Composes a `kpi` widget over the machines that its query selects. */
export function composeKpi(
  widget: PlacedWidget,
  machines: readonly BoardMachine[],
  live: LiveOf,
  now_ms: number,
): KpiTile {
  const { signal, aggregate, equipment_id } = widget.query;
  const [only] = machines;
  if (aggregate === 'utilization' || aggregate === 'count_running' || aggregate === 'count_reporting')
    return countKpi(widget, aggregate, machines, live, now_ms);
  if (signal === undefined || !isSignal(signal)) return countKpi(widget, 'count_reporting', machines, live, now_ms);
  if (equipment_id !== undefined && only !== undefined) {
    const value = drawSignal(signal, live(only.id)?.values[signal], now_ms, widget);
    return { value, note: null, of: nameOf(only), ...range(widget, signalRow(signal)), thresholds: widget.thresholds };
  }
  return signalKpi(widget, signal, aggregateOf(aggregate), machines, live, now_ms);
}

const aggregateOf = (aggregate: PlacedWidget['query']['aggregate']): Aggregate =>
  AGGREGATES.find((one) => one === aggregate) ?? 'avg';

/** Returns the number of machines, or the percentage of running machines among those machines that report data. */
function countKpi(
  widget: PlacedWidget,
  what: keyof typeof COUNTS,
  machines: readonly BoardMachine[],
  live: LiveOf,
  now_ms: number,
): KpiTile {
  const reporting = machines.filter((machine) => reports(machine, live(machine.id), now_ms, widget.max_age_s));
  const running = reporting.filter((machine) => live(machine.id)?.live_status === 'running').length;
  const share = what === 'utilization';
  const counted = what === 'count_reporting' ? reporting.length : running;
  const value = share
    ? reporting.length === 0
      ? null
      : Math.round((100 * running) / reporting.length)
    : machines.length === 0
      ? null
      : counted;
  return {
    value: {
      label: COUNTS[what],
      unit: share ? '%' : counted === 1 ? 'machine' : 'machines',
      text: value === null ? null : formatNumber(value, 0),
      value,
      freshness: value === null ? 'none' : 'fresh',
      as_of_ms: null,
      level: value === null ? 'normal' : levelOf(value, widget.thresholds),
    },
    note:
      what === 'count_reporting'
        ? `of ${machines.length} in the fleet`
        : share
          ? `${running} of ${reporting.length} running`
          : coverage(reporting.length, machines.length, 'reporting'),
    ...range(widget, { min: 0, max: share ? 100 : Math.max(1, machines.length) }),
    thresholds: widget.thresholds,
  };
}

/**
 * Computes one number from a signal of several machines. If the signal is a gauge (a momentary value such as a temperature), a machine
 * counts only while its value is fresh. If the signal is a meter or a level, a machine counts with its last known value.
 */
function signalKpi(
  widget: PlacedWidget,
  signal: SignalName,
  aggregate: Aggregate,
  machines: readonly BoardMachine[],
  live: LiveOf,
  now_ms: number,
): KpiTile {
  const row = signalRow(signal);
  const all = machines.map((machine) => {
    const value: LiveValue | undefined = live(machine.id)?.values[signal];
    return {
      machine,
      raw: value?.value ?? 0,
      drawn: drawSignal(signal, value, now_ms, ownBound(widget)),
    };
  });
  const known = all.filter(({ drawn }) => (row.kind === 'gauge' ? isCurrent(drawn.freshness) : drawn.value !== null));
  const shownOf = known.length > 0 ? known : all;
  const ages = shownOf.map(({ drawn }) => FRESHNESS.indexOf(drawn.freshness));
  const times = known.map(({ drawn }) => drawn.as_of_ms ?? 0);
  // A sum of gauges (momentary values) has the age of its oldest value. A sum of levels, such as the fuel in the tanks, has the age of its
  // newest value: a parked machine sends no new level, but this must not make the sum of the whole fleet look stale.
  const pick = row.kind === 'gauge' ? Math.max : Math.min;
  const age = FRESHNESS[known.length > 0 ? pick(...ages) : Math.min(4, ...ages)] ?? 'never';
  const result =
    known.length === 0
      ? null
      : fold(
          aggregate,
          known.map(({ raw }) => raw),
        );
  const shown = result === null ? null : rounded(result, row.decimals);
  const value: DrawnValue = {
    label: row.label,
    unit: row.unit,
    kind: row.kind,
    interval_s: shownOf.length === 0 ? row.interval_s : Math.max(...shownOf.map(({ drawn }) => drawn.interval_s ?? 0)),
    ...sharedBound(shownOf.map(({ drawn }) => drawn)),
    text: shown === null ? null : formatNumber(shown, row.decimals),
    value: shown,
    // If the gauges of all machines are too old, the widget shows no number, and the freshness is `none`.
    freshness: shown === null && age !== 'never' ? 'none' : age,
    as_of_ms: times.length === 0 ? null : row.kind === 'gauge' ? Math.min(...times) : Math.max(...times),
    level: shown === null ? 'normal' : levelOf(shown, widget.thresholds),
  };
  // Show the machine that has the minimum or maximum. If several machines have this value, show the first machine in the order of unit
  // numbers.
  const owner = known.find(({ raw }) => (aggregate === 'min' || aggregate === 'max') && raw === result);
  const scale = aggregate === 'sum' ? Math.max(1, machines.length) : 1;
  return {
    value,
    note: coverage(known.length, machines.length, row.kind === 'gauge' ? 'reporting' : 'known'),
    ...(owner === undefined ? {} : { of: nameOf(owner.machine) }),
    ...range(widget, { min: row.min * scale, max: row.max * scale }),
    thresholds: widget.thresholds,
  };
}

/**
 * Returns the longest age limit of several values; an empty object if no value has a limit of its own, because the limit then follows from
 * the interval.
 */
function sharedBound(values: readonly DrawnValue[]): { readonly max_age_s?: number } {
  if (values.every(({ max_age_s }) => max_age_s === undefined)) return {};
  return { max_age_s: Math.max(...values.map(({ max_age_s, interval_s = 0 }) => max_age_s ?? staleAfter(interval_s))) };
}

const nameOf = ({ id, unit_number }: BoardMachine) => ({ id, unit_number });

function coverage(some: number, all: number, word: string): string {
  return all === 0 ? 'no machines yet' : `${some} of ${all} ${word}`;
}

function fold(aggregate: Aggregate, values: readonly number[]): number {
  if (aggregate === 'min') return Math.min(...values);
  if (aggregate === 'max') return Math.max(...values);
  const sum = values.reduce((total, value) => total + value, 0);
  return aggregate === 'sum' ? sum : sum / values.length;
}

/** Returns the range that a widget draws: the widget's `min` and `max`, or else the range of the signal. */
export function range(
  widget: Pick<PlacedWidget, 'params'>,
  usual: { min: number; max: number },
): { min: number; max: number } {
  const { min, max } = widget.params;
  return { min: typeof min === 'number' ? min : usual.min, max: typeof max === 'number' ? max : usual.max };
}
