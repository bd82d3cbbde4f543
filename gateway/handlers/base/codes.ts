/** Short codes that people read off one screen and type into another. */

/** Letters and digits that nobody mistakes for one another: no 0 O 1 I L. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** A code of this many characters, each equally likely, in two halves joined by a dash. */
export function makeCode(length: number, random: (bytes: number) => Uint8Array): string {
  const most = 256 - (256 % ALPHABET.length);
  let code = '';
  while (code.length < length)
    for (const byte of random(length))
      if (byte < most && code.length < length) code += ALPHABET[byte % ALPHABET.length];
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** What was typed, without the dashes, spaces and case that people add or leave out. */
export function readCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
