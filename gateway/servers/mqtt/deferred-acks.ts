import type { UpTopic } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';

/**
 * One call of `closeDue` closes at most a fifth of the connections in the list, or at most this number of connections if a fifth is fewer.
 */
const LEAST_CLOSED = 20;

/**
 * The list of connections over which the gateway got messages that it had no space to store. If the broker closed these connections at
 * once, their clients would reconnect and resend again and again. So the broker keeps them open. Pings, events and messages to the device
 * go on, and the client keeps its unacknowledged messages. When the gateway has space again, the broker closes a few connections each
 * second. It must close them because an MQTT 3.1.1 client resends only over a new connection. [MQTT-4.4.0-1]
 */
export interface DeferredAcks {
  /** Number of connections in the list. */
  readonly size: number;
  /**
   * Returns true if the broker must refuse to store this message too, because the messages of a connection must keep their order. For the
   * topics `can` and `telemetry`, it returns true if the connection is in the list. For another topic, it returns true if an earlier
   * message of the same topic was not stored.
   */
  mustWait(connection: ConnectionFilter, topic: UpTopic): boolean;
  /** Adds the connection on which a message came that the gateway did not store. Calls `onClose` when this connection ends. */
  defer(connection: ConnectionFilter, topic: UpTopic | undefined, onClose?: () => void): void;
  /**
   * Closes a few of the connections that have been open long enough (`due`). Call it once a second while the gateway has space for
   * messages.
   */
  closeDue(): void;
}

interface Deferred {
  /** The broker may close the connection from this time on, in milliseconds of the monotonic clock. */
  readonly due: number;
  readonly topics: Set<UpTopic | undefined>;
  readonly onClose: (() => void)[];
}

/**
 * Creates an empty list. Each connection in the list stays open for a random minimum time between `holdMs` and twice `holdMs` milliseconds.
 */
export function createDeferredAcks(monotonic: () => number, holdMs: number): DeferredAcks {
  const waiting = new Map<ConnectionFilter, Deferred>();

  function remove(connection: ConnectionFilter): void {
    const deferred = waiting.get(connection);
    waiting.delete(connection);
    for (const onClose of deferred?.onClose ?? []) onClose();
  }

  return {
    get size() {
      return waiting.size;
    },
    mustWait(connection, topic) {
      const deferred = waiting.get(connection);
      return deferred !== undefined && (topic === 'can' || topic === 'telemetry' || deferred.topics.has(topic));
    },
    defer(connection, topic, onClose) {
      let deferred = waiting.get(connection);
      if (deferred === undefined) {
        if (connection.destroyed) return onClose?.();
        deferred = { due: monotonic() + holdMs * (1 + Math.random()), topics: new Set(), onClose: [] };
        waiting.set(connection, deferred);
        connection.once('close', () => remove(connection));
      }
      deferred.topics.add(topic);
      if (onClose !== undefined) deferred.onClose.push(onClose);
    },
    closeDue() {
      let left = Math.max(LEAST_CLOSED, Math.ceil(waiting.size / 5));
      const now = monotonic();
      for (const [connection, { due }] of waiting) {
        if (due > now) continue;
        if (left-- <= 0) return;
        remove(connection);
        connection.destroy();
      }
    },
  };
}
