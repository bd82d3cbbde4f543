/** How long changes of people wait before they are sent, so that several of them share a page: a page costs both ends more than a change in it. */

/** A change waits at least this long. */
const GATHER_MS = 100;
/** Rounds that send what waits begin this far apart. Alerts and facts of safety do not wait for a round. */
const APART_MS = 300;

/** How long the next round waits. `since_ms`: the time since the last one began. */
export const gatherMs = (since_ms: number): number => Math.max(GATHER_MS, APART_MS - since_ms);
