/** Frames to values of ours by a DBC file: its mapped signals, in the unit of ours. */
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { NONE } from '#domain/base/none.ts';
import { type Evidence, mappedEvidence } from '#domain/machine/evidence.ts';
import type { DbcDecoder, DbcSnapshot } from './decode.ts';
import type { LiveDbc } from './mapping.ts';

/** A file that is active for a device, and its decoder. */
export interface OpenDbc {
  readonly file: LiveDbc;
  readonly decoder: DbcDecoder;
  /** By signal of the plan; undefined for what only selects. */
  readonly evidence: readonly (Evidence | undefined)[];
}

/** Opens a file, where it was when the snapshot was taken. */
export function openDbc(file: LiveDbc, saved?: DbcSnapshot): OpenDbc {
  const evidence = file.targets.map((target) => target && mappedEvidence(target));
  return { file, decoder: file.plan.decoder(saved), evidence };
}

/** Takes a value of ours, whatever it is; `sa` is NONE where the message is no parameter group. */
export type MappedSink = (
  evidence: Evidence,
  raw: number,
  value: number,
  t_us: number,
  bus: number,
  sa: number,
  frame: number,
) => void;

/** Tells every valid mapped signal of the frames; batches must come in the order in which they were recorded. */
export function decodeMapped({ file, decoder, evidence }: OpenDbc, batch: FrameBatch, sink: MappedSink): void {
  decoder.decode(batch, {
    value(signal, raw, value, state, t_us, bus, address, frame) {
      const target = file.targets[signal];
      const of = evidence[signal];
      if (target === undefined || of === undefined || state !== 0) return;
      // Only J1939 says who speaks.
      const sa = target.pgn < 0 ? NONE : address;
      sink(of, raw, value * target.factor + target.offset, t_us, bus, sa, frame);
    },
  });
}
