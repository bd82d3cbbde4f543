import { NotTaken } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from './connection-filter.ts';
import type { Publish } from './publish.ts';

export interface PublishAcks {
  /** PublishAcks a publish when its promise resolves. */
  add(promise: Promise<void>, connection: ConnectionFilter, publish: Publish): void;
  /** Bytes of all messages that are not answered. */
  readonly waiting: number;
}

/**
 * PublishAcks publishes when their promise settles. All messages of a group share one promise, so they share one reaction and, per
 * connection, one write; a promise that rejects ends the connections, whose clients come back with what was not answered, unless the
 * messages may be taken later: those are forgotten here, and `owe` is told.
 */
export function createPublishAcks(owe: (connection: ConnectionFilter, publish: Publish) => void): PublishAcks {
  let current: Promise<void> | undefined;
  let connections: ConnectionFilter[] = [];
  let publishes: Publish[] = [];
  let waiting = 0;

  function begin(promise: Promise<void>): void {
    const mine: ConnectionFilter[] = [];
    const theirs: Publish[] = [];
    connections = mine;
    publishes = theirs;
    current = promise;
    const end = (): void => {
      if (current === promise) current = undefined;
      for (const { payload } of theirs) waiting -= payload.length;
    };
    promise.then(
      () => {
        end();
        for (let i = 0; i < mine.length; i++) (mine[i] as ConnectionFilter).answer(theirs[i] as Publish);
        for (const one of mine) one.flush();
      },
      (error: unknown) => {
        end();
        if (!(error instanceof NotTaken)) for (const one of mine) one.destroy();
        else
          for (let i = 0; i < mine.length; i++) {
            const connection = mine[i] as ConnectionFilter;
            connection.forget(theirs[i] as Publish);
            owe(connection, theirs[i] as Publish);
          }
      },
    );
  }

  return {
    add(promise, connection, publish) {
      if (promise !== current) begin(promise);
      connections.push(connection);
      publishes.push(publish);
      waiting += publish.payload.length;
    },
    get waiting() {
      return waiting;
    },
  };
}
