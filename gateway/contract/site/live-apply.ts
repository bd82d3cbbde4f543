/**
 * Applies patches (the changes that the gateway sends) to the boards of a screen. Screens run this code; the gateway runs it to check its
 * patches.
 */
import type {
  BarRow,
  BarTile,
  BoardView,
  ListRow,
  LivePatch,
  MachineTile,
  MapMachine,
  TrendLine,
  WidgetData,
} from './live.ts';
import type { Reason } from './trouble.ts';

/**
 * The object that compares unit numbers in natural order (HT-9 before HT-10). It is created at first use, because creating it on a TV takes
 * longer than drawing the first picture.
 */
let natural: Intl.Collator | undefined;

function compareUnits(a: string, b: string): number {
  natural ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return natural.compare(a, b);
}

/** The grades as in `GRADES` of `#contract/work/attention.ts`. Screens do not load that file, because it contains schemas. */
const ORDER: readonly Reason['grade'][] = ['act', 'look', 'note'];

type Order = Pick<Reason, 'grade' | 'points' | 'since_ms'>;

/** Compares two reasons for attention: by grade, then by points (more first), then by age (the oldest first, an unknown age last). */
export function compareReasons(a: Order, b: Order): number {
  const since = (reason: Order) => reason.since_ms ?? Number.MAX_SAFE_INTEGER;
  return ORDER.indexOf(a.grade) - ORDER.indexOf(b.grade) || b.points - a.points || since(a) - since(b);
}

type Urgent = Pick<MachineTile, 'reasons' | 'attention'>;

/**
 * Sort order of machines by urgency: first the machines in trouble, by their places, then machines with a less urgent reason. A machine
 * without a reason comes last.
 */
export function compareUrgency(a: Urgent, b: Urgent): number {
  const place = ({ attention }: Urgent) => attention?.place ?? Number.MAX_SAFE_INTEGER;
  const order = place(a) - place(b);
  if (order !== 0) return order;
  const [x] = a.reasons;
  const [y] = b.reasons;
  if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
  return compareReasons(x, y);
}

/** Returns the rank of a machine without a reason: in maintenance, unknown, idle, running, off, and last a machine that never sent data. */
function quietRank({ status, live_status, freshness }: MachineTile): number {
  if (status === 'maintenance') return 0;
  if (freshness === 'never') return 5;
  return { unknown: 1, idle: 2, running: 3, off: 4 }[live_status];
}

/** Sort order of tiles: urgency, then unit number in natural order, then id. */
export function compareTiles(a: MachineTile, b: MachineTile): number {
  return (
    compareUrgency(a, b) ||
    quietRank(a) - quietRank(b) ||
    compareUnits(a.unit_number, b.unit_number) ||
    (a.id < b.id ? -1 : 1)
  );
}

interface Named {
  readonly id: string;
  readonly unit_number: string;
}

/** Sort order by unit number in natural order, then id. */
export function compareNamed(a: Named, b: Named): number {
  return compareUnits(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1);
}

/** Compares two bars: by value (bars without a value last), then by unit number. */
export function compareBars(order: BarTile['order']): (a: BarRow, b: BarRow) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const [x, y] = [a.value.value, b.value.value];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || compareNamed(a, b);
    return sign * (x - y) || compareNamed(a, b);
  };
}

/** Applies patches to boards. Unchanged boards and widgets stay the same objects. A patch for an unknown board or widget is ignored. */
export function applyPatches(boards: readonly BoardView[], patches: readonly LivePatch[]): readonly BoardView[] {
  return patches.reduce(applyPatch, boards);
}

function applyPatch(boards: readonly BoardView[], patch: LivePatch): readonly BoardView[] {
  return boards.map((board) =>
    board.id !== patch.board
      ? board
      : {
          ...board,
          widgets: board.widgets.map((widget) =>
            widget.id === patch.widget ? { ...widget, data: patched(widget.data, patch) } : widget,
          ),
        },
  );
}

/** Applies one patch to the content of a widget. */
export function patched(data: WidgetData, patch: LivePatch): WidgetData {
  if ('data' in patch) return patch.data;
  if ('machine' in patch) {
    if (data.type === 'map') {
      const { trouble } = data.map;
      if (trouble === undefined) return data;
      const unplaced = placed(trouble.unplaced, patch.machine, compareTiles);
      return { ...data, map: { ...data.map, trouble: { ...trouble, unplaced } } };
    }
    if (data.type !== 'status_board') return data;
    return { ...data, machines: placed(data.machines, patch.machine, compareTiles) };
  }
  if ('item' in patch) {
    if (data.type === 'machine_list')
      return { ...data, list: { ...data.list, rows: placed(data.list.rows, patch.item as ListRow, compareTiles) } };
    if (data.type === 'bar') {
      const { bar } = data;
      return { ...data, bar: { ...bar, rows: placed(bar.rows, patch.item as BarRow, compareBars(bar.order)) } };
    }
    if (data.type !== 'map') return data;
    const machines = placed(data.map.machines, patch.item as MapMachine, compareNamed);
    return { ...data, map: { ...data.map, machines } };
  }
  if (data.type !== 'timeseries') return data;
  const lines = data.trend.lines.map((line) =>
    line.key === patch.line ? extended(line, patch, data.trend.window_s) : line,
  );
  return { ...data, trend: { ...data.trend, lines } };
}

/** Replaces one item of a sorted list, and puts it at its new position. */
function placed<T extends { readonly id: string }>(items: readonly T[], item: T, compare: (a: T, b: T) => number): T[] {
  const others = items.filter(({ id }) => id !== item.id);
  // The other items are still sorted, so only the position of this one must be found.
  const found = others.findIndex((other) => compare(item, other) < 0);
  const place = found < 0 ? others.length : found;
  return [...others.slice(0, place), item, ...others.slice(place)];
}

/** Appends new points to a line, and drops points that are outside the window before the last point. */
function extended(line: TrendLine, more: Pick<TrendLine, 'freshness' | 'of' | 't' | 'v'>, windowS: number): TrendLine {
  const t = [...line.t, ...more.t];
  const v = [...line.v, ...more.v];
  const from = trendStart(t, windowS);
  const { of: _, ...rest } = line;
  const of = more.of === undefined ? {} : { of: more.of };
  return { ...rest, freshness: more.freshness, ...of, t: t.slice(from), v: v.slice(from) };
}

/** Index of the first point inside the window that ends at the last point. */
export function trendStart(t: readonly number[], windowS: number): number {
  // Do not use Array.prototype.at: the oldest supported TV browsers do not have it (see ui/SPEC.md).
  const edge = (t[t.length - 1] ?? 0) - windowS;
  let from = 0;
  while (from < t.length && (t[from] ?? 0) <= edge) from++;
  return from;
}
