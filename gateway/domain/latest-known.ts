/**
 * Latest known values: per source the newest reading in observed time, and among the sources one that holds.
 *
 * The holder is a function of the set of readings, not of their order of arrival: among sources heard within the stale window of
 * the newest observation, lowest rank, then address 0 for engine signals, then first observed, then by name.
 */
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/signals.ts';
import type { FactEvent } from './fact-events.ts';
import { type Facts, NONE, type Reading, type SignalState } from './facts.ts';
import { PARAMETERS } from './j1939-parameters.ts';

/** Sources kept per signal; at the bound the longest silent gives way, and one older than all is not taken in. */
export const MAX_SOURCES = 16;

/** Rank of telemetry points: after every decoded parameter. */
export const POINT_RANK = 100;

/** What one sample did. */
export const OUTCOME = {
  /** Older than what the signal already has: no fact of the machine moved. */
  late: 0,
  /** Newer, but another source holds the signal. */
  kept: 1,
  /** The signal's value or its time moved. */
  moved: 2,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

const STALE_US = Object.fromEntries(
  SIGNAL_NAMES.map((name) => [name, Math.max(10 * signalRow(name).interval_s, 60) * 1_000_000]),
) as Record<SignalName, number>;

const METERS = new Set<SignalName>(SIGNAL_NAMES.filter((name) => signalRow(name).kind === 'meter'));

/** The finest step of a decoded meter by SPN, in the signal's unit. */
const RESOLUTION = new Map(PARAMETERS.map((row) => [row.spn, row.scale * row.factor]));

/** Microseconds after which a source of the signal counts as stale beside a newer one: max(10 intervals, 60 s). */
export function staleAfterUs(signal: SignalName): number {
  return STALE_US[signal];
}

/** True when `a` is preferred over `b`, both being heard. */
function preferred(a: Reading, b: Reading, engine: boolean): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  if (engine && (a.sa === 0) !== (b.sa === 0)) return a.sa === 0;
  if (a.since_us !== b.since_us) return a.since_us < b.since_us;
  if (a.device !== b.device) return a.device < b.device;
  if (a.bus !== b.bus) return a.bus < b.bus;
  return a.sa < b.sa;
}

function chooseHolder(state: SignalState, signal: SignalName): number {
  const { sources } = state;
  if (sources.length === 1) return 0;
  const floor = state.newest_us - STALE_US[signal];
  const engine = signal.startsWith('engine.');
  let best = NONE;
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i] as Reading;
    if (source.observed_us < floor) continue;
    if (best === NONE || preferred(source, sources[best] as Reading, engine)) best = i;
  }
  return best;
}

/** Index of a source, made if there is room or somebody longer silent; NONE when it is not taken in. */
function sourceAt(
  state: SignalState,
  device: string,
  bus: number,
  sa: number,
  pgn: number,
  spn: number,
  rank: number,
  observed_us: number,
): number {
  const { sources } = state;
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i] as Reading;
    if (source.spn === spn && source.sa === sa && source.bus === bus && source.device === device) return i;
  }
  const fresh: Reading = {
    device,
    bus,
    sa,
    pgn,
    spn,
    rank,
    since_us: observed_us,
    observed_us: NONE,
    received_us: 0,
    value: 0,
    raw: null,
    run_id: null,
    ref: null,
    frame: NONE,
  };
  if (sources.length < MAX_SOURCES) return sources.push(fresh) - 1;
  let oldest = 0;
  for (let i = 1; i < sources.length; i++) {
    if ((sources[i] as Reading).observed_us < (sources[oldest] as Reading).observed_us) oldest = i;
  }
  if ((sources[oldest] as Reading).observed_us >= observed_us) return NONE;
  sources[oldest] = fresh;
  return oldest;
}

/** What a sample carries besides its value. */
export interface SampleOrigin {
  readonly device: string;
  readonly run_id: string | null;
  readonly ref: string | null;
  readonly received_us: number;
  readonly events: FactEvent[];
}

/** Takes one reading of one source; falls of a meter are reported in `origin.events`. */
export function applyReading(
  facts: Facts,
  origin: SampleOrigin,
  signal: SignalName,
  value: number,
  observed_us: number,
  raw: number | null,
  bus: number,
  sa: number,
  pgn: number,
  spn: number,
  rank: number,
  frame: number,
): Outcome {
  let state = facts.signals[signal];
  if (state === undefined) {
    state = { holder: NONE, newest_us: NONE, sources: [] };
    facts.signals[signal] = state;
  }
  const { sources } = state;
  const before = state.holder === NONE ? undefined : (sources[state.holder] as Reading);
  const valueBefore = before?.value;
  const observedBefore = before?.observed_us ?? NONE;

  const at = sourceAt(state, origin.device, bus, sa, pgn, spn, rank, observed_us);
  if (at === NONE) return OUTCOME.late;
  const source = sources[at] as Reading;
  if (observed_us < source.since_us) source.since_us = observed_us;
  const forward = observed_us >= source.observed_us;
  if (forward) {
    source.observed_us = observed_us;
    source.received_us = origin.received_us;
    source.value = value;
    source.raw = raw;
    source.run_id = origin.run_id;
    source.ref = origin.ref;
    source.frame = frame;
    if (observed_us > state.newest_us) state.newest_us = observed_us;
  }
  state.holder = chooseHolder(state, signal);
  const holder = sources[state.holder] as Reading;
  if (valueBefore !== undefined && METERS.has(signal) && holder.value < valueBefore) {
    reportFall(origin.events, signal, before as Reading, valueBefore, holder);
  }
  if (holder === source && forward) return OUTCOME.moved;
  if (holder !== before) return OUTCOME.moved;
  return observed_us < observedBefore || !forward ? OUTCOME.late : OUTCOME.kept;
}

function reportFall(events: FactEvent[], signal: SignalName, before: Reading, from: number, now: Reading): void {
  const same = before === now;
  if (!same && from - now.value <= Math.max(RESOLUTION.get(before.spn) ?? 0, RESOLUTION.get(now.spn) ?? 0)) return;
  events.push({
    type: 'meter.reset',
    occurred_us: now.observed_us,
    data: {
      signal,
      from,
      to: now.value,
      reason: same ? 'decreased' : 'source_changed',
      bus: now.bus === NONE ? null : now.bus,
      source_address: now.sa === NONE ? null : now.sa,
      spn: now.spn === NONE ? null : now.spn,
      device_id: now.device,
    },
  });
}

/** The reading that stands for a signal. */
export function readingOf(facts: Facts, signal: SignalName): Reading | undefined {
  const state = facts.signals[signal];
  return state === undefined || state.holder === NONE ? undefined : state.sources[state.holder];
}
