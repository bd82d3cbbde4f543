/**
 * Latest known values: per source the newest reading, and among the sources one that holds.
 *
 * Newest is by date. A reading without one is newer than what its source said before, and older than whatever dated reading of it
 * comes next: a buffer is sent in order. A meter's reading that cannot follow from the one before is held until the next one agrees.
 *
 * The holder is a function of the set of readings, not of their order of arrival: among sources heard within the stale window of
 * the newest observation, lowest rank, then address 0 for engine signals, then first observed, then by name.
 */
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import type { Evidence } from './evidence.ts';
import type { FactEvent, MeterSource } from './fact-events.ts';
import type { Facts, Reading, SignalState } from './facts.ts';
import { follows, type MeterLimit, meterLimit, stepOf } from './meter-limits.ts';

/** Sources kept per signal; at the bound the longest silent gives way, and one older than all is not taken in. */
export const MAX_SOURCES = 16;

/** What one sample did. */
export const OUTCOME = {
  /** Older than what the signal already has: no fact of the machine moved. */
  late: 0,
  /** Newer, but another source holds the signal. */
  kept: 1,
  /** The signal's value or its time moved. */
  moved: 2,
  /** A meter's reading that does not follow: it is not shown, and no part of history. */
  held: 3,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

const STALE_US = Object.fromEntries(
  SIGNAL_NAMES.map((name) => [name, Math.max(10 * signalRow(name).interval_s, 60) * 1_000_000]),
) as Record<SignalName, number>;

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

/** The control unit that a reading is of. */
export function unitOf({ unit, sa }: Reading): number {
  return unit ?? sa;
}

/** Index of a source, made if there is room or somebody longer silent; NONE when it is not taken in. */
function sourceAt(
  state: SignalState,
  device: string,
  bus: number,
  sa: number,
  unit: number,
  { pgn, spn, rank }: Evidence,
  observed_us: number,
): number {
  const { sources } = state;
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i] as Reading;
    if (source.spn === spn && unitOf(source) === unit && source.bus === bus && source.device === device) return i;
  }
  const fresh: Reading = {
    device,
    bus,
    sa,
    unit,
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

/** So often is a held reading of one source told. */
const TELL_US = 3_600_000_000;

/** Takes one reading of one source; what happens to a meter is reported in `origin.events`. */
export function applyReading(
  facts: Facts,
  origin: SampleOrigin,
  evidence: Evidence,
  raw: number | null,
  value: number,
  observed_us: number,
  dated: boolean,
  bus: number,
  sa: number,
  frame: number,
  unit: number,
): Outcome {
  const { signal, target } = evidence;
  let state = facts.signals[signal];
  if (state === undefined) {
    state = { holder: NONE, newest_us: NONE, sources: [] };
    facts.signals[signal] = state;
  }
  const { sources } = state;
  const before = state.holder === NONE ? undefined : (sources[state.holder] as Reading);
  const valueBefore = before?.value ?? 0;
  const observedBefore = before?.observed_us ?? NONE;
  const receivedBefore = before?.received_us ?? 0;

  const at = sourceAt(state, origin.device, bus, sa, unit, evidence, observed_us);
  if (at === NONE) return OUTCOME.late;
  const source = sources[at] as Reading;
  if (observed_us < source.since_us) source.since_us = observed_us;
  const last = source.observed_us;
  const forward = !dated || observed_us >= (source.dated_us ?? last);
  const limit = meterLimit(signal);
  let confirmed = false;
  let held = false;
  if (forward) {
    const t_us = dated ? observed_us : Math.max(observed_us, last);
    if (limit !== undefined) {
      const known = last === NONE ? before : source;
      if (known !== undefined && !isNext(limit, known, source, value, t_us, origin.received_us)) {
        confirmed = agrees(limit, source, value, t_us, origin.received_us);
        held = !confirmed;
      } else if (source.held?.told) tellHeld(origin.events, 'meter.rejected', signal, source, value);
      if (held) hold(origin, signal, source, source === before, value, t_us, raw, frame, (known as Reading).value);
      else if (source.held !== undefined) delete source.held;
    }
    if (!held) {
      source.observed_us = t_us;
      source.dated_us = dated ? t_us : (source.dated_us ?? last);
      source.received_us = origin.received_us;
      source.sa = sa;
      source.value = value;
      source.raw = raw;
      source.run_id = origin.run_id;
      if (target !== undefined) source.dbc = target.source;
      source.ref = origin.ref;
      source.frame = frame;
      if (t_us >= state.newest_us) state.newest_us = t_us;
      else if (t_us < last) state.newest_us = newestOf(sources);
    }
  }
  state.holder = chooseHolder(state, signal);
  const holder = sources[state.holder] as Reading;
  if (limit !== undefined && before !== undefined) {
    if (holder === before) {
      if (confirmed && holder === source) {
        tellReset(origin.events, signal, holder, valueBefore, value < valueBefore ? 'decreased' : 'jumped');
      }
    } else {
      const { value: now, observed_us: at_us, received_us } = holder;
      const step = stepOf(before.spn, holder.spn);
      if (!follows(limit, valueBefore, observedBefore, receivedBefore, now, at_us, received_us, step)) {
        tellReset(origin.events, signal, holder, valueBefore, 'source_changed');
      }
    }
  }
  if (held) return OUTCOME.held;
  if (holder === source && forward) return OUTCOME.moved;
  if (holder !== before) return OUTCOME.moved;
  return observed_us < observedBefore || !forward ? OUTCOME.late : OUTCOME.kept;
}

function newestOf(sources: readonly Reading[]): number {
  return sources.reduce((newest, { observed_us }) => Math.max(newest, observed_us), NONE);
}

/** True when the reading follows from what is known, of its own source or of another. */
function isNext(
  limit: MeterLimit,
  known: Reading,
  source: Reading,
  value: number,
  t_us: number,
  received_us: number,
): boolean {
  const { value: from, observed_us: from_us, received_us: came_us } = known;
  if (known === source) return follows(limit, from, from_us, came_us, value, t_us, received_us, 0);
  const step = stepOf(known.spn, source.spn);
  // Another source may tell of earlier.
  return t_us >= from_us
    ? follows(limit, from, from_us, came_us, value, t_us, received_us, step)
    : follows(limit, value, t_us, received_us, from, from_us, came_us, step);
}

/** True when the reading follows from the one that is held. */
function agrees(limit: MeterLimit, { held }: Reading, value: number, t_us: number, received_us: number): boolean {
  return (
    held !== undefined && follows(limit, held.value, held.observed_us, held.received_us, value, t_us, received_us, 0)
  );
}

/** Keeps a reading aside; one of the machine's own meter is told, once an hour at most. */
function hold(
  origin: SampleOrigin,
  signal: SignalName,
  source: Reading,
  holds: boolean,
  value: number,
  observed_us: number,
  raw: number | null,
  frame: number,
  known: number,
): void {
  const { received_us, run_id, ref } = origin;
  const told = holds && !(received_us - (source.told_us ?? Number.NEGATIVE_INFINITY) < TELL_US);
  source.held = { value, raw, observed_us, received_us, run_id, ref, frame, told };
  if (!told) return;
  source.told_us = received_us;
  tellHeld(origin.events, 'meter.held', signal, source, known);
}

function sourceOf(reading: Reading): MeterSource {
  const orNull = (number: number) => (number === NONE ? null : number);
  const { bus, sa, spn, device } = reading;
  return { bus: orNull(bus), source_address: orNull(sa), spn: orNull(spn), device_id: device };
}

function tellHeld(
  events: FactEvent[],
  type: 'meter.held' | 'meter.rejected',
  signal: SignalName,
  source: Reading,
  known: number,
): void {
  const { held } = source;
  if (held === undefined) return;
  const { value, observed_us, ref, frame } = held;
  const place = ref === null || frame === NONE ? ref : `${ref}#${frame}`;
  events.push({ type, occurred_us: observed_us, data: { signal, value, known, ref: place, ...sourceOf(source) } });
}

function tellReset(
  events: FactEvent[],
  signal: SignalName,
  now: Reading,
  from: number,
  reason: 'decreased' | 'jumped' | 'source_changed',
): void {
  const data = { signal, from, to: now.value, reason, ...sourceOf(now) };
  events.push({ type: 'meter.reset', occurred_us: now.observed_us, data });
}

/** The reading that stands for a signal. */
export function readingOf(facts: Facts, signal: SignalName): Reading | undefined {
  const state = facts.signals[signal];
  return state === undefined || state.holder === NONE ? undefined : state.sources[state.holder];
}
