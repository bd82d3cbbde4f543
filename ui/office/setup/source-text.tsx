/** The description with the words marked from which the plan was read. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { wordsAt } from '#contract/site/setup.ts';
import type { PlanRead } from '#contract/site/setup-plan.ts';

interface Mark {
  readonly start: number;
  readonly end: number;
}

/** Returns the positions of words in a text without overlaps, in the order of the text. Words that stand first in the list count first. */
function marksOf(text: string, words: readonly string[]): Mark[] {
  const taken = new Uint8Array(text.length);
  const marks: Mark[] = [];
  for (const one of new Set(words)) {
    const start = wordsAt(text, one);
    const end = start + one.length;
    if (start < 0 || taken.subarray(start, end).includes(1)) continue;
    taken.fill(1, start, end);
    marks.push({ start, end });
  }
  return marks.toSorted((a, b) => a.start - b.start);
}

/** The positions of all words from which the plan was read. */
function citedIn({ text, equipment, locations, operators, mechanics, shifts, crews, boards }: PlanRead): Mark[] {
  const lists = [equipment, locations, operators, mechanics, shifts, crews, boards];
  const cited = lists.flatMap((list) => list.flatMap(({ from }) => from)).toSorted((a, b) => b.length - a.length);
  return marksOf(text, cited);
}

function Marked({ plan, shown }: { plan: PlanRead; shown: readonly string[] }) {
  const { text } = plan;
  const cited = useMemo(() => citedIn(plan), [plan]);
  const chosen = marksOf(text, shown);
  const others = cited.filter(({ start, end }) => chosen.every((one) => end <= one.start || start >= one.end));
  const words = useRef<HTMLParagraphElement>(null);
  // The text scrolls to its words, and the page stays where it is.
  useLayoutEffect(() => {
    const pane = words.current?.closest('section');
    const mark = words.current?.querySelector('.chosen');
    if (pane == null || mark == null) return;
    const [outer, inner] = [pane.getBoundingClientRect(), mark.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom)
      pane.scrollTop += inner.top - outer.top - outer.height / 3;
  }, [shown]);
  let at = 0;
  const parts = [...others, ...chosen]
    .toSorted((a, b) => a.start - b.start)
    .flatMap((mark) => {
      const before = text.slice(at, mark.start);
      at = mark.end;
      return [
        before,
        <mark key={mark.start} class={chosen.includes(mark) ? 'chosen' : undefined}>
          {text.slice(mark.start, mark.end)}
        </mark>,
      ];
    });
  return (
    <p class="setup-words" ref={words}>
      {parts}
      {text.slice(at)}
    </p>
  );
}

/** The text of a long list has thousands of marks. They are drawn again only if other words are shown, not at each key press. */
export function SourceText({ plan, shown }: { plan: PlanRead; shown: readonly string[] }) {
  return useMemo(() => <Marked plan={plan} shown={shown} />, [plan, shown]);
}
