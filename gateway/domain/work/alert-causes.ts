/**
 * Several alert rules may find the same cause, for example a trouble code and the lamp that it switches on. This file decides whether an
 * open alert about a trouble code also explains what another rule found. If it does, the gateway raises no second alert.
 */

import { isSignal } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { AlertCode, AlertSignal } from '#contract/work/alert.ts';
import { isSameCode, type Measured } from './alerts.ts';

/**
 * True if this trouble code, while it is active, is the only known cause of what a rule has measured on the same machine:
 *
 *   another rule on a code   the rule found this code and no other
 *   number of active codes   this code is the only one
 *   lamp                     no other control unit switches the lamp on
 *   signal                   the value of the signal comes from the SPN of the code and from the same control unit
 */
export function explains(
  code: AlertCode,
  signal: AlertSignal,
  measured: Measured,
  { dtcs, dtc_counts, values }: Pick<EquipmentLive, 'dtcs' | 'dtc_counts' | 'values'>,
): boolean {
  const active = dtcs?.find((one) => isSameCode(one, code));
  if (active === undefined || dtc_counts === null) return false;
  if (measured.code !== undefined) return measured.value === 1 && isSameCode(measured.code, code);
  if (isSignal(signal)) {
    const value = values[signal];
    return value?.spn === code.spn && value.source_address === code.source_address;
  }
  if (signal === 'dtc.active') return dtc_counts.active === 1;
  const lamp = signal.slice('dtc.'.length) as LampName;
  return dtc_counts[lamp] === 1 && active.lamps?.includes(lamp) === true;
}

type LampName = NonNullable<NonNullable<EquipmentLive['dtcs']>[number]['lamps']>[number];
