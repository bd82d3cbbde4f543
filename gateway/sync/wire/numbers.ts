/**
 * The numbers of a message as one text, in the Base64 VLQ form that source maps use: six bits a character, the lowest bits first, and the
 * sign in the lowest bit. Differences of times are mostly small, so most of them need one character.
 */
import { damaged } from './wire-error.ts';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES: ReadonlyMap<string, number> = new Map([...DIGITS].map((digit, value) => [digit, value]));
/** A digit has five bits of the number, and this bit if another digit follows. */
const MORE = 32;

export class NumberWriter {
  readonly #digits: string[] = [];

  /** Adds a whole number of at most 52 bits. */
  put(value: number): void {
    let rest = Math.abs(value) * 2 + (value < 0 ? 1 : 0);
    if (!Number.isSafeInteger(rest)) throw new RangeError(`${value} is not a number of a message`);
    for (; rest >= MORE; rest = Math.floor(rest / MORE)) this.#digits.push(DIGITS[MORE + (rest % MORE)] as string);
    this.#digits.push(DIGITS[rest] as string);
  }

  text(): string {
    return this.#digits.join('');
  }
}

export class NumberReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(): number {
    let value = 0;
    for (let scale = 1; ; scale *= MORE) {
      const digit = VALUES.get(this.#text[this.#at++] ?? '');
      if (digit === undefined) throw damaged('a number is missing');
      value += (digit % MORE) * scale;
      if (!Number.isSafeInteger(value)) throw damaged('a number is too large');
      if (digit < MORE) break;
    }
    return value % 2 === 0 ? value / 2 : -(value - 1) / 2;
  }

  /** Checks that the message has used all numbers. */
  end(): void {
    if (this.#at !== this.#text.length) throw damaged('it has numbers that nothing uses');
  }
}
