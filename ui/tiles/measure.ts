/** Widths of texts, so that a tile chooses what fits instead of cutting it. All sizes are in u, a hundredth of the screen's height. */

/** Size of a box in u. */
export interface Size {
  readonly w: number;
  readonly h: number;
}

const widths = new Map<string, number>();
/** Letters of all weights that are remembered; a screen in any one script stays far below. */
const MOST = 4_000;
let context: CanvasRenderingContext2D | null = null;

/** Advance of one letter in em; digits are drawn tabular, so each counts as the widest. */
function letter(one: string, weight: number): number {
  const wide = one >= '0' && one <= '9' ? '0' : one;
  const key = weight + wide;
  const known = widths.get(key);
  if (known !== undefined) return known;
  context ??= document.createElement('canvas').getContext('2d');
  if (context === null) return 0.62;
  context.font = `${weight} 100px Inter`;
  const width = context.measureText(wide).width / 100;
  if (widths.size >= MOST) widths.clear();
  widths.set(key, width);
  return width;
}

/** Width of a text in em of its font size: the sum of its letters, which is never narrower than the text with its kerning by more than a hair. */
function em(text: string, weight: number): number {
  let sum = 0;
  for (const one of text) sum += letter(one, weight);
  return sum;
}

/** Forgets widths that were measured before the font was there. */
export function forgetWidths(): void {
  widths.clear();
}

/** Width of a text at this size, both in u. */
export function textWidth(text: string, size: number, weight: number): number {
  return em(text, weight) * size;
}

/** The first text that fits the width at this size; the last one when none does. */
export function fitting(texts: readonly string[], size: number, weight: number, width: number): string {
  return texts.find((text) => em(text, weight) * size <= width) ?? texts[texts.length - 1] ?? '';
}

/** The text as it is when it fits, else with its middle left out: both ends of a unit number tell machines apart. */
export function shortened(text: string, size: number, weight: number, width: number): string {
  if (em(text, weight) * size <= width) return text;
  for (let keep = text.length - 1; keep > 2; keep -= 1) {
    const head = Math.ceil(keep / 2);
    const cut = `${text.slice(0, head)}…${text.slice(text.length - (keep - head))}`;
    if (em(cut, weight) * size <= width) return cut;
  }
  return text.slice(0, 2);
}

/** The largest size between floor and most at which the text fits the width. */
export function fittedSize(text: string, most: number, floor: number, weight: number, width: number): number {
  const wide = em(text, weight);
  if (wide * most <= width) return most;
  return Math.max(floor, Math.floor((width / wide) * 20) / 20);
}
