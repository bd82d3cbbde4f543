/** Words of a text with their positions in it. What cannot be seen, and the case and accents of letters, do not count. */

/** Zero-width characters, direction marks, soft hyphens and variation selectors. */
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/u;
const DASHES = /^[\p{Pd}\u2212\u2043]$/u;
const APOSTROPHES = /^['\u2018\u2019\u02BC\u00B4`]$/u;
const LETTER = /^[\p{L}\p{M}]$/u;
const DIGIT = /^\p{Nd}$/u;

export interface Token {
  /** The characters of the text without the invisible ones. */
  readonly text: string;
  /** In small letters without accents; all dashes are `-`, all apostrophes `'`. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** False if a space or a line end stands before. */
  readonly glued: boolean;
  readonly line: number;
  readonly isSign: boolean;
}

/** A part of the text, as positions. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i')
    .replaceAll('œ', 'oe');

/** True for a word that begins with a capital letter. */
export const isCapital = ({ text }: Token): boolean => /^\p{Lu}/u.test(text);
export const isDigits = (key: string): boolean => /^\d+$/.test(key);
/** A number with a decimal or thousands separator. */
const SEPARATORS = new Set(['.', ',']);

/** `nº` is the word for number, not `no`; `é` is a verb, `e` is `and`. */
const keyOfWord = (word: string): string => (/^n[ºª]s?$/i.test(word) ? 'numero' : /^é$/i.test(word) ? 'é' : fold(word));

function keyOfSign(char: string): string {
  if (DASHES.test(char)) return '-';
  if (APOSTROPHES.test(char)) return "'";
  if (char === '→' || char === '⇒') return '=';
  return char.normalize('NFKD').toLowerCase();
}

/** Splits a text into words (letters and digits together) and signs. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 0;
  let glued = false;
  let word = '';
  let start = 0;
  let end = 0;
  const flush = () => {
    if (word === '') return;
    tokens.push({ text: word, key: keyOfWord(word), start, end, glued, line, isSign: false });
    word = '';
    glued = true;
  };
  let at = 0;
  for (const char of text) {
    const next = at + char.length;
    if (INVISIBLE.test(char)) {
      at = next;
      continue;
    }
    if (LETTER.test(char) || DIGIT.test(char) || (SEPARATORS.has(char) && isInNumber(text, at, word))) {
      if (word === '') start = at;
      word += char;
      end = next;
    } else {
      flush();
      if (char === '\n') line++;
      if (/\s/.test(char)) glued = false;
      else {
        tokens.push({ text: char, key: keyOfSign(char), start: at, end: next, glued, line, isSign: true });
        glued = true;
      }
    }
    at = next;
  }
  flush();
  return tokens;
}

const LONGEST_NUMBER = 20;

/** True for the separator in `64,5` and `18.402,5`: digits on both sides. */
function isInNumber(text: string, at: number, word: string): boolean {
  return word.length < LONGEST_NUMBER && /^\d[\d.,]*$/.test(word) && DIGIT.test(text[at + 1] ?? '');
}

export const spanOf = (tokens: readonly Token[], from: number, to: number): Span => ({
  start: tokens[from]?.start ?? 0,
  end: tokens[to - 1]?.end ?? 0,
});

const SENTENCE_ENDS = new Set(['.', '!', '?', '…', '•', '‣']);
/** Words that a full stop follows inside a sentence. */
const ABBREVIATIONS = new Set(
  'no nos nr nrn num tel ing dr dipl mr mrs ms sr sra srta st ca approx art pos inkl bzw z b d h u a hrs op oper mec ref exmo exma exmos eng cap km max min etc serie ser mod gen fa ltd co'.split(
    ' ',
  ),
);
/** Words before a letter that is a name: `Guardia C.` ends a sentence, `Peter J.` does not. */
const NUMBERED = new Set(
  'crew guardia turma equipe schicht turno grupo kolonne shift poste quart level sector secteur setor zone zona gradin pit and y e et und cutting embankment team panel cuadrilla'.split(
    ' ',
  ),
);
const LONG_LINE = 60;

/** A sentence or a line of a list: a range of tokens. */
export interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  /** True if an empty line stands before it. */
  readonly afterGap: boolean;
  /** True if it begins its line. */
  readonly startsLine: boolean;
}

/** Wrapped lines differ by at most about one word. */
const RAGGED = 15;

/** The length of the longest line: in a text that a program has wrapped, a line ends only where the next word is too long for it. */
function widthOf(tokens: readonly Token[], from: number, to: number): number {
  const lengths = new Map<number, number>();
  let start = 0;
  for (let at = from; at < to; at++) {
    const token = tokens[at] as Token;
    if (token.line !== tokens[at - 1]?.line || at === from) start = token.start;
    lengths.set(token.line, token.end - start);
  }
  const width = [...lengths.values()].reduce((longest, length) => Math.max(longest, length), 0);
  const near = [...lengths.values()].filter((length) => length > width - RAGGED).length;
  return near < 2 ? Number.POSITIVE_INFINITY : width;
}

function isEnd(tokens: readonly Token[], at: number, width: number): boolean {
  const token = tokens[at];
  const next = tokens[at + 1];
  if (token === undefined || next === undefined) return true;
  if (token.isSign && SENTENCE_ENDS.has(token.key) && !next.glued && next.line === token.line) {
    const before = tokens[at - 1];
    if (token.key !== '.' || before === undefined) return true;
    if (isInitial(tokens, at)) return false;
    const isShort =
      before.key.length === 1 && !isDigits(before.key) && isCapital(before) && tokens[at - 2]?.key !== ',';
    if (/^[IVX]+$/.test(before.text) || !token.glued) return true;
    if (isShort && !NUMBERED.has(tokens[at - 2]?.key ?? ''))
      return !/^\p{Lu}$/u.test(before.text) || next.text.length > 2;
    return before.key.length === 1 ? !/^[a-z]$/.test(before.text) : !ABBREVIATIONS.has(before.key);
  }
  if (next.line === token.line) return false;
  // A line end within a paragraph: the sentence goes on if the line is long and the next one does not begin a new item.
  if (next.line > token.line + 1) return true;
  if (token.isSign && [':', ...SENTENCE_ENDS].includes(token.key)) return true;
  let first = at;
  while (first > 0 && tokens[first - 1]?.line === token.line) first--;
  const length = token.end - (tokens[first]?.start ?? 0);
  if (next.key === tokens[first]?.key || (isDigits(next.key) && isDigits(tokens[first]?.key ?? ''))) return true;
  if (length + 1 + next.text.length <= width) return true;
  return length < LONG_LINE || next.isSign || isListNumber(tokens, at + 1) || (isCapital(next) && token.key !== ',');
}

/** `Operators: D. Prentice`: a letter at the start of a name. */
function isInitial(tokens: readonly Token[], at: number): boolean {
  const letter = tokens[at - 1];
  const front = tokens[at - 2];
  const next = tokens[at + 1];
  if (letter === undefined || next === undefined || !/^\p{Lu}$/u.test(letter.text) || tokens[at]?.glued !== true)
    return false;
  const isFirst = front === undefined || front.isSign || front.line !== letter.line;
  return isFirst && (/^\p{Lu}\p{Ll}/u.test(next.text) || (/^\p{Lu}$/u.test(next.text) && tokens[at + 2]?.key === '.'));
}

/** `1)` or `2.` at the start of a line. */
const isListNumber = (tokens: readonly Token[], at: number): boolean =>
  isDigits(tokens[at]?.key ?? '') && [')', '.'].includes(tokens[at + 1]?.key ?? '');

/** A sentence with more words is divided, so that the time stays proportional to the length of a text. */
const MAX_SENTENCE = 400;

/** Divides the tokens of some lines into sentences. */
export function sentencesOf(tokens: readonly Token[], from = 0, to = tokens.length): Sentence[] {
  const found: Sentence[] = [];
  const width = widthOf(tokens, from, to);
  let first = from;
  for (let at = from; at < to; at++) {
    if (at < to - 1 && at - first < MAX_SENTENCE && !isEnd(tokens, at, width)) continue;
    const line = tokens[first]?.line ?? 0;
    const before = tokens[first - 1];
    found.push({
      from: first,
      to: at + 1,
      line,
      afterGap: before === undefined || line > before.line + 1,
      startsLine: before?.line !== line,
    });
    first = at + 1;
  }
  return found;
}
