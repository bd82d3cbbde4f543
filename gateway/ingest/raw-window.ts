/** Reads the frames from the journal that the devices of a machine sent in a time window. */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import { positionOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';

/** A window of receive times, with the frames of a machine; if `machine` is null, with the frames of one device. */
export interface RawWindow {
  readonly machine: string | null;
  readonly device: string | null;
  /** First and last time of receipt, in milliseconds since 1970. */
  readonly from_ms: number;
  readonly to_ms: number;
}

/** The frames of one device in one group of the journal. The batch is reused after the next step of the generator. */
export interface WindowFrames {
  readonly device: DeviceIdentity;
  readonly batch: FrameBatch;
}

/** The wanted part of the journal ends this long after the window, because messages of a group are not sorted by time of receipt. */
const SLACK_MS = 10_000;

/**
 * Yields the frames of a window in the order of the journal, without the repeated messages. It reads group by group and lets other work of
 * the event loop run between two groups.
 */
export async function* readRawWindow(
  journal: Pick<Journal, 'read' | 'surplus' | 'next' | 'end' | 'start'>,
  decodeCan: typeof decodeCanPayload,
  { machine, device, from_ms, to_ms }: RawWindow,
): AsyncGenerator<WindowFrames> {
  const end = journal.end;
  const older = journal.surplus({ maxBytes: Number.POSITIVE_INFINITY, olderThanMs: from_ms, keep: journal.next });
  const last = older.at(-1);
  const from = last === undefined ? journal.start : positionOf(last.segment + 1, 0);
  const reader = new RecordReader();
  for await (const group of journal.read(from)) {
    if (positionOf(group.segment, group.start) >= end) return;
    reader.open(group.segment, group.start, group.body);
    const found = new Map<string, WindowFrames>();
    let isPast = true;
    while (reader.next()) {
      if (reader.received_at_ms <= to_ms + SLACK_MS) isPast = false;
      const isWanted = machine === null ? reader.device.device === device : reader.machine === machine;
      if (!isWanted || reader.topic !== 'can' || reader.repeat) continue;
      if (reader.received_at_ms < from_ms || reader.received_at_ms > to_ms) continue;
      const known = found.get(reader.device.device) ?? { device: reader.device, batch: new FrameBatch() };
      found.set(reader.device.device, known);
      decodeCan(reader.payload, reader.received_at_ms * 1_000, known.batch);
    }
    for (const one of found.values()) if (one.batch.count > 0) yield one;
    // Somebody may have set the clock back, so only a group that is clearly later ends the window.
    if (isPast) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
