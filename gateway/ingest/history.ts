/** Samples of a machine's signal: stored segments, those on their way, and what is still open. */
import type { SignalName } from '#contract/base/signals.ts';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { View } from '#contract/base/view.ts';
import { decodeSegment } from '#domain/machine/segment.ts';
import type { SegmentMade } from '#ingest/fold/fold-state.ts';
import type { MachineState } from '#ingest/fold/machine-state.ts';
import { walk } from '#store/walk.ts';
import type { SegmentData } from './new-samples.ts';

/** Segments are large. */
const CHUNK = 200;

/** Seconds since 1970 and values. */
export interface History {
  t: number[];
  v: number[];
}

/** Everything between two times, ascending, one sample a second at most. */
export async function readHistory(
  view: View,
  machine: MachineState,
  waiting: () => readonly SegmentMade[],
  signal: SignalName,
  from_ms: number,
  to_ms: number,
): Promise<History> {
  const found: [t: number, v: number][] = [];
  const from = from_ms / 1000;
  const to = to_ms / 1000;
  const take = (t: number, v: number): void => {
    if (t >= from && t <= to) found.push([t, v]);
  };
  // First what is in memory: what leaves it meanwhile is in the store by then, and seconds that come twice are taken once.
  const open = machine.samples.one(SIGNAL_NAMES.indexOf(signal));
  open.t.forEach((t, i) => {
    take(t, open.v[i] as number);
  });
  for (const { equipment_id, series } of waiting()) {
    if (equipment_id !== machine.id) continue;
    for (const one of series) {
      if (one.signal !== signal) continue;
      one.t.forEach((t, i) => {
        take(t, one.v[i] as number);
      });
    }
  }
  const where = { 'data.equipment_id': machine.id, 'data.to_ms': { gte: from_ms }, 'data.from_ms': { lte: to_ms } };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
    const column = decodeSegment(Buffer.from(data.body, 'base64'))?.find((one) => one.signal === signal);
    if (column === undefined) continue;
    for (let i = 0; i < column.t.length; i++) take((column.t[i] as number) / 1_000_000, column.v[i] as number);
  }
  found.sort(([a], [b]) => a - b);
  const once = found.filter(([t], i) => i === 0 || t !== found[i - 1]?.[0]);
  return { t: once.map(([t]) => t), v: once.map(([, v]) => v) };
}
