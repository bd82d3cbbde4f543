/**
 * Requests totals that many engines send only on request (PGN 59904). It sends nothing unless a person armed it for this machine.
 *
 *   gateway reports "armed" ──────────────────────┐
 *   gateway sent the time in the last 3 minutes ──┴▶ log entry ─▶ source opened for sending ─▶ address claimed ─▶ requests
 *
 * It does not request what the bus broadcasts by itself. When one of the two conditions ends, sending ends at once.
 */
import { createAddressClaim, nameOf } from './address-claim.ts';
import { RequestRecord, type SentFrames } from './request-record.ts';
import { EVERY_MS, REQUESTED, RequestSchedule } from './request-schedule.ts';
import type { CanSource } from './source.ts';

export interface RequesterOptions {
  readonly source: Pick<CanSource, 'canSend' | 'allowSending' | 'send' | 'report'>;
  readonly device_id: string;
  /** Keeps the frames that were sent and are not in the log of the device yet. */
  readonly file: string;
  /** Puts an entry into the log of the device. True: the entry is on disk. False: the disk does not take it. */
  readonly event: (type: string, data: Readonly<Record<string, unknown>>) => boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
}

export interface Requester extends Disposable {
  /** The setting from the gateway; anything but a clear yes is false. */
  setArmed(armed: boolean): void;
  /** A new connection began: the setting of the connection before expires unless the gateway confirms it in ten seconds. */
  connected(): void;
  /** The gateway sent the time: it is alive. */
  renewLease(): void;
  /** Processes a 29-bit data frame from the bus. */
  receive(id: number, data: Uint8Array): void;
  /** True while sending is allowed; only then does `receive` have to be called. */
  readonly active: boolean;
  tick(): void;
  report(): {
    readonly armed: boolean;
    readonly active: boolean;
    readonly address: number | null;
    readonly sent: number;
    readonly why_not: string | null;
  };
}

/** Sending ends when the gateway sent no time for so long; it sends the time every minute. */
const LEASE_MS = 180_000;
/** The gateway sends its settings with every connection; without them in this time the requester is disarmed. */
const CONFIRM_MS = 10_000;
/** Frames of any kind, including address claims. */
const MOST_IN_A_MINUTE = 30;
const REPORT_MS = 3_600_000;

const MINUTE_MS = 60_000;
const REQUEST_TO_ALL = 0x18eaff00;

/** Starts disarmed. */
export function createRequester(options: RequesterOptions): Requester {
  const { source, event, clock, monotonic } = options;
  let armed = false;
  let leased_ms = Number.NEGATIVE_INFINITY;
  let unconfirmed_ms = Number.POSITIVE_INFINITY;
  let active = false;
  let sent = 0;
  /** Times of the frames of the last minute. */
  const recent: number[] = [];
  const schedule = new RequestSchedule();
  const claim = createAddressClaim(nameOf(identityOf(options.device_id)), (id, data) =>
    send(id, data, (frames) => {
      frames.claims++;
    }),
  );
  const record = new RequestRecord(options.file, event);

  /** Sends a frame. Every frame passes here, and is on record before it is sent. */
  function send(id: number, data: Uint8Array, note: (frames: SentFrames) => void): boolean {
    const now = monotonic();
    while (recent.length > 0 && (recent[0] as number) <= now - MINUTE_MS) recent.shift();
    if (!active || recent.length >= MOST_IN_A_MINUTE) {
      if (record.current !== undefined) record.current.held++;
      return false;
    }
    if (!source.report().sending) return false;
    if (!record.add(clock(), note)) {
      // A frame that cannot be recorded must not be sent.
      armed = false;
      applyConditions();
      return false;
    }
    if (!source.send(id, data)) return false;
    recent.push(now);
    sent++;
    return true;
  }

  /** Starts or ends sending when the conditions have changed. */
  function applyConditions(): void {
    if (monotonic() - unconfirmed_ms > CONFIRM_MS) armed = false;
    const allowed = armed && monotonic() - leased_ms < LEASE_MS && source.canSend;
    if (allowed === active) return;
    if (!allowed) {
      endSending(armed ? 'the gateway is away' : 'disarmed');
      return;
    }
    // The log must have the entry before the first byte is sent.
    if (!event('x.bus.sending_began', { groups: REQUESTED, every_s: EVERY_MS / 1000 })) {
      armed = false;
      return;
    }
    active = true;
    schedule.start(monotonic());
    source.allowSending(true);
  }

  function endSending(reason: string): void {
    active = false;
    source.allowSending(false);
    claim.stop();
    record.report();
    event('x.bus.sending_ended', { reason, frames: sent });
  }

  function requestDueGroup(address: number): void {
    const now = monotonic();
    const pgn = schedule.due(now);
    if (pgn === undefined) return;
    const data = Uint8Array.of(pgn & 255, (pgn >> 8) & 255, pgn >> 16);
    const isSent = send(REQUEST_TO_ALL | address, data, (frames) => {
      frames.address = address;
      frames.asked[pgn] = (frames.asked[pgn] ?? 0) + 1;
    });
    if (isSent) schedule.requested(pgn, now);
  }

  function whyNot(): string | null {
    if (!armed) return null;
    if (!source.canSend) return 'this source has no way back to the bus';
    if (!active) return 'the gateway is away';
    return claim.state === 'none_left' ? 'no address on the bus is free' : null;
  }

  return {
    get active() {
      return active;
    },
    setArmed(now) {
      armed = now;
      unconfirmed_ms = Number.POSITIVE_INFINITY;
      applyConditions();
    },
    connected() {
      unconfirmed_ms = monotonic();
    },
    renewLease() {
      leased_ms = monotonic();
      applyConditions();
    },
    receive(id, data) {
      const now = monotonic();
      claim.receive(id, data, now);
      const pgn = (id >>> 8) & 0x3ffff;
      const isAnswer = schedule.received(pgn, now);
      const frames = record.current;
      if (isAnswer && frames !== undefined) frames.answered[pgn] = (frames.answered[pgn] ?? 0) + 1;
    },
    tick() {
      applyConditions();
      if (!active) return;
      const now = monotonic();
      if (!source.report().sending) claim.stop();
      else if (claim.state === 'idle') claim.start(now);
      claim.tick(now);
      if (claim.address !== null) requestDueGroup(claim.address);
      if (record.current !== undefined && clock() - record.current.from_ms >= REPORT_MS) record.report();
    },
    report: () => ({ armed, active, address: claim.address, sent, why_not: whyNot() }),
    [Symbol.dispose]() {
      if (active) endSending('stopped');
    },
  };
}

/** An identity number of 21 bits from the name of a device (FNV-1a). */
function identityOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 21)) & 0x1fffff;
}
