/** Numbers as screens show them. */

const THIN_SPACE = '\u2009';
const MINUS = '\u2212';

/** Formats a number with fixed decimals, thin spaces between thousands and a minus sign (U+2212). */
export function formatNumber(value: number, decimals: number): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN_SPACE);
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && Number(value.toFixed(decimals)) !== 0 ? MINUS + text : text;
}

/** Returns the number of a formatted text; NaN if the text is no number. */
export function readNumber(text: string): number {
  return Number(text.replaceAll(THIN_SPACE, '').replace(MINUS, '-'));
}
