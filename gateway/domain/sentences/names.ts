import { clueAt, NUMBER_WORDS, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { MAKES } from '#domain/words/makes.ts';
import { ALONE_WORDS, PLACE_WORDS, ROOM_WORDS } from '#domain/words/place-words.ts';
import { BADGE_WORDS, CREW_WORDS, DAYS, ROLE_WORDS, SCREEN_WORDS, SHIFT_NAMES } from '#domain/words/shift-words.ts';
import { isCapital, type Token } from '#domain/words/text.ts';
import type { Text } from './items.ts';
import { wordsOf } from './places.ts';
import { keyOfUnit } from './units.ts';

export const PARTICLES = new Set('de da do dos das del van von der den ter la el di du le al bin'.split(' '));
const TITLES = new Set(
  'mr mrs ms sir senor senora senhor senhora madame monsieur don dona sr sra srta seu dona herr hr frau fr m mme mlle ing dipl dr maestro eng engo'.split(
    ' ',
  ),
);
const NOT_NAMES = new Set(
  'tel telefon phone mobil handy cel email mail crew shift on off and with regards saludos cordialement gruss all the they he she we our nos notre unser unsere todos ninguno none tbd tba vacante vacant n/a monday we they please names list'.split(
    ' ',
  ),
);
const MOST_NAMES = 4;
const SMALL_WORDS = new Set(
  'sur le la les on in au aux de du des et en no na nos nas mit auf dem der die das sur con com avec with for to at is are we on por para pour von bei und oder or que qui who the a o os as cest are sao son sind est es todos tous alle all later names mas pero but not nao no fait font fahrt fahren drives drive runs run maneja manejan lleva llevan trae opera operan conduit conduisent pilote macht machen sitzt works work trabaja trabajan trabalha dirige fica cuida usa makes does floats helps only solo aussi auch tambien tambem also then puis despues depois dann ist isst il elle er sie he she c ca ce das dass when quand cuando quando wenn because parce porque weil if si se wo ou donde onde where'.split(
    ' ',
  ),
);
/** The machines of the plan. */
export interface UnitIndex {
  /** The unit numbers by their keys. */
  readonly numbers: ReadonlyMap<string, string>;
  /** For each kind of which the site has one machine: its unit number. */
  readonly single: ReadonlyMap<string, string>;
}

/** A name of a person that begins here. */
export function nameAt(text: Text, from: number, to: number, lower = false): { to: number; start: number } | null {
  const { tokens } = text;
  if (lower) {
    const start = TITLES.has(tokens[from]?.key ?? '') ? from + 1 : from;
    const end = lowerEnd(text, start, to);
    if (end > start) return { start, to: end };
  }
  let start = from;
  while (
    start < to &&
    (TITLES.has(tokens[start]?.key ?? '') ||
      (tokens[start]?.key === '.' && start > from) ||
      (tokens[start]?.key === '-' && start > from))
  )
    start++;
  const isWord = (token: Token | undefined) =>
    token !== undefined && !token.isSign && isCapital(token) && !/\d/.test(token.text) && token.text.length > 1;
  /** `O'Neill`, `D'Angelo` */
  const isElided = (i: number) =>
    tokens[i]?.text.length === 1 &&
    tokens[i + 1]?.key === "'" &&
    tokens[i + 1]?.glued === true &&
    tokens[i + 2]?.glued === true &&
    isWord(tokens[i + 2]);
  // `D. Prentice`, `J.-P. Roux`
  const initial = initialsEnd(tokens, start, to);
  if (initial > start && isWord(tokens[initial]) && initial < to && !isReserved(tokens, initial, to)) {
    const rest = nameAt(text, initial, to);
    return rest === null ? null : { start, to: rest.to };
  }
  const first = tokens[start];
  // `RH` and `GSM` are no people, `JP Roux` is one.
  if (first !== undefined && /^\p{Lu}{2,4}$/u.test(first.text) && !/^\p{Lu}\p{Ll}/u.test(tokens[start + 1]?.text ?? ''))
    return null;
  if (first !== undefined && isElided(start) && start + 2 < to) return { start, to: start + 3 };
  if (!isWord(first) || first === undefined || start >= to || isReserved(tokens, start, to)) return null;
  let end = start + 1;
  let words = 1;
  while (end < to && words < MOST_NAMES) {
    const token = tokens[end];
    if (token === undefined || token.line !== first.line) break;
    if (['-', "'"].includes(token.key) && token.glued && tokens[end + 1]?.glued === true && isWord(tokens[end + 1])) {
      end += 2;
      continue;
    }
    if (isElided(end)) {
      end += 3;
      words++;
    } else if (isWord(token) && !isReserved(tokens, end, to, false) && !isPrefix(tokens, end, to)) {
      end++;
      words++;
    } else if (token.text.length === 1 && isCapital(token) && tokens[end + 1]?.key === '.' && isWord(tokens[end + 2]))
      end += 2;
    else if (
      PARTICLES.has(token.key) &&
      (isWord(tokens[end + 1]) || (PARTICLES.has(tokens[end + 1]?.key ?? '') && isWord(tokens[end + 2])))
    )
      end++;
    else break;
  }
  while (end > start && PARTICLES.has(tokens[end - 1]?.key ?? '')) end--;
  return end === start ? null : { start, to: end };
}

/** `HT-1`, `HT 1`: the letters of a unit number are no part of the name before them. */
function isPrefix(tokens: readonly Token[], at: number, to: number): boolean {
  if (!/^\p{Lu}{1,4}$/u.test(tokens[at]?.text ?? '')) return false;
  const dash = tokens[at + 1]?.key === '-' && tokens[at + 1]?.glued === true ? 1 : 0;
  return at + 1 + dash < to && /^\d/.test(tokens[at + 1 + dash]?.key ?? '');
}

const MOST_LOWER = 3;

/** The end of a name in a text without capital letters: up to three words that mean nothing else. */
function lowerEnd(text: Text, from: number, to: number): number {
  const { tokens, language } = text;
  let end = from;
  while (end < to && end - from < MOST_LOWER) {
    const token = tokens[end];
    if (token === undefined || token.line !== tokens[from]?.line) break;
    const isLink =
      end > from && PARTICLES.has(token.key) && /^\p{Ll}{2,}$/u.test(tokens[end + 1]?.text ?? '') && end + 1 < to;
    const isName =
      /^\p{Ll}{2,}$/u.test(token.text) &&
      !PARTICLES.has(token.key) &&
      !isReserved(tokens, end, to) &&
      clueAt(text, end, to) === null &&
      !SMALL_WORDS.has(token.key) &&
      MAKES.at(tokens, end, to) === null &&
      THE_WORDS[language].at(tokens, end, to) === null &&
      NUMBER_WORDS[language].at(tokens, end, to) === null;
    if (!isName && !isLink) break;
    end++;
  }
  while (end > from && PARTICLES.has(tokens[end - 1]?.key ?? '')) end--;
  // `se llama fabio trabajamos de siete a cinco`: without a sign or `and` behind it, only the first word is sure.
  const next = tokens[end];
  const isEnd =
    end >= to ||
    next === undefined ||
    next.isSign ||
    next.line !== tokens[from]?.line ||
    KIND_WORDS.at(tokens, end, to) !== null;
  return isEnd || clueAt(text, end, to)?.value === 'and' ? end : Math.min(end, from + 1);
}

/** The end of initials with full stops; the start itself if there are none. */
function initialsEnd(tokens: readonly Token[], start: number, to: number): number {
  let at = start;
  while (
    at + 2 < to &&
    /^\p{Lu}$/u.test(tokens[at]?.text ?? '') &&
    tokens[at + 1]?.key === '.' &&
    tokens[at + 1]?.glued === true
  )
    at += tokens[at + 2]?.key === '-' && tokens[at + 2]?.glued === true ? 3 : 2;
  return at;
}

/** Returns true if the German first name Ute and a surname stand here. In English, `ute` is a word for a machine. */
export function isFirstName(tokens: readonly Token[], at: number, to: number): boolean {
  const [first, next] = tokens.slice(at, Math.min(to, at + 2));
  return first?.text === 'Ute' && next?.line === first.line && /^\p{Lu}\p{Ll}+$/u.test(next.text);
}

function isReserved(tokens: readonly Token[], at: number, to: number, first = true): boolean {
  if (
    NOT_NAMES.has(tokens[at]?.key ?? '') ||
    (first && DAYS.at(tokens, at, to)?.value !== undefined && (tokens[at]?.key.length ?? 0) > 4)
  )
    return true;
  // `Pier-Luc Vachon`
  const isDouble =
    tokens[at + 1]?.key === '-' && tokens[at + 1]?.glued === true && /^\p{Lu}\p{Ll}/u.test(tokens[at + 2]?.text ?? '');
  if (
    isDouble &&
    /^\p{Lu}\p{Ll}+$/u.test(tokens[at]?.text ?? '') &&
    tokens[at + 3]?.key !== '-' &&
    /^\p{Lu}\p{Ll}/u.test(tokens[at + 3]?.text ?? '')
  )
    return false;
  if (ROLE_WORDS.at(tokens, at, to) !== null || BADGE_WORDS.at(tokens, at, to) !== null) return true;
  // `Beat Zgraggen Bagger 3`
  if (!first) return KIND_WORDS.at(tokens, at, to)?.value.weak === false && (tokens[at]?.key.length ?? 0) > 4;
  const kind = KIND_WORDS.at(tokens, at, to);
  return (
    (kind !== null && !kind.value.weak && !isFirstName(tokens, at, to)) ||
    (MAKES.at(tokens, at, to) !== null && /\d/.test(tokens[MAKES.at(tokens, at, to)?.to ?? at]?.text ?? '')) ||
    PLACE_WORDS.at(tokens, at, to) !== null ||
    ALONE_WORDS.at(tokens, at, to) !== null ||
    ROOM_WORDS.at(tokens, at, to) !== null ||
    SCREEN_WORDS.at(tokens, at, to) !== null ||
    SHIFT_NAMES.at(tokens, at, to) !== null ||
    CREW_WORDS.at(tokens, at, to) !== null
  );
}

/** A machine of the plan that the text names here. */
export function unitAt(
  { tokens, language }: Text,
  from: number,
  to: number,
  units: UnitIndex,
): { unit: string; to: number } | null {
  const at = THE_WORDS[language].at(tokens, from, to)?.to ?? from;
  for (const start of at === from ? [from] : [from, at])
    for (let end = Math.min(to, start + 4); end > start; end--) {
      const unit = units.numbers.get(keyOfUnit(wordsOf(tokens, start, end)));
      if (unit !== undefined && tokens[start]?.isSign === false && tokens[end - 1]?.isSign === false)
        return { unit, to: end };
    }
  return unitOfKind(tokens, at, to, units);
}

/** `Bagger 3`, or `the grader` if the site has one. */
function unitOfKind(
  tokens: readonly Token[],
  at: number,
  to: number,
  units: UnitIndex,
): { unit: string; to: number } | null {
  const kind = KIND_WORDS.at(tokens, at, to);
  if (kind === null || kind.plural) return null;
  const number = kind.to < to && /^\d/.test(tokens[kind.to]?.key ?? '') ? tokens[kind.to] : undefined;
  const numbered = number === undefined ? undefined : units.numbers.get(keyOfUnit(number.text));
  if (numbered !== undefined) return { unit: numbered, to: kind.to + 1 };
  const single = number === undefined && !kind.value.weak ? units.single.get(kind.value.kind) : undefined;
  return single === undefined ? null : { unit: single, to: kind.to };
}
