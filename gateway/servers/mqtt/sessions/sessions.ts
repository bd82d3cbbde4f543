/**
 * Persistent MQTT sessions: subscriptions, queued messages, retained messages, QoS 2 state and last wills. The object has the methods of
 * the persistence interface of aedes (the MQTT library), and further methods for the broker. All state is in memory. If the broker must
 * acknowledge a change, the promise of the change resolves when the session log has the change on disk.
 */
import { createOutgoingMessages } from './outgoing-messages.ts';
import { OutgoingQueue } from './outgoing-queue.ts';
import { firstFreeId } from './packet-ids.ts';
import { createReceivedMessages } from './received-messages.ts';
import { createRetainedMessages } from './retained-messages.ts';
import { ageSessions } from './session-ageing.ts';
import type { SessionClient, SessionCounters } from './session-limits.ts';
import { SessionStore, type StoreOptions } from './session-store.ts';
import { createStoredWills } from './stored-wills.ts';
import { createSubscriptions } from './subscriptions.ts';

interface SessionsOptions extends StoreOptions {
  /** Returns true if a client may subscribe to this topic filter. */
  readonly maySubscribe: (client: SessionClient, filter: string) => boolean;
  /**
   * Closes the connection of a client. The code calls it when the log could not write a change. Without the closing, aedes would
   * acknowledge the change although it is not on disk.
   */
  readonly closeConnection: (client: SessionClient) => void;
}

/** The sessions of all clients. */
export type Sessions = Awaited<ReturnType<typeof openSessions>>;

function problemsOf({ log }: SessionStore): { readonly code: string; readonly message: string }[] {
  const found: { readonly code: string; readonly message: string }[] = [];
  if (log !== undefined && log.corruptBytes > 0)
    found.push({
      code: 'mqtt_sessions_damaged',
      message: `${log.corruptBytes} bytes of the stored messages for devices were damaged when the gateway started, and it skipped them; a copy of the file is kept as sessions.log.damaged in the folder mqtt.`,
    });
  if (log?.isWritable === false)
    found.push({
      code: 'mqtt_sessions_not_stored',
      message:
        'The gateway cannot store MQTT messages for devices on its disk, so it refuses new messages for devices.',
    });
  return found;
}

/**
 * Opens the sessions that are stored in the folder. Rejects with Node's error if the log cannot be read. Rejects also if a newer version of
 * Headframe wrote the log. The package aedes-persistence defines the names and arguments of the methods that aedes calls.
 */
export async function openSessions(options: SessionsOptions) {
  const store = new SessionStore(options);
  await store.load();
  const { state } = store;
  const queue = new OutgoingQueue(store);

  return {
    ...createRetainedMessages(store),
    ...createSubscriptions(store, options.maySubscribe),
    ...createOutgoingMessages(store, queue),
    ...createReceivedMessages(store, queue, options.closeConnection),
    ...createStoredWills(store),

    /** aedes calls it once at its start, and requires that it returns a promise. */
    async setup(aedes: { id: string }): Promise<void> {
      store.broker = aedes;
    },
    get broker() {
      return store.broker;
    },
    async destroy(): Promise<void> {
      await store.log?.[Symbol.asyncDispose]();
    },

    /**
     * Connects a client with clean session 0 to its session. `present`: true if the session existed before. `nextId`: the packet id of the
     * next message. It is the first id of the longest series of unused ids.
     */
    attach(client: SessionClient): { readonly present: boolean; readonly nextId: number } {
      const present = state.sessions.has(client.id);
      const session = store.openSession(client.id);
      session.connection = client;
      return { present, nextId: firstFreeId(session.queue) };
    },
    /** Marks the session of a client as not connected. Does nothing if a newer connection now uses the session. */
    detach(client: SessionClient): void {
      const session = state.sessions.get(client.id);
      if (session?.connection !== client) return;
      session.connection = undefined;
      if (session.lastSeenHour !== state.hour)
        store.changeInBackground({ do: 'seen', id: client.id, hour: state.hour });
    },
    hourPassed: (): Promise<void> => ageSessions(store),
    problems: () => problemsOf(store),
    counters: (): SessionCounters => ({
      sessions: state.sessions.size,
      queued: state.queued,
      bytes: state.bytes,
      retained: state.retained.size,
      dropped_total: store.dropped,
      ended_total: store.ended,
      damaged_bytes: store.log?.corruptBytes ?? 0,
    }),
  };
}
