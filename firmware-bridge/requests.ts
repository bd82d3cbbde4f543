/**
 * Requests totals, such as engine hours, that many engines send only on request (PGN 59904). The requester sends nothing until a person
 * allows requests for this machine; the settings of the device then contain the value `armed`.
 *
 *   gateway reports "armed" ──────────────────────┐
 *   gateway sent the time in the last 3 minutes ──┴▶ log entry ─▶ source opened for sending ─▶ address claimed ─▶ requests
 *
 * The requester does not request a group that a device broadcasts. It stops sending as soon as one of the two conditions on the left of the
 * diagram is no longer true.
 */
import { createAddressClaim, nameOf } from './address-claim.ts';
import { RequestRecord, type SentFrames } from './request-record.ts';
import { EVERY_MS, REQUESTED, RequestSchedule } from './request-schedule.ts';
import type { CanSource } from './source.ts';

export interface RequesterOptions {
  readonly source: Pick<CanSource, 'canSend' | 'allowSending' | 'send' | 'report'>;
  readonly device_id: string;
  /** Path of the file with the counts of sent frames that are not in the log of the device yet. */
  readonly file: string;
  /** Puts an entry into the log of the device; returns true when the entry is on disk, false when the write failed. */
  readonly event: (type: string, data: Readonly<Record<string, unknown>>) => boolean;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns the time in milliseconds of a clock that never goes back. The requester uses this clock to measure intervals. */
  readonly monotonic: () => number;
}

export interface Requester extends Disposable {
  /** Applies the setting that the gateway sent: true allows sending. */
  setArmed(armed: boolean): void;
  /** Call this when a new connection begins. If the gateway does not send the setting again within ten seconds, sending ends. */
  connected(): void;
  /** Call this when the gateway has sent its time, which shows that it is running. */
  renewLease(): void;
  /** Processes a 29-bit data frame from the bus. */
  receive(id: number, data: Uint8Array): void;
  /** True while sending is allowed. The caller needs to call `receive` only then. */
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

/** Sending ends after this many milliseconds without a time message of the gateway. The gateway sends a time message every minute. */
const LEASE_MS = 180_000;
/** After a new connection the gateway must send the setting again within this many milliseconds; otherwise sending ends. */
const CONFIRM_MS = 10_000;
/** The largest number of frames of any kind that are sent in a minute, including address claims. */
const MOST_IN_A_MINUTE = 30;
const REPORT_MS = 3_600_000;

const MINUTE_MS = 60_000;
const REQUEST_TO_ALL = 0x18eaff00;

/** Creates a requester; it sends nothing before `setArmed(true)`. */
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

  /**
   * Counts a frame on disk, and then sends it. Every frame of the requester is sent by this method. Returns false if the frame was not
   * sent.
   */
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
      // The count could not be written to disk, so the frame must not be sent.
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
    // The log of the device must have this entry before the first byte is sent.
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
    if (!this.options.source.canSend) return 'this source cannot send frames on the bus';
    if (!this.isActive) return 'the gateway is away';
    return this.claim.state === 'none_left' ? 'no address on the bus is free' : null;
  }
}

/** Returns an identity number for the NAME: a hash (FNV-1a) of the device_id. The NAME uses 21 bits of this number. */
function identityOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 21)) & 0x1fffff;
}
