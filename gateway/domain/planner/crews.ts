/** Crews and the shifts that they work. */

import type { Read, Text } from '#domain/sentences/items.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import { clockText, DAY } from '#domain/words/clock.ts';
import { POSITIONS } from '#domain/words/place-words.ts';
import { CREW_WORDS, SHIFT_WORDS } from '#domain/words/shift-words.ts';
import { fold, isCapital, type Span, spanOf, type Token, tokenize } from '#domain/words/text.ts';
import type { PlannedCrew, PlannedShift } from './plan-types.ts';
import { isSameShift, shiftNameAt } from './shifts.ts';
import type { RowPerson } from './table-rows.ts';

export interface CrewRef {
  readonly name: string;
  readonly to: number;
}

const LETTER = /^[A-Z]$/;
/** Words between a crew and its times. */
const SMALL = new Set('from de das da del works work trabaja trabalha travaille arbeitet von is'.split(' '));
const COLOURS = new Set(
  'bleue bleu rouge verte vert jaune blanche blanc noire noir orange red blue green yellow white black gold azul roja rojo verde amarilla amarillo amarela amarelo vermelha vermelho branca blanca negra rot blau grun gelb weiss schwarz silver delta alpha bravo charlie echo alfa'.split(
    ' ',
  ),
);

const isName = (token: Token | undefined): boolean =>
  token !== undefined &&
  !token.isSign &&
  (LETTER.test(token.text) ||
    /^[1-9]$/.test(token.text) ||
    /^[IV]{1,3}$/.test(token.text) ||
    (isCapital(token) && COLOURS.has(token.key)));

/** Words for crews before a direction: `équipe Nord`. */
const NAMED = new Set(['equipe', 'crew', 'team', 'guardia', 'cuadrilla', 'turma', 'kolonne']);
const ENGLISH = new Set(['crew', 'team', 'panel', 'gang', 'squad', 'platoon', 'roster']);

/** `A crew` is a name if the text also has a `B crew`. */
const hasCrewB = (tokens: readonly Token[], noun: string): boolean =>
  tokens.some(({ text }, i) => /^[B-D]$/.test(text) && tokens[i + 1]?.key === noun);

/** `red crew`, `B crew`: English puts the name first. */
function namedCrewAt(tokens: readonly Token[], at: number, to: number): CrewRef | null {
  const name = tokens[at];
  const noun = tokens[at + 1];
  if (name === undefined || noun === undefined || at + 1 >= to || noun.line !== name.line) return null;
  const isLetter = /^[A-Z]$/.test(name.text) && (name.text !== 'A' || hasCrewB(tokens, noun.key));
  const after = tokens[at + 2]?.key ?? '';
  if (noun.key === 'shift' && /^[A-Z]$/.test(name.text) && at + 2 < to && [':', '(', '-'].includes(after))
    return { name: wordsOf(tokens, at, at + 2), to: at + 2 };
  return ENGLISH.has(noun.key) && (COLOURS.has(name.key) || isLetter)
    ? { name: wordsOf(tokens, at, at + 2), to: at + 2 }
    : null;
}

/** The part of the name of a crew that tells it from others. */
const letterOf = (name: string): string => {
  const words = name.split(' ');
  const own = [...ENGLISH, 'shift'].includes(fold(words.at(-1) ?? '')) ? words[0] : words.at(-1);
  return fold(own ?? name);
};

/** `Crew A`, `Guardia B`, `Équipe Bleue`. */
function crewAt({ tokens }: Text, at: number, to: number): CrewRef | null {
  const named = namedCrewAt(tokens, at, to);
  if (named !== null) return named;
  const word = CREW_WORDS.at(tokens, at, to);
  if (word === null || word.to >= to) return null;
  const next = tokens[word.to];
  const isPosition =
    next !== undefined &&
    isCapital(next) &&
    POSITIONS.at(tokens, word.to, word.to + 1) !== null &&
    NAMED.has(tokens[at]?.key ?? '');
  const isSmall = /^[a-d]$/.test(next?.text ?? '') && tokens[word.to + 1]?.key === ':';
  return (isName(next) || isSmall || isPosition) && next?.line === tokens[at]?.line
    ? { name: wordsOf(tokens, at, word.to + 1), to: word.to + 1 }
    : null;
}

interface Crew {
  name: string;
  readonly letter: string;
  shift: string | null;
  readonly spans: Span[];
}

export interface Crews {
  readonly crews: readonly PlannedCrew[];
  /** The name of the crew or shift that a reference means; a letter alone is enough if a crew has it. */
  find(text: Text, at: number, to: number): { name: string; to: number } | null;
  /** The crew of a cell of a table. */
  named(cell: string): string | null;
}

export function readCrews(
  text: Text,
  reads: readonly Read[],
  shifts: readonly PlannedShift[],
  persons: readonly RowPerson[],
): Crews {
  const { tokens, raw } = text;
  const crews: Crew[] = [];
  const isShift = (name: string) => shifts.some((shift) => isSameShift(shift.name, name) && /\s/.test(name));
  const add = (name: string, span: Span): Crew => {
    const letter = letterOf(name);
    const known = crews.find((one) => one.letter === letter);
    if (known !== undefined) {
      known.spans.push(span);
      return known;
    }
    const made: Crew = { name, letter, shift: null, spans: [span] };
    crews.push(made);
    return made;
  };
  const find = (at: number, to: number): { name: string; to: number } | null => {
    const own = crewAt(text, at, to);
    if (own !== null) {
      const shift = shifts.find((one) => isSameShift(one.name, own.name));
      const crew = crews.find(({ letter }) => letter === letterOf(own.name));
      return crew === undefined && shift === undefined
        ? null
        : { name: crew?.name ?? shift?.name ?? own.name, to: own.to };
    }
    const token = tokens[at];
    const letter =
      token !== undefined && LETTER.test(token.text)
        ? crews.find((crew) => crew.letter === fold(token.text))
        : undefined;
    return letter === undefined ? null : { name: letter.name, to: at + 1 };
  };
  for (const { sentence } of reads) listCrews(sentence.from, sentence.to);
  for (const { crew, span } of persons) {
    const words = tokenize(crew ?? '');
    const own = words.at(-1);
    if (crew !== null && own !== undefined && words.length <= 2 && isName(own)) add(crew, span);
  }
  assignShifts(text, reads, shifts, crews, find, (at, to) => shiftNameAt(text, at, to));
  return {
    crews: crews.map(({ name, shift, spans }) => ({
      name,
      shift,
      from: [...new Set(spans.map(({ start, end }) => raw.slice(start, end)))],
    })),
    find: (_, at, to) => find(at, to),
    named: (cell) =>
      crews.find(({ letter }) => letter === letterOf(cell))?.name ??
      shifts.find((one) => isSameShift(one.name, cell))?.name ??
      null,
  };

  function listCrews(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const crew = crewAt(text, at, to);
      if (crew !== null) {
        // `Turno A` with times is a shift; a crew word that is also a word for shifts needs a name or a shift behind it.
        const isOnlyCrew = /^(equipe|crew)$/.test(tokens[at]?.key ?? '');
        if (
          (isShift(crew.name) && !isOnlyCrew) ||
          (SHIFT_WORDS.at(tokens, at, to) !== null && !isOnlyCrew && !isFollowed(crew.to, to))
        )
          continue;
        add(crew.name, spanOf(tokens, at, crew.to));
        at = crew.to - 1;
        listLetters(at + 1, to, wordsOf(tokens, crew.to - 2, crew.to - 1));
        continue;
      }
      const word = CREW_WORDS.at(tokens, at, to);
      const colour = word?.plural === true && word.to < to ? tokens[word.to] : undefined;
      if (word !== null && colour !== undefined && COLOURS.has(colour.key) && SHIFT_WORDS.at(tokens, at, to) === null) {
        add(colour.text, spanOf(tokens, word.to, word.to + 1));
        listLetters(word.to + 1, to, null);
      }
      if (word?.plural === true && tokens[word.to]?.key === ':' && SHIFT_WORDS.at(tokens, at, to) === null) {
        if (isName(tokens[word.to + 1])) add(tokens[word.to + 1]?.text ?? '', spanOf(tokens, word.to + 1, word.to + 2));
        listLetters(word.to + 2, to, null);
      }
    }
  }

  /** `A, B and C` behind a crew. */
  function listLetters(from: number, to: number, word: string | null): void {
    let at = from;
    while (
      at + 1 < to &&
      [',', 'and', 'y', 'e', 'et', 'und', '&', 'n'].includes(tokens[at]?.key ?? '') &&
      (isName(tokens[at + 1]) || COLOURS.has(tokens[at + 1]?.key ?? '')) &&
      !(tokens[at + 2]?.glued === true && tokens[at + 2]?.key === '-')
    ) {
      const letter = tokens[at + 1]?.text ?? '';
      if (/^\d$/.test(letter)) break;
      add(word === null ? letter : `${word} ${letter}`, spanOf(tokens, at + 1, at + 2));
      at += 2;
    }
  }

  /** A crew has members, a shift or a colon behind its name. */
  function isFollowed(at: number, to: number): boolean {
    const key = tokens[at]?.key ?? '';
    return at < to && (key === ':' || key === '(');
  }
}

/** Gives crews the shifts that the text names beside them. */
function assignShifts(
  { tokens }: Text,
  reads: readonly Read[],
  shifts: readonly PlannedShift[],
  crews: readonly Crew[],
  find: (at: number, to: number) => { name: string; to: number } | null,
  nameAt: (at: number, to: number) => { to: number } | null,
): void {
  for (const read of reads) {
    assign(read.sentence.from, read.sentence.to);
    assignTimes(read);
  }

  function assign(from: number, to: number): void {
    let waiting: Crew[] = [];
    for (let at = from; at < to; ) {
      const ref = find(at, to);
      const crew = crews.find(({ name }) => name === ref?.name);
      if (ref !== null && crew !== undefined) {
        if (waiting.length > 0 && !isList(at)) waiting = [];
        waiting.push(crew);
        at = ref.to;
        continue;
      }
      const name = nameAt(at, to);
      const shift =
        name === null ? undefined : shifts.find((one) => isSameShift(one.name, wordsOf(tokens, at, name.to)));
      if (name !== null && shift !== undefined) {
        for (const one of waiting) {
          one.shift ??= shift.name;
          if (one.shift === shift.name) one.spans.push(spanOf(tokens, at, name.to));
        }
        waiting = [];
      }
      at = name?.to ?? at + 1;
    }
  }

  /** `Turma A 00h-06h`, `Équipe A : 6h-18h` */
  function assignTimes({ sentence, items }: Read): void {
    for (const item of items) {
      if (item.type !== 'times') continue;
      let end = item.from;
      while (end > sentence.from && (tokens[end - 1]?.isSign === true || SMALL.has(tokens[end - 1]?.key ?? ''))) end--;
      const shift = shifts.find(
        ({ starts, ends }) => starts === clockText(item.starts) && ends === clockText(item.ends % DAY),
      );
      for (let at = Math.max(sentence.from, end - 3); at < end; at++) {
        const ref = find(at, sentence.to);
        const crew = ref?.to === end ? crews.find(({ name }) => name === ref.name) : undefined;
        if (crew === undefined || shift === undefined || crew.shift !== null) continue;
        crew.shift = shift.name;
        crew.spans.push(spanOf(tokens, item.from, item.to));
      }
    }
  }

  function isList(at: number): boolean {
    return [',', 'and', 'y', 'e', 'et', 'und', '&'].includes(tokens[at - 1]?.key ?? '');
  }
}
