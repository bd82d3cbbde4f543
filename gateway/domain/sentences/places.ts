/** Names of places in a text: `North Pit`, `Cantera El Roble`, `Niveau 250`, `the workshop`. */
import { type Language, NUMBER_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { MAKES } from '#domain/words/makes.ts';
import type { Found } from '#domain/words/phrases.ts';
import {
  ALONE_WORDS,
  LINKS,
  PLACE_WORDS,
  type PlaceKind,
  type PlaceWord,
  POSITIONS,
} from '#domain/words/place-words.ts';
import { ROLE_WORDS } from '#domain/words/shift-words.ts';
import { isCapital, isDigits, type Token } from '#domain/words/text.ts';

export interface PlaceName {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly alone: boolean;
  readonly to: number;
}

/** Words of a name before its noun, as English puts them. */
const MOST_BEFORE = 4;
const MOST_AFTER = 6;

/** The text of some tokens, with single spaces where the text has spaces. */
export const wordsOf = (tokens: readonly Token[], from: number, to: number): string => {
  let text = '';
  for (let i = from; i < to; i++)
    text += `${i > from && tokens[i]?.glued === false ? ' ' : ''}${tokens[i]?.text ?? ''}`;
  return text;
};

const NO_PARTS = new Set('stand status update numero nr'.split(' '));
const NUMERAL = /^([IVX]{1,4}|[A-Z])$/;

/** The end of one word of a name that begins here; null if this is no such word. */
function namePart(tokens: readonly Token[], at: number, to: number, before: Token | undefined): number | null {
  const token = tokens[at];
  if (token === undefined || at >= to || (before !== undefined && token.line !== before.line)) return null;
  const position = POSITIONS.at(tokens, at, to);
  if (position !== null) return position.to;
  if (token.isSign) return null;
  // `corte km 212`
  if (/^(km|pk)$/.test(token.key) && isDigits(tokens[at + 1]?.key ?? '') && at + 1 < to) return at + 2;
  if (/^\d{1,5}[a-z]?$/i.test(token.text)) return /^\d+(am|pm|h|t|m)$/.test(token.key) ? null : at + 1;
  // `Chantier N° 12` is a number of a document, `Baustelle Hirzelstrasse Stand heute` a date.
  if (/^n[ro]?$/.test(token.key) && ['°', 'º', 'o', '.'].includes(tokens[at + 1]?.key ?? '')) return null;
  if (NO_PARTS.has(token.key)) return null;
  // `The mine` is no name, and `EX2600` is a model.
  if (!isCapital(token) || token.key === 'the' || /^\p{L}+\d{3,}$/u.test(token.text)) return null;
  if (token.text.length > 1 && !NUMERAL.test(token.text)) {
    if (MAKES.at(tokens, at, to) !== null && KIND_WORDS.at(tokens, at + 1, to) !== null) return null;
    if (KIND_WORDS.at(tokens, at, to)?.value.weak === false && PLACE_WORDS.at(tokens, at, to) === null) return null;
    if (ROLE_WORDS.at(tokens, at, to) !== null) return null;
  }
  let end = at + 1;
  // `Lac-aux-Loups`, `PDE-1`
  while (
    end + 1 < to &&
    ['-', "'"].includes(tokens[end]?.key ?? '') &&
    tokens[end]?.glued === true &&
    tokens[end + 1]?.glued === true &&
    tokens[end + 1]?.isSign === false
  )
    end += 2;
  return end;
}

/** The name behind a noun: `Frente Norte`, `Mina do Cedro`, `level 410`. */
function nameAfter(tokens: readonly Token[], from: number, to: number, language: Language): number | null {
  let at = from;
  let named: number | null = null;
  for (let parts = 0; parts < MOST_AFTER; parts++) {
    let next = at;
    while (next < to && next < at + 3) {
      const key = tokens[next]?.key ?? '';
      const isLink =
        language === 'en' ? ['of', 'at', 'de', 'du'].includes(key) : LINKS.has(key) || key === "'" || key === 'a';
      if (!isLink || isSingle(tokens[next])) break;
      next++;
    }
    // `Carrière de porphyre du Bois-Haut`: what is dug stands before the name.
    if (
      named === null &&
      next > at &&
      /^\p{Ll}{4,}$/u.test(tokens[next]?.text ?? '') &&
      LINKS.has(tokens[next + 1]?.key ?? '') &&
      isCapital(tokens[next + 2] ?? NOTHING)
    )
      next += 2;
    const part = namePart(tokens, next, to, tokens[from - 1]);
    if (part === null) break;
    // `Steinbruch Oberberg 4 Muldenkipper`: the number is a count.
    if (
      parts > 0 &&
      isDigits(tokens[next]?.key ?? '') &&
      (KIND_WORDS.at(tokens, part, to) !== null || MAKES.at(tokens, part, to) !== null)
    )
      break;
    const isNumber = isDigits(tokens[next]?.key ?? '');
    named = part;
    at = part;
    if (isNumber && parts > 0) break;
    if (isNumber) break;
  }
  return named;
}

const NOTHING: Token = { text: '', key: '', start: 0, end: 0, glued: false, line: 0, isSign: true };
const isSingle = (token: Token | undefined): boolean =>
  token !== undefined && token.text.length === 1 && isCapital(token);

function nounAt(tokens: readonly Token[], at: number, to: number): Found<PlaceWord> | null {
  return PLACE_WORDS.at(tokens, at, to);
}

/** A site noun with a position only is a part of a site: `Tagebau Ost`. */
function kindOf(word: PlaceWord, tokens: readonly Token[], from: number, to: number): PlaceKind {
  if (word.kind !== 'site') return word.kind;
  const position = POSITIONS.at(tokens, from, to);
  return position !== null && position.to === to && !/^(mine|quarry|obra)$/.test(tokens[from - 1]?.key ?? '')
    ? 'pit'
    : 'site';
}

export function placeAt(tokens: readonly Token[], at: number, to: number, language: Language): PlaceName | null {
  return (
    materialBefore(tokens, at, to, language) ??
    withMaterial(tokens, at, to, language, placeHere(tokens, at, to, language))
  );
}

/** What lies on heaps and in ponds; in English it stands before the noun: `sand stockpile`, `silt lagoon`. */
const MATERIALS = new Set(
  'sand gravel aggregate aggregates clean dust ore rom coal product limestone topsoil fines waste stone salt gypsum clay lump scalpings type rock oxide sulphide subsoil overburden finished silt tailings settling settlement sump slurry water process mud wash sediment'.split(
    ' ',
  ),
);
/** `aggregate stockpile`, `2180 bench` */
function materialBefore(tokens: readonly Token[], at: number, to: number, language: Language): PlaceName | null {
  const token = tokens[at];
  const next = tokens[at + 1];
  if (language !== 'en' || token === undefined || next?.line !== token.line || at + 1 >= to) return null;
  const isLevel = /^\d{3,4}$/.test(token.key) && /^(bench|level|rl)$/.test(next.key);
  const noun = isLevel || MATERIALS.has(token.key) ? nounAt(tokens, at + 1, to) : null;
  const isHeap = noun !== null && (noun.value.kind === 'stockpile' || POND.test(next.key)) && !noun.plural;
  return noun !== null && (isLevel || isHeap)
    ? { name: wordsOf(tokens, at, noun.to), kind: noun.value.kind, alone: false, to: noun.to }
    : null;
}
const POND = /^(lagoon|pond|basin|dam|cell)$/;

/** `acopio de arena`, `stock de 0/20`, `Halde 0/32`, `patio de acopio`: what lies there belongs to the name. */
function withMaterial(
  tokens: readonly Token[],
  at: number,
  to: number,
  language: Language,
  place: PlaceName | null,
): PlaceName | null {
  const slash = tokens[place?.to ?? to];
  const size = tokens[(place?.to ?? to) + 1];
  const isSized = place?.kind === 'stockpile' && isDigits(tokens[place.to - 1]?.key ?? '') && slash?.glued === true;
  if (place !== null && isSized && slash?.key === '/' && size?.glued === true && isDigits(size.key))
    return { ...place, name: wordsOf(tokens, at, place.to + 2), to: place.to + 2 };
  const key = tokens[at]?.key ?? '';
  const noun = place === null ? nounAt(tokens, at, to) : null;
  const end = place?.to ?? noun?.to ?? (language !== 'en' && YARDS.test(key) ? at + 1 : at);
  const kind = place?.kind ?? noun?.value.kind ?? 'zone';
  const isOpen = place === null ? kind === 'stockpile' || YARDS.test(key) : place.alone && kind === 'stockpile';
  if (end === at || !isOpen || language === 'en') return place;
  const of = language === 'de' ? end : OF.test(tokens[end]?.key ?? '') ? end + 1 : null;
  if (of === null) return place;
  const start = tokens[of]?.key === "'" ? of + 1 : language === 'de' && tokens[of]?.key === 'kornung' ? of + 1 : of;
  const token = tokens[start];
  if (token === undefined || start >= to || token.line !== tokens[at]?.line) return place;
  const isGrading =
    /^\d{1,3}$/.test(token.key) && /^[/-]$/.test(tokens[start + 1]?.key ?? '') && tokens[start + 1]?.glued;
  if (isGrading && tokens[start + 2]?.glued === true && /^\d{1,3}$/.test(tokens[start + 2]?.key ?? ''))
    return { name: wordsOf(tokens, at, start + 3), kind, alone: false, to: start + 3 };
  if (language === 'de' || !/^\p{Ll}{2,}$/u.test(token.text) || LINKS.has(token.key)) return place;
  return { name: wordsOf(tokens, at, start + 1), kind, alone: false, to: start + 1 };
}
const OF = /^(de|du|d)$/;
const YARDS = /^(patio|patios)$/;

function placeHere(tokens: readonly Token[], at: number, to: number, language: Language): PlaceName | null {
  // `los` is an article in Spanish and a word for a section in German.
  const key = tokens[at]?.key ?? '';
  if (language === 'fr' && key === 'dans') return null;
  const noun = key === 'los' && language !== 'de' ? null : nounAt(tokens, at, to);
  const found = ALONE_WORDS.at(tokens, at, to);
  const alone = tokens[at]?.key === 'extraction' && language !== 'fr' ? null : found;
  if (noun !== null) {
    const end = nameAfter(tokens, noun.to, to, language);
    // `Minas Gerais` is a region.
    // `Stage 2 Pit` goes on behind its number.
    const further = end === null || !isDigits(tokens[end - 1]?.key ?? '') ? null : nounAt(tokens, end, to);
    if (end !== null && further !== null && isCapital(tokens[end] ?? NOTHING))
      return { name: wordsOf(tokens, at, further.to), kind: further.value.kind, alone: false, to: further.to };
    if (
      end !== null &&
      end > (alone?.to ?? 0) &&
      !(noun.plural && noun.value.kind === 'site' && !LINKS.has(tokens[noun.to]?.key ?? ''))
    )
      return { name: wordsOf(tokens, at, end), kind: kindOf(noun.value, tokens, noun.to, end), alone: false, to: end };
  }
  const before = nameBefore(tokens, at, to, language);
  if (before !== null && before.to > (alone?.to ?? 0)) return before;
  if (alone !== null && !(alone.plural && POSITIONS.at(tokens, alone.to, to) === null) && alone.to >= (noun?.to ?? 0)) {
    const position = POSITIONS.at(tokens, alone.to, to);
    const end = position?.to ?? placeOfPlace(tokens, alone.to, to) ?? alone.to;
    return { name: wordsOf(tokens, at, end), kind: alone.value.kind, alone: position === null, to: end };
  }
  return null;
}

/** `trémie du concasseur primaire`, `tolva de la chancadora` */
function placeOfPlace(tokens: readonly Token[], from: number, to: number): number | null {
  let at = from;
  while (at < to && at < from + 2 && /^(du|de|des|do|da|del|der|des|la)$/.test(tokens[at]?.key ?? '')) at++;
  return at === from ? null : (ALONE_WORDS.at(tokens, at, to)?.to ?? null);
}

/** `Harrow Hill Quarry`, `north pit`, `ROM Pad`: the noun stands last. */
function nameBefore(tokens: readonly Token[], at: number, to: number, language: Language): PlaceName | null {
  let next = at;
  for (let parts = 0; parts < MOST_BEFORE; parts++) {
    const part = namePart(tokens, next, to, tokens[at]);
    if (part === null || isDigits(tokens[next]?.key ?? '')) return null;
    next = part;
    const noun = nounAt(tokens, next, to) ?? ALONE_WORDS.at(tokens, next, to);
    if (noun === null || tokens[next]?.line !== tokens[at]?.line) continue;
    // `Two pits` is a count, `Three Rivers Quarry` a name.
    if (noun.plural && (NUMBER_WORDS[language].at(tokens, at, to)?.to ?? at) === next) return null;
    if (language !== 'en' && !isEnglishNoun(tokens, next)) return null;
    // `Pit 3` and `Level 410 East` go on behind the noun.
    const number =
      isDigits(tokens[noun.to]?.key ?? '') && tokens[noun.to]?.line === tokens[at]?.line ? noun.to + 1 : noun.to;
    return { name: wordsOf(tokens, at, number), kind: noun.value.kind, alone: false, to: number };
  }
  return null;
}

/** Nouns that other languages borrow with the English order: `ROM Pad`, `Open Pit`. */
const isEnglishNoun = (tokens: readonly Token[], at: number): boolean =>
  ['pad', 'pit', 'dump'].includes(tokens[at]?.key ?? '');

/** `Levels 410 and 430`, `Guardia A y B`: further numbers or letters behind a plural noun. */
export function moreNames(tokens: readonly Token[], place: PlaceName, at: number, to: number): PlaceName[] {
  const noun = nounAt(tokens, at, to);
  if (noun === null || !noun.plural || !isDigits(tokens[place.to - 1]?.key ?? '')) return [];
  const found: PlaceName[] = [];
  let next = place.to;
  while (
    next + 1 < to &&
    [',', 'and', 'y', 'e', 'et', 'und', '&'].includes(tokens[next]?.key ?? '') &&
    isDigits(tokens[next + 1]?.key ?? '')
  ) {
    found.push({ ...place, name: `${wordsOf(tokens, at, noun.to)} ${tokens[next + 1]?.text ?? ''}`, to: next + 2 });
    next += 2;
  }
  return found;
}

/** `Levels 410` is `Level 410`. */
export function singularName(tokens: readonly Token[], place: PlaceName, at: number, to: number): string {
  const noun = nounAt(tokens, at, to);
  if (noun === null || !noun.plural || place.alone) return place.name;
  const word = wordsOf(tokens, at, noun.to);
  const single = /[sn]$/.test(word) ? word.slice(0, -1) : word;
  return place.name.startsWith(word) ? `${single}${place.name.slice(word.length)}` : place.name;
}
