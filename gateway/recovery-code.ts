/**
 * The recovery code: the sealing key in a form that a person can write on paper and type again. It has 13 groups of 5 characters. The last
 * character of a group checks the other four, so the gateway can name a group with a typing error.
 *
 * The characters are those of Crockford base32. Letters that look like digits are read as these digits.
 */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = ALPHABET.length;
const BITS = 5;
/** Number of characters of a group that are data. */
const DATA = 4;
const KEY_BYTES = 32;
const GROUPS = Math.ceil((KEY_BYTES * 8) / BITS / DATA);

/** An entered code that is not a recovery code; the message says what to do. */
export class RecoveryCodeError extends Error {}

/** Returns the recovery code of a key: groups with hyphens between them. */
export function recoveryCode(key: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(key).toString('hex')}`);
  const values: number[] = [];
  for (let i = 0; i < GROUPS * DATA; i++) {
    values.unshift(Number(rest % BigInt(BASE)));
    rest /= BigInt(BASE);
  }
  const groups = Array.from({ length: GROUPS }, (_, i) => values.slice(i * DATA, (i + 1) * DATA));
  return groups.map((group) => [...group, checkOf(group)].map((value) => ALPHABET[value]).join('')).join('-');
}

/** Reads a recovery code that a person typed. Throws `RecoveryCodeError`, which names the first wrong group. */
export function readRecoveryCode(text: string): Uint8Array {
  const typed = text.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1').replaceAll(/[\s-]/g, '');
  const length = DATA + 1;
  if (typed.length !== GROUPS * length)
    throw new RecoveryCodeError(
      `A recovery code has ${GROUPS} groups of ${length} characters; this text has ${typed.length} characters.`,
    );
  let sum = 0n;
  for (let at = 0; at < GROUPS; at++) {
    const values = [...typed.slice(at * length, (at + 1) * length)].map((one) => ALPHABET.indexOf(one));
    const data = values.slice(0, DATA);
    if (values.includes(-1) || checkOf(data) !== values[DATA])
      throw new RecoveryCodeError(
        `Group ${at + 1} of the recovery code has a typing error. Compare it with the paper.`,
      );
    for (const value of data) sum = sum * BigInt(BASE) + BigInt(value);
  }
  const hex = sum.toString(16).padStart(KEY_BYTES * 2, '0');
  if (hex.length > KEY_BYTES * 2) throw new RecoveryCodeError('Group 1 of the recovery code has a typing error.');
  return Buffer.from(hex, 'hex');
}

/** Returns the check value of a group (Luhn algorithm for 32 characters). It finds each wrong character. */
function checkOf(values: readonly number[]): number {
  const sum = values.reduce((total, value, i) => {
    const addend = value * (i % 2 === values.length % 2 ? 1 : 2);
    return total + Math.floor(addend / BASE) + (addend % BASE);
  }, 0);
  return (BASE - (sum % BASE)) % BASE;
}
