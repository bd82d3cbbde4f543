/** The lane of a commit: how urgent it is. The gravest document decides; 0 is the most urgent. */
import type { Doc } from './documents.ts';

/** 0 safety, 1 alerts and trouble codes, 2 work of people, 3 live state and statistics, 4 samples, 5 files. */
export const LANES = 6;
const WORK = 2;
const LIVE = 3;
const SAMPLES = 4;
/** Of this many pages, at least one is of a lower lane that waits. */
const FLOOR_EVERY = 10;

const ALERTS: readonly RegExp[] = [/^alert/, /^dtc/];

function laneOfDoc({ collection, object, registers }: Doc): number {
  if (object === 'alert') return 1;
  if (object === 'rollup' || collection === 'live') return LIVE;
  if (collection === 'telemetry') return SAMPLES;
  if (object !== 'event') return WORK;
  const { type, data } = (registers.get('=')?.[0]?.v ?? {}) as { type?: string; data?: { safety_critical?: unknown } };
  if (data?.safety_critical === true) return 0;
  return ALERTS.some((pattern) => pattern.test(type ?? '')) ? 1 : WORK;
}

/** Returns the lane of a commit. */
export function laneOf(docs: readonly Doc[]): number {
  return docs.reduce((lane, doc) => Math.min(lane, laneOfDoc(doc)), LANES - 1);
}

/** Returns the lane of the next page: the most urgent lane that waits, but one page in ten is of the least urgent one. */
export function nextLane(waiting: readonly boolean[], page: number): number | undefined {
  const lanes = [...waiting.keys()].filter((lane) => waiting[lane]);
  return page % FLOOR_EVERY === FLOOR_EVERY - 1 ? lanes.at(-1) : lanes[0];
}
