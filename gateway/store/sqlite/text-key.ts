/**
 * Maps strings to text keys. Columns store text keys, so that SQLite sorts texts in the same order as JavaScript.
 *
 * JavaScript compares strings by UTF-16 units, and SQLite by UTF-8 bytes. The two orders differ in one case: JavaScript sorts
 * U+E000..U+FFFF after U+10000..U+10FFFF, and SQLite sorts them before. So a text key swaps these two blocks:
 *   U+10000..U+10FFFF  ->  U+E000..U+10DFFF   (lower by hexadecimal 2000)
 *   U+E000..U+FFFF     ->  U+10E000..U+10FFFF
 * Different texts have different keys. Most texts have no character of these blocks, and their key is the text itself.
 */
const MOVED = /[\ud800-\uffff]/;

/** Returns the text key of a text. A surrogate without its pair counts as U+FFFD. */
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

/** Returns the text of a text key. */
export function fromTextKey(key: string): string {
  if (!MOVED.test(key)) return key;
  let text = '';
  for (const char of key) {
    const point = char.codePointAt(0) ?? 0;
    if (point < 0xe000) text += char;
    else text += String.fromCodePoint(point < 0x10e000 ? point + 0x2000 : point - 0x100000);
  }
  return text;
}

/** Returns false for text that a column cannot store exactly: text that contains U+FFFD, or a surrogate without its pair. */
export function isExactText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\ufffd');
}
