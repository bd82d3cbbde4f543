/** Text widths, so that a tile can choose a text that fits. All sizes are in u, a hundredth of the screen's height. */

import { letterWidth, type Weight } from './letter-widths.ts';

/** Width and height of a box, in u (1 u is a hundredth of the screen height). */
export interface Size {
  readonly w: number;
  readonly h: number;
}

/**
 * Returns the width of a text in em: the sum of its letters. The drawn text is slightly narrower, because the browser moves some pairs of
 * letters closer together (kerning).
 */
function em(text: string, weight: Weight): number {
  let sum = 0;
  for (const letter of text) sum += letterWidth(letter, weight);
  return sum;
}

/** Returns the width of a text at a font size, both in u. */
export function textWidth(text: string, size: number, weight: Weight): number {
  return em(text, weight) * size;
}

/** Returns the first text that fits the width; the last text if none fits. */
export function fitting(texts: readonly string[], size: number, weight: Weight, width: number): string {
  return texts.find((text) => em(text, weight) * size <= width) ?? texts[texts.length - 1] ?? '';
}

/** If a text does not fit, shortens it in its middle. Its start and its end stay, because unit numbers differ there. */
export function shortened(text: string, size: number, weight: Weight, width: number): string {
  if (em(text, weight) * size <= width) return text;
  for (let keep = text.length - 1; keep > 2; keep -= 1) {
    const head = Math.ceil(keep / 2);
    const cut = `${text.slice(0, head)}…${text.slice(text.length - (keep - head))}`;
    if (em(cut, weight) * size <= width) return cut;
  }
  return text.slice(0, 2);
}

/** Returns the largest font size from `floor` to `most` at which the text fits; `floor` if the text does not fit at any of these sizes. */
export function fittedSize(text: string, most: number, floor: number, weight: Weight, width: number): number {
  const wide = em(text, weight);
  if (wide * most <= width) return most;
  return Math.max(floor, Math.floor((width / wide) * 20) / 20);
}
