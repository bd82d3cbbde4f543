/** The description with the words marked from which the plan was read. */
import { wordsAt } from '#contract/site/setup.ts';
import type { PlanRead } from '#contract/site/setup-plan.ts';

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly shown: boolean;
}

/** Returns the positions of the cited words, without overlaps. Words that the chosen row cites come first. */
function marksOf(text: string, cited: readonly string[], shown: readonly string[]): Mark[] {
  const marks: Mark[] = [];
  const add = (words: string, isShown: boolean) => {
    const start = wordsAt(text, words);
    const end = start + words.length;
    if (start >= 0 && marks.every((one) => end <= one.start || start >= one.end))
      marks.push({ start, end, shown: isShown });
  };
  for (const words of shown) add(words, true);
  for (const words of cited) add(words, false);
  return marks.toSorted((a, b) => a.start - b.start);
}

export function SourceText({ plan, shown }: { plan: PlanRead; shown: readonly string[] }) {
  const { text } = plan;
  const lists = [plan.equipment, plan.locations, plan.operators, plan.mechanics, plan.shifts, plan.crews, plan.boards];
  const cited = lists.flatMap((list) => list.flatMap(({ from }) => from)).toSorted((a, b) => b.length - a.length);
  let at = 0;
  const parts = marksOf(text, cited, shown).flatMap(({ start, end, shown: isShown }) => {
    const before = text.slice(at, start);
    at = end;
    return [
      before,
      <mark key={start} class={isShown ? 'chosen' : undefined}>
        {text.slice(start, end)}
      </mark>,
    ];
  });
  return (
    <p class="setup-words">
      {parts}
      {text.slice(at)}
    </p>
  );
}
