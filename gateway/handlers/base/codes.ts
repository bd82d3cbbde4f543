/** Makes and reads short codes: a person reads the code on one screen and types it on another, for example to pair a TV. */

/** The characters of a code. People confuse 0 with O, and 1 with I and L, so codes do not contain these five. */
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
