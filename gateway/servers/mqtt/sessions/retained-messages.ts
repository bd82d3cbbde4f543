import { Readable } from 'node:stream';
import { isWild, matches } from '#servers/mqtt/protocol/topics.ts';
import { type Packet, sizeOf } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

/** Creates the methods of the aedes persistence interface for retained messages. */
export function createRetainedMessages(store: SessionStore) {
  const { state, limits } = store;

  /** Returns the retained messages that match the filters, in the order of the filters. For a wildcard they are sorted by topic. */
  function* matching(filters: readonly string[]): Generator<Packet> {
    for (const filter of filters) {
      const exact = state.retained.get(filter);
      if (exact !== undefined) yield exact;
      if (!isWild(filter)) continue;
      const topics = [...state.retained.keys()].filter((topic) => matches(filter, topic)).sort();
      for (const topic of topics) {
        const packet = state.retained.get(topic);
        if (packet !== undefined) yield packet;
      }
    }
  }

  return {
    async storeRetained(packet: Packet): Promise<void> {
      const exists = state.retained.has(packet.topic ?? '');
      const deletes = (packet.payload?.length ?? 0) === 0;
      if (deletes && !exists) return;
      if (!deletes && !exists && state.retained.size >= limits.retained) throw new Error('too many retained messages');
      if (!deletes && state.bytes + sizeOf(packet) > limits.totalBytes)
        throw new Error('the limit of queued and retained bytes is reached');
      const written = store.change({ do: 'retain', packet: { ...packet } });
      // For a message of QoS 0 do not wait until the change is on disk, because such a message has no acknowledgement.
      if ((packet.qos ?? 0) > 0) await written;
      else written.catch(() => {});
    },
    createRetainedStream: (filter: string) => Readable.from(matching([filter])),
    createRetainedStreamCombi: (filters: readonly string[]) => Readable.from(matching(filters)),
  };
}
