/** Counts in words, from 0 to 199, as the five languages write them: `sixty-one`, `noventa y dos`, `soixante et onze`, `hundertzwanzig`. */

type Counted = 'en' | 'es' | 'pt' | 'fr' | 'de';
/** A number and the ways to write it. */
type Forms = readonly [number, readonly string[]];

const UNTIL_TWENTY: Readonly<Record<Counted, string>> = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  es: 'cero uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte',
  pt: 'zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte',
  fr: 'zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt',
  de: 'null eins/ein zwei/zwo drei vier fünf/fuenf sechs sieben acht neun zehn elf zwölf/zwoelf dreizehn vierzehn fünfzehn/fuenfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
};
/** Tens from 20 to 90. French builds 70 and 90 on 60 and 80, except in Belgium and Switzerland. */
const TENS: Readonly<Record<Counted, string>> = {
  en: 'twenty thirty forty/fourty fifty sixty seventy eighty ninety',
  es: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
  pt: 'vinte trinta quarenta cinquenta/cinqüenta sessenta setenta oitenta noventa',
  fr: 'vingt trente quarante cinquante soixante septante huitante/octante nonante',
  de: 'zwanzig dreißig vierzig fünfzig/fuenfzig sechzig siebzig achtzig neunzig',
};
const HUNDRED: Readonly<Record<Counted, { readonly whole: string; readonly before: readonly string[] }>> = {
  en: { whole: 'one hundred', before: ['one hundred and ', 'one hundred '] },
  es: { whole: 'cien', before: ['ciento '] },
  pt: { whole: 'cem', before: ['cento e '] },
  fr: { whole: 'cent', before: ['cent '] },
  de: { whole: 'hundert/einhundert', before: ['hundert', 'einhundert'] },
};
const FIRST_TEN = 20;
const FIRST_HUNDRED = 100;

const forms = (list: string): string[][] => list.split(' ').map((word) => word.split('/'));

/** Tens and ones together. */
function joinedForms(language: Counted, ten: string, n: number, one: string): string[] {
  if (language === 'en') return [`${ten}-${one}`, `${ten} ${one}`];
  if (language === 'es') return ten === 'veinte' ? [`veinti${one}`, `veinti ${one}`] : [`${ten} y ${one}`];
  if (language === 'pt') return [`${ten} e ${one}`];
  if (language === 'de') return one === 'eins' ? [] : [`${one}und${ten}`];
  return n === 1 ? [`${ten} et ${one}`, `${ten}-et-${one}`] : [`${ten}-${one}`, `${ten} ${one}`];
}

/** `soixante-quinze`, `quatre-vingt-douze`: French adds 1 to 19 to 60 and to 80. */
function scores(small: readonly string[][]): Forms[] {
  const found: Forms[] = [[4 * FIRST_TEN, ['quatre-vingt', 'quatre vingt', 'quatre-vingts', 'quatre vingts']]];
  for (const [n, words] of small.entries())
    if (n > 0 && n < FIRST_TEN) {
      const behind = (front: string) => words.flatMap((one) => [`${front}-${one}`, `${front} ${one}`]);
      found.push([4 * FIRST_TEN + n, ['quatre-vingt', 'quatre vingt'].flatMap(behind)]);
      if (n >= FIRST_TEN / 2)
        found.push([3 * FIRST_TEN + n, n === 11 ? ['soixante et onze', 'soixante-et-onze'] : behind('soixante')]);
    }
  return found;
}

function underHundred(language: Counted): Forms[] {
  const small = forms(UNTIL_TWENTY[language]);
  const found: Forms[] = small.map((words, n) => [n, words]);
  for (const [i, tens] of forms(TENS[language]).entries()) {
    const value = FIRST_TEN + 10 * i;
    found.push([value, tens]);
    for (let n = 1; n < 10; n++) {
      const words = tens.flatMap((ten) => (small[n] ?? []).flatMap((one) => joinedForms(language, ten, n, one)));
      found.push([value + n, words]);
    }
  }
  return language === 'fr' ? [...found, ...scores(small)] : found;
}

/** Rows for a table of phrases. Articles such as `un` and `ein` are no numbers here: another table has them. */
export function numberRows(language: Counted): (readonly [number, string])[] {
  const { whole, before } = HUNDRED[language];
  const small = underHundred(language);
  const articles = new Set(['un', 'una', 'uma', 'une', 'ein']);
  return [
    ...small.map(([n, words]) => [n, words.filter((word) => !articles.has(word)).join('|')] as const),
    [FIRST_HUNDRED, whole.replace('/', '|')] as const,
    ...small.flatMap(([n, words]) =>
      n === 0
        ? []
        : [[FIRST_HUNDRED + n, words.flatMap((word) => before.map((front) => `${front}${word}`)).join('|')] as const],
    ),
  ].filter(([, words]) => words !== '');
}
