/** Spending without a bound, for rigs whose tests are of something else. */
import type { Spending } from '#contract/base/budget.ts';

export const NO_BUDGETS: Spending = { spend: () => undefined, saved: () => undefined, admits: () => true };
