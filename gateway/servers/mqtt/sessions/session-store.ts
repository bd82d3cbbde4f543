/** Changes the session state and its log together. The store applies each change in memory first, and then appends it to the log. */
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import type { LogRecord } from './log-format.ts';
import type { SessionLimits } from './session-limits.ts';
import { type LogFiles, openLog, type SessionLog } from './session-log.ts';
import { type Change, type Session, SessionState } from './session-state.ts';

/** The options of `SessionStore`: the folder of the log, the limits, and functions that the store calls. */
export interface StoreOptions {
  /** The folder of the log. If it is undefined, the store keeps sessions in memory only. */
  readonly folder: string | undefined;
  /** File operations; default: the functions of `node:fs`. */
  readonly files?: LogFiles | undefined;
  readonly limits: SessionLimits;
  /** Called when a session loses messages or ends because of a limit or an age. `id` is the client id, which begins with the device_id. */
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

/** Returns the device_id in a client id, which is the part before the first `/`; an empty string if there is none. */
export function ownerOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

/** Opens, changes and ends sessions within their limits. */
export class SessionStore {
  readonly state = new SessionState();
  readonly limits: SessionLimits;
  /** The broker object of aedes, the MQTT library. aedes calls `setup`, which sets this field. The id is different after each start. */
  broker = { id: '' };
  /** Number of messages that the store dropped because of a limit or their age. */
  dropped = 0;
  /** Number of sessions that the store ended because of a limit or their age. */
  ended = 0;
  log: SessionLog | undefined;
  private readonly options: StoreOptions;
  /** The client ids of all sessions, by device_id. */
  private readonly idsByOwner = new Map<string, Set<string>>();

  constructor(options: StoreOptions) {
    this.options = options;
    this.limits = options.limits;
  }

  /** Reads the log and restores the state. Call it once, before any other method. */
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

  /** Applies a change to the state; resolves when the change is on disk. */
  async change(change: Change): Promise<void> {
    this.state.apply(change);
    await this.log?.append(recordOf(change));
  }

  /** Applies a change on which no acknowledgement depends. If the write fails, the log writes the change again later. */
  changeInBackground(change: Change): void {
    this.change(change).catch(() => {});
  }

  /**
   * Returns the session of a client; creates it if there is none. If a limit of sessions is reached, first ends the session that has been
   * without a connection for the longest time.
   */
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

  /** Ends a session. If `reason` is set, also counts the session and its messages as lost, and reports the reason. */
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

  /** Counts dropped messages of a session, and reports the reason to `onDropped`. */
  countDropped(id: string, messages: number, reason: string): void {
    this.dropped += messages;
    this.options.onDropped(id, reason);
  }

  private addToOwner(id: string): void {
    const owner = ownerOf(id);
    this.idsByOwner.set(owner, (this.idsByOwner.get(owner) ?? new Set()).add(id));
  }

  /** Ends the session in `ids` that has been without a connection for the longest time. Does nothing if all of them have a connection. */
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
