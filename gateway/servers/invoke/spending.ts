/**
 * Charges the storage budget of a device (how much it may store a day) for the bytes and documents that it stores over HTTP. People have no
 * budget.
 */
import { type BudgetKind, DOCUMENT_BYTES, type OverBudget, type Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import type { Write } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';

/** Returns the device of a call with a device key; undefined for other callers. */
function deviceOf({ kind, device, device_project }: Caller) {
  if (kind !== 'device' || device === null || device_project === null) return undefined;
  return { object: 'device', id: device, project_id: device_project } as const;
}

/** Returns the error for a budget that is used up. */
function overBudget({ why, retry_after_s }: OverBudget, kind: BudgetKind): OperationError {
  const message =
    why === 'day'
      ? `This device has stored as many bytes of ${kind} today as its budget allows.`
      : why === 'rate'
        ? `This device sends more ${kind} than its budget allows.`
        : 'This device is in quarantine.';
  return new OperationError('over_budget', message, { details: [{ budget: kind, why, retry_after_s }] });
}

/**
 * Charges the device of a call for bytes of files while they arrive; throws `over_budget`. A caller without a device key is not charged.
 */
export function payForBytes(budgets: Spending, caller: Caller, bytes: number, count = 0): void {
  const device = deviceOf(caller);
  const refused = device && budgets.spend(device, 'files', bytes, count);
  if (refused !== undefined) throw overBudget(refused, 'files');
}

/** Throws `storage_full` if disk space is short and the device has already used its share of the free space. */
function needShare(budgets: Spending, caller: Caller, bytes: number): void {
  const device = deviceOf(caller);
  if (device !== undefined && !budgets.admits(device.id, bytes))
    throw new OperationError(
      'storage_full',
      'The disk of the gateway has little room left, so this device must wait. Send the call again later.',
    );
}

/**
 * Charges the device of a call for the documents that the call writes; throws `over_budget`. Returns the write that stores the new count.
 * The caller adds this write to the commit of the call. If `isPaid` is true, the function charges nothing. This is the case for a frame (a
 * camera picture), because its documents were charged before its bytes came.
 */
export function payForWrites(
  budgets: Spending,
  caller: Caller,
  writes: readonly Pick<Write, 'data'>[],
  isPaid: boolean,
): (Write & { readonly project_id: string })[] {
  const device = deviceOf(caller);
  if (device === undefined) return [];
  const bytes = writes.reduce((sum, { data }) => sum + DOCUMENT_BYTES + Buffer.byteLength(JSON.stringify(data)), 0);
  needShare(budgets, caller, bytes);
  const refused = isPaid ? undefined : budgets.spend(device, 'events', bytes);
  if (refused !== undefined) throw overBudget(refused, 'events');
  const saved = budgets.saved(device.id);
  return saved === undefined ? [] : [saved];
}
