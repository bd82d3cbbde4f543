/** One life of the gateway's process: its timers, and its calls to disk and store, which all end with it. */
import type { Cancel, Timers } from '#ingest/journal/timers.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export type Crash = 'kill' | 'power';

/** What is wrong at the moment; changed while the world runs. */
export interface Weather {
  /** How probable it is that a call to disk or store is the last thing the process does. */
  fatal: number;
  slow: boolean;
  full: boolean;
  /** How probable it is that a sync fails. */
  syncError: number;
  /** The store refuses commits. */
  storeError: boolean;
}

/** Nothing is wrong. */
export function fairWeather(): Weather {
  return { fatal: 0, slow: false, full: false, syncError: 0, storeError: false };
}

interface Call {
  /** Calls of a lane take effect in order. */
  readonly lane: string;
  readonly effect: () => unknown;
}

export class Process {
  alive = true;
  readonly born: number;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly weather: Weather;
  slow = false;
  private seen = 0;
  private readonly calls = new Set<Call>();
  private readonly onCrash: (crash: Crash) => void;

  constructor(scheduler: Scheduler, random: Random, weather: Weather, onCrash: (crash: Crash) => void) {
    this.scheduler = scheduler;
    this.random = random;
    this.weather = weather;
    this.onCrash = onCrash;
    this.born = scheduler.now;
  }

  /** Milliseconds since this process began. */
  uptime(): number {
    return this.scheduler.now - this.born;
  }

  /** Its clock that never goes back; on a slow processor time passes between two looks at it. */
  monotonic(): number {
    this.seen = Math.max(this.seen, this.uptime()) + (this.slow ? this.random.between(0, 8) : 0);
    return this.seen;
  }

  timers(): Timers {
    const after = (ms: number, label: string, call: () => void): Cancel => {
      return this.scheduler.after(ms, label, () => {
        if (this.alive) call();
      });
    };
    return {
      after: (ms, call) => after(ms, 'timer', call),
      soon: (call) => after(0, 'soon', call),
      every: (ms, call) => {
        let cancel = after(ms, 'tick', again);
        function again(): void {
          cancel = after(ms, 'tick', again);
          call();
        }
        return () => cancel();
      },
    };
  }

  /** A call to the outside: its effect comes after so many milliseconds, and the answer with it, unless the process is dead by then. */
  call<T>(label: string, ms: number, lane: string, effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.alive) return;
      const call: Call = { lane, effect };
      this.calls.add(call);
      this.scheduler.after(ms, label, () => {
        if (!this.alive) return;
        if (this.dies()) return;
        this.calls.delete(call);
        let result: T;
        try {
          result = effect();
        } catch (error) {
          reject(error);
          return;
        }
        if (!this.dies()) resolve(result);
      });
    });
  }

  private dies(): boolean {
    if (this.weather.fatal === 0 || !this.random.chance(this.weather.fatal)) return false;
    this.onCrash(this.random.chance(0.5) ? 'kill' : 'power');
    return true;
  }

  /** Ends it: of what was on its way, some takes effect, and nobody hears. */
  end(): void {
    this.alive = false;
    const stopped = new Set<string>();
    for (const { lane, effect } of this.calls) {
      if (stopped.has(lane) || !this.random.chance(0.4)) {
        stopped.add(lane);
        continue;
      }
      try {
        effect();
      } catch {
        // Nobody is there to hear of it.
      }
    }
    this.calls.clear();
  }
}
