import { MAX_PACKET_ID } from '#servers/mqtt/protocol/packet-check.ts';
import type { QueuedMessage } from './session-state.ts';

/** The start of the longest run of packet ids that no queued message uses. aedes counts on from there. [MQTT-2.3.1-2] */
export function firstFreeId(queue: readonly QueuedMessage[]): number {
  const used = queue.flatMap(({ messageId }) => messageId ?? []).sort((a, b) => a - b);
  let best = 1;
  let longest = (used[0] ?? MAX_PACKET_ID + 1) - 1;
  for (const [i, id] of used.entries()) {
    // The ids after the last one continue with those before the first one.
    const run = i + 1 < used.length ? (used[i + 1] as number) - id - 1 : MAX_PACKET_ID - id + (used[0] as number) - 1;
    if (run < longest || (run === longest && i === 0)) continue;
    longest = run;
    best = (id % MAX_PACKET_ID) + 1;
  }
  return best;
}
