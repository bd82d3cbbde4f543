/** Who tells values in a recording: evidence, bus and address as one small number, so that what is kept of each is a place in a list. */
import type { LiveTarget } from '#domain/machine/evidence.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import { meterLimit } from '#domain/machine/meter-limits.ts';

/** One control unit's address telling one thing. */
export interface Source {
  readonly evidence: Evidence;
  readonly isMeter: boolean;
  readonly bus: number;
  readonly sa: number;
}

/** Sources that are told apart; a bus has some dozens. */
const MAX_SOURCES = 20_000;
/** Buses whose sources are found without a search. */
const NEAR_BUSES = 4;

/** Sources of values, numbered as they are heard; -1 stands for one that there is no room for. */
export class Sources {
  private readonly list: Source[] = [];
  private readonly near = new Int32Array(EVIDENCE.length * NEAR_BUSES * 256).fill(-1);
  private readonly far = new Map<number, number>();
  private readonly mapped = new Map<LiveTarget, Map<number, number>>();

  /** The source of this number. */
  at(id: number): Source {
    return this.list[id] as Source;
  }

  /** The number of a source. */
  idOf(evidence: Evidence, bus: number, sa: number): number {
    const { key, target } = evidence;
    if (target !== undefined) {
      const ids = this.mapped.get(target) ?? new Map<number, number>();
      this.mapped.set(target, ids);
      return this.search(ids, bus * 512 + sa, evidence, bus, sa);
    }
    if (bus >= NEAR_BUSES) return this.search(this.far, key * 65_536 + bus * 256 + sa, evidence, bus, sa);
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
