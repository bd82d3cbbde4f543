/** Times of the day and ranges of them, as the five languages write them. */
import { type Language, NUMBER_WORDS } from './grammar.ts';
import { type Phrases, phrases } from './phrases.ts';
import { isDigits, type Token } from './text.ts';

const HOUR = 60;
export const DAY = 24 * HOUR;

interface Clock {
  /** Minutes of the day. */
  readonly minutes: number;
  readonly to: number;
  /** True if the text writes it as a time: `6:00`, `6h`, `6am`. */
  readonly marked: boolean;
  /** True if it says which half of the day it is, or the hour is over 12. */
  readonly sure: boolean;
}

const NAMED = phrases<number>([
  [12 * HOUR, 'noon|midday|mediodía|meio-dia|meio dia|midi|mittag'],
  [0, 'midnight|medianoche|meia-noite|meia noite|minuit|mitternacht'],
]);
const HOURS = phrases<true>([[true, "h|hs|hrs|hr|uhr|horas|hora|heures|heure|hours|o'clock|h.|en punto"]]);
const AFTERNOON = phrases<true>([
  [
    true,
    "pm|p.m.|p.m|p m|de la tarde|de la noche|da tarde|da noite|in the afternoon|in the evening|at night|du soir|de l'après-midi|abends|nachmittags|in der nacht",
  ],
]);
const MORNING = phrases<true>([
  [true, 'am|a.m.|a.m|de la mañana|da manhã|in the morning|du matin|morgens|früh|da madrugada|de la madrugada'],
]);
const BEFORE = phrases<true>([
  [true, 'at|a las|a la|las|la|às|as|à|à partir de|um|ab|dès|desde las|desde|from|von|das|de|da|les|los'],
]);

function plainClock(tokens: readonly Token[], at: number, to: number): Clock | null {
  const token = tokens[at];
  if (token === undefined || at >= to) return null;
  const { key } = token;
  const make = (hours: number, minutes: number, end: number, marked: boolean): Clock | null =>
    hours <= 24 && minutes < HOUR
      ? { minutes: (hours * HOUR + minutes) % DAY, to: end, marked, sure: hours > 12 || hours === 0 }
      : null;
  const named = NAMED.at(tokens, at, to);
  if (named !== null && tokens[at - 1]?.key === '-' && tokens[at]?.glued === true) return null;
  if (named !== null) return { minutes: named.value, to: named.to, marked: true, sure: true };
  const next = tokens[at + 1];
  const after = tokens[at + 2];
  if (/^\d{1,2}$/.test(key)) {
    if (
      next?.key === ':' &&
      next.glued &&
      after?.glued === true &&
      /^\d\d(h|hs|hrs|uhr)?$/.test(after.key) &&
      at + 2 < to
    )
      return make(Number(key), Number(after.key.slice(0, 2)), at + 3, true);
    if (next?.key === ':' && after?.glued === true && /^\d\d(am|pm|a|p)$/.test(after.key))
      return halved(make(Number(key), Number(after.key.slice(0, 2)), at + 3, true), /p/.test(after.key));
    if (next?.key === 'h' && at + 2 < to && /^\d\d$/.test(after?.key ?? '') && Number(after?.key) < HOUR)
      return make(Number(key), Number(after?.key), at + 3, true);
    return make(Number(key), 0, at + 1, false);
  }
  if (/^\d{4}$/.test(key)) return make(Number(key.slice(0, 2)), Number(key.slice(2)), at + 1, false);
  const parts =
    /^(\d{1,2})(?:h|hs|hrs|uhr|[.](?=\d\d$))(\d\d)?(?:h|min)?$/.exec(key) ?? /^(\d{1,2})\.(\d\d)(?:h|uhr)?$/.exec(key);
  if (parts !== null) return make(Number(parts[1]), Number(parts[2] ?? 0), at + 1, true);
  const half = /^(\d{1,2})(?:\.(\d\d))?(am|pm|a|p)$/.exec(key);
  if (half !== null)
    return halved(make(Number(half[1]), Number(half[2] ?? 0), at + 1, true), half[3]?.startsWith('p') === true);
  const long = /^(\d\d)(\d\d)(h|hs|hrs|uhr)$/.exec(key);
  return long === null ? null : make(Number(long[1]), Number(long[2]), at + 1, true);
}

const halved = (clock: Clock | null, afternoon: boolean): Clock | null =>
  clock === null
    ? null
    : { ...clock, minutes: (clock.minutes % (DAY / 2)) + (afternoon ? DAY / 2 : 0), marked: true, sure: true };

const HALVES = phrases<number>([
  [30, 'et demie|y media|e meia|half|e trinta|y treinta'],
  [15, 'et quart|y cuarto|e um quarto|e quinze|y quince'],
  [45, 'e quarenta e cinco|y cuarenta y cinco'],
]);

/** `seize heures trente`, `siete horas y media` */
function minutesAt(
  tokens: readonly Token[],
  at: number,
  to: number,
  language: Language,
): { value: number; to: number } | null {
  const half = HALVES.at(tokens, at, to);
  if (half !== null) return half;
  const word = NUMBER_WORDS[language].at(tokens, at, to);
  const isMinutes = word !== null && [15, 30, 45].includes(word.value) && HOURS.at(tokens, word.to, to) === null;
  return isMinutes && !/^\d/.test(tokens[at]?.key ?? '') ? word : null;
}

/** Words before an hour that move it: `half 6` is 6:30 in English, `halb 6` is 5:30 in German, `viertel nach 2` is 2:15. */
const MOVED: Readonly<Partial<Record<Language, Phrases<number>>>> = {
  en: phrases([
    [30, 'half|half past'],
    [15, 'quarter past|a quarter past'],
    [-15, 'quarter to|a quarter to'],
  ]),
  de: phrases([
    [-30, 'halb'],
    [15, 'viertel nach'],
    [-15, 'viertel vor|dreiviertel'],
  ]),
};

export function clockAt(tokens: readonly Token[], at: number, to: number, language: Language): Clock | null {
  const moved = MOVED[language]?.at(tokens, at, to) ?? null;
  const whole = moved === null ? null : clockAt(tokens, moved.to, to, language);
  if (moved !== null && whole !== null && whole.minutes % HOUR === 0)
    return { ...whole, minutes: (whole.minutes + moved.value + DAY) % DAY, marked: true };
  const word = NUMBER_WORDS[language].at(tokens, at, to);
  const clock =
    plainClock(tokens, at, to) ??
    (word !== null && word.value > 0 && word.value <= 24
      ? { minutes: (word.value * HOUR) % DAY, to: word.to, marked: false, sure: word.value > 12 }
      : null);
  if (clock === null) return null;
  const hours = HOURS.at(tokens, clock.to, to);
  let end = hours?.to ?? clock.to;
  if (
    hours !== null &&
    /^\d\d$/.test(tokens[end]?.key ?? '') &&
    end < to &&
    clock.minutes % HOUR === 0 &&
    tokens[end + 1]?.key !== ':'
  ) {
    const minutes = Number(tokens[end]?.key);
    if (minutes < HOUR && minutes > 0)
      return { minutes: clock.minutes + minutes, to: end + 1, marked: true, sure: clock.sure };
  }
  const minutes = hours === null ? null : minutesAt(tokens, end, to, language);
  if (minutes !== null && clock.minutes % HOUR === 0)
    return { minutes: clock.minutes + minutes.value, to: minutes.to, marked: true, sure: clock.sure };
  const later = AFTERNOON.at(tokens, end, to);
  const earlier = later === null ? MORNING.at(tokens, end, to) : null;
  end = later?.to ?? earlier?.to ?? end;
  const found = { ...clock, to: end, marked: clock.marked || hours !== null };
  return later === null && earlier === null ? found : { ...(halved(found, later !== null) ?? found), to: end };
}

const BETWEEN = phrases<true>([
  [
    true,
    "-|to|until|till|til|through|a|a las|hasta|hasta las|até|até as|até às|às|as|à|bis|bis um|au|jusqu'à|e as|thru|y las|, feierabend um|, ende um|feierabend um|and ends at|->|/|a la|al",
  ],
]);

export interface ClockRange {
  readonly starts: number;
  readonly ends: number;
  readonly to: number;
  readonly marked: boolean;
}

const EARLIEST = 4 * HOUR;
const LATEST = 11 * HOUR;

/** A range of times that begins here: `06:00 to 18:00`, `5am-5pm`, `von 6 bis 14 Uhr`, `sept heures midi`. */
export function clockRangeAt(tokens: readonly Token[], at: number, to: number, language: Language): ClockRange | null {
  const first = clockAt(tokens, at, to, language);
  if (first === null || (tokens[at - 1]?.key === '-' && tokens[at]?.glued === true && !first.marked)) return null;
  const between = BETWEEN.at(tokens, first.to, to);
  // `sept heures midi`: two times with nothing between them, both written as times.
  let next = between?.to ?? first.to;
  next = BEFORE.at(tokens, next, to)?.to ?? next;
  const second = clockAt(tokens, next, to, language);
  if (second === null || (between === null && !(first.marked && second.marked && language === 'fr'))) return null;
  if (isDigits(tokens[second.to]?.key ?? '') && tokens[second.to]?.glued === true) return null;
  const isFour = (from: number, end: number) => end === from + 1 && /^\d{4}$/.test(tokens[from]?.key ?? '');
  const bothFour =
    isFour(at, first.to) &&
    isFour(next, second.to) &&
    [at, next].every((i) => /(00|15|30|45)$/.test(tokens[i]?.key ?? ''));
  // `03/09` is a date.
  if (tokens[first.to]?.key === '/' && !first.marked && !second.marked) return null;
  if ((isFour(at, first.to) || isFour(next, second.to)) && !bothFour) return null;
  let { minutes: ends } = second;
  if (
    !first.sure &&
    !second.sure &&
    ends <= first.minutes &&
    first.minutes >= EARLIEST &&
    first.minutes <= LATEST &&
    ends < DAY / 2
  )
    ends += DAY / 2;
  if (ends === first.minutes) return null;
  return { starts: first.minutes, ends, to: second.to, marked: first.marked || second.marked || bothFour };
}

/** The minutes at which work ends, behind a start: `from 6 to 5` ends in the afternoon. */
export const laterEnd = (starts: number, ends: number): number =>
  ends <= starts && starts >= EARLIEST && starts <= LATEST && ends < DAY / 2 ? ends + DAY / 2 : ends;

export function clockText(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(minutes / HOUR))}:${two(minutes % HOUR)}`;
}
