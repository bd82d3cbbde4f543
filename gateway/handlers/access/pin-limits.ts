/**
 * Slows down guessing of PINs. A PIN has only a million values, so the gateway counts the wrong PINs of a person in three ways, and stores
 * the counts: for the person and a tablet together, for the person and a day, and for the person since the last right PIN.
 *
 *   on one tablet    5 free tries, then a wait that grows from 1 minute to 12 hours; forgotten after a day without a wrong PIN
 *   in a day         30 wrong PINs on all tablets together
 *   without a right  100 wrong PINs on all tablets together; then only a new PIN helps
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ON_TABLET = { free: 5, first_ms: MINUTE_MS, factor: 4, longest_ms: 12 * HOUR_MS, forgotten_ms: DAY_MS } as const;
/** Largest number of wrong PINs of a person in a day, on all tablets together. */
const IN_A_DAY = 30;
/** Largest number of wrong PINs of a person without a right one between them. */
const IN_A_ROW = 100;

/** The stored counts of wrong PINs of one person. */
export interface PinGuesses {
  /** The PIN for which these counts are. A new PIN begins with new counts. */
  of: string;
  in_a_row: number;
  day: { from_ms: number; wrong: number };
  /** The tablets with a wrong PIN in the last day. There are at most `IN_A_DAY` of them. */
  tablets: { id: string; wrong: number; at_ms: number }[];
}

/** Why a person may not try a PIN now. `wait_ms` is null if only a new PIN helps. */
export interface PinLock {
  readonly why: 'tablet' | 'day' | 'row';
  readonly wait_ms: number | null;
}

/** Returns the counts of a PIN for which nobody has entered a wrong PIN yet. */
export function noGuesses(of: string, now: number): PinGuesses {
  return { of, in_a_row: 0, day: { from_ms: now, wrong: 0 }, tablets: [] };
}

/**
 * Returns true if the counts have a time that is later than now. It was stored before the clock was set back and the gateway restarted.
 */
export function isAhead({ day, tablets }: PinGuesses, now: number): boolean {
  return day.from_ms > now || tablets.some(({ at_ms }) => at_ms > now);
}

/** Returns the counts without the parts that are over. A time that is later than now becomes now, so a wait begins again. */
export function currentGuesses({ of, in_a_row, day, tablets }: PinGuesses, now: number): PinGuesses {
  return {
    of,
    in_a_row,
    day: now - day.from_ms >= DAY_MS ? { from_ms: now, wrong: 0 } : { ...day, from_ms: Math.min(day.from_ms, now) },
    tablets: tablets
      .map((one) => ({ ...one, at_ms: Math.min(one.at_ms, now) }))
      .filter(({ at_ms }) => now - at_ms < ON_TABLET.forgotten_ms),
  };
}

/** Returns the reason why the person may not try a PIN on this tablet now; undefined if the person may. */
export function pinLock({ in_a_row, day, tablets }: PinGuesses, tablet: string, now: number): PinLock | undefined {
  if (in_a_row >= IN_A_ROW) return { why: 'row', wait_ms: null };
  if (day.wrong >= IN_A_DAY) return { why: 'day', wait_ms: day.from_ms + DAY_MS - now };
  const { wrong = 0, at_ms = 0 } = tablets.find(({ id }) => id === tablet) ?? {};
  if (wrong < ON_TABLET.free) return undefined;
  const pause = Math.min(ON_TABLET.longest_ms, ON_TABLET.first_ms * ON_TABLET.factor ** (wrong - ON_TABLET.free));
  const wait_ms = at_ms + pause - now;
  return wait_ms > 0 ? { why: 'tablet', wait_ms } : undefined;
}

/** Returns how many wrong PINs the person may enter on this tablet before the next wait. */
export function triesLeft(guesses: PinGuesses, tablet: string): number {
  const wrong = guesses.tablets.find(({ id }) => id === tablet)?.wrong ?? 0;
  return Math.max(0, Math.min(ON_TABLET.free - wrong, IN_A_DAY - guesses.day.wrong, IN_A_ROW - guesses.in_a_row));
}

/** Returns the counts with one more wrong PIN on this tablet. */
export function withWrong(guesses: PinGuesses, tablet: string, now: number): PinGuesses {
  const wrong = guesses.tablets.find(({ id }) => id === tablet)?.wrong ?? 0;
  return {
    ...guesses,
    in_a_row: guesses.in_a_row + 1,
    day: { ...guesses.day, wrong: guesses.day.wrong + 1 },
    tablets: [...guesses.tablets.filter(({ id }) => id !== tablet), { id: tablet, wrong: wrong + 1, at_ms: now }],
  };
}

/** Returns the counts after a right PIN on this tablet. The count of the day stays. */
export function withRight(guesses: PinGuesses, tablet: string): PinGuesses {
  return { ...guesses, in_a_row: 0, tablets: guesses.tablets.filter(({ id }) => id !== tablet) };
}
