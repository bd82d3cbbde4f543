/**
 * Decodes frames with a compiled DBC file. The code allocates no memory for a frame.
 *
 *   identifier -> message (11-bit table, 29-bit map, J1939 by parameter group) -> its signals (message-reader.ts)
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { createDecodedValue, setSource } from '#domain/base/decoded-value.ts';
import { PGN, pgnOf } from '#domain/j1939/identifier.ts';
import { createTransport, type TransportCounters, type TransportSnapshot } from '#domain/j1939/transport.ts';
import { createMessageReader, type DbcSink, type DecodePlan } from './message-reader.ts';

interface DbcCounters {
  frames: number;
  /** The number of received frames and reassembled messages that are defined in the DBC file. */
  matched: number;
  unmatched: number;
  /** The number of error and remote frames, which are not decoded. */
  ignored: number;
  /** The number of signals that were not read because the payload was too short for them. */
  short: number;
  readonly transport: TransportCounters;
}

/** The state of a decoder as plain JSON; a restarted gateway continues from it. */
export interface DbcSnapshot {
  readonly transport: TransportSnapshot;
}

export interface DbcDecoder {
  /** Decodes a batch. The caller must pass batches in the order in which they were recorded. */
  decode(batch: FrameBatch, sink: DbcSink): void;
  readonly counters: DbcCounters;
  snapshot(): DbcSnapshot;
}

/** Returns true for the two parameter groups with which messages of more than 8 bytes are sent (TP.CM and TP.DT). */
const isTransport = (pgn: number): boolean => pgn === PGN.transportControl || pgn === PGN.transportData;

/** Creates a decoder of the frames of one device. */
export function createDecoder(plan: DecodePlan, snapshot?: DbcSnapshot): DbcDecoder {
  const { standard, extended, groups } = plan.ids;
  const transport = createTransport(snapshot?.transport);
  const counters: DbcCounters = {
    frames: 0,
    matched: 0,
    unmatched: 0,
    ignored: 0,
    short: 0,
    transport: transport.counters,
  };
  const read = createMessageReader(plan, counters);
  const decoded = createDecodedValue();

  return {
    counters,
    decode(batch, sink) {
      const { count, t, id, flags, bus, len, data, at, long } = batch;
      counters.frames += count;
      for (let i = 0; i < count; i++) {
        const flag = flags[i] as number;
        if ((flag & (FRAME.error | FRAME.remote)) !== 0) {
          counters.ignored++;
          continue;
        }
        const identifier = id[i] as number;
        const length = len[i] as number;
        const t_us = t[i] as number;
        const channel = bus[i] as number;
        const isExtended = (flag & FRAME.extended) !== 0;
        let found = 0;
        if (!isExtended) found = standard[identifier & 0x7ff] as number;
        else {
          if (extended.size > 0) found = extended.get(identifier) ?? 0;
          if (found === 0 && groups !== undefined) {
            const pgn = pgnOf(identifier);
            found = groups[pgn] as number;
            if (found === 0 && isTransport(pgn) && length <= 8) {
              const sa = identifier & 0xff;
              const da = (identifier >>> 8) & 0xff;
              const undated = (flag & FRAME.noTime) !== 0;
              if (pgn === PGN.transportControl) transport.control(t_us, channel, sa, da, data, i * 8, length, undated);
              else {
                const whole = transport.packet(t_us, channel, sa, da, data, i * 8, length, i, undated);
                const m = whole === undefined ? 0 : (groups[whole.pgn] as number);
                if (whole && m > 0) {
                  setSource(decoded, t_us, channel, sa, i);
                  read(m - 1, whole.data, 0, whole.size, decoded, sink);
                }
              }
              continue;
            }
          }
        }
        if (found === 0) {
          counters.unmatched++;
          sink.unmatched?.(identifier, isExtended, channel);
          continue;
        }
        setSource(decoded, t_us, channel, identifier & 0xff, i);
        if (length <= 8) read(found - 1, data, i * 8, length, decoded, sink);
        else read(found - 1, long, at[i] as number, length, decoded, sink);
      }
      if (count > 0 && groups !== undefined) transport.sweep(t[count - 1] as number);
    },
    snapshot: () => ({ transport: transport.snapshot() }),
  };
}
