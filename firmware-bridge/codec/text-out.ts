/**
 * A growing byte buffer for the writers of text formats. The buffer writes the digits of a number directly as bytes, which is faster than
 * making strings.
 */

const DIGITS = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));
const ZERO = 48;
const SPACE = 32;
const DOT = 46;

/** Collects text as bytes; `take` returns the bytes and empties the buffer. */
export class TextOut {
  private bytes: Uint8Array;
  private at = 0;

  constructor(size = 4096) {
    this.bytes = new Uint8Array(size);
  }

  private room(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const wider = new Uint8Array(this.bytes.length * 2 + size);
    wider.set(this.bytes);
    this.bytes = wider;
  }

  /** Adds a string, one byte for each character; the string must be Latin-1. */
  text(text: string): void {
    this.room(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[this.at++] = text.charCodeAt(i);
  }

  /** Adds a whole number, padded on the left with the character `fill` to at least `width` characters. */
  decimal(value: number, width = 1, fill = ZERO): void {
    let size = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) size++;
    const wide = Math.max(size, width);
    this.room(wide);
    let rest = value;
    for (let k = wide - 1; k >= wide - size; k--) {
      const next = Math.floor(rest / 10);
      this.bytes[this.at + k] = ZERO + rest - next * 10;
      rest = next;
    }
    this.bytes.fill(fill, this.at, this.at + wide - size);
    this.at += wide;
  }

  /** Adds a time in microseconds as seconds with six decimals. */
  seconds(us: number, width = 1, fill = ZERO): void {
    const whole = Math.floor(us / 1e6);
    this.decimal(whole, width, fill);
    this.room(1);
    this.bytes[this.at++] = DOT;
    this.decimal(us - whole * 1e6, 6);
  }

  /** Adds a number as `width` hexadecimal digits in upper case. */
  hex(value: number, width: number): void {
    this.room(width);
    let rest = value;
    for (let k = width - 1; k >= 0; k--) {
      this.bytes[this.at + k] = DIGITS[rest % 16] as number;
      rest = Math.floor(rest / 16);
    }
    this.at += width;
  }

  /** Adds each byte as two hexadecimal digits; if `apart` is true, a space separates the bytes. */
  pairs(data: Uint8Array, apart: boolean): void {
    this.room(data.length * 3);
    for (let i = 0; i < data.length; i++) {
      if (apart && i > 0) this.bytes[this.at++] = SPACE;
      const byte = data[i] as number;
      this.bytes[this.at++] = DIGITS[byte >> 4] as number;
      this.bytes[this.at++] = DIGITS[byte & 15] as number;
    }
  }

  /** Returns a copy of all bytes that were added since the last call of `take`. */
  take(): Uint8Array {
    const taken = this.bytes.slice(0, this.at);
    this.at = 0;
    return taken;
  }
}
