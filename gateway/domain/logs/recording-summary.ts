/** Makes the summary of a recording that people see: its number of frames, its times, and its signals, identities and trouble codes. */

import type { SignalName } from '#contract/base/signals.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { isDated } from '#domain/base/times.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import type { GnssSummary } from './recording-gnss.ts';

/** Largest number of identities, and largest number of trouble codes, in a summary. The summary leaves out all others. */
export const MAX_LISTED = 500;

/** A trouble code of the recording, with the first and the last time of a DM1 that contained it. */
export interface RecordedFault {
  readonly sa: number;
  readonly spn: number | null;
  readonly fmi: number;
  readonly raw: string;
  readonly from_us: number;
  to_us: number;
}

/** The summary of the frames of a recording that were read so far. */
export interface RecordingSummary {
  frames: number;
  /** Number of frames of each bus. */
  readonly buses: Map<number, number>;
  /** Time of the earliest frame with a valid date; null when no frame has one. */
  from_us: number | null;
  to_us: number | null;
  /** Number of frames without a valid date, for example with a date in the future. */
  undated: number;
  /** Number of values from DBC files or GNSS frames that are outside the plausible range of their signal. */
  implausible: number;
  /** Number of samples whose times were corrected. */
  corrected: number;
  /** Number of samples of each signal. */
  readonly signals: Map<SignalName, number>;
  /** Number of samples of each machine; the key null counts samples without a machine. */
  readonly machines: Map<string | null, number>;
  readonly identities: Map<string, IdentityMessage>;
  readonly faults: Map<string, RecordedFault>;
  /** Summary of the logger's GNSS values; null if the recording has none. */
  gnss: GnssSummary | null;
}

/** Returns an empty summary. */
export function createSummary(): RecordingSummary {
  return {
    frames: 0,
    buses: new Map(),
    from_us: null,
    to_us: null,
    undated: 0,
    implausible: 0,
    corrected: 0,
    signals: new Map(),
    machines: new Map(),
    identities: new Map(),
    faults: new Map(),
    gnss: null,
  };
}

/** Adds the frames of a batch to the counts by bus, and extends the time range of the summary. */
export function summarizeFrames(summary: RecordingSummary, batch: FrameBatch, received_us: number): void {
  const { count, bus, t, flags } = batch;
  const counts = new Uint32Array(256);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    (counts[bus[i] as number] as number)++;
    const t_us = t[i] as number;
    if (((flags[i] as number) & FRAME.noTime) !== 0 || !isDated(t_us, received_us)) summary.undated++;
    else {
      if (t_us < least) least = t_us;
      if (t_us > most) most = t_us;
    }
  }
  for (let b = 0; b < 256; b++) if (counts[b] !== 0) addTo(summary.buses, b, counts[b] as number);
  if (least <= most) {
    summary.from_us = Math.min(summary.from_us ?? least, least);
    summary.to_us = Math.max(summary.to_us ?? most, most);
  }
}

/** Adds one sample to the counts of its signal and its machine. */
export function summarizeSample(summary: RecordingSummary, signal: SignalName, machine: string | null): void {
  addTo(summary.signals, signal, 1);
  addTo(summary.machines, machine, 1);
}

/** Adds the trouble codes of a DM1 that was sent at `t_us`. */
export function summarizeFaults(summary: RecordingSummary, { sa, dtcs }: FaultMessage, t_us: number): void {
  for (const { spn, fmi, raw } of dtcs) {
    const key = `${sa} ${spn ?? raw.slice(0, 6)} ${fmi}`;
    const known = summary.faults.get(key);
    if (known !== undefined) known.to_us = Math.max(known.to_us, t_us);
    else if (summary.faults.size < MAX_LISTED)
      summary.faults.set(key, { sa, spn, fmi, raw, from_us: t_us, to_us: t_us });
  }
}

function addTo<K>(counts: Map<K, number>, key: K, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}
