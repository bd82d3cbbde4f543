/**
 * Reports raw messages that were applied to no machine, before the raw ring (the job that removes old journal files) removes them. These
 * are messages of devices that were linked to no machine, and messages that were set aside because of an error. The data of all other
 * messages is stored with their machine.
 */
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { EventMade, FoldState } from '#ingest/fold/fold-state.ts';
import { idFrom } from '#ingest/fold/ids.ts';
import { FROM_SERVICE } from '#ingest/fold/made-events.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import { positionOf, segmentOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';

const REASON = {
  unlinked: 'raw messages of a device that was linked to no machine were removed to make space for newer ones',
  set_aside: 'raw messages that could not be processed were removed to make space for newer ones',
} as const;
type What = keyof typeof REASON;

interface Unreached {
  readonly identity: DeviceIdentity;
  readonly what: What;
  from_ms: number;
  to_ms: number;
  count: number;
  bytes: number;
}

/**
 * Returns one event for each device that loses messages if this segment (file) of the journal is removed. Repeated calls return events with
 * the same ids.
 */
export async function unreachedEvents(
  journal: Pick<Journal, 'read'>,
  state: FoldState,
  segment: number,
  node: string,
): Promise<EventMade[]> {
  const aside = new Set(state.setAside.map(({ position }) => position).filter((place) => segmentOf(place) === segment));
  const found = new Map<string, Unreached>();
  const reader = new RecordReader();
  for await (const group of journal.read(positionOf(segment, 0))) {
    if (group.segment !== segment) break;
    reader.open(group.segment, group.start, group.body);
    while (reader.next()) {
      const what = whyUnreached(state, aside, reader);
      if (what !== undefined) note(found, what, reader);
    }
  }
  return [...found.values()].map((one) => eventOf(one, segment, node));
}

function whyUnreached(state: FoldState, aside: ReadonlySet<number>, reader: RecordReader): What | undefined {
  if (aside.has(positionOf(reader.segment, reader.offset))) return 'set_aside';
  // These messages lose no data: the file or picture itself is stored as an artifact, and the meter of the machine has the reading.
  if (reader.topic === 'recording' || reader.topic === 'picture' || reader.topic === 'meter') return undefined;
  const { machine = state.devices.get(reader.device.device)?.equipment_id ?? null } = reader;
  return machine === null ? 'unlinked' : undefined;
}

function note(found: Map<string, Unreached>, what: What, { device, received_at_ms, payload }: RecordReader): void {
  const key = `${what} ${device.device}`;
  const known = found.get(key) ?? {
    identity: device,
    what,
    from_ms: received_at_ms,
    to_ms: received_at_ms,
    count: 0,
    bytes: 0,
  };
  known.from_ms = Math.min(known.from_ms, received_at_ms);
  known.to_ms = Math.max(known.to_ms, received_at_ms);
  known.count++;
  known.bytes += payload.length;
  found.set(key, known);
}

function eventOf(
  { identity, what, from_ms, to_ms, count, bytes }: Unreached,
  segment: number,
  node: string,
): EventMade {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    project_id: identity.project_id,
    id: idFrom('event', [node, segment, what, identity.device].join('\n')),
    once: true,
    data: {
      ...FROM_SERVICE,
      type: 'gap_declared',
      subject: { object: 'device', id: identity.device },
      occurred_at: iso(to_ms),
      data: { what, from: iso(from_ms), to: iso(to_ms), count, bytes, reason: REASON[what] },
    },
  };
}
