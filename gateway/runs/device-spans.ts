/** Computes from the link events in the log of a device to which machine the device was linked at which time. */

import type { EventData } from '#contract/base/event.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { RecordingSpan } from '#domain/logs/recording.ts';
import { walk } from '#store/walk.ts';

const TYPES = ['device.linked', 'device.unlinked'] as const;

/**
 * Returns the time spans in which a device was linked to its machines, ascending by time. Readings before the first link count for the
 * first machine to which the device was linked, because no other machine is known for that time. If the device was never linked, its
 * readings count for no machine.
 */
export async function spansOf(view: View, device: Stored<DeviceData>): Promise<RecordingSpan[]> {
  const found: { at_us: number; machine: string | null }[] = [];
  const where = { 'data.subject.id': device.id, 'data.type': TYPES };
  for await (const { data } of walk<EventData>(view, 'events', { object: 'event', where })) {
    const { equipment_id } = data.data ?? {};
    const machine = data.type === 'device.linked' && typeof equipment_id === 'string' ? equipment_id : null;
    found.push({ at_us: Date.parse(data.occurred_at) * 1000, machine });
  }
  found.sort((a, b) => a.at_us - b.at_us);
  const first = found.findIndex(({ machine }) => machine !== null);
  if (first < 0) {
    const { equipment_id } = device.data;
    return equipment_id === null ? [] : [{ from_us: Number.NEGATIVE_INFINITY, machine: equipment_id }];
  }
  return found
    .slice(first)
    .map(({ at_us, machine }, i) => ({ from_us: i === 0 ? Number.NEGATIVE_INFINITY : at_us, machine }));
}
