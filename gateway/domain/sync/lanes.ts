/** The lane of a commit: how urgent it is. The gravest document decides; 0 is the most urgent. */
import type { Doc } from '#domain/sync/registers/documents.ts';

/** 0 safety, 1 alerts and trouble codes, 2 work of people, 3 live state and statistics, 4 samples, 5 files. */
export const LANES = 6;
const SAFETY = 0;
export const ALERT_LANE = 1;
const WORK = 2;
const LIVE = 3;
const SAMPLES = 4;
/** Of this many pages, at least one is of a lower lane that waits. */
const FLOOR_EVERY = 10;

const ALERTS: readonly RegExp[] = [/^alert/, /^dtc/];

type Fact = { readonly type?: unknown; readonly data?: { readonly safety_critical?: unknown } } | undefined;

/** True for a document that makes its commit urgent: an alert, a trouble code, or a fact of safety. `data`: of a fact, its content. */
export function isUrgent(object: string, data: unknown): boolean {
  if (object === 'alert') return true;
  if (object !== 'event') return false;
  const fact = data as Fact;
  return fact?.data?.safety_critical === true || ALERTS.some((pattern) => pattern.test(String(fact?.type)));
}

function laneOfDoc({ collection, object, registers }: Doc): number {
  if (object === 'rollup' || (collection === 'live' && object !== 'alert')) return LIVE;
  if (collection === 'telemetry') return SAMPLES;
  const v = registers.get('=')?.[0]?.v;
  if (!isUrgent(object, v)) return WORK;
  return (v as Fact)?.data?.safety_critical === true ? SAFETY : ALERT_LANE;
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
