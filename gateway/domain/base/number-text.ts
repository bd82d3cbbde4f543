/** Times as screens show them. */

/**
 * Cuts a timestamp to whole seconds. Screens show no fractions of a second, so a change of a fraction must not cause a message to a screen.
 */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
