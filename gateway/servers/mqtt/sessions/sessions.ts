/**
 * Persistent MQTT sessions: subscriptions, queued messages, retained messages, QoS 2 state and last wills. This is the persistence that
 * aedes calls, with further methods for the broker. Everything is in memory; promises that an acknowledgement depends on resolve when
 * the session log has the change.
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
  /** Whether a client may have this subscription. */
  readonly maySubscribe: (client: SessionClient, filter: string) => boolean;
  /** Called when the disk refused a change whose acknowledgement aedes would send all the same. */
  readonly closeConnection: (client: SessionClient) => void;
}

/** The sessions of all clients. */
export type Sessions = Awaited<ReturnType<typeof openSessions>>;

function problemsOf({ log }: SessionStore): { readonly code: string; readonly message: string }[] {
  const found: { readonly code: string; readonly message: string }[] = [];
  if (log !== undefined && log.corruptBytes > 0)
    found.push({
      code: 'mqtt_sessions_damaged',
      message: `${log.corruptBytes} bytes of the stored messages for devices were damaged at the start of the gateway and were left out; the file is kept as sessions.log.damaged in the folder mqtt.`,
    });
  if (log?.isWritable === false)
    found.push({
      code: 'mqtt_sessions_not_stored',
      message: 'Messages for devices cannot be stored; the gateway acknowledges no new ones.',
    });
  return found;
}

/**
 * Opens the sessions that the folder holds. Rejects with Node's error when the log cannot be read, and when a newer version wrote it.
 * Method names and shapes that aedes calls are those of aedes-persistence.
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

    /** aedes requires an async function here. */
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
     * Attaches the connection of a client with clean session 0. Returns whether the session existed before, and a packet id from which
     * on no id is in use.
     */
    attach(client: SessionClient): { readonly present: boolean; readonly nextId: number } {
      const present = state.sessions.has(client.id);
      const session = store.openSession(client.id);
      session.connection = client;
      return { present, nextId: firstFreeId(session.queue) };
    },
    /** Detaches a closed connection. A client that never attached, or whose session has another connection, changes nothing. */
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
