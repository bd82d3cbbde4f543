/** Reads the numbers that rules on lamps and trouble codes watch from the table of active trouble codes of a machine. */

import type { DTC_LAMPS } from '#contract/fleet/equipment.ts';
import type { ActiveCode, Facts, FaultSource } from '#domain/machine/facts.ts';
import { codeKey, unitOf } from '#domain/machine/fault-table.ts';
import type { WatchedCode, WatchedPoint } from './point.ts';

/** What a rule watches in the table: a lamp, the number of all codes (both null), or the codes with an SPN and perhaps an FMI. */
export interface CodeSpec {
  readonly lamp: (typeof DTC_LAMPS)[number] | null;
  readonly spn: number | null;
  readonly fmi: number | null;
}

/** Largest number of codes in a point. */
const MOST_CODES = 8;

/**
 * Sets `value` and `codes` of the point. For a lamp, `value` is the number of control units that switch it on; if it is one unit, `codes`
 * has the codes of this unit. Otherwise `value` is the number of matching codes. `codes` then has the first of them, or, if the rule
 * watches the number of all codes, the code only if it is the only one.
 */
export function readCodes(point: WatchedPoint, { lamp, spn, fmi }: CodeSpec, { faults: { sources } }: Facts): void {
  if (lamp !== null) readLamp(point, lamp, sources);
  else readMatching(point, spn, fmi, sources);
}

function readLamp(point: WatchedPoint, lamp: NonNullable<CodeSpec['lamp']>, sources: readonly FaultSource[]): void {
  const isLit = (one: FaultSource): boolean => one.lamps[lamp].state === 'on';
  const first = sources.find(isLit);
  point.value = 0;
  point.codes = null;
  if (first === undefined) return;
  point.value = new Set(sources.filter(isLit).map(unitOf)).size;
  if (point.value > 1) return;
  point.codes = first.codes.flatMap((code) => watchedCode(first, code) ?? []).slice(0, MOST_CODES);
}

function readMatching(
  point: WatchedPoint,
  spn: number | null,
  fmi: number | null,
  sources: readonly FaultSource[],
): void {
  const found = new Set<string>();
  let first: WatchedCode | undefined;
  for (const source of sources)
    for (const code of source.codes) {
      if (spn !== null && (code.spn !== spn || (fmi !== null && code.fmi !== fmi))) continue;
      found.add(codeKey(unitOf(source), code));
      const known = watchedCode(source, code);
      if (known !== undefined && (first === undefined || isBefore(known, first))) first = known;
    }
  point.value = found.size;
  point.codes = first === undefined || (spn === null && found.size > 1) ? null : [first];
}

/** The order of the codes in the API (`dtcsOf`). */
function isBefore(a: WatchedCode, b: WatchedCode): boolean {
  return a.source_address !== b.source_address ? a.source_address < b.source_address : a.fmi < b.fmi;
}

function watchedCode({ sa, bus, device }: FaultSource, { spn, fmi, since_us }: ActiveCode): WatchedCode | undefined {
  return spn === null ? undefined : { spn, fmi, source_address: sa, bus, device_id: device, since_us };
}
