/**
 * Shares limited resources fairly between principals. `createPlaces` limits concurrent requests of one kind, such as uploads.
 * `createTurns` decides which call may use the event loop next.
 *
 * A principal is the client to which a request is counted: a device, a key, a display link, or the address of a client without a key. The
 * limits ensure that one principal cannot block the others, whatever it sends and however slowly it sends.
 */
import { performance } from 'node:perf_hooks';
import { OperationError } from '#contract/base/errors.ts';
import { part, say } from '#contract/base/told.ts';

/** Releases a place that `take` returned. A second call does nothing. */
export type Release = () => void;

export interface Places {
  /**
   * Takes a place and counts it for each of these principals. Throws `rate_limited` if a principal already has as many places as it may
   * have, or if no place is free.
   */
  take(...principals: readonly string[]): Release;
  /** Number of places in use. */
  readonly taken: number;
}

/** One of every `KEPT` places is reserved for principals that have no place at the moment. */
const KEPT = 8;

/**
 * Creates `total` places. A principal may have at most `each` places. The last eighth of all places is reserved for principals that have no
 * place at the moment.
 */
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
          say('You have {each} {what} open, which is the limit of one caller. Wait until one of them ends.', {
            each,
            what: part(what),
          }),
        );
      if (total - taken <= (most === 0 ? 0 : kept))
        throw new OperationError(
          'rate_limited',
          say('{taken} {what} are open, which is the limit of this gateway. Try again in a moment.', {
            taken,
            what: part(what),
          }),
        );
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
   * Calls `act` when it is the turn of this principal, which may run at most `most` calls at a time. While no other principal is active, up
   * to `ALONE_AT_ONCE` calls run without waiting. Throws `rate_limited` if too many calls wait.
   */
  run<T>(principal: string, most: number, act: () => Promise<T>): Promise<T>;
}

/**
 * When a turn of the event loop has lasted this many milliseconds, no waiting call and no second call of a principal begins in this turn.
 */
const SLICE_MS = 4;
/**
 * After this many milliseconds of work, the waiting calls pause. The pause is as long as the work was, at most `REST_MS`. In the pause the
 * gateway can acknowledge messages of devices.
 */
const WORK_MS = 1;
const REST_MS = 20;
/** A principal is alone if no other principal made a call in the last ALONE_MS milliseconds. */
const ALONE_MS = 1_000;
/** Largest number of concurrent calls of a principal that is alone. */
const ALONE_AT_ONCE = 64;
/**
 * The largest numbers of waiting calls: of all principals together, and of one principal. Normally the limits for sockets keep the numbers
 * of calls lower.
 */
const MOST_WAITING = 4_000;
const MOST_WAITING_EACH = 512;

/** Returns the time for which the event loop was busy since the process started, in ms. */
const loopBusy = () => performance.eventLoopUtilization().active;

/** The waiting and running calls of one principal. */
interface Line {
  readonly waiting: { readonly begin: () => void; readonly most: number }[];
  active: number;
}

/**
 * Creates turns on the event loop. A call begins at once if this turn has time left and its principal has fewer than `most` active calls.
 * Otherwise the call waits for a later turn. In each turn Node reads the sockets first; then the waiting principals are served round-robin,
 * one call each. So the calls of one principal delay the calls of another by at most one slice (4 ms), plus the time until the calls that
 * have already begun end.
 *
 * Concurrent calls need less work than the same calls one after the other, so the calls of a principal that is alone do not wait. `others`
 * returns true while clients are connected that make no calls but must not be delayed, such as MQTT devices.
 */
export function createTurns(options: { others?: () => boolean; now?: () => number; busy?: () => number } = {}): Turns {
  const { others = () => false, now = () => performance.now(), busy = loopBusy } = options;
  /** `latest` is the newest call. `other` is the newest call of any other principal than the one in `latest`. */
  let latest = { principal: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;
  const lines = new Map<string, Line>();
  /** Principals that may begin their next call, in round-robin order. */
  const ready = new Set<string>();
  /** Principals that were served in this turn of the event loop. */
  const served = new Set<string>();
  let count = 0;
  let began = 0;
  /** The value of `busy()` when a waiting call was last started. Undefined if no call has waited since the gateway was last idle. */
  let busyBefore: number | undefined;
  let running = false;
  let passing = false;

  /** Records a call. Returns true if other principals were active in the last second, or if devices are connected. */
  function shares(principal: string): boolean {
    const at = now();
    if (latest.principal !== principal) {
      other = latest;
      latest = { principal, at };
    } else latest.at = at;
    return at - other.at < ALONE_MS || others();
  }

  /** Starts to measure the time of this turn, and schedules the next turn. */
  function follow(): void {
    if (running) return;
    running = true;
    began = now();
    setImmediate(turn);
  }

  /**
   * Ends this turn. An acknowledgement to a device takes several turns: one each for the message, the write and the sync. If calls began
   * in each of these turns, the acknowledgement would wait for all these calls. So after more than 1 ms of work, waiting calls pause for
   * as long as the loop has worked since calls last began.
   */
  function turn(): void {
    const worked = ready.size === 0 ? 0 : busyBefore === undefined ? now() - began : busy() - busyBefore;
    if (worked > WORK_MS && (now() - other.at < ALONE_MS || others())) setTimeout(next, Math.min(worked, REST_MS));
    else next();
  }

  /** Starts the next turn, in which waiting calls begin one after the other until 4 ms have passed. */
  function next(): void {
    running = false;
    served.clear();
    if (ready.size === 0) return;
    busyBefore = busy();
    follow();
    passing = true;
    pass();
  }

  /** Begins one waiting call. When the synchronous part of this call has ended, begins the next waiting call. */
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
    // `nextTick` runs after all microtasks. At that time the call has done everything that it can do without waiting for I/O.
    queueMicrotask(() => process.nextTick(pass));
  }

  /** Appends a principal to the round-robin order if its next call may begin. */
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
          throw new OperationError('rate_limited', 'Too many calls of this caller are waiting. Send fewer at once.');
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
