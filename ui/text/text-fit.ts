/** Cuts texts, and breaks them into lines, so that they fit a width. */
import { textWidth } from './measure.ts';

type Weight = Parameters<typeof textWidth>[2];

/** Cuts a text to a width in pixels and ends it with an ellipsis. Returns an empty text if not even one letter fits. */
export function cut(text: string, size: number, weight: Weight, width: number): string {
  if (textWidth(text, size, weight) <= width) return text;
  for (let keep = text.length - 1; keep > 0; keep -= 1) {
    const shorter = `${text.slice(0, keep).trimEnd()}…`;
    if (textWidth(shorter, size, weight) <= width) return shorter;
  }
  return '';
}

/** Breaks a text between words into at most `most` lines. Cuts the last line if the rest of the text does not fit. */
export function lines(text: string, size: number, weight: Weight, width: number, most: number): string[] {
  const out: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    if (out.length === most - 1 || textWidth(rest, size, weight) <= width)
      return [...out, cut(rest, size, weight, width)];
    const words = rest.split(' ');
    let line = words[0] ?? '';
    let taken = 1;
    while (taken < words.length && textWidth(`${line} ${words[taken]}`, size, weight) <= width) {
      line += ` ${words[taken]}`;
      taken += 1;
    }
    out.push(cut(line, size, weight, width));
    rest = words.slice(taken).join(' ');
  }
  return out;
}
