/** How long changes of people wait before they are sent, so that several of them share a page: a page costs both ends more than a change in it. */

/** A change waits at least this long. */
const GATHER_MS = 100;
/** Rounds that send what waits begin this far apart, as a mean. Alerts and facts of safety do not wait for a round. */
const APART_MS = 300;
/**
 * If the last page took long, because head office or the link has much to do, rounds begin this many times its duration apart. Then more
 * changes share a page, and all sites together cost head office less.
 */
const TIMES = 6;
const LONGEST_APART_MS = 1_000;
/** Up to this share earlier or later at random. Without it, sites that once sent at the same moment would do so each time. */
const SPREAD = 1 / 3;

/** How long the next round waits. `since_ms`: the time since the last one began; `page_ms`: how long the last page took; `random`: from 0 to 1. */
export function gatherMs(since_ms: number, page_ms: number, random = Math.random()): number {
  const apart_ms = Math.min(LONGEST_APART_MS, Math.max(APART_MS, TIMES * page_ms));
  return Math.max(GATHER_MS, apart_ms * (1 + (2 * random - 1) * SPREAD) - since_ms);
}
