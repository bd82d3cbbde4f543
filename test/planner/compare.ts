/** How the scorer compares names, numbers and citations: what of a text does not count. */
import { type ExpectedMachine, MACHINE_KINDS, type PlannedMachine } from './format.ts';

/** Zero-width characters, direction marks, soft hyphens and variation selectors. */
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/gu;

const plain = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i');

/** The words of a text: letters and digits, without case and accents. */
export const wordsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** A text without what does not count. */
export const keyOf = (text: string): string => wordsOf(text).join('');

/** A unit number without separators and without zeros at the start of its numbers. */
export const unitKey = (text: string): string =>
  (plain(text).match(/\p{L}+|\p{N}+/gu) ?? []).map((part) => part.replace(/^0+(?=\d)/, '')).join('');

/** All values of an expected attribute. */
export const all = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

const ARTICLES = new Set(
  'the a an el la los las lo un una unos unas o os as um uma le les l une der die das den dem des ein eine einen einem einer'.split(
    ' ',
  ),
);
const TITLES = new Set(
  'mr mrs ms miss sir don dona sr sra srta seu dona herr hr frau fr m mme mlle ing dipl dr prof el la o a le der die maestro'.split(
    ' ',
  ),
);
const SHIFT_WORDS = new Set(
  'shift shifts turno turnos quart poste postes equipe relevo schicht crew de da do du del des d of the la el le'.split(
    ' ',
  ),
);
const CREW_WORDS = new Set(
  'crew team panel shift gang guardia cuadrilla turno turnos grupo equipo relevo turma equipe poste quart brigade kolonne mannschaft schicht de da do du del la el le'.split(
    ' ',
  ),
);
const LINKS = new Set('de da do du des del dos das of the la el le les los las'.split(' '));
const LOCATION_WORDS = new Set(
  (
    'pit pits quarry mine mines site zone zones area section level levels bench face block works underground colliery open cut ' +
    'tajo rajo corta cantera mina minera unidad explotacion proyecto frente banco nivel zona sector gravera cooperativa yacimiento concesion subterranea abierto cielo ' +
    'cava pedreira mineracao areeiro areal obra empreitada jazida bloco canteiro ' +
    'fosse carriere graviere sabliere secteur niveau gradin panneau chantier ' +
    'bruch steinbruch grube tagebau kieswerk schotterwerk sohle etage baustelle abschnitt bv ' +
    'stockpile halde botadero stock pile dump crusher workshop de da do du des del of the la el le'
  ).split(' '),
);

function without(text: string, dropped: ReadonlySet<string>): string {
  return wordsOf(text)
    .filter((word) => !dropped.has(word))
    .join('');
}

/** A name without its leading article. */
function nameKey(text: string): string {
  const words = wordsOf(text);
  return words.length > 1 && ARTICLES.has(words[0] ?? '') ? words.slice(1).join('') : words.join('');
}

/** True if two names are the same, or the same without the words that only say the kind. */
function isSameBut(dropped: ReadonlySet<string>, a: string, b: string): boolean {
  if (nameKey(a) === nameKey(b)) return true;
  const rest = without(a, dropped);
  return rest !== '' && rest === without(b, dropped);
}

export const isSameName = (a: string, b: string): boolean => nameKey(a) === nameKey(b);
/** Names of locations: a word that says the kind may be absent in one of them, but not be another word. */
export function isSamePlace(a: string, b: string): boolean {
  const whole = (name: string) => without(name, LINKS);
  const rest = (name: string) => without(name, LOCATION_WORDS);
  const sorted = (name: string) => wordsOf(name).toSorted().join(' ');
  if (isSameName(a, b) || whole(a) === whole(b) || sorted(a) === sorted(b)) return true;
  return (rest(a) !== '' && rest(a) === whole(b)) || (rest(b) !== '' && rest(b) === whole(a));
}

/** Names of shifts: `Nachtschicht` is `Nacht`, `days` is `day`. */
export function isSameShift(a: string, b: string): boolean {
  const short = (text: string) =>
    without(text.replace(/schicht\b/gi, ' '), SHIFT_WORDS)
      .replace(/shift$/, '')
      .replace(/^(day|night)s$/, '$1');
  return isSameName(a, b) || (short(a) !== '' && short(a) === short(b));
}
export const isSameCrew = (a: string, b: string): boolean => isSameBut(CREW_WORDS, a, b) || isSameShift(a, b);

/** Names of people, without titles and in any order of their parts. */
export function isSamePerson(a: string, b: string): boolean {
  const parts = (name: string) => {
    const words = wordsOf(name);
    const rest = words.filter((word) => !TITLES.has(word));
    return (rest.length === 0 ? words : rest).toSorted().join(' ');
  };
  return parts(a) === parts(b);
}

const MAKES: Readonly<Record<string, string>> = {
  cat: 'caterpillar',
  mercedes: 'mercedesbenz',
  merc: 'mercedesbenz',
  deere: 'johndeere',
  jd: 'johndeere',
  vw: 'volkswagen',
};
const makeKey = (make: string) => MAKES[keyOf(make)] ?? keyOf(make);
export const isSameMake = (a: string, b: string): boolean => makeKey(a) === makeKey(b);

/** Models; the planned one may carry the make in front. */
export function isSameModel(expected: string, planned: string, make: string | null | undefined): boolean {
  const key = keyOf(planned);
  if (key === keyOf(expected)) return true;
  if (make === null || make === undefined) return false;
  return [keyOf(make), makeKey(make), 'cat'].some((front) => key === `${front}${keyOf(expected)}`);
}

/** True if a planned machine may be the machine with this number of an expected entry. */
export function isSameUnit(
  entry: ExpectedMachine,
  unit: string,
  planned: PlannedMachine,
  words: readonly string[],
): boolean {
  const key = unitKey(planned.unit_number);
  if ([unit, ...(entry.also ?? [])].some((one) => unitKey(one) === key)) return true;
  if (entry.bare !== true) return false;
  const number = unitKey(unit);
  if (!key.endsWith(number)) return false;
  const front = key.slice(0, -number.length);
  if (!/^\p{L}+$/u.test(front)) return false;
  const prefixes = all(entry.kind).map((kind) => MACHINE_KINDS[kind].toLowerCase());
  return (
    (number.length <= 2 && prefixes.includes(front)) ||
    words.some((word) => word === front || (front.length > 2 && word.startsWith(front)))
  );
}

/** Text in which citations are looked up. */
export const citable = (text: string): string => text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();

/** The places of a citation in a text, as it stands there. */
export function placesOf(text: string, citation: string): [number, number][] {
  const words = citable(citation);
  const found: [number, number][] = [];
  if (words === '') return found;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) found.push([at, at + words.length]);
  return found;
}
