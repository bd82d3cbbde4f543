/**
 * Several alert rules may find the same cause, for example a trouble code and the lamp that it switches on. This file decides whether an
 * open alert about a trouble code also explains what another rule found. If it does, the gateway raises no second alert.
 */

import { isSignal } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { AlertCode, AlertSignal } from '#contract/work/alert.ts';
import { isSameCode, type Measured } from './alerts.ts';

/**
 * True if this trouble code is the only known cause of what a rule has measured on the same machine:
 *
 *   another rule on a code   the rule found this code and no other
 *   number of active codes   this code is the only one
 *   lamp                     no other control unit switches the lamp on
 *   signal                   the code is active, and the value comes from the SPN of the code and from the same control unit
 */
export function explains(
  code: AlertCode,
  signal: AlertSignal,
  measured: Measured,
  { dtcs, values }: Pick<EquipmentLive, 'dtcs' | 'values'>,
): boolean {
  if (measured.code !== undefined) return measured.value === 1 && isSameCode(measured.code, code);
  if (measured.codes !== undefined) return measured.codes.some((one) => isSameCode(one, code));
  if (!isSignal(signal) || !dtcs?.some((one) => isSameCode(one, code))) return false;
  const value = values[signal];
  return value?.spn === code.spn && value.source_address === code.source_address;
}
