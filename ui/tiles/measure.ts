/** Widths of texts, so that a tile chooses what fits instead of cutting it. All sizes are in u, a hundredth of the screen's height. */

import { letterWidth, type Weight } from './letter-widths.ts';

/** Size of a box in u. */
export interface Size {
  readonly w: number;
  readonly h: number;
}

/** Width of a text in em of its font size: the sum of its letters, hardly ever less than what is drawn with kerning. */
function em(text: string, weight: Weight): number {
  let sum = 0;
  for (const letter of text) sum += letterWidth(letter, weight);
  return sum;
}

/** Width of a text at this size, both in u. */
export function textWidth(text: string, size: number, weight: Weight): number {
  return em(text, weight) * size;
}

/** The first text that fits the width at this size; the last one when none does. */
export function fitting(texts: readonly string[], size: number, weight: Weight, width: number): string {
  return texts.find((text) => em(text, weight) * size <= width) ?? texts[texts.length - 1] ?? '';
}

/** The text as it is when it fits, else with its middle left out: both ends of a unit number tell machines apart. */
export function shortened(text: string, size: number, weight: Weight, width: number): string {
  if (em(text, weight) * size <= width) return text;
  for (let keep = text.length - 1; keep > 2; keep -= 1) {
    const head = Math.ceil(keep / 2);
    const cut = `${text.slice(0, head)}…${text.slice(text.length - (keep - head))}`;
    if (em(cut, weight) * size <= width) return cut;
  }
  return text.slice(0, 2);
}

/** The largest size between floor and most at which the text fits the width. */
export function fittedSize(text: string, most: number, floor: number, weight: Weight, width: number): number {
  const wide = em(text, weight);
  if (wide * most <= width) return most;
  return Math.max(floor, Math.floor((width / wide) * 20) / 20);
}
