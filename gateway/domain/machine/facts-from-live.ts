/**
 * Makes the facts of a machine from its live document, for a box that has no state of the machine: head office gave the document to a box
 * that takes the place of another one. Values and trouble codes keep their times, so what is old is shown as old. The document does not have
 * the codes of DM2, nor the lamps of a control unit without an active code. If such a lamp was on, all codes and lamps of the machine stay
 * unknown until the next messages of its control units.
 */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import { DTC_LAMPS, type Dtc, type EquipmentLive, type LiveValue } from '#contract/fleet/equipment.ts';
import { NONE } from '#domain/base/none.ts';
import { EVIDENCE, GNSS_EVIDENCE, POINT_EVIDENCE } from './evidence.ts';
import { createFacts, type Facts, type FaultSource, type Reading } from './facts.ts';
import { codeKey, dtcCountsOf, MAX_CODES, MAX_FAULT_SOURCES, sameLamps } from './fault-table.ts';
import type { MeterPoint, MeterSegment, MeterState } from './meter-state.ts';

/** A source whose rank is not known. Each source that sends again is preferred to it. */
const LAST_RANK = 1_000;

const REASON =
  'From head office, after this box took the place of another one. What came before this reading is not known.';

const timeOf = (at: string): number => Date.parse(at) * 1_000;
const orNone = (number: number | null): number => number ?? NONE;

/** The source of a value: the rank and the number that the next value of the same source has, too. */
function originOf(signal: SignalName, { spn, dbc, gnss }: LiveValue): { readonly spn: number; readonly rank: number } {
  const all = gnss === true ? GNSS_EVIDENCE : spn === null ? POINT_EVIDENCE : EVIDENCE;
  const isOwn = (one: (typeof EVIDENCE)[number]) => one?.signal === signal && (spn === null || one.spn === spn);
  const found = dbc === undefined ? all.find(isOwn) : undefined;
  return { spn: found?.spn ?? spn ?? NONE, rank: found?.rank ?? LAST_RANK };
}

/** The message and the frame of a reference. */
function placeOf(ref: string | null): Pick<MeterPoint, 'ref' | 'frame'> {
  const [, message, frame] = /^(.*)#(\d+)$/.exec(ref ?? '') ?? [];
  return message === undefined ? { ref, frame: NONE } : { ref: message, frame: Number(frame) };
}

function readingOf(signal: SignalName, value: LiveValue, device: string): Reading {
  const { bus, source_address, pgn, dbc, raw, run_id, meter } = value;
  const observed_us = timeOf(value.observed_at);
  return {
    device,
    bus: orNone(bus),
    sa: orNone(source_address),
    unit: orNone(source_address),
    pgn: orNone(pgn),
    ...originOf(signal, value),
    ...(dbc !== undefined && { dbc }),
    since_us: observed_us,
    observed_us,
    received_us: timeOf(value.received_at),
    value: meter?.reading ?? value.value,
    raw,
    run_id,
    ...placeOf(value.ref),
  };
}

/** The meter with its current segment. The segment begins when it began at the other box, so the history before it keeps its totals. */
function meterOf(signal: SignalName, value: LiveValue, meter: NonNullable<LiveValue['meter']>): MeterState {
  const { basis, reading, offset, since, segment: id, opened_because: because, needs_review } = meter;
  const [observed_us, received_us] = [timeOf(value.observed_at), timeOf(value.received_at)];
  const last: MeterPoint = { value: reading, observed_us, received_us, ...placeOf(value.ref) };
  const { spn } = originOf(signal, value);
  const isDevice = basis === 'control_unit' || basis === 'feed';
  const sa = orNone(value.source_address);
  const origin = { device: value.device_id, bus: orNone(value.bus), unit: sa, spn: isDevice ? spn : NONE };
  const review = needs_review !== null;
  const segment: MeterSegment = {
    ...{ id, basis, ...origin, sa, last, offset, because, reason: REASON },
    ...(value.dbc !== undefined && { dbc: value.dbc }),
    first: { ...last, observed_us: Math.min(timeOf(since), observed_us) },
    opened_total: value.value,
    ...(review && { review }),
  };
  return {
    next: id + 1,
    total: value.value,
    observed_us,
    received_us,
    segments: [segment],
    known: [{ ...origin, offset, review }],
  };
}

/** A lamp of a control unit is only known to be on. */
const lampsOf = ({ lamps = [] }: Dtc): FaultSource['lamps'] => {
  const entries = DTC_LAMPS.map((name) => [
    name,
    { state: lamps.includes(name) ? 'on' : 'unavailable', flash: 'steady' },
  ]);
  return Object.fromEntries(entries) as FaultSource['lamps'];
};

const keyOf = ({ spn, fmi, raw }: Pick<Dtc, 'spn' | 'fmi' | 'raw'>): string => codeKey(NONE, { spn, fmi, raw });

/**
 * The active codes of each control unit. Each bus gets a clock that begins at 0, so a unit that sends nothing while its bus is heard loses its
 * codes as always. Returns undefined if these codes would say less than the document does: then nothing is known until the next messages.
 */
function faultsOf({ dtcs, dtc_counts }: Partial<EquipmentLive>): Facts['faults'] | undefined {
  const observed_us = timeOf(dtc_counts?.observed_at ?? '');
  if (!dtcs || !dtc_counts || !Number.isFinite(observed_us)) return undefined;
  const sources = new Map<string, FaultSource>();
  const buses = new Map<string, Facts['faults']['buses'][number]>();
  for (const code of dtcs) {
    const { device_id: device, bus, source_address: sa, spn, fmi, occurrence_count, raw, since, observed_at } = code;
    const seen_us = observed_at === undefined ? observed_us : timeOf(observed_at);
    const since_us = timeOf(since);
    if (!Number.isFinite(seen_us) || !Number.isFinite(since_us)) continue;
    const name = `${device} ${bus} ${sa}`;
    const lamps = lampsOf(code);
    const source = sources.get(name) ?? {
      ...{ device, bus, sa, unit: sa, observed_us: seen_us, heard_us: 0, lamps, codes: [] },
    };
    // Two units whose last messages had one address. The document does not say which of them has which code.
    if (source.observed_us !== seen_us || !sameLamps(source.lamps, lamps)) return undefined;
    if (source.codes.some((other) => keyOf(other) === keyOf(code))) return undefined;
    if (source.codes.length >= MAX_CODES || (!sources.has(name) && sources.size >= MAX_FAULT_SOURCES)) continue;
    sources.set(name, source);
    source.codes.push({ spn, fmi, occurrence_count, raw, since_us });
    buses.set(`${device} ${bus}`, { device, bus, t_us: seen_us, heard_us: 0 });
  }
  const faults = { observed_us, sources: [...sources.values()], buses: [...buses.values()] };
  // A unit without an active code may have a lamp on. Without its source the lamp would count as off.
  const counts = dtcCountsOf({ faults });
  const isLess = [...DTC_LAMPS, 'active' as const].some((name) => dtc_counts[name] > (counts?.[name] ?? 0));
  return isLess ? undefined : faults;
}

export function factsFromLive(document: EquipmentLive): Facts {
  const facts = createFacts();
  for (const [signal, value] of Object.entries(document.values)) {
    // A newer version may know more signals.
    if (!isSignal(signal)) continue;
    const observed_us = timeOf(value.observed_at);
    if (!Number.isFinite(observed_us) || !Number.isFinite(timeOf(value.received_at))) continue;
    facts.newest_us = Math.max(facts.newest_us, observed_us);
    const { device_id, meter } = value;
    const isCounted = meter?.basis === 'counted' || meter?.basis === 'manual';
    if (device_id !== null && !isCounted)
      facts.signals[signal] = { holder: 0, newest_us: observed_us, sources: [readingOf(signal, value, device_id)] };
    if (meter === undefined) continue;
    facts.meters ??= {};
    facts.meters[signal] = meterOf(signal, value, meter);
  }
  const faults = faultsOf(document);
  if (faults !== undefined) {
    Object.assign(facts.faults, faults);
    facts.newest_us = Math.max(facts.newest_us, faults.observed_us ?? 0);
  }
  const { live_status, live_status_since, last_live_data_at } = document;
  const last_us = last_live_data_at === null ? 0 : timeOf(last_live_data_at);
  Object.assign(facts.live, {
    status: live_status,
    since_us: live_status_since === null ? null : timeOf(live_status_since),
    last_us,
    evidence_us: last_us,
  });
  return facts;
}
