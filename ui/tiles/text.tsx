/** The tile that shows a text in the largest size that fits, but never smaller than the smallest readable size. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { afterPaint } from '#ui/after-paint.ts';
import { type Size, textWidth } from '#ui/text/measure.ts';
import type { TileProps } from './tile-props.ts';

const SIZES = [7, 6, 5.2, 4.4, 3.7] as const;
/**
 * The line height in em, and the padding and the heading in u (1 u is a hundredth of the screen height). The values must equal those in
 * tiles.css.
 */
const LINE = 1.25;
const PADDING = { w: 4.4, h: 3.4 };
const HEADING = 5.6;

/** Returns the number of lines that a text needs at a font size if it breaks between words. The font size and the width are in u. */
function linesOf(text: string, size: number, width: number): number {
  let lines = 0;
  for (const paragraph of text.split('\n')) {
    let left = width;
    lines += 1;
    for (const word of paragraph.split(/(?<=\s)/)) {
      const needed = textWidth(word, size, 600);
      if (needed > left) {
        lines += Math.max(1, Math.ceil(needed / width));
        left = width;
      }
      left -= needed % width;
    }
  }
  return lines;
}

/**
 * Returns the font size at which the text should fit. It is computed from a table of letter widths, because measuring the layout would
 * delay the first picture.
 */
function expectedSize(text: string, titled: boolean, { w, h }: Size): number {
  const height = h - PADDING.h - (titled ? HEADING : 0);
  return SIZES.find((size) => linesOf(text, size, w - PADDING.w) * size * LINE <= height) ?? 3.7;
}

export function Text({ data: { text }, title, size }: TileProps<'text'>) {
  const box = useRef<HTMLDivElement>(null);
  const titled = title !== '';
  useLayoutEffect(() => {
    const use = (size: number) => {
      if (box.current !== null) box.current.style.fontSize = `calc(${size} * var(--u))`;
    };
    use(expectedSize(text, titled, size));
    return afterPaint(() => {
      const element = box.current;
      if (element === null) return;
      for (const size of SIZES) {
        use(size);
        if (element.scrollHeight <= element.clientHeight + 1 && element.scrollWidth <= element.clientWidth + 1) return;
      }
    });
  }, [text, title, size.w, size.h]);
  return (
    <section class="panel text">
      {titled && <h2 class="label">{title}</h2>}
      <div class="words" ref={box}>
        {text}
      </div>
    </section>
  );
}
