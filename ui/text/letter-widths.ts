/**
 * The advance width of each letter of the Inter font (the distance from the start of the letter to the start of the next). A tile computes
 * text widths from this table and does not measure them with a canvas, because measuring would delay the first picture on a slow TV by 0.1
 * s. The widths were measured in Chromium; test/e2e/tv.test.ts compares the table with the drawn font.
 */

const LETTERS =
  ' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~°·—…\u2212\u2009–×';

/**
 * Two base-36 digits for each letter; the number is the width in thousandths of an em. Digits and the hyphen are drawn with equal widths.
 */
const WIDTHS = {
  400: '7t80cyhlhurahw8ca5a5dxie80i080a0i0i0i0i0i0i0i0i0i0i0808eieieiee7quj6i6kak2gpgekqkn7hfviofpp3kxl9hrl9hwhuhykoj6rdiyivhha5a0a5d3co8zfmh0fvh0g7aah1gf6q6qf96qocgfgoh0h0ageo93gffmmqf6fmfcbu99buieco80rso0ie52dwie',
  600: '708xejhwi2rwif92adadf0ip8vhz8vajhzhzhzhzhzhzhzhzhzhz8v95ipipipf3rrk8ibkhk2gtgcktkq7pg4jjfppml3ldhxlhi4i2ickgk8sck0jti4adajadddd19rfyhcg7hcgfathdh07a7aft7ap0h0gxhchcb1f99th0gbnbftgcfqcn9zcnipcq8vrsqkip4mdwip',
  700: '6l9efci1i7s8io9fahahfjiv9ahy9aashyhyhyhyhyhyhyhyhyhy9a9jivivivfks8kriekkk2gvgbkukr7tg8jzfppwl6lfi0lli9i7ijkckrsukikbigahasahdjd8a5g5higchigkb2hkhb7j7jg47jpdhbh1hihibbfka6hbgonmg4gqfxd1acd1ivcr9arsruiv4ddwiv',
} as const;

/** The font weights in the table. */
export type Weight = keyof typeof WIDTHS;

/**
 * Width in em of a letter that is not in the table; it is wider than most letters. Letters from code SQUARE on (ideographs) are 1 em wide.
 */
const UNKNOWN = 0.8;
const SQUARE = 0x2e80;

const tables = new Map<Weight, ReadonlyMap<string, number>>();

/** Returns the widths of the letters in a font weight, by letter. The table is decoded only once. */
function widthsOf(weight: Weight): ReadonlyMap<string, number> {
  let table = tables.get(weight);
  if (table === undefined) {
    const digits = (i: number) => WIDTHS[weight].slice(2 * i, 2 * i + 2);
    table = new Map([...LETTERS].map((letter, i) => [letter, Number.parseInt(digits(i), 36) / 1000]));
    tables.set(weight, table);
  }
  return table;
}

/** Returns the advance width of one letter, in em. */
export function letterWidth(letter: string, weight: Weight): number {
  const known = widthsOf(weight).get(letter);
  if (known !== undefined) return known;
  // Marks of the writing direction are not drawn.
  if (/\p{Cf}/u.test(letter)) return 0;
  const plain = letter.normalize('NFD')[0] ?? letter;
  if (plain !== letter && LETTERS.includes(plain)) return letterWidth(plain, weight);
  return (letter.codePointAt(0) ?? 0) >= SQUARE ? 1 : UNKNOWN;
}
