/** A dashboard at a moment: every widget composed, formatted and judged, so that a screen only draws. */
import type { PlacedWidget } from '#contract/board.ts';
import type { EquipmentLive } from '#contract/equipment.ts';
import type { BoardView, MachineTile, WidgetData } from '#contract/live.ts';
import { compareTiles } from '#contract/live-apply.ts';
import type { SignalName } from '#contract/signals.ts';
import { same } from './board-diff.ts';
import { composeKpi } from './board-kpi.ts';
import { type BoardMachine, composeTile, DEFAULT_SIGNALS } from './board-tiles.ts';
import { composeTrend, type SeriesOf, trendSignals } from './board-trend.ts';

/** Everything a composition depends on. */
export interface BoardInput {
  /** Unique among the boards of one screen. */
  readonly id: string;
  readonly dashboard: { readonly name: string; readonly theme: string; readonly widgets: readonly PlacedWidget[] };
  readonly duration_s: number;
  /** Machines of the project by unit number, without those out of service for good. */
  readonly machines: readonly BoardMachine[];
  readonly live: (equipment_id: string) => EquipmentLive | undefined;
  readonly series: SeriesOf;
  readonly now_ms: number;
}

/** The signals whose values the widgets of a board look at. */
export function boardSignals({ widgets }: BoardInput['dashboard']): readonly SignalName[] {
  return [...new Set([...DEFAULT_SIGNALS, ...widgets.flatMap(trendSignals)])];
}

/** The machines that a widget's query selects. */
export function selectMachines(
  query: PlacedWidget['query'],
  machines: readonly BoardMachine[],
): readonly BoardMachine[] {
  return machines.filter(
    ({ id, kind, location_id }) =>
      (query.equipment_id === undefined || query.equipment_id === id) &&
      (query.kind === undefined || query.kind === kind) &&
      (query.location_id === undefined || query.location_id === location_id),
  );
}

/** The whole board at `now_ms`. */
export function composeBoard(input: BoardInput): BoardView {
  const { id, dashboard, duration_s, machines } = input;
  return {
    id,
    name: dashboard.name,
    theme: dashboard.theme,
    duration_s,
    subtitle: machines.length === 1 ? '1 machine' : `${machines.length} machines`,
    widgets: dashboard.widgets.map((widget) => ({
      id: widget.id,
      type: widget.type,
      title: widget.title,
      position: widget.position,
      data: composeWidget(widget, input),
    })),
  };
}

/** What a recomposition may look at: the machines that changed, and whether trends have new buckets. */
export interface Changed {
  readonly machines: ReadonlySet<string>;
  readonly trends: boolean;
}

/** The board after some machines changed: what did not depend on them stays the same object. */
export function recomposeBoard(previous: BoardView, input: BoardInput, changed: Changed): BoardView {
  const widgets = previous.widgets.map((shown, i) => {
    const widget = input.dashboard.widgets[i];
    if (widget === undefined) return shown;
    const data = recomposeWidget(shown.data, widget, input, changed);
    return data === shown.data ? shown : { ...shown, data };
  });
  return widgets.every((widget, i) => widget === previous.widgets[i]) ? previous : { ...previous, widgets };
}

function recomposeWidget(previous: WidgetData, widget: PlacedWidget, input: BoardInput, changed: Changed): WidgetData {
  if (previous.type === 'text') return previous;
  if (previous.type === 'timeseries') return changed.trends ? kept(previous, composeWidget(widget, input)) : previous;
  const machines = selectMachines(widget.query, input.machines);
  if (!machines.some(({ id }) => changed.machines.has(id))) return previous;
  if (previous.type === 'kpi') return kept(previous, composeWidget(widget, input));
  const before = new Map(previous.machines.map((tile) => [tile.id, tile]));
  const tiles = machines.map((machine): MachineTile => {
    const old = before.get(machine.id);
    if (old !== undefined && !changed.machines.has(machine.id)) return old;
    const tile = composeTile(machine, input.live(machine.id), input.now_ms, widget);
    return old !== undefined && same(old, tile) ? old : tile;
  });
  tiles.sort(compareTiles);
  return tiles.length === previous.machines.length && tiles.every((tile, i) => tile === previous.machines[i])
    ? previous
    : { type: 'status_board', machines: tiles };
}

function kept(previous: WidgetData, next: WidgetData): WidgetData {
  return same(previous, next) ? previous : next;
}

function composeWidget(widget: PlacedWidget, input: BoardInput): WidgetData {
  const { live, now_ms } = input;
  const machines = selectMachines(widget.query, input.machines);
  switch (widget.type) {
    case 'status_board':
      return {
        type: 'status_board',
        machines: machines.map((machine) => composeTile(machine, live(machine.id), now_ms, widget)).sort(compareTiles),
      };
    case 'kpi':
      return { type: 'kpi', kpi: composeKpi(widget, machines, live, now_ms) };
    case 'timeseries':
      return { type: 'timeseries', trend: composeTrend(widget, machines, live, input.series, now_ms) };
    case 'text':
      return { type: 'text', text: typeof widget.params.text === 'string' ? widget.params.text.slice(0, 2_000) : '' };
  }
}
