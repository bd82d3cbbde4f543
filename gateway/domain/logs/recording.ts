/**
 * A recording into what history and facts take of it: frames in, parts out, each for one machine.
 *
 *   frames -> decode -> values  -> the first of each second, of the source that held the signal then -> samples
 *                               -> the newest of each source, every change of a meter               -> facts
 *                    -> DM1     -> each change, and one a second                                     -> facts
 *                    -> VI, CI  -> each change                                                       -> facts
 *
 * Who holds a signal and what a meter may do is decided as it is live, by the same rules over facts of the recording's own. A value
 * without a date is left out: a file does not say when "now" was.
 */

import { isPlausible } from '#contract/base/signals.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { NONE } from '#domain/base/none.ts';
import { isDated, observedTime } from '#domain/base/times.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import { decodeMapped, type MappedSink, openDbc } from '#domain/dbc/values.ts';
import { AddressBook } from '#domain/j1939/addresses.ts';
import type { Decoder, DecodeSink } from '#domain/j1939/decode.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import { applyReading, OUTCOME, readingOf, type SampleOrigin, unitOf } from '#domain/machine/latest-known.ts';
import { type RecordingPart, Share } from './recording-share.ts';
import { Sources } from './recording-sources.ts';
import {
  createSummary,
  MAX_TOLD,
  type RecordingSummary,
  summarizeFaults,
  summarizeFrames,
  summarizeSample,
} from './recording-summary.ts';

/** From this time on the recording counts for this machine; null for none. */
export interface RecordingSpan {
  readonly from_us: number;
  readonly machine: string | null;
}

/** A recording that is being read. */
export interface Recording {
  readonly summary: RecordingSummary;
  /** Takes the next frames of the file. */
  decode(batch: FrameBatch): void;
  /** Parts that are large enough, or that others follow; with `all`, everything that is left. */
  take(all?: boolean): RecordingPart[];
}

/** Of what, by whom, and for which machines. */
export interface RecordingOptions {
  /** A decoder of its own, from the first frame on. */
  readonly decoder: Decoder;
  /** The DBC files of the device. */
  readonly dbc?: readonly LiveDbc[];
  /** The device that recorded. */
  readonly device: string;
  /** When the file is read, by the receiver's clock: nothing can have been observed later. */
  readonly received_us: number;
  /** Ascending; before the first the recording counts for none. */
  readonly spans: readonly RecordingSpan[];
}

/** Reads one recording, batch by batch in the order of the file. */
export function createRecording({ decoder, dbc = [], device, received_us, spans }: RecordingOptions): Recording {
  const mapped = dbc.map((file) => openDbc(file));
  const sources = new Sources();
  const addresses = new AddressBook();
  const shares = new Map<string | null, Share>();
  const summary = createSummary();
  const origin: SampleOrigin = { device, run_id: null, ref: null, received_us, events: [] };
  let batch: FrameBatch;
  // The share of the time between `from` and `to`, so that it is not looked for each time.
  let share = new Share(null, sources);
  let from = 0;
  let to = 0;

  function shareAt(t_us: number): Share {
    if (t_us >= from && t_us < to) return share;
    const at = spans.findLastIndex(({ from_us }) => from_us <= t_us);
    const machine = spans[at]?.machine ?? null;
    from = spans[at]?.from_us ?? Number.NEGATIVE_INFINITY;
    to = spans[at + 1]?.from_us ?? Number.POSITIVE_INFINITY;
    share = shares.get(machine) ?? new Share(machine, sources);
    shares.set(machine, share);
    return share;
  }

  const dated = (t_us: number, frame: number) =>
    ((batch.flags[frame] as number) & FRAME.noTime) === 0 && isDated(t_us, received_us);

  /** The message with the time that it counts under, and its place in the file. */
  const placed = <T extends { readonly t_us: number; readonly frame: number }>(message: T): T => ({
    ...message,
    t_us: observedTime(message.t_us, received_us),
    frame: summary.frames + message.frame,
  });

  /** A value with a date. */
  function value(
    evidence: Evidence,
    raw: number,
    number: number,
    time_us: number,
    bus: number,
    sa: number,
    frame: number,
  ): void {
    const id = sources.idOf(evidence, bus, sa);
    if (id < 0) return;
    const t_us = observedTime(time_us, received_us);
    const of = shareAt(t_us);
    const at = summary.frames + frame;
    if (!of.note(id, t_us, raw, number, at)) return;
    if (belongsToHistory(of, evidence, raw, number, t_us, bus, sa) && of.sample(evidence.index, t_us, number))
      summarizeSample(summary, evidence.signal, of.machine);
    of.hear(bus, t_us);
    if (sources.at(id).isMeter) of.tellMeter(id, t_us, raw, number, at);
  }

  /** Takes the first value of a source in a second into the recording's own facts; true when its source holds the signal. */
  function belongsToHistory(
    { facts }: Share,
    evidence: Evidence,
    raw: number,
    number: number,
    t_us: number,
    bus: number,
    sa: number,
  ): boolean {
    const unit = sa === NONE ? NONE : addresses.unitOf(bus, sa);
    const outcome = applyReading(facts, origin, evidence, raw, number, t_us, true, bus, sa, 0, unit);
    origin.events.length = 0;
    if (outcome !== OUTCOME.late) return outcome === OUTCOME.moved;
    const holder = readingOf(facts, evidence.signal);
    return holder?.spn === evidence.spn && holder.bus === bus && unitOf(holder) === unit;
  }

  function tellFaults(kind: 'faults' | 'previous', message: FaultMessage): void {
    if (!dated(message.t_us, message.frame)) return;
    const told = placed(message);
    shareAt(told.t_us).tellFaults(kind, told);
    if (kind === 'faults') summarizeFaults(summary, told, told.t_us);
  }

  const sink: DecodeSink = {
    signal(parameter, raw, number, t_us, bus, sa, frame) {
      const evidence = EVIDENCE[parameter];
      if (evidence !== undefined && dated(t_us, frame)) value(evidence, raw, number, t_us, bus, sa, frame);
    },
    faults(message) {
      tellFaults('faults', message);
    },
    previous(message) {
      tellFaults('previous', message);
    },
    claim(message) {
      if (!dated(message.t_us, message.frame) || !addresses.claim(message)) return;
      // What was said from the address until now was said by who had it.
      for (const one of shares.values()) one.tellValues();
      const told = placed(message);
      shareAt(told.t_us).add(['claim', told]);
    },
    identity(message) {
      // Who a machine is does not depend on when: the last frame's time finds its share when it has none of its own.
      const t_us = isDated(message.t_us, received_us) ? message.t_us : received_us;
      const of = shareAt(t_us);
      const key = `${message.bus} ${message.sa} ${message.kind}`;
      if (of.identities.get(key) === message.text) return;
      if (of.identities.size >= MAX_TOLD && !of.identities.has(key)) return;
      of.identities.set(key, message.text);
      summary.identities.set(key, message);
      of.add(['identity', { ...message, t_us }]);
    },
  };

  const mappedSink: MappedSink = (evidence, raw, number, t_us, bus, sa, frame) => {
    if (!dated(t_us, frame)) return;
    if (isPlausible(evidence.signal, number)) value(evidence, raw, number, t_us, bus, sa, frame);
    else summary.implausible++;
  };

  return {
    summary,
    decode(next) {
      batch = next;
      summarizeFrames(summary, batch, received_us);
      decoder.decode(batch, sink);
      for (const one of mapped) decodeMapped(one, batch, mappedSink);
      summary.frames += batch.count;
    },
    take(all = false) {
      const parts: RecordingPart[] = [];
      for (const one of shares.values()) {
        // What counts for another machine than what follows goes ahead of it.
        if (!all && one === share && !one.isFull) continue;
        const part = one.take();
        if (part !== undefined) parts.push(part);
      }
      return parts;
    },
  };
}
