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
  /** The setting from the gateway; only `armed: true` allows sending. */
  setArmed(armed: boolean): void;
  /** A new connection began: the setting of the connection before expires unless the gateway confirms it in ten seconds. */
  connected(): void;
  /** To be called when the gateway sent the time, which shows that it runs. */
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

/** Creates a requester, which is disarmed at first. */
export function createRequester(options: RequesterOptions): Requester {
  return new BusRequester(options);
}

class BusRequester implements Requester {
  private readonly options: RequesterOptions;
  private readonly schedule = new RequestSchedule();
  private readonly claim: ReturnType<typeof createAddressClaim>;
  private readonly record: RequestRecord;
  /** Times of the frames of the last minute. */
  private readonly recent: number[] = [];
  private armed = false;
  private leased_ms = Number.NEGATIVE_INFINITY;
  private unconfirmed_ms = Number.POSITIVE_INFINITY;
  private isActive = false;
  private sent = 0;

  constructor(options: RequesterOptions) {
    this.options = options;
    this.claim = createAddressClaim(nameOf(identityOf(options.device_id)), (id, data) =>
      this.send(id, data, (frames) => {
        frames.claims++;
      }),
    );
    this.record = new RequestRecord(options.file, options.event);
  }

  get active(): boolean {
    return this.isActive;
  }

  setArmed(now: boolean): void {
    this.armed = now;
    this.unconfirmed_ms = Number.POSITIVE_INFINITY;
    this.applyConditions();
  }

  connected(): void {
    this.unconfirmed_ms = this.options.monotonic();
  }

  renewLease(): void {
    this.leased_ms = this.options.monotonic();
    this.applyConditions();
  }

  receive(id: number, data: Uint8Array): void {
    const now = this.options.monotonic();
    this.claim.receive(id, data, now);
    const pgn = (id >>> 8) & 0x3ffff;
    const isAnswer = this.schedule.received(pgn, now);
    const frames = this.record.current;
    if (isAnswer && frames !== undefined) frames.answered[pgn] = (frames.answered[pgn] ?? 0) + 1;
  }

  tick(): void {
    this.applyConditions();
    if (!this.isActive) return;
    const { claim, record } = this;
    const { source, clock, monotonic } = this.options;
    const now = monotonic();
    if (!source.report().sending) claim.stop();
    else if (claim.state === 'idle') claim.start(now);
    claim.tick(now);
    if (claim.address !== null) this.requestDueGroup(claim.address);
    if (record.current !== undefined && clock() - record.current.from_ms >= REPORT_MS) record.report();
  }

  report(): ReturnType<Requester['report']> {
    const { armed, isActive: active, sent } = this;
    return { armed, active, address: this.claim.address, sent, why_not: this.whyNot() };
  }

  [Symbol.dispose](): void {
    if (this.isActive) this.endSending('stopped');
  }

  /** Sends a frame. Every frame passes here, and is on record before it is sent. */
  private send(id: number, data: Uint8Array, note: (frames: SentFrames) => void): boolean {
    const { recent, record } = this;
    const { source, clock, monotonic } = this.options;
    const now = monotonic();
    while (recent.length > 0 && (recent[0] as number) <= now - MINUTE_MS) recent.shift();
    if (!this.isActive || recent.length >= MOST_IN_A_MINUTE) {
      if (record.current !== undefined) record.current.held++;
      return false;
    }
    if (!source.report().sending) return false;
    if (!record.add(clock(), note)) {
      // A frame that cannot be recorded must not be sent.
      this.armed = false;
      this.applyConditions();
      return false;
    }
    if (!source.send(id, data)) return false;
    recent.push(now);
    this.sent++;
    return true;
  }

  /** Starts or ends sending when the conditions have changed. */
  private applyConditions(): void {
    const { source, event, monotonic } = this.options;
    if (monotonic() - this.unconfirmed_ms > CONFIRM_MS) this.armed = false;
    const allowed = this.armed && monotonic() - this.leased_ms < LEASE_MS && source.canSend;
    if (allowed === this.isActive) return;
    if (!allowed) {
      this.endSending(this.armed ? 'the gateway is away' : 'disarmed');
      return;
    }
    // The log must have the entry before the first byte is sent.
    if (!event('x.bus.sending_began', { groups: REQUESTED, every_s: EVERY_MS / 1000 })) {
      this.armed = false;
      return;
    }
    this.isActive = true;
    this.schedule.start(monotonic());
    source.allowSending(true);
  }

  private endSending(reason: string): void {
    this.isActive = false;
    this.options.source.allowSending(false);
    this.claim.stop();
    this.record.report();
    this.options.event('x.bus.sending_ended', { reason, frames: this.sent });
  }

  private requestDueGroup(address: number): void {
    const now = this.options.monotonic();
    const pgn = this.schedule.due(now);
    if (pgn === undefined) return;
    const data = Uint8Array.of(pgn & 255, (pgn >> 8) & 255, pgn >> 16);
    const isSent = this.send(REQUEST_TO_ALL | address, data, (frames) => {
      frames.address = address;
      frames.asked[pgn] = (frames.asked[pgn] ?? 0) + 1;
    });
    if (isSent) this.schedule.requested(pgn, now);
  }

  private whyNot(): string | null {
    if (!this.armed) return null;
    if (!this.options.source.canSend) return 'this source has no way back to the bus';
    if (!this.isActive) return 'the gateway is away';
    return this.claim.state === 'none_left' ? 'no address on the bus is free' : null;
  }
}

/** An identity number of 21 bits from the name of a device (FNV-1a). */
function identityOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 21)) & 0x1fffff;
}
