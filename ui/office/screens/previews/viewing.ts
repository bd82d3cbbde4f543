/** How large a TV and its texts look from a distance. The functions have no side effects. */

/** Arc minutes that a text needs to be read at ease (ISO 9241-3). The smallest text of a board has them on this TV from this distance ([U9]). */
export const LEAST_MINUTES = 16;
const USUAL = { inches: 55, metres: 4 };
/** The distance between the eyes and the page of the office, in metres. */
const DESK_M = 0.6;
const INCH_M = 0.0254;
/** A browser shows 96 pixels as one inch. */
const PIXELS_PER_M = 96 / INCH_M;

const widthOf = (inches: number): number => (inches * INCH_M * 16) / Math.hypot(16, 9);

/** Returns the width in pixels at which a preview looks as large as a TV from this distance. */
export const farWidth = (inches: number, metres: number): number => (widthOf(inches) * DESK_M * PIXELS_PER_M) / metres;

/** Returns the height of the smallest text of a board in arc minutes. */
export const textMinutes = (inches: number, metres: number): number =>
  (LEAST_MINUTES * inches * USUAL.metres) / (USUAL.inches * metres);

/** Returns the largest distance in metres, in steps of half a metre, from which all texts of a board can be read. */
export function readableTo(inches: number): number {
  let metres = 0.5;
  while (textMinutes(inches, metres + 0.5) >= LEAST_MINUTES) metres += 0.5;
  return metres;
}
