/**
 * Writes and reads integers and floating-point numbers as few bytes.
 *
 *   varint         seven bits a byte, low first, bit 7 set while more follow
 *   signed varint  the sign in bit 0 of the first byte
 *   xor            a number as the XOR with the number before: one byte (leading zero bytes << 4 | bytes that follow), then those bytes
 */

const scratch = new DataView(new ArrayBuffer(8));
/** Bytes of the previous and of the current number, big-endian. */
const previous = new Uint8Array(8);
const current = new Uint8Array(8);

/** Appends numbers to a growing array of bytes. */
export class ByteWriter {
  private bytes = new Uint8Array(256);
  private at = 0;

  byte(value: number): void {
    if (this.at === this.bytes.length) this.grow(this.at + 1);
    this.bytes[this.at++] = value;
  }

  append(more: Uint8Array): void {
    if (this.at + more.length > this.bytes.length) this.grow(this.at + more.length);
    this.bytes.set(more, this.at);
    this.at += more.length;
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  signed(value: number): void {
    const magnitude = Math.abs(value);
    const low = (value < 0 ? 1 : 0) | ((magnitude % 64) << 1);
    const rest = Math.floor(magnitude / 64);
    this.byte(rest > 0 ? low | 128 : low);
    if (rest > 0) this.varint(rest);
  }

  xor(numbers: Float64Array): void {
    previous.fill(0);
    for (const value of numbers) {
      scratch.setFloat64(0, value);
      let leading = 8;
      let last = -1;
      for (let i = 0; i < 8; i++) {
        const byte = scratch.getUint8(i);
        current[i] = byte ^ (previous[i] as number);
        previous[i] = byte;
        if (current[i] === 0) continue;
        if (leading === 8) leading = i;
        last = i;
      }
      const count = last < 0 ? 0 : last - leading + 1;
      this.byte((leading << 4) | count);
      for (let i = leading; i < leading + count; i++) this.byte(current[i] as number);
    }
  }

  finish(): Uint8Array {
    return this.bytes.slice(0, this.at);
  }

  private grow(least: number): void {
    const wider = new Uint8Array(Math.max(this.bytes.length * 2, least));
    wider.set(this.bytes);
    this.bytes = wider;
  }
}

/** Reads the output of a ByteWriter. Returns NaN past the end, and for a number of more than 53 bits. */
export class ByteReader {
  at = 0;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    return this.at < this.bytes.length ? (this.bytes[this.at++] as number) : Number.NaN;
  }

  varint(): number {
    let value = 0;
    for (let weight = 1; weight < 2 ** 53; weight *= 128) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (Number.isNaN(byte) || value > 2 ** 53) return Number.NaN;
      if (byte < 128) return value;
    }
    return Number.NaN;
  }

  signed(): number {
    const first = this.byte();
    if (Number.isNaN(first)) return first;
    const magnitude = ((first >> 1) & 63) + (first & 128 ? this.varint() * 64 : 0);
    return first & 1 ? -magnitude : magnitude;
  }

  /** Reads numbers of the form `xor` until the array is full; returns false if the bytes are damaged. */
  xor(numbers: Float64Array): boolean {
    previous.fill(0);
    for (let k = 0; k < numbers.length; k++) {
      const head = this.byte();
      const leading = head >> 4;
      const end = leading + (head & 15);
      if (Number.isNaN(head) || end > 8 || end - leading > this.left) return false;
      for (let i = leading; i < end; i++) previous[i] = (previous[i] as number) ^ this.byte();
      for (let i = 0; i < 8; i++) scratch.setUint8(i, previous[i] as number);
      numbers[k] = scratch.getFloat64(0);
    }
    return true;
  }
}
