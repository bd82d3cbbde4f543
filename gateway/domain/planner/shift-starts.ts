import type { Read, Text } from '#domain/sentences/items.ts';
import { clockAt, DAY, laterEnd } from '#domain/words/clock.ts';
import { phrases } from '#domain/words/phrases.ts';
import { type Span, spanOf } from '#domain/words/text.ts';

const STARTS = phrases<true>([
  [
    true,
    'starting at|starting|start at|starts at|begin at|beginning at|change at|changes at|changeover at|changeover|shift change|shift change at|handover at|change over at|empiezan a|empiezan|comienzan|inician|con inicio|cambio de turno|cambio de guardia|relevo a|relevos a|começam|iniciam|início|troca de turno|troca às|débutent|débutant|commencent|commençant|prise de poste|relève à|relèves à|relève|beginnend|beginn|beginnen|schichtbeginn|schichtwechsel|wechsel um|wechsel',
  ],
]);
const NEAR_START = 6;

const BEGIN = phrases<true>([
  [
    true,
    'start|starts|begin|begins|knock on|clock on|empezamos|entramos|arrancamos|comenzamos|empiezan|entran|começamos|pegamos|entramos|iniciamos|começam|entram|commençons|commence|commencent|débute|débutons|embauche|on attaque|fangen|beginnen|beginnt|beginn|starten|anfangen',
  ],
]);
const FINISH = phrases<true>([
  [
    true,
    'finish|finishes|knock off|clock off|stop|end|ends|terminamos|salimos|acabamos|paramos|terminan|salen|largamos|saímos|terminam|saem|finit|finissons|finissent|terminons|termine|débauche|hören|aufhören|feierabend|enden|endet|schluss',
  ],
]);
const NEAR_END = 12;

/**
 * `we start at half 6 and finish at 5`, `wir fangen um 6 an und hören um 14 Uhr auf`: work from one time to the other. Both times are the same
 * if the text does not say how long the work takes: `start at 6 am and finish at 6 am`.
 */
export function betweenOf({ tokens, language }: Text, { sentence: { from, to } }: Read): Range[] {
  const clockBehind = (at: number) => {
    for (let i = at; i < Math.min(to, at + 4); i++) {
      const clock = clockAt(tokens, i, to, language);
      if (clock !== null) return { ...clock, at: i };
      if (tokens[i]?.isSign === true) return null;
    }
    return null;
  };
  for (let at = from; at < to; at++) {
    const word = BEGIN.at(tokens, at, to);
    const first = word === null ? null : clockBehind(word.to);
    if (first === null) continue;
    for (let i = first.to; i < Math.min(to, first.to + NEAR_END); i++) {
      const end = FINISH.at(tokens, i, to);
      const second = end === null ? null : clockBehind(end.to);
      if (second === null) continue;
      const ends = first.sure || second.sure ? second.minutes : laterEnd(first.minutes, second.minutes);
      return [{ at: first.at, to: second.to, starts: first.minutes, ends }];
    }
  }
  return [];
}

/** `two shifts, starting at 07:00 and 19:00`: starts that divide the day into equal parts. */
export function startsOf({ tokens, language }: Text, { sentence: { from, to } }: Read): Range[] {
  for (let at = from; at < to; at++) {
    const word = STARTS.at(tokens, at, to);
    if (word === null) continue;
    const starts: { readonly minutes: number; readonly at: number; readonly to: number }[] = [];
    for (let i = word.to; i < Math.min(to, (starts.at(-1)?.to ?? word.to) + NEAR_START); ) {
      const clock = clockAt(tokens, i, to, language);
      if (clock !== null) starts.push({ minutes: clock.minutes, at: i, to: clock.to });
      i = clock?.to ?? i + 1;
    }
    const gap = DAY / starts.length;
    const isEqual = starts.every(({ minutes }, i) => {
      const next = starts[(i + 1) % starts.length];
      return next !== undefined && (next.minutes - minutes + DAY) % DAY === gap;
    });
    if ((starts.length === 2 || starts.length === 3) && isEqual)
      return starts.map((one, i) => ({
        at: one.at,
        to: one.to,
        starts: one.minutes,
        ends: starts[(i + 1) % starts.length]?.minutes ?? 0,
      }));
  }
  return [];
}

const HALF = DAY / 2;
const HALF_SIGN = /^\d{1,2}(\.\d\d)?(am|pm|a|p)$|^(am|pm|a\.m|p\.m)\.?$/;
/** The first shift of a day begins about this time. */
const MORNING = 390;
const FIRST_HOURS = [240, 660] as const;

/**
 * Puts ranges that go on from each other into one day: `6 to 2, 2 to 10 and 10 to 6` is 06:00 to 14:00, 14:00 to 22:00 and 22:00 to 06:00. The
 * text must not say which half of the day it means.
 */
export function aroundTheClock({ tokens }: Text, ranges: readonly Range[]): Range[] {
  const [first] = ranges;
  const last = ranges.at(-1);
  const isNext = (a: number, b: number, cycle: number) => (b - a + DAY) % cycle === 0;
  const chained = (cycle: number) =>
    ranges.slice(1).every(({ starts }, i) => isNext(ranges[i]?.ends ?? 0, starts, cycle));
  if (first === undefined || last === undefined || ranges.length < 2 || chained(DAY) || !chained(HALF))
    return [...ranges];
  if (tokens.slice(first.at, last.to + 1).some(({ key }) => HALF_SIGN.test(key))) return [...ranges];
  const isRound = isNext(last.ends, first.starts, HALF);
  const inMorning = ranges
    .map(({ starts }, i) => ({ i, start: starts % HALF }))
    .filter(({ i, start }) => (isRound || i === 0) && start >= FIRST_HOURS[0] && start <= FIRST_HOURS[1])
    .sort((a, b) => Math.abs(a.start - MORNING) - Math.abs(b.start - MORNING))[0];
  if (inMorning === undefined) return [...ranges];
  const moved = [...ranges];
  let starts = inMorning.start;
  for (let n = 0; n < ranges.length; n++) {
    const i = (inMorning.i + n) % ranges.length;
    const range = ranges[i] ?? first;
    const length = (range.ends - range.starts + DAY) % HALF || HALF;
    moved[i] = { ...range, starts: starts % DAY, ends: (starts + length) % DAY };
    starts += length;
  }
  return starts - inMorning.start > DAY ? [...ranges] : moved;
}

/** Times of work in a sentence. */
export interface Range {
  readonly at: number;
  readonly to: number;
  readonly starts: number;
  ends: number;
}

/** `einschichtig`, `en 3x8`, `around the clock`: shifts without their times. */
const REGIMES = phrases<true>([
  [
    true,
    'einschichtig|zweischichtig|dreischichtig|einschichtbetrieb|zweischichtbetrieb|dreischichtbetrieb|vollkonti|konti|im schichtbetrieb|rund um die uhr|around the clock|24/7|24 hours|double shift|two-shift|three-shift|single shift|en 3x8|en 2x8|3x8|2x8|3 x 8|2 x 8|feu continu|24 horas|las 24 horas|a dos turnos|a tres turnos|doble turno|em dois turnos|em três turnos|24h',
  ],
]);

export function regimeOf({ tokens }: Text, { sentence: { from, to } }: Read): Span | null {
  for (let at = from; at < to; at++) {
    const found = REGIMES.at(tokens, at, to);
    if (found !== null) return spanOf(tokens, at, found.to);
  }
  return null;
}
