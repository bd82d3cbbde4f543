import type { UpTopic } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';

/** `closeDue` closes at most a fifth of all waiting connections, or this many when a fifth is fewer. */
const LEAST_CLOSED = 20;

/**
 * Connections with messages that the gateway did not take for lack of space. If the broker closed them at once, their clients would
 * reconnect and resend at once, again and again. So they stay open: pings, events and messages to the device go on, and the client keeps
 * its unacknowledged messages. When the gateway takes messages again, the broker closes a few connections each second, because an MQTT
 * 3.1.1 client resends only over a new connection. [MQTT-4.4.0-1]
 */
export interface DeferredAcks {
  /** Number of connections with such messages. */
  readonly size: number;
  /**
   * True if the broker must defer this message too, to keep the order of the connection. A `can` or `telemetry` message waits while any
   * message is deferred; a message of another topic waits while one of the same topic is deferred.
   */
  mustWait(connection: ConnectionFilter, topic: UpTopic): boolean;
  /** Records a message that the gateway did not take. Calls `onClose` when the connection of the message ends. */
  defer(connection: ConnectionFilter, topic: UpTopic | undefined, onClose?: () => void): void;
  /** Closes connections that have waited long enough, a few per call. Call it once a second while the gateway takes messages. */
  closeDue(): void;
}

interface Deferred {
  /** When the connection may be closed, in milliseconds of the monotonic clock. */
  readonly due: number;
  readonly topics: Set<UpTopic | undefined>;
  readonly onClose: (() => void)[];
}

/** Creates the list. A connection in it stays open for a random time between `holdMs` and twice `holdMs`, in milliseconds. */
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
