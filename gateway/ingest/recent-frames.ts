/** Reads the recent frames of a device from the journal, so that a person can test a DBC file with them. */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import { positionOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';

/**
 * Yields the frames that arrived since `since_ms`, the oldest first, including repeated frames. The generator fills and yields the same
 * batch object each time.
 */
export async function* recentFrames(
  journal: Pick<Journal, 'read' | 'surplus' | 'next' | 'end' | 'start'>,
  decodeCan: typeof decodeCanPayload,
  device: string,
  since_ms: number,
): AsyncGenerator<FrameBatch> {
  const end = journal.end;
  const older = journal.surplus({ maxBytes: Number.POSITIVE_INFINITY, olderThanMs: since_ms, keep: journal.next });
  const last = older.at(-1);
  const from = last === undefined ? journal.start : positionOf(last.segment + 1, 0);
  const reader = new RecordReader();
  const batch = new FrameBatch();
  for await (const group of journal.read(from)) {
    if (positionOf(group.segment, group.start) >= end) return;
    reader.open(group.segment, group.start, group.body);
    batch.clear();
    while (reader.next())
      if (reader.topic === 'can' && reader.device.device === device && reader.received_at_ms >= since_ms)
        decodeCan(reader.payload, reader.received_at_ms * 1_000, batch);
    if (batch.count > 0) yield batch;
    // Yield to the event loop, so that other work of the gateway can run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
