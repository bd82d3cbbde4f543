/** Sizes of files. */
import { decimals } from '#ui/languages/texts.ts';

/** Returns a number of bytes as text, such as "3.1 MB", with the decimal mark of the language. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${decimals((bytes / 1e6).toFixed(1))} MB`;
}
