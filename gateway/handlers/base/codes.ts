/** Short codes that a person reads on one screen and types on another. */

/** Letters and digits except 0, O, 1, I and L, which look alike. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** Makes a random code of `length` characters, in two halves with a dash between them. All codes are equally likely. */
export function makeCode(length: number, random: (bytes: number) => Uint8Array): string {
  const most = 256 - (256 % ALPHABET.length);
  let code = '';
  while (code.length < length)
    for (const byte of random(length))
      if (byte < most && code.length < length) code += ALPHABET[byte % ALPHABET.length];
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** Normalizes a typed code: upper case, without dashes and spaces. */
export function readCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
