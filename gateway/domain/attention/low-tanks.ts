/**
 * Tanks that are almost empty. A machine with such a tank needs somebody soon, also if the site has no alert rule about it. A rule of the
 * site about the same signal and machine replaces the limit here, so that there are no two opinions.
 */
import { isCurrent, valueFreshnessAt } from '#contract/base/freshness.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { TANKS, type Tank, type TankRule } from '#contract/work/alert.ts';

/** A tank is low from this level in percent down. */
export const LOW_PCT = 10;
/** A low tank is no longer low from this level in percent on. */
const FILLED_PCT = 13;

/** A low tank of a machine, and since when it is low. */
export interface LowTank {
  readonly signal: Tank;
  readonly since_ms: number;
}

interface Watched {
  readonly id: string;
  readonly kind: string | null;
  /** Ids of the machine's location and of all locations that contain this location. */
  readonly within?: readonly string[];
}

/** Returns the tanks of a machine about which the site has a rule with a lower limit. */
export function ruledTanks(rules: readonly TankRule[], { id, kind, within = [] }: Watched): readonly Tank[] {
  const watches = ({ scope }: TankRule) =>
    (scope.equipment_ids.length === 0 || scope.equipment_ids.includes(id)) &&
    (scope.kinds.length === 0 || (kind !== null && scope.kinds.includes(kind))) &&
    (scope.location_ids.length === 0 || scope.location_ids.some((location) => within.includes(location)));
  return TANKS.filter((tank) =>
    rules.some(
      (rule) =>
        rule.signal === tank &&
        rule.enabled &&
        rule.value !== null &&
        (rule.op === 'lt' || rule.op === 'lte') &&
        watches(rule),
    ),
  );
}

/**
 * Returns the low tanks of a machine. Only a current value counts. `before`: those of a moment ago, because a low tank stays low until it
 * is filled.
 */
export function lowTanks(
  before: readonly LowTank[],
  live: EquipmentLive | undefined,
  ruled: readonly Tank[],
  now_ms: number,
): readonly LowTank[] {
  return TANKS.flatMap((signal): LowTank[] => {
    const value = live?.values[signal];
    if (value === undefined || ruled.includes(signal)) return [];
    if (!isCurrent(valueFreshnessAt(signal, value, now_ms))) return [];
    const known = before.find((one) => one.signal === signal);
    if (known !== undefined) return value.value < FILLED_PCT ? [known] : [];
    return value.value <= LOW_PCT ? [{ signal, since_ms: Date.parse(value.observed_at) }] : [];
  });
}

/** Samples of a tank, the earliest first. `t` is in seconds since 1970. */
interface Samples {
  readonly t: readonly number[];
  readonly v: readonly number[];
}

/**
 * Returns since when a tank that is low at the end of these samples has been low, in seconds since 1970; null if the samples do not tell.
 * `isWhole` is true if the samples also have a time before, in which the tank was not low.
 */
export function lowSince({ t, v }: Samples): { readonly since_s: number | null; readonly isWhole: boolean } {
  const filled = v.findLastIndex((level) => level >= FILLED_PCT);
  const low = v.findIndex((level, i) => i > filled && level <= LOW_PCT);
  return { since_s: t[low] ?? null, isWhole: filled >= 0 };
}
