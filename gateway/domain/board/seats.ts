/**
 * The places of machines in the strip of a status board. People learn where a machine is, so its place does not change while the site runs:
 * a machine that is added later comes at the end of its type, and the place of a retired machine stays empty until a machine is added.
 */
import type { BoardMachine } from './tiles.ts';

/** Machines that are added with shorter pauses than this are one commissioning, and are sorted by their numbers. */
const COMMISSIONING_MS = 24 * 3_600_000;

/** A machine for which the order of places is computed. */
export interface Seated {
  readonly id: string;
  readonly unit_number: string;
  readonly created_ms: number;
  /** When the machine was retired; null if it works or if the time is unknown. */
  readonly retired_ms: number | null;
}

/** Returns the type of a unit number: "HT" of "HT-07". */
function typeOf(unit_number: string): string {
  return /^\D*/.exec(unit_number)?.[0].replace(/[-_ ]+$/, '') ?? '';
}

/**
 * Returns the ids of the machines in the order of their places: by type, then by commissioning, then by number. A retired machine has a
 * place until another machine is added. `compare` is the natural order of texts.
 */
export function seatOrder(machines: readonly Seated[], compare: (a: string, b: string) => number): string[] {
  const created = machines.toSorted((a, b) => a.created_ms - b.created_ms);
  const round = new Map<string, number>();
  let rounds = 0;
  for (const [i, { id, created_ms }] of created.entries()) {
    if (i > 0 && created_ms - (created[i - 1] as Seated).created_ms >= COMMISSIONING_MS) rounds += 1;
    round.set(id, rounds);
  }
  const newest_ms = created.at(-1)?.created_ms ?? 0;
  return machines
    .filter(({ retired_ms }) => retired_ms === null || retired_ms >= newest_ms)
    .toSorted(
      (a, b) =>
        compare(typeOf(a.unit_number), typeOf(b.unit_number)) ||
        (round.get(a.id) ?? 0) - (round.get(b.id) ?? 0) ||
        compare(a.unit_number, b.unit_number) ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ id }) => id);
}

/** Returns the places of the machines of one widget, from 0. The places of the retired machines stay free. */
export function seatsOf(
  machines: readonly BoardMachine[],
  retired: readonly BoardMachine[],
): ReadonlyMap<string, number> {
  const ordered = [...machines, ...retired].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return new Map(ordered.map(({ id }, i) => [id, i]));
}
