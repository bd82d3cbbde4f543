/** The inputs of computed values of a machine. */
import type { ShiftClock } from '#contract/context.ts';
import { HOURS_FORMULA, type LiveValue, UTILIZATION_FORMULA, type UtilizationCalc } from '#contract/fleet/equipment.ts';
import type { Output } from '#contract/operations.ts';
import type { ShiftSpent } from '#contract/work/shift-report.ts';
import { classesOf, classMinutes } from '#domain/work/shift-time.ts';

type Equipment = Output<'equipment_update'>;

export function toCalc(spent: ShiftSpent, { name, from_ms, to_ms }: NonNullable<ShiftClock['now']>): UtilizationCalc {
  const counted = Object.values(spent).reduce((sum, ms) => sum + ms, 0);
  return {
    shift: name,
    starts_at: new Date(from_ms).toISOString(),
    ends_at: new Date(to_ms).toISOString(),
    counted_until: new Date(from_ms + counted).toISOString(),
    minutes: classMinutes(classesOf(spent)),
    formula: UTILIZATION_FORMULA,
    basis: 'history_and_log',
  };
}

export function hoursCalc(found: LiveValue | undefined): NonNullable<Equipment['calc']>['engine_hours'] {
  if (found?.meter === undefined) return null;
  const { segment, opened_because, since, basis, reading, offset } = found.meter;
  return { formula: HOURS_FORMULA, basis, reading, offset, segment, opened_because, since };
}
