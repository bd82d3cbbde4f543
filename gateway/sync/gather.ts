/** How long changes of people wait before they are sent, so that several of them share a page: a page costs both ends more than a change in it. */

/** A change waits at least this long. */
const GATHER_MS = 100;
/** Rounds that send what waits begin this far apart, as a mean. Alerts and facts of safety do not wait for a round. */
const APART_MS = 300;
/** Up to this much earlier or later at random. Without it, sites that once sent at the same moment would do so each time. */
const SPREAD_MS = 100;

/** How long the next round waits. `since_ms`: the time since the last one began; `random`: from 0 to 1. */
export const gatherMs = (since_ms: number, random = Math.random()): number =>
  Math.max(GATHER_MS, APART_MS + (2 * random - 1) * SPREAD_MS - since_ms);
