/**
 * Turns a recording into samples and facts. The caller passes batches of frames and takes parts; each part belongs to one machine.
 *
 *   frames -> decode -> values  -> the first of each second, of the source that provides the signal -> samples
 *                               -> the newest of each source, every change of a meter               -> facts
 *                    -> DM1     -> each change, and one a second                                     -> facts
 *                    -> VI, CI  -> each change                                                       -> facts
 *          GNSS of the logger -> values, and its clock against GNSS time -> summary
 *
 * The rules for live data decide which source provides a signal, and which changes of a meter are valid. Here they use only the facts of
 * this recording. Values without a date are left out, because the time at which the file arrived is not the time of its data. If a trusted
 * clock in the recording says that the clock of the logger was wrong, the times of the frames are corrected first ([D201]).
 */

import { isPlausible } from '#contract/base/signals.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { NONE } from '#domain/base/none.ts';
import { isDated, observedTime } from '#domain/base/times.ts';
import { type ClockCorrector, type CorrectedFrames, UNCORRECTED } from '#domain/clock/clock-corrector.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import { decodeMapped, type MappedSink, type OpenDbc, openDbc } from '#domain/dbc/values.ts';
import { type GnssQuantity, type GnssReader, gnssReaderOf } from '#domain/gnss/frames.ts';
import { stateCode } from '#domain/history/states.ts';
import { AddressBook, type ClaimMessage } from '#domain/j1939/addresses.ts';
import type { Decoder, DecodeSink } from '#domain/j1939/decode.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import { EVIDENCE, type Evidence, GNSS_EVIDENCE, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { applyReading, OUTCOME, readingOf, type SampleOrigin, unitOf } from '#domain/machine/latest-known.ts';
import { fillSourceValue, pointValue } from '#domain/machine/source-value.ts';
import { createGnssSummary, summarizeGnss } from './recording-gnss.ts';
import { originNumber, type RecordingPart, Share } from './recording-share.ts';
import { Sources } from './recording-sources.ts';
import {
  createSummary,
  MAX_LISTED,
  type RecordingSummary,
  summarizeFaults,
  summarizeFrames,
  summarizeSample,
} from './recording-summary.ts';

/** From `from_us` on, the values of the recording belong to this machine; null means no machine. */
export interface RecordingSpan {
  readonly from_us: number;
  readonly machine: string | null;
}

/** The reader of one recording, which decodes one batch of frames after another. */
export interface Recording {
  readonly summary: RecordingSummary;
  /** Decodes the next frames of the file. */
  decode(batch: FrameBatch): void;
  /**
   * Returns the parts that are full, and the parts of the machines on which the device was mounted before. If `all` is true, it also
   * returns the part of the present machine, which is not full yet.
   */
  take(all?: boolean): RecordingPart[];
}

/** The input of `createRecording`: the device that made the recording, its decoders, and its machines over time. */
export interface RecordingOptions {
  /** The J1939 decoder. Its state must be new, because it collects multi-frame messages of this recording only. */
  readonly decoder: Decoder;
  /** The DBC files of the device. */
  readonly dbc?: readonly LiveDbc[];
  /** The channels on which the logger sends its own GNSS. */
  readonly gnss?: readonly GnssChannel[];
  /** Corrects the times of the frames; absent if they keep the times that the logger reported. */
  readonly clock?: ClockCorrector;
  /** Record id of the device that made the recording. */
  readonly device: string;
  /**
   * Time at which the gateway reads the file, in microseconds since 1970. If the file contains a later time, this time is in the future, so
   * the gateway does not use it.
   */
  readonly received_us: number;
  /** The machines of the device over time, in ascending order. Values from before the first span belong to no machine. */
  readonly spans: readonly RecordingSpan[];
}

/** Creates a reader of one recording, which takes the batches in the order of the file. */
export function createRecording(options: RecordingOptions): Recording {
  return new FileRecording(options);
}

class FileRecording implements Recording {
  readonly summary = createSummary();
  private readonly options: RecordingOptions;
  private readonly mapped: readonly OpenDbc[];
  private readonly gnss: GnssReader | undefined;
  private readonly sources = new Sources();
  private readonly addresses = new AddressBook();
  private readonly shares = new Map<string | null, Share>();
  private readonly origin: SampleOrigin;
  private readonly sink: DecodeSink;
  private readonly mappedSink: MappedSink;
  /** One object for all calls of `applyReading`, filled again for each value, so that a value needs no allocation. */
  private readonly sent = pointValue(POINT_EVIDENCE[0] as Evidence, 0, 0);
  private batch: FrameBatch | undefined;
  private corrected: CorrectedFrames | undefined;
  /**
   * The share for times from `from` until before `to`. The reader remembers this share, because the next value mostly belongs to the same
   * share.
   */
  private share: Share;
  private from = 0;
  private to = 0;

  constructor(options: RecordingOptions) {
    const { device, received_us, dbc = [], gnss = [] } = options;
    this.options = options;
    this.mapped = dbc.map((file) => openDbc(file));
    this.gnss = gnssReaderOf(gnss);
    this.share = this.newShare(null);
    this.origin = { device, run_id: null, ref: null, received_us, events: [] };
    const gnssSink = (quantity: GnssQuantity, decoded: DecodedValue) => this.takeGnss(quantity, decoded);
    this.sink = {
      other: (batch, i) => this.gnss?.read(batch, i, gnssSink) === true,
      signal: (parameter, decoded) => {
        const evidence = EVIDENCE[parameter];
        if (evidence !== undefined && this.isDated(decoded.t_us, decoded.frame)) this.takeValue(evidence, decoded);
      },
      invalid: (parameter, state, decoded) => {
        const evidence = EVIDENCE[parameter];
        if (evidence !== undefined && this.isDated(decoded.t_us, decoded.frame))
          this.takeState(evidence, stateCode(state), decoded);
      },
      faults: (message) => this.takeFaults('faults', message),
      previous: (message) => this.takeFaults('previous', message),
      claim: (message) => this.takeClaim(message),
      identity: (message) => this.takeIdentity(message),
    };
    this.mappedSink = (evidence, decoded) => this.takePossible(evidence, decoded);
  }

  decode(batch: FrameBatch): void {
    const { summary, options } = this;
    this.batch = batch;
    this.corrected = options.clock?.correct(batch);
    summarizeFrames(summary, batch, options.received_us);
    options.decoder.decode(batch, this.sink);
    for (const one of this.mapped) decodeMapped(one, batch, this.mappedSink);
    summary.frames += batch.count;
  }

  take(all = false): RecordingPart[] {
    const parts: RecordingPart[] = [];
    for (const one of this.shares.values()) {
      // The present share may still grow, so return it only if it is full.
      if (!all && one === this.share && !one.isFull) continue;
      const part = one.take();
      if (part !== undefined) parts.push(part);
    }
    return parts;
  }

  private shareAt(t_us: number): Share {
    if (t_us >= this.from && t_us < this.to) return this.share;
    const { spans } = this.options;
    const at = spans.findLastIndex(({ from_us }) => from_us <= t_us);
    const machine = spans[at]?.machine ?? null;
    this.from = spans[at]?.from_us ?? Number.NEGATIVE_INFINITY;
    this.to = spans[at + 1]?.from_us ?? Number.POSITIVE_INFINITY;
    this.share = this.shares.get(machine) ?? this.newShare(machine);
    this.shares.set(machine, this.share);
    return this.share;
  }

  private newShare(machine: string | null): Share {
    return new Share(machine, this.sources, this.options.clock?.labels ?? []);
  }

  private isDated(t_us: number, frame: number): boolean {
    const flags = this.batch?.flags[frame] as number;
    return (flags & FRAME.noTime) === 0 && isDated(t_us, this.options.received_us);
  }

  /** Returns a copy of the message with the time of observation, and with the index of its frame in the file instead of the batch. */
  private placed<T extends { readonly t_us: number; readonly frame: number }>(message: T): T {
    const t_us = observedTime(message.t_us, this.options.received_us);
    return { ...message, t_us, frame: this.summary.frames + message.frame };
  }

  /** Applies a value if its frame has a date and the value is in the plausible range of its signal. */
  private takePossible(evidence: Evidence, decoded: DecodedValue): void {
    if (!this.isDated(decoded.t_us, decoded.frame)) return;
    if (isPlausible(evidence.signal, decoded.value)) this.takeValue(evidence, decoded);
    else this.summary.implausible++;
  }

  private takeGnss(quantity: GnssQuantity, decoded: DecodedValue): void {
    const { summary } = this;
    summary.gnss ??= createGnssSummary();
    const flags = this.batch?.flags[decoded.frame] as number;
    const reported = { value: decoded.value, t_us: this.corrected?.reported_us[decoded.frame] ?? decoded.t_us };
    summarizeGnss(summary.gnss, quantity, reported, (flags & FRAME.noTime) === 0);
    const evidence = GNSS_EVIDENCE[quantity];
    if (evidence !== undefined) this.takePossible(evidence, decoded);
  }

  /** Applies a value to the share of its machine. The frame of the value must have a date. */
  private takeValue(evidence: Evidence, decoded: DecodedValue): void {
    const { sources, summary } = this;
    const { raw, value, bus, sa } = decoded;
    const id = sources.idOf(evidence, bus, sa);
    if (id < 0) return;
    const t_us = observedTime(decoded.t_us, this.options.received_us);
    const share = this.shareAt(t_us);
    const at = summary.frames + decoded.frame;
    const { signal, index } = evidence;
    const label = this.corrected?.labels[decoded.frame] ?? UNCORRECTED;
    const origin = originNumber(id, label);
    if (!share.note(id, t_us, raw, value, at)) {
      if (share.belongs(id)) share.count(signal, index, origin, t_us, value);
      return;
    }
    fillSourceValue(this.sent, evidence, decoded);
    const belongs = this.belongsToHistory(share, t_us);
    share.decide(id, belongs);
    if (belongs && share.sample(signal, index, origin, t_us, value)) {
      summarizeSample(summary, signal, share.machine);
      if (label !== UNCORRECTED) summary.corrected++;
    }
    share.hear(bus, t_us);
    if (sources.at(id).isMeter) share.tellMeter(id, t_us, raw, value, at);
  }

  /**
   * Adds a state that a control unit reported instead of a value. It counts only if its source provides the signal, or if the signal has no
   * value yet. The frame must have a date.
   */
  private takeState(evidence: Evidence, state: number, decoded: DecodedValue): void {
    const { bus, sa } = decoded;
    const id = this.sources.idOf(evidence, bus, sa);
    if (id < 0 || state < 0) return;
    const t_us = observedTime(decoded.t_us, this.options.received_us);
    const share = this.shareAt(t_us);
    const holder = readingOf(share.facts, evidence.signal);
    const unit = sa === NONE ? NONE : this.addresses.unitOf(bus, sa);
    if (holder !== undefined && (holder.spn !== evidence.spn || holder.bus !== bus || unitOf(holder) !== unit)) return;
    const label = this.corrected?.labels[decoded.frame] ?? UNCORRECTED;
    share.addState(evidence, originNumber(id, label), t_us, state);
  }

  /**
   * Applies `sent`, the first value of a source in a second, to the facts of the share. Returns true if the source of the value is the one
   * that provides the signal, so that history gets the value as a sample.
   */
  private belongsToHistory({ facts }: Share, t_us: number): boolean {
    const { origin, sent } = this;
    const { evidence, bus, sa } = sent;
    const unit = sa === NONE ? NONE : this.addresses.unitOf(bus, sa);
    sent.unit = unit;
    sent.frame = 0;
    sent.observed_us = t_us;
    const outcome = applyReading(facts, origin, sent, true);
    origin.events.length = 0;
    if (outcome !== OUTCOME.late) return outcome === OUTCOME.moved;
    const holder = readingOf(facts, evidence.signal);
    return holder?.spn === evidence.spn && holder.bus === bus && unitOf(holder) === unit;
  }

  private takeFaults(kind: 'faults' | 'previous', message: FaultMessage): void {
    if (!this.isDated(message.t_us, message.frame)) return;
    const placed = this.placed(message);
    this.shareAt(placed.t_us).tellFaults(kind, placed);
    if (kind === 'faults') summarizeFaults(this.summary, placed, placed.t_us);
  }

  private takeClaim(message: ClaimMessage): void {
    if (!this.isDated(message.t_us, message.frame) || !this.addresses.claim(message)) return;
    // Add the values that were collected so far to the facts before the claim, so that they belong to the control unit that had the address
    // before.
    for (const one of this.shares.values()) one.tellValues();
    const placed = this.placed(message);
    this.shareAt(placed.t_us).add(['claim', placed]);
  }

  private takeIdentity(message: IdentityMessage): void {
    // The identity of a machine (such as its VIN) does not change with time. So use an identity message even if it has no date, and add it
    // to the share of the time at which the file is read.
    const { received_us } = this.options;
    const t_us = isDated(message.t_us, received_us) ? message.t_us : received_us;
    const share = this.shareAt(t_us);
    const key = `${message.bus} ${message.sa} ${message.kind}`;
    if (share.identities.get(key) === message.text) return;
    if (share.identities.size >= MAX_LISTED && !share.identities.has(key)) return;
    share.identities.set(key, message.text);
    this.summary.identities.set(key, message);
    share.add(['identity', { ...message, t_us }]);
  }
}
