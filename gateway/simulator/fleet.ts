/** Creates fleets of any size for `headframe simulate`. The seed decides the machines, their age and the faults of their loggers. */

import { between, random, type Stream, streamOf } from '#domain/base/random.ts';
import type { LoggerClock, LoggerRow } from './logger.ts';
import { type MachineKind, machineType, ORDINARY, type RosterRow } from './machines.ts';

/** The kinds of machines in the order in which a larger fleet adds them, so that a fleet with trucks always has an excavator. */
const ORDER = [
  'haul_truck',
  'excavator',
  'haul_truck',
  'wheel_loader',
  'haul_truck',
  'dozer',
  'haul_truck',
  'water_truck',
] as const satisfies readonly MachineKind[];

const PREFIX: Readonly<Record<MachineKind, string>> = {
  haul_truck: 'HT',
  excavator: 'EX',
  wheel_loader: 'WL',
  dozer: 'DZ',
  water_truck: 'WT',
};

/** The clock faults. Half of the loggers have a right clock; each of the others has one of these faults. */
const WRONG: readonly LoggerClock[] = [
  { kind: 'offset', by_ms: -95_000 },
  { kind: 'offset', by_ms: 412_000 },
  { kind: 'zone', hours: -7 },
  { kind: 'zone', hours: 8 },
  { kind: 'drift', ppm: 140 },
  { kind: 'drift', ppm: -60 },
  { kind: 'reset', set_after_s: 75 },
  { kind: 'reset', set_after_s: null },
  { kind: 'none' },
];

function loggerOf(stream: Stream): LoggerRow {
  const wrong = random(stream) < 0.5;
  const clock = wrong
    ? (WRONG[Math.floor(random(stream) * WRONG.length)] as LoggerClock)
    : ({ kind: 'right' } as const);
  const timeless = clock.kind === 'reset' || clock.kind === 'none';
  const link = random(stream);
  return {
    clock,
    batch_ms: 1_000,
    // A logger without a clock numbers its messages: the gateway recognises a repeated message only by its time or its number.
    numbered: random(stream) < 0.7 || timeless,
    repeats: random(stream) < 0.5 ? 0.02 : 0,
    outages: link < 0.4 ? null : { up_s: [600, 5_400], down_s: link < 0.8 ? [20, 300] : [300, 2_700] },
  };
}

/** Returns the first machines of the fleet of this seed. A larger fleet begins with the same machines. */
export function fleetOf(seed: number, machines: number): RosterRow[] {
  const counts = new Map<MachineKind, number>();
  return Array.from({ length: machines }, (_, i): RosterRow => {
    const kind = ORDER[i % ORDER.length] as MachineKind;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const stream = streamOf(seed, i, 9);
    return {
      ...ORDINARY,
      kind,
      unit: `${PREFIX[kind]}-${String(number).padStart(2, '0')}`,
      name: `${machineType(kind).name} ${number}`,
      year: Math.floor(between(stream, [2012, 2026])),
      nights: kind === 'haul_truck' || kind === 'excavator' || random(stream) < 0.6,
      mtbf_h: between(stream, [20, 120]),
      logger: loggerOf(stream),
    };
  });
}
