/** What the key of a device has stored, held against its budgets: every door for bytes and documents pays here. */
import { type BudgetKind, DOCUMENT_BYTES, type OverBudget, type Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import type { Write } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';

/** The device behind a call, by its own key; undefined for people. */
function deviceOf({ kind, device, device_project }: Caller) {
  if (kind !== 'device' || device === null || device_project === null) return undefined;
  return { object: 'device', id: device, project_id: device_project } as const;
}

/** The error for a budget that is used up. */
function overBudget({ why, retry_after_s }: OverBudget, kind: BudgetKind): OperationError {
  const message =
    why === 'day'
      ? `This device has stored as many bytes of ${kind} today as its budget allows.`
      : why === 'rate'
        ? `This device sends more ${kind} than its budget allows.`
        : 'This device is in quarantine.';
  return new OperationError('over_budget', message, { details: [{ budget: kind, why, retry_after_s }] });
}

/** Pays for bytes of files, as they come; throws `over_budget`. People pay nothing. */
export function payForBytes(budgets: Spending, caller: Caller, bytes: number, count = 0): void {
  const device = deviceOf(caller);
  const refused = device && budgets.spend(device, 'files', bytes, count);
  if (refused !== undefined) throw overBudget(refused, 'files');
}

/** Refuses a write of a device while room is short and its share of the rest is used up; throws `storage_full`. */
function needShare(budgets: Spending, caller: Caller, bytes: number): void {
  const device = deviceOf(caller);
  if (device !== undefined && !budgets.admits(device.id, bytes))
    throw new OperationError('storage_full', 'The disk has little room left; what devices write has to wait.');
}

/**
 * Pays for the documents of a call, and hands out what keeps the count in the same commit; throws `over_budget`. People pay nothing, and
 * documents of a frame were paid with its bytes.
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
