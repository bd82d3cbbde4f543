/**
 * Divides a status board: machines in trouble above, and below them the strip, in which every machine has its place. The functions have no
 * side effects. All lengths are in u (1 u is a hundredth of the screen height).
 */
import type { MachineTile } from '#contract/site/live.ts';
import { type Size, textWidth } from '#ui/text/measure.ts';
import { compareUnits } from '#ui/text/unit-order.ts';

/** The kinds of cells of the strip: with a value, with the state as a word, and with the number and a shape only. */
const CELLS = [
  { kind: 'large', w: 25.2, h: 8.6, most: 16 },
  { kind: 'medium', w: 15.2, h: 6.8, most: 60 },
  { kind: 'small', w: 4.6, h: 5.7, most: Number.POSITIVE_INFINITY },
] as const;
type Kind = (typeof CELLS)[number]['kind'];

export const GAP = 1.5;
const CELL_GAP = 0.6;
/** The heading of the strip, and the space around its cells. */
const HEAD = 5;
const PADDING = 1.2;
/** Height of the part above the strip: the least with trouble, the most with trouble, and without trouble. */
const LEAST_TOP = 34;
const MOST_TOP = 45;
const CALM_TOP = 20;
/** A widget that is smaller than this has no part above the strip. */
const SMALLEST: Size = { w: 90, h: 56 };
/** The smallest height of a row of trouble, and the largest number of these rows. */
const ROW = 9.4;
const MOST_ROWS = 4;
/** Height of the line with the machines that have no row. */
export const MORE = 4.4;
/** Text size of the number in a small cell. */
export const NUMBER = 2.6;
/** Cells grow at most by this factor if there is space. */
const MOST_LARGER = 1.7;
/** A large cell of at least this height, in its own units, has its value on a third line. */
export const HIGH = 12;
/** The largest height of a large cell, and the widths of its padding and of its live status, in its own units. */
const MOST_HIGH = 18;
const CELL_PADDING = 2.4;
const STATE = 14;

export interface WallLayout {
  readonly kind: Kind;
  readonly columns: number;
  readonly pages: number;
  /** Number of cells on one page. */
  readonly each: number;
  readonly cell: Size;
  readonly larger: number;
  /** Height of the part above the strip; 0 if there is none. */
  readonly top: number;
  /** Height of the part above the strip without the band of a board that is not live. */
  readonly upper: number;
  /** Number of rows beside the most urgent machine. */
  readonly rows: number;
}

/** A cell of the strip: a machine, the type of the machines that follow, or null for the free place of a retired machine. */
export type Cell = MachineTile | string | null;

/** Height of the band over a board that is not live, in u. */
export const BAND = 15;

/** True if a status board of this size has a part above the strip. */
export function isWhole({ w, h }: Size): boolean {
  return w >= SMALLEST.w && h >= SMALLEST.h;
}

const seatOf = ({ seat }: MachineTile) => seat ?? 0;

/** Sorts machines by their places in the strip. */
export function seated(machines: readonly MachineTile[]): MachineTile[] {
  return [...machines].sort(
    (a, b) => seatOf(a) - seatOf(b) || compareUnits(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1),
  );
}

/** Returns the machines in trouble, the most urgent first. */
export function troubledOf(machines: readonly MachineTile[]): MachineTile[] {
  const place = ({ attention }: MachineTile) => attention?.place ?? 0;
  return machines.filter(({ attention }) => attention?.place != null).sort((a, b) => place(a) - place(b));
}

/** Divides a unit number into its type and its number: "HT-07" into "HT" and "07". */
export function partsOf(unit: string): readonly [type: string, number: string] {
  const found = /^(\D*?)[-_ ]?(\d.*)$/.exec(unit);
  return found === null ? ['', unit] : [found[1] ?? '', found[2] ?? unit];
}

/** Returns the cells of a strip for machines in the order of their places. */
export function cellsOf(machines: readonly MachineTile[], kind: Kind): Cell[] {
  let type = '';
  let next = 0;
  return machines.flatMap((machine): Cell[] => {
    const free = Array.from({ length: Math.max(0, seatOf(machine) - next) }, () => null);
    next = seatOf(machine) + 1;
    const before = type;
    [type] = partsOf(machine.unit_number);
    return kind !== 'small' || type === '' || type === before ? [...free, machine] : [...free, type, machine];
  });
}

/** Small cells get at most this width. */
const MOST_SMALL = 8;

/** Returns the width of small cells for the types and numbers of these machines. */
function smallWidth(machines: readonly MachineTile[]): number {
  const widths = machines.flatMap(({ unit_number }) => {
    const [type, number] = partsOf(unit_number);
    return [textWidth(type, NUMBER, 700), textWidth(number, NUMBER, 700) + 0.5];
  });
  return Math.max(CELLS[2].w, ...widths);
}

/** Returns by which factor the texts of a cell grow. In a high cell the value has its own line, so only the names need the width. */
function largerOf(
  machines: readonly MachineTile[],
  cell: Size,
  { kind, w, h }: Size & { readonly kind: Kind },
): number {
  const fits = (width: number, height: number) => Math.max(1, Math.min(MOST_LARGER, cell.w / width, cell.h / height));
  if (kind !== 'large') return fits(Math.max(w, STATE + CELL_PADDING), h);
  if (cell.h < HIGH) return fits(w, h);
  const names = machines.map(({ unit_number }) => textWidth(unit_number, 3.2, 700));
  return fits(Math.max(STATE, ...names) + CELL_PADDING, HIGH);
}

/** Lays out a status board of these machines; `troubled` of them are in trouble. If it is not live, a band covers a part of it. */
export function wallLayout(machines: readonly MachineTile[], troubled: number, area: Size, live = true): WallLayout {
  const whole = isWhole(area);
  const least = !whole ? 0 : troubled > 0 ? LEAST_TOP : CALM_TOP;
  const above = whole ? GAP : 0;
  const frame = HEAD + 2 * PADDING;
  const width = area.w - 2 * PADDING;
  const room = area.h - least - above - frame;
  const small = smallWidth(machines);
  const kinds = CELLS.filter(({ kind }) => kind !== 'small' || small <= MOST_SMALL);
  const fitted = kinds.map(({ kind, h, most, ...rest }) => {
    const w = kind === 'small' ? small : rest.w;
    const count = cellsOf(machines, kind).length;
    const most_columns = Math.max(1, Math.floor((width + CELL_GAP) / (w + CELL_GAP)));
    const most_rows = Math.max(1, Math.floor((room + CELL_GAP) / (h + CELL_GAP)));
    const rows = Math.ceil(count / most_columns);
    return { kind, w, h, count, most_columns, most_rows, rows, fits: count <= most && rows <= most_rows };
  });
  const chosen = fitted.find(({ fits }) => fits) ?? fitted[fitted.length - 1];
  if (chosen === undefined) throw new Error('no kind of cell');
  const pages = Math.ceil(chosen.rows / chosen.most_rows) || 1;
  const rows = Math.max(1, Math.ceil(chosen.rows / pages));
  const columns =
    chosen.kind === 'small' || pages > 1 ? chosen.most_columns : Math.max(1, Math.ceil(chosen.count / rows));
  const strip = rows * (chosen.h + CELL_GAP) - CELL_GAP + frame;
  const top = !whole ? 0 : troubled === 0 ? CALM_TOP : Math.min(MOST_TOP, area.h - strip - above);
  const cell = {
    w: chosen.kind === 'small' ? chosen.w : (width - (columns - 1) * CELL_GAP) / columns,
    h: Math.min(
      chosen.kind === 'large' ? MOST_HIGH : MOST_LARGER * chosen.h,
      (area.h - top - above - frame - (rows - 1) * CELL_GAP) / rows,
    ),
  };
  const larger = chosen.kind === 'small' ? 1 : largerOf(machines, cell, chosen);
  // The strip keeps its size when the link is lost, so the band takes its height from the machines in trouble.
  const upper = live || top === 0 ? top : Math.max(0, top - BAND - GAP);
  const most = Math.min(MOST_ROWS, Math.floor((upper + GAP) / (ROW + GAP)));
  const beside = Math.max(0, troubled - 1);
  const rowsShown =
    beside <= most ? beside : Math.min(MOST_ROWS, Math.max(0, Math.floor((upper - MORE) / (ROW + GAP))));
  return { kind: chosen.kind, columns, pages, each: columns * rows, cell, larger, top, upper, rows: rowsShown };
}
