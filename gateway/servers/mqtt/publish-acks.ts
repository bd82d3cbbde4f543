import { NotTaken } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';

export interface PublishAcks {
  /** Acknowledges a publish when its promise resolves. */
  add(promise: Promise<void>, connection: ConnectionFilter, publish: Publish): void;
  /** Payload bytes of all messages that are not acknowledged yet. */
  readonly pendingBytes: number;
}

/**
 * Acknowledges publishes when their promise resolves. All messages of a journal group share one promise, so they share one reaction and
 * one write per connection. When the promise rejects with `NotTaken`, the messages get no acknowledgement and `onNotTaken` is called for
 * each. When it rejects with anything else, the connections end; their clients reconnect and send the messages again.
 */
export function createPublishAcks(onNotTaken: (connection: ConnectionFilter, publish: Publish) => void): PublishAcks {
  let current: Promise<void> | undefined;
  let connections: ConnectionFilter[] = [];
  let publishes: Publish[] = [];
  let pendingBytes = 0;

  function beginGroup(promise: Promise<void>): void {
    const groupConnections: ConnectionFilter[] = [];
    const groupPublishes: Publish[] = [];
    connections = groupConnections;
    publishes = groupPublishes;
    current = promise;
    const settled = (): void => {
      if (current === promise) current = undefined;
      for (const { payload } of groupPublishes) pendingBytes -= payload.length;
    };
    promise.then(
      () => {
        settled();
        for (let i = 0; i < groupConnections.length; i++)
          (groupConnections[i] as ConnectionFilter).acknowledge(groupPublishes[i] as Publish);
        for (const connection of groupConnections) connection.flushAcks();
      },
      (error: unknown) => {
        settled();
        if (error instanceof NotTaken)
          for (let i = 0; i < groupConnections.length; i++) {
            const connection = groupConnections[i] as ConnectionFilter;
            connection.dropUnacknowledged(groupPublishes[i] as Publish);
            onNotTaken(connection, groupPublishes[i] as Publish);
          }
        else for (const connection of groupConnections) connection.destroy();
      },
    );
  }

  return {
    add(promise, connection, publish) {
      if (promise !== current) beginGroup(promise);
      connections.push(connection);
      publishes.push(publish);
      pendingBytes += publish.payload.length;
    },
    get pendingBytes() {
      return pendingBytes;
    },
  };
}
