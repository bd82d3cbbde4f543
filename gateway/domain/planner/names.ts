import { clueAt, NUMBER_WORDS, THE_WORDS } from './grammar.ts';
import type { Text } from './items.ts';
import { KIND_WORDS } from './kind-words.ts';
import { MAKES } from './makes.ts';
import { ALONE_WORDS, PLACE_WORDS, ROOM_WORDS } from './place-words.ts';
import { wordsOf } from './places.ts';
import { BADGE_WORDS, CREW_WORDS, DAYS, ROLE_WORDS, SCREEN_WORDS, SHIFT_NAMES } from './shift-words.ts';
import { isCapital, type Token } from './text.ts';
import { keyOfUnit } from './units.ts';

export const PARTICLES = new Set('de da do dos das del van von der den ter la el di du le al bin'.split(' '));
const TITLES = new Set(
  'mr mrs ms sir don dona sr sra srta seu dona herr hr frau fr m mme mlle ing dipl dr maestro eng engo'.split(' '),
);
const NOT_NAMES = new Set(
  'tel telefon phone mobil handy cel email mail crew shift on off and with regards saludos cordialement gruss all the they he she we our nos notre unser unsere todos ninguno none tbd tba vacante vacant n/a monday we they please names list'.split(
    ' ',
  ),
);
const MOST_NAMES = 4;
const SMALL_WORDS = new Set(
  'sur le la les on in au aux de du des et en no na nos nas mit auf dem der die das sur con com avec with for to at is are we on por para pour von bei und oder or que qui who the a o os as cest are sao son sind est es todos tous alle all later names mas pero but not nao no'.split(
    ' ',
  ),
);
/** The machines of the plan by the key of their number. */
export type UnitIndex = ReadonlyMap<string, string>;

/** A name of a person that begins here. */
export function nameAt(text: Text, from: number, to: number, lower = false): { to: number; start: number } | null {
  const { tokens } = text;
  const only = tokens[from];
  if (
    lower &&
    only !== undefined &&
    from < to &&
    /^\p{Ll}{2,}$/u.test(only.text) &&
    !isReserved(tokens, from, to) &&
    clueAt(text, from, to) === null &&
    !SMALL_WORDS.has(only.key) &&
    THE_WORDS[text.language].at(tokens, from, to) === null &&
    NUMBER_WORDS[text.language].at(tokens, from, to) === null
  )
    return { start: from, to: from + 1 };
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
  const first = tokens[start];
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
    } else if (isWord(token) && !isReserved(tokens, end, to, false)) {
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

function isReserved(tokens: readonly Token[], at: number, to: number, first = true): boolean {
  if (
    NOT_NAMES.has(tokens[at]?.key ?? '') ||
    (DAYS.at(tokens, at, to)?.value !== undefined && (tokens[at]?.key.length ?? 0) > 4)
  )
    return true;
  if (ROLE_WORDS.at(tokens, at, to) !== null || BADGE_WORDS.at(tokens, at, to) !== null) return true;
  if (!first) return false;
  const kind = KIND_WORDS.at(tokens, at, to);
  return (
    (kind !== null && !kind.value.weak) ||
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
      const unit = units.get(keyOfUnit(wordsOf(tokens, start, end)));
      if (unit !== undefined && tokens[start]?.isSign === false && tokens[end - 1]?.isSign === false)
        return { unit, to: end };
    }
  return null;
}
