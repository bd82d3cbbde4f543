/**
 * Reassembles messages of the J1939-21 transport protocol (TP.BAM and TP.CMDT). It only listens and sends no answers.
 *
 *   BAM   SA -> all   20 size size n FF pgn    then DT 1..n from SA, in order
 *   CMDT  SA -> DA    10 size size n max pgn   RTS; DA answers CTS (11 n next), SA may send DT again, DA closes with EOMA (13)
 *   both  FF reason .. pgn                     abort, from either side
 *
 * Invariants: there is at most one open session per (bus, SA, DA), and at most MAX_SESSIONS in all. A session ends when its message is
 * complete or lost; exactly one counter counts a lost session. The listener does not read the clock. It compares the times of frames to
 * detect a timeout.
 */
import { GLOBAL_ADDRESS, readPgn } from './identifier.ts';

/**
 * Largest number of open sessions on all buses together. This number is enough: each of 256 source addresses can have one broadcast and one
 * connection at a time.
 */
export const MAX_SESSIONS = 512;

/** A reassembled message. `data` has `size` bytes, and belongs to the caller. */
export interface TransportMessage {
  readonly pgn: number;
  readonly bus: number;
  readonly sa: number;
  readonly da: number;
  readonly t_us: number;
  readonly frame: number;
  readonly data: Uint8Array;
  readonly size: number;
}

/** Largest number of parameter groups in `completed_pgns`. */
const MAX_PGNS = 64;

/** Counts how sessions ended, and why frames were ignored. */
export interface TransportCounters {
  completed: number;
  /** The number of completed messages by PGN (a decimal number as text), for the first 64 groups. */
  readonly completed_pgns: Record<string, number>;
  /** Sessions that the sender or the receiver aborted. */
  aborted: number;
  /** Sessions in which no frame came within the timeout (T1 to T4), or during which the clock of the frames jumped. */
  timeout: number;
  /**
   * Sessions that ended because the sender began another message with the same bus, SA and DA. The listener saw the announcement of the
   * other message, or only the receiver's answer to that announcement.
   */
  replaced: number;
  /** Broadcasts that ended because a packet was out of order. */
  sequence: number;
  /** Sessions that ended because a packet had a number that was not announced, or was too short. */
  malformed: number;
  /**
   * Connections that the receiver confirmed as complete, although the listener did not see all packets. So the message could not be
   * assembled.
   */
  incomplete: number;
  /** Sessions that were dropped for a newer session, because there were too many sessions. */
  evicted: number;
  /** Invalid announcements: a size outside 9 to 1785, or a packet count that does not match the size. */
  invalid: number;
  /** The number of data packets that belong to no session. */
  orphans: number;
  /** Frames of extended transport, for messages of more than 1785 bytes; they are not decoded. */
  extended: number;
}

interface Session {
  readonly pgn: number;
  readonly size: number;
  readonly packets: number;
  readonly data: Uint8Array;
  /** One flag for each packet number: 1 if the packet was received. */
  readonly received: Uint8Array;
  count: number;
  /** The number of the last packet that the last CTS asks for; 0 if no CTS was observed. */
  until: number;
  limit_us: number;
  t_us: number;
}

/** A session as plain JSON. */
interface SessionSnapshot {
  readonly key: number;
  readonly pgn: number;
  readonly size: number;
  readonly data: string;
  readonly heard: readonly number[];
  readonly until: number;
  readonly limit_us: number;
  readonly t_us: number;
}

/** Open sessions and counters as plain JSON. */
export interface TransportSnapshot {
  readonly sessions: readonly SessionSnapshot[];
  readonly counters: TransportCounters;
}

/** Listens to the transport protocol on all buses of a device, and never sends. */
export interface Transport {
  readonly counters: TransportCounters;
  /** Handles a TP.CM frame: the eight bytes of `data` from `at` on. */
  control(
    t_us: number,
    bus: number,
    sa: number,
    da: number,
    data: Uint8Array,
    at: number,
    length: number,
    undated?: boolean,
  ): void;
  /** Handles a TP.DT frame; returns the message if this packet completes it. */
  packet(
    t_us: number,
    bus: number,
    sa: number,
    da: number,
    data: Uint8Array,
    at: number,
    length: number,
    frame: number,
    undated?: boolean,
  ): TransportMessage | undefined;
  /** Drops the sessions that have timed out; `t_us` is the time of the newest frame. */
  sweep(t_us: number): void;
  snapshot(): TransportSnapshot;
}

// The timeouts of J1939-21 in microseconds: T1 between packets, T2 after CTS, T3 while the sender waits for CTS or EOMA, and T4 after a
// CTS that asks the sender to wait.
const T1 = 750_000;
const T2 = 1_250_000;
const T3 = 1_250_000;
const T4 = 1_050_000;
/**
 * The timeout for frames without their own time, in microseconds. These frames get the receive time of their MQTT message. The timeout is
 * long, because the frames of a session may come in several MQTT messages.
 */
const UNDATED = 60_000_000;

const RTS = 0x10;
const CTS = 0x11;
const EOMA = 0x13;
const BAM = 0x20;
const ABORT = 0xff;

const MIN_SIZE = 9;
const MAX_SIZE = 1785;

/** Returns counters that are all zero. */
function noCounters(): TransportCounters {
  return {
    completed: 0,
    completed_pgns: {},
    aborted: 0,
    timeout: 0,
    replaced: 0,
    sequence: 0,
    malformed: 0,
    incomplete: 0,
    evicted: 0,
    invalid: 0,
    orphans: 0,
    extended: 0,
  };
}

const keyOf = (bus: number, sa: number, da: number) => (bus << 16) | (sa << 8) | da;

/** Creates a listener without sessions, or with the sessions of a snapshot; invalid entries of the snapshot are skipped. */
export function createTransport(snapshot?: TransportSnapshot): Transport {
  return new TransportListener(snapshot);
}

class TransportListener implements Transport {
  readonly counters: TransportCounters;
  /** How many keys `completed_pgns` has, so that they need not be counted again. */
  private pgns: number;
  /** Open sessions, the oldest first: a replaced session is deleted before the new one is added. */
  private readonly sessions = new Map<number, Session>();

  constructor(snapshot: TransportSnapshot | undefined) {
    this.counters = { ...noCounters(), ...structuredClone(snapshot?.counters) };
    this.pgns = Object.keys(this.counters.completed_pgns).length;
    for (const entry of snapshot?.sessions ?? []) {
      const session = restore(entry);
      if (session && this.sessions.size < MAX_SESSIONS) this.sessions.set(entry.key, session);
    }
  }

  control(
    t_us: number,
    bus: number,
    sa: number,
    da: number,
    data: Uint8Array,
    at: number,
    length: number,
    undated = false,
  ): void {
    if (length < 8) {
      this.counters.invalid++;
      return;
    }
    const kind = data[at] as number;
    const pgn = readPgn(data, at + 5);
    if (kind === BAM || kind === RTS) {
      const size = (data[at + 1] as number) | ((data[at + 2] as number) << 8);
      const packets = data[at + 3] as number;
      const broadcast = kind === BAM;
      const fits = size >= MIN_SIZE && size <= MAX_SIZE && packets === Math.ceil(size / 7);
      if (!fits || broadcast !== (da === GLOBAL_ADDRESS)) {
        this.counters.invalid++;
        return;
      }
      const key = keyOf(bus, sa, da);
      this.find(key, t_us);
      this.open(key, newSession(pgn, size, undated ? UNDATED : broadcast ? T1 : T3, t_us));
    } else if (kind === CTS) {
      if (da !== GLOBAL_ADDRESS) this.clearToSend(keyOf(bus, da, sa), t_us, pgn, data, at, undated);
      else this.find(keyOf(bus, da, sa), t_us);
    } else if (kind === EOMA) {
      this.drop(keyOf(bus, da, sa), pgn, t_us, 'incomplete');
    } else if (kind === ABORT) {
      this.drop(keyOf(bus, sa, da), pgn, t_us, 'aborted');
      if (da !== GLOBAL_ADDRESS) this.drop(keyOf(bus, da, sa), pgn, t_us, 'aborted');
    } else this.counters.invalid++;
  }

  packet(
    t_us: number,
    bus: number,
    sa: number,
    da: number,
    data: Uint8Array,
    at: number,
    length: number,
    frame: number,
    undated = false,
  ): TransportMessage | undefined {
    const { sessions, counters } = this;
    const key = keyOf(bus, sa, da);
    const session = this.find(key, t_us);
    if (session === undefined) {
      counters.orphans++;
      return undefined;
    }
    const number = length > 0 ? (data[at] as number) : 0;
    const from = (number - 1) * 7;
    const bytes = Math.min(7, session.size - from);
    if (number < 1 || number > session.packets || length < bytes + 1) {
      sessions.delete(key);
      counters.malformed++;
      return undefined;
    }
    if (da === GLOBAL_ADDRESS && number !== session.count + 1) {
      sessions.delete(key);
      counters.sequence++;
      return undefined;
    }
    for (let i = 0; i < bytes; i++) session.data[from + i] = data[at + 1 + i] as number;
    if (session.received[number] === 0) {
      session.received[number] = 1;
      session.count++;
    }
    session.t_us = t_us;
    // Between the packets that a CTS asks for, the timeout is T1. After the last of these packets the receiver must answer within T3.
    session.limit_us = undated ? UNDATED : da === GLOBAL_ADDRESS || number < session.until ? T1 : T3;
    if (session.count < session.packets) return undefined;
    sessions.delete(key);
    this.countCompleted(session.pgn);
    return { pgn: session.pgn, bus, sa, da, t_us, frame, data: session.data, size: session.size };
  }

  sweep(t_us: number): void {
    for (const [key, session] of this.sessions) {
      if (Math.abs(t_us - session.t_us) <= session.limit_us) continue;
      this.sessions.delete(key);
      this.counters.timeout++;
    }
  }

  snapshot(): TransportSnapshot {
    return {
      sessions: [...this.sessions].map(([key, session]) => save(key, session)),
      counters: structuredClone(this.counters),
    };
  }

  /** Handles a CTS, with which the receiver allows the sender to send the next packets. */
  private clearToSend(key: number, t_us: number, pgn: number, data: Uint8Array, at: number, undated: boolean): void {
    const session = this.find(key, t_us);
    if (session === undefined) return;
    const wanted = data[at + 1] as number;
    if (session.pgn !== pgn || (wanted > 0 && (data[at + 2] as number) > session.packets)) {
      // This CTS does not fit the session, so it answers an announcement that the listener missed. The next packets belong to that message,
      // so the old session ends.
      this.sessions.delete(key);
      this.counters.replaced++;
      return;
    }
    session.until = wanted === 0 ? 0 : (data[at + 2] as number) + wanted - 1;
    session.limit_us = undated ? UNDATED : wanted === 0 ? T4 : T2;
    session.t_us = t_us;
  }

  private open(key: number, session: Session): void {
    const { sessions, counters } = this;
    if (sessions.delete(key)) counters.replaced++;
    if (sessions.size >= MAX_SESSIONS) {
      const oldest = sessions.keys().next();
      if (!oldest.done) sessions.delete(oldest.value);
      counters.evicted++;
    }
    sessions.set(key, session);
  }

  /**
   * Returns the session of a key. If the timeout of the session has passed, or the clock of the frames jumped back, drops the session and
   * returns undefined.
   */
  private find(key: number, t_us: number): Session | undefined {
    const session = this.sessions.get(key);
    if (session !== undefined && Math.abs(t_us - session.t_us) > session.limit_us) {
      this.sessions.delete(key);
      this.counters.timeout++;
      return undefined;
    }
    return session;
  }

  private drop(key: number, pgn: number, t_us: number, reason: 'aborted' | 'incomplete'): void {
    const session = this.find(key, t_us);
    if (session === undefined || session.pgn !== pgn) return;
    this.sessions.delete(key);
    this.counters[reason]++;
  }

  private countCompleted(pgn: number): void {
    this.counters.completed++;
    const byPgn = this.counters.completed_pgns;
    const known = byPgn[pgn];
    if (known !== undefined) byPgn[pgn] = known + 1;
    else if (this.pgns < MAX_PGNS) {
      byPgn[pgn] = 1;
      this.pgns++;
    }
  }
}

function newSession(pgn: number, size: number, limit_us: number, t_us: number): Session {
  const packets = Math.ceil(size / 7);
  return {
    pgn,
    size,
    packets,
    data: new Uint8Array(size),
    received: new Uint8Array(packets + 1),
    count: 0,
    until: 0,
    limit_us,
    t_us,
  };
}

function save(key: number, session: Session): SessionSnapshot {
  const { pgn, size, until, limit_us, t_us } = session;
  let data = '';
  for (const byte of session.data) data += byte.toString(16).padStart(2, '0');
  const heard = [...session.received.keys()].filter((number) => session.received[number] === 1);
  return { key, pgn, size, data, heard, until, limit_us, t_us };
}

function restore(entry: SessionSnapshot): Session | undefined {
  if (!(entry.size >= MIN_SIZE && entry.size <= MAX_SIZE) || entry.data.length !== entry.size * 2) return undefined;
  const session = newSession(entry.pgn, entry.size, entry.limit_us, entry.t_us);
  for (let i = 0; i < entry.size; i++) session.data[i] = Number.parseInt(entry.data.slice(i * 2, i * 2 + 2), 16);
  for (const number of entry.heard) {
    if (number < 1 || number > session.packets || session.received[number] === 1) return undefined;
    session.received[number] = 1;
    session.count++;
  }
  session.until = entry.until;
  return session;
}
