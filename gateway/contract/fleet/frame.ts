/** A batch of CAN frames in columns. Codecs fill it and decoders read it without an allocation per frame. */

/** Bits of `flags`. */
export const FRAME = { extended: 1, remote: 2, error: 4, fd: 8, brs: 16, transmitted: 32, noTime: 64 } as const;

/** The longest payload of one frame (CAN FD). */
export const MAX_DATA = 64;

/**
 * A growing batch of frames. Each array has one entry for each frame. `t` is the time in microseconds since 1970-01-01 UTC. With the flag
 * `noTime` the source sent no time, and `t` comes from the clock of the receiver. `bus` is the channel number of the source ("can1" is 1).
 * `id` has 11 or 29 bits. The payload of frame i is `data[i*8 .. i*8+len]`. If `len` is over 8, the payload is `long[at[i] .. at[i]+len]`.
 */
export class FrameBatch {
  count = 0;
  t: Float64Array;
  id: Uint32Array;
  flags: Uint8Array;
  bus: Uint8Array;
  len: Uint8Array;
  data: Uint8Array;
  at: Uint32Array;
  long: Uint8Array = new Uint8Array(0);
  longUsed = 0;

  constructor(capacity = 256) {
    this.t = new Float64Array(capacity);
    this.id = new Uint32Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.bus = new Uint8Array(capacity);
    this.len = new Uint8Array(capacity);
    this.data = new Uint8Array(capacity * 8);
    this.at = new Uint32Array(capacity);
  }

  /** Removes all frames and keeps the allocated memory. */
  clear(): void {
    this.count = 0;
    this.longUsed = 0;
  }

  /** Adds a frame and returns its index; the payload is copied from `source[from .. from+len]`. */
  push(t: number, bus: number, id: number, flags: number, source: Uint8Array, from: number, len: number): number {
    const i = this.count;
    if (i === this.t.length) this.grow();
    this.t[i] = t;
    this.bus[i] = bus;
    this.id[i] = id;
    this.flags[i] = flags;
    this.len[i] = len;
    if (len <= 8) {
      const to = i * 8;
      for (let k = 0; k < len; k++) this.data[to + k] = source[from + k] as number;
    } else {
      if (this.longUsed + len > this.long.length) {
        const wider = new Uint8Array(Math.max(1024, this.long.length * 2, this.longUsed + len));
        wider.set(this.long);
        this.long = wider;
      }
      this.at[i] = this.longUsed;
      this.long.set(source.subarray(from, from + len), this.longUsed);
      this.longUsed += len;
    }
    this.count = i + 1;
    return i;
  }

  /** The payload of frame i. The returned view is valid until the next push or clear. */
  payload(i: number): Uint8Array {
    const len = this.len[i] as number;
    if (len <= 8) return this.data.subarray(i * 8, i * 8 + len);
    const at = this.at[i] as number;
    return this.long.subarray(at, at + len);
  }

  private grow(): void {
    const n = this.t.length * 2;
    const wider = <T extends Float64Array | Uint32Array | Uint8Array>(array: T, size: number): T => {
      const next = new (array.constructor as new (size: number) => T)(size);
      next.set(array);
      return next;
    };
    this.t = wider(this.t, n);
    this.id = wider(this.id, n);
    this.flags = wider(this.flags, n);
    this.bus = wider(this.bus, n);
    this.len = wider(this.len, n);
    this.data = wider(this.data, n * 8);
    this.at = wider(this.at, n);
  }
}
