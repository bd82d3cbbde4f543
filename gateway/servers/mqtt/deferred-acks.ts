import type { UpTopic } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from './connection-filter.ts';

/** So long a connection is left open at least, and up to twice as long by chance, in milliseconds. */
const HOLD_MS = 5_000;
/** Connections ended in one second: a fifth of them, and never fewer than so many. */
const FEWEST = 20;

/**
 * Connections with messages that were not taken for want of room. Ending them at once would bring their senders back at once, again
 * and again: they stay open, so that pings, events and what is sent down go on, and their senders keep what is not answered. When
 * messages are taken again they are ended, a few each second: MQTT 3.1.1 sends again over a new connection only. [MQTT-4.4.0-1]
 */
export interface DeferredAcks {
  readonly size: number;
  /** Whether a message of this topic has to wait behind what was not taken: measurements wait behind all, others behind their topic. */
  mustWait(connection: ConnectionFilter, topic: UpTopic): boolean;
  /** `settle` is called when its connection ends. */
  defer(connection: ConnectionFilter, topic: UpTopic | undefined, settle?: () => void): void;
  /** Call once a second while messages are taken. */
  closeDue(): void;
}

export function createDeferredAcks(monotonic: () => number, holdMs = HOLD_MS): DeferredAcks {
  const waiting = new Map<
    ConnectionFilter,
    { readonly due: number; readonly topics: Set<UpTopic | undefined>; readonly settle: (() => void)[] }
  >();

  function end(connection: ConnectionFilter): void {
    const deferred = waiting.get(connection);
    waiting.delete(connection);
    for (const settle of deferred?.settle ?? []) settle();
  }

  return {
    get size() {
      return waiting.size;
    },
    mustWait(connection, topic) {
      const deferred = waiting.get(connection);
      return deferred !== undefined && (topic === 'can' || topic === 'telemetry' || deferred.topics.has(topic));
    },
    defer(connection, topic, settle) {
      let deferred = waiting.get(connection);
      if (deferred === undefined) {
        if (connection.destroyed) return settle?.();
        deferred = { due: monotonic() + holdMs * (1 + Math.random()), topics: new Set(), settle: [] };
        waiting.set(connection, deferred);
        connection.once('close', () => end(connection));
      }
      deferred.topics.add(topic);
      if (settle !== undefined) deferred.settle.push(settle);
    },
    closeDue() {
      let left = Math.max(FEWEST, Math.ceil(waiting.size / 5));
      const now = monotonic();
      for (const [connection, { due }] of waiting) {
        if (due > now) continue;
        if (left-- <= 0) return;
        end(connection);
        connection.destroy();
      }
    },
  };
}
