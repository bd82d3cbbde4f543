/**
 * Active trouble codes of a machine: the last DM1 message of each control unit, by device, bus and source address.
 *
 * A control unit is removed if it sends nothing for 5 s while other frames arrive from its bus. If the bus itself sends nothing for some
 * time, this time counts as at most 1 s of the 5 s. Otherwise a lost batch of frames would look like a silent control unit.
 */
import { DTC_LAMPS, type Dtc, type DtcCounts } from '#contract/fleet/equipment.ts';
import { NONE } from '#domain/base/none.ts';
import { isoTime, notBeyond } from '#domain/base/times.ts';
import type { FaultMessage, Lamps } from '#domain/j1939/faults.ts';
import type { FactEvent, FaultEventData } from './fact-events.ts';
import type { ActiveCode, Facts, FaultSource } from './facts.ts';

/**
 * The gateway keeps the trouble codes of at most this many control units of a machine. If there are more, it removes the unit that has been
 * silent longest.
 */
export const MAX_FAULT_SOURCES = 32;

/** Largest number of trouble codes of one control unit. Further codes of a message are ignored. */
export const MAX_CODES = 64;

const SILENT_US = 5_000_000;
const LONGEST_GAP_US = 1_000_000;
const DAY_US = 86_400_000_000;
/** A machine that sends DM1 for so long has worked, and each of its control units has had time to send. */
const WORK_US = 60_000_000;

/** Returns the number of the control unit. */
export const unitOf = ({ unit, sa }: FaultSource): number => unit ?? sa;

/** Key of a trouble code on a machine. The key does not contain the bus, so a code that is received on two buses has one key. */
export const codeKey = (unit: number, code: { spn: number | null; fmi: number; raw: string }): string =>
  `${unit}:${code.spn ?? code.raw.slice(0, 6)}:${code.fmi}`;

interface Active {
  readonly source: FaultSource;
  readonly code: ActiveCode;
}

function activeCodes(facts: Pick<Facts, 'faults'>): Map<string, Active> {
  const active = new Map<string, Active>();
  for (const source of facts.faults.sources) {
    for (const code of source.codes) {
      const key = codeKey(unitOf(source), code);
      if (!active.has(key)) active.set(key, { source, code });
    }
  }
  return active;
}

function eventData({ source, code }: Active): FaultEventData {
  return {
    spn: code.spn,
    fmi: code.fmi,
    occurrence_count: code.occurrence_count,
    raw: code.raw,
    bus: source.bus,
    source_address: source.sa,
    device_id: source.device,
  };
}

function report(
  facts: Facts,
  before: ReadonlyMap<string, Active>,
  occurred_us: number,
  reason: 'reported' | 'silent',
  events: FactEvent[],
): void {
  const after = activeCodes(facts);
  for (const [key, active] of after) {
    if (!before.has(key)) events.push({ type: 'dtc.activated', occurred_us, data: eventData(active) });
  }
  for (const [key, active] of before) {
    if (!after.has(key)) events.push({ type: 'dtc.cleared', occurred_us, data: { ...eventData(active), reason } });
  }
}

/** Removes the control units for which the filter returns true, and their trouble codes. */
function leave(
  facts: Facts,
  gone: (source: FaultSource) => boolean,
  occurred_us: number,
  events: FactEvent[],
): boolean {
  const { faults } = facts;
  if (!faults.sources.some(gone)) return false;
  const before = activeCodes(facts);
  faults.sources = faults.sources.filter((source) => !gone(source));
  faults.buses = faults.buses.filter((clock) =>
    faults.sources.some((source) => source.device === clock.device && source.bus === clock.bus),
  );
  report(facts, before, occurred_us, 'silent', events);
  return true;
}

/** Advances the listening time of a bus after a frame on the bus. Returns true if a control unit was removed because it is silent. */
export function hearBus(facts: Facts, device: string, bus: number, t_us: number, events: FactEvent[]): boolean {
  for (const clock of facts.faults.buses) {
    if (clock.bus !== bus || clock.device !== device) continue;
    if (t_us <= clock.t_us) return false;
    clock.heard_us += Math.min(t_us - clock.t_us, LONGEST_GAP_US);
    clock.t_us = t_us;
    const floor = clock.heard_us - SILENT_US;
    for (const source of facts.faults.sources) {
      if (source.heard_us >= floor || source.bus !== bus || source.device !== device) continue;
      const gone = (other: FaultSource) => other.bus === bus && other.device === device && other.heard_us < floor;
      return leave(facts, gone, t_us, events);
    }
    return false;
  }
  return false;
}

function clockOf(facts: Facts, device: string, bus: number, t_us: number): number {
  const { buses } = facts.faults;
  const known = buses.find((clock) => clock.bus === bus && clock.device === device);
  if (known) return known.heard_us;
  buses.push({ device, bus, t_us, heard_us: 0 });
  return 0;
}

/** True if the same lamps are on. */
export const sameLamps = (a: Lamps, b: Lamps) =>
  a.mil.state === b.mil.state &&
  a.red_stop.state === b.red_stop.state &&
  a.amber.state === b.amber.state &&
  a.protect.state === b.protect.state;

/** Applies the DM1 of one control unit. Returns false if a newer DM1 of this unit was applied before. */
export function applyFaultMessage(
  facts: Facts,
  device: string,
  message: FaultMessage,
  observed_us: number,
  dated: boolean,
  events: FactEvent[],
  unit = message.sa,
): boolean {
  const { faults } = facts;
  const { bus, sa } = message;
  let source = faults.sources.find((one) => unitOf(one) === unit && one.bus === bus && one.device === device);
  if (source === undefined && faults.observed_us !== null && observed_us < faults.observed_us - DAY_US) return false;
  hearBus(facts, device, bus, observed_us, events);
  // The call of `hearBus` may just have removed this unit, because the unit was silent.
  if (source !== undefined && !faults.sources.includes(source)) source = undefined;
  if (source !== undefined && dated && observed_us < (source.dated_us ?? source.observed_us)) return false;
  const before = activeCodes(facts);
  if (source === undefined) {
    if (faults.sources.length >= MAX_FAULT_SOURCES) {
      const oldest = faults.sources.reduce((a, b) => (b.observed_us < a.observed_us ? b : a));
      if (oldest.observed_us >= observed_us) return false;
      leave(facts, (one) => one === oldest, observed_us, events);
      before.clear();
      for (const [key, active] of activeCodes(facts)) before.set(key, active);
    }
    source = { device, bus, sa, unit, observed_us: NONE, heard_us: 0, lamps: message.lamps, codes: [] };
    faults.sources.push(source);
  }
  source.sa = sa;
  source.heard_us = clockOf(facts, device, bus, observed_us);
  const last_us = source.observed_us;
  source.dated_us = dated ? observed_us : (source.dated_us ?? source.observed_us);
  source.observed_us = dated ? observed_us : Math.max(observed_us, source.observed_us);
  if (!sameLamps(source.lamps, message.lamps)) source.lamps = message.lamps;
  source.codes = message.dtcs.slice(0, MAX_CODES).map((code) => ({
    ...code,
    since_us: before.get(codeKey(unit, code))?.code.since_us ?? observed_us,
  }));
  report(facts, before, observed_us, 'reported', events);

  let newest = Math.max(faults.observed_us ?? 0, source.observed_us);
  if (source.observed_us < last_us) {
    // A DM1 without a timestamp gets its receive time. A later DM1 with a timestamp may therefore have an earlier time than the DM1 that it
    // replaces. In this case the time of the table (`faults.observed_us`) becomes earlier.
    if (faults.observed_us === last_us) newest = Math.max(...faults.sources.map((one) => one.observed_us));
    if (faults.resumed_us !== undefined) faults.resumed_us = Math.min(faults.resumed_us, newest);
    for (const clock of faults.buses) if (clock.bus === bus && clock.device === device) clock.t_us = source.observed_us;
  }
  // Nobody sent anything for so long. The other units may still have their codes, so they get a day to send again. A unit that did not send
  // in the whole time before, although others did, leaves now: a machine that works each second day would keep its codes for ever.
  if (faults.observed_us !== null && newest > faults.observed_us + DAY_US) {
    const { resumed_us = NONE, observed_us: ended_us } = faults;
    if (ended_us > resumed_us + WORK_US) leave(facts, (one) => one.observed_us < resumed_us, observed_us, events);
    faults.resumed_us = newest;
  }
  faults.observed_us = newest;
  if (newest >= (faults.resumed_us ?? 0) + DAY_US)
    leave(facts, (one) => one.observed_us < newest - DAY_US, observed_us, events);
  return true;
}

/** Applies the DM2 of one control unit. Its codes stay until the next DM2 of the unit, because units send DM2 only on request. */
export function applyPreviousMessage(
  facts: Facts,
  device: string,
  message: FaultMessage,
  unit: number,
  observed_us: number,
): void {
  const { faults } = facts;
  const codes = message.dtcs.slice(0, MAX_CODES).map(({ spn, fmi, raw }) => `${spn ?? raw.slice(0, 6)}:${fmi}`);
  faults.previous ??= [];
  const known = faults.previous.find((one) => one.unit === unit && one.bus === message.bus && one.device === device);
  if (known !== undefined) {
    if (observed_us < known.observed_us) return;
    known.observed_us = observed_us;
    known.codes = codes;
    return;
  }
  if (faults.previous.length >= MAX_FAULT_SOURCES) {
    const oldest = faults.previous.reduce((a, b) => (b.observed_us < a.observed_us ? b : a));
    if (oldest.observed_us >= observed_us) return;
    faults.previous.splice(faults.previous.indexOf(oldest), 1);
  }
  faults.previous.push({ device, bus: message.bus, unit, observed_us, codes });
}

/** Replaces every time of the table that is later than `now_us` by `now_us`. Call it after somebody set the clock of the gateway back. */
export function setFaultsBack({ faults }: Facts, now_us: number): void {
  if (faults.observed_us !== null) faults.observed_us = notBeyond(faults.observed_us, now_us);
  if (faults.resumed_us !== undefined) faults.resumed_us = notBeyond(faults.resumed_us, now_us);
  for (const source of faults.sources) {
    source.observed_us = notBeyond(source.observed_us, now_us);
    if (source.dated_us !== undefined) source.dated_us = notBeyond(source.dated_us, now_us);
    for (const code of source.codes) code.since_us = notBeyond(code.since_us, now_us);
  }
  for (const one of faults.previous ?? []) one.observed_us = notBeyond(one.observed_us, now_us);
  for (const clock of faults.buses) clock.t_us = notBeyond(clock.t_us, now_us);
}

/** Returns the active codes for the API, without duplicates and in a fixed order; null before the first DM1. */
export function dtcsOf(facts: Facts): Dtc[] | null {
  if (facts.faults.observed_us === null) return null;
  const rows = [...activeCodes(facts).values()].map((active) => ({
    ...eventData(active),
    since: isoTime(active.code.since_us),
    observed_at: isoTime(active.source.observed_us),
    lamps: DTC_LAMPS.filter((lamp) => active.source.lamps[lamp].state === 'on'),
  }));
  return rows.sort(
    (a, b) =>
      a.source_address - b.source_address || (a.spn ?? -1) - (b.spn ?? -1) || a.fmi - b.fmi || (a.raw < b.raw ? -1 : 1),
  );
}

/** Returns the numbers of active and previous codes of all control units together; null before the first DM1. */
export function dtcCountsOf(facts: Pick<Facts, 'faults'>): DtcCounts | null {
  const { faults } = facts;
  if (faults.observed_us === null) return null;
  const lit = (lamp: keyof Lamps) =>
    new Set(faults.sources.filter((one) => one.lamps[lamp].state === 'on').map(unitOf)).size;
  const { previous = [] } = faults;
  return {
    active: activeCodes(facts).size,
    previously_active:
      previous.length === 0
        ? null
        : new Set(previous.flatMap(({ unit, codes }) => codes.map((code) => `${unit}:${code}`))).size,
    previously_observed_at:
      previous.length === 0 ? null : isoTime(Math.max(...previous.map(({ observed_us }) => observed_us))),
    red_stop: lit('red_stop'),
    amber: lit('amber'),
    protect: lit('protect'),
    mil: lit('mil'),
    observed_at: isoTime(faults.observed_us),
  };
}
