import { MAX_PACKET_ID } from '#servers/mqtt/protocol/packet-check.ts';
import type { QueuedMessage } from './session-state.ts';

/**
 * Returns the first packet id of the longest series of consecutive ids that no queued message has. aedes, the MQTT library, gives this id
 * to the next message, and the following ids to later messages. [MQTT-2.3.1-2]
 */
export function firstFreeId(queue: readonly QueuedMessage[]): number {
  const used = queue.flatMap(({ messageId }) => messageId ?? []).sort((a, b) => a - b);
  let best = 1;
  let longest = (used[0] ?? MAX_PACKET_ID + 1) - 1;
  for (const [i, id] of used.entries()) {
    // After the greatest packet id, counting continues at 1. So the ids above the greatest used id and the ids below the smallest used id
    // form one series.
    const run = i + 1 < used.length ? (used[i + 1] as number) - id - 1 : MAX_PACKET_ID - id + (used[0] as number) - 1;
    if (run < longest || (run === longest && i === 0)) continue;
    longest = run;
    best = (id % MAX_PACKET_ID) + 1;
  }
  return best;
}
