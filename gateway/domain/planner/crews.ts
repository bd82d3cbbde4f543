/** Crews and the shifts that they work. */
import type { Read, Text } from './items.ts';
import { wordsOf } from './places.ts';
import type { PlannedCrew, PlannedShift } from './plan-types.ts';
import { CREW_WORDS, SHIFT_WORDS } from './shift-words.ts';
import { isSameShift, shiftNameAt } from './shifts.ts';
import { isCapital, type Span, spanOf, type Token } from './text.ts';

export interface CrewRef {
  readonly name: string;
  readonly to: number;
}

const LETTER = /^[A-Z]$/;
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

/** `Crew A`, `Guardia B`, `Équipe Bleue`. */
function crewAt({ tokens }: Text, at: number, to: number): CrewRef | null {
  const word = CREW_WORDS.at(tokens, at, to);
  if (word === null || word.to >= to) return null;
  const next = tokens[word.to];
  return isName(next) && next?.line === tokens[at]?.line
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
}

export function readCrews(text: Text, reads: readonly Read[], shifts: readonly PlannedShift[]): Crews {
  const { tokens, raw } = text;
  const crews: Crew[] = [];
  const isShift = (name: string) => shifts.some((shift) => isSameShift(shift.name, name) && /\s/.test(name));
  const add = (name: string, span: Span): Crew => {
    const letter = name.split(' ').at(-1) ?? name;
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
      const crew = crews.find(({ letter }) => letter === own.name.split(' ').at(-1));
      return crew === undefined && shift === undefined
        ? null
        : { name: crew?.name ?? shift?.name ?? own.name, to: own.to };
    }
    const token = tokens[at];
    const letter =
      token !== undefined && LETTER.test(token.text) ? crews.find((crew) => crew.letter === token.text) : undefined;
    return letter === undefined ? null : { name: letter.name, to: at + 1 };
  };
  for (const { sentence } of reads) listCrews(sentence.from, sentence.to);
  for (const { sentence } of reads) assign(sentence.from, sentence.to);
  return {
    crews: crews.map(({ name, shift, spans }) => ({
      name,
      shift,
      from: [...new Set(spans.map(({ start, end }) => raw.slice(start, end)))],
    })),
    find: (_, at, to) => find(at, to),
  };

  function listCrews(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const crew = crewAt(text, at, to);
      if (crew !== null) {
        // `Turno A` with times is a shift; a crew word that is also a word for shifts needs a name or a shift behind it.
        if (
          isShift(crew.name) ||
          (SHIFT_WORDS.at(tokens, at, to) !== null &&
            !/^(equipe|crew)$/.test(tokens[at]?.key ?? '') &&
            !isFollowed(crew.to, to))
        )
          continue;
        add(crew.name, spanOf(tokens, at, crew.to));
        at = crew.to - 1;
        listLetters(at + 1, to, wordsOf(tokens, crew.to - 2, crew.to - 1));
        continue;
      }
      const word = CREW_WORDS.at(tokens, at, to);
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
      [',', 'and', 'y', 'e', 'et', 'und', '&'].includes(tokens[at]?.key ?? '') &&
      isName(tokens[at + 1]) &&
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
      const name = shiftNameAt(text, at, to);
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

  function isList(at: number): boolean {
    return [',', 'and', 'y', 'e', 'et', 'und', '&'].includes(tokens[at - 1]?.key ?? '');
  }
}
