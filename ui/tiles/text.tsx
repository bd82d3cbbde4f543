/** The tiles that show a text, or the summary of a day, in the largest size that fits, but never smaller than the smallest readable size. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { afterPaint } from '#ui/after-paint.ts';
import { clock } from '#ui/format.ts';
import { dayText } from '#ui/languages/day-text.ts';
import { t } from '#ui/languages/texts.ts';
import { type Size, textWidth } from '#ui/text/measure.ts';
import type { TileProps } from './tile-props.ts';

export { Camera } from './camera.tsx';
export { Media } from './media.tsx';
export { Qr } from './qr.tsx';

const SIZES = [7, 6, 5.2, 4.4, 3.7] as const;
/**
 * The line height in em, and the padding and the heading in u (1 u is a hundredth of the screen height). The values must equal those in
 * tiles.css.
 */
const LINE = 1.25;
const BESIDE = 4.4;
const AROUND = 3.4;
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
function expectedSize(text: string, titled: boolean, { w, h }: Size): number | undefined {
  const height = h - AROUND - (titled ? HEADING : 0);
  return SIZES.find((size) => linesOf(text, size, w - BESIDE) * size * LINE <= height);
}

/** Returns the lines as one text. If they do not fit below a heading, it has only the first ones, and then how many are left out. */
function fittingLines(lines: readonly string[], size: Size, count = 0): string {
  const text = lines.join('\n') + (count > 0 ? `\n${t('and {count} more', { count })}` : '');
  return lines.length > 1 && !expectedSize(text, true, size) ? fittingLines(lines.slice(0, -1), size, count + 1) : text;
}

export function Text({ data: { text }, title, size }: TileProps<'text'>) {
  const box = useRef<HTMLDivElement>(null);
  const titled = title !== '';
  useLayoutEffect(() => {
    const use = (size: number) => {
      if (box.current !== null) box.current.style.fontSize = `calc(${size} * var(--u))`;
    };
    use(expectedSize(text, titled, size) ?? 3.7);
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

/** The summary of a day: a line for each sentence ([U405]). The one of today says until when it counts. */
export function Day({ data: { which, day }, title, ...tile }: TileProps<'day'>) {
  const isToday = which === 'today';
  const name = title || t(isToday ? 'Today' : 'Yesterday');
  const until = day && isToday ? ` · ${t('until {time}', { time: clock(day.to_ms, tile.timezone) })}` : '';
  const lines = day?.sentences.map((one) => `• ${dayText(one)}`) ?? [t('The summary is being made')];
  const text = fittingLines(lines, tile.size);
  return <Text {...tile} title={name + until} data={{ type: 'text', text }} />;
}
