/** Unit numbers, their ranges and lists, and what is left out of them: `HT-01 to HT-12 except 07`. */
import { clueAt, FROM_WORDS, type Language, ONE_WORDS, RANGE_WORDS, THE_WORDS } from '#domain/words/grammar.ts';
import type { Token } from '#domain/words/text.ts';
import type { Unit, UnitList } from './items.ts';
import { knownModelAt } from './models.ts';

/** A site has fewer machines than this; a longer range is an error of the text. */
export const MAX_MACHINES = 1000;

interface Code {
  /** Everything before the last digits: `HT-`. */
  readonly front: string;
  readonly digits: string;
  readonly tail: string;
  readonly to: number;
}

const WORD_CODE = /^([A-Z]{1,5})(\d{1,5})([A-Za-z]?)$/;
const LOWER_CODE = /^((?!x\d|m[23]$|h\d)[a-z]{1,3})(\d{1,4})$/;

/** A number with letters that begins here: `HT-01`, `A301`, `WL 01`. */
function codeAt(tokens: readonly Token[], at: number, to: number): Code | null {
  const token = tokens[at];
  if (token === undefined || at >= to || token.isSign) return null;
  const whole = WORD_CODE.exec(token.text) ?? (token.text === token.key ? LOWER_CODE.exec(token.key) : null);
  if (whole !== null) {
    const [, front = '', digits = '', tail = ''] = whole;
    return { front, digits, tail, to: at + 1 };
  }
  if (!/^\p{L}{1,5}\d?$/u.test(token.text)) return null;
  const dash = tokens[at + 1];
  const number = tokens[at + 2];
  if (dash?.key === '-' && dash.glued && number?.glued === true && at + 2 < to) {
    const parts = /^(\d{1,5})([A-Za-z]?)$/.exec(number.text);
    if (parts !== null) return { front: `${token.text}-`, digits: parts[1] ?? '', tail: parts[2] ?? '', to: at + 3 };
  }
  return null;
}

/** `WL 01`: capitals, a space and a number. */
const isArticle = (language: Language, token: Token): boolean =>
  THE_WORDS[language].at([token], 0, 1) !== null || ONE_WORDS[language].at([token], 0, 1) !== null;

function spacedAt(tokens: readonly Token[], at: number, to: number, i18n: Language): Code | null {
  const token = tokens[at];
  const number = tokens[at + 1];
  if (token === undefined || number === undefined || at + 1 >= to || number.line !== token.line) return null;
  if (
    !/^[A-Z]{1,3}$/.test(token.text) ||
    isArticle(i18n, token) ||
    tokens[at + 2]?.key === ':' ||
    !/^\d{1,4}$/.test(number.text)
  )
    return null;
  return { front: `${token.text} `, digits: number.text, tail: '', to: at + 2 };
}

const textOf = ({ front, digits, tail }: Code): string => `${front}${digits}${tail}`;

/** `HT-01` and `ht 1` have one key. A sign between two digits counts: `CV-1.1` and `CV-11` are two machines. */
export const keyOfUnit = (text: string): string =>
  (text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [])
    .map((part) => part.replace(/^0+(?=\d)/, ''))
    .join('-')
    .replace(/(?<!\p{N})-|-(?!\p{N})/gu, '');

function expand(first: Code, last: string): Unit[] | null {
  const from = Number(first.digits);
  const until = Number(last);
  if (until <= from) return [];
  if (until - from >= MAX_MACHINES) return null;
  const width = first.digits.length;
  return Array.from({ length: until - from + 1 }, (_, i) => ({
    text: `${first.front}${String(from + i).padStart(width, '0')}${first.tail}`,
    bare: first.front === '',
  }));
}

/** `Nr. 11 12 13`: numbers with spaces only, of the same length. */
const isNextNumber = (tokens: readonly Token[], at: number, before: string): boolean =>
  NUMBER.test(tokens[at]?.key ?? '') &&
  tokens[at]?.key.length === before.length &&
  tokens[at - 1]?.key === before &&
  tokens[at]?.line === tokens[at - 1]?.line;

export interface UnitsOptions {
  readonly language: Language;
  /** True if a bare number is a number of a machine here: `camiones 01 al 12`. */
  readonly bare: boolean;
  /** True if letters and a number with a space between them may be one: `WL 01`. */
  readonly spaced: boolean;
  /** Where a number is something else: the start of another machine group. */
  readonly stops: (at: number) => boolean;
  /** Where a number counts machines for sure: a word for machines stands right behind it. */
  readonly counts: (at: number) => boolean;
}

const NUMBER = /^\d{1,5}$/;

/** `7-310` is one number: a range from 7 to 310 would be more machines than anybody numbers in this way. */
function dividedAt(tokens: readonly Token[], at: number, to: number): Code | null {
  const [first, dash, second] = tokens.slice(at, Math.min(to, at + 3));
  if (first === undefined || dash?.key !== '-' || !dash.glued || second?.glued !== true) return null;
  // `4711-02` has a running number behind the number of a kind.
  const isRunning = first.key.length > 2 && second.key.length < first.key.length && second.key.startsWith('0');
  if (!NUMBER.test(first.key) || !NUMBER.test(second.key)) return null;
  if (!isRunning && second.key.length < first.key.length + 2) return null;
  return { front: `${first.text}-`, digits: second.text, tail: '', to: at + 3 };
}

/** `camiones 11, 12 y 13 Cat 785`: a number that goes on with the list is no count, unless a word for machines follows. */
function isNextOf(token: Token | undefined, like: Code, isCount: boolean): boolean {
  const key = token?.key ?? '';
  const isRun = NUMBER.test(key) && key.length === like.digits.length && Number(key) > Number(like.digits);
  return isRun && like.front === '' && !isCount;
}

/** `401-412, 405's been sold`: another sentence begins. */
const isContracted = (tokens: readonly Token[], at: number): boolean =>
  tokens[at + 1]?.key === "'" && tokens[at + 1]?.glued === true;

/** `BD1 BD2 BD3`: the next code with the same letters, with a space only. */
function codeBehind(tokens: readonly Token[], at: number, to: number, like: Code): Code | null {
  const code = like.front === '' || tokens[at]?.line !== tokens[at - 1]?.line ? null : codeAt(tokens, at, to);
  return code?.front === like.front ? code : null;
}

/** `TO-5, D8T`: other letters than those of the first number, and a model. */
function isModel(tokens: readonly Token[], at: number, to: number, code: Code, first: Code | null): boolean {
  const model = code.front === first?.front ? null : knownModelAt(tokens, at, to);
  return model !== null && (model.sure || code.tail !== '');
}

/** Reads one list: codes, ranges and exceptions. */
export function unitsAt(
  tokens: readonly Token[],
  at: number,
  to: number,
  options: UnitsOptions,
): { list: UnitList; to: number } | null {
  const { language, bare, spaced, stops } = options;
  const bareAt = (i: number, isRange = false): Code | null =>
    (isRange ? null : dividedAt(tokens, i, to)) ??
    (i < to && NUMBER.test(tokens[i]?.key ?? '') && (isRange || (tokens[i]?.key ?? '').startsWith('0') || !stops(i))
      ? { front: '', digits: tokens[i]?.key ?? '', tail: '', to: i + 1 }
      : null);
  const read = (i: number, like: Code | null, isRange = false): Code | null => {
    const code = codeAt(tokens, i, to) ?? (spaced ? spacedAt(tokens, i, to, language) : null);
    if (code !== null) return code;
    if (like === null) return bare ? bareAt(i) : null;
    const number = bareAt(i, isRange);
    return number === null ? null : { ...number, front: like.front };
  };
  const skipArticles = (i: number) => {
    const from = FROM_WORDS[language].at(tokens, i, to)?.to ?? THE_WORDS[language].at(tokens, i, to)?.to ?? i;
    return clueAt({ tokens, language }, from, to)?.value === 'numbers'
      ? (clueAt({ tokens, language }, from, to)?.to ?? from)
      : from;
  };
  const first = read(at, null);
  if (first === null) return null;
  const units: Unit[] = [];
  let tooMany = false;
  let code: Code = first;
  let end = at;
  for (;;) {
    end = code.to;
    const range = rangeFrom(code);
    if (range === null) {
      tooMany = true;
      break;
    }
    units.push(...range.units);
    end = range.to;
    const next = following(end, code);
    // `la 7 y la 8, la 8 está`: the next clause speaks of one of them.
    if (next === null || units.some(({ text }) => text === textOf(next))) break;
    code = next;
  }
  const left = except(end, first);
  return {
    list: {
      units: units.filter(({ text }) => !left.gone.has(keyOfUnit(text))),
      tooMany: tooMany || units.length > MAX_MACHINES,
      without: [...left.gone],
    },
    to: left.to,
  };

  function rangeFrom(start: Code): { units: Unit[]; to: number } | null {
    const one = { units: [{ text: textOf(start), bare: start.front === '' }], to: start.to };
    const word = RANGE_WORDS[language].at(tokens, start.to, to);
    if (word === null) return one;
    const sign = tokens[start.to];
    const second = read(skipArticles(word.to), start, true);
    if (second === null || (second.front !== start.front && second.front !== '')) return one;
    // `HT-01 - Cat` has a dash with spaces; a range with a dash has a number of the same machine behind it.
    if (sign?.isSign === true && sign.key === '-' && sign.glued !== (tokens[word.to]?.glued ?? false)) return one;
    const found = expand(start, second.digits);
    return found === null ? null : found.length === 0 ? one : { units: found, to: second.to };
  }

  function following(i: number, like: Code): Code | null {
    const sign = tokens[i];
    if (i >= to || sign === undefined) return null;
    let next = i;
    if (sign.key === ',' || sign.key === '/') next = i + 1;
    const and = clueAt({ tokens, language }, next, to);
    if (and?.value === 'and') next = and.to;
    const isListed = bare && like.front === '' && isNextNumber(tokens, i, like.digits);
    const code = next === i ? codeBehind(tokens, i, to, like) : null;
    if (code !== null || (next === i && !isListed)) return code;
    next = THE_WORDS[language].at(tokens, next, to)?.to ?? next;
    const intro = clueAt({ tokens, language }, next, to);
    if (intro?.value === 'numbers' && next > i && like.front === '') next = intro.to;
    // `Lader 1, Lader 2`: the word for the machine stands again.
    if (
      next > i &&
      bare &&
      like.front === '' &&
      tokens[next]?.isSign === false &&
      tokens[next]?.key === tokens[at - 1]?.key
    )
      next++;
    if (stops(next) && !isNextOf(tokens[next], like, options.counts(next))) return null;
    if (like.front === '' && isContracted(tokens, next)) return null;
    const found = read(next, like);
    if (found === null) return null;
    if (isModel(tokens, next, to, found, first)) return null;
    // A bare number behind a coded one goes on with its letters only if it looks the same.
    if (NUMBER.test(tokens[next]?.key ?? '') && like.front !== '' && found.digits.length > like.digits.length)
      return null;
    return found;
  }

  function except(i: number, like: Code): { gone: Set<string>; to: number } {
    const gone = new Set<string>();
    let next = i;
    if ([',', '('].includes(tokens[next]?.key ?? '')) next++;
    const clue = clueAt({ tokens, language }, next, to);
    if (clue === null || (clue.value !== 'except' && clue.value !== 'none')) return { gone, to: i };
    const start = skipArticles(clue.to);
    let one = read(start, like);
    if (one === null) return { gone, to: i };
    let last = i;
    while (one !== null) {
      const range = rangeFrom(one);
      for (const { text } of range?.units ?? []) gone.add(keyOfUnit(text));
      last = range?.to ?? one.to;
      one = following(last, one);
    }
    return { gone, to: tokens[last]?.key === ')' && tokens[i]?.key === '(' ? last + 1 : last };
  }
}
