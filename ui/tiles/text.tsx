/** A notice: as large as it fits, never below the floor. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Size } from './measure.ts';

const SIZES = [7, 6, 5.2, 4.4, 3.7];

export function Text(props: { text: string; title: string; size: Size }) {
  const box = useRef<HTMLDivElement>(null);
  // The text decides the size, and the size needs the text laid out.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    for (const size of SIZES) {
      element.style.fontSize = `calc(${size} * var(--u))`;
      if (element.scrollHeight <= element.clientHeight + 1 && element.scrollWidth <= element.clientWidth + 1) return;
    }
  }, [props.text, props.title, props.size.w, props.size.h]);
  return (
    <section class="panel text">
      {props.title !== '' && <h2 class="label">{props.title}</h2>}
      <div class="words" ref={box}>
        {props.text}
      </div>
    </section>
  );
}
