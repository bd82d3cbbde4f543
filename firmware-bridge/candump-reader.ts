/** Reads the text of `candump`: frames from its lines, and the bus state and counters from its error frames and loss reports. */
import { parseCandump } from '#codec/candump.ts';
import type { BusState } from '#codec/slcan.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import type { FrameSink } from './source.ts';

/**
 * The reader skips a line of more than this many bytes. This limit is safe, because even a line with a CAN FD frame of 64 bytes is shorter
 * than 200 bytes.
 */
const LONGEST_LINE = 4096;

/** Bits of a SocketCAN error frame (linux/can/error.h): the error classes in its identifier, and the controller states in its byte 1. */
const ERROR = { controller: 0x04, protocol: 0x08, busOff: 0x40, bus: 0x80, restarted: 0x100 } as const;
const CONTROLLER = { overflow: 0x03, warning: 0x0c, passive: 0x30, active: 0x40 } as const;

export class CandumpReader {
  bytes = 0;
  malformed = 0;
  busErrors = 0;
  overruns = 0;
  busState: BusState | null = null;
  private readonly sink: FrameSink;
  private readonly clock: () => number;
  /** The bus number that every frame gets. If it is null, a frame keeps the bus number of its line. */
  private readonly bus: number | null;
  /** The start of a line that has not arrived completely. */
  private rest: Buffer = Buffer.alloc(0);
  /** True while the rest of a line that was too long is skipped. */
  private discarding = false;

  constructor(sink: FrameSink, clock: () => number, bus: number | null) {
    this.sink = sink;
    this.clock = clock;
    this.bus = bus;
  }

  /** Discards the incomplete line of the previous connection; call at the start of each connection. */
  startConnection(): void {
    this.rest = Buffer.alloc(0);
    this.discarding = false;
  }

  read(chunk: Buffer): void {
    this.bytes += chunk.length;
    let text = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (this.discarding) {
      const end = text.indexOf(10);
      if (end < 0) return;
      this.discarding = false;
      text = text.subarray(end + 1);
    }
    const { batch } = this.sink;
    const before = batch.count;
    const { unparsable, consumed } = parseCandump(text, batch, this.clock() * 1000, false);
    if (unparsable > 0) this.malformed += unparsable - this.noteDrops(text.subarray(0, consumed));
    this.rest = Buffer.from(text.subarray(consumed));
    if (this.rest.length > LONGEST_LINE) {
      this.malformed++;
      this.rest = Buffer.alloc(0);
      this.discarding = true;
    }
    if (batch.count === before) return;
    for (let i = before; i < batch.count; i++) {
      if (this.bus !== null) batch.bus[i] = this.bus;
      if ((batch.flags[i] as number) & FRAME.error) this.noteError(batch, i);
    }
    this.sink.filled();
  }

  /**
   * Counts the frames that candump reports as dropped (option -d). Returns the number of lines that are a report of candump (because of
   * option -d or -r) and not a frame.
   */
  private noteDrops(text: Buffer): number {
    let lines = 0;
    for (const [, count] of text
      .toString('latin1')
      .matchAll(/^(?:DROPCOUNT: dropped (\d+)|The socket receive buffer)/gm)) {
      this.overruns += Number(count ?? 0);
      lines++;
    }
    return lines;
  }

  private noteError(batch: FrameBatch, i: number): void {
    const id = batch.id[i] as number;
    if (id & (ERROR.protocol | ERROR.bus)) this.busErrors++;
    if (id & ERROR.busOff) this.busState = 'bus_off';
    else if (id & ERROR.restarted) this.busState = 'active';
    else if (id & ERROR.controller) {
      const detail = batch.data[i * 8 + 1] as number;
      if (detail & CONTROLLER.overflow) this.overruns++;
      if (detail & CONTROLLER.active) this.busState = 'active';
      else if (detail & CONTROLLER.passive) this.busState = 'passive';
      else if (detail & CONTROLLER.warning) this.busState = 'warning';
    }
  }
}
