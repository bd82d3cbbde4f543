/** What was given up for want of room: kept with the fold's state until it is over, then told in the logs of those who lost it. */
import type { EventData } from '#contract/base/event.ts';
import type { SampleSeries } from '#domain/machine/sample-segments.ts';
import type { FoldState, Gap, GapKind } from './fold-state.ts';
import type { Ids } from './ids.ts';
import { FROM_SERVICE } from './made-events.ts';

/** Machines and devices with an open gap; those beyond it are counted in none. */
const MAX_GAPS = 20_000;

/** Why each kind is given up, as the event says it. */
const REASON: Readonly<Record<GapKind, string>> = {
  raw: 'the disk had little room: the oldest raw messages gave way early, numbers made of them cannot be traced to their frames',
  history: 'the disk was almost full: samples were not stored',
  messages:
    'the gateway had no room: messages were neither stored nor acknowledged; a sender that kept them sends them again',
};

/** Adds to the gap that is open, or opens one. */
export function noteGap(gaps: FoldState['gaps'], more: Gap): void {
  const key = `${more.what} ${more.id}`;
  const known = gaps.get(key);
  if (known === undefined && gaps.size >= MAX_GAPS) return;
  gaps.set(key, {
    ...more,
    from_ms: Math.min(more.from_ms, known?.from_ms ?? more.from_ms),
    to_ms: Math.max(more.to_ms, known?.to_ms ?? more.to_ms),
    count: more.count + (known?.count ?? 0),
    bytes: more.bytes === null ? null : more.bytes + (known?.bytes ?? 0),
  });
}

/** The gap that samples leave which are not stored. */
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

/** Closes the gaps of a kind: one event in the log of each machine or device; raw messages were those of all devices. */
export function closeGaps(state: FoldState, what: GapKind, ids: Ids, now_ms: number): GapEvent[] {
  const told: GapEvent[] = [];
  for (const [key, gap] of state.gaps) {
    if (gap.what !== what) continue;
    state.gaps.delete(key);
    if (what === 'history') told.push(event(gap, 'equipment', gap.id, gap.project_id, ids, now_ms));
    else if (what === 'messages') told.push(event(gap, 'device', gap.id, gap.project_id, ids, now_ms));
    else
      for (const { identity } of state.devices.values())
        told.push(event(gap, 'device', identity.device, identity.project_id, ids, now_ms));
  }
  return told;
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
