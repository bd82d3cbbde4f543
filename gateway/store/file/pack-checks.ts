/**
 * Records in `backup/checked.json` when each pack (a file with the sealed history of backups, see `packs.ts`) was last read completely, and
 * its damage. Each day the gateway reads a share of the packs completely, first those whose last check is the oldest. So it finds rows that
 * the disk has changed within about a week, and does not read the whole history each day.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '#store/base/durable.ts';

/** A day checks at least this part of the bytes of all packs. */
const SHARE = 1 / 7;

/** The last complete check of a pack. */
interface Check {
  /** Checks are counted, because the clock may have been wrong. A larger number is a later check. */
  readonly turn: number;
  /** Time of the check by the clock of the gateway, ISO 8601. */
  readonly at: string;
  /** A sentence about the damage; null if the pack was intact. */
  readonly damage: string | null;
}

/** A pack that is in the folder. */
interface Present {
  readonly name: string;
  readonly bytes: number;
}

/** The checks of the packs of a backup folder. */
export class PackChecks {
  readonly #file: string;
  readonly #checks: ReadonlyMap<string, Check>;

  /** Reads the record. If the record is absent or damaged, all packs count as never checked. */
  constructor(inner: string) {
    this.#file = join(inner, 'checked.json');
    this.#checks = new Map(read(this.#file));
  }

  /**
   * Returns the names of the packs that must be read completely now: the damaged ones, and with `isTurn` the share of this day. A damaged
   * pack is always read completely, because only then it is known which of its rows are intact.
   */
  due(packs: readonly Present[], isTurn: boolean): Set<string> {
    const due = new Set(packs.filter(({ name }) => this.#checks.get(name)?.damage != null).map(({ name }) => name));
    if (!isTurn) return due;
    const all = packs.reduce((sum, { bytes }) => sum + bytes, 0);
    let read = 0;
    for (const { name, bytes } of packs.toSorted((a, b) => this.#turnOf(a.name) - this.#turnOf(b.name))) {
      if (read >= all * SHARE) break;
      due.add(name);
      read += bytes;
    }
    return due;
  }

  /** Records the packs that were read completely now, each with its damage, and forgets the packs that are not `present`. */
  record(checked: ReadonlyMap<string, string | null>, present: readonly string[], at: string): void {
    const turn = Math.max(0, ...[...this.#checks.values()].map((one) => one.turn)) + 1;
    const checks = present.flatMap((name) => {
      const damage = checked.get(name);
      const check = damage === undefined ? this.#checks.get(name) : { turn, at, damage };
      return check === undefined ? [] : [[name, check] as const];
    });
    if (checks.length === 0) rmSync(this.#file, { force: true });
    else writeDurably(this.#file, JSON.stringify(checks));
  }

  /** Returns a text with name and damage for each damaged pack. */
  damaged(): string[] {
    return [...this.#checks].flatMap(([name, { damage }]) => (damage === null ? [] : [`${name} (${damage})`]));
  }

  /** Returns the time of the oldest last check of these packs; null if one of them was never checked, or if there are no packs. */
  checkedFrom(names: readonly string[]): string | null {
    const [oldest] = names.toSorted((a, b) => this.#turnOf(a) - this.#turnOf(b));
    return this.#checks.get(oldest ?? '')?.at ?? null;
  }

  #turnOf(name: string): number {
    return this.#checks.get(name)?.turn ?? 0;
  }
}

function read(file: string): [string, Check][] {
  try {
    const entries: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is [string, Check] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const { turn, at, damage } = Object(entry[1]) as Partial<Record<keyof Check, unknown>>;
  return Number.isSafeInteger(turn) && typeof at === 'string' && (damage === null || typeof damage === 'string');
}
