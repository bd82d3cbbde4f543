/**
 * Latest known values of a machine: the newest reading of each source, and for each signal the source that provides its value.
 *
 * Readings are ordered by their timestamps. A device sends its buffered readings in the order of their measurement. So a reading without a
 * timestamp counts as newer than the earlier readings of its source, and as older than the next reading with a timestamp. An implausible
 * meter reading is held (not shown) until the next reading confirms it.
 *
 * The choice of the source depends on the set of readings and not on the order in which they arrive. A source can be chosen only if its
 * newest reading is recent: at most `staleAfterUs` older than the newest reading of all sources of the signal. Among these sources, the
 * source with the lowest rank is chosen. If ranks are equal, it is the source that sent first; for engine signals, a source with address 0
 * (the engine) comes before all others. If several sources also began at the same time, the source that comes first in the order of device,
 * bus and address is chosen.
 */
import { staleAfterS } from '#contract/base/freshness.ts';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import type { FactEvent, MeterSource } from './fact-events.ts';
import type { Facts, Reading, SignalState } from './facts.ts';
import { follows, type MeterLimit, type MeterReading, meterLimit, stepOf } from './meter-limits.ts';
import type { MeterSegment } from './meter-state.ts';
import { applyMeter, meterOf } from './meters.ts';
import { learnPace, mayTeach } from './pace.ts';
import type { SourceValue } from './source-value.ts';

/**
 * Largest number of sources of one signal. If there are more, the source that has been silent longest is removed. A new source with a
 * reading older than all others is ignored.
 */
export const MAX_SOURCES = 16;

/** The effect of one reading on the value of its signal. */
export const OUTCOME = {
  /** The reading is older than the current reading of its source, so nothing changed. */
  late: 0,
  /** The reading is newer than the current reading of its source and replaces it, but another source provides the value of the signal. */
  kept: 1,
  /** The value of the signal or its time changed. */
  moved: 2,
  /** The reading is an implausible meter reading. The gateway neither shows it nor adds it to history. */
  held: 3,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

const STALE_US = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, staleAfterS(name) * 1_000_000])) as Record<
  SignalName,
  number
>;

/**
 * Returns a time in microseconds: a source is stale if another source has a reading that is newer than the newest reading of this source by
 * more than this time. The time is ten times the usual interval of the signal, and at least 60 s.
 */
export function staleAfterUs(signal: SignalName): number {
  return STALE_US[signal];
}

/** Returns true if source `a` is preferred to source `b`, when neither is stale. */
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

/** Returns the control unit that sent a reading. */
export function unitOf({ unit, sa }: Reading): number {
  return unit ?? sa;
}

/**
 * Returns the index of a source in `state.sources`. If the source is new, the function adds it; if the list is full, the new source
 * replaces an older one. Returns NONE if no source is older.
 */
function sourceAt(state: SignalState, device: string, { evidence, bus, sa, unit, observed_us }: SourceValue): number {
  const { pgn, spn, rank } = evidence;
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

/** The origin of a sample: its device, message and times. */
export interface SampleOrigin {
  readonly device: string;
  readonly run_id: string | null;
  readonly ref: string | null;
  readonly received_us: number;
  readonly events: FactEvent[];
}

/** Shortest time between two `meter.held` events of one source, in microseconds. */
const HELD_EVENT_US = 3_600_000_000;

/**
 * Applies one reading of one source, with its time `sent.observed_us`. Pushes an event to `origin.events` when a meter reading is held or
 * rejected, or a meter is reset.
 */
export function applyReading(facts: Facts, origin: SampleOrigin, sent: SourceValue, dated: boolean): Outcome {
  const { evidence, raw, value, observed_us } = sent;
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

  const at = sourceAt(state, origin.device, sent);
  if (at === NONE) return OUTCOME.late;
  const source = sources[at] as Reading;
  if (observed_us < source.since_us) source.since_us = observed_us;
  const last = source.observed_us;
  const forward = !dated || observed_us >= (source.dated_us ?? last);
  const limit = meterLimit(signal);
  const heldBefore = source.held;
  let confirmed = false;
  let held = false;
  if (forward) {
    const t_us = dated ? observed_us : Math.max(observed_us, last);
    if (limit !== undefined) {
      const known = last === NONE ? before : source;
      const next = { value, observed_us: t_us, received_us: origin.received_us };
      if (known !== undefined && !isNext(limit, known, source, next)) {
        confirmed = source.held !== undefined && follows(limit, source.held, next, 0);
        held = !confirmed;
      } else if (source.held?.told) reportHeld(origin.events, 'meter.rejected', signal, source, value);
      if (held) hold(origin, sent, source, t_us, source === before ? (known as Reading).value : undefined);
      else if (source.held !== undefined) delete source.held;
    }
    if (!held) {
      if (dated && mayTeach(source.pace, origin.received_us))
        source.pace = learnPace(source.pace, signal, source, { observed_us: t_us, received_us: origin.received_us });
      source.observed_us = t_us;
      source.dated_us = dated ? t_us : (source.dated_us ?? last);
      source.received_us = origin.received_us;
      source.sa = sent.sa;
      source.value = value;
      source.raw = raw;
      source.run_id = origin.run_id;
      if (target !== undefined) source.dbc = target.source;
      source.ref = origin.ref;
      source.frame = sent.frame;
      if (t_us >= state.newest_us) state.newest_us = t_us;
      else if (t_us < last) state.newest_us = newestOf(sources);
    }
  }
  state.holder = chooseHolder(state, signal);
  const holder = sources[state.holder] as Reading;
  if (limit !== undefined) {
    const opened = applyMeter(facts, signal, limit, holder, confirmed && holder === source ? heldBefore : undefined);
    if (opened !== undefined && before !== undefined) {
      const from = { value: valueBefore, observed_us: observedBefore, received_us: receivedBefore };
      // A snapshot of an earlier build has readings but no segments. Its first segment then begins without a step.
      const stepped =
        holder === before ? opened.because !== 'first' : !follows(limit, from, holder, stepOf(before.spn, holder.spn));
      if (stepped) reportReset(origin.events, signal, holder, valueBefore, opened, meterOf(facts, signal).total);
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

/**
 * Returns true if the reading `next` of `source` is plausible compared with the reading `known`, which is of the same or of another source.
 */
function isNext(limit: MeterLimit, known: Reading, source: Reading, next: MeterReading): boolean {
  if (known === source) return follows(limit, known, next, 0);
  const step = stepOf(known.spn, source.spn);
  // The reading `known` of another source may be newer than `next`. In this case check whether the meter can have risen from `next` to
  // `known`.
  return next.observed_us >= known.observed_us ? follows(limit, known, next, step) : follows(limit, next, known, step);
}

/**
 * Holds an implausible meter reading. If this source provides the meter that the machine shows (`shown`), the function also logs an event,
 * at most one an hour.
 */
function hold(
  origin: SampleOrigin,
  { evidence: { signal }, raw, value, frame }: SourceValue,
  source: Reading,
  observed_us: number,
  shown: number | undefined,
): void {
  const { received_us, run_id, ref } = origin;
  const told = shown !== undefined && !(received_us - (source.told_us ?? Number.NEGATIVE_INFINITY) < HELD_EVENT_US);
  source.held = { value, raw, observed_us, received_us, run_id, ref, frame, told };
  if (!told) return;
  source.told_us = received_us;
  reportHeld(origin.events, 'meter.held', signal, source, shown);
}

function sourceOf(reading: Reading): MeterSource {
  const orNull = (number: number) => (number === NONE ? null : number);
  const { bus, sa, spn, device } = reading;
  return { bus: orNull(bus), source_address: orNull(sa), spn: orNull(spn), device_id: device };
}

function reportHeld(
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

/** The reason of a `meter.reset` event, by the cause of the segment. */
const RESET_REASON = {
  first: 'source_changed',
  rolled_back: 'decreased',
  rolled_over: 'rolled_over',
  jumped: 'jumped',
  source_changed: 'source_changed',
  swapped: 'swapped',
  reconciled: 'source_changed',
} as const;

function reportReset(
  events: FactEvent[],
  signal: SignalName,
  now: Reading,
  from: number,
  { id, because, offset }: MeterSegment,
  total: number,
): void {
  const reason = RESET_REASON[because];
  const data = { signal, from, to: now.value, reason, total, offset, segment: id, ...sourceOf(now) };
  events.push({ type: 'meter.reset', occurred_us: now.observed_us, data });
}

/** Returns the reading that provides the value of the signal; undefined if the signal has no reading. */
export function readingOf(facts: Facts, signal: SignalName): Reading | undefined {
  const state = facts.signals[signal];
  return state === undefined || state.holder === NONE ? undefined : state.sources[state.holder];
}
