/**
 * Reads and writes dates in the header of a Vector ASC file, for example `Sam Sep 30 15:06:13.191 2017` or `Tue May 27 04:09:35.000 pm
 * 2014`. The names of days and months are in the language and code page of the recording computer. A date in an ASC file has no time zone.
 * The functions read it as UTC, and the caller converts the result with the time zone that the caller assumes.
 */

/** The first letters of months, without accents, in English, German, French, Spanish, Italian, Portuguese, Dutch and Swedish. */
const MONTHS: readonly (readonly string[])[] = [
  ['jan', 'gen', 'ene'],
  ['feb', 'fev'],
  ['mar', 'mrz', 'mrt', 'mae', 'maa'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag', 'mei', 'maj'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'aou', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'ott', 'out'],
  ['nov'],
  ['dec', 'dez', 'dic'],
];

/** Returns the number of a month (1 to 12); undefined if the word is not the name of a month. */
function monthOf(word: string): number | undefined {
  // In Chinese, Japanese and Korean the name of a month is its number and a character.
  const numbered = /^(\d{1,2})[月월]/.exec(word);
  if (numbered) return Number(numbered[1]);
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().slice(0, 4);
  const exact = MONTHS.findIndex((names) => names.some((name) => plain.startsWith(name)));
  if (exact >= 0) return exact + 1;
  // The code page of the file is unknown. So the text may have any one or two characters in the place of a letter with an accent.
  const pattern = new RegExp(`^${plain.slice(0, 3).replace(/[^a-z]+/g, '.{1,2}')}`);
  const near = /[a-z]/.test(plain) ? MONTHS.findIndex((names) => names.some((name) => pattern.test(name))) : -1;
  return near < 0 ? undefined : near + 1;
}

const BEFORE_NOON = /^(a\.?m\.?|上午|午前|오전)$/i;
const AFTER_NOON = /^(p\.?m\.?|下午|午後|오후)$/i;
const TIME = /^(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?$/;

/** Reads the text after the word `date` in a header line. Returns microseconds since 1970, or undefined if the text is not a date. */
export function parseAscDate(text: string): number | undefined {
  const words = text.trim().split(/\s+/).slice(0, 12);
  const at = words.findIndex((word) => TIME.test(word));
  const [, hour = '', minute = '', second = '', fraction = ''] = TIME.exec(words[at] ?? '') ?? [];
  const year = words.slice(at + 1).find((word) => /^\d{4}$/.test(word)) ?? words.find((word) => /^\d{4}$/.test(word));
  const before = words.slice(0, at);
  const day = before.findLast((word) => /^\d{1,2}\.?$/.test(word));
  // The month is the last word before the time which is not a number. The day of the week comes before the month.
  const month = monthOf(before.findLast((word) => !/^[\d.,]+$/.test(word)) ?? '');
  if (at < 0 || year === undefined || day === undefined || month === undefined) return undefined;
  let hours = Number(hour);
  const half = words.find((word) => BEFORE_NOON.test(word) || AFTER_NOON.test(word));
  if (half !== undefined && hours > 0 && hours < 13) hours = (hours % 12) + (AFTER_NOON.test(half) ? 12 : 0);
  const date = Number.parseInt(day, 10);
  const ms = Date.UTC(Number(year), month - 1, date, hours, Number(minute), Number(second));
  const back = new Date(ms);
  if (back.getUTCDate() !== date || back.getUTCMonth() !== month - 1 || hours > 23) return undefined;
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time in microseconds since 1970 as a header date in English, in UTC and without the fraction of the second. */
export function formatAscDate(us: number): string {
  const date = new Date(us / 1000);
  const time = date.toISOString().slice(11, 19);
  return `${DAYS[date.getUTCDay()]} ${NAMES[date.getUTCMonth()]} ${date.getUTCDate()} ${time}.000 ${date.getUTCFullYear()}`;
}
