/** A live stream of candump text, wherever it comes from: lines to frames, what the kernel says of the bus, and the way back when it ends. */
import { parseCandump } from '#codec/candump.ts';
import type { BusState } from '#codec/slcan.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { createBackoff, type SourceOptions, type SourceReport, type SourceSpec } from './source.ts';

/** A way that is there; `ended` says why it is no longer. */
export interface Way {
  readonly ended: Promise<string>;
  stop(): void;
}

interface CandumpSource extends AsyncDisposable {
  report(): Omit<SourceReport, 'sending'>;
}

/** The connection cannot come right by itself: a program is not installed. */
export class WayRefused extends Error {}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
/** A way is there once it gave something, or lived so long: a program that ends at once never was. */
const SETTLED_MS = 500;
/** One that lived so long was good: the next try comes soon. */
const LIVED_MS = 5_000;
/** A line of 64 bytes of CAN FD has under 200 characters. */
const LONGEST_LINE = 4096;

/** Classes and details of error frames (linux/can/error.h). */
const ERROR = { controller: 0x04, protocol: 0x08, busOff: 0x40, bus: 0x80, restarted: 0x100 } as const;
const CONTROLLER = { overflow: 0x03, warning: 0x0c, passive: 0x30, active: 0x40 } as const;

/** Reads the text of ways that `connect` opens, one after the other; `connect` hands each piece to `push`. */
export function openCandumpSource(
  spec: Pick<SourceSpec, 'bus' | 'bitrate'>,
  { sink, clock, log }: SourceOptions,
  connect: (push: (chunk: Buffer) => void) => Promise<Way>,
): CandumpSource {
  const backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let state: SourceReport['state'] = 'opening';
  let detail: string | null = null;
  let busState: BusState | null = null;
  let bytes = 0;
  let malformed = 0;
  let busErrors = 0;
  let overruns = 0;
  let lostWays = 0;
  let rest: Buffer = Buffer.alloc(0);
  let discarding = false;
  let way: Way | undefined;
  let closed = false;

  function isThere(): void {
    state = 'listening';
    detail = null;
  }

  function push(chunk: Buffer): void {
    if (state !== 'listening') isThere();
    bytes += chunk.length;
    let text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (discarding) {
      const end = text.indexOf(10);
      if (end < 0) return;
      discarding = false;
      text = text.subarray(end + 1);
    }
    const { batch } = sink;
    const before = batch.count;
    const { unparsable, consumed } = parseCandump(text, batch, clock() * 1000, false);
    if (unparsable > 0) malformed += unparsable - noteDrops(text.subarray(0, consumed));
    rest = Buffer.from(text.subarray(consumed));
    if (rest.length > LONGEST_LINE) {
      malformed++;
      rest = Buffer.alloc(0);
      discarding = true;
    }
    if (batch.count === before) return;
    for (let i = before; i < batch.count; i++) {
      if (spec.bus !== null) batch.bus[i] = spec.bus;
      if ((batch.flags[i] as number) & FRAME.error) noteError(batch, i);
    }
    sink.filled();
  }

  /** What candump says for people: that the kernel dropped frames (-d), or gave less room (-r); how many lines that were. */
  function noteDrops(text: Buffer): number {
    let lines = 0;
    for (const [, count] of text
      .toString('latin1')
      .matchAll(/^(?:DROPCOUNT: dropped (\d+)|The socket receive buffer)/gm)) {
      overruns += Number(count ?? 0);
      lines++;
    }
    return lines;
  }

  function noteError(batch: FrameBatch, i: number): void {
    const id = batch.id[i] as number;
    if (id & (ERROR.protocol | ERROR.bus)) busErrors++;
    if (id & ERROR.busOff) busState = 'bus_off';
    else if (id & ERROR.restarted) busState = 'active';
    else if (id & ERROR.controller) {
      const what = batch.data[i * 8 + 1] as number;
      if (what & CONTROLLER.overflow) overruns++;
      if (what & CONTROLLER.active) busState = 'active';
      else if (what & CONTROLLER.passive) busState = 'passive';
      else if (what & CONTROLLER.warning) busState = 'warning';
    }
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        way = await connect(push);
        if (closed) way.stop();
        const since = performance.now();
        busState = null;
        const settled = setTimeout(isThere, SETTLED_MS);
        const why = await way.ended.finally(() => clearTimeout(settled));
        if (state !== 'listening' && !closed) throw new Error(why);
        const lived = performance.now() - since > LIVED_MS;
        if (lived) backoff.reset();
        if (!closed) {
          lostWays++;
          if (lived) log('warn', 'the way to the bus ended', { why });
          state = 'away';
          detail = why;
        }
      } catch (error) {
        state = error instanceof WayRefused ? 'refused' : 'away';
        detail = (error as Error).message;
      }
      way = undefined;
      rest = Buffer.alloc(0);
      discarding = false;
      if (!closed) await backoff.wait();
    }
  }

  const running = run();
  return {
    report: () => ({
      state,
      detail,
      bitrate: typeof spec.bitrate === 'number' ? spec.bitrate : null,
      bus_state: busState,
      bytes,
      malformed,
      bus_errors: busErrors,
      overruns,
      lost_ways: lostWays,
    }),
    async [Symbol.asyncDispose]() {
      closed = true;
      backoff.stop();
      way?.stop();
      await running;
    },
  };
}
