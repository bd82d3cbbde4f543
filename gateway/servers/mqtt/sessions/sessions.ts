/**
 * Durable sessions for aedes: subscriptions, retained messages, what waits for a client, what of QoS 2 is under way, last wills.
 * All of it is in memory; a promise that an answer depends on resolves when the log has it.
 *
 * Messages of QoS 1 may go out before the log has their packet id: what a crash costs is the DUP mark of one that is sent again.
 */
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { type Due, dueOf } from '#servers/mqtt/protocol/expected-acks.ts';
import { isWild, matches } from '#servers/mqtt/protocol/topics.ts';
import type { SessionClient, SessionCounters, SessionLimits } from './session-limits.ts';
import { type LogFiles, type LogRecord, openLog, type RecordLog } from './session-log.ts';
import {
  type Change,
  createSessionState,
  type Entry,
  type Packet,
  type Session,
  type Subscription,
  sizeOf,
} from './session-state.ts';

interface SessionsOptions {
  /** Undefined: nothing outlives the process. */
  readonly folder: string | undefined;
  /** Node's when absent. */
  readonly files?: LogFiles | undefined;
  readonly limits: SessionLimits;
  /** Whether a client may have a subscription; aedes stores refused ones too when one of their packet is granted. */
  readonly permits: (client: SessionClient, filter: string) => boolean;
  /** Something of a session gave way, told with its client id. */
  readonly gaveWay: (id: string, reason: string) => void;
  /** Its connection must end: what it would be told next is not on disk. */
  readonly hangUp: (client: SessionClient) => void;
  readonly tell: (message: string, data: object) => void;
}

const NOTHING = new Uint8Array();
const HOURS_A_DAY = 24;
/** The greatest packet id. */
const MAX_ID = 65_535;

function recordOf(change: Change): LogRecord {
  if (!('packet' in change)) return { head: change, payload: NOTHING };
  const { payload = NOTHING, ...packet } = change.packet;
  return { head: { ...change, packet }, payload: typeof payload === 'string' ? Buffer.from(payload) : payload };
}

function changeOf(head: unknown, payload: Buffer): Change {
  const change = head as Change;
  return 'packet' in change ? { ...change, packet: { ...change.packet, payload } } : change;
}

const ownerOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('/')));

/** Where the longest run of packet ids begins that no entry has: aedes counts on from there. [MQTT-2.3.1-2] */
function freeId(queue: readonly Entry[]): number {
  const used = queue.flatMap(({ messageId }) => messageId ?? []).sort((a, b) => a - b);
  let best = 1;
  let longest = (used[0] ?? MAX_ID + 1) - 1;
  for (const [i, id] of used.entries()) {
    // Behind the last come those before the first.
    const run = i + 1 < used.length ? (used[i + 1] as number) - id - 1 : MAX_ID - id + (used[0] as number) - 1;
    if (run < longest || (run === longest && i === 0)) continue;
    longest = run;
    best = (id % MAX_ID) + 1;
  }
  return best;
}

/** What aedes gets of an entry: an object of its own. */
function toPacket({ packet, messageId, released }: Entry): Packet {
  return released ? { cmd: 'pubrel', messageId } : { ...packet, messageId };
}

function stored(packet: Packet): Packet {
  const { topic = '', payload = NOTHING, qos = 0, brokerId = null, brokerCounter = 0 } = packet;
  // [MQTT-3.3.1-9]: to a subscription that exists already it is not a retained message.
  return { cmd: 'publish', brokerId, brokerCounter, topic, payload, qos, retain: false, dup: false };
}

/** The sessions of all clients. */
export type Sessions = Awaited<ReturnType<typeof openSessions>>;

/** The persistence that aedes calls, and what the broker asks besides. Reads what the folder holds; rejects with Node's error, or when the log is of another kind. */
export async function openSessions(options: SessionsOptions) {
  const { limits, gaveWay } = options;
  const state = createSessionState();
  /** QoS 2 messages of clean clients; gone with their connection. */
  const passing = new Map<string, Map<number, Packet>>();
  const owners = new Map<string, Set<string>>();
  let broker = { id: '' };
  let dropped = 0;
  let ended = 0;
  const log: RecordLog | undefined =
    options.folder === undefined
      ? undefined
      : await openLog({
          folder: options.folder,
          files: options.files,
          small: limits.logBytes,
          read: (head, payload) => state.apply(changeOf(head, payload)),
          state: () => state.all().map(recordOf),
          tell: options.tell,
        });
  for (const id of state.sessions.keys()) own(id);

  function own(id: string): void {
    const owner = ownerOf(id);
    owners.set(owner, (owners.get(owner) ?? new Set()).add(id));
  }

  async function change(what: Change): Promise<void> {
    state.apply(what);
    await log?.append(recordOf(what));
  }

  /** For what no answer depends on. */
  function note(what: Change): void {
    change(what).catch(() => {});
  }

  function end(id: string, reason: string | undefined): Promise<void> {
    const session = state.sessions.get(id);
    if (session === undefined) return Promise.resolve();
    const owner = owners.get(ownerOf(id));
    if (owner?.delete(id) && owner.size === 0) owners.delete(ownerOf(id));
    if (reason !== undefined) {
      ended++;
      dropped += session.queue.length;
      gaveWay(id, reason);
    }
    return change({ do: 'end', id });
  }

  /** Ends the one that has been alone longest. */
  function makeRoom(ids: Iterable<string>, reason: string): void {
    let oldest: Session | undefined;
    for (const id of ids) {
      const session = state.sessions.get(id);
      if (session?.online === undefined && session !== undefined && session.seen < (oldest?.seen ?? Infinity))
        oldest = session;
    }
    if (oldest !== undefined) end(oldest.id, reason).catch(() => {});
  }

  /** The session of a client, made when there is none. */
  function opened(id: string): Session {
    const known = state.sessions.get(id);
    if (known !== undefined) return known;
    const siblings = owners.get(ownerOf(id));
    if (siblings !== undefined && siblings.size >= limits.perOwner) makeRoom(siblings, 'too many sessions');
    if (state.sessions.size >= limits.sessions) makeRoom(state.sessions.keys(), 'too many sessions on this gateway');
    note({ do: 'open', id });
    own(id);
    return state.sessions.get(id) as Session;
  }

  const hasRoom = (session: Session | undefined, size: number): boolean =>
    session === undefined ||
    (session.queue.length < limits.messages && (session.bytes + size <= limits.bytes || session.queue.length === 0));

  function find(id: string, is: (entry: Entry) => boolean): Entry | undefined {
    return state.sessions.get(id)?.queue.find(is);
  }

  const entryOf = (id: string, packet: Packet): Entry | undefined =>
    find(id, (one) => one.packet.brokerId === packet.brokerId && one.packet.brokerCounter === packet.brokerCounter);

  function byClient(to: readonly { clientId: string; qos?: number }[], { qos = 0 }: Packet): Map<string, number> {
    const each = new Map<string, number>();
    for (const one of to) each.set(one.clientId, Math.max(each.get(one.clientId) ?? 0, Math.min(qos, one.qos ?? qos)));
    return each;
  }

  async function enqueue(to: ReadonlyMap<string, number>, packet: Packet, beside?: () => Promise<void>): Promise<void> {
    const size = sizeOf(packet);
    if (state.bytes + size * to.size > limits.totalBytes) throw new Error('too much waits for absent clients');
    const other = beside?.();
    const taken: [string, number][] = [];
    for (const [id, qos] of to) {
      // It waits there since it was received.
      if (packet.qos === 2 && entryOf(id, packet) !== undefined) continue;
      if (hasRoom(opened(id), size)) taken.push([id, qos]);
      else {
        dropped++;
        gaveWay(id, 'too many messages wait');
      }
    }
    if (taken.length > 0)
      await Promise.all([
        other,
        change({ do: 'queue', n: state.next, to: taken, hour: state.hour, packet: stored(packet) }),
      ]);
    else await other;
  }

  function* retainedBy(patterns: readonly string[]): Generator<Packet> {
    for (const pattern of patterns) {
      const only = state.retained.get(pattern);
      if (only !== undefined) yield only;
      if (!isWild(pattern)) continue;
      const topics = [...state.retained.keys()].filter((topic) => matches(pattern, topic)).sort();
      for (const topic of topics) {
        const packet = state.retained.get(topic);
        if (packet !== undefined) yield packet;
      }
    }
  }

  /** What waits for a client; on a connection that was entered each once, whether it goes out this way or as it comes. */
  function* waiting(client: SessionClient, session: Session | undefined): Generator<Packet> {
    for (const entry of [...(session?.queue ?? [])]) {
      if (entry.gone) continue;
      const packet = toPacket(entry);
      if (session?.online === client) {
        if (entry.sentTo === client) continue;
        // [MQTT-3.3.1-1]
        if (entry.messageId !== undefined && !entry.released) packet.dup = true;
        entry.sentTo = client;
      }
      yield packet;
    }
  }

  function* willsBut(brokers: Readonly<Record<string, unknown>>): Generator<Packet> {
    for (const will of [...state.wills.values()]) if (!brokers[will.brokerId ?? '']) yield will;
  }

  function* clientsOf(topic: string): Generator<string> {
    for (const { id, subscriptions } of state.sessions.values()) if (subscriptions.has(topic)) yield id;
  }

  const received = (client: SessionClient): Map<number, Packet> | undefined =>
    client.clean ? passing.get(client.id) : state.sessions.get(client.id)?.received;

  async function incomingStorePacket(client: SessionClient, packet: Packet): Promise<void> {
    const { cmd, topic, payload, qos, retain, dup, messageId } = packet;
    const kept = { cmd, topic, payload, qos, retain, dup, messageId } as Packet;
    if (client.clean) {
      const those = passing.get(client.id) ?? new Map<number, Packet>();
      passing.set(client.id, those.set(messageId ?? 0, kept));
      return;
    }
    if (opened(client.id).received.size >= limits.received)
      throw new Error(`${limits.received} messages of QoS 2 are not released`);
    await change({ do: 'received', id: client.id, packet: kept });
  }

  function keepWill(client: { readonly id: string }, packet: Packet) {
    packet.brokerId = broker.id;
    packet.clientId = client.id;
    const kept = { ...packet };
    return { kept, written: change({ do: 'will', packet: kept }) };
  }

  return {
    // What aedes calls: names and shapes are those of aedes-persistence.

    async setup(of: { id: string }): Promise<void> {
      broker = of;
    },
    get broker() {
      return broker;
    },

    async storeRetained(packet: Packet): Promise<void> {
      const known = state.retained.has(packet.topic ?? '');
      const forgets = (packet.payload?.length ?? 0) === 0;
      if (forgets && !known) return;
      if (!forgets && !known && state.retained.size >= limits.retained) throw new Error('too many retained messages');
      if (!forgets && state.bytes + sizeOf(packet) > limits.totalBytes) throw new Error('too much is retained');
      const written = change({ do: 'retain', packet: { ...packet } });
      // Nobody is told of a message of QoS 0, so nothing waits for it: what its sender asks next finds it.
      if ((packet.qos ?? 0) > 0) await written;
      else written.catch(() => {});
    },
    createRetainedStream: (pattern: string) => Readable.from(retainedBy([pattern])),
    createRetainedStreamCombi: (patterns: readonly string[]) => Readable.from(retainedBy(patterns)),

    async addSubscriptions(client: SessionClient, subscriptions: readonly Subscription[]): Promise<void> {
      const session = opened(client.id);
      const granted: Subscription[] = [];
      for (const { topic, qos, rh, rap, nl, subscriptionIdentifier } of subscriptions) {
        if (!options.permits(client, topic)) continue;
        if (session.subscriptions.size + granted.length >= limits.subscriptions && !session.subscriptions.has(topic))
          throw new Error('too many subscriptions');
        const all = Object.entries({ topic, qos, rh, rap, nl, subscriptionIdentifier });
        // What the file does not say is not there.
        granted.push(Object.fromEntries(all.filter(([, value]) => value !== undefined)) as unknown as Subscription);
      }
      // aedes comes once for each subscription of a packet, with all of them.
      const known = granted.every((one) => isDeepStrictEqual(session.subscriptions.get(one.topic), one));
      if (!known) await change({ do: 'subscribe', id: client.id, subscriptions: granted });
    },
    async removeSubscriptions(client: SessionClient, filters: readonly string[]): Promise<void> {
      if (state.sessions.has(client.id)) await change({ do: 'unsubscribe', id: client.id, filters });
    },
    async subscriptionsByClient(client: SessionClient): Promise<Subscription[]> {
      return [...(state.sessions.get(client.id)?.subscriptions.values() ?? [])].map((one) => ({ ...one }));
    },
    async countOffline(): Promise<{ subsCount: number; clientsCount: number }> {
      let subsCount = 0;
      let clientsCount = 0;
      for (const { subscriptions } of state.sessions.values()) {
        if (subscriptions.size > 0) clientsCount++;
        for (const { qos } of subscriptions.values()) if (qos > 0) subsCount++;
      }
      return { subsCount, clientsCount };
    },
    subscriptionsByTopic: async (topic: string) => state.subscribers(topic),
    /** aedes calls it when a client begins clean: its session ends. [MQTT-3.1.2-6] */
    cleanSubscriptions: (client: SessionClient): Promise<void> => end(client.id, undefined),

    outgoingEnqueue(to: { clientId: string; qos?: number }, packet: Packet): Promise<void> {
      const qos = packet.qos ?? 0;
      return enqueue(new Map([[to.clientId, Math.min(qos, to.qos ?? qos)]]), packet);
    },
    /** Once for each session, with the greatest QoS of its subscriptions. [MQTT-3.3.5-1] */
    async outgoingEnqueueCombi(to: readonly { clientId: string; qos?: number }[], packet: Packet): Promise<void> {
      if (to.length > 0) await enqueue(byClient(to, packet), packet);
    },
    /** Before a message is sent, with its packet id; and when PUBREC has come, with PUBREL. */
    async outgoingUpdate(client: SessionClient, packet: Packet): Promise<void> {
      const { id } = client;
      const { messageId } = packet;
      if (packet.cmd === 'pubrel') {
        const entry = find(id, (one) => one.messageId === messageId);
        // An id that is not known here gets its PUBREL all the same: a retained message is not kept for its receiver.
        if (entry !== undefined && entry.packet.qos === 2 && !entry.released)
          await change({ do: 'released', id, n: entry.n });
        return;
      }
      const entry = entryOf(id, packet) ?? find(id, (one) => one.messageId === messageId);
      if (entry === undefined || messageId === undefined) throw new Error('no such packet');
      // [MQTT-3.3.1-1]
      if (entry.messageId !== undefined && entry.sentTo !== client && !entry.released) packet.dup = true;
      entry.sentTo = client;
      const qos = packet.qos ?? 0;
      if (entry.messageId === messageId && entry.packet.qos === qos) return;
      const written = change({ do: 'sent', id, n: entry.n, messageId, qos });
      if (qos === 2) await written;
      else written.catch(() => {});
    },
    async outgoingClearMessageId(client: SessionClient, packet: Packet): Promise<Packet | undefined> {
      const { cmd, messageId } = packet;
      if (messageId === undefined) return undefined;
      const entry = find(client.id, (one) => one.messageId === messageId);
      if (entry === undefined) return undefined;
      // An acknowledgement of the other QoS says nothing.
      if (cmd === 'puback' ? entry.packet.qos === 2 : cmd === 'pubcomp' && !entry.released) return undefined;
      const packetOf = toPacket(entry);
      note({ do: 'gone', id: client.id, n: entry.n });
      return packetOf;
    },
    outgoingStream: (client: SessionClient) => Readable.from(waiting(client, state.sessions.get(client.id))),

    incomingStorePacket,
    async incomingGetPacket(client: SessionClient, packet: Packet): Promise<Packet> {
      const found = received(client)?.get(packet.messageId ?? 0);
      if (found === undefined) throw new Error('no such packet');
      return { ...found };
    },
    /** Before PUBCOMP: the id may then be used again. */
    async incomingDelPacket(client: SessionClient, packet: Packet): Promise<void> {
      const messageId = packet.messageId ?? 0;
      const those = received(client);
      if (!those?.has(messageId)) throw new Error('no such packet');
      if (client.clean) those.delete(messageId);
      else
        await change({ do: 'completed', id: client.id, messageId }).catch((error: unknown) => {
          // aedes would send PUBCOMP all the same; were the id then used again, what a restart remembers would take it for a repeat.
          options.hangUp(client);
          throw error;
        });
    },
    async cleanIncoming(client: SessionClient): Promise<void> {
      passing.delete(client.id);
      const ids = [...(state.sessions.get(client.id)?.received.keys() ?? [])];
      await Promise.all(ids.map((messageId) => change({ do: 'completed', id: client.id, messageId })));
    },

    async putWill(client: SessionClient, packet: Packet): Promise<void> {
      await keepWill(client, packet).written;
    },
    getWill: async (client: { id: string }): Promise<Packet | undefined> => state.wills.get(client.id),
    async delWill(client: { id: string }): Promise<Packet | undefined> {
      const will = state.wills.get(client.id);
      if (will !== undefined) note({ do: 'no will', id: client.id });
      return will;
    },
    streamWill: (brokers: Readonly<Record<string, unknown>> = {}) => Readable.from(willsBut(brokers)),
    getClientList: (topic: string) => Readable.from(clientsOf(topic)),
    async destroy(): Promise<void> {
      await log?.[Symbol.asyncDispose]();
    },

    // What the broker asks.

    /** Keeps a last will, in the place of the one that is kept for this client id. */
    keepWill,
    /** Forgets a will that `keepWill` kept, unless another is kept in its place by now. */
    forgetWill(kept: Packet): void {
      const { clientId = '' } = kept;
      if (state.wills.get(clientId) === kept) note({ do: 'no will', id: clientId });
    },

    /** A message of QoS 2 for other clients: that it came, and that it waits for them, is one change on disk. */
    receive(client: SessionClient, number: Packet, packet: Packet): Promise<void> {
      const to = byClient(state.subscribers(packet.topic ?? ''), packet);
      return enqueue(to, packet, () => incomingStorePacket(client, number));
    },

    /** A client with a session is let in: whether it had one, and a packet id from which on none waits for an answer. */
    enter(client: SessionClient): { readonly present: boolean; readonly nextId: number } {
      const present = state.sessions.has(client.id);
      const session = opened(client.id);
      session.online = client;
      return { present, nextId: freeId(session.queue) };
    },
    /** The last wills of an owner's clients are not spoken. */
    forgetWills(owner: string): void {
      for (const id of [...state.wills.keys()]) if (ownerOf(id) === owner) note({ do: 'no will', id });
    },
    leave(client: SessionClient): void {
      const session = state.sessions.get(client.id);
      if (session?.online !== client) return;
      session.online = undefined;
      if (session.seen !== state.hour) note({ do: 'seen', id: client.id, hour: state.hour });
    },
    /** The acknowledgement that a message of a client's session waits for; undefined when none has this packet id. */
    due(client: SessionClient, messageId: number): Due | undefined {
      const entry = find(client.id, (one) => one.messageId === messageId);
      return entry && dueOf(entry.packet.qos ?? 0, entry.released);
    },
    /** Whether a QoS 2 message came before and is not released. */
    isReceived: (client: SessionClient, messageId: number): boolean => received(client)?.has(messageId) ?? false,
    /** The QoS of a message that goes out and waits for this client; undefined when it does not, or this connection has it already. */
    claim(client: SessionClient, packet: Packet): number | undefined {
      const entry = entryOf(client.id, packet);
      if (entry === undefined || entry.sentTo === client) return undefined;
      entry.sentTo = client;
      return entry.packet.qos ?? 0;
    },
    /** Whether a message of so many bytes would find sessions, and no room in any of them. */
    isFull(topic: string, bytes: number): boolean {
      const to = state.subscribers(topic);
      return to.length > 0 && to.every(({ clientId }) => !hasRoom(state.sessions.get(clientId), bytes));
    },
    /** Call once an hour: ages what waits. A node that does not run makes nothing older. */
    async hourPassed(): Promise<void> {
      await change({ do: 'hour', hour: state.hour + 1 });
      for (const session of [...state.sessions.values()]) {
        if (session.online !== undefined) note({ do: 'seen', id: session.id, hour: state.hour });
        else if (state.hour - session.seen > limits.sessionHours) {
          await end(session.id, `nobody opened it for ${limits.sessionHours / HOURS_A_DAY} days`);
          continue;
        }
        const old = session.queue.filter((one) => state.hour - one.hour > limits.messageHours);
        if (old.length === 0) continue;
        dropped += old.length;
        gaveWay(session.id, `messages waited for ${limits.messageHours / HOURS_A_DAY} days`);
        for (const { n } of old) note({ do: 'gone', id: session.id, n });
      }
    },
    problems(): { readonly code: string; readonly message: string }[] {
      const found: { readonly code: string; readonly message: string }[] = [];
      if (log !== undefined && log.rotten > 0)
        found.push({
          code: 'mqtt_sessions_damaged',
          message: `${log.rotten} bytes of what waited for devices could not be read at the start and were left out; the file is kept as sessions.log.damaged in the folder mqtt.`,
        });
      if (log?.writes === false)
        found.push({
          code: 'mqtt_sessions_not_stored',
          message: 'What waits for devices cannot be written; nothing new of it is acknowledged.',
        });
      return found;
    },
    counters: (): SessionCounters => ({
      sessions: state.sessions.size,
      queued: state.queued,
      bytes: state.bytes,
      retained: state.retained.size,
      dropped_total: dropped,
      ended_total: ended,
      damaged_bytes: log?.rotten ?? 0,
    }),
  };
}
