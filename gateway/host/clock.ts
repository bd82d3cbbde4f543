/**
 * The gateway's time. It follows the system's clock, except where that cannot be right: a clock that jumps by years must not let
 * yesterday's data look like now, bring revoked time back, or end every key at once.
 *
 *   start    before the last run (a dead battery says 1970)  -> goes on from the last run until the clock is set: `clock_unset`
 *            a year or more behind it                        -> the system's, and nothing is deleted for its age: `clock_ahead`
 *   running  a step of up to a day                           -> the system's
 *            more, soon after power-up or by time service    -> the system's: that is how clocks are set
 *            more, out of nowhere                            -> its own, by the time that passes: `clock_jumped`
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { ProblemCode } from '#domain/health/problems.ts';

/** What the system says of time. */
export interface SystemTime {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that never go back; may stand still while the machine sleeps. */
  readonly monotonic: () => number;
  /** Milliseconds since power-up, sleep included. */
  readonly uptime: () => number;
  /** True when a time service says that it has set the clock. */
  readonly synchronised: () => boolean;
}

const SYSTEM: SystemTime = {
  now: Date.now,
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  // systemd-timesyncd(8) touches it after each synchronisation.
  synchronised: () => existsSync('/run/systemd/timesync/synchronized'),
};

export interface ClockOptions {
  readonly folder: string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  readonly system?: SystemTime;
}

/** The time that the gateway goes by. */
export interface Clock extends Disposable {
  /** Milliseconds since 1970. */
  now(): number;
  /** False while nobody knows how old anything is. */
  readonly agesKnown: boolean;
  /** What is wrong with the system's clock, and since when by this one. */
  readonly since: ReadonlyMap<ProblemCode, number>;
  /** Writes down that this gateway runs now; by itself every five minutes. */
  keep(): void;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
/** No gateway ran before. */
const EARLIEST_MS = Date.UTC(2026, 0);
/** Clocks are set within this of power-up. */
const SETTLING_MS = 900_000;
/** A time far ahead of the last run is believed when it has held for so long. */
const BELIEVED_MS = 7 * DAY_MS;
const KEEP_MS = 300_000;

type Doubt = Extract<ProblemCode, `clock_${string}`>;

/** Reads when this gateway last ran, and begins to tell the time. Writes nothing yet: the folder may be another's. */
export function openClock({ folder, log, system = SYSTEM }: ClockOptions): Clock {
  const file = join(folder, 'clock.json');
  const lastRun = readLastRun(file);
  const since = new Map<ProblemCode, number>();
  /** This clock's time at a moment of the two others. */
  let at = { now: system.now(), monotonic: system.monotonic(), uptime: system.uptime() };
  let doubt: Doubt | undefined;
  let kept = at.monotonic;
  const began = at.uptime;

  if (at.now < Math.max(lastRun, EARLIEST_MS) - DAY_MS) {
    at = { ...at, now: Math.max(lastRun, EARLIEST_MS) };
    begin('clock_unset');
  } else if (lastRun > 0 && at.now > lastRun + YEAR_MS) begin('clock_ahead');

  function begin(code: Doubt): void {
    if (doubt === code) return;
    doubt = code;
    since.clear();
    since.set(code, at.now);
    const said = new Date(system.now()).toISOString();
    log('warn', 'the clock of this machine cannot be right', { code, said, time: new Date(at.now).toISOString() });
  }

  function end(): void {
    if (doubt === undefined) return;
    log('info', 'the clock of this machine is right again', { time: new Date(at.now).toISOString() });
    doubt = undefined;
    since.clear();
  }

  /** Time has passed: by the clock that counts sleep too, which is coarse, or by the other. */
  function pass(): void {
    const monotonic = system.monotonic();
    const up = system.uptime();
    const passed = monotonic - at.monotonic;
    const slept = up - at.uptime - passed;
    at = { now: at.now + passed + (slept > SECOND_MS ? slept : 0), monotonic, uptime: up };
  }

  /** Compares with the system's clock, and follows it where it can be right. */
  function look(): void {
    pass();
    const said = system.now();
    const step = said - at.now;
    const isBeingSet = () => at.uptime < SETTLING_MS || system.synchronised();
    const canBe =
      Math.abs(step) <= DAY_MS ||
      (doubt === 'clock_unset' && step > 0) ||
      (said >= Math.max(lastRun, EARLIEST_MS) - DAY_MS && isBeingSet());
    if (!canBe) {
      if (doubt !== 'clock_unset') begin('clock_jumped');
      return;
    }
    at = { ...at, now: said };
    if (doubt !== 'clock_ahead' || at.uptime - began > BELIEVED_MS) end();
  }

  function keep(): void {
    look();
    kept = at.monotonic;
    if (doubt === 'clock_ahead') return;
    try {
      writeFileSync(`${file}.new`, JSON.stringify({ last_run: new Date(at.now).toISOString() }));
      renameSync(`${file}.new`, file);
    } catch (error) {
      log('warn', 'the time of this run could not be kept', { error: (error as Error).message });
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
      const said = system.now();
      if (doubt === 'clock_unset' || doubt === 'clock_jumped') return Math.floor(expected);
      if (Math.abs(said - expected) < SECOND_MS) return said;
      look();
      return Math.floor(at.now);
    },
    get agesKnown() {
      return doubt === undefined;
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
