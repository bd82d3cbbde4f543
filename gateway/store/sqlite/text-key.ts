/**
 * Strings as SQLite must hold them so that its byte order is JavaScript's order.
 *
 * JavaScript compares UTF-16 units, SQLite UTF-8 bytes. They differ in one place: units E000..FFFF sort after the
 * surrogates of U+10000..U+10FFFF, their bytes before. So columns hold the text with these two blocks swapped:
 *   U+10000..U+10FFFF  ->  U+E000..U+10DFFF   (down by 2000)
 *   U+E000..U+FFFF     ->  U+10E000..U+10FFFF
 * The mapping is one to one, so equality stays equality. Almost all text has neither block and is stored as it is.
 */
const MOVED = /[\ud800-\uffff]/;

/** The text whose UTF-8 bytes sort as the UTF-16 units of `text` do; a lone surrogate counts as U+FFFD. */
export function textKey(text: string): string {
  if (!MOVED.test(text)) return text;
  let key = '';
  for (const char of text.toWellFormed()) {
    const point = char.codePointAt(0) ?? 0;
    if (point < 0xe000) key += char;
    else key += String.fromCodePoint(point < 0x10000 ? point + 0x100000 : point - 0x2000);
  }
  return key;
}

/** False for text that a column cannot hold exactly. */
export function isExactText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\ufffd');
}
