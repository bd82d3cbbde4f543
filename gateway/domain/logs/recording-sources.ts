/**
 * Gives a number to each source of values in a recording, so that other modules can store the state of a source in an array, at the index
 * of this number.
 */
import type { LiveTarget } from '#domain/machine/evidence.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import { meterLimit } from '#domain/machine/meter-limits.ts';

/** A source of values: one address on one bus, and the evidence (signal and parameter) that the address sends. */
export interface Source {
  readonly evidence: Evidence;
  readonly isMeter: boolean;
  readonly bus: number;
  readonly sa: number;
}

/** Largest number of sources of one recording; a normal bus has some dozens. */
export const MAX_SOURCES = 20_000;
/** For buses with a number below this, `idOf` looks up sources in an array, which is faster than the map for the other buses. */
const NEAR_BUSES = 4;

/** Assigns numbers to sources, in the order of their first value. */
export class Sources {
  private readonly list: Source[] = [];
  private readonly near = new Int32Array(EVIDENCE.length * NEAR_BUSES * 256).fill(-1);
  private readonly far = new Map<number, number>();
  private readonly mapped = new Map<LiveTarget, Map<number, number>>();

  /** Returns the source with the number `id`. */
  at(id: number): Source {
    return this.list[id] as Source;
  }

  /** Returns the number of a source, and assigns one to a new source; -1 when `MAX_SOURCES` are assigned. */
  idOf(evidence: Evidence, bus: number, sa: number): number {
    const { key, target } = evidence;
    if (target !== undefined) {
      const ids = this.mapped.get(target) ?? new Map<number, number>();
      this.mapped.set(target, ids);
      return this.search(ids, bus * 512 + sa, evidence, bus, sa);
    }
    // GNSS evidence has a negative key, and GNSS values have the address NONE.
    if (bus >= NEAR_BUSES || key < 0) return this.search(this.far, (key * 256 + bus) * 512 + sa, evidence, bus, sa);
    const slot = (key * NEAR_BUSES + bus) * 256 + sa;
    let id = this.near[slot] as number;
    if (id < 0) {
      id = this.add(evidence, bus, sa);
      this.near[slot] = id;
    }
    return id;
  }

  private search(ids: Map<number, number>, place: number, evidence: Evidence, bus: number, sa: number): number {
    const known = ids.get(place);
    if (known !== undefined) return known;
    const id = this.add(evidence, bus, sa);
    if (id >= 0) ids.set(place, id);
    return id;
  }

  private add(evidence: Evidence, bus: number, sa: number): number {
    if (this.list.length >= MAX_SOURCES) return -1;
    return this.list.push({ evidence, isMeter: meterLimit(evidence.signal) !== undefined, bus, sa }) - 1;
  }
}
