/**
 * Asks a machine for totals that many engines tell only when asked (PGN 59904): never, unless a person armed it for this machine.
 *
 *   gateway says armed ─┐
 *   gateway spoke in the last three minutes ─┴▶ on record ─▶ way opened ─▶ address claimed ─▶ one question at a time ─▶ on record, hourly
 *
 * What the bus tells by itself is not asked for. Whatever ends one of the two conditions ends everything at once.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createAddressClaim, nameOf } from './address-claim.ts';
import type { CanSource } from './source.ts';

/** The questions, by parameter group: engine hours, idle hours and idle fuel, fuel totals, vehicle hours. */
const ASKED = [65253, 65244, 65257, 65255] as const;

export interface RequesterOptions {
  readonly source: Pick<CanSource, 'canSend' | 'allowSending' | 'send' | 'report'>;
  readonly device_id: string;
  /** Where what was asked and not yet told is kept. */
  readonly file: string;
  /** An entry for the device's log; on disk when it returns, or false: the disk takes nothing. */
  readonly event: (type: string, data: Readonly<Record<string, unknown>>) => boolean;
  /** Milliseconds since 1970, and ones that never go back. */
  readonly clock: () => number;
  readonly monotonic: () => number;
}

export interface Requester extends Disposable {
  /** What the gateway said: anything but a clear yes is a no. */
  setArmed(armed: boolean): void;
  /** A connection began: what was said over the one before counts no longer than it takes to say it again. */
  connected(): void;
  /** The gateway spoke. */
  alive(): void;
  heard(id: number, data: Uint8Array): void;
  /** True while it listens to what is on the bus: only then `heard` matters. */
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

/** Without a word from the gateway for so long nothing is sent; it speaks every minute. */
const LEASE_MS = 180_000;
/** The settings come with every connection; without them in this time nothing is armed. */
const CONFIRM_MS = 10_000;
/** Asked for so often; much less often when nobody answered three times. */
const EVERY_MS = 300_000;
const UNANSWERED_EVERY_MS = 3_600_000;
const UNANSWERED = 3;
/** Before the first question: many machines tell hours once a minute. */
const LISTEN_MS = 90_000;
/** No group is asked for more often than this, whatever happens, and no two questions are nearer than that. */
const LEAST_MS = 60_000;
const BETWEEN_MS = 1_000;
/** Frames of any kind, claims too, in a minute. */
const MOST_IN_A_MINUTE = 30;
const TELL_MS = 3_600_000;

const MINUTE_MS = 60_000;
const REQUEST_TO_ALL = 0x18eaff00;

/** What was sent since the log was told last. */
interface Batch {
  readonly from_ms: number;
  to_ms: number;
  address: number | null;
  claims: number;
  /** Kept back by the bound. */
  held: number;
  readonly asked: Record<string, number>;
  readonly answered: Record<string, number>;
}

interface Question {
  readonly pgn: number;
  asked_ms: number;
  heard_ms: number;
  unanswered: number;
}

/** Begins disarmed. */
export function createRequester(options: RequesterOptions): Requester {
  const { source, event, clock, monotonic } = options;
  let armed = false;
  let alive_ms = Number.NEGATIVE_INFINITY;
  let unconfirmed_ms = Number.POSITIVE_INFINITY;
  let active = false;
  let sent = 0;
  let batch: Batch | undefined;
  /** When the frames of the last minute went out. */
  const recent: number[] = [];
  let lastAsk_ms = Number.NEGATIVE_INFINITY;
  let questions: Question[] = [];
  const claim = createAddressClaim(nameOf(identityOf(options.device_id)), (id, data) =>
    send(id, data, (batch) => {
      batch.claims++;
    }),
  );
  tellLeft();

  /** Every frame passes here, and is on record before it goes. */
  function send(id: number, data: Uint8Array, note: (batch: Batch) => void): boolean {
    const now = monotonic();
    while (recent.length > 0 && (recent[0] as number) <= now - MINUTE_MS) recent.shift();
    if (!active || recent.length >= MOST_IN_A_MINUTE) {
      if (batch !== undefined) batch.held++;
      return false;
    }
    if (!source.report().sending) return false;
    const at = clock();
    batch ??= { from_ms: at, to_ms: at, address: null, claims: 0, held: 0, asked: {}, answered: {} };
    batch.to_ms = at;
    note(batch);
    if (!keep(batch)) {
      // What cannot be put on record is not sent.
      armed = false;
      follow();
      return false;
    }
    if (!source.send(id, data)) return false;
    recent.push(now);
    sent++;
    return true;
  }

  /** On disk until it is told, so that a killed process tells it when it is back. */
  function keep(told: Batch): boolean {
    try {
      writeFileSync(`${options.file}.new`, JSON.stringify(told));
      renameSync(`${options.file}.new`, options.file);
      return true;
    } catch {
      return false;
    }
  }

  function tellBatch(more: Readonly<Record<string, unknown>> = {}): void {
    if (batch === undefined) return;
    const { from_ms, to_ms, ...rest } = batch;
    const time = (ms: number) => new Date(ms).toISOString();
    batch = undefined;
    if (event('x.bus.requests', { from: time(from_ms), to: time(to_ms), ...rest, ...more }))
      rmSync(options.file, { force: true });
  }

  function tellLeft(): void {
    try {
      batch = JSON.parse(readFileSync(options.file, 'utf8'));
    } catch {
      // Nothing was left.
    }
    tellBatch({ interrupted: true });
  }

  /** Begins or ends with the conditions. */
  function follow(): void {
    if (monotonic() - unconfirmed_ms > CONFIRM_MS) armed = false;
    const allowed = armed && monotonic() - alive_ms < LEASE_MS && source.canSend;
    if (allowed === active) return;
    if (allowed) {
      // On record before the first byte, or not at all.
      if (!event('x.bus.sending_began', { groups: ASKED, every_s: EVERY_MS / 1000 })) {
        armed = false;
        return;
      }
      active = true;
      const heard_ms = monotonic() - EVERY_MS + LISTEN_MS;
      questions = ASKED.map((pgn) => ({ pgn, asked_ms: Number.NEGATIVE_INFINITY, heard_ms, unanswered: 0 }));
      source.allowSending(true);
    } else {
      active = false;
      source.allowSending(false);
      claim.stop();
      tellBatch();
      event('x.bus.sending_ended', { reason: armed ? 'the gateway is away' : 'disarmed', frames: sent });
    }
  }

  function ask(address: number): void {
    const now = monotonic();
    if (now - lastAsk_ms < BETWEEN_MS) return;
    const due = questions.find(({ asked_ms, heard_ms, unanswered }) => {
      const every = unanswered >= UNANSWERED ? UNANSWERED_EVERY_MS : EVERY_MS;
      return now - Math.max(asked_ms, heard_ms) >= every && now - asked_ms >= LEAST_MS;
    });
    if (due === undefined) return;
    const { pgn } = due;
    const went = send(REQUEST_TO_ALL | address, Uint8Array.of(pgn & 255, (pgn >> 8) & 255, pgn >> 16), (batch) => {
      batch.address = address;
      batch.asked[pgn] = (batch.asked[pgn] ?? 0) + 1;
    });
    if (!went) return;
    lastAsk_ms = now;
    due.asked_ms = now;
    due.unanswered++;
  }

  return {
    get active() {
      return active;
    },
    setArmed(now) {
      armed = now;
      unconfirmed_ms = Number.POSITIVE_INFINITY;
      follow();
    },
    connected() {
      unconfirmed_ms = monotonic();
    },
    alive() {
      alive_ms = monotonic();
      follow();
    },
    heard(id, data) {
      const now = monotonic();
      claim.heard(id, data, now);
      const pgn = (id >>> 8) & 0x3ffff;
      const question = questions.find((one) => one.pgn === pgn);
      if (question === undefined) return;
      if (question.asked_ms > question.heard_ms && batch !== undefined)
        batch.answered[pgn] = (batch.answered[pgn] ?? 0) + 1;
      question.heard_ms = now;
      question.unanswered = 0;
    },
    tick() {
      follow();
      if (!active) return;
      const now = monotonic();
      if (!source.report().sending) claim.stop();
      else if (claim.state === 'idle') claim.start(now);
      claim.tick(now);
      if (claim.address !== null) ask(claim.address);
      if (batch !== undefined && clock() - batch.from_ms >= TELL_MS) tellBatch();
    },
    report: () => ({
      armed,
      active,
      address: claim.address,
      sent,
      why_not: !armed
        ? null
        : !source.canSend
          ? 'this source has no way back to the bus'
          : !active
            ? 'the gateway is away'
            : claim.state === 'none_left'
              ? 'no address on the bus is free'
              : null,
    }),
    [Symbol.dispose]() {
      if (!active) return;
      active = false;
      source.allowSending(false);
      claim.stop();
      tellBatch();
      event('x.bus.sending_ended', { reason: 'stopped', frames: sent });
    },
  };
}

/** 21 bits of a device's name (FNV-1a). */
function identityOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 21)) & 0x1fffff;
}
