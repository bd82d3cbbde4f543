/**
 * Fair shares of what there is little of: places that are held for a while, and turns on the event loop.
 *
 * A principal is whoever is answerable for a request: a device, a key, a display link, or the address of a stranger. No principal takes
 * so much that the others wait for it, whatever it sends and however slowly.
 */
import { performance } from 'node:perf_hooks';
import { OperationError } from '#contract/base/errors.ts';

/** Gives back what was taken; may be called twice. */
export type Release = () => void;

export interface Places {
  /** Takes a place for these principals, who all hold it; throws `rate_limited` when there is none for them. */
  take(...principals: readonly string[]): Release;
  /** Places that are taken. */
  readonly taken: number;
}

/** One in so many places is kept for those who hold none yet. */
const KEPT = 8;

/** `total` places, of which one principal holds `each` at most; the last eighth is for principals that hold none. */
export function createPlaces(options: { total: number; each: number; what: string }): Places {
  const { total, each, what } = options;
  const held = new Map<string, number>();
  const kept = Math.floor(total / KEPT);
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    take(...principals) {
      const most = Math.max(...principals.map((one) => held.get(one) ?? 0));
      if (most >= each)
        throw new OperationError(
          'rate_limited',
          `You have ${each} ${what} open, which is your share; wait for one to end.`,
        );
      if (total - taken <= (most === 0 ? 0 : kept))
        throw new OperationError('rate_limited', `${taken} ${what} are open; try again in a moment.`);
      taken++;
      for (const one of principals) held.set(one, (held.get(one) ?? 0) + 1);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        taken--;
        for (const one of principals) {
          const left = (held.get(one) ?? 1) - 1;
          if (left === 0) held.delete(one);
          else held.set(one, left);
        }
      };
    },
  };
}

export interface Turns {
  /**
   * Does something when it is this principal's turn, of which it does `most` at a time; throws `rate_limited` when too many wait.
   * A principal that is alone need not wait.
   */
  run<T>(principal: string, most: number, act: () => Promise<T>): Promise<T>;
}

/** How long a principal that was served in this turn of the event loop may go on being served in it, in ms. */
const SLICE_MS = 4;
/** After more work than this the loop rests as long as the work took, and at most `REST_MS`, before those who were served go on. */
const WORK_MS = 1;
const REST_MS = 20;
/** A principal is alone when nobody else was there for so long, in ms. */
const ALONE_MS = 1_000;
/** Calls of a principal that is alone which are under way at once. */
const ALONE_AT_ONCE = 64;
/** Calls that wait in all, and of one principal: more than its sockets can bring. */
const MOST_WAITING = 4_000;
const MOST_WAITING_EACH = 512;

/** Milliseconds that the event loop has worked. */
const loopBusy = () => performance.eventLoopUtilization().active;

/** The calls of one principal. */
interface Line {
  readonly waiting: { readonly begin: () => void; readonly most: number }[];
  active: number;
}

/**
 * Turns on the event loop. A call begins at once while there is time and its principal has few others under way; what comes beyond waits
 * for the next turn of the loop, where the principals are served in a circle, one call each, and sockets are read before. So one
 * principal's crowd of calls delays another's call by a slice and by the calls that are under way, and not by the crowd.
 *
 * Many calls at once are answered with less work than the same one by one, so a principal that is alone is not held back; `others` says
 * whether somebody is there who makes no calls, as a device that waits for acknowledgements.
 */
export function createTurns(options: { others?: () => boolean; now?: () => number; busy?: () => number } = {}): Turns {
  const { others = () => false, now = () => performance.now(), busy = loopBusy } = options;
  /** Who called last, and the last call of anybody else. */
  let latest = { principal: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;
  const lines = new Map<string, Line>();
  /** Principals whose next call may begin; the one whose turn is next comes first. */
  const ready = new Set<string>();
  /** Principals that were served in this turn. */
  const served = new Set<string>();
  let count = 0;
  let began = 0;
  /** `busy` when the loop last began to serve those who waited; undefined when nobody has waited since it was idle. */
  let busyBefore: number | undefined;
  let running = false;
  let passing = false;

  /** Notes a call; true when its principal has to share. */
  function shares(principal: string): boolean {
    const at = now();
    if (latest.principal !== principal) {
      other = latest;
      latest = { principal, at };
    } else latest.at = at;
    return at - other.at < ALONE_MS || others();
  }

  /** Begins to count the time of this turn, and wakes up in the next. */
  function follow(): void {
    if (running) return;
    running = true;
    began = now();
    setImmediate(turn);
  }

  /**
   * The end of this turn. An acknowledgement takes several turns: message, write, sync. If each of them held a call of the same
   * principal, it would wait for all of those. So the loop is left to others for as long as it has worked since the calls before began,
   * in however many turns.
   */
  function turn(): void {
    const worked = ready.size === 0 ? 0 : busyBefore === undefined ? now() - began : busy() - busyBefore;
    if (worked > WORK_MS && (now() - other.at < ALONE_MS || others())) setTimeout(next, Math.min(worked, REST_MS));
    else next();
  }

  /** The next turn: those who wait, one after the other, as long as the slice lasts. */
  function next(): void {
    running = false;
    served.clear();
    if (ready.size === 0) return;
    busyBefore = busy();
    follow();
    passing = true;
    pass();
  }

  /** Lets one call begin, and looks for the next once its synchronous part is over. */
  function pass(): void {
    const [principal] = ready;
    if (principal === undefined || now() - began > SLICE_MS) {
      passing = false;
      return;
    }
    ready.delete(principal);
    const line = lines.get(principal) as Line;
    const call = line.waiting.shift() as Line['waiting'][number];
    count--;
    line.active++;
    served.add(principal);
    admit(principal, line);
    call.begin();
    // A tick runs when no microtask is left: the call has then come as far as it gets without waiting.
    queueMicrotask(() => process.nextTick(pass));
  }

  /** Puts a principal at the end of the circle when its next call may begin. */
  function admit(principal: string, { waiting, active }: Line): void {
    const [next] = waiting;
    if (next === undefined || active >= next.most) return;
    ready.add(principal);
    if (!passing) follow();
  }

  function end(principal: string, line: Line): void {
    line.active--;
    if (line.active === 0 && line.waiting.length === 0) lines.delete(principal);
    else admit(principal, line);
  }

  return {
    async run(principal, most, act) {
      if (lines.size === 0) busyBefore = undefined;
      const line = lines.get(principal) ?? { waiting: [], active: 0 };
      lines.set(principal, line);
      const alone = !shares(principal);
      const hasTime = alone || !running || !served.has(principal) || now() - began <= SLICE_MS;
      if (line.waiting.length === 0 && line.active < (alone ? ALONE_AT_ONCE : most) && hasTime) {
        line.active++;
        served.add(principal);
        follow();
      } else {
        if (count >= MOST_WAITING || line.waiting.length >= MOST_WAITING_EACH)
          throw new OperationError('rate_limited', 'Too many calls wait for their turn; send fewer at once.');
        count++;
        await new Promise<void>((begin) => {
          line.waiting.push({ begin, most });
          admit(principal, line);
        });
      }
      try {
        return await act();
      } finally {
        end(principal, line);
      }
    },
  };
}
