/**
 * The gateway's clock. It follows the system's clock unless the system's time cannot be right. For example, a system clock that jumps
 * forward by years would make the gateway delete all data as old, and every key with an end date would expire at once.
 *
 *   the system's time                                  the gateway's clock                               problem code
 *   at start, a day or more before the last run        continues from the last run until it is set       `clock_unset`
 *   (1970 after the clock's battery failed)
 *   at start, over a year after the last run           follows; nothing is deleted because of its age    `clock_ahead`
 *   steps by up to a day                               follows                                           -
 *   steps further, soon after power-up or while a      follows, because this is how clocks are set       -
 *   time service sets the clock
 *   steps further at another time                      counts the elapsed time                           `clock_jumped`
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { ProblemCode } from '#domain/health/problems.ts';

/** The clocks of the operating system. Tests replace them. */
export interface SystemTime {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that never decrease. They may stop while the machine sleeps. */
  readonly monotonic: () => number;
  /** Milliseconds since power-up, sleep included. */
  readonly uptime: () => number;
  /** True if a time service reports that it has set the clock. */
  readonly synchronised: () => boolean;
}

const SYSTEM: SystemTime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  // systemd-timesyncd(8) touches this file after each synchronisation.
  synchronised: () => existsSync('/run/systemd/timesync/synchronized'),
};

export interface ClockOptions {
  readonly folder: string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  readonly system?: SystemTime;
}

/** The clock that all parts of the gateway read. */
export interface Clock extends Disposable {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** False while a clock problem is reported. Ages are then unreliable, so nothing is deleted because of its age. */
  readonly agesKnown: boolean;
  /** The current problem of the system's clock, with its start in milliseconds since 1970 by this clock; empty without a problem. */
  readonly since: ReadonlyMap<ProblemCode, number>;
  /** Writes the current time to `clock.json` as the time of the last run. The clock also does so every five minutes. */
  keep(): void;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
/** The gateway's clock never starts before 2026, because no gateway existed before. */
const EARLIEST_MS = Date.UTC(2026, 0);
/**
 * For this many milliseconds after power-up the clock accepts any step, because a network time service usually sets the system's clock
 * then.
 */
const SETTLING_MS = 900_000;
/** When a gateway with the problem `clock_ahead` has run for this many milliseconds, its time counts as right and the problem ends. */
const ACCEPTED_MS = 7 * DAY_MS;
const KEEP_MS = 300_000;

type ClockProblem = Extract<ProblemCode, `clock_${string}`>;

/** Starts the clock, from the time of the last run in `clock.json`. Writes no file yet, because another gateway may use the folder. */
export function openClock({ folder, log, system = SYSTEM }: ClockOptions): Clock {
  const file = join(folder, 'clock.json');
  const lastRun = readLastRun(file);
  const since = new Map<ProblemCode, number>();
  /** The same moment on three clocks: on this clock (`now`), and on the monotonic and the uptime clock of the system. */
  let at = { now: system.now(), monotonic: system.monotonic(), uptime: system.uptime() };
  let problem: ClockProblem | undefined;
  let kept = at.monotonic;
  const began = at.uptime;

  if (at.now < Math.max(lastRun, EARLIEST_MS) - DAY_MS) {
    at = { ...at, now: Math.max(lastRun, EARLIEST_MS) };
    begin('clock_unset');
  } else if (lastRun > 0 && at.now > lastRun + YEAR_MS) begin('clock_ahead');

  function begin(code: ClockProblem): void {
    if (problem === code) return;
    problem = code;
    since.clear();
    since.set(code, at.now);
    const system_time = new Date(system.now()).toISOString();
    log('warn', 'the clock of this machine cannot be right', {
      code,
      system_time,
      time: new Date(at.now).toISOString(),
    });
  }

  function end(): void {
    if (problem === undefined) return;
    log('info', 'the clock of this machine is right again', { time: new Date(at.now).toISOString() });
    problem = undefined;
    since.clear();
  }

  /**
   * Advances `at` by the elapsed time of the monotonic clock. That clock may stop while the machine sleeps, so a sleep of over a second
   * is added from the uptime clock, which is less exact.
   */
  function advance(): void {
    const monotonic = system.monotonic();
    const up = system.uptime();
    const passed = monotonic - at.monotonic;
    const asleep = up - at.uptime - passed;
    at = { now: at.now + passed + (asleep > SECOND_MS ? asleep : 0), monotonic, uptime: up };
  }

  /** Reads the system's clock and follows it if its time can be right; otherwise reports a problem. */
  function look(): void {
    advance();
    const now = system.now();
    const step = now - at.now;
    const isBeingSet = () => at.uptime < SETTLING_MS || system.synchronised();
    const canBe =
      Math.abs(step) <= DAY_MS ||
      (problem === 'clock_unset' && step > 0) ||
      (now >= Math.max(lastRun, EARLIEST_MS) - DAY_MS && isBeingSet());
    if (!canBe) {
      if (problem !== 'clock_unset') begin('clock_jumped');
      return;
    }
    at = { ...at, now };
    if (problem !== 'clock_ahead' || at.uptime - began > ACCEPTED_MS) end();
  }

  function keep(): void {
    look();
    kept = at.monotonic;
    if (problem === 'clock_ahead') return;
    try {
      writeFileSync(`${file}.new`, JSON.stringify({ last_run: new Date(at.now).toISOString() }));
      renameSync(`${file}.new`, file);
    } catch (error) {
      log('warn', 'the time of this run could not be written', { error: (error as Error).message });
    }
  }

  const timer = setInterval(() => {
    look();
    if (at.monotonic - kept >= KEEP_MS) keep();
  }, SECOND_MS);
  timer.unref();

  return {
    now() {
      const expected = at.now + system.monotonic() - at.monotonic;
      const now = system.now();
      if (problem === 'clock_unset' || problem === 'clock_jumped') return Math.floor(expected);
      if (Math.abs(now - expected) < SECOND_MS) return now;
      look();
      return Math.floor(at.now);
    },
    get agesKnown() {
      return problem === undefined;
    },
    since,
    keep,
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}

function readLastRun(file: string): number {
  try {
    const { last_run } = JSON.parse(readFileSync(file, 'utf8')) as { last_run?: unknown };
    const ms = Date.parse(String(last_run));
    return Number.isFinite(ms) ? ms : 0;
  } catch {
    return 0;
  }
}
