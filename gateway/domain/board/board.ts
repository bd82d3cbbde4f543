/**
 * Composes the content of a dashboard for one moment. The gateway formats all values and compares them with thresholds; a screen only draws
 * them.
 */

import { freshness } from '#contract/base/freshness.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type {
  BarRow,
  BoardView,
  CameraTile,
  ListRow,
  MachineTile,
  MapMachine,
  WidgetData,
} from '#contract/site/live.ts';
import { compareTiles } from '#contract/site/live-apply.ts';
import type { Calm } from '#contract/site/trouble.ts';
import { type PlacedWidget, siteAggregateOf } from '#contract/site/widget.ts';
import { wholeSecond } from '#domain/base/number-text.ts';
import { same } from './diff.ts';
import type { BoardFacts } from './facts.ts';
import { composeKpi } from './kpi.ts';
import { composeMap, composeMapFrame, composeMapMachine, fixOf, listsTrouble, MAP_SIGNALS } from './map.ts';
import { composeBarRow, composeBars, composeList, composeRow } from './rows.ts';
import { seatsOf } from './seats.ts';
import { composeSiteKpi } from './site-kpi.ts';
import { type BoardMachine, composeTile, DEFAULT_SIGNALS, type Standing } from './tiles.ts';
import { composeTrend, type SeriesOf, trendSignals } from './trend.ts';
import { ownBound } from './values.ts';
import { composeAlerts, composeShift, composeTickets } from './work.ts';

/** The content of a screen: widgets, or one media file that fills it. */
export interface BoardFrame {
  readonly name: string;
  readonly theme: string;
  readonly widgets: readonly PlacedWidget[];
  readonly alarm?: BoardView['alarm'];
  /** The media file that is shown instead of widgets. */
  readonly media?: Extract<WidgetData, { type: 'media' }>['media'];
}

/** The input from which `composeBoard` computes one board. */
export interface BoardInput {
  /** Id of the board, unique among the boards of one screen. */
  readonly id: string;
  readonly dashboard: BoardFrame;
  readonly duration_s: number;
  /** The machines of the project in the order of unit numbers, without decommissioned machines. */
  readonly machines: readonly BoardMachine[];
  /** Retired machines whose place in the strip of a status board stays empty. */
  readonly retired?: readonly BoardMachine[];
  readonly live: (equipment_id: string) => EquipmentLive | undefined;
  readonly series: SeriesOf;
  readonly facts: BoardFacts;
  /** Returns the place of a machine in the ranking of the site, and its reasons. */
  readonly standing: (equipment_id: string) => Standing;
  /** Since when no machine of the site is in trouble; undefined while one is. */
  readonly calm?: Calm | undefined;
  readonly now_ms: number;
}

/** Returns the signals that the widgets of a board use. */
export function boardSignals({ widgets }: BoardInput['dashboard']): readonly SignalName[] {
  const map = widgets.some(({ type }) => type === 'map') ? MAP_SIGNALS : [];
  return [...new Set([...DEFAULT_SIGNALS, ...map, ...widgets.flatMap(trendSignals)])];
}

/** Returns the machines that a widget's query selects. */
export function selectMachines(
  query: PlacedWidget['query'],
  machines: readonly BoardMachine[],
): readonly BoardMachine[] {
  return machines.filter(
    ({ id, kind, location_id, within = [] }) =>
      (query.equipment_id === undefined || query.equipment_id === id) &&
      (query.kind === undefined || query.kind === kind) &&
      (query.location_id === undefined || query.location_id === location_id || within.includes(query.location_id)),
  );
}

const WHOLE = { x: 0, y: 0, w: 12, h: 6 } as const;

/** Composes the whole board at `now_ms`. */
export function composeBoard(input: BoardInput): BoardView {
  const { id, dashboard, duration_s, machines } = input;
  const { name, theme, alarm, media } = dashboard;
  const shown: BoardView['widgets'] =
    media === undefined
      ? dashboard.widgets.map((widget) => ({
          id: widget.id,
          type: widget.type,
          title: widget.title,
          position: widget.position,
          data: composeWidget(widget, input),
        }))
      : [{ id: 'media', type: 'media', title: '', position: WHOLE, data: { type: 'media', media } }];
  return {
    id,
    name,
    theme,
    duration_s,
    subtitle:
      media !== undefined || alarm !== undefined
        ? ''
        : machines.length === 1
          ? '1 machine'
          : `${machines.length} machines`,
    ...(alarm === undefined ? {} : { alarm }),
    widgets: shown,
  };
}

/**
 * The input that has changed since the board was last composed. `facts` is true if tickets, alerts, pictures, locations, the shift or the
 * ranking of machines have changed.
 */
export interface Changed {
  readonly machines: ReadonlySet<string>;
  readonly trends: boolean;
  readonly facts: boolean;
}

/** Composes only the widgets that depend on the changes. Every other widget stays the same object. */
export function recomposeBoard(previous: BoardView, input: BoardInput, changed: Changed): BoardView {
  const widgets = previous.widgets.map((shown, i) => {
    const widget = input.dashboard.widgets[i];
    if (widget === undefined) return shown;
    const data = recomposeWidget(shown.data, widget, input, changed);
    return data === shown.data ? shown : { ...shown, data };
  });
  return widgets.every((widget, i) => widget === previous.widgets[i]) ? previous : { ...previous, widgets };
}

type Type = PlacedWidget['type'];
/**
 * For each widget type, the inputs from which its content is computed, besides the machines: live values, trends, or facts (tickets,
 * alerts, pictures and so on).
 */
const SOURCES: Readonly<Record<Type, readonly ('live' | 'trends' | 'facts')[]>> = {
  status_board: ['live', 'facts'],
  machine_list: ['live', 'facts'],
  kpi: ['live', 'facts'],
  bar: ['live'],
  timeseries: ['trends'],
  map: ['live', 'facts'],
  ticket_board: ['facts'],
  // An alert feed names the trouble codes that cause a lamp alert, and these codes are live values.
  alert_feed: ['live', 'facts'],
  shift_progress: ['facts'],
  day: ['facts'],
  camera: ['live', 'facts'],
  text: [],
  qr: ['facts'],
};

function recomposeWidget(previous: WidgetData, widget: PlacedWidget, input: BoardInput, changed: Changed): WidgetData {
  // A newer version may have written a widget of a type that this version does not know.
  const concerns = Object.hasOwn(SOURCES, widget.type) ? SOURCES[widget.type] : [];
  const moved =
    concerns.includes('live') &&
    // A camera belongs to no machine, so no change names it. Compose its widget whenever any machine changes, because the freshness of its
    // picture changes with time.
    (widget.type === 'camera'
      ? changed.machines.size > 0
      : selectMachines(widget.query, input.machines).some(({ id }) => changed.machines.has(id)));
  const due = moved || (concerns.includes('trends') && changed.trends) || (concerns.includes('facts') && changed.facts);
  if (!due) return previous;
  // A new ranking may concern any machine, so compose the items of all machines again.
  const next = composeWidget(widget, input, previous, changed.facts ? undefined : changed.machines);
  return same(previous, next) ? previous : next;
}

/**
 * Returns one item for each machine. If `changed` is given, composes only the items of these machines again. If a new item is equal to the
 * previous item, returns the previous object.
 */
function itemsOf<T extends { readonly id: string }>(
  machines: readonly BoardMachine[],
  make: (machine: BoardMachine) => T,
  before: readonly T[] | undefined,
  changed: ReadonlySet<string> | undefined,
): T[] {
  if (before === undefined) return machines.map(make);
  const known = new Map(before.map((item) => [item.id, item]));
  return machines.map((machine) => {
    const old = known.get(machine.id);
    if (old !== undefined && changed?.has(machine.id) === false) return old;
    const item = make(machine);
    return old !== undefined && same(old, item) ? old : item;
  });
}

/**
 * Composes the content of a widget. If the previous content and the changed machines are given, composes only the items of the changed
 * machines again.
 */
function composeWidget(
  widget: PlacedWidget,
  input: BoardInput,
  before?: WidgetData,
  changed?: ReadonlySet<string>,
): WidgetData {
  const { live, now_ms, facts, standing, calm } = input;
  const machines = selectMachines(widget.query, input.machines);
  switch (widget.type) {
    case 'status_board': {
      const seats = seatsOf(machines, selectMachines(widget.query, input.retired ?? []));
      const make = (machine: BoardMachine): MachineTile => ({
        ...composeTile(machine, live(machine.id), standing(machine.id), now_ms, widget),
        seat: seats.get(machine.id) ?? 0,
      });
      const old = before?.type === 'status_board' ? before.machines : undefined;
      const tiles = itemsOf(machines, make, old, changed).sort(compareTiles);
      return { type: 'status_board', machines: tiles, ...(calm !== undefined && { calm }) };
    }
    case 'machine_list': {
      const make = (machine: BoardMachine): ListRow =>
        composeRow(machine, live(machine.id), standing(machine.id), now_ms, widget);
      const old = before?.type === 'machine_list' ? before.list.rows : undefined;
      return { type: 'machine_list', list: composeList(widget, itemsOf(machines, make, old, changed)) };
    }
    case 'kpi': {
      const about = siteAggregateOf(widget);
      if (about !== undefined) return { type: 'kpi', kpi: composeSiteKpi(widget, about, { machines, facts, now_ms }) };
      return { type: 'kpi', kpi: composeKpi(widget, machines, live, now_ms) };
    }
    case 'bar': {
      const make = (machine: BoardMachine): BarRow => composeBarRow(machine, live(machine.id), now_ms, widget);
      const old = before?.type === 'bar' ? before.bar.rows : undefined;
      return { type: 'bar', bar: composeBars(widget, itemsOf(machines, make, old, changed)) };
    }
    case 'timeseries':
      return { type: 'timeseries', trend: composeTrend(widget, machines, live, input.series, now_ms) };
    case 'map': {
      const frame = composeMapFrame(widget, machines, facts.places, (id) => fixOf(live(id)));
      const spot = (id: string) => frame.at.get(id) ?? ([0, 0] as const);
      const make = (machine: BoardMachine): MapMachine =>
        composeMapMachine(machine, live(machine.id), standing(machine.id), now_ms, widget, spot(machine.id));
      const placed = machines.filter(({ id }) => frame.at.has(id));
      // If the extent of the map has changed, machines get other positions on the map, even if they have not moved. So compose each machine
      // with a changed position again.
      const old =
        before?.type === 'map' ? before.map.machines.filter(({ id, x, y }) => same([x, y], spot(id))) : undefined;
      const unplaced = listsTrouble(widget, input.dashboard.widgets)
        ? machines
            .filter(({ id }) => !frame.at.has(id) && standing(id).attention?.place != null)
            .map((machine) => composeTile(machine, live(machine.id), standing(machine.id), now_ms, widget))
        : undefined;
      return { type: 'map', map: composeMap(frame, itemsOf(placed, make, old, changed), unplaced) };
    }
    case 'ticket_board':
      return { type: 'ticket_board', columns: composeTickets(machines, facts.tickets) };
    case 'alert_feed':
      return { type: 'alert_feed', alerts: composeAlerts(widget, machines, facts, live) };
    case 'shift_progress':
      return { type: 'shift_progress', shift: composeShift(machines, facts.shift, live, standing) };
    case 'day': {
      const which = widget.params.day === 'yesterday' ? 'yesterday' : 'today';
      return { type: 'day', which, day: facts.days?.[which] ?? null };
    }
    case 'camera':
      return { type: 'camera', camera: composeCamera(widget, facts, now_ms) };
    case 'text':
      return { type: 'text', text: typeof widget.params.text === 'string' ? widget.params.text.slice(0, 2_000) : '' };
    case 'qr':
      return {
        type: 'qr',
        qr: facts.codes.get(`${input.id}\n${widget.id}`) ?? {
          code: null,
          caption: 'This code is not ready',
          is_made: true,
        },
      };
    default:
      return { type: 'text', text: 'A newer version wrote this tile. This version does not know it.' };
  }
}

/** Expected seconds between pictures of a camera for which nobody set `expected_interval_s`. */
const USUAL_PICTURE_S = 10;

function composeCamera(widget: PlacedWidget, { devices, frames }: BoardFacts, now_ms: number): CameraTile {
  const id = widget.query.device_id ?? '';
  const device = devices.get(id);
  const frame = frames.get(id);
  const interval_s = device?.interval_s ?? USUAL_PICTURE_S;
  const age_s = frame === undefined ? null : Math.max(0, now_ms - frame.taken_ms) / 1000;
  return {
    device: device?.name ?? 'Unknown device',
    artifact_id: frame?.artifact_id ?? null,
    age: {
      freshness: freshness('gauge', interval_s, age_s, widget.max_age_s),
      as_of_ms: frame === undefined ? null : wholeSecond(frame.taken_ms),
      kind: 'gauge',
      interval_s,
      ...ownBound(widget),
    },
  };
}
