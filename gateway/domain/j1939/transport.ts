/**
 * Passive reassembly of J1939-21 transport (TP.BAM and TP.CMDT), on frame time.
 *
 *   BAM   SA -> all   20 size size n FF pgn    then DT 1..n from SA, in order
 *   CMDT  SA -> DA    10 size size n max pgn   RTS; DA answers CTS (11 n next), DT may be re-sent, EOMA (13) closes
 *   both  FF reason .. pgn                     abort, from either side
 *
 * Invariants: at most one session per (bus, SA, DA) and MAX_SESSIONS in all; a session leaves by completion or by exactly one
 * counted loss; nothing here waits on a clock: silence is the distance between frame times.
 */
import { GLOBAL_ADDRESS, readPgn } from './identifier.ts';

/** Sessions at once over all buses: 256 sources, one broadcast and one connection each. */
export const MAX_SESSIONS = 512;

/** A reassembled message; `data` holds `size` bytes and belongs to the receiver. */
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

/** Parameter groups that are told apart in `completed_pgns`. */
const MAX_PGNS = 64;

/** What became of sessions, and why frames were passed over. */
export interface TransportCounters {
  completed: number;
  /** The same by PGN in decimal, for the first 64 groups. */
  readonly completed_pgns: Record<string, number>;
  /** Abort from either side. */
  aborted: number;
  /** Silence beyond T1..T4, or a clock that jumped. */
  timeout: number;
  /** A new announcement for the same key, or an answer to one that was not heard. */
  replaced: number;
  /** A broadcast packet out of order. */
  sequence: number;
  /** A packet number beyond the announced ones, or a packet too short. */
  malformed: number;
  /** The receiver closed the connection while we missed packets. */
  incomplete: number;
  /** Gave way to a newer session at the bound. */
  evicted: number;
  /** Announcements that cannot be: size outside 9..1785, packet count that does not fit. */
  invalid: number;
  /** Data packets that belong to no session. */
  orphans: number;
  /** Extended transport, above 1785 bytes. */
  extended: number;
}

interface Session {
  readonly pgn: number;
  readonly size: number;
  readonly packets: number;
  readonly data: Uint8Array;
  /** Packet numbers heard, one flag each. */
  readonly heard: Uint8Array;
  count: number;
  /** Last packet that the open CTS asks for; 0 when no CTS was heard. */
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

export interface TransportSnapshot {
  readonly sessions: readonly SessionSnapshot[];
  readonly counters: TransportCounters;
}

export interface Transport {
  readonly counters: TransportCounters;
  /** TP.CM: eight bytes of `data` from `at`. */
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
  /** TP.DT: the finished message when this packet completes one. */
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
  /** Drops what has been silent too long by this frame time. */
  sweep(t_us: number): void;
  snapshot(): TransportSnapshot;
}

// J1939-21: gap between packets; no packet after CTS; sender waits for CTS or EOMA; after a CTS that holds.
const T1 = 750_000;
const T2 = 1_250_000;
const T3 = 1_250_000;
const T4 = 1_050_000;
/** Frames without a time of their own have that of their message's receipt: packets of one session come messages apart. */
const UNDATED = 60_000_000;

const RTS = 0x10;
const CTS = 0x11;
const EOMA = 0x13;
const BAM = 0x20;
const ABORT = 0xff;

const MIN_SIZE = 9;
const MAX_SIZE = 1785;

/** Counters at zero. */
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

/** A listener with no session, or with those of a snapshot; a snapshot entry that cannot be is left out. */
export function createTransport(snapshot?: TransportSnapshot): Transport {
  const counters: TransportCounters = { ...noCounters(), ...structuredClone(snapshot?.counters) };
  let pgns = Object.keys(counters.completed_pgns).length;
  // Insertion order is age order: a replaced key is deleted first.
  const sessions = new Map<number, Session>();
  for (const entry of snapshot?.sessions ?? []) {
    const session = restore(entry);
    if (session && sessions.size < MAX_SESSIONS) sessions.set(entry.key, session);
  }

  const open = (key: number, session: Session) => {
    if (sessions.delete(key)) counters.replaced++;
    if (sessions.size >= MAX_SESSIONS) {
      const oldest = sessions.keys().next();
      if (!oldest.done) sessions.delete(oldest.value);
      counters.evicted++;
    }
    sessions.set(key, session);
  };

  /** The live session of a key; one that fell silent, or whose clock jumped back, is dropped here. */
  const find = (key: number, t_us: number) => {
    const session = sessions.get(key);
    if (session !== undefined && Math.abs(t_us - session.t_us) > session.limit_us) {
      sessions.delete(key);
      counters.timeout++;
      return undefined;
    }
    return session;
  };

  const drop = (key: number, pgn: number, t_us: number, reason: 'aborted' | 'incomplete') => {
    const session = find(key, t_us);
    if (session === undefined || session.pgn !== pgn) return;
    sessions.delete(key);
    counters[reason]++;
  };

  return {
    counters,
    control(t_us, bus, sa, da, data, at, length, undated = false) {
      if (length < 8) {
        counters.invalid++;
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
          counters.invalid++;
          return;
        }
        const key = keyOf(bus, sa, da);
        find(key, t_us);
        open(key, newSession(pgn, size, undated ? UNDATED : broadcast ? T1 : T3, t_us));
      } else if (kind === CTS) {
        const key = keyOf(bus, da, sa);
        const session = find(key, t_us);
        if (session === undefined || da === GLOBAL_ADDRESS) return;
        const wanted = data[at + 1] as number;
        if (session.pgn !== pgn || (wanted > 0 && (data[at + 2] as number) > session.packets)) {
          // It answers an announcement that was not heard: what comes next belongs to that one.
          sessions.delete(key);
          counters.replaced++;
          return;
        }
        session.until = wanted === 0 ? 0 : (data[at + 2] as number) + wanted - 1;
        session.limit_us = undated ? UNDATED : wanted === 0 ? T4 : T2;
        session.t_us = t_us;
      } else if (kind === EOMA) {
        drop(keyOf(bus, da, sa), pgn, t_us, 'incomplete');
      } else if (kind === ABORT) {
        drop(keyOf(bus, sa, da), pgn, t_us, 'aborted');
        if (da !== GLOBAL_ADDRESS) drop(keyOf(bus, da, sa), pgn, t_us, 'aborted');
      } else counters.invalid++;
    },
    packet(t_us, bus, sa, da, data, at, length, frame, undated = false) {
      const key = keyOf(bus, sa, da);
      const session = find(key, t_us);
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
      if (session.heard[number] === 0) {
        session.heard[number] = 1;
        session.count++;
      }
      session.t_us = t_us;
      // Within the packets that a heard CTS asks for, the sender keeps T1; elsewhere the next move is the receiver's.
      session.limit_us = undated ? UNDATED : da === GLOBAL_ADDRESS || number < session.until ? T1 : T3;
      if (session.count < session.packets) return undefined;
      sessions.delete(key);
      counters.completed++;
      const byPgn = counters.completed_pgns;
      const soFar = byPgn[session.pgn];
      if (soFar !== undefined) byPgn[session.pgn] = soFar + 1;
      else if (pgns < MAX_PGNS) {
        byPgn[session.pgn] = 1;
        pgns++;
      }
      return { pgn: session.pgn, bus, sa, da, t_us, frame, data: session.data, size: session.size };
    },
    sweep(t_us) {
      for (const [key, session] of sessions) {
        if (Math.abs(t_us - session.t_us) <= session.limit_us) continue;
        sessions.delete(key);
        counters.timeout++;
      }
    },
    snapshot() {
      return {
        sessions: [...sessions].map(([key, session]) => save(key, session)),
        counters: structuredClone(counters),
      };
    },
  };
}

function newSession(pgn: number, size: number, limit_us: number, t_us: number): Session {
  const packets = Math.ceil(size / 7);
  return {
    pgn,
    size,
    packets,
    data: new Uint8Array(size),
    heard: new Uint8Array(packets + 1),
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
  const heard = [...session.heard.keys()].filter((number) => session.heard[number] === 1);
  return { key, pgn, size, data, heard, until, limit_us, t_us };
}

function restore(entry: SessionSnapshot): Session | undefined {
  if (!(entry.size >= MIN_SIZE && entry.size <= MAX_SIZE) || entry.data.length !== entry.size * 2) return undefined;
  const session = newSession(entry.pgn, entry.size, entry.limit_us, entry.t_us);
  for (let i = 0; i < entry.size; i++) session.data[i] = Number.parseInt(entry.data.slice(i * 2, i * 2 + 2), 16);
  for (const number of entry.heard) {
    if (number < 1 || number > session.packets || session.heard[number] === 1) return undefined;
    session.heard[number] = 1;
    session.count++;
  }
  session.until = entry.until;
  return session;
}
