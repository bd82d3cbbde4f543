import type { SessionStore } from './session-store.ts';

const HOURS_A_DAY = 24;

/**
 * Ends sessions that had no connection for `sessionHours`, and drops messages that were queued for `messageHours`. Call it once an hour.
 * Ages are counted in hours in which the gateway runs.
 */
export async function ageSessions(store: SessionStore): Promise<void> {
  const { state, limits } = store;
  await store.change({ do: 'hour', hour: state.hour + 1 });
  for (const session of [...state.sessions.values()]) {
    if (session.connection !== undefined) store.changeInBackground({ do: 'seen', id: session.id, hour: state.hour });
    else if (state.hour - session.lastSeenHour > limits.sessionHours) {
      await store.endSession(session.id, `no connection for ${limits.sessionHours / HOURS_A_DAY} days`);
      continue;
    }
    const old = session.queue.filter((one) => state.hour - one.hour > limits.messageHours);
    if (old.length === 0) continue;
    store.countDropped(session.id, old.length, `messages were queued for ${limits.messageHours / HOURS_A_DAY} days`);
    for (const { n } of old) store.changeInBackground({ do: 'gone', id: session.id, n });
  }
}
