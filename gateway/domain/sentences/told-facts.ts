/** What a description tells that is no object of the site, and that later work should know: machines that are gone, and nights without work. */
import { doubtWords } from '#domain/words/doubt-words.ts';
import { fold, type Span, spanOf } from '#domain/words/text.ts';
import { deniedNights } from './denied-nights.ts';
import type { Item, Read, Text } from './items.ts';
import { negationOf } from './negation.ts';
import { keyOfUnit } from './units.ts';

/** A fact with the words that say so. */
export interface ToldFact {
  readonly fact: string;
  /** The machine that the fact is about; null if it is about the site. */
  readonly unit_number: string | null;
  readonly from: readonly string[];
}

/** A text has at most this many facts. */
const MOST_FACTS = 50;

/** Words that a machine is gone for good. The other words for absence are true for a time only: `in repair`, `ordered`. */
const FOR_GOOD = new RegExp(
  `\\b(${[
    'sold|sold off|scrapped|written off|disposed of|decommissioned|stolen|burnt out|burned out|got rid of',
    'vend(imos|i|io|ida|ido|idas|idos)|se vendio|se vendieron|achatarrad[oa]s?|desguazad[oa]s?|dad[oa]s? de baja|robad[oa]s?|robaron',
    'vendemos|vendeu|sucatead[oa]s?|abatid[oa]s?|roubad[oa]s?',
    'vendu(e|s|es)?|reforme(e|s|es)?|ferraille(e|s|es)?|mis(e|es)? au rebut|parti(e|s|es)? a la casse|vole(e|s|es)?',
    'verkauft|verschrottet|ausgemustert|stillgelegt|gestohlen|abgestossen',
  ].join('|')})\\b`,
);
/** Doubts that make a sentence no fact: `may be sold`, `will be sold`, `If LD-9 is sold`. */
const DOUBTS: ReadonlySet<string> = new Set(['future', 'unsure', 'others']);
/** A sentence may have another language than its text. */
const LANGUAGES = ['en', 'es', 'pt', 'fr', 'de'] as const;

const isClue = (item: Item, clue: string): boolean => item.type === 'clue' && item.clue === clue;

const isQuestion = ({ tokens }: Text, { sentence: { from, to } }: Read): boolean =>
  tokens.slice(from, to + 1).some(({ key }) => key === '?');

/** True if a word leaves open whether the sentence is so. */
function isDoubtful({ tokens }: Text, { sentence: { from, to } }: Read): boolean {
  for (let at = from; at < to; at++)
    for (const language of LANGUAGES) {
      const found = doubtWords(language).at(tokens, at, to);
      if (found !== null && DOUBTS.has(found.value)) return true;
    }
  return false;
}

/** The numbers of the machines that a sentence says are gone for good. */
function goneUnits({ tokens }: Text, { sentence: { from, to }, items }: Read): string[] {
  const words = fold(
    tokens
      .slice(from, to)
      .map(({ text }) => text)
      .join(' '),
  );
  if (!FOR_GOOD.test(words) || items.some((item) => isClue(item, 'not') || isClue(item, 'theirs'))) return [];
  const { gone, lastGone } = negationOf(items);
  return items.flatMap((item) => {
    if (item.type !== 'units' || item.list.without.length > 0) return [];
    const units = gone.has(item) ? item.list.units : lastGone.has(item) ? item.list.units.slice(-1) : [];
    return units.filter(({ bare }) => !bare).map(({ text }) => text);
  });
}

/** Returns the facts of a text. `machines`: those that the text says are on the site. */
export function toldFacts(
  text: Text,
  reads: readonly Read[],
  machines: readonly { readonly unit: { readonly text: string } | null }[],
): ToldFact[] {
  const present = new Set(machines.flatMap(({ unit }) => (unit === null ? [] : [keyOfUnit(unit.text)])));
  const cited = ({ start, end }: Span) => [text.raw.slice(start, end)];
  const facts: ToldFact[] = [];
  const seen = new Set<string>();
  for (const read of reads) {
    if (isQuestion(text, read) || isDoubtful(text, read)) continue;
    const { from, to } = read.sentence;
    for (const unit of goneUnits(text, read)) {
      const key = keyOfUnit(unit);
      if (present.has(key) || seen.has(key)) continue;
      seen.add(key);
      facts.push({
        fact: `${unit} is gone from the site.`,
        unit_number: unit,
        from: cited(spanOf(text.tokens, from, to)),
      });
    }
  }
  const [night] = reads.flatMap((read) => (isQuestion(text, read) ? [] : deniedNights(text, [read])));
  if (night !== undefined) facts.push({ fact: 'Nobody works at night.', unit_number: null, from: cited(night) });
  return facts.slice(0, MOST_FACTS);
}
