/** Draws small charts of a time series for a terminal with braille characters, which have eight dots each. */

/** A time series in steps of equal length: the lowest and highest value of each step, or null for a step without a value. */
export interface Points {
  readonly step_s: number;
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/** The values of one column of a chart: lowest, highest and mean. */
export interface Range {
  readonly low: number;
  readonly high: number;
  /** The mean of the column: the average, over its steps, of (lowest + highest) / 2. */
  readonly mean: number;
}

/** Divides the first `duration_s` seconds of a series into `width` columns; returns null for a column without a value. */
export function parts({ step_s, min, max }: Points, duration_s: number, width: number): (Range | null)[] {
  const part_s = duration_s / width;
  return Array.from({ length: width }, (_, x) => {
    const from = Math.floor((x * part_s) / step_s);
    const to = Math.max(from + 1, Math.floor(((x + 1) * part_s) / step_s));
    const lows = min.slice(from, to).filter((value) => value !== null);
    const highs = max.slice(from, to).filter((value) => value !== null);
    if (lows.length === 0) return null;
    const sum = lows.reduce((total, low, i) => total + (low + (highs[i] as number)) / 2, 0);
    return { low: Math.min(...lows), high: Math.max(...highs), mean: sum / lows.length };
  });
}

/** Bits of a braille character by column and row of its dots (Unicode 8.2, U+2800). */
const DOTS: readonly (readonly number[])[] = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];

/** Options of a chart. */
export interface ChartOptions {
  readonly duration_s: number;
  /** Width of the chart in characters, without the axis values on the left. */
  readonly width: number;
  readonly height: number;
  /** Labels below the left and the right end of the chart. */
  readonly ends: readonly [string, string];
  /** True makes the axis begin at 0 even when the values hardly change. */
  readonly zero?: boolean;
}

/**
 * Returns the lines of a chart, with the lowest and the highest value on the left. The axis begins at 0, or at the lowest value when the
 * values hardly change.
 */
export function chart(points: Points, { duration_s, width, height, ends, zero = false }: ChartOptions): string[] {
  const columns = parts(points, duration_s, width * 2);
  const ranges = columns.filter((column) => column !== null);
  const top = Math.max(...ranges.map(({ high }) => high));
  const low = Math.min(...ranges.map((range) => range.low));
  const bottom = low > top / 2 && !zero ? low : Math.min(0, low);
  const range = top - bottom || 1;
  const rows = height * 4;
  const cells = new Uint8Array(width * height);
  const level = (value: number) => Math.min(rows - 1, Math.max(0, Math.round(((value - bottom) / range) * (rows - 1))));
  for (let x = 0; x < width * 2; x++) {
    const column = columns[x];
    if (column == null) continue;
    for (let y = level(column.low); y <= level(column.high); y++) {
      const fromTop = rows - 1 - y;
      const at = (fromTop >> 2) * width + (x >> 1);
      cells[at] = (cells[at] as number) | ((DOTS[x & 1] as readonly number[])[fromTop & 3] as number);
    }
  }
  const labels = [top.toFixed(0), bottom.toFixed(0)];
  const wide = Math.max(...labels.map((label) => label.length));
  const lines = Array.from({ length: height }, (_, y) => {
    const label = y === 0 ? labels[0] : y === height - 1 ? labels[1] : '';
    const line = String.fromCodePoint(...[...cells.subarray(y * width, (y + 1) * width)].map((cell) => 0x2800 + cell));
    return `${(label as string).padStart(wide)} ${line.replace(/\u2800+$/, '')}`.trimEnd();
  });
  const [left, right] = ends;
  return [...lines, `${' '.repeat(wide + 1)}${left}${right.padStart(Math.max(0, width - left.length))}`];
}
