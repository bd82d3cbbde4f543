/** Decodes frames with an active DBC file. The results are values of the gateway's signals, in the gateway's units. */
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { createDecodedValue, type DecodedValue } from '#domain/base/decoded-value.ts';
import { NONE } from '#domain/base/none.ts';
import { type Evidence, mappedEvidence } from '#domain/machine/evidence.ts';
import type { DbcDecoder, DbcSnapshot } from './decode.ts';
import type { LiveDbc } from './mapping.ts';

/** A file that is active for a device, and its decoder. */
export interface OpenDbc {
  readonly file: LiveDbc;
  readonly decoder: DbcDecoder;
  /**
   * For each signal of the plan (the compiled file), a description of the source and of the signal to which it is mapped; undefined for a
   * multiplexor that is not mapped.
   */
  readonly evidence: readonly (Evidence | undefined)[];
  /** The object with which the decoder passes each value. The decoder fills the same object again for each value, to save memory. */
  readonly decoded: DecodedValue;
}

/**
 * Creates a decoder for an active file. If `saved` is given, the decoder continues the J1939 transport sessions (messages of several
 * frames) that were not complete when the snapshot was made.
 */
export function openDbc(file: LiveDbc, saved?: DbcSnapshot): OpenDbc {
  const evidence = file.targets.map((target) => target && mappedEvidence(target));
  return { file, decoder: file.plan.decoder(saved), evidence, decoded: createDecodedValue() };
}

/** Receives a value in the unit of the gateway's signal. The value may be implausible. */
export type MappedSink = (evidence: Evidence, decoded: DecodedValue) => void;

/** Passes each valid value of a mapped signal to `sink`. The caller must pass batches in the order in which they were recorded. */
export function decodeMapped({ file, decoder, evidence, decoded }: OpenDbc, batch: FrameBatch, sink: MappedSink): void {
  decoder.decode(batch, {
    value(signal, state, from) {
      const target = file.targets[signal];
      const of = evidence[signal];
      if (target === undefined || of === undefined || state !== 0) return;
      decoded.raw = from.raw;
      decoded.value = from.value * target.factor + target.offset;
      decoded.t_us = from.t_us;
      decoded.bus = from.bus;
      // Only an identifier of J1939 contains the address of the sender.
      decoded.sa = target.pgn < 0 ? NONE : from.sa;
      decoded.frame = from.frame;
      sink(of, decoded);
    },
  });
}
