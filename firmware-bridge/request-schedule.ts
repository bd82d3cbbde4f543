/** Decides which parameter group the bridge requests next. It reads no clock and does no I/O: the caller passes the time. */

/** The PGNs that the bridge requests: engine hours, idle hours and idle fuel, fuel totals, vehicle hours. */
export const REQUESTED = [65253, 65244, 65257, 65255] as const;

/**
 * Milliseconds between two requests of one group. `UNANSWERED_EVERY_MS` is for a group that no device has sent after the last three
 * requests; `EVERY_MS` is for all other groups.
 */
export const EVERY_MS = 300_000;
const UNANSWERED_EVERY_MS = 3_600_000;
const UNANSWERED = 3;
/** Milliseconds of listening before the first request. Many engines broadcast their hours once a minute and need no request. */
const LISTEN_MS = 90_000;
/**
 * Shortest time in milliseconds between two requests: `LEAST_MS` for two requests of the same group, `BETWEEN_MS` for requests of different
 * groups.
 */
const LEAST_MS = 60_000;
const BETWEEN_MS = 1_000;

interface GroupState {
  readonly pgn: number;
  requested_ms: number;
  received_ms: number;
  unanswered: number;
}

export class RequestSchedule {
  private groups: GroupState[] = [];
  private last_ms = Number.NEGATIVE_INFINITY;

  start(now: number): void {
    const received_ms = now - EVERY_MS + LISTEN_MS;
    this.groups = REQUESTED.map((pgn) => ({
      pgn,
      requested_ms: Number.NEGATIVE_INFINITY,
      received_ms,
      unanswered: 0,
    }));
  }

  /** Returns the PGN to request at time `now`; undefined when no request is due. */
  due(now: number): number | undefined {
    if (now - this.last_ms < BETWEEN_MS) return undefined;
    return this.groups.find(({ requested_ms, received_ms, unanswered }) => {
      const every = unanswered >= UNANSWERED ? UNANSWERED_EVERY_MS : EVERY_MS;
      return now - Math.max(requested_ms, received_ms) >= every && now - requested_ms >= LEAST_MS;
    })?.pgn;
  }

  requested(pgn: number, now: number): void {
    const group = this.groups.find((one) => one.pgn === pgn);
    if (group === undefined) return;
    this.last_ms = now;
    group.requested_ms = now;
    group.unanswered++;
  }

  /**
   * Records that a device sent a group. Returns true if the group came for the first time after a request, because it then counts as the
   * answer to this request.
   */
  received(pgn: number, now: number): boolean {
    const group = this.groups.find((one) => one.pgn === pgn);
    if (group === undefined) return false;
    const isAnswer = group.requested_ms > group.received_ms;
    group.received_ms = now;
    group.unanswered = 0;
    return isAnswer;
  }
}
