/** Shifts with their times and days. */
import { WEEKDAYS } from '#contract/base/local-time.ts';
import type { Item, Read, Text } from '#domain/sentences/items.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import { clockText, DAY } from '#domain/words/clock.ts';
import { clueAt } from '#domain/words/grammar.ts';
import { phrases } from '#domain/words/phrases.ts';
import { DAYS, NO_DAY_WORDS, SHIFT_NAMES, SHIFT_WORDS, WEEKEND } from '#domain/words/shift-words.ts';
import { fold, isCapital, type Span, spanOf } from '#domain/words/text.ts';
import type { PlannedShift } from './plan-types.ts';
import { aroundTheClock, betweenOf, type Range, regimeOf, startsOf } from './shift-starts.ts';

const LONGEST_BREAK = 120;
const SHORT_DAY = 3;

/** Words that say that times are times of work. */
const WORK = phrases<true>([
  [
    true,
    'shift|shifts|work|working|hours|roster|run|operate|operating hours|turno|horario|jornada|trabajamos|laburamos|se trabaja|trabalhamos|rodamos|trabalha|horário|expediente|poste|horaire|horaires|travaille|on fait|quart|arbeitszeit|schicht|gearbeitet|wir fahren|betriebszeit|angefangen|wir arbeiten|dienst|days|nights|faena|turnos|crew|crews|guardia|guardias|turma|turmas|équipe|équipes|cuadrilla|kolonne',
  ],
]);
/** Times that are no shifts. */
const OTHER = phrases<true>([
  [
    true,
    'parada de|corte de|descanso de|blast|blasting|break|lunch|smoko|crib|visitors|deliveries|opening hours|open to|weighbridge|toolbox|meeting|voladura|tronadura|almuerzo|descanso|colación|visitas|apertura|recreo|detonação|desmonte de fogo|detonações|almoço|intervalo|visitantes|tir de mine|tirs|pause|déjeuner|visiteurs|ouverture|livraisons|sprengung|sprengzeit|mittagspause|öffnungszeiten|besucher|anlieferung|besprechung|refeição|pausa|pausas|coupure|office hours|refuelling|abastecimiento|betankung|maintenance window',
  ],
]);
/** Words behind times that make them a break. */
const MEAL = phrases<true>([
  [
    true,
    'para comer|para almorzar|para almoço|para o almoço|de almoço|de comida|de pausa|for lunch|lunch|break|pour manger|pour déjeuner|mittag|pause|de descanso|de colación|de intervalo',
  ],
]);
const BETWEEN_DAYS = new Set(['-', 'to', 'a', 'à', 'au', 'bis', 'through', 'thru', 'ao', 'até', 'ate', 'al']);

interface Name {
  readonly at: number;
  readonly to: number;
  readonly text: string;
  readonly negated: boolean;
}

interface Days {
  readonly at: number;
  readonly to: number;
  readonly days: readonly number[];
  readonly negated: boolean;
  readonly range: boolean;
}

export interface ShiftsRead {
  readonly shifts: readonly PlannedShift[];
  readonly unclear: readonly Span[];
  /** Where the text names each shift. */
  readonly spans: ReadonlyMap<PlannedShift, readonly Span[]>;
}

/** A shift name at a token: `turno de mañana`, `Schicht 1`, `Turno A`. */
export function shiftNameAt({ tokens }: Text, at: number, to: number): { to: number; lettered: boolean } | null {
  const name = SHIFT_NAMES.at(tokens, at, to);
  const word = SHIFT_WORDS.at(tokens, at, to);
  const next = tokens[word?.to ?? at];
  const isLetter =
    word !== null &&
    next !== undefined &&
    word.to < to &&
    !next.isSign &&
    (/^[A-Z1-9]$/.test(next.text) || /^[IV]{1,3}$/.test(next.text));
  if (isLetter && (name === null || name.to <= word.to + 1)) return { to: word.to + 1, lettered: true };
  return name === null ? null : { to: name.to, lettered: false };
}

function isNegatedBefore(text: Text, at: number, from: number): boolean {
  const { tokens } = text;
  for (let i = Math.max(from, at - 4); i < at; i++) {
    const clue = clueAt(text, i, at);
    if (clue !== null && (clue.value === 'none' || clue.value === 'not' || clue.value === 'gone')) return true;
    if ([',', ';', ':'].includes(tokens[i]?.key ?? '')) continue;
    if (['ni', 'nor', 'nem', 'not', 'nicht'].includes(tokens[i]?.key ?? '')) return true;
  }
  return false;
}

function isNegatedAfter(text: Text, at: number, to: number): boolean {
  const { tokens } = text;
  for (let i = at; i < Math.min(to, at + 4); i++) {
    const clue = clueAt(text, i, to);
    if (clue !== null && (clue.value === 'not' || clue.value === 'none')) return true;
    if (tokens[i]?.isSign === true) return false;
  }
  return false;
}

function namesOf(text: Text, { sentence, items }: Read): Name[] {
  const found: Name[] = [];
  for (let at = sentence.from; at < sentence.to; ) {
    const name = shiftNameAt(text, at, sentence.to);
    const isInTimes = items.some((item) => item.type === 'times' && item.from <= at && at < item.to);
    if (name === null || isInTimes) {
      at++;
      continue;
    }
    found.push({
      at,
      to: name.to,
      text: wordsOf(text.tokens, at, name.to),
      negated: isNegatedBefore(text, at, sentence.from) || isNegatedAfter(text, name.to, sentence.to),
    });
    at = name.to;
  }
  return found;
}

function rangesOf(text: Text, { sentence, items }: Read): Range[] {
  const { tokens } = text;
  const hasWork = tokens
    .slice(sentence.from, sentence.to)
    .some(
      (_, i) =>
        WORK.at(tokens, sentence.from + i, sentence.to) !== null ||
        SHIFT_NAMES.at(tokens, sentence.from + i, sentence.to) !== null,
    );
  const found: Range[] = [];
  for (const item of items) {
    if (item.type !== 'times' || (!item.marked && !hasWork && !isListed(item))) continue;
    const from = Math.max(sentence.from, item.from - 6);
    let isOther = false;
    for (let i = from; i < item.from; i++) {
      if (OTHER.at(tokens, i, sentence.to) !== null) isOther = true;
      if ([',', ';', '.'].includes(tokens[i]?.key ?? '') || SHIFT_NAMES.at(tokens, i, sentence.to) !== null)
        isOther = false;
    }
    // `de 14 a 15 h para comer`
    const after = tokens.slice(item.to, Math.min(sentence.to, item.to + 3));
    if (after.some((_, i) => MEAL.at(tokens, item.to + i, sentence.to) !== null)) isOther = true;
    if (!isOther) found.push({ at: item.from, to: item.to, starts: item.starts, ends: item.ends });
  }
  return found;

  /** `06-14, 14-22, 22-06 Uhr`: one time of a list is written as a time. */
  function isListed(item: Item & { type: 'times' }): boolean {
    return items.some(
      (one) =>
        one.type === 'times' &&
        one.marked &&
        (one.starts === item.ends % DAY || one.ends % DAY === item.starts) &&
        tokens.slice(Math.min(one.to, item.to), Math.max(one.from, item.from)).length <= 8,
    );
  }
}

/** `Mon to Fri`, `lunes a viernes`, `Saturdays`, `weekends`. */
function daysOf(text: Text, { sentence }: Read): Days[] {
  const { tokens } = text;
  const found: Days[] = [];
  for (let at = sentence.from; at < sentence.to; ) {
    const day = dayAt(text, at, sentence.to);
    if (day === null) {
      at++;
      continue;
    }
    const negated =
      isNegatedBefore(text, at, sentence.from) ||
      isNegatedAfter(text, day.to, sentence.to) ||
      tokens[at - 1]?.key === '-' ||
      day.never;
    found.push({ at, to: day.to, days: day.days, negated, range: day.range });
    at = day.to;
  }
  return found;
}

function dayAt(
  { tokens }: Text,
  at: number,
  to: number,
): { to: number; days: readonly number[]; range: boolean; never: boolean } | null {
  const weekend = WEEKEND.at(tokens, at, to);
  if (weekend !== null) return { to: weekend.to, days: [5, 6], range: false, never: false };
  const never = NO_DAY_WORDS.at(tokens, at, to);
  if (never !== null) return { to: never.to, days: never.value, range: false, never: true };
  const all = /^(weekdays|laborables)$/.test(tokens[at]?.key ?? '');
  if (all) return { to: at + 1, days: [0, 1, 2, 3, 4], range: true, never: false };
  const first = DAYS.at(tokens, at, to);
  if (first === null) return null;
  let next = first.to;
  if (tokens[next]?.key === '.') next++;
  if (BETWEEN_DAYS.has(tokens[next]?.key ?? '')) {
    const second = DAYS.at(tokens, next + 1, to);
    if (second !== null && second.value !== first.value) {
      const days: number[] = [];
      for (let day = first.value; days.length < WEEKDAYS.length; day = (day + 1) % WEEKDAYS.length) {
        days.push(day);
        if (day === second.value) break;
      }
      return { to: second.to, days, range: true, never: false };
    }
  }
  const isShort =
    (tokens[at]?.key.length ?? 0) <= SHORT_DAY ||
    ['segunda', 'quarta', 'quinta', 'sexta', 'terca'].includes(tokens[at]?.key ?? '');
  return isShort &&
    !(first.to < to && /^\d/.test(tokens[first.to]?.key ?? '') && isCapital(tokens[at] ?? ({ text: '' } as never)))
    ? null
    : { to: first.to, days: [first.value], range: false, never: false };
}

const shiftKey = (name: string): string =>
  fold(name)
    .replace(/schicht$|shift$/, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(
      (word) =>
        !/^(shift|shifts|turno|turnos|quart|poste|postes|equipe|schicht|relevo|de|da|do|du|del|la|el|le|l|d|the|of|dienst)$/.test(
          word,
        ),
    )
    .join('')
    .replace(/^(day|night)s$/, '$1');
export const isSameShift = (a: string, b: string): boolean => shiftKey(a) !== '' && shiftKey(a) === shiftKey(b);

const DAY_NAME = /^(day|dia|diurno|jour|tag|dayshift|days)/;
const NIGHT_NAME = /^(night|noche|noite|nocturno|noturno|nuit|nacht)/;

/** The name of each range: the one before it, or behind it if the sentence begins with a time. */
function pair(names: readonly Name[], ranges: readonly Range[]): (Name | null)[] {
  const first = ranges[0];
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) return [];
  const before = names.filter(({ at }) => at < first.at);
  const after = names.filter(({ at }) => at > last.at);
  if (ranges.length > 1 && before.length === ranges.length && names.length === before.length)
    return ranges.map((_, i) => before[i] ?? null);
  if (ranges.length > 1 && after.length === ranges.length && names.length === after.length)
    return ranges.map((_, i) => after[i] ?? null);
  const isBefore = before.length > 0;
  const taken = new Set<Name>();
  return ranges.map((range, i) => {
    const from = isBefore ? (ranges[i - 1]?.to ?? 0) : range.to;
    const to = isBefore ? range.at : (ranges[i + 1]?.at ?? Number.POSITIVE_INFINITY);
    const near = names.filter(({ at }) => at >= from && at < to);
    // `5am-5pm dayshift, nightshift is 5pm-5am`: a name that no range has stands before this one.
    const free = names.filter((one) => one.at >= (ranges[i - 1]?.to ?? 0) && one.at < range.at && !taken.has(one));
    const name = (isBefore ? near.at(-1) : near[0]) ?? free.at(-1) ?? null;
    if (name !== null) taken.add(name);
    return name;
  });
}

export function readShifts(text: Text, reads: readonly Read[]): ShiftsRead {
  const { tokens, raw } = text;
  const made: { name: string | null; starts: number; ends: number; days: readonly number[] | null; spans: Span[] }[] =
    [];
  const never = new Set<number>();
  let general: readonly number[] | null = null;
  const named: { name: Name; span: Span }[] = [];
  const unclear: Span[] = [];
  for (const read of reads) {
    const names = namesOf(text, read);
    const present = names.filter(({ negated }) => !negated);
    const told = rangesOf(text, read);
    const begun = told.length > 0 ? told : betweenOf(text, read);
    const open = begun.filter(({ starts, ends }) => starts === ends);
    for (const one of open) unclear.push(spanOf(tokens, one.at, one.to));
    if (open.length > 0) continue;
    const found = aroundTheClock(text, begun.length > 0 ? begun : startsOf(text, read));
    const ranges = joined(found, present);
    const days = daysOf(text, read);
    for (const one of days) if (one.negated) for (const day of one.days) never.add(day);
    const positive = days.filter(({ negated }) => !negated);
    // Who does not work on Saturday does not work on Sunday.
    if (never.has(5)) never.add(6);
    if (ranges.length === 0) {
      if (positive.length === 1 && positive[0]?.range === true && general === null) general = positive[0].days;
      for (const name of present)
        if (/shift|turno|poste|quart|schicht/.test(fold(name.text)))
          named.push({ name, span: spanOf(tokens, name.at, name.to) });
      const count = read.items.find(
        (item) => item.type === 'count' && SHIFT_WORDS.at(tokens, item.to, read.sentence.to) !== null,
      );
      const regime = regimeOf(text, read);
      if (regime !== null) unclear.push(regime);
      if (count !== undefined)
        unclear.push(spanOf(tokens, count.from, SHIFT_WORDS.at(tokens, count.to, read.sentence.to)?.to ?? count.to));
      continue;
    }
    const split = daysAndNights(present, ranges);
    const paired = split ?? pair(present, ranges).map((name, i) => ({ name, range: ranges[i] as Range }));
    for (const [i, { name, range }] of paired.entries()) {
      const own =
        positive.length === 1
          ? positive[0]
          : positive.length === ranges.length
            ? positive[i]
            : nearest(positive, range);
      const spans = [
        spanOf(tokens, Math.min(range.at, name?.at ?? range.at), Math.max(range.to, name?.to ?? range.to)),
      ];
      if (own !== undefined) spans.push(spanOf(tokens, own.at, own.to));
      if (!made.some(({ starts, ends }) => starts === range.starts && ends === range.ends))
        made.push({ name: name?.text ?? null, starts: range.starts, ends: range.ends, days: own?.days ?? null, spans });
    }
  }
  for (const { name, span } of named)
    if (
      !made.some((shift) => shift.name !== null && isSameShift(shift.name, name.text)) &&
      !unclear.some((one) => one.start <= span.start && span.end <= one.end)
    )
      unclear.push(span);
  const spansOf = new Map(made.map((shift) => [finished(shift), shift.spans] as const));
  return {
    shifts: [...spansOf.keys()],
    spans: spansOf,
    unclear:
      made.length > 0
        ? unclear.filter((span) => /\d|\p{L}/u.test(raw.slice(span.start, span.end)) && made.length === 0)
        : unclear,
  };

  function finished({ name, starts, ends, days, spans }: (typeof made)[number]): PlannedShift {
    const all = days ?? general ?? (never.size > 0 ? WEEKDAYS.map((_, i) => i).filter((day) => !never.has(day)) : null);
    const isWhole = all === null || new Set(all).size === WEEKDAYS.length || all.length === 0;
    return {
      name: name ?? `${clockText(starts)}-${clockText(ends % DAY)}`,
      starts: clockText(starts),
      ends: clockText(ends % DAY),
      days: isWhole ? null : all.map((day) => WEEKDAYS[day] ?? 'mon'),
      from: [...new Set(spans.map(({ start, end }) => raw.slice(start, end)))],
    };
  }
}

function nearest(days: readonly Days[], range: Range): Days | undefined {
  const distance = (one: Days) => (one.to <= range.at ? range.at - one.to : one.at - range.to);
  return days.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** The two halves of a day around a break are one shift. */
function joined(ranges: Range[], names: readonly Name[]): Range[] {
  const [first, second] = ranges;
  if (first === undefined || second === undefined || ranges.length !== 2 || names.length > 0) return ranges;
  const gap = second.starts - first.ends;
  return gap > 0 && gap <= LONGEST_BREAK && first.starts < first.ends && second.starts < second.ends
    ? [{ ...first, to: second.to, ends: second.ends }]
    : ranges;
}

/** `six to six, days and nights` are two shifts. */
function daysAndNights(names: readonly Name[], ranges: readonly Range[]): { name: Name; range: Range }[] | null {
  const [range] = ranges;
  const key = ({ text }: Name) => fold(text).replace(/^(turno|poste|quart)( de| du)? /, '');
  const day = names.find((name) => DAY_NAME.test(key(name)));
  const night = names.find((name) => NIGHT_NAME.test(key(name)));
  if (
    range === undefined ||
    ranges.length !== 1 ||
    day === undefined ||
    night === undefined ||
    Math.abs(range.ends - range.starts) !== DAY / 2
  )
    return null;
  const early = Math.min(range.starts, range.ends);
  const late = Math.max(range.starts, range.ends);
  return [
    { name: day, range: { ...range, starts: early, ends: late } },
    { name: night, range: { ...range, starts: late, ends: early } },
  ];
}
