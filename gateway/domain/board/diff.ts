/**
 * Computes the patches (changes) that a screen needs to go from one content of a board to the next. The patches are as small as possible.
 */
import type {
  BarRow,
  BoardView,
  ListRow,
  LivePatch,
  MapMachine,
  TrendLine,
  TrendTile,
  WidgetData,
} from '#contract/site/live.ts';
import { patched } from '#contract/site/live-apply.ts';

/** Returns the patches that turn `previous` into `next`, or undefined if the layout changed and the screen needs a full snapshot. */
export function diffBoard(previous: BoardView, next: BoardView): LivePatch[] | undefined {
  if (previous === next) return [];
  if (!same(frame(previous), frame(next))) return undefined;
  return next.widgets.flatMap(({ id, data }, i) => {
    const before = previous.widgets[i]?.data;
    if (before === undefined || before === data) return [];
    return diffData({ board: next.id, widget: id }, before, data);
  });
}

function frame(board: BoardView): unknown {
  return { ...board, widgets: board.widgets.map(({ data, ...widget }) => ({ ...widget, type: data.type })) };
}

type Place = { readonly board: string; readonly widget: string };

function diffData(place: Place, before: WidgetData, after: WidgetData): LivePatch[] {
  if (same(before, after)) return [];
  const pieces = diffPieces(place, before, after);
  return pieces !== undefined && same(pieces.reduce(patched, before), after) ? pieces : [{ ...place, data: after }];
}

/** Returns the patches of the changed items of a widget, or undefined if the gateway must send the whole widget. */
function diffPieces(place: Place, before: WidgetData, after: WidgetData): LivePatch[] | undefined {
  if (before.type === 'status_board' && after.type === 'status_board') {
    const known = new Map(before.machines.map((tile) => [tile.id, tile]));
    if (
      !same(before.calm, after.calm) ||
      known.size !== after.machines.length ||
      !after.machines.every(({ id }) => known.has(id))
    )
      return undefined;
    return after.machines.filter((tile) => !same(known.get(tile.id), tile)).map((machine) => ({ ...place, machine }));
  }
  if (before.type === 'machine_list' && after.type === 'machine_list')
    return diffItems(place, before.list.rows, after.list.rows);
  if (before.type === 'bar' && after.type === 'bar') return diffItems(place, before.bar.rows, after.bar.rows);
  if (before.type === 'map' && after.type === 'map') {
    const items = diffItems(place, before.map.machines, after.map.machines);
    const old = before.map.trouble?.unplaced ?? [];
    const changed = (after.map.trouble?.unplaced ?? []).filter(
      (tile) =>
        !same(
          old.find(({ id }) => id === tile.id),
          tile,
        ),
    );
    return items && [...items, ...changed.map((machine) => ({ ...place, machine }))];
  }
  if (before.type === 'timeseries' && after.type === 'timeseries') return diffTrend(place, before.trend, after.trend);
  return undefined;
}

/**
 * Returns a patch for each item that differs between the two lists; undefined if the lists do not have the same ids. The caller compares
 * the other fields of the widget.
 */
function diffItems<T extends ListRow | BarRow | MapMachine>(
  place: Place,
  before: readonly T[],
  after: readonly T[],
): LivePatch[] | undefined {
  const known = new Map(before.map((item) => [item.id, item]));
  if (known.size !== after.length || !after.every(({ id }) => known.has(id))) return undefined;
  return after.filter((item) => !same(known.get(item.id), item)).map((item) => ({ ...place, item }));
}

function diffTrend(place: Place, before: TrendTile, after: TrendTile): LivePatch[] | undefined {
  if (before.lines.length !== after.lines.length) return undefined;
  return after.lines.flatMap((line, i) => {
    const old: TrendLine | undefined = before.lines[i];
    if (same(old, line)) return [];
    const last = old?.t.at(-1) ?? Number.NEGATIVE_INFINITY;
    const from = line.t.findIndex((time) => time > last);
    const t = from < 0 ? [] : line.t.slice(from);
    const v = from < 0 ? [] : line.v.slice(from);
    const of = line.of === undefined ? {} : { of: line.of };
    return [{ ...place, line: line.key, freshness: line.freshness, ...of, t, v }];
  });
}

/** Returns true if two JSON values are deeply equal. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  return keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]));
}
