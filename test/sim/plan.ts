/** What one seed is about: how long, how many, which faults; drawn once, so that seeds differ in kind and not only in detail. */
import type { Random } from './random.ts';

export const FAULTS = [
  'kill',
  'power',
  'fatal call',
  'slow disk',
  'full disk',
  'sync error',
  'store error',
  'clock step',
  'device clock',
  'no date',
  'partition',
  'reboot',
  'link',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Plan {
  /** safety: checked while everything goes wrong, and after one last crash. liveness: faults stop, and all must come to rest in time. */
  readonly mode: 'safety' | 'liveness';
  /** Milliseconds of virtual time. */
  readonly span: number;
  readonly tickMs: number;
  readonly commitMs: number;
  readonly segmentBytes: number;
  readonly rawBytes: number;
  readonly devices: number;
  readonly messages: number;
  /** How often something goes wrong, over the whole span. */
  readonly incidents: number;
  readonly faults: readonly Fault[];
  readonly slowProcessor: boolean;
  readonly lossy: boolean;
  readonly repeating: boolean;
  readonly jitter: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A tick every 200 ms of three weeks would be nine million. */
const SPANS = [
  { span: 5 * MINUTE, tickMs: 200 },
  { span: 10 * MINUTE, tickMs: 500 },
  { span: 2 * HOUR, tickMs: 4_000 },
  { span: 48 * HOUR, tickMs: 120_000 },
  { span: 21 * 24 * HOUR, tickMs: 900_000 },
] as const;

/** The plan of a seed. */
export function planOf(seed: number, random: Random): Plan {
  const { span, tickMs } = random.pick(SPANS);
  return {
    mode: seed % 2 === 0 ? 'safety' : 'liveness',
    span,
    tickMs,
    commitMs: random.pick([1_000, 5_000, 20_000]),
    segmentBytes: random.pick([1_500, 20_000, 64 << 20]),
    rawBytes: random.pick([15_000, 4 * 2 ** 30]),
    devices: 1 + random.int(5),
    messages: 30 + random.int(120),
    incidents: random.pick([0, 6, 15, 30]),
    faults: FAULTS.filter(() => random.chance(0.55)),
    slowProcessor: random.chance(0.3),
    lossy: random.chance(0.6),
    repeating: random.chance(0.5),
    jitter: random.pick([0, 0, 50, 4_000]),
  };
}
