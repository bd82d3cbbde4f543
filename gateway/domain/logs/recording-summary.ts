/** What a person is told of a recording: how much, from when to when, and what stood in it. */

import type { SignalName } from '#contract/base/signals.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { isDated } from '#domain/base/times.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';

/** Identities and trouble codes that are told apart; further ones are not told. */
export const MAX_TOLD = 500;

/** A trouble code as the recording told it. */
export interface RecordedFault {
  readonly sa: number;
  readonly spn: number | null;
  readonly fmi: number;
  readonly raw: string;
  readonly from_us: number;
  to_us: number;
}

/** What was found so far. */
export interface RecordingSummary {
  frames: number;
  /** Frames by bus. */
  readonly buses: Map<number, number>;
  /** Of frames with a date; null when there was none. */
  from_us: number | null;
  to_us: number | null;
  /** Frames without a date, or with one that lies ahead. */
  undated: number;
  /** Values by DBC files that cannot be. */
  implausible: number;
  /** Samples by signal. */
  readonly signals: Map<SignalName, number>;
  /** Samples for each machine; null stands for none. */
  readonly machines: Map<string | null, number>;
  readonly identities: Map<string, IdentityMessage>;
  readonly faults: Map<string, RecordedFault>;
}

/** The summary of nothing. */
export function createSummary(): RecordingSummary {
  return {
    frames: 0,
    buses: new Map(),
    from_us: null,
    to_us: null,
    undated: 0,
    implausible: 0,
    signals: new Map(),
    machines: new Map(),
    identities: new Map(),
    faults: new Map(),
  };
}

/** Counts the frames of a batch by bus, and how far their dates reach. */
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

/** Counts a sample of a signal for a machine. */
export function summarizeSample(summary: RecordingSummary, signal: SignalName, machine: string | null): void {
  addTo(summary.signals, signal, 1);
  addTo(summary.machines, machine, 1);
}

/** Takes the codes of a DM1 of this time. */
export function summarizeFaults(summary: RecordingSummary, { sa, dtcs }: FaultMessage, t_us: number): void {
  for (const { spn, fmi, raw } of dtcs) {
    const key = `${sa} ${spn ?? raw.slice(0, 6)} ${fmi}`;
    const known = summary.faults.get(key);
    if (known !== undefined) known.to_us = Math.max(known.to_us, t_us);
    else if (summary.faults.size < MAX_TOLD) summary.faults.set(key, { sa, spn, fmi, raw, from_us: t_us, to_us: t_us });
  }
}

function addTo<K>(counts: Map<K, number>, key: K, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}
