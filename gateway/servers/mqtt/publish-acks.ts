import { NotTaken } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';

export interface PublishAcks {
  /** Acknowledges a message when `promise` resolves. */
  add(promise: Promise<void>, connection: ConnectionFilter, publish: Publish): void;
  /** Payload bytes of all messages that still wait for their promise. */
  readonly pendingBytes: number;
}

/**
 * Acknowledges messages when their promise resolves. All messages that are written to the journal (the file of all accepted messages) as
 * one group have the same promise. So the broker sends all acknowledgements of a connection for that group in one write. If the promise
 * rejects with `NotTaken`, the broker sends no acknowledgement and calls `onNotTaken` for each message. After any other error the broker
 * closes the connections of the messages; their clients reconnect and send the messages again.
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
