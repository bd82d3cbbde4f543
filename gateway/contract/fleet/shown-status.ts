/** The reported status of a machine on boards and pages. */
import { UNKNOWN_VALUE } from '#contract/base/shown.ts';
import { EQUIPMENT_STATUS, type EquipmentStatus } from './equipment.ts';

/** `unknown`: only a newer version knows the stored status. */
export type ShownStatus = EquipmentStatus | typeof UNKNOWN_VALUE;

/** Returns the reported status that screens show. */
export function shownStatus(stored: string): ShownStatus {
  return EQUIPMENT_STATUS.find((known) => known === stored) ?? UNKNOWN_VALUE;
}
