/**
 * The session state together with its log. Every change is applied in memory first and then appended to the log; a promise resolves
 * when the change is on disk.
 */
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import type { LogRecord } from './log-format.ts';
import type { SessionLimits } from './session-limits.ts';
import { type LogFiles, openLog, type SessionLog } from './session-log.ts';
import { type Change, type Session, SessionState } from './session-state.ts';

/** Where the log is, the limits, and what the store calls. */
export interface StoreOptions {
  /** The folder of the log. Undefined: sessions are kept in memory only. */
  readonly folder: string | undefined;
  /** Default: those of `node:fs`. */
  readonly files?: LogFiles | undefined;
  readonly limits: SessionLimits;
  /** Called when a limit or an age drops messages of a session, or ends it; `id` is the client id. */
  readonly onDropped: (id: string, reason: string) => void;
  readonly warn: (message: string, data: object) => void;
}

function recordOf(change: Change): LogRecord {
  if (!('packet' in change)) return { head: change, payload: EMPTY_BUFFER };
  const { payload = EMPTY_BUFFER, ...packet } = change.packet;
  return { head: { ...change, packet }, payload: typeof payload === 'string' ? Buffer.from(payload) : payload };
}

function changeOf(head: unknown, payload: Buffer): Change {
  const change = head as Change;
  return 'packet' in change ? { ...change, packet: { ...change.packet, payload } } : change;
}

/** The device_id in a client id; empty when it has none. */
export function ownerOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

/** Opens, changes and ends sessions within their limits. */
export class SessionStore {
  readonly state = new SessionState();
  readonly limits: SessionLimits;
  /** The aedes instance, which sets it with `setup`. Its id changes with every start. */
  broker = { id: '' };
  /** Messages that were dropped, and sessions that were ended, because of a limit or their age. */
  dropped = 0;
  ended = 0;
  log: SessionLog | undefined;
  private readonly options: StoreOptions;
  /** The client ids of each device that has a session. */
  private readonly idsByOwner = new Map<string, Set<string>>();

  constructor(options: StoreOptions) {
    this.options = options;
    this.limits = options.limits;
  }

  /** Reads the log. Call it once, before anything else. */
  async load(): Promise<void> {
    const { folder, files, limits, warn } = this.options;
    if (folder !== undefined)
      this.log = await openLog({
        folder,
        files,
        rewriteBytes: limits.logBytes,
        read: (head, payload) => this.state.apply(changeOf(head, payload)),
        state: () => this.state.asChanges().map(recordOf),
        warn,
      });
    for (const id of this.state.sessions.keys()) this.addToOwner(id);
  }

  /** Applies a change; resolves when it is on disk. */
  async change(change: Change): Promise<void> {
    this.state.apply(change);
    await this.log?.append(recordOf(change));
  }

  /** Applies a change that no acknowledgement depends on; a failed write is ignored here, and the log retries it. */
  changeInBackground(change: Change): void {
    this.change(change).catch(() => {});
  }

  /** The session of a client. A new one may end the oldest unconnected session of the device, or of all devices. */
  openSession(id: string): Session {
    const known = this.state.sessions.get(id);
    if (known !== undefined) return known;
    const siblings = this.idsByOwner.get(ownerOf(id));
    if (siblings !== undefined && siblings.size >= this.limits.perOwner) this.endOldest(siblings, 'too many sessions');
    if (this.state.sessions.size >= this.limits.sessions)
      this.endOldest(this.state.sessions.keys(), 'too many sessions on this gateway');
    this.changeInBackground({ do: 'open', id });
    this.addToOwner(id);
    return this.state.sessions.get(id) as Session;
  }

  /** Ends a session. With a `reason`, the end is counted and reported as forced. */
  endSession(id: string, reason: string | undefined): Promise<void> {
    const session = this.state.sessions.get(id);
    if (session === undefined) return Promise.resolve();
    const owner = this.idsByOwner.get(ownerOf(id));
    if (owner?.delete(id) && owner.size === 0) this.idsByOwner.delete(ownerOf(id));
    if (reason !== undefined) {
      this.ended++;
      this.countDropped(id, session.queue.length, reason);
    }
    return this.change({ do: 'end', id });
  }

  /** Counts and reports dropped messages of a session. */
  countDropped(id: string, messages: number, reason: string): void {
    this.dropped += messages;
    this.options.onDropped(id, reason);
  }

  private addToOwner(id: string): void {
    const owner = ownerOf(id);
    this.idsByOwner.set(owner, (this.idsByOwner.get(owner) ?? new Set()).add(id));
  }

  /** Ends the session that has been without a connection for the longest time; does nothing when all are connected. */
  private endOldest(ids: Iterable<string>, reason: string): void {
    let oldest: Session | undefined;
    for (const id of ids) {
      const session = this.state.sessions.get(id);
      if (
        session !== undefined &&
        session.connection === undefined &&
        session.lastSeenHour < (oldest?.lastSeenHour ?? Infinity)
      )
        oldest = session;
    }
    if (oldest !== undefined) this.endSession(oldest.id, reason).catch(() => {});
  }
}
