/**
 * Limits the work of TLS handshakes. A handshake takes about a millisecond of the event loop, so a flood of them could block the gateway.
 * The handshakes of all listeners begin in turns. In each turn the waiting client addresses are served in rotation, so that a flood from one
 * address delays the other addresses only a little.
 */

/** In each turn at most this many handshakes begin; a turn lasts this many milliseconds. */
const PER_TURN = 4;
const TURN_MS = 10;
/** Most unfinished handshakes, of all addresses and of one address. */
const MOST = 256;
const MOST_EACH = 192;
/** Most waiting handshakes. Further clients are refused. */
const MOST_WAITING = 4_096;

/** Ends the place of a handshake: a waiting one no longer begins, and a running one no longer counts. A second call does nothing. */
export type Leave = () => void;

export interface HandshakeTurns {
  /** Calls `begin` when it is the turn of this client. Returns undefined if too many handshakes wait. */
  enter(address: string, begin: () => void): Leave | undefined;
}

/** The handshakes of one client address. */
interface Line {
  readonly waiting: Set<() => void>;
  running: number;
}

export function createHandshakeTurns(): HandshakeTurns {
  /** Lines in the order of their next turn. */
  const lines = new Map<string, Line>();
  let waiting = 0;
  let running = 0;
  let left = PER_TURN;
  let resting = false;

  /** Begins handshakes until this turn has no more places. A served line moves to the end, so the loop visits it again after the others. */
  function pass(): void {
    for (const [address, line] of lines) {
      if (left === 0 || running >= MOST || waiting === 0) break;
      const [begin] = line.waiting;
      if (begin === undefined || line.running >= MOST_EACH) continue;
      lines.delete(address);
      lines.set(address, line);
      begin();
    }
  }

  /** Allows the handshakes of the next turn, after a pause. */
  function rest(): void {
    if (resting) return;
    resting = true;
    setTimeout(() => {
      resting = false;
      left = PER_TURN;
      pass();
    }, TURN_MS);
  }

  return {
    enter(address, begin) {
      if (waiting >= MOST_WAITING) return undefined;
      const line = lines.get(address) ?? { waiting: new Set(), running: 0 };
      lines.set(address, line);
      let state: 'waiting' | 'running' | 'ended' = 'waiting';
      const start = (): void => {
        line.waiting.delete(start);
        waiting--;
        state = 'running';
        line.running++;
        running++;
        left--;
        rest();
        begin();
      };
      line.waiting.add(start);
      waiting++;
      pass();
      return () => {
        if (state === 'waiting') {
          line.waiting.delete(start);
          waiting--;
        }
        if (state === 'running') {
          line.running--;
          running--;
          if (waiting > 0) rest();
        }
        state = 'ended';
        if (line.running === 0 && line.waiting.size === 0) lines.delete(address);
      };
    },
  };
}
