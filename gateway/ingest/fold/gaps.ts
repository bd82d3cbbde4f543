/**
 * Records data that was lost because disk space or memory was short. A gap is one period of lost data. It is part of the state of the fold
 * (the code that applies messages) until it ends. Then an event in the logs of the affected machines or devices reports it.
 */
import type { EventData } from '#contract/base/event.ts';
import type { SampleSeries } from '#domain/history/samples.ts';
import type { FoldState, Gap, GapKind } from './fold-state.ts';
import type { Ids } from './ids.ts';
import { FROM_SERVICE } from './made-events.ts';

/** The limit of open gaps. When it is reached, new gaps are not recorded. */
const MAX_GAPS = 20_000;

/** For each kind of gap, the reason that the event contains. */
const REASON: Readonly<Record<GapKind, string>> = {
  raw: 'the disk was short of space, so the oldest raw messages were removed early; the gateway can no longer show the frames from which older values were decoded',
  history: 'the disk was almost full: samples were not stored',
  messages:
    'the gateway was short of disk space or memory, so it neither stored nor acknowledged messages; a sender that kept them sends them again',
};

/** Returns the key of a gap in the state of the fold. */
export const gapKey = (what: GapKind, id: string): string => `${what} ${id}`;

/** Extends the open gap of the same kind and id; opens a gap if there is none. */
export function noteGap(gaps: FoldState['gaps'], more: Gap): void {
  const key = gapKey(more.what, more.id);
  const known = gaps.get(key);
  if (known === undefined && gaps.size >= MAX_GAPS) return;
  gaps.set(key, {
    ...known,
    ...more,
    from_ms: Math.min(more.from_ms, known?.from_ms ?? more.from_ms),
    to_ms: Math.max(more.to_ms, known?.to_ms ?? more.to_ms),
    count: more.count + (known?.count ?? 0),
    bytes: more.bytes === null ? null : more.bytes + (known?.bytes ?? 0),
  });
}

/** Returns a gap that counts these samples as lost. */
export function samplesGap(id: string, project_id: string, series: readonly SampleSeries[]): Gap {
  return {
    what: 'history',
    id,
    project_id,
    from_ms: Math.min(...series.map(({ t }) => t[0] as number)) * 1000,
    to_ms: Math.max(...series.map(({ t }) => t.at(-1) as number)) * 1000,
    count: series.reduce((sum, { t }) => sum + t.length, 0),
    bytes: null,
  };
}

/**
 * Closes the gaps of a kind, and returns one event for the log of each machine or device. A gap of raw messages is reported for all
 * devices.
 */
export function closeGaps(state: FoldState, what: GapKind, ids: Ids, now_ms: number): GapEvent[] {
  const events: GapEvent[] = [];
  for (const [key, gap] of state.gaps) {
    if (gap.what !== what) continue;
    state.gaps.delete(key);
    if (what === 'history') events.push(event(gap, 'equipment', gap.id, gap.project_id, ids, now_ms));
    else if (what === 'messages') events.push(event(gap, 'device', gap.id, gap.project_id, ids, now_ms));
    else
      for (const { identity } of state.devices.values())
        events.push(event(gap, 'device', identity.device, identity.project_id, ids, now_ms));
  }
  return events;
}

interface GapEvent {
  readonly project_id: string;
  readonly id: string;
  readonly once: false;
  readonly data: EventData;
}

function event(
  gap: Gap,
  object: 'equipment' | 'device',
  id: string,
  project_id: string,
  ids: Ids,
  now_ms: number,
): GapEvent {
  const { what, from_ms, to_ms, count, bytes } = gap;
  return {
    project_id,
    id: ids.random('event', now_ms),
    once: false,
    data: {
      ...FROM_SERVICE,
      type: 'gap_declared',
      subject: { object, id },
      occurred_at: new Date(to_ms).toISOString(),
      data: {
        what,
        from: new Date(from_ms).toISOString(),
        to: new Date(to_ms).toISOString(),
        count,
        ...(bytes === null ? {} : { bytes }),
        reason: REASON[what],
      },
    },
  };
}
