/** Random traces of a machine, made from a seed: values of the three signals that decide whether the machine runs. */
import type { SignalName } from '#contract/base/signals.ts';
import type { RunStretch } from '#contract/fleet/run-state.ts';
import {
  HOUR_S,
  isRunSignal,
  NO_CARRY,
  RunEvidence,
  type RunHour,
  runHour,
  runStretches,
} from '#domain/machine/run-states.ts';
import { randomOf } from './random-of.ts';

/** How many random traces a test computes: `npm run traces` computes 1,000, which take 20 s. */
export const TRACES = Number.parseInt(process.env.TEST_TRACES ?? '200', 10);

export interface TraceValue {
  readonly signal: SignalName;
  /** Microseconds since the start of the trace. */
  readonly t_us: number;
  readonly value: number;
}

type Phase = readonly (readonly [SignalName, low: number, high: number])[];

const PHASES: readonly Phase[] = [
  [
    ['engine.speed', 1_000, 2_000],
    ['engine.load', 30, 90],
    ['vehicle.speed', 0, 40],
  ],
  [['engine.speed', 1_000, 1_900]],
  [
    ['engine.speed', 650, 900],
    ['engine.load', 0, 20],
    ['vehicle.speed', 0, 0.9],
  ],
  [
    ['engine.speed', 0, 0],
    ['engine.load', 0, 80],
    ['vehicle.speed', 0, 0],
  ],
  [['vehicle.speed', 2, 40]],
  [['vehicle.speed', 0, 0]],
  [],
];

const WHOLE_PHASES = PHASES.filter(({ length }) => length === 3);

/**
 * Returns the values of a trace of `length_s` seconds in order of time. A phase of at most 5 s lies between phases of at least 13 s,
 * and a phase without one of the signals lasts at least 76 s. So no decision depends on whether values last a second longer than the hold
 * time of the live status, or than the 60 s for which a value of a signal counts.
 */
export function randomTrace(seed: number, length_s: number): TraceValue[] {
  const random = randomOf(seed);
  const found: TraceValue[] = [];
  let wasShort = true;
  for (let at = 0; at < length_s; ) {
    const choice = wasShort ? WHOLE_PHASES : PHASES;
    const phase = choice[Math.floor(random() * choice.length)] as Phase;
    const pick = random();
    const isShort: boolean = !wasShort && pick < 0.4 && phase.length === 3;
    const most = isShort ? 5 : pick < 0.8 ? 200 : 1_500;
    const length = Math.ceil(random() * most) + (isShort ? 0 : phase.length === 3 ? 12 : 75);
    wasShort = isShort;
    const per_s = random() < 0.7 ? 1 : 3;
    const until = Math.min(length_s, at + length);
    for (let second = at; second < until; second++)
      for (const [signal, low, high] of phase)
        for (let i = 0; i < per_s; i++) {
          const t_us = second * 1_000_000 + Math.floor(((i + random()) / per_s) * 1_000_000);
          found.push({ signal, t_us, value: low + random() * (high - low) });
        }
    at = until;
  }
  return found.sort((a, b) => a.t_us - b.t_us);
}

/** Returns the items in a random order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const found = [...items];
  for (let i = found.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [found[i], found[j]] = [found[j] as T, found[i] as T];
  }
  return found;
}

/**
 * Returns the run states of a trace by history. `start_s` is the start of the trace in seconds since 1970; the window is in seconds after
 * it. If a second has several samples of a signal, the first in the list counts.
 */
export function runsOfTrace(
  trace: readonly TraceValue[],
  start_s: number,
  from_s: number,
  to_s: number,
): readonly RunStretch[] {
  const evidence = new Map<number, RunEvidence>();
  for (const { signal, t_us, value } of trace) {
    if (!isRunSignal(signal)) continue;
    const second = start_s + Math.floor(t_us / 1_000_000);
    const hour = Math.floor(second / HOUR_S);
    const own = evidence.get(hour) ?? new RunEvidence();
    evidence.set(hour, own);
    own.add(signal, second % HOUR_S, value);
  }
  const first = Math.floor((start_s + from_s) / HOUR_S);
  const last = Math.floor((start_s + to_s) / HOUR_S);
  const none = new RunEvidence();
  const hours: RunHour[] = [];
  for (let hour = first; hour <= last; hour++) {
    const before = runHour((hour - 1) * HOUR_S, evidence.get(hour - 1) ?? none, NO_CARRY).end;
    hours.push(runHour(hour * HOUR_S, evidence.get(hour) ?? none, before));
  }
  return runStretches(hours, first * HOUR_S * 1_000, (start_s + from_s) * 1_000, (start_s + to_s) * 1_000);
}
