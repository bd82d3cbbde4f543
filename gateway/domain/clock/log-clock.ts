/**
 * Chooses the trusted clock of a log. A log may contain the times of a GNSS receiver and of the control units of the machine. This class
 * compares these times with the clock of the logger and decides which of them corrects the times of the frames.
 *
 *   GNSS time of the logger    corrects a clock that is off by more than its uncertainty, and by 0.5 s or more
 *   Time/Date (PGN 65254)      only without GNSS time, and only if the control units agree, their time is possible, and the clock of the
 *                              logger is off by a minute or more
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import type { TrustedClock } from '#domain/base/sample-clock.ts';
import { AHEAD_US } from '#domain/base/times.ts';
import { GNSS, type GnssReader, type GnssSink } from '#domain/gnss/frames.ts';
import { sourceOf } from '#domain/j1939/identifier.ts';
import { ClockCorrector } from './clock-corrector.ts';
import { ClockEstimator, GNSS_RULES, J1939_RULES, JUMP_US, type Stretch } from './clock-estimator.ts';
import { isZoneOffset, readTimeDate, TIME_DATE_PGN } from './time-date.ts';

/** A trusted clock that shows an earlier time was never set, because no log for this gateway is that old. */
const EARLIEST_US = Date.UTC(2015, 0) * 1000;
const DAY_US = 86_400_000_000;
/** The gateway does not correct a smaller difference from GNSS time, in microseconds. */
const GNSS_LEAST_US = 500_000;
/** A smaller difference from the clock of a control unit, in microseconds, does not show which of the two clocks is wrong. */
const J1939_LEAST_US = 60_000_000;
/** The bits of a CAN identifier that contain the PGN, and their value in a Time/Date message, which is a broadcast. */
const PGN_BITS = 0x03ff_ff00;
const TIME_DATE_BITS = TIME_DATE_PGN << 8;
/** The largest number of control units whose clocks are compared. */
const MAX_UNITS = 16;

/** Why the gateway did not use the Time/Date messages of control units. */
export type ClockRefusal = 'unstable' | 'disagree' | 'local_time' | 'not_set';

/** The judgement about the clock of a log. */
export interface LogClockResult {
  /** The clock that the log was compared with; null if the log has no trusted clock. */
  readonly clock: TrustedClock | null;
  readonly readings: number;
  /** The control unit whose clock was used. */
  readonly unit: { readonly bus: number; readonly sa: number } | null;
  /** All stretches (ranges of frames) for which the difference between the two clocks is known. */
  readonly stretches: readonly Stretch[];
  /** The stretches whose times the gateway corrects. */
  readonly corrected: readonly Stretch[];
  /** Why the gateway did not use the clocks of the control units; null if it used one, or if it did not need one or found none. */
  readonly refusal: ClockRefusal | null;
}

interface Unit {
  readonly bus: number;
  readonly sa: number;
  readonly clock: ClockEstimator;
  isLocal: boolean;
}

/** Takes all frames of a log, and then judges its clock. */
export class LogClock {
  readonly #received_us: number;
  readonly #reader: GnssReader | undefined;
  readonly #gnss = new ClockEstimator(GNSS_RULES);
  readonly #units = new Map<number, Unit>();
  /** The number of frames so far, and the time of the last one. */
  #frames = 0;
  #before_us = Number.NaN;

  /** `reader` reads the GNSS frames of the log. `received_us` is when the gateway got the log. Later times cannot be right. */
  constructor(reader: GnssReader | undefined, received_us: number) {
    this.#reader = reader;
    this.#received_us = received_us;
  }

  /** Takes the next frames of the log. */
  take(batch: FrameBatch): void {
    const { flags, t, id } = batch;
    const reader = this.#reader;
    let before_us = this.#before_us;
    let frame = 0;
    let t_us = 0;
    const sink: GnssSink = (quantity, { value }) => {
      if (quantity === GNSS.time && this.#isPossible(value)) this.#gnss.read(frame, t_us, value);
    };
    for (let i = 0; i < batch.count; i++) {
      const kind = flags[i] as number;
      if ((kind & FRAME.noTime) !== 0) continue;
      frame = this.#frames + i;
      t_us = t[i] as number;
      const by_us = t_us - before_us;
      before_us = t_us;
      // Most frames end here, so the loop calls no function for them.
      if (by_us >= JUMP_US || by_us <= -JUMP_US) this.#jump(frame, by_us);
      if ((kind & FRAME.extended) === 0) reader?.read(batch, i, sink);
      else if (((id[i] as number) & PGN_BITS) === TIME_DATE_BITS) this.#takeTimeDate(batch, i, frame);
    }
    this.#before_us = before_us;
    this.#frames += batch.count;
  }

  /** Returns the judgement. */
  finish(): LogClockResult {
    const stretches = this.#gnss.finish();
    if (stretches.length > 0) {
      const corrected = stretches.filter((one) => isOff(one, GNSS_LEAST_US));
      return { clock: 'gnss', readings: this.#gnss.readings, unit: null, stretches, corrected, refusal: null };
    }
    return this.#judgeUnits();
  }

  #isPossible(trusted_us: number): boolean {
    return trusted_us >= EARLIEST_US && trusted_us <= this.#received_us + AHEAD_US;
  }

  #jump(frame: number, by_us: number): void {
    this.#gnss.jump(frame, by_us);
    for (const { clock } of this.#units.values()) clock.jump(frame, by_us);
  }

  /** Reads a Time/Date message. */
  #takeTimeDate(batch: FrameBatch, i: number, frame: number): void {
    if (batch.len[i] !== 8 || ((batch.flags[i] as number) & (FRAME.remote | FRAME.error)) !== 0) return;
    const time = readTimeDate(batch.data, i * 8);
    if (time === undefined || !this.#isPossible(time.t_us)) return;
    const [bus, sa] = [batch.bus[i] as number, sourceOf(batch.id[i] as number)];
    const key = bus * 256 + sa;
    const t_us = batch.t[i] as number;
    const known = this.#units.get(key);
    const unit = known ?? { bus, sa, clock: new ClockEstimator(J1939_RULES), isLocal: false };
    if (known === undefined) {
      if (this.#units.size >= MAX_UNITS) return;
      this.#units.set(key, unit);
    }
    if (!time.isUtc && isZoneOffset(t_us - time.t_us)) unit.isLocal = true;
    unit.clock.read(frame, t_us, time.t_us);
  }

  #judgeUnits(): LogClockResult {
    const none = { clock: null, readings: 0, unit: null, stretches: [], corrected: [], refusal: null } as const;
    if (this.#units.size === 0) return none;
    const set = [...this.#units.values()].filter(({ isLocal }) => !isLocal);
    if (set.length === 0) return { ...none, refusal: 'local_time' };
    const found = set
      .map(({ bus, sa, clock }) => ({ unit: { bus, sa }, readings: clock.readings, stretches: clock.finish() }))
      .filter(({ stretches }) => stretches.length > 0)
      .sort((a, b) => b.readings - a.readings);
    const [best] = found;
    if (best === undefined) return { ...none, refusal: 'unstable' };
    if (found.some(({ stretches }) => !agree(stretches, best.stretches))) return { ...none, refusal: 'disagree' };
    const corrected = best.stretches.filter((one) => isOff(one, J1939_LEAST_US));
    if (corrected.some((one) => this.#isUnset(one))) return { ...none, refusal: 'not_set' };
    return { clock: 'j1939', ...best, corrected, refusal: null };
  }

  /**
   * True if the logger shows a possible time and the control unit is more than a day behind it. A clock that nobody set, or whose battery
   * failed, is behind and never ahead. So the logger, which shows the later time, is right.
   */
  #isUnset({ knots }: Stretch): boolean {
    return knots.some(({ t_us, ahead_us }) => ahead_us > DAY_US && this.#isPossible(t_us));
  }
}

function isOff({ knots, uncertainty_us }: Stretch, least_us: number): boolean {
  const most = Math.max(...knots.map(({ ahead_us }) => Math.abs(ahead_us)));
  return most >= least_us && most > uncertainty_us;
}

/** True if the first known differences of two control units from the clock of the logger are less than a minute apart. */
function agree([one]: readonly Stretch[], [other]: readonly Stretch[]): boolean {
  const [a, b] = [one?.knots[0]?.ahead_us, other?.knots[0]?.ahead_us];
  return a === undefined || b === undefined || Math.abs(a - b) < J1939_LEAST_US;
}

/** Returns a corrector for the log; undefined if no time is corrected. */
export function correctorOf({ clock, corrected }: LogClockResult): ClockCorrector | undefined {
  return clock === null || corrected.length === 0 ? undefined : new ClockCorrector(clock, corrected);
}
