/** Seeded randomness: the same seed gives the same numbers on every machine. */

/** sfc32 (PractRand, public domain), seeded through splitmix32. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  constructor(seed: number) {
    let state = seed | 0;
    const mixed = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let z = state ^ (state >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return z ^ (z >>> 15);
    };
    this.a = mixed();
    this.b = mixed();
    this.c = mixed();
    for (let i = 0; i < 12; i++) this.next();
  }

  /** 0 up to, not including, 1. */
  next(): number {
    const t = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0;
    return (t >>> 0) / 0x1_0000_0000;
  }

  /** 0 up to, not including, `n`. */
  int(n: number): number {
    return Math.floor(this.next() * n);
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** Between two numbers over 0, small ones as often as large ones. */
  spread(from: number, to: number): number {
    return from * (to / from) ** this.next();
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  bytes(n: number): Uint8Array {
    return Uint8Array.from({ length: n }, () => this.int(256));
  }

  /** Another stream of numbers that follows from this one. */
  fork(): Random {
    return new Random(this.int(0x1_0000_0000));
  }
}
