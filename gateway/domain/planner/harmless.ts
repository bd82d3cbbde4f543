/** Unknown words that cannot deny a machine because of where they stand: behind a preposition, or between a count and its machine. */

import type { Item, Text } from '#domain/sentences/items.ts';
import { isOwner } from '#domain/words/doubt-words.ts';
import type { Language } from '#domain/words/grammar.ts';
import { isCompoundOfWork, isPresentVerb } from '#domain/words/plain-words.ts';

/** What a machine has, and what it is for: `with a rockwheel`, `for cable trenches`. A name behind them is a firm, so it stays unknown. */
const WITH: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(['with', 'for', 'of']),
  es: new Set(['con', 'para', 'de', 'del']),
  pt: new Set(['com', 'para', 'pra', 'de', 'do', 'da', 'dos', 'das']),
  fr: new Set(['avec', 'pour', 'de', 'du', 'des', 'd']),
  de: new Set(['mit', 'für', 'fur', 'zum', 'zur', 'samt']),
};
/** Words for the place at which a machine works (`in the pit`). Without an article (`at Pit`), such a word may be the name of another site. */
const AT: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    'at in on near by beside behind under below above along around past through between across over into onto down up inside'.split(
      ' ',
    ),
  ),
  es: new Set('en sobre junto tras bajo entre hacia por a'.split(' ')),
  pt: new Set('em sobre junto sob entre por a'.split(' ')),
  fr: new Set('dans sur sous près derrière devant entre vers par à a'.split(' ')),
  de: new Set('in an auf bei unter über uber hinter vor neben zwischen entlang'.split(' ')),
};
/** Prepositions that have their article in them. */
const WITH_ARTICLE: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(),
  es: new Set(['al']),
  pt: new Set(['no', 'na', 'nos', 'nas', 'ao', 'aos', 'à', 'às', 'pelo', 'pela']),
  fr: new Set(['au', 'aux']),
  de: new Set(['im', 'am', 'beim', 'vom', 'ans', 'ins']),
};
/** `à vendre`, `por vender`: a verb behind these says what is still to be done. */
const INFINITIVE: Readonly<Partial<Record<Language, RegExp>>> = {
  es: /(ar|er|ir)$/,
  pt: /(ar|er|ir|or)$/,
  fr: /(er|ir|re|oir)$/,
};
/** `promised`, `gestohlener`: what was done with a machine may say that it is not there. */
const PARTICIPLE = { en: /(ed|en|rn|ght|lt|ing)$/, de: /^(\p{L}{0,4}ge|ver|be|er|ent|zer)\p{L}+(t|en)e[nrsm]?$/u };
/** Verbs in the past or future. */
const PAST: Readonly<Partial<Record<Language, RegExp>>> = {
  en: /(ed|ept|elt|ught|ank|ung|ore|ole|oke|ew)$|^(went|left|lost|burnt|sank|fell|came|became|took|got|flew|drove|met|ran|sat|sold|told|hit|cut|put|let|quit|died|slid)$/,
  es: /(ó|aron|ieron|aba|aban|ía|ían|rá|rán|ado|ada|ido|ida|ados|adas|idos|idas)$/,
  pt: /(ou|eu|iu|aram|eram|iram|ava|avam|ia|iam|rá|rão|ado|ada|ido|ida|ados|adas|idos|idas)$/,
  fr: /(ait|aient|era|eront|é|ée|és|ées)$/,
};
const MOST_BETWEEN = 3;

/** `three clapped-out dumpers`, `unser treuer Radlader`: an adjective between a count or an article and its machine. */
function isAdjective({ tokens, language }: Text, items: readonly Item[], i: number): boolean {
  if (language !== 'en' && language !== 'de') return false;
  const word = tokens[items[i]?.from ?? -1]?.text ?? '';
  if (!/^\p{Ll}{3,}$/u.test(word) || PARTICIPLE[language].test(word)) return false;
  if (language === 'de' && !/e[nrsm]?$/.test(word)) return false;
  const isPreposition = (key: string) =>
    WITH[language].has(key) || AT[language].has(key) || WITH_ARTICLE[language].has(key);
  const isInside = (item: Item) =>
    (item.type === 'word' && !isPreposition(tokens[item.from]?.key ?? '')) ||
    (item.type === 'sign' && item.sign === '-');
  let from = i - 1;
  while (from >= 0 && i - from <= MOST_BETWEEN && isInside(items[from] as Item)) {
    const key = tokens[(items[from] as Item).from]?.key ?? '';
    if (isPresentVerb(language, key) || /^(to|of|we|i|they|you|he|she|it)$/.test(key)) return false;
    from--;
  }
  let to = i + 1;
  while (to < items.length && to - i <= MOST_BETWEEN && isInside(items[to] as Item)) to++;
  const before = items[from];
  const after = items[to];
  return before?.type === 'count' && (after?.type === 'kind' || after?.type === 'make' || after?.type === 'model');
}

/** `with a rockwheel`, `au pied du crassier`, `para hincar postes`. */
function isComplement({ tokens, language }: Text, items: readonly Item[], i: number): boolean {
  const own = items[i]?.from ?? -1;
  const token = tokens[own];
  const isNoun = language === 'de' ? /^\p{Lu}\p{L}{2,}$/u : /^\p{Ll}{3,}$/u;
  // `at the frobbed quarry` and `en la cantera borlada` are other sites.
  if (token === undefined || !isNoun.test(token.text) || isOwner(tokens, own + 1, own + 3)) return false;
  if (isOwner(tokens, own - 1, own)) return false;
  // `au déblai D2` is a place.
  const next = items[i + 1];
  if (next?.type === 'units' && next.from === own + 1) return false;
  let hasArticle = false;
  let isFirst = true;
  for (let j = i - 1; j >= 0 && i - j <= MOST_BETWEEN + 1; j--) {
    const item = items[j] as Item;
    const key = tokens[item.from]?.key ?? '';
    const isWord = item.type === 'word';
    const isPreposition = WITH[language].has(key) || WITH_ARTICLE[language].has(key) || AT[language].has(key);
    if (isWord && !isPreposition) isFirst = false;
    // `the loader with the cracked frame went for parts`: a verb in the past ends the phrase.
    if (!isFirst && isPast(token.text)) return false;
    if (isWord && WITH[language].has(key)) return !(/^(de|d)$/.test(key) && language === 'fr' && isVerb(token.key));
    if (isWord && WITH_ARTICLE[language].has(key)) return true;
    if (isWord && AT[language].has(key)) return hasArticle && !isVerb(token.key);
    if (item.type === 'the' || (item.type === 'count' && item.isArticle)) hasArticle = true;
    else if (item.type === 'sign' ? !["'", '-'].includes(item.sign) : item.type !== 'word') return false;
    else if (item.type === 'word' && /^(our|your|my|its|nuestr[oa]|noss[oa]|notre|nos|unser\w*)$/.test(key))
      hasArticle = true;
    else if (isPresentVerb(language, key)) return false;
  }
  return false;

  function isPast(word: string): boolean {
    return PAST[language]?.test(word) === true;
  }

  function isVerb(key: string): boolean {
    return INFINITIVE[language]?.test(key) === true;
  }
}

/** True for a word that the planner does not know and that cannot deny a machine. */
export function isHarmless(text: Text, items: readonly Item[], i: number): boolean {
  const token = text.tokens[items[i]?.from ?? -1];
  if (token === undefined || /\d/.test(token.text)) return false;
  // `Lista de deseos: dos dúmperes`: in a label, the word says what the list is.
  const colon = items.findIndex((item) => item.type === 'sign' && item.sign === ':');
  if (colon > i && !items.slice(0, i).some(({ type }) => type === 'kind' || type === 'units')) return false;
  return (
    (text.language === 'de' && isCompoundOfWork(token.text)) ||
    isComplement(text, items, i) ||
    isAdjective(text, items, i)
  );
}

/** Words that `without` may take from a machine and leave it there: everything but a machine. */
export const isWithout = (key: string): boolean => /^(without|sin|sem|sans|ohne)$/.test(key);
