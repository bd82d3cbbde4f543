/** The interface that all live CAN sources implement, the types of its reports, and the parser for the name of a source in a setting. */
import type { BusState } from '#codec/slcan.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';

/** The parsed name of a source, for example of `slcan:/dev/ttyACM0?bitrate=250000`. */
export type SourceSpec = {
  /** Bus number that all frames get; null means the number in the interface name, for example 1 for can1. */
  readonly bus: number | null;
  readonly bitrate: number | 'auto' | null;
} & (
  | { readonly kind: 'slcan'; readonly path: string; readonly baud: number; readonly stamps: boolean }
  | { readonly kind: 'socketcan'; readonly interface: string }
  | { readonly kind: 'candump-tcp'; readonly host: string; readonly port: number }
);

/** Thrown when a text does not name a source; the message lists the valid forms. */
export class SourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourceError';
  }
}

/**
 * State of a source. `opening`: it opens the adapter or connection. `searching`: it tries bit rates. `listening`: it receives frames.
 * `away`: the connection is lost, and the source retries. `refused`: a person must do something; the source also retries.
 */
export type SourceState = 'opening' | 'searching' | 'listening' | 'away' | 'refused';

export interface SourceReport {
  readonly state: SourceState;
  /** A sentence that explains why the source does not listen; null while it listens. */
  readonly detail: string | null;
  readonly bitrate: number | null;
  readonly bus_state: BusState | null;
  /** True while the source is open for sending, which happens only while a person allows bus requests. */
  readonly sending: boolean;
  readonly bytes: number;
  readonly malformed: number;
  readonly bus_errors: number;
  /** Number of frames that the kernel lost, or how many times the adapter reported lost frames. */
  readonly overruns: number;
  /** Number of times that an open connection was lost. */
  readonly disconnects: number;
}

/** The receiver of frames: the source adds frames to `batch` and then calls `filled`. */
export interface FrameSink {
  readonly batch: FrameBatch;
  filled(): void;
}

export interface SourceOptions {
  readonly sink: FrameSink;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

/** A running source, which reconnects by itself until it is disposed. */
export interface CanSource extends AsyncDisposable {
  report(): SourceReport;
  /** False for a source that can never send, such as candump text over TCP. */
  readonly canSend: boolean;
  /** Allows or forbids sending; a new source does not allow it. */
  allowSending(allow: boolean): void;
  /** Sends a data frame with a 29-bit identifier; false when the source is not open for sending. */
  send(id: number, data: Uint8Array): boolean;
}

const FORMS =
  'slcan:/dev/ttyACM0?bitrate=250000 (or bitrate=auto), slcan:usb:VENDOR:PRODUCT[:SERIAL]?bitrate=..., socketcan:can0, candump-tcp:HOST:PORT';
const OPTIONS = {
  slcan: ['bitrate', 'baud', 'stamps', 'bus'],
  socketcan: ['bitrate', 'bus'],
  'candump-tcp': ['bitrate', 'bus'],
} as const;

/** Parses the name of a source; throws `SourceError`. */
export function parseSource(text: string): SourceSpec {
  const refuse = (why: string): never => {
    throw new SourceError(`${JSON.stringify(text)} is no source: ${why}. Valid forms are ${FORMS}.`);
  };
  const [, kind = '', where = '', query = ''] = /^([a-z-]+):([^?]+)(?:\?(.*))?$/.exec(text) ?? [];
  if (!Object.hasOwn(OPTIONS, kind)) return refuse('it does not begin with slcan:, socketcan: or candump-tcp:');
  const known: readonly string[] = OPTIONS[kind as keyof typeof OPTIONS];
  const given = new URLSearchParams(query);
  for (const key of given.keys()) if (!known.includes(key)) refuse(`${kind} takes ${known.join(', ')}, not ${key}`);
  const number = (key: string, fallback: number, least: number, most: number): number => {
    const value = given.has(key) ? Number(given.get(key)) : fallback;
    if (!Number.isInteger(value) || value < least || value > most) refuse(`${key} is from ${least} to ${most}`);
    return value;
  };
  const auto = given.get('bitrate') === 'auto';
  if (auto && kind !== 'slcan') refuse('bitrate=auto is possible only for slcan');
  const rate = auto || !given.has('bitrate') ? null : number('bitrate', 0, 5_000, 1_000_000);
  const bus = given.has('bus') ? number('bus', 0, 0, 255) : null;
  if (kind === 'slcan') {
    if (rate === null && !auto) refuse('slcan needs a bitrate, 250000 on most machines, or auto');
    const baud = number('baud', 115_200, 9_600, 12_000_000);
    const stamps = number('stamps', 1, 0, 1) === 1;
    return { kind, path: where, baud, stamps, bus, bitrate: auto ? 'auto' : rate };
  }
  if (kind === 'socketcan') {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/.test(where)) refuse('the name of the interface is invalid');
    return { kind, interface: where, bus, bitrate: rate };
  }
  const [, host = '', port = ''] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([^:]+)):(\d{1,5})$/.exec(where)?.filter((one) => one) ?? [];
  if (host === '' || !(Number(port) > 0 && Number(port) < 65_536)) refuse('candump-tcp needs HOST:PORT');
  return { kind: 'candump-tcp', host, port: Number(port), bus, bitrate: rate };
}

/**
 * Returns an object that waits between two attempts to connect. The wait doubles after each failed attempt, from `first_ms` up to
 * `most_ms`. `stop` ends a wait at once.
 */
export function createBackoff(first_ms: number, most_ms: number) {
  let wait_ms = first_ms;
  let wake: (() => void) | undefined;
  let stopped = false;
  return {
    reset() {
      wait_ms = first_ms;
    },
    async wait(): Promise<void> {
      if (stopped) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, wait_ms);
      wait_ms = Math.min(wait_ms * 2, most_ms);
      await promise;
      clearTimeout(timer);
    },
    stop() {
      stopped = true;
      wake?.();
    },
  };
}
